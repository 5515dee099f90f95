// The simulator's network: rates, clients, refused commands; and its events.

/** @import {VssShow, VssShowClient} from '../types' */
import { clock } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { TeamBadge } from './figures.js'
import { openClient, showConnect } from './state.js'

/** As many items as fit into rows; one row is left to report how many more there are.
 * @template T @param {T[]} items @param {number} rows */
const fit = (items, rows) => items.length <= rows ? items : items.slice(0, Math.max(1, rows - 1))

/** @param {{c: VssShowClient}} props */
function Client({ c }) {
  const badges = (/** @type {'blue' | 'yellow'} */ team) =>
    list(c[team]).map((id) => html`<${TeamBadge} team=${team} id=${id} />`)
  const any = list(c.blue).length + list(c.yellow).length > 0
  return html`<tr><td class="mono"><button class="plain" title="show its last packet"
    onClick=${() => openClient(c.address)}>${c.address}</button></td><td><div class="who">
    ${any ? [badges('blue'), badges('yellow')] : html`<span class="dim">no robots</span>`}</div></td>
    <td>${c.rate.toFixed(1)} /s</td></tr>`
}

/** @param {{show: VssShow, rows: number}} props rows: how many clients and refusals fit */
export function TrafficPanel({ show, rows }) {
  const clients = list(show.clients), refused = list(show.refused).toSorted((a, b) => b.count - a.count)
  const some = fit(clients, Math.max(Math.ceil(rows * 0.6), rows - refused.length)),
    most = fit(refused, rows - Math.min(clients.length, some.length + 1))
  return html`<section class="panel vss-traffic" aria-label="Network">
    <div class="head"><h2>Network</h2><span class="hz"><b>${show.in.toFixed(0)}</b> packets/s in, <b>
      ${show.out.toFixed(0)}</b> out</span></div>
    <dl><dt>commands</dt><dd class="mono">${show.commands}</dd><dt>vision</dt><dd class="mono">
      ${list(show.vision).join('  ') || 'no receiver'}</dd></dl>
    <table aria-label="Clients"><tbody>${some.map((c) => html`<${Client} key=${c.address} c=${c} />`)}</tbody></table>
    ${clients.length === 0 && html`<p class="line dim">no clients yet
      <button class="small" onClick=${() => showConnect(true)}>connect yours</button></p>`}
    ${clients.length > some.length && html`<p class="line dim"
      title=${clients.slice(some.length).map((c) =>
      c.address).join('\n')}>and ${clients.length - some.length} more clients</p>`}
    ${refused.length > 0 && html`<ul class="refused" aria-label="Refused commands">
      ${most.map((r) => html`<li title=${r.last}><b>${r.count}</b> ${r.reason}<span>${r.last}</span></li>`)}
      ${refused.length > most.length && html`<li class="dim"
        title=${refused.slice(most.length).map((r) =>
        `${r.count} ${r.reason}: ${r.last}`).join('\n')}>and ${refused.length - most.length} more reasons</li>`}</ul>`}
  </section>`
}

/** @param {{show: VssShow}} props */
export function EventsPanel({ show }) {
  return html`<section class="panel vss-marks" aria-label="Events"><div class="head"><h2>Events</h2></div>
    <ol tabindex="0">${list(show.marks).toReversed().map((m) => html`<li data-kind=${m.kind} title=${m.text}>
      <span class="mono">${clock(m.time)}</span>${m.text}</li>`)}</ol></section>`
}
