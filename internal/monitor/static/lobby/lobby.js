// The lobby's page: the match that is played, the table, and the results.

/** @import {MatchFixture, MatchLobbyRow, MatchLobbyView} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { Header, Waiting } from '../shared/header.js'
import { start } from '../shared/page.js'
import { list, state } from '../shared/state.js'

/** @type {MatchLobbyView | undefined} */
let lobby

/** The match that is played. @param {MatchLobbyView} v @returns {MatchFixture | undefined} */
const current = (v) => list(v.matches).find((m) => !m.over)

/** @param {{v: MatchLobbyView}} props */
function Now({ v }) {
  const m = current(v), number = m?.number ?? v.ended
  return html`<section class="panel now" aria-label="now"><div class="head"><h2>${m ? `Match ${number}`
    : v.of && v.ended >= v.of ? 'Final table' : number ? `After match ${number}` : 'Lobby'}</h2>
    ${v.of > 0 && html`<span class="sub">of ${v.of}</span>`}${m && html`<a class="hint" href="./#match">watch the field</a>`}</div>
    ${m && html`<p class="versus"><b class="home">${m.home}</b><strong>${m.goals[0]} : ${m.goals[1]}</strong>
      <b>${m.away}</b></p>`}<p class="phase" role="status">${v.phase}</p></section>`
}

/** The state of a team, as a shape with its name. @param {{row: MatchLobbyRow, plays: boolean}} props */
const State = ({ row, plays }) => plays ? html`<span class="state plays" title="plays now">▶</span>`
  : row.here ? html`<span class="state" title="is here">●</span>` : html`<span class="state dim" title="is away">○</span>`

/** @param {{v: MatchLobbyView}} props */
function Table({ v }) {
  const m = current(v), rows = list(v.table)
  return html`<section class="panel standings" aria-label="table"><div class="head"><h2>Table</h2><span class="sub">
    ${rows.filter((r) => r.here).length} of ${rows.length} teams are here: ▶ play, ● here, ○ away</span></div>
    ${rows.length ? html`<div class="scroll"><table style=${{ '--rows': Math.max(rows.length, 8) }}><thead><tr><th></th>
      <th class="text">team</th><th>played</th><th class="wide">won</th><th class="wide">drawn</th><th class="wide">lost</th>
      <th>goals</th><th>points</th></tr></thead><tbody>${rows.map((r, i) => html`<tr key=${r.name}
      class=${r.here ? '' : 'gone'}><td>${i + 1}</td><td class="text name">
      <${State} row=${r} plays=${m !== undefined && [m.home, m.away].includes(r.name)} /> ${r.name}</td><td>${r.played}</td>
      <td class="wide">${r.won}</td><td class="wide">${r.drawn}</td><td class="wide">${r.lost}</td><td>${r.for}:${r.against}</td>
      <td><b>${r.points}</b></td></tr>`)}</tbody></table></div>` : html`<p class="empty">no team has joined yet</p>`}</section>`
}

/** @param {{v: MatchLobbyView}} props */
function Results({ v }) {
  const over = list(v.matches).filter((m) => m.over).reverse()
  return html`<section class="panel results" aria-label="results"><div class="head"><h2>Results</h2></div>
    ${over.length ? html`<div class="scroll"><ol>${over.map((m) => html`<li key=${m.number}><span class="dim">${m.number}</span>
      <span class="home">${m.home}</span><b>${m.goals[0]} : ${m.goals[1]}</b><span>${m.away}</span>
      ${m.reason && html`<small class="dim">${m.reason}</small>`}</li>`)}</ol></div>`
    : html`<p class="empty">no match is over yet</p>`}</section>`
}

/** @param {{v: MatchLobbyView}} props */
function Join({ v }) {
  const { unsigned, forged, invalid, tooMany, datagrams } = v.refused, requests = unsigned + forged + invalid + tooMany
  return html`<footer class="join"><span>Join with ${v.robots} robots, 2 × ${v.half} s: <code>touchline join --lobby ${location.host} --key KEY --name NAME</code></span><span class="dim">the key is
    where the lobby was started</span>${requests + datagrams > 0 && html`<span class="dim refused">refused: ${requests.toLocaleString('en')} requests, ${datagrams.toLocaleString('en')} datagrams</span>`}</footer>`
}

const App = () => html`<${Header} here="lobby" />${lobby ? html`<main><${Now} v=${lobby} /><${Table} v=${lobby} />
  <${Results} v=${lobby} /></main><${Join} v=${lobby} />` : html`<${Waiting} />`}`

start({
  App, title: () => ['lobby', lobby ? `${list(lobby.table).length} teams` : ''], help: () => ({ groups: [] }),
  topics: () => ['lobby'],
  receive: (_, value) => { lobby = value },
  outline: () => [state.run, lobby?.ended, lobby?.matches?.length, lobby?.table?.length].join(),
})
