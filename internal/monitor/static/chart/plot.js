// A plot of one figure against the loss of the network: a line for each protocol, with its confidence intervals.

/** @import {LabRivalsReport} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
import { colorOf, drawShape } from '../booking/identity.js'
import { Canvas, redraw } from '../shared/canvas.js'
import { html, useRef } from '../htm/preact/standalone.module.js'
import { colors, fonts, sizes } from '../shared/theme.js'

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

/** A round step of an axis with at most five of them. @param {number} top */
function stepOf(top) {
  const ten = 10 ** Math.floor(Math.log10(top / 5))
  return [1, 2, 5, 10].map((k) => k * ten).find((s) => top / s <= 5) ?? 10 * ten
}

/** A point of a plot in px. @typedef {{x: number, y: number, r: LabRivalsReport}} Point */

/** The protocols of some reports, the lease last: it is drawn on top. @param {LabRivalsReport[]} reports */
export const protocolsOf = (reports) => [...new Set(reports.map((r) => r.protocol))].sort((a, b) =>
  Number(a === 'lease') - Number(b === 'lease'))

/** Draws a plot and returns its points. @param {Pen} pen @param {Figure} f @param {LabRivalsReport[]} reports
 * @returns {Point[]} */
function drawPlot({ g, w, h, drawn }, f, reports) {
  const values = reports.flatMap((r) => [f.value(r), f.ci(r)?.[1] ?? 0]).filter(Number.isFinite)
  const top = Math.max(f.digits ? 1 : 100, ...values) * 1.06, step = stepOf(top), under = sizes.small * 2 + 14
  g.font = fonts.small
  const left = g.measureText((f.digits ? top.toFixed(1) : String(Math.round(top)))).width + 10, right = 16
  const most = Math.max(0.5, ...reports.map((r) => r.loss))
  const x = (/** @type {number} */ loss) => left + 14 + (w - left - right - 28) * loss / most
  const y = (/** @type {number} */ v) => h - under - (h - under - 8) * Math.min(1, v / top)
  g.textBaseline = 'middle'
  for (let v = 0; v <= top; v += step) {
    g.fillStyle = colors.hair
    g.fillRect(left, Math.round(y(v)), w - left - right, 1)
    g.fillStyle = colors.dim
    g.textAlign = 'right'
    g.fillText(String(Number(v.toFixed(2))), left - 6, y(v))
  }
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
  g.beginPath()
  for (const p of points) g.lineTo(p.x, p.y)
  g.stroke()
  g.lineWidth = 1.5
  for (const p of points) {
    const ci = f.ci(p.r)
    if (ci) {
      g.beginPath()
      g.moveTo(p.x, y(Math.max(0, ci[0])))
      g.lineTo(p.x, y(ci[1]))
      for (const end of ci) {
        g.moveTo(p.x - 4, y(Math.max(0, end)))
        g.lineTo(p.x + 4, y(Math.max(0, end)))
      }
      g.stroke()
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
    const away = (/** @type {Point} */ p) => Math.hypot(p.x - at.x, p.y - at.y)
    const nearest = points.reduce((/** @type {Point | null} */ a, b) => !a || away(b) < away(a) ? b : a, null)
    if (!nearest || away(nearest) > 40) return
    const { g, w } = pen, text = `${nearest.r.protocol}: ${withInterval(f, nearest.r)}`
    g.font = fonts.label
    const wide = g.measureText(text).width + 12, left = Math.max(0, Math.min(nearest.x - wide / 2, w - wide))
    const top = nearest.y > 40 ? nearest.y - 32 : nearest.y + 12
    g.fillStyle = colors.ink
    g.beginPath()
    g.roundRect(left, top, wide, 20, 4)
    g.fill()
    g.fillStyle = colors.panel
    g.textAlign = 'left'
    g.textBaseline = 'middle'
    g.fillText(text, left + 6, top + 10.5)
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
