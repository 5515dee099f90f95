// Charts on a canvas: rules with their values, and curves over time.

/** @import {Pen} from './canvas.js' */
import { Canvas } from './canvas.js'
import { line, textStyle } from './draw.js'
import { html } from '../htm/preact/standalone.module.js'
import { colors, fonts, sizes } from './theme.js'
import { axisOf, drawTimes } from './timeline.js'

/** The distance between round values of an axis: 1, 2 or 5 times a power of ten, at most so many in a range.
 * @param {number} range @param {number} most */
export function stepOf(range, most) {
  const ten = 10 ** Math.floor(Math.log10(range / most))
  return [1, 2, 5].map((k) => k * ten).find((s) => range / s <= most) ?? 10 * ten
}

/** The round values between two values. @param {number} from @param {number} to @param {number} step */
export const roundValues = (from, to, step) => Array.from({ length: Math.max(0, Math.floor(to / step) - Math.ceil(from / step) + 1) },
  (_, i) => (Math.ceil(from / step) + i) * step)

/** A horizontal line of a chart, with its text at the left. strong: the line of zero.
 * @typedef {{y: number, text: string, strong?: boolean}} Rule */

/** Draws the rules of a chart. @param {CanvasRenderingContext2D} g @param {number} left px @param {number} right px
 * @param {Rule[]} rules */
export function drawRules(g, left, right, rules) {
  textStyle(g, fonts.small, 'right')
  for (const { y, text, strong } of rules) {
    g.fillStyle = strong ? colors.dim : colors.hair
    g.fillRect(left, Math.round(y), right - left, 1)
    g.fillStyle = colors.dim
    g.fillText(text, left - 5, y)
  }
}

/** The width in px that the text of a rule needs. @param {CanvasRenderingContext2D} g @param {string} text the longest */
export function gutterOf(g, text) {
  g.font = fonts.small
  return g.measureText(text).width + 8
}

/** A value at a time in s; null interrupts the curve. @typedef {{t: number, value: number | null}} Point */

const GAP = 3 // s without a value that interrupt a curve

/** Draws a curve, each part in the colour of its later value. @param {CanvasRenderingContext2D} g @param {Point[]} points
 * @param {(t: number) => number} x px @param {(value: number) => number} y px @param {(value: number) => string} color */
export function drawValues(g, points, x, y, color) {
  g.lineJoin = 'round'
  points.forEach((p, i) => {
    const before = points[i - 1]
    if (p.value == null || before?.value == null || p.t - before.t > GAP) return
    g.strokeStyle = color(p.value)
    line(g, [x(before.t), y(before.value)], [x(p.t), y(p.value)])
  })
}

/** A curve over the seconds before now. top: value at the upper edge, at least; most: values above it are drawn at the
 * upper edge; limit: a value with a red line; band: values between which the curve should be; bad: a value that is drawn in
 * red; beside: a second, paler curve.
 * @typedef {{points: Point[], now: number, seconds: number, top: number, most?: number, unit: string, limit?: number,
 * band?: [number, number], beside?: Point[], bad: (value: number) => boolean}} Curve */

/** @param {Pen} pen @param {Curve} curve */
export function drawCurve({ g, w, h, drawn }, { points, now, seconds, top, most, unit, limit, band, beside = [], bad }) {
  const under = sizes.small + 8, highest = Math.max(top, ...[...points, ...beside].map((p) => p.value ?? 0))
  const edge = most !== undefined && highest >= most ? most : highest * 1.08
  const step = stepOf(edge, 4), digits = step < 1 ? 1 : 0, left = gutterOf(g, edge.toFixed(digits))
  const axis = axisOf(now - seconds, now, left, w)
  const y = (/** @type {number} */ v) => h - under - (h - under - sizes.small / 2) * Math.min(1, v / edge)
  if (band) {
    g.fillStyle = colors.pitch
    g.fillRect(left, y(band[1]), w - left, y(band[0]) - y(band[1]))
  }
  drawRules(g, left, w, roundValues(0, edge, step).map((v) => ({ y: y(v), text: v.toFixed(digits) })))
  const text = (/** @type {number} */ back) => back ? `${back} s ago` : `now, ${unit}`
  const narrow = [seconds, seconds / 2, 0].reduce((sum, back) => sum + g.measureText(text(back)).width + 12, 0) > w - left
  drawTimes(g, axis, h - 4, text, narrow ? [0, 1] : [0, 0.5, 1])
  if (limit !== undefined) {
    g.fillStyle = colors.bad
    g.fillRect(left, Math.round(y(limit)), w - left, 1.5)
  }
  const recent = (/** @type {Point[]} */ all) => all.filter((p) => p.t >= now - seconds)
  g.lineWidth = 1.2
  drawValues(g, recent(beside), axis.x, y, () => colors.dim)
  g.lineWidth = 1.8
  drawValues(g, recent(points), axis.x, y, (v) => bad(v) ? colors.bad : colors.ink)
  drawn.push({ glyph: 'rates', x: axis.x(now), y: y(points.at(-1)?.value ?? 0), samples: points.length })
}

/** A chart with a caption. value: at the right.
 * @param {{title: unknown, sub: string, value: unknown, name: string, label: string, draw: (pen: Pen) => void}} props */
export const Chart = ({ title, sub, value, ...canvas }) => html`<figure><figcaption>${title}<span class="sub">${sub}</span>${value}</figcaption>
  <${Canvas} ...${canvas} /></figure>`
