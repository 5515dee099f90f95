// One packet: its bytes, its fields and its issues. Pointing at one of them highlights the others.

/** @import {WireField, WireIssue} from '../types' */
import { clock, signed } from './format.js'
import { html, useEffect, useRef, useState } from '../htm/preact/standalone.module.js'
import { escaped } from './fields.js'
import { plotField } from './plot.js'
import { list } from './state.js'

const WIDE = 16 // bytes in a line

/** Some bytes of a packet. @typedef {{offset: number, len: number}} Span
 * @typedef {{hex: string, fields: WireField[] | null, issues: WireIssue[] | null}} Packet
 * @typedef {{packet: Packet, focus: Span | null, setFocus: (s: Span | null) => void, of?: {topic: string, key?: string, name?: string}}} Props focus: the bytes that are
 * pointed at; of: the topic, the key of the sender and its name in plots of fields */

/** @param {string} hex @returns {string[]} */
export const octets = (hex) => hex.match(/[0-9a-f]{2}/gi) ?? []

/** Groups fields into records, a line each, by the name before the last dot. The length of a nested message starts its
 * record; padding belongs to the record before it.
 * @param {WireField[]} fields @returns {{name: string, fields: WireField[]}[]} */
function records(fields) {
  /** @type {{name: string, fields: WireField[]}[]} */
  const out = []
  fields.forEach((f, i) => {
    const dot = f.name.lastIndexOf('.'), last = out.at(-1), nests = fields[i + 1]?.name.startsWith(f.name + '.')
    const name = f.name === 'padding' && last ? last.name : nests ? f.name : dot < 0 ? '' : f.name.slice(0, dot)
    if (last && last.name === name) last.fields.push(f)
    else out.push({ name, fields: [f] })
  })
  return out
}

/** @param {WireField} f */
const unused = (f) => /^(unused|unknown|skipped)$/.test(f.value)

/** The units that the page writes in SI units or degrees beside them: factor, unit and digits.
 * @type {Record<string, [number, string, number]>} */
const readable = {
  mm: [1e-3, 'm', 2], 'mm/s': [1e-3, 'm/s', 2], mrad: [0.18 / Math.PI, '°', 1], 'mrad/s': [0.18 / Math.PI, '°/s', 1],
  rad: [180 / Math.PI, '°', 1], 'rad/s': [180 / Math.PI, '°/s', 1],
}

/** A field's value as people read it, for example -4.94 m; '' where it is the value itself. @param {WireField} f */
function readBack(f) {
  const [factor, unit, digits] = readable[f.unit] ?? [], value = Number(f.value)
  return factor && Number.isFinite(value) ? `${signed(value * factor, digits)} ${unit}` : ''
}

/** @typedef {{name: string, fields: WireField[]}} Group */

/** Joins neighbouring records without any value. @param {Group[]} all @returns {(Group & {unused: boolean})[]} */
function folded(all) {
  /** @type {(Group & {unused: boolean})[]} */
  const out = []
  for (const r of all) {
    const empty = r.name !== '' && r.fields.every(unused), last = out.at(-1)
    if (empty && last?.unused) Object.assign(last, { name: `${last.name.split(' to ')[0]} to ${r.name}`,
      fields: [...last.fields, ...r.fields] })
    else out.push({ ...r, unused: empty })
  }
  return out
}

/** A field's name within its record. @param {WireField} f */
const shortName = (f) => f.name === 'padding' ? 'pad' : f.name.slice(f.name.lastIndexOf('.') + 1)

/** @param {Span} a @param {Span} b */
const overlap = (a, b) => a.offset < b.offset + b.len && b.offset < a.offset + a.len

/** The bytes that an issue is about. @param {WireIssue} issue @param {WireField[]} fields @returns {Span} */
function spanOf(issue, fields) {
  const at = { offset: issue.offset, len: 1 }
  return fields.find((f) => f.name === issue.field) ?? fields.find((f) => overlap(f, at)) ?? at
}

