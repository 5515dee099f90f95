// A log's timeline: the rate of each team's worldstates, the events, and the shown time.

/** @import {MatchlogEvent, MatchlogSummary} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {Axis} from '../shared/timeline.js' */
import { html } from '../htm/preact/standalone.module.js'
import { REQUIRED } from '../refbox/rates.js'
import { clock } from '../shared/format.js'
import { list } from '../shared/state.js'
import { noteAt, noteMarks, notesKey } from '../shared/notes.js'
import { colors } from '../shared/theme.js'
import { drawCursor, drawMarks, LABELS, Timeline } from '../shared/timeline.js'

const TOP = 30 // worldstates a second at the outer edge of a team's strip
const NEAR = 6 // px around the pointer in which it finds an event
const LABELLED = 2 // events of this rank and above get a line and a label

/** The shape and the rank of each kind of event. @type {Record<string, {shape: string, rank: number}>} */
export const kinds = {
  goal: { shape: '●', rank: 4 }, card: { shape: '▮', rank: 3 }, part: { shape: '▌', rank: 2 },
    command: { shape: '·', rank: 1 }, event: { shape: '▴', rank: 0 }, note: { shape: '!', rank: 1 },
  reset: { shape: '▌', rank: 2 }, restore: { shape: '▌', rank: 2 }, referee: { shape: '·', rank: 1 }, // of a simulator
}

/** @param {MatchlogEvent} e */
const rankOf = (e) => kinds[e.kind]?.rank ?? 0

/** A line about a message that a team's file does not hold as it was sent: team, consequence and reason. */
const FAULT = /^Message of (.+) at \d+ ms: (?:(its record holds the empty worldstate): )?(.*)$/s

/** An event's text with the team's name. A faulty message names its team and the reason first; its time is the event's.
 * @param {MatchlogSummary} info @param {MatchlogEvent} e */
export function eventText(info, e) {
  const name = e.side === 'home' ? info.home : e.side === 'away' ? info.away : ''
  const fault = e.kind === 'note' && FAULT.exec(e.text)
  if (fault) return `${fault[1]}: ${fault[3]}${fault[2] ? '; ' + fault[2] : ''}`
  const text = e.kind === 'event' && /^(Event)?\s*$/.test(e.text) ? 'event without a name' : e.text
  return name && !text.includes(name) ? `${text}, ${name}` : text
}

/** When an event's command left for the teams: short, and in full. @param {MatchlogSummary} info
 * @param {MatchlogEvent} e @returns {[string, string]} */
export function leftText(info, e) {
  if (!e.left) return ['', '']
  const { home, away, why } = e.left, known = [home, away].filter((ms) => ms != null)
  const to = (/** @type {string} */ name, /** @type {number | null} */ ms) =>
    ms == null ? '' : `${name} after ${Math.round(ms)} ms`
  const full = [to(info.home, home), to(info.away, away)].filter(Boolean).join(', ')
  return [why ? 'not sent' : `${Math.round(Math.max(...known))} ms`,
    (full && `; sent to ${full}`) + (why && `; not sent to a team: ${why}`)]
}

/** Whether the log has no worldstate of a team, as far as it is read. @param {MatchlogSummary} info
 * @param {'home' | 'away'} side */
export const absent = (info, side) => info.ready === 1 && !list(info.rates?.[side]).some((n) => n > 0)

/** The background is drawn once for each size: twenty thousand events are too many for every frame.
 * @type {{key: string, canvas: HTMLCanvasElement}} */
const background = { key: '', canvas: document.createElement('canvas') }

/** @param {Pen} pen @param {Axis} axis @param {MatchlogSummary} info */
function drawBackground({ w, h }, axis, info) {
  const d = devicePixelRatio || 1
  const key = [info.name, info.ready, info.end, list(info.events).length, w, h, d, colors.theme, notesKey()].join()
  if (background.key === key) return
  background.key = key
  background.canvas.width = Math.ceil(w * d)
  background.canvas.height = Math.ceil(h * d)
  const g = /** @type {CanvasRenderingContext2D} */ (background.canvas.getContext('2d'))
  g.scale(d, d)
  const middle = (LABELS + h) / 2, half = (h - LABELS) / 2 - 8
  drawRates(g, info, w, middle, half, 1)
  drawRates(g, info, w, middle, half, -1)
  drawEvents(g, axis, info, h, middle)
}

