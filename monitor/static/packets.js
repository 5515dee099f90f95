// The last packets of one sender: every field beside its bytes, and what is wrong with them.

/** @import {PacketEntry, PacketView, Tile, WireField, WireIssue} from './types' */
import { clock } from './format.js'
import { html, useEffect, useRef, useState } from './htm/preact/standalone.module.js'
import { change, list, state } from './state.js'
import { Badge } from './tile.js'

const WIDE = 16 // bytes in a line

/** What the eye is on: some bytes. @typedef {{offset: number, len: number} | null} Focus */

/** @param {string} hex @returns {string[]} */
function octets(hex) {
  return hex.match(/[0-9a-f]{2}/gi) ?? []
}

/** Fields of one record share a line: all that stands before the last dot of their names, and padding after them.
 * @param {WireField[]} fields @returns {{name: string, fields: WireField[]}[]} */
function records(fields) {
  /** @type {{name: string, fields: WireField[]}[]} */
  const out = []
  for (const f of fields) {
    const dot = f.name.lastIndexOf('.')
    const last = out.at(-1)
    const name = f.name === 'padding' && last ? last.name : dot < 0 ? '' : f.name.slice(0, dot)
    if (last && last.name === name) last.fields.push(f)
    else out.push({ name, fields: [f] })
  }
  return out
}

/** @param {WireField} f */
const unused = (f) => /^(not used|not known|unused|skipped)$/.test(f.value)

/** A field's name beside that of its record. @param {WireField} f */
const short = (f) => f.name === 'padding' ? 'pad' : f.name.slice(f.name.lastIndexOf('.') + 1)

/** @param {{offset: number, len: number}} a @param {number} byte */
const covers = (a, byte) => byte >= a.offset && byte < a.offset + a.len

/** The field that an issue is about. @param {WireIssue} issue @param {WireField[]} fields @returns {{offset: number, len: number}} */
function about(issue, fields) {
  return fields.find((f) => f.name === issue.field) ?? fields.find((f) => covers(f, issue.offset)) ?? { offset: issue.offset, len: 1 }
}

/** @param {{entry: PacketEntry, eye: Focus, look: (f: Focus) => void}} props */
function Hex({ entry, eye, look }) {
  const bytes = octets(entry.hex)
  const fields = list(entry.fields), marks = list(entry.issues).map((i) => ({ ...about(i, fields), note: i.note }))
  const lines = Array.from({ length: Math.ceil(bytes.length / WIDE) }, (_, i) => i * WIDE)
  /** @type {number[]} */
  const owner = [] // index of the field that each byte belongs to
  fields.forEach((f, i) => bytes.slice(f.offset, f.offset + f.len).forEach((_, k) => owner[f.offset + k] = i))
  const over = (/** @type {PointerEvent} */ e) => {
    const at = /** @type {HTMLElement} */ (e.target).dataset.byte
    if (at !== undefined) look(fields[owner[+at]] ?? { offset: +at, len: 1 })
  }
  const kind = (/** @type {number} */ i) => {
    const m = marks.find((m) => covers(m, i))
    const f = fields[owner[i]]
    return [eye && covers(eye, i) ? 'eye' : '', m ? m.note ? 'note' : 'wrong' : '', f && unused(f) ? 'unused' : '', owner[i] === undefined ? 'loose' : ''].join(' ').trim()
  }
  return html`<div class="hex mono" onPointerOver=${over} onPointerLeave=${() => look(null)}>${lines.map((at) => html`<div>
    <i>${at}</i>${bytes.slice(at, at + WIDE).map((b, k) => html`<span data-byte=${at + k} class=${kind(at + k)}>${b}</span>`)}</div>`)}</div>`
}

/** @param {KeyboardEvent} e */
function walk(e) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key]
  if (!step) return
  const all = [.../** @type {HTMLElement} */ (e.currentTarget).querySelectorAll('button')]
  const at = all.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement))
  all[Math.min(all.length - 1, Math.max(0, at + step))]?.focus()
  e.preventDefault()
}

/** @param {{entry: PacketEntry, eye: Focus, look: (f: Focus) => void}} props */
function Table({ entry, eye, look }) {
  const fields = list(entry.fields), issues = list(entry.issues).map((i) => ({ ...about(i, fields), note: i.note }))
  const cls = (/** @type {WireField} */ f) => {
    const wrong = issues.find((i) => i.offset < f.offset + f.len && f.offset < i.offset + i.len)
    const seen = eye && eye.offset < f.offset + f.len && f.offset < eye.offset + eye.len
    return `${f.name.endsWith('.confidence') ? 'confidence' : ''} ${seen ? 'eye' : ''} ${wrong ? wrong.note ? 'note' : 'wrong' : ''} ${unused(f) ? 'unused' : ''}`
  }
  let first = true
  return html`<div class="records" onKeyDown=${walk} onPointerLeave=${() => look(null)}>${records(fields).map((r) => html`
    <div class="record ${r.name ? '' : 'plain'}"><span class="of mono">${r.name}</span><div>${r.fields.map((f) => {
      const tab = first ? 0 : -1
      first = false
      return html`<button key=${f.offset} tabindex=${tab} data-field=${f.name} class=${cls(f)} onPointerEnter=${() => look(f)} onFocus=${() => look(f)}
        title=${`${f.name}, byte ${f.offset}${f.len > 1 ? ' to ' + (f.offset + f.len - 1) : ''}: ${f.value} ${f.unit}`}>
        <span>${short(f)}</span><b>${unused(f) ? '–' : f.value}</b>${f.unit && !unused(f) && html`<small>${f.unit}</small>`}</button>`
    })}</div></div>`)}</div>`
}

