// The ratings of the teams with their intervals, the strongest first.

/** @import {BatchReport} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { shortName } from './state.js'
import { plus } from './trial.js'

/** @param {{r: BatchReport}} props */
export function Ratings({ r }) {
  const teams = list(r.teams), played = teams.some((t) => t.games > 0)
  const ends = teams.filter((t) => t.games > 0).flatMap(({ rating: { interval: { from, to } } }) => [Math.abs(from), Math.abs(to)])
  const reach = 50 * Math.ceil(Math.min(1000, Math.max(50, ...ends)) / 50)
  const at = (/** @type {number} */ elo) => 50 + 50 * Math.max(-1, Math.min(1, elo / reach))
  return html`<section class="panel batch-ratings" aria-label="ratings"><div class="head"><h2>Ratings</h2>
    <span class="sub">Elo against the mean of all teams, 95 %</span></div>
    ${played ? html`<div class="scroll"><table><thead><tr><th></th><th class="text">team</th><th class="range">
      <span class="ends"><i>−${reach}</i><i>0</i><i>+${reach}</i></span></th><th>Elo</th><th class="wide">interval</th><th>points</th>
      <th class="wide">won – drawn – lost</th></tr></thead>
    <tbody>${teams.map((t, i) => html`<tr key=${t.name} data-team=${t.name}><td>${i + 1}</td><td class="text name" title=${t.name}>${shortName(t.name)}</td>
      <td class="range">${t.games > 0 && html`<span class="line" style=${{ left: `${at(t.rating.interval.from)}%`,
    width: `${at(t.rating.interval.to) - at(t.rating.interval.from)}%` }}></span><span class="dot-at" style=${{ left: `${at(t.rating.elo)}%` }}></span>`}</td>
      <td><b>${t.games ? plus(t.rating.elo) : '–'}</b></td><td class="wide dim">${t.games ? `${plus(t.rating.interval.from)} to ${plus(t.rating.interval.to)}` : ''}</td>
      <td>${t.games ? t.points.mean.toFixed(3) : '–'}</td><td class="wide">${t.won} – ${t.drawn} – ${t.lost}</td></tr>`)}</tbody></table></div>`
    : html`<p class="empty">no match is over yet</p>`}</section>`
}