/** The issues' bytes with their level. @param {Packet} packet */
const marked = (packet) => list(packet.issues).map((i) => ({ ...spanOf(i, list(packet.fields)),
  level: i.note ? 'note' : 'wrong' }))

/** @param {Props} props */
function Hex({ packet, focus, setFocus }) {
  const bytes = octets(packet.hex), fields = list(packet.fields), marks = marked(packet)
  const lines = Array.from({ length: Math.ceil(bytes.length / WIDE) }, (_, i) => i * WIDE)
  /** @type {number[]} */
  const owner = [] // index of the field that each byte belongs to
  fields.forEach((f, i) => bytes.slice(f.offset, f.offset + f.len).forEach((_, k) => owner[f.offset + k] = i))
  const over = (/** @type {PointerEvent} */ e) => {
    const at = /** @type {HTMLElement} */ (e.target).dataset.byte
    if (at !== undefined) setFocus(fields[owner[+at]] ?? { offset: +at, len: 1 })
  }
  const style = (/** @type {number} */ offset) => {
    const byte = { offset, len: 1 }, f = fields[owner[offset]]
    return [focus && overlap(focus, byte) ? 'eye' : '', marks.find((m) => overlap(m, byte))?.level ?? '',
      f && unused(f) ? 'unused' : '', f ? '' : 'loose'].join(' ').trim()
  }
  return html`<div class="hex mono" onPointerOver=${over} onPointerLeave=${() => setFocus(null)}>
    ${lines.map((at) => html`<div>
    <i>${at}</i>${bytes.slice(at, at + WIDE).map((b, k) => html`<span data-byte=${at + k} class=${style(at + k)}>${b}
      </span>`)}</div>`)}</div>`
}

/** Arrow keys walk through the fields. @param {KeyboardEvent} e */
function walk(e) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key]
  if (!step) return
  const all = [.../** @type {HTMLElement} */ (e.currentTarget).querySelectorAll('button')]
  const at = all.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement))
  all[Math.min(all.length - 1, Math.max(0, at + step))]?.focus()
  e.preventDefault()
}

/** Records without any value in one line. @param {{group: Group, setFocus: (s: Span | null) => void,
 * show: () => void}} props */
function Unused({ group: { name, fields }, setFocus, show }) {
  const last = fields[fields.length - 1], offset = fields[0].offset, end = last.offset + last.len
  const point = () => setFocus({ offset, len: end - offset })
  return html`<div class="record folded"><button class="unused" onClick=${show} onPointerEnter=${point}
    onFocus=${point} title="show these records"><span class="mono">${name}</span> unused, bytes ${offset} to ${end - 1}
    </button></div>`
}

/** @param {Props} props */
function Fields({ packet, focus, setFocus, of }) {
  const [all, setAll] = useState(false) // also the records without any value
  const fields = list(packet.fields), marks = marked(packet)
  const style = (/** @type {WireField} */ f) =>
    `${f.name.endsWith('.confidence') ? 'confidence' : ''} ${focus && overlap(focus, f) ? 'eye'
    : ''} ${marks.find((m) => overlap(m, f))?.level ?? ''} ${unused(f) ? 'unused' : ''}`
  const title = (/** @type {WireField} */ f) =>
    `${f.name}, byte ${f.offset}${f.len > 1 ? ' to ' + (f.offset + f.len - 1) : ''}: ${f.value} ${f.unit}`
  const press = (/** @type {WireField} */ f) => of && Number.isFinite(Number(f.value)) && (() =>
    plotField({ topic: of.topic, key: of.key, pointer: `/${escaped(f.name)}` }, of.name))
  return html`<div class="records" onKeyDown=${walk} onPointerLeave=${() => setFocus(null)}>
    ${(all ? records(fields).map((r) => ({ ...r, unused: false })) : folded(records(fields))).map((r) => r.unused
    ? html`<${Unused} key=${r.name} group=${r} setFocus=${setFocus} show=${() => setAll(true)} />` : html`
    <div key=${r.name + r.fields[0].offset} class="record ${r.name ? '' : 'plain'}">
      <span class="of mono">${r.name}</span>
      <div>${r.fields.map((f) => html`<button key=${f.offset} tabindex=${f === fields[0] ? 0 : -1}
      data-field=${f.name} class=${style(f)} title=${title(f) + (press(f) ? '; click to plot it' : '')} onClick=${press(f)} onPointerEnter=${() => setFocus(f)}
        onFocus=${() => setFocus(f)}>
      <span>${f.name === r.name ? '' : shortName(f)}</span><b>${unused(f) ? '–' : f.value}</b>
        ${f.unit && !unused(f) && html`<small>${f.unit}</small>`}
        ${readBack(f) && html`<i>${readBack(f)}</i>`}</button>`)}</div></div>`)}
    ${all && html`<div class="record folded"><button onClick=${() => setAll(false)}>fold unused records</button></div>`}
    </div>`
}

