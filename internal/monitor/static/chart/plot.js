// A plot of one figure against the loss of the network: a line for each protocol, with its confidence intervals.

/** @import {LabRivalsReport} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
import { colorOf, drawShape } from '../shared/identity.js'
import { Canvas, nearest, redraw } from '../shared/canvas.js'
import { drawRules, gutterOf, roundValues, stepOf } from '../shared/chart.js'
import { drawTag, line } from '../shared/draw.js'
import { html, useRef } from '../htm/preact/standalone.module.js'
import { sizes } from '../shared/theme.js'

/** A figure of a report: its name and unit, value and interval. @typedef {{key: string, title: string, unit: string,
 * short: string, about: string, digits: number, value: (r: LabRivalsReport) => number, ci: (r: LabRivalsReport) => number[] | null}} Figure
 */

/** @type {Figure[]} */
export const figures = [
  { key: 'double', title: 'Two or more go to the ball', unit: '% of the time', short: '%', about: 'requirement 4: one robot, and just one',
    digits: 3, value: (r) => r.double_pct, ci: (r) => r.double_pct_ci95 },
  { key: 'zero', title: 'None goes to the ball', unit: '% of the time', short: '%', about: 'requirement 2: never none; most of it are the forced crashes',
    digits: 2, value: (r) => r.zero_pct, ci: (r) => r.zero_pct_ci95 },
  { key: 'gap', title: 'From a crash to the next booker', unit: 'ms, 99th percentile', short: 'ms (p99)', about: 'requirement 2: quick recovery from a crash',
    digits: 0, value: (r) => r.crash_gap_ms.p99, ci: (r) => r.crash_gap_ms.p99_ci95 },
]

/** Number of the colour and shape of a protocol, as those of robots. @type {Record<string, number>} */
const marks = { lease: 1, literal: 4, nearest: 2, auction: 3, budget: 5 }

/** @param {string} protocol */
export const markOf = (protocol) => marks[protocol] ?? 6

/** A point of a plot in px. @typedef {{x: number, y: number, r: LabRivalsReport}} Point */

/** The protocols of some reports, the lease last: it is drawn on top. @param {LabRivalsReport[]} reports */
export const protocolsOf = (reports) => [...new Set(reports.map((r) => r.protocol))].sort((a, b) =>
  Number(a === 'lease') - Number(b === 'lease'))

/** Draws a plot and returns its points. @param {Pen} pen @param {Figure} f @param {LabRivalsReport[]} reports
 * @returns {Point[]} */
function drawPlot({ g, w, h, drawn }, f, reports) {
  const values = reports.flatMap((r) => [f.value(r), f.ci(r)?.[1] ?? 0]).filter(Number.isFinite)
  const top = Math.max(f.digits ? 1 : 100, ...values) * 1.06, under = sizes.small * 2 + 14
  const left = gutterOf(g, f.digits ? top.toFixed(1) : String(Math.round(top))), right = 16
  const most = Math.max(0.5, ...reports.map((r) => r.loss))
  const x = (/** @type {number} */ loss) => left + 14 + (w - left - right - 28) * loss / most
  const y = (/** @type {number} */ v) => h - under - (h - under - 8) * Math.min(1, v / top)
  drawRules(g, left, w - right, roundValues(0, top, stepOf(top, 5)).map((v) => ({ y: y(v), text: String(Number(v.toFixed(2))) })))
  g.textAlign = 'center'
  for (const loss of new Set(reports.map((r) => r.loss))) g.fillText(`${Math.round(100 * loss)} %`, x(loss), h - under + sizes.small)
  g.fillText('messages lost', (left + w - right) / 2, h - sizes.small / 2 - 2)
  const all = protocolsOf(reports)
  return all.flatMap((protocol, i) => {
    const points = reports.filter((r) => r.protocol === protocol).sort((a, b) => a.loss - b.loss).map((r) => ({
      x: x(r.loss) + 5 * (i - (all.length - 1) / 2), y: y(f.value(r)), r }))
    drawLine(g, f, points, y)
    for (const p of points) drawn.push({ glyph: 'point', x: p.x, y: p.y, text: protocol, loss: p.r.loss, value: f.value(p.r) })
    return points
  })
}

/** @param {CanvasRenderingContext2D} g @param {Figure} f @param {Point[]} points @param {(v: number) => number} y */
function drawLine(g, f, points, y) {
  if (!points.length) return
  const { protocol } = points[0].r
  g.strokeStyle = g.fillStyle = colorOf(markOf(protocol))
  g.lineWidth = protocol === 'lease' ? 3 : 1.5
  g.lineJoin = 'round'
  line(g, ...points.map((p) => [p.x, p.y]))
  g.lineWidth = 1.5
  for (const p of points) {
    const ci = f.ci(p.r)
    if (ci) {
      const ends = ci.map((v) => y(Math.max(0, v)))
      line(g, [p.x, ends[0]], [p.x, ends[1]])
      for (const end of ends) line(g, [p.x - 4, end], [p.x + 4, end])
    }
    drawShape(g, markOf(protocol), p.x, p.y, 5.5)
  }
}

/** A value with its interval; that of a percentile is not symmetric. @param {Figure} f @param {LabRivalsReport} r */
export function withInterval(f, r) {
  const ci = f.ci(r), text = (/** @type {number} */ v) => v.toFixed(f.digits)
  if (!ci) return text(f.value(r))
  if (f.key === 'gap') return `${text(f.value(r))} (${text(ci[0])}–${text(ci[1])})`
  return `${text(f.value(r))} ± ${text((ci[1] - ci[0]) / 2)}`
}

/** @param {{f: Figure, reports: LabRivalsReport[]}} props */
export function Plot({ f, reports }) {
  const pointer = useRef(/** @type {{x: number, y: number} | null} */ (null))
  const draw = (/** @type {Pen} */ pen) => {
    const points = drawPlot(pen, f, reports), at = pointer.current
    if (!at) return
    const found = nearest(points, (p) => [p.x, p.y], at.x, at.y, 40)
    if (found) drawTag(pen, `${found.r.protocol}: ${withInterval(f, found.r)}`, found.x, found.y > 40 ? found.y - 32 : found.y + 12)
  }
  const move = (/** @type {PointerEvent} */ e) => {
    pointer.current = { x: e.offsetX, y: e.offsetY }
    redraw()
  }
  const leave = () => {
    pointer.current = null
    redraw()
  }
  return html`<section class="panel plot" aria-label=${f.title}><div class="head"><h2>${f.title}</h2>
    <span class="sub">${f.unit}</span></div><${Canvas} name=${f.key} label=${`${f.title} against the loss; the table has the figures`}
    draw=${draw} onPointerMove=${move} onPointerLeave=${leave} /><p class="about">${f.about}</p></section>`
}
