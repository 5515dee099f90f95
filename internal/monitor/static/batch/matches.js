// The newest matches, each of which opens as a recording, and those that did not end.

/** @import {BatchPlayed, BatchProgress} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { age, withUnit } from '../shared/format.js'
import { pressable } from '../shared/keyboard.js'
import { list } from '../shared/state.js'
import { againOf, batch, open, opens, shortName } from './state.js'

/** How far a match is that is played again. @param {{id: string}} props */
function Way({ id }) {
  const again = againOf(id)
  if (again?.state === 'ready') return html`<a class="way" href=${again.page} title=${again.text || undefined}
    onClick=${(/** @type {Event} */ e) => e.stopPropagation()}>recording${again.text && html` <b class="warn">▲</b>`}</a>`
  if (again?.state === 'playing') return html`<span class="way now">playing, ${Math.floor(100 * again.share)} %</span>`
  if (again?.state === 'waiting' || batch.wanted === id) return html`<span class="way now">waiting</span>`
  if (again?.state === 'failed') return html`<span class="way bad" title=${again.text}>✕ failed</span>`
  return html`<span class="way dim">${opens() ? '▶' : ''}</span>`
}

/** How far the match is that opens by itself. */
function wantedText() {
  const again = againOf(batch.wanted)
  return again?.state === 'playing' ? `playing ${batch.wanted.slice(0, 8)} again, ${Math.floor(100 * again.share)} %` : 'waiting until the match is played again'
}

/** The effect of a click, in words. */
const hint = () => opens() ? 'play this match again and look at it' : 'copy the command that plays this match again'

/** @param {{m: BatchPlayed}} props */
const Row = ({ m }) => html`<tr class="${m.id === batch.chosen ? 'chosen' : ''} ${m.trouble ? 'trouble-row' : ''}" data-match=${m.id} title=${hint()}
  ...${pressable(() => open(m.id))}><td class="text home" title=${m.home}>${shortName(m.home)}</td>
  <td class="score">${m.trouble ? html`<b class="bad" title=${m.trouble}>✕</b>` : html`<b>${m.goals[0]} : ${m.goals[1]}</b>`}</td>
  <td class="text" title=${m.away}>${shortName(m.away)}</td><td class="text where dim" title=${m.where || undefined}>${m.where}</td>
  <td class="dim wide">seed ${m.seed}</td><td class="dim age">${m.age < 1 ? 'now' : m.age < 120 ? `${Math.floor(m.age)} s` : withUnit(age(m.age * 1000))}</td><td class="text"><${Way} id=${m.id} /></td></tr>`

/** @param {{p: BatchProgress}} props */
export function Matches({ p }) {
  const all = list(p.newest)
  return html`<section class="panel batch-matches" aria-label="newest matches"><div class="head"><h2>Newest matches</h2>
    <span class="sub" role="status">${batch.wanted ? html`<b class="way now">${wantedText()}</b>` : opens() ? 'click one to see it' : 'a click copies the command that plays one again'}</span>
    <span class="hint"><kbd>↑</kbd> <kbd>↓</kbd> <kbd>Enter</kbd></span></div>
    ${all.length ? html`<div class="scroll"><table class=${p.newest?.some((m) => m.where) ? 'with-where' : ''}><thead class="unseen"><tr><th>home</th><th>goals</th><th>away</th>
      <th>condition</th><th>seed</th><th>age</th><th>recording</th></tr></thead>
      <tbody>${all.map((m) => html`<${Row} key=${m.id} m=${m} />`)}</tbody></table></div>`
    : html`<p class="empty">no match is over yet</p>`}</section>`
}

/** The matches that did not end, and results that cannot be read. @param {{p: BatchProgress}} props */
export function Failures({ p }) {
  const failures = list(p.report?.failures), damaged = list(p.damaged), more = p.failed - failures.length
  return failures.length + damaged.length > 0 && html`<section class="panel batch-failures" aria-label="failures"><div class="head"><h2>Failures</h2>
    <span class="sub">${failures.length > 0 && opens() ? 'click one to see how far it goes' : ''}</span></div><div class="scroll"><ul>
    ${failures.map((f) => html`<li key=${f.id} data-failed=${f.id}><button class="quiet" title=${hint()} onClick=${() => open(f.id)}>
      <b class="bad">✕</b> <code>${f.id.slice(0, 8)}</code> ${f.text}</button><${Way} id=${f.id} /></li>`)}
    ${more > 0 && html`<li class="dim">and ${more.toLocaleString('en')} more</li>`}
    ${damaged.map((text) => html`<li key=${text} class="warn">▲ damaged: ${text}; touchline batch run plays it again</li>`)}</ul></div></section>`
}