/** @param {Props} props */
function Issues({ packet, setFocus }) {
  const issues = list(packet.issues), fields = list(packet.fields)
  if (!issues.length) return html`<p class="fine">no issues</p>`
  return html`<ul class="issues">${issues.map((i) => {
    const focusIt = () => setFocus(spanOf(i, fields)), blur = () => setFocus(null)
    return html`<li class=${i.note ? 'note' : 'wrong'} tabindex="0" onPointerEnter=${focusIt} onPointerLeave=${blur}
      onFocus=${focusIt} onBlur=${blur}>
      <b>byte ${i.offset}${i.field && html` <span class="mono">${i.field}</span>`}</b> ${i.text} <cite>${i.source}
        </cite></li>`
  })}</ul>`
}

/** A packet's bytes beside its issues, its fields beneath.
 * @param {Props & {children?: unknown}} props children: what stands above the issues */
export function PacketView({ children, ...props }) {
  return html`<div class="packet"><div class="bytes"><${Hex} ...${props} /></div><div class="about">${children}
    <${Issues} ...${props} /></div></div><${Fields} ...${props} />`
}

const CHOICES = 9 // entries to choose from

/** Minutes, seconds, milliseconds. @param {number} t */
const timestamp = (t) => `${clock(t)}.${String(Math.floor(t * 1000) % 1000).padStart(3, '0')}`

/** A packet with its time. @typedef {{time: number, hex: string, issues: WireIssue[] | null}} Entry */

/** Chooses one of the newest entries: the newest, the one at which the user points, or the one that the user pinned. of: their source. @template {Entry} E @param {string} of @param {E[]} entries newest first */
export function useShown(of, entries) {
  const [focus, setFocus] = useState(/** @type {Span | null} */ (null))
  const [pinned, pin] = useState(/** @type {E | null} */ (null))
  const held = useRef(/** @type {E | null} */ (null))
  useEffect(() => {
    pin(null)
    setFocus(null)
  }, [of])
  if (!focus && !pinned) held.current = entries[0] ?? null
  return { shown: pinned ?? held.current, pinned, pin, focus, setFocus, state: pinned ? 'pinned' : focus ? 'held' : 'newest' }
}

/** The times of the newest entries, to pin one; "newest" follows the stream.
 * @param {{entries: Entry[], pinned: Entry | null, pin: (e: any) => void}} props */
export function Times({ entries, pinned, pin }) {
  return html`<div class="times" role="group" aria-label="last packets"><button class=${pinned ? '' : 'on'}
    onClick=${() => pin(null)}>newest</button>
    ${entries.slice(0, CHOICES).map((e) => html`<button key=${e.time}
      class=${`mono ${e.time === pinned?.time ? 'on' : ''} ${list(e.issues).some((i) => !i.note) ? 'wrong'
      : ''}`}
      title=${`${octets(e.hex).length} bytes, ${list(e.issues).length} issues`} onClick=${() => pin(e)}>
        ${timestamp(e.time)}</button>`)}</div>`
}
