// The senders: rates, gaps, losses, and the team's share of its bandwidth budget.

/** @import {Network, SenderRow, Wall} from '../types' */
import { Charts } from './charts.js'
import { Air } from './air.js'
import { age, byteRate, megabits, percent, withUnit } from '../shared/format.js'
import { gradeGap, gradeMissing, gradeSender } from '../wall/health.js'
import { html } from '../htm/preact/standalone.module.js'
import { AlarmList } from '../shared/header.js'
import { pressable } from '../shared/keyboard.js'
import { change, list } from '../shared/state.js'
import { Explain, nameOf } from '../shared/words.js'
import { live, openPackets } from '../wall/state.js'
import { Badge } from '../wall/tile.js'

const GONE = 2000 // ms without a packet: the sender has left

/** @param {Wall} wall */
function groupText(wall) {
  const { group, interface: on, loopback } = wall.link
  if (on === 'memory') return `${group}, in memory`
  return `${group} on ${loopback ? 'loopback' : on}`
}

/** @param {Network} net */
const loadText = (net) => net.budgetBits ? `${megabits(net.bitsPerS)} of ${(net.budgetBits / 1e6).toFixed(1)} Mbit/s`
  : `${megabits(net.bitsPerS)} Mbit/s`

/** @param {SenderRow} s */
const isSending = (s) => s.age < GONE

/** @param {SenderRow} s */
const variantLevel = (s) => s.foreign ? 'dim' : s.issues ? 'warn' : ''

/** Opens the packets of a row: those of its tile, if it has one. @param {SenderRow} s */
const openRow = (s) => openPackets(list(live.wall?.tiles).find((t) => t.sender === s.key)?.key ?? s.key)

/** @param {SenderRow} s */
const rowKeys = (s) => ({
  ...pressable(() => openRow(s)), class: isSending(s) ? '' : 'gone', title: 'click or Enter: packets of this sender',
})

/** @param {{s: SenderRow}} props */
function Sender({ s }) {
  if (s.foreign && live.wall?.game) return html`<td><div class="who"><span class="dim">${s.team}</span></div></td>`
  if (s.foreign) return html`<td><div class="who"><span class="badge none">?</span><span class="dim">
    ${s.addr}, ${s.variant}</span></div></td>`
  return html`<td><div class="who"><${Badge} number=${s.number} color=${s.color} shape="robot" />
    <span>${s.team || s.addr}</span></div></td>`
}

/** The used share of the budget as a bar. @param {{net: Network}} props */
function Budget({ net }) {
  const share = net.budgetBits ? net.bitsPerS / net.budgetBits : 0
  if (!net.budgetBits) return html`<b>${loadText(net)}</b>`
  return html`<span class="budget ${net.overBudget ? 'bad' : ''}"><span class="bar" role="meter"
    aria-label="used share of the budget" aria-valuenow=${Math.round(share * 100)}>
    <i style=${{ width: Math.min(100, share * 100) + '%' }}></i></span>
    <b>${loadText(net)}</b>${net.overBudget && html`<b>over budget</b>`}</span>`
}

const LossHead = html`<th>loss, est. <${Explain} of="loss" /></th>`

/** Rows of the panel on the wall. */
export const ROWS = 7

/** @param {{net: Network | null, wall: Wall}} props */
export function NetworkPanel({ net, wall }) {
  const place = new Map(list(wall.tiles).map((t, i) => [t.sender, i]))
  const rank = (/** @type {SenderRow} */ s) => place.get(s.key) ?? (isSending(s) ? 1e3 : 1e4)
  const rows = list(net?.senders).toSorted((a, b) => rank(a) - rank(b)) // as the tiles, then those without one
  return html`<section class="panel net" aria-label="Network">
    <div class="head"><h2>Network</h2><span class="sub mono">${groupText(wall)}</span>
      ${net && html`<span class="hz ${net.overBudget ? 'bad' : ''}">${net.overBudget ? 'over budget: ' : ''}
      ${loadText(net)}</span>`}</div>
    <table><thead><tr><th>sender</th><th>rate</th><th class="pause">${nameOf('pause')} <${Explain} of="pause" /></th>
      <th>loss <${Explain} of="loss" /></th><th>variant</th></tr></thead>
    <tbody>${rows.slice(0, ROWS).map((s) => html`<tr key=${s.key} ...${rowKeys(s)}><${Sender} s=${s} />
      <td class=${gradeSender(s)}>${s.rate.toFixed(1)} Hz</td><td class=${gradeGap(s.gapP99)}>
        ${s.gapP99 == null ? '' : withUnit(age(s.gapP99))}</td>
      <td class=${gradeMissing(s.missing)}>${s.missing == null ? '' : percent(s.missing)}</td>
        <td class=${variantLevel(s)}>${s.variant}</td></tr>`)}</tbody></table>
    ${rows.length > ROWS && html`<button class="more"
      onClick=${() => change(live, { view: 'network' })}>and ${rows.length - ROWS} more (N)</button>`}
    ${rows.length === 0 && html`<p class="empty">no senders</p>`}
    ${wall.truth && !wall.game && html`<${Air} wall=${wall} />`}
  </section>`
}

