// The tables beside the matrix: messages by type, queues by class, modules.

/** @import {TeamcomQueueReport} from '../types' */
/** @import {Received} from './state.js' */
import { byteRate } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { pressable } from '../shared/keyboard.js'
import { list } from '../shared/state.js'
import { toast } from '../shared/stream.js'
import { EntityBadge } from './entity.js'
import { figureOf, lossLimits } from './figures.js'
import { nameOf, nodes, openMessages, received, select, tcm, typesOf } from './state.js'

/** The figures of one type over all selected links.
 * @typedef {{type: string, module: string, from: string[], received: number, duplicates: number,
 * reordered: number, rate: number, lost: number, bytes: number, age: number}} Row lost: % times rate */

const AGE = 'at arrival, 99 of 100 messages are younger than this, on the slowest link: the time since the capture of what '
  + 'they tell, such as a picture, with the work of camera and sender; the latency of a link is the way alone'

/** @param {Received[]} all @returns {Row[]} */
function rowsOf(all) {
  /** @type {Map<string, Row>} */
  const rows = new Map()
  for (const { row: t } of all) {
    const key = `${t.type} ${t.module}`
    const row = rows.get(key) ?? { type: t.type, module: t.module, from: [], received: 0, duplicates: 0, reordered: 0,
      rate: 0, lost: 0, bytes: 0, age: 0 }
    rows.set(key, row)
    if (!row.from.includes(t.peer)) row.from.push(t.peer)
    row.received += t.received
    row.duplicates += t.duplicates
    row.reordered += t.reordered
    row.rate += t.perSecond
    row.lost += t.perSecond * t.lossPercent
    row.bytes += t.bytesPerSecond
    row.age = Math.max(row.age, t.latencyMillis.p99)
  }
  return [...rows.values()].toSorted((a, b) => b.rate - a.rate || (a.type < b.type ? -1 : 1))
}

/** The rows of messages that a row of the table stands for, those of the selected sender first. @param {Row} row */
const openable = ({ type, module, from }) => [tcm.from, ...from.toSorted()].flatMap(typesOf)
  .filter((t) => t.type === type && t.module === module)

/** @param {Row} row */
function rowKeys(row) {
  const keys = openable(row).map((t) => t.key)
  const open = () => keys.length ? openMessages(keys[0]) : toast(`no datagram with a ${row.type} message was seen here`)
  return { ...pressable(open), 'data-type': row.type, title: 'click or Enter: newest messages of this type',
    class: keys.includes(tcm.open) ? 'open' : '' }
}

/** Figures that are 0 are pale. @param {number} n @param {string} [level] of other figures */
const countClass = (n, level = '') => n ? level : 'dim'

/** The badges of the senders, or their number. @param {{from: string[]}} props */
function From({ from }) {
  const few = from.toSorted().slice(0, 8)
  return html`<td class="text"><div class="who">${few.map((f) => html`<${EntityBadge} key=${f} entity=${f} />`)}
    ${from.length > few.length && html`<span>+${from.length - few.length}</span>`}</div></td>`
}

/** @param {{row: Row}} props */
function TypeRow({ row }) {
  const lost = row.rate && row.lost / row.rate
  return html`<tr ...${rowKeys(row)}><td><b>${row.type}</b></td><td class="text dim">${row.module}</td>
    <${From} from=${row.from} />
    <td>${row.rate.toFixed(row.rate < 9.95 ? 1 : 0)} /s</td>
    <td class=${lost >= lossLimits[0] ? 'warn' : countClass(row.lost)}>${figureOf('lost').text(lost)} %</td>
    <td class=${countClass(row.duplicates)}>${row.duplicates}</td>
    <td class=${countClass(row.reordered)}>${row.reordered}</td>
    <td>${row.age ? figureOf('latency').text(row.age) + ' ms' : ''}</td>
    <td>${byteRate(row.bytes)}</td></tr>`
}

/** The selected links in words. */
function selection() {
  if (tcm.from && tcm.to) return `${nameOf(tcm.from)} → ${nameOf(tcm.to)}`
  if (tcm.from) return `from ${nameOf(tcm.from)}`
  return tcm.to ? `to ${nameOf(tcm.to)}` : 'all links'
}

