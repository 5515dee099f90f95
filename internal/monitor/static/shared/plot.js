// The course of any number of a page over time: it is chosen by a click on it or from a list, of several robots at once.
// A page whose server keeps the past asks it; other pages keep what arrives while the plot is open.

/** @import {PlaybackCourse} from '../types' */
/** @import {Candidate, Field} from './fields.js' */
/** @import {Pen} from './canvas.js' */
/** @import {Course} from './curves.js' */
import { colorOf, Mark } from './identity.js'
import { html, useEffect } from '../htm/preact/standalone.module.js'
import { Canvas, redraw } from './canvas.js'
import { saveFile } from './files.js'
import { clock } from './format.js'
import { Choices, textOf } from './inputs.js'
import { isTyping } from './keyboard.js'
import { change, list } from './state.js'
import { errorText, toast } from './stream.js'
import { csvOf, drawCourses, valueAt, valueText } from './curves.js'
import { candidates, names, numbersAt, packetNumbers, pointersIn, readable } from './fields.js'

const ROWS = 200 // of the list
const LONGEST = 40 // letters of a text that is a number with its unit
const AGAIN = 500 // ms between requests of a live session
const SAMPLES = 600 // of the plotted time; the file has up to ALL
const ALL = 4000
const AGAIN_FROM = 5 // s by which time goes back when the program is started again
const SAME = 1e-6 // s between two times that are one
const AWAY = '.away' // behind a topic of the second team
const MOST = 30_000 // points that a page keeps of one robot

/** The time of a page. now: s, the newest; at: the shown time, null while the page shows the present; span: of the
 * past that the server keeps; course: asks for it; seek: shows a time; values: the topics that it shows, where they are
 * not the received ones.
 * @typedef {{now: () => number, values?: () => [string, any][], at?: () => number | null,
 * span?: () => [number, number] | null, seek?: (t: number) => void,
 * course?: (of: Field, from: number, to: number, samples: number) => Promise<PlaybackCourse>}} Times */

const opened = performance.now()

/** @type {Times} */
let times = { now: () => (performance.now() - opened) / 1000 }

/** The newest values of the page's topics, and those that its texts show. @type {Map<string, any>} */
const topics = new Map()
let rendered = new Map(topics)

export const plot = {
  able: false, // the page has numbers to plot
  key: false, // Y opens the plot
  open: false,
  field: /** @type {Field | null} */ (null), // that is plotted
  others: /** @type {Candidate[]} */ ([]), // that show the clicked number, too
  picking: false, // a click on the page chooses a number
  filter: '',
  listed: false, // the list of fields is open
  up: false, // the panel is at the top
  courses: /** @type {Course[]} */ ([]),
  shown: /** @type {Set<string> | null} */ (null), // names of the shown courses; null: all
  seconds: 60, // shown; 0: all
  pointer: /** @type {number | null} */ (null), // s
  asked: false, // a request is under way
  error: '',
}

/** @type {string[]} */
let order = [] // of the topics in the list

/** Lets the user plot the numbers of a page's topics. @param {string[]} of @param {boolean} key with the key Y
 * @param {Times} [at] */
export function allowPlots(of, key, at = times) {
  order = of
  times = at
  Object.assign(plot, { able: true, key })
}

/** Notes a value of a topic. @param {string} topic @param {any} value */
export function notePlot(topic, value) {
  topics.set(topic, value)
  if (plot.open && !times.course) keepOf(topic, value)
}

/** Notes that the page's texts show the newest values now. */
export const noteRendered = () => {
  if (plot.picking) rendered = new Map([...topics, ...times.values?.() ?? []])
}

/** Keeps what a value of a topic adds to the plot. @param {string} topic @param {any} value */
function keepOf(topic, value) {
  const { field } = plot
  if (!field) return
  if (topicOf(field) === topic) keep(numbersAt(value, field.pointer), value?.time ?? times.now())
  if (topic !== `${field.topic}/${field.key}`) return
  for (const [t, v] of packetNumbers(value, names(field.pointer)[0])) keep(new Map([['', v]]), t)
}

/** The page's topics with the values that its texts show. @returns {[string, any][]} */
const shownValues = () => [...rendered].filter(([topic, v]) => v && topic !== 'session' && !topic.includes('/'))
  .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))

/** @param {Field} f */
const topicOf = (f) => f.key ? `${f.topic}.${f.key}` : f.topic

