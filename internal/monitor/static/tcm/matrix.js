// The matrix of links: senders at the left, receivers above. One node alone shows its links with every figure.

/** @import {Level} from '../wall/health.js' */
/** @import {Figure} from './figures.js' */
/** @import {Shown, ShownLink} from './observer.js' */
import { age, byteRate, signed, withUnit } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { arrows } from '../shared/keyboard.js'
import { change, list } from '../shared/state.js'
import { live } from '../wall/state.js'
import { Explain } from '../shared/words.js'
import { Figures } from '../wall/tile.js'
import { EntityBadge } from './entity.js'
import { figureOf, figures } from './figures.js'
import { OBSERVER } from './observer.js'
import { linkOf, nameOf, nodes, rests, select, senders, tcm } from './state.js'

/** The content of a cell. @typedef {{text: string, level: Level | 'gone' | 'none', title: string}} Cell */

/** @param {string} from @param {string} to @param {Figure} f @returns {Cell} */
function cellOf(from, to, f) {
  const l = linkOf(from, to), names = `${nameOf(from)} to ${nameOf(to)}`
  if (!l) return { text: '–', level: 'none', title: `${names}: no datagram yet` }
  if (!l.up && rests(from, to)) return { text: '–', level: 'none', title: `${names}: a substitute sends nothing` }
  if (!l.up) return { text: '✕', level: 'gone', title: `${names}: silent for ${withUnit(age(l.silentMillis))}` }
  const value = f.value(l)
  if (value == null) return { text: '–', level: 'none', title: `${names}: not measured yet` }
  const text = live.view === 'match' && !f.text(value).includes(' ') ? value.toFixed(0) : f.text(value) // read from afar
  return { text, level: f.level(l), title: `${names}: ${f.text(value)} ${f.unit}` }
}

/** Arrow keys walk through the cells, past that of a node with itself. @param {KeyboardEvent} e */
function walk(e) {
  const step = arrows[e.key]
  const { row, column } = /** @type {HTMLElement} */ (e.target).dataset
  if (!step || row === undefined) return
  e.preventDefault()
  for (let n = 1; n <= 2; n++) {
    const next = /** @type {HTMLElement} */ (e.currentTarget).querySelector(
      `[data-row="${Number(row) + n * step[1]}"][data-column="${Number(column) + n * step[0]}"]`)
    if (next instanceof HTMLElement) return next.focus()
  }
}

/** @param {{from: string, to: string, f: Figure, row: number, column: number}} props */
function CellButton({ from, to, f, row, column }) {
  if (from === to) return html`<span class="cell self" role="cell"></span>`
  const { text, level, title } = cellOf(from, to, f), on = tcm.from === from && tcm.to === to
  return html`<span role="cell" class="slot"><button class="cell ${level} ${on ? 'on' : ''}" title=${title}
    aria-label=${title} aria-pressed=${on} data-link=${`${from} ${to}`} data-row=${row} data-column=${column}
    onClick=${() => select(from, to)}>${text}</button></span>`
}

/** A sender or receiver at the matrix's edge. @param {{entity: string, named: boolean, on: boolean, press: () => void}}
 * props */
function Edge({ entity, named, on, press }) {
  return html`<button class="edge ${on ? 'on' : ''}" aria-pressed=${on} title=${nameOf(entity)} onClick=${press}>
    <${EntityBadge} entity=${entity} />${named && (rests(entity)
      ? html`<span class="dim">substitute</span>` : html`<span>${nameOf(entity)}</span>`)}</button>`
}

function Matrix() {
  const rows = senders(), columns = nodes().map((n) => n.entity), f = figureOf(tcm.figure)
  return html`<div class="matrix-box"><div class="matrix" role="table" aria-label=${`${f.title}, ${f.unit}`}
    onKeyDown=${walk} style=${{ '--columns': columns.length, '--rows': rows.length }}>
    <div role="row" class="line"><span class="corner" role="columnheader">${f.unit}</span>
      ${columns.map((to) => html`<span role="columnheader" key=${to}><${Edge} entity=${to} named=${false}
        on=${!tcm.from && tcm.to === to} press=${() => select('', to)} /></span>`)}</div>
    ${rows.map((from, row) => html`<div role="row" class="line" key=${from}><span role="rowheader">
      <${Edge} entity=${from} named on=${!tcm.to && tcm.from === from} press=${() => select(from, '')} /></span>
      ${columns.map((to, column) => html`<${CellButton} key=${to} from=${from} to=${to} f=${f} row=${row}
        column=${column} />`)}</div>`)}</div></div>`
}

