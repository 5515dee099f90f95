// The machines that play.

/** @import {BatchProgress} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { age, withUnit } from '../shared/format.js'
import { list } from '../shared/state.js'

const LOST = 15 // s without a word from a machine

/** @param {{p: BatchProgress}} props */
export function Machines({ p }) {
  const all = list(p.workers)
  return html`<section class="panel batch-machines" aria-label="machines"><div class="head"><h2>Machines</h2>
    ${all.length > 0 && html`<span class="sub">${all.length}</span>`}</div>
    ${all.length ? html`<div class="scroll"><table><thead><tr><th>machine</th><th>cores</th><th>play now</th><th>matches</th><th>seen</th></tr></thead>
      <tbody>${all.map((w) => html`<tr key=${w.name} class=${w.seen > LOST ? 'gone' : ''} data-machine=${w.name}><td class="name" title=${w.name}>${w.name}</td>
      <td>${w.cores}</td><td>${w.running}</td><td>${w.done.toLocaleString('en')}</td>
      <td class=${w.seen > LOST ? 'bad' : ''}>${w.seen > LOST ? '✕ ' : ''}${w.seen < 2 ? 'now' : `${withUnit(age(w.seen * 1000))} ago`}</td></tr>`)}</tbody></table></div>`
    : html`<p class="empty">The results in a folder do not say which machines play them.</p>`}</section>`
}
