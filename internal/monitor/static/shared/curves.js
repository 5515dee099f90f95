// The curves of a plot on a canvas, and as a file.

/** @import {Pen} from './canvas.js' */
import { colorOf, drawShape } from './identity.js'
import { drawRules, gutterOf, roundValues, stepOf } from './chart.js'
import { drawNotice, line, textStyle } from './draw.js'
import { clock } from './format.js'
import { colors, fonts, sizes } from './theme.js'

/** The course of one robot, link or sender: times in s and values, oldest first. @typedef {{name: string, points: [number, number][]}} Course */

/** A value with as many digits as it needs. @param {number} v */
export function valueText(v) {
  if (!Number.isFinite(v)) return '–'
  const digits = Math.abs(v) >= 1000 || Number.isInteger(v) ? 0 : Math.abs(v) >= 10 ? 2 : 3
  return v.toFixed(digits).replace('-', '−')
}

/** The times between two points, beyond which a curve is interrupted. @param {Course} c */
function gapOf({ points }) {
  if (points.length < 3) return Infinity
  const steps = points.slice(1).map(([t], i) => t - points[i][0]).sort((a, b) => a - b)
  return 4 * steps[Math.floor(steps.length / 2)] + 0.2
}

/** The value of a course at a time, of the point before it; NaN without one near. @param {Course} c @param {number} t s */
export function valueAt(c, t) {
  const found = c.points.findLast(([at]) => at <= t + 1e-6)
  return found && (t === Infinity || t - found[0] < gapOf(c)) ? found[1] : NaN
}

/** The lowest and the highest value of the shown courses, with room. @param {Course[]} courses @param {number} from @param {number} to
 * @returns {[number, number]} */
function valueRange(courses, from, to) {
  let low = Infinity, high = -Infinity
  for (const c of courses) for (const [t, v] of c.points) if (t >= from && t <= to) [low, high] = [Math.min(low, v), Math.max(high, v)]
  if (low > high) return [0, 1]
  if (low >= 0 && low < 0.4 * high) low = 0
  const room = 0.06 * (high - low) || Math.max(1e-3, 0.1 * Math.abs(high)) || 1
  return [low === 0 ? 0 : low - room, high + room]
}

/** Draws the courses. range: the shown time; at: the time that the page shows; empty: the text without any value.
 * @param {Pen} pen @param {{courses: Course[], isShown: (name: string) => boolean, range: [number, number], at: number | null,
 * pointer: number | null, empty: string}} what */
export function drawCourses(pen, { courses, isShown, range: [from, to], at, pointer, empty }) {
  const { g, w, h } = pen, under = sizes.small + 8, shown = courses.filter((c) => isShown(c.name))
  const [low, high] = valueRange(shown, from, to), step = stepOf(high - low, Math.max(2, Math.floor(h / 42)))
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), text = (/** @type {number} */ v) => v.toFixed(digits).replace('-', '−')
  const rules = roundValues(low, high, step), left = Math.max(...rules.map((v) => gutterOf(g, text(v))), 24), right = w - 12
  drawCourses.axis = { left, right }
  const x = (/** @type {number} */ t) => left + (right - left) * (t - from) / Math.max(1e-9, to - from)
  const y = (/** @type {number} */ v) => h - under - (h - under - 6) * (v - low) / (high - low)
  drawRules(g, left, right, rules.map((v) => ({ y: y(v), text: text(v), strong: Math.abs(v) < step / 1e6 })))
  drawClock(pen, x, from, to, left, right)
  if (!shown.some((c) => c.points.some(([t]) => t >= from && t <= to))) return drawNotice(pen, empty)
  for (const c of shown) drawCourse(pen, c, courses.indexOf(c) + 1, x, y, from, to)
  for (const [t, color] of /** @type {[number | null, string][]} */ ([[at, colors.focus], [pointer, colors.dim]])) {
    if (t == null || t < from || t > to) continue
    g.fillStyle = color
    g.fillRect(x(t) - 1, 0, color === colors.focus ? 2 : 1, h - under)
  }
}
drawCourses.axis = { left: 0, right: 1 } // px of the last drawing

/** Writes times beneath the curves. @param {Pen} pen @param {(t: number) => number} x @param {number} from @param {number} to
 * @param {number} left @param {number} right */
function drawClock({ g, h }, x, from, to, left, right) {
  const steps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200]
  const step = steps.find((s) => (to - from) / s <= Math.max(2, (right - left) / 90)) ?? 7200
  textStyle(g, fonts.small, 'center', 'alphabetic')
  g.fillStyle = colors.dim
  for (const t of roundValues(from, to, step)) if (t >= 0 && x(t) > left + 12 && x(t) < right - 14) g.fillText(clock(t), x(t), h - 4)
}

/** @param {Pen} pen @param {Course} c @param {number} number of its colour and shape @param {(t: number) => number} x
 * @param {(v: number) => number} y @param {number} from @param {number} to */
function drawCourse({ g, drawn }, c, number, x, y, from, to) {
  const gap = gapOf(c), points = c.points.filter(([t]) => t >= from && t <= to)
  g.strokeStyle = g.fillStyle = colorOf(number)
  g.lineWidth = 1.6
  g.lineJoin = 'round'
  for (let i = 0; i < points.length;) {
    const part = []
    do part.push(points[i++])
    while (i < points.length && points[i][0] - points[i - 1][0] <= gap)
    line(g, ...part.map(([t, v]) => [x(t), y(v)]))
    if (part.length === 1) g.fillRect(x(part[0][0]) - 1, y(part[0][1]) - 1, 2, 2)
  }
  const last = points.at(-1)
  if (!last) return
  drawShape(g, number, x(last[0]), y(last[1]), 4.5)
  drawn.push({ glyph: 'course', x: x(last[0]), y: y(last[1]), name: c.name, value: last[1], samples: points.length })
}

/** Quotes a cell where it needs that. @param {string} text */
const cell = (text) => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** Courses as CSV, a line each value. @param {Course[]} courses @param {number} from s @param {number} to s */
export const csvOf = (courses, from, to) => ['time_s,name,value', ...courses.flatMap((c) => c.points
  .filter(([t]) => t >= from && t <= to).map(([t, v]) => `${Math.round(t * 1e6) / 1e6},${cell(c.name)},${v}`))].join('\n') + '\n'