/** The links to the only node, a row each. @param {{node: Shown}} props */
function Listener({ node }) {
  const rows = senders().filter((s) => s !== node.entity), measured = list(node.links).some((l) => l.synced)
  const columns = figures.filter((f) => measured || f.key === 'lost' || f.key === 'rate')
  return html`<div class="matrix-box"><div class="matrix" role="table" aria-label=${`links to ${nameOf(node.entity)}`}
    onKeyDown=${walk} style=${{ '--columns': columns.length, '--rows': rows.length }}>
    <div role="row" class="line"><span class="corner" role="columnheader"></span>${columns.map((f) => html`
      <span role="columnheader" key=${f.key} class="edge"><span>${f.title}, ${f.unit}</span></span>`)}</div>
    ${rows.map((from, row) => html`<div role="row" class="line" key=${from}><span role="rowheader">
      <${Edge} entity=${from} named on=${tcm.from === from} press=${() => select(from, '')} /></span>
      ${columns.map((f, column) => html`<${CellButton} key=${f.key} from=${from}
        to=${node.entity} f=${f} row=${row} column=${column} />`)}</div>`)}
    </div></div>`
}

/** A link with its ends. @typedef {{from: string, to: string, link: ShownLink}} Ends */

/** The links of the selection. @returns {Ends[]} */
const links = () => nodes().filter((n) => !tcm.to || n.entity === tcm.to).flatMap((n) => list(n.links)
  .filter((link) => !tcm.from || link.peer === tcm.from).map((link) => ({ from: link.peer, to: n.entity, link })))

/** The worst link of the selection: one that is silent, or the one with the greatest figure; one of a substitute last.
 * @returns {Ends | undefined} */
function worst() {
  const f = figureOf(tcm.figure)
  const rank = (/** @type {Ends} */ { from, to, link }) => link.up ? Math.abs(f.value(link) ?? -1)
    : rests(from, to) ? -2 : Infinity
  return links().reduce((/** @type {Ends | undefined} */ a, b) => !a || rank(b) > rank(a) ? b : a, undefined)
}

/** Latency and offset of the clocks. @param {ShownLink} l */
function clockFigures(l) {
  const latency = figureOf('latency'), offset = figureOf('offset').text(l.offsetMillis)
  if (!l.synced || !l.up) return ['latency', 'clock offset'].map((label) => ({ value: '–', unit: '', label,
    more: l.up ? 'not measured' : '' }))
  return [{ value: latency.text(l.latencyMillis.p50), unit: 'ms', label: 'latency, median',
    more: `99 % ${latency.text(l.latencyMillis.p99)}, RTT ${latency.text(l.rttMillis)} ms` },
  { value: offset, unit: /[a-z]$/.test(offset) ? '' : 'ms',
    label: `clock offset ± ${l.offsetErrorMillis.toFixed(1)} ms`, more: `drift ${signed(l.driftPPM, 0)} ppm` }]
}

/** @param {ShownLink} l @returns {import('../wall/health.js').Graded[]} */
function linkFigures(l) {
  const [lost, latency, offset] = figures
  const level = (/** @type {Figure} */ f) => f.level(l) && /** @type {const} */ ('warn')
  return [
    { value: l.up ? lost.text(l.lossPercent) : '–', unit: l.up ? '%' : '',
      label: `lost, ${l.lost} of ${l.lost + l.received}`, more: `${l.duplicates} twice, ${l.reordered} late`,
      level: level(lost) },
    ...clockFigures(l).map((g, i) => ({ ...g, level: level(i ? offset : latency) })),
    { value: l.messagesPerSecond.toFixed(0), unit: '/s', label: 'messages', more: byteRate(l.bytesPerSecond),
      level: '' },
  ]
}

/** One link in figures: the selected one, or the worst. */
function Detail() {
  const shown = worst()
  if (!shown) return ''
  const { from, to, link } = shown, chosen = tcm.from === from && tcm.to === to
  const silent = !link.up && !rests(from, to) && `silent for ${withUnit(age(link.silentMillis))}`
  return html`<div class="link" aria-label="one link"><div class="head"><span class="sub">
    ${chosen ? 'link' : 'worst link'}</span><${EntityBadge} entity=${from} /><b>${nameOf(from)}</b>
    ${to !== OBSERVER && html`→ <${EntityBadge} entity=${to} /><b>${nameOf(to)}</b>`}
    ${silent && html`<span class="verdict bad">${silent}</span>`}</div>
    <${Figures} items=${linkFigures(link)} /></div>`
}

export function MatrixPanel() {
  const all = nodes(), f = figureOf(tcm.figure), alone = all.length === 1, [{ entity }] = all
  const about = alone ? entity === OBSERVER ? 'as seen on the network' : `to ${nameOf(entity)}`
    : 'sender at the left'
  return html`<section class="panel links" aria-label="Links"><div class="head"><h2>${alone ? 'Links' : f.title}</h2>
    ${!alone && f.key === 'lost' && html`<${Explain} of="lost" />`}<span class="sub">${about}</span>
    ${!alone && html`<span class="choices" role="group" aria-label="figure" title="next figure (V)">
      ${figures.map(({ key, title, about }) => html`<button class=${key === f.key ? 'on' : ''} aria-pressed=${key === f.key} title=${about}
        onClick=${() => change(tcm, { figure: key })}>${title}</button>`)}</span>`}</div>
    ${alone ? html`<${Listener} node=${all[0]} />` : html`<${Matrix} />`}<${Detail} /></section>`
}