/** Adds a time's values to the courses. @param {Map<string, number>} values @param {number} t s */
function keep(values, t) {
  for (const [name, value] of values) {
    let c = plot.courses.find((c) => c.name === name)
    if (!c) plot.courses.push(c = { name, points: [] })
    if (t < (c.points.at(-1)?.[0] ?? -Infinity) - AGAIN_FROM) c.points = [] // the program was started again
    if (t > (c.points.at(-1)?.[0] ?? -Infinity) + SAME) c.points.push([t, value])
    if (c.points.length > MOST) c.points.shift()
  }
}

/** The shown part of time. @returns {[number, number]} s */
function shownTime() {
  const at = times.at?.() ?? null, span = times.span?.() ?? null
  const newest = Math.max(...plot.courses.map((c) => c.points.at(-1)?.[0] ?? -Infinity)) // on the clock of the values
  const end = at != null ? span?.[1] ?? at : times.course || !Number.isFinite(newest) ? times.now() : newest
  const first = plot.courses.reduce((t, c) => Math.min(t, c.points[0]?.[0] ?? t), end)
  const start = span?.[0] ?? first
  if (!plot.seconds) return [start, Math.max(end, start + 1)]
  if (at == null) return [Math.max(end - plot.seconds, Math.min(start, end - 5)), end]
  const from = Math.max(start, Math.min(at - plot.seconds / 2, end - plot.seconds))
  return [from, from + plot.seconds]
}

let fetched = '' // what the courses are of

/** Asks for the courses of the shown time: all of them, or while the page shows the present, what has happened since. */
async function follow() {
  const { field } = plot
  if (!plot.open || !field || !times.course || plot.asked) return
  const [from, to] = shownTime(), live = times.at?.() == null
  const of = JSON.stringify([field, live ? plot.seconds : [Math.round(from), Math.round(to)]]), more = of === fetched
  if (more && !live) return
  const last = Math.max(...plot.courses.map((c) => c.points.at(-1)?.[0] ?? -Infinity))
  plot.asked = true
  try {
    const { series } = await times.course(field, more && Number.isFinite(last) ? last + 0.01 : from, to, SAMPLES)
    if (plot.field !== field) return
    if (!more) plot.courses = []
    for (const s of list(series)) for (const [t, v] of list(s.points)) keep(new Map([[s.name, v]]), t)
    for (const c of plot.courses) while (live && plot.seconds && c.points[0]?.[0] < from - 1) c.points.shift()
    fetched = of
    plot.error = ''
  } catch (e) {
    plot.error = errorText(e)
  } finally {
    plot.asked = false
    change(plot, {})
  }
}

/** Plots a field; name: the course that the user pointed at, which is shown alone first.
 * @param {Field} field @param {string} [name] @param {Candidate[]} [others] */
export function plotField(field, name, others = []) {
  fetched = ''
  change(plot, { open: true, field, others, picking: false, courses: [], error: '', shown: name ? new Set([name]) : null })
  if (!times.course) for (const topic of [topicOf(field), `${field.topic}/${field.key}`]) keepOf(topic, topics.get(topic))
  void follow()
}

export function togglePlot() {
  if (plot.open) return closePlot()
  change(plot, { open: true, picking: true, listed: false, field: null })
}

export const closePlot = () => change(plot, { open: false, picking: false, field: null, courses: [], others: [] })

/** Whether a course is shown. @param {string} name */
const isShown = (name) => !plot.shown || plot.shown.has(name)

/** Shows or hides a course. @param {string} name */
function toggle(name) {
  const shown = new Set(plot.shown ?? plot.courses.map((c) => c.name))
  if (!shown.delete(name)) shown.add(name)
  change(plot, { shown })
}

/** The text under a point of the window, and the place in it. @param {number} x @param {number} y
 * @returns {{node?: Node | null, at: number}} */
function textUnder(x, y) {
  const place = document.caretPositionFromPoint?.(x, y)
  if (place) return { node: place.offsetNode, at: place.offset }
  const range = document.caretRangeFromPoint?.(x, y)
  return { node: range?.startContainer, at: range?.startOffset ?? 0 }
}