/** @param {{s: SenderRow}} props */
function FullRow({ s }) {
  return html`<tr ...${rowKeys(s)}><${Sender} s=${s} /><td class="text mono">${s.addr}</td>
    <td class=${gradeSender(s)}>${s.rate.toFixed(1)} Hz</td><td>${withUnit(age(s.age))}</td>
    <td class=${gradeGap(s.gapP99)}>${s.gapP99 == null ? '' : withUnit(age(s.gapP99))}</td>
      <td>${s.jitter == null ? '' : s.jitter.toFixed(1) + ' ms'}</td>
    <td class=${gradeMissing(s.missing)}>${s.missing == null ? '' : percent(s.missing)}</td>
      <td class=${s.duplicates ? 'warn' : ''}>${s.duplicates}</td>
    <td>${byteRate(s.bytesPerS)}</td><td>${s.packets}</td>
    <td class=${variantLevel(s)}>${s.variant}</td><td>${s.trailing || ''}</td>
    <td class=${s.issues ? 'warn' : ''}>${s.issues}</td><td class="text wide">${s.lastIssue}</td></tr>`
}

/** @param {{senders: SenderRow[]}} props */
function Totals({ senders }) {
  const sum = (/** @type {(s: SenderRow) => number} */ f) => senders.reduce((total, s) => total + f(s), 0)
  return html`<tfoot><tr><td>all ${senders.length}</td><td></td><td>${sum((s) => s.rate).toFixed(1)} Hz</td>
    <td></td><td></td><td></td><td></td><td>${sum((s) => s.duplicates)}</td>
    <td>${byteRate(sum((s) => s.bytesPerS))}</td><td>${sum((s) => s.packets)}</td><td></td><td></td>
    <td>${sum((s) => s.issues)}</td><td></td></tr></tfoot>`
}

/** @param {{net: Network | null, wall: Wall}} props */
export function NetworkView({ net, wall }) {
  if (!net) return html`<main class="page"><p class="empty">waiting for figures</p></main>`
  return html`<main class="page"><section class="panel full">
    <div class="head"><h2>Network</h2><span class="sub mono">${groupText(wall)}</span><${Budget} net=${net} />
      <span class="hz ${net.drops ? 'bad' : ''}">
        ${net.drops ? `this machine dropped ${net.drops} datagrams unread` : 'no drops on this machine'}</span></div>
    <${AlarmList} texts=${list(net.alarms)} />
    <div class="scroll"><table><thead><tr><th>sender</th><th class="text">address</th><th>rate</th>
      <th>last packet</th><th>${nameOf('pause')} <${Explain} of="pause" /></th><th>jitter</th>${LossHead}<th>duplicates</th>
      <th>payload</th><th>packets</th><th>variant</th><th>trailing bytes</th><th>with issues</th>
        <th class="text">last issue</th></tr></thead>
    <tbody>${list(net.senders).map((s) => html`<${FullRow} key=${s.key} s=${s} />`)}</tbody>
    ${list(net.senders).length > 1 && html`<${Totals} senders=${list(net.senders)} />`}</table>
    ${list(net.senders).length === 0 && html`<p class="empty">no senders</p>`}</div>
    <${Charts} net=${net} /></section></main>`
}