/** Draws one team's strip: home above the middle, away below. @param {CanvasRenderingContext2D} g
 * @param {MatchlogSummary} info @param {number} w @param {number} middle @param {number} half @param {1 | -1} up */
function drawRates(g, info, w, middle, half, up) {
  const side = up > 0 ? 'home' : 'away', rates = list(info.rates?.[side]), never = absent(info, side)
  const n = Math.max(1, (info.end - info.start) / 1000)
  for (let x = 0; x < w; x++) {
    const from = Math.floor(x / w * n), to = Math.max(from + 1, Math.floor((x + 1) / w * n))
    let least = Infinity // a pixel shows its worst second
    for (let i = from; i < to && i < rates.length; i++) least = Math.min(least, rates[i])
    if (least === Infinity) continue
    const height = Math.max(1.5, half * Math.min(1, least / TOP))
    g.fillStyle = never ? colors.hair : least < REQUIRED ? colors.bad : up > 0 ? colors.cyan : colors.magenta
    g.globalAlpha = least < REQUIRED ? 0.75 : 0.5
    g.fillRect(x, up > 0 ? middle - height : middle, 1, height)
  }
  g.globalAlpha = 1
}

/** @param {CanvasRenderingContext2D} g @param {Axis} axis @param {MatchlogSummary} info @param {number} h
 * @param {number} middle */
function drawEvents(g, axis, info, h, middle) {
  /** @type {Map<number, MatchlogEvent>} the event of the highest rank of each pixel */
  const shown = new Map()
  for (const e of list(info.events)) {
    const x = Math.round(axis.x(e.t)), other = shown.get(x)
    if (!other || rankOf(e) > rankOf(other)) shown.set(x, e)
  }
  const events = [...shown.values()], color = (/** @type {MatchlogEvent} */ e) => e.kind === 'card' ? colors.warn
    : e.kind === 'event' ? colors.dim : colors.ink
  for (const e of events) {
    if (rankOf(e) >= LABELLED) continue
    g.fillStyle = color(e)
    g.fillRect(axis.x(e.t) - 0.5, e.side === 'home' ? middle - 8 : e.side === 'away' ? middle : middle - 4, 1, 8)
  }
  drawMarks(g, axis, h, [...events.filter((e) =>
    rankOf(e) >= LABELLED).map((e) => ({ t: e.t, text: `${kinds[e.kind].shape} ${eventText(info, e)}`, rank: rankOf(e),
    color: color(e) })), ...noteMarks()])
}

/** @param {Pen} pen @param {Axis} axis @param {MatchlogSummary} info @param {number} t the shown time */
function draw(pen, axis, info, t) {
  const { g, w, h } = pen, x = axis.x(t)
  drawBackground(pen, axis, info)
  g.drawImage(background.canvas, 0, 0, w, h)
  drawCursor(g, x, h)
  pen.drawn.push({ glyph: 'now', x, y: 0, samples: list(info.events).length })
}

/** A time, with the most important event near it. @param {number} t @param {Axis} axis @param {MatchlogSummary} info */
function describe(t, axis, info) {
  const [first] = list(info.events).filter((e) => Math.abs(axis.x(e.t) - axis.x(t)) < NEAR).sort((a, b) =>
    rankOf(b) - rankOf(a))
  const what = noteAt(t, axis)?.text ?? (first && eventText(info, first))
  return { t, text: clock((t - info.start) / 1000) + (what ? `  ${what}` : '') }
}

/** @param {{info: MatchlogSummary, t: number, seek: (t: number) => void}} props t: the shown time */
export function LogTimeline({ info, t, seek }) {
  return html`<${Timeline} name="timeline"
    label=${`timeline; ${clock((t - info.start) / 1000)} of ${clock((info.end - info.start) / 1000)}`}
    range=${() => [info.start, info.end]}
    draw=${(/** @type {Pen} */ pen, /** @type {Axis} */ axis) => draw(pen, axis, info, t)}
      at=${(/** @type {number} */ at, /** @type {Axis} */ axis) => describe(at, axis, info)} seek=${seek} />`
}
