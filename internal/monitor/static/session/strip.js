// The robots' disagreement, with the session's events: the last minute, or while the page shows the past, the whole
// session. Pointing at it shows that time. Robots that only cameras see tell no balls: their strip has the events alone.

/** @import {Mark, PlaybackSample} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {Axis} from '../shared/timeline.js' */
import { drawHaloed, textStyle } from '../shared/draw.js'
import { clock, distance, withUnit } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { noteAt, noteMarks } from '../shared/notes.js'
import { rerender } from '../shared/page.js'
import { change, list } from '../shared/state.js'
import { colors, fonts } from '../shared/theme.js'
import { drawCursor, drawMarks, LABELS, Timeline } from '../shared/timeline.js'
import { limits } from '../wall/health.js'
import { HISTORY, isSilent, live } from '../wall/state.js'
import { Controls } from './controls.js'
import { isPast, past, pointAt } from './past.js'

const TOP = 1 // m at the strip's upper edge, at least
const limit = limits.ballError

/** @returns {[number, number]} */
function range() {
  const now = live.wall?.time ?? 0, { session } = past
  return isPast() && session ? [session.from, Math.max(session.to, session.from + 1)] : [now - HISTORY, now]
}

/** The curve. @returns {PlaybackSample[]} */
const curve = () => isPast() ? list(past.strip?.samples) : live.history

/** The height of a spread. A square root shows centimetres as well as metres. @param {number} h px
 * @returns {(metres: number) => number} */
function scale(h) {
  const top = curve().reduce((most, m) => Math.max(most, Math.min(2, m.spread ?? 0)), TOP)
  return (metres) => h - Math.sqrt(Math.min(1, metres / top)) * (h - LABELS - 2)
}

/** @param {Mark} m */
function markOf(m) {
  const off = m.kind === 'off', kick = m.kind === 'kick'
  return {
    t: m.time, text: m.text, kind: m.kind, rank: off ? 1 : 0, color: off ? colors.bad : kick ? colors.ball : colors.ink,
    ink: off ? colors.bad : kick ? colors.dim : colors.ink, glyph: kick ? /** @type {const} */ ('disc')
      : /** @type {const} */ ('square'),
  }
}

/** @param {Pen} pen @param {Axis} axis */
function drawStrip(pen, axis) {
  const { g, w, h } = pen, y = scale(h), metres = isSilent() ? [] : [0.1, 0.5]
  g.strokeStyle = colors.hair
  g.lineWidth = 1
  g.beginPath()
  for (const m of metres) {
    g.moveTo(0, Math.round(y(m)) + 0.5)
    g.lineTo(w, Math.round(y(m)) + 0.5)
  }
  g.stroke()
  drawCurve(g, axis, y, h)
  const marks = list(isPast() ? past.strip?.marks : live.wall?.marks).filter((m) => m.time > axis.from).map(markOf)
  const all = [...marks, ...isPast() ? noteMarks().map((m) => ({ ...m, kind: 'note' })) : []]
  for (const { t, kind, label } of drawMarks(g, axis, h, all)) pen.drawn.push({ glyph: 'mark', kind, text: label,
    x: axis.x(t), y: LABELS })
  g.fillStyle = colors.ink // the curve may be beneath
  textStyle(g, fonts.small, 'left', 'alphabetic')
  for (const m of metres) if (m > 0.1 || y(m) < h - 18) drawHaloed(g, m > 0.1 ? '½ m' : '10 cm', 3, y(m) - 4)
  drawHaloed(g, isPast() ? clock(axis.from) : '60 s ago', 3, h - 4)
  g.textAlign = 'right'
  drawHaloed(g, isPast() ? clock(axis.to) : 'now', w - 3, h - 4)
  pen.drawn.push({ glyph: 'curve', x: axis.x(curve()[0]?.t ?? axis.to), y: 0, samples: curve().length })
  if (live.at == null) return
  const x = axis.x(live.at)
  drawCursor(g, x, h)
  pen.drawn.push({ glyph: 'shown', x, y: 0 })
}

/** Fills the area under the curve: grey while the robots agree, amber and red above the limits.
 * @param {CanvasRenderingContext2D} g @param {Axis} axis @param {(m: number) => number} y @param {number} h */
function drawCurve(g, axis, y, h) {
  const history = curve(), area = new Path2D()
  const gap = Math.max(1, 3 * (axis.to - axis.from) / Math.max(1, history.length)) // s without data interrupt the curve
  for (let i = 0; i < history.length;) {
    let end = history[i].t
    area.moveTo(axis.x(end), h)
    for (; i < history.length && history[i].t - end < gap; i++) {
      end = history[i].t
      area.lineTo(axis.x(end), y(history[i].spread ?? 0))
    }
    area.lineTo(axis.x(end), h)
  }
  for (const [color, from, to] of /** @type {[string, number, number][]} */ ([[colors.dim, 0, limit[0]],
    [colors.warn, limit[0], limit[1]], [colors.bad, limit[1], 99]])) {
    g.save()
    g.beginPath()
    g.rect(0, y(to), axis.x(history.at(-1)?.t ?? axis.from), y(from) - y(to))
    g.clip()
    g.globalAlpha = from ? 0.7 : 0.35
    g.fillStyle = color
    g.fill(area)
    g.restore()
  }
}

/** The sample nearest to a time. @param {number} t @param {Axis} axis */
function at(t, axis) {
  const note = isPast() && noteAt(t, axis)
  if (note) return { t: note.from, text: note.text }
  const samples = curve()
  const m = samples.reduce((a, b) => Math.abs(b.t - t) < Math.abs(a.t - t) ? b : a, samples[0])
  if (!m || Math.abs(m.t - t) > Math.max(1, (axis.to - axis.from) / 100) || m.spread == null) return null
  const when = isPast() ? `at ${clock(t)}` : `${(axis.to - m.t).toFixed(0)} s ago`
  return { t: m.t, text: `${withUnit(distance(m.spread))}, ${when}` }
}

/** A small window shows the strip folded, unless the user opens it. */
const small = matchMedia('(max-width: 820px), (max-height: 520px)')
const fold = { opened: false }
small.addEventListener('change', rerender)

export function Strip() {
  const folded = small.matches && !fold.opened && !isPast(), silent = isSilent()
  return html`<footer class=${folded ? 'folded' : ''}><${Controls} />${small.matches && !isPast() && html`<button class="fold"
      aria-expanded=${!folded} aria-label=${silent ? 'events of the last minute' : 'disagreement of the last minute'}
      onClick=${() => change(fold, { opened: !fold.opened })}>${folded ? '▴' : '▾'}</button>`}
    ${!folded && html`<${Timeline} name="strip" range=${range}
      label=${`${silent ? 'Events of the game' : "Spread of the robots' balls"}; click to show that time`}
      draw=${drawStrip} at=${at} seek=${past.session ? pointAt : undefined} />`}</footer>`
}
