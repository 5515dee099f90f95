// The robots' disagreement in the last minute, with the session's events.

/** @import {Mark} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {Axis} from '../shared/timeline.js' */
import { distance, withUnit } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { colors, fonts } from '../shared/theme.js'
import { drawHaloed, drawMarks, LABELS, Timeline } from '../shared/timeline.js'
import { limits } from './health.js'
import { HISTORY, live } from './state.js'

const TOP = 1 // m at the strip's upper edge, at least
const limit = limits.ballError

/** @returns {[number, number]} */
function range() {
  const now = live.wall?.time ?? 0
  return [now - HISTORY, now]
}

/** The height of a spread. A square root shows centimetres as well as metres. @param {number} h px
 * @returns {(metres: number) => number} */
function scale(h) {
  const top = Math.max(TOP, ...live.history.map((m) => Math.min(2, m.spread ?? 0)))
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
  const { g, w, h } = pen, y = scale(h)
  g.strokeStyle = colors.hair
  g.lineWidth = 1
  g.beginPath()
  for (const metres of [0.1, 0.5]) {
    g.moveTo(0, Math.round(y(metres)) + 0.5)
    g.lineTo(w, Math.round(y(metres)) + 0.5)
  }
  g.stroke()
  drawCurve(g, axis, y, h)
  const marks = list(live.wall?.marks).filter((m) => m.time > axis.from).map(markOf)
  for (const { t, kind, label } of drawMarks(g, axis, h, marks)) pen.drawn.push({ glyph: 'mark', kind, text: label,
    x: axis.x(t), y: LABELS })
  g.fillStyle = colors.dim
  g.font = fonts.small
  g.textBaseline = 'alphabetic'
  g.textAlign = 'left'
  drawHaloed(g, '½ m', 3, y(0.5) - 4)
  if (y(0.1) < h - 18) drawHaloed(g, '10 cm', 3, y(0.1) - 4)
  drawHaloed(g, '60 s ago', 3, h - 4)
  g.textAlign = 'right'
  drawHaloed(g, 'now', w - 3, h - 4)
  pen.drawn.push({ glyph: 'curve', x: axis.x(live.history[0]?.t ?? axis.to), y: 0, samples: live.history.length })
}

/** Fills the area under the curve: grey while the robots agree, amber and red above the limits.
 * @param {CanvasRenderingContext2D} g @param {Axis} axis @param {(m: number) => number} y @param {number} h */
function drawCurve(g, axis, y, h) {
  const { history } = live
  const area = new Path2D()
  for (let i = 0; i < history.length;) {
    let end = history[i].t
    area.moveTo(axis.x(end), h)
    for (; i < history.length && history[i].t - end < 1; i++) { // a second without data interrupts the curve
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
  const m = live.history.reduce((a, b) => Math.abs(b.t - t) < Math.abs(a.t - t) ? b : a, live.history[0])
  if (!m || Math.abs(m.t - t) > 1 || m.spread == null) return null
  return { t: m.t, text: `${withUnit(distance(m.spread))}, ${(axis.to - m.t).toFixed(0)} s ago` }
}

export function Strip() {
  return html`<footer><div class="title"><b>Disagreement</b><span>spread of the robots’ balls</span></div>
    <${Timeline} name="strip" label="Spread of the robots' balls over the last minute" range=${range} draw=${drawStrip}
      at=${at} /></footer>`
}