/** The number at which an event points, with the text around it; null without one. @param {MouseEvent} e */
function numberUnder(e) {
  const target = /** @type {Element} */ (e.target)
  if (target.closest('.plot-panel, [data-plots]')) return null
  const { node, at: place } = textUnder(e.clientX, e.clientY)
  const pointed = node?.nodeType === Node.TEXT_NODE && target.contains(node) && /\d/.test(node.textContent ?? '')
  const whole = target.textContent ?? '', text = pointed ? node?.textContent ?? '' : whole.length < LONGEST ? whole : ''
  const at = pointed ? place : 0
  const all = [...text.matchAll(/[−+-]?\d+(\.\d+)?/g)], far = (/** @type {RegExpMatchArray} */ m) =>
    Math.max(m.index ?? 0, Math.min(at, (m.index ?? 0) + m[0].length)) - at
  const found = all.sort((a, b) => Math.abs(far(a)) - Math.abs(far(b)))[0]
  if (!found) return null
  let around = ''
  for (let el = /** @type {Element | null} */ (target), n = 0; el && n < 7; el = el.parentElement, n++) {
    around += ` ${[...el.attributes].map((a) => a.name.startsWith('data-') || a.name.startsWith('aria-') ? a.value : '').join(' ')}`
    if ((el.textContent ?? '').length < 120) around += ` ${el.textContent}`
  }
  return { text: found[0], around }
}

/** Plots the number that the user clicked. @param {MouseEvent} e */
function pick(e) {
  if (!plot.open || !plot.picking) return
  const number = numberUnder(e)
  if (!number) return
  e.preventDefault()
  e.stopPropagation()
  const found = candidates(number.text, number.around, shownValues())
  if (!found.length) return toast(`no field of this page's topics is ${number.text} now: choose one from the list`)
  const [{ topic, pointer, name }] = found
  plotField(fieldOf(topic, pointer), name, found.slice(1, 9))
}
addEventListener('click', pick, true)

/** The field of a topic, which may be that of a match's second team. @param {string} topic @param {string} pointer @returns {Field} */
const fieldOf = (topic, pointer) => topic.endsWith(AWAY) ? { topic: topic.slice(0, -AWAY.length), key: 'away', pointer }
  : { topic, pointer }

/** Closes the plot with Esc; it reports whether the key was for it. @param {KeyboardEvent} e */
export function plotKey(e) {
  if (!plot.open || e.key !== 'Escape' || isTyping(e)) return false
  closePlot()
  e.preventDefault()
  return true
}

/** The list of all fields. */
function FieldList() {
  const words = plot.filter.toLowerCase().split(/\s+/).filter(Boolean)
  const all = shownValues().flatMap(([topic, value]) => pointersIn(value).map((pointer) => ({
    topic, pointer, text: `${topic} › ${readable(pointer)}`, values: [...numbersAt(value, pointer).values()] })))
  const found = all.filter((f) => words.every((w) => f.text.toLowerCase().includes(w)))
  return html`<div class="plot-fields"><div><input type="search" aria-label="filter the fields" value=${plot.filter}
      placeholder=${`or type a name: ${all.length} fields`}
      onInput=${(/** @type {Event} */ e) => change(plot, { filter: textOf(e), listed: true })} />
      <button aria-expanded=${plot.listed} onClick=${() => change(plot, { listed: !plot.listed })}>all fields</button></div>
    ${plot.listed && html`<ul>${found.slice(0, ROWS).map((f) => html`<li key=${f.text}>
      <button onClick=${() => plotField(fieldOf(f.topic, f.pointer))}><span>${f.text}</span>
        <small>${f.values.length > 1 ? `${f.values.length} values` : valueText(f.values[0] ?? NaN)}</small></button></li>`)}
      ${found.length > ROWS && html`<li class="dim">${found.length - ROWS} more: type to filter</li>`}
      ${!all.length && html`<li class="dim">no topic has arrived yet</li>`}</ul>`}</div>`
}

/** The robots, links or senders with their values at the pointer. */
function Names() {
  const t = plot.pointer ?? times.at?.() ?? Infinity, field = readable(plot.field?.pointer ?? '/')
  return html`<div class="plot-names" role="group" aria-label="courses">
    ${plot.courses.map((c, i) => html`<button key=${c.name} class=${isShown(c.name) ? '' : 'off'}
      aria-pressed=${isShown(c.name)} title=${`${isShown(c.name) ? 'hide' : 'show'} ${c.name}`} onClick=${() => toggle(c.name)}>
      <${Mark} number=${i + 1} text=${c.name || field} />
      <b style=${{ color: colorOf(i + 1) }}>${valueText(valueAt(c, t))}</b></button>`)}
    ${plot.courses.length > 1 && html`<button class="quiet" onClick=${() => change(plot, { shown: null })}>all</button>`}</div>`
}