/** @param {{entry: PacketEntry, look: (f: Focus) => void}} props */
function Issues({ entry, look }) {
  const issues = list(entry.issues), fields = list(entry.fields)
  if (!issues.length) return html`<p class="fine">nothing is wrong with this packet</p>`
  return html`<ul class="issues">${issues.map((i) => html`<li class=${i.note ? 'note' : 'wrong'} tabindex="0" onPointerEnter=${() => look(about(i, fields))}
    onPointerLeave=${() => look(null)} onFocus=${() => look(about(i, fields))} onBlur=${() => look(null)}>
    <b>byte ${i.offset}${i.field && html` <span class="mono">${i.field}</span>`}</b> ${i.text} <cite>${i.source}</cite></li>`)}</ul>`
}

/** Minutes, seconds, milliseconds. @param {number} t */
const moment = (t) => `${clock(t)}.${String(Math.floor(t * 1000) % 1000).padStart(3, '0')}`

/** The last packets, newest first. Choosing one keeps it; the first follows the newest.
 * @param {{entries: PacketEntry[], chosen: PacketEntry, pinned: boolean, pick: (e: PacketEntry | null) => void}} props */
function Times({ entries, chosen, pinned, pick }) {
  return html`<div class="times" role="group" aria-label="its last packets"><button class=${pinned ? '' : 'on'} onClick=${() => pick(null)}>newest</button>
    ${entries.slice(0, 9).map((e) => html`<button key=${e.time} class=${`mono ${pinned && e.time === chosen.time ? 'on' : ''} ${list(e.issues).some((i) => !i.note) ? 'wrong' : ''}`}
      title=${`${octets(e.hex).length} bytes, ${list(e.issues).length} issues`} onClick=${() => pick(e)}>${moment(e.time)}</button>`)}</div>`
}

/** What is heading the drawer: a tile's robot, or a row of the network. @param {string} key */
function heading(key) {
  const tile = list(state.wall?.tiles).find((t) => t.key === key)
  const row = list(state.network?.senders).find((s) => s.key === (tile?.sender ?? key))
  return { tile, name: tile?.team ?? row?.team ?? '', addr: row?.addr ?? tile?.sender ?? key }
}

/** @param {{tile: Tile | undefined, name: string, addr: string}} props */
function Head({ tile, name, addr }) {
  return html`<div class="head">${tile && html`<${Badge} ...${tile} />`}<h2>${name || addr}</h2>
    <span class="sub">packets from ${addr}</span>
    <button class="close" onClick=${() => change({ open: '' })}>close <kbd>Esc</kbd></button></div>`
}

/** What a robot heard but did not take into its world, in words; '' for nothing. @param {Tile | undefined} tile */
function leftOut(tile) {
  const left = tile?.left
  if (!left) return ''
  const parts = [
    [left.foreign, 'that are no packages'], [left.otherColor, 'of the other side'], [left.repeated, 'that came twice'],
    [left.stale, 'that came too late'],
  ].filter(([n]) => n).map(([n, what]) => `${n} ${what}`)
  const packets = parts.length ? 'packets: ' + parts.join(', ') : ''
  const candidates = left.unplaced ? `${left.unplaced} candidates of robots that do not know where they are` : ''
  return [packets, candidates].filter(Boolean).join('; ')
}

/** @param {{name: string, view: PacketView | null}} props */
export function Packets({ name, view }) {
  const [eye, look] = useState(/** @type {Focus} */ (null))
  const [pinned, pin] = useState(/** @type {PacketEntry | null} */ (null))
  const held = useRef(/** @type {PacketEntry | null} */ (null)) // what is read stays still
  const box = useRef(/** @type {HTMLElement | null} */ (null))
  useEffect(() => {
    pin(null)
    look(null)
    box.current?.focus()
  }, [name])
  const head = heading(name)
  const entries = view && view.key === (head.tile?.sender ?? name) ? list(view.packets) : []
  if (!eye && !pinned) held.current = entries[0] ?? null
  const entry = pinned ?? held.current
  return html`<aside class="panel drawer" ref=${box} tabindex="-1" aria-label=${`Packets of ${head.name || head.addr}`} data-sender=${view?.key}>
    <${Head} ...${head} />
    ${entry ? html`<${Times} entries=${entries} chosen=${entry} pinned=${!!pinned} pick=${pin} />
    <div class="packet"><div class="bytes"><${Hex} entry=${entry} eye=${eye} look=${look} /></div>
      <div class="about"><p><b>${entry.variant}</b>, ${octets(entry.hex).length} bytes, ${Math.round(entry.sure * 1000) / 10} % sure
        <span class="live">${pinned ? 'kept' : eye ? 'held while you read' : 'newest'}</span></p><p class="dim">${entry.why}</p><${Issues} entry=${entry} look=${look} /></div></div>
    <${Table} entry=${entry} eye=${eye} look=${look} />`
    : html`<p class="empty">no packet of it came in while this was open</p>`}
    ${leftOut(head.tile) && html`<p class="left-out">This robot left out of what it heard: ${leftOut(head.tile)}</p>`}
  </aside>`
}