export function TypesPanel() {
  const rows = rowsOf(received()), narrowed = tcm.from || tcm.to
  return html`<section class="panel types" aria-label="Messages"><div class="head"><h2>Messages</h2>
    <span class="sub">${selection()}</span>${narrowed ? html`<button class="small hz"
      onClick=${() => select('', '')}>all links <kbd>A</kbd></button>`
    : html`<span class="hint">click a row to read its messages</span>`}</div>
    <div class="scroll"><table><thead><tr><th>type</th><th class="text">module</th><th class="text">from</th>
    <th>rate</th><th>lost</th>
    <th title="arrived more than once">twice</th><th title="arrived after a newer packet">late</th>
    <th title=${AGE}>age p99</th><th>payload</th></tr></thead><tbody>
    ${rows.map((row) => html`<${TypeRow} key=${row.type + row.module} row=${row} />`)}</tbody></table>
    ${rows.length === 0 && html`<p class="empty">no message ${narrowed && 'on this link'} yet</p>`}</div></section>`
}

/** @param {number} bytes */
const size = (bytes) => bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(bytes < 9950 ? 1 : 0)} kB`

const DROPPED = 0.05 // share of dropped messages from which on it is amber; a newer one may replace one that waits

/** A class of one node: what waits, and what was dropped. @param {{q: TeamcomQueueReport | undefined}} props */
function Queue({ q }) {
  if (!q) return html`<td></td>`
  const waiting = q.messages > 0
  return html`<td class=${waiting ? '' : 'dim'} title=${`${q.sent} sent, budget ${byteRate(q.budgetBytesPerSecond)}`}>
    ${waiting ? html`<b>${q.messages}</b> ${size(q.bytes)}` : '0'}
    ${q.dropped > 0 && html`<b class=${q.dropped > DROPPED * q.sent ? 'warn' : 'dim'}> −${q.dropped}</b>`}</td>`
}

const CLASSES = ['command', 'robots', 'telemetry', 'bulk']

export function QueuesPanel() {
  return html`<section class="panel queues" aria-label="Queues"><div class="head"><h2>Queues</h2>
    <span class="sub">messages that wait; −n: dropped</span></div><div class="scroll"><table><thead><tr><th>node</th>
    ${CLASSES.map((c) => html`<th>${c}</th>`)}</tr></thead><tbody>${nodes().map((n) => html`<tr key=${n.entity}>
      <td><div class="who"><${EntityBadge} entity=${n.entity} /><span>${nameOf(n.entity)}</span></div></td>
      ${CLASSES.map((c) => html`<${Queue} key=${c} q=${list(n.queues).find((q) => q.socket === c)} />`)}</tr>`)}
    </tbody></table></div></section>`
}

/** The handlers of a module over all selected nodes.
 * @typedef {{module: string, calls: number, panics: number, dropped: number, busy: number}} Handler */

/** @returns {Handler[]} */
function handlers() {
  /** @type {Map<string, Handler>} */
  const rows = new Map()
  for (const n of nodes()) for (const h of tcm.to && n.entity !== tcm.to ? [] : list(n.handlers)) {
    const row = rows.get(h.module) ?? { module: h.module, calls: 0, panics: 0, dropped: 0, busy: 0 }
    rows.set(h.module, row)
    row.calls += h.calls
    row.panics += h.panics
    row.dropped += h.dropped
    row.busy += h.busyMillis
  }
  return [...rows.values()]
}

export function ModulesPanel() {
  const rows = handlers()
  return html`<section class="panel modules" aria-label="Modules"><div class="head"><h2>Modules</h2>
    <span class="sub">${tcm.to ? `of ${nameOf(tcm.to)}` : 'of all nodes'}</span></div>
    <div class="scroll"><table><thead><tr><th>module</th><th>calls</th><th>panics</th>
    <th title="messages dropped because the module’s queue was full">dropped</th>
    <th title="mean time of a call">a call</th></tr></thead><tbody>${rows.map((h) => html`<tr key=${h.module}>
      <td>${h.module}</td><td>${h.calls}</td><td class=${countClass(h.panics, 'bad')}>${h.panics}</td>
      <td class=${countClass(h.dropped, 'warn')}>${h.dropped}</td>
      <td>${h.calls ? (h.busy / h.calls).toFixed(2) + ' ms' : ''}</td></tr>`)}</tbody></table>
    ${rows.length === 0 && html`<p class="empty">no module listens</p>`}</div></section>`
}