/** Saves the plotted courses, with all samples of the shown time. */
async function save() {
  const { field } = plot
  if (!field) return
  const name = `${topicOf(field)}${field.pointer.replaceAll('/*', '').replaceAll(/[^\w.-]+/g, '-')}.csv`
  try {
    const [from, to] = shownTime()
    const all = times.course ? list((await times.course(field, from, to, ALL)).series) : plot.courses
    const shown = /** @type {Course[]} */ (all.filter((c) => isShown(c.name)))
    saveFile(name, new Blob([csvOf(shown, from, to)], { type: 'text/csv' }))
  } catch (e) {
    toast(errorText(e))
  }
}

/** The time under the pointer in s. @param {PointerEvent} e */
function timeUnder(e) {
  const [from, to] = shownTime(), { left, right } = drawCourses.axis
  return from + (to - from) * Math.min(1, Math.max(0, (e.offsetX - left) / Math.max(1, right - left)))
}

/** Shows the values at a time; null for the newest. @param {number | null} pointer s */
function point(pointer) {
  change(plot, { pointer })
  redraw()
}

function Curves() {
  const draw = (/** @type {Pen} */ pen) => drawCourses(pen, { courses: plot.courses, isShown, range: shownTime(),
    at: times.at?.() ?? null, pointer: plot.pointer, empty: plot.error || (plot.asked ? 'asking' : 'no value in this time') })
  return html`<${Names} /><${Canvas} name="plot" label=${`course of ${readable(plot.field?.pointer ?? '/')}`}
    class=${times.seek ? 'seeks' : ''} draw=${draw} onPointerMove=${(/** @type {PointerEvent} */ e) => point(timeUnder(e))}
    onPointerLeave=${() => point(null)} onPointerDown=${(/** @type {PointerEvent} */ e) => times.seek?.(timeUnder(e))} />`
}

/** Other fields that had the clicked number. */
const Others = () => plot.others.length > 0 && html`<p class="plot-others dim">The same number:
  ${plot.others.map((o) => html`<button class="quiet" key=${o.topic + o.pointer}
    onClick=${() => plotField(fieldOf(o.topic, o.pointer), o.name, plot.others.filter((x) => x !== o))}>
    ${o.topic} › ${readable(o.pointer)}${o.name && ` (${o.name})`}</button>`)}</p>`

const ranges = /** @type {[number, string][]} */ ([[10, '10 s'], [60, '1 min'], [600, '10 min'], [0, 'all']])

/** The buttons of the panel. */
function Actions() {
  const show = (/** @type {number} */ seconds) => {
    change(plot, { seconds })
    void follow()
  }
  const again = () => change(plot, { field: null, picking: true, listed: false, courses: [], others: [] })
  return html`<span class="plot-acts">${plot.field && html`<${Choices} label="shown time" value=${plot.seconds}
      options=${ranges} set=${show} /><button onClick=${save}>CSV</button><button onClick=${again}>another</button>`}
    <button onClick=${() => change(plot, { up: !plot.up })} title=${`move this panel to the ${plot.up ? 'bottom' : 'top'}`}>
      ${plot.up ? '↓' : '↑'}</button>
    <button class="close" onClick=${closePlot}>close <kbd>Esc</kbd></button></span>`
}

/** The panel with the plot, or with the fields to choose from. */
export function PlotPanel() {
  const { open, picking, field, listed, up } = plot, at = times.at?.() ?? null
  useEffect(() => {
    const timer = open && times.course ? setInterval(() => void follow(), AGAIN) : 0
    return () => clearInterval(timer)
  }, [open])
  useEffect(() => {
    document.body.classList.toggle('picks', open && picking)
  })
  if (!open) return ''
  return html`<section class="panel plot-panel ${field || listed ? '' : 'slim'} ${up ? 'up' : ''}" aria-label="Plot of a number">
    <div class="head"><h2>${field ? readable(field.pointer) : 'Plot a number'}</h2>
      <span class="sub">${field ? `${topicOf(field)}${at == null ? '' : `, ${clock(at)}`}` : 'click a number on the page'}</span>
      <${Actions} /></div>
    ${field ? html`<${Curves} /><${Others} />` : html`<${FieldList} />`}</section>`
}

/** The button that opens the plot. */
export const PlotButton = () => plot.able && html`<button class="quiet" data-plots aria-expanded=${plot.open}
  title="plot a number of this page over time" onClick=${togglePlot}>plot${plot.key && html` <kbd>Y</kbd>`}</button>`
