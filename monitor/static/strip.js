// The disagreement of the last minute, with everything that happened on it.

/** @import {Mark, Wall} from './types' */
/** @import {Pen} from './canvas.js' */
import { Canvas, redraw } from './canvas.js'
import { distance, text } from './format.js'
import { limits } from './health.js'
import { html } from './htm/preact/standalone.module.js'
import { HISTORY, list, state } from './state.js'
import { colors } from './theme.js'

const TOP = 1 // m at the strip's upper edge, at least
const limit = limits.ballError
const LABELS = 17 // px above the curve for the marks' words

let pointer = -1 // px from the left, or -1

/** @param {Pen} pen */
function drawStrip(pen) {
  const wall = state.wall
  if (!wall) return
  const { g, w, h } = pen
  const top = Math.max(TOP, ...state.past.map((m) => Math.min(2, m.spread ?? 0)))
  const x = (/** @type {number} */ t) => w * (1 - (wall.time - t) / HISTORY)
  // A root shows centimetres as well as metres.
  const y = (/** @type {number} */ metres) => h - Math.sqrt(Math.min(1, metres / top)) * (h - LABELS - 2)
  g.strokeStyle = colors.hair
  g.lineWidth = 1
  g.beginPath()
  for (const metres of [0.1, 0.5]) {
    g.moveTo(0, Math.round(y(metres)) + 0.5)
    g.lineTo(w, Math.round(y(metres)) + 0.5)
  }
  g.stroke()
  drawCurve(g, x, y, h)
  drawMarks(pen, list(wall.marks).filter((m) => m.time > wall.time - HISTORY), x)
  g.fillStyle = colors.dim
  g.font = '11px system-ui, sans-serif'
  g.textBaseline = 'alphabetic'
  g.textAlign = 'left'
  halo(g, '½ m', 3, y(0.5) - 4)
  if (y(0.1) < h - 18) halo(g, '10 cm', 3, y(0.1) - 4)
  halo(g, '60 s ago', 3, h - 4)
  g.textAlign = 'right'
  halo(g, 'now', w - 3, h - 4)
  if (pointer >= 0) drawPointer(pen, wall, x, y)
  pen.drawn.push({ glyph: 'curve', x: x(state.past[0]?.t ?? wall.time), y: 0, moments: state.past.length })
}

/** Fills under the curve: grey as far as they agree, amber and red above. @param {CanvasRenderingContext2D} g
 * @param {(t: number) => number} x @param {(m: number) => number} y @param {number} h */
function drawCurve(g, x, y, h) {
  const { past } = state
  const area = new Path2D()
  for (let i = 0; i < past.length;) {
    let end = past[i].t
    area.moveTo(x(end), h)
    for (; i < past.length && past[i].t - end < 1; i++) { // after a second without news the curve ends
      end = past[i].t
      area.lineTo(x(end), y(past[i].spread ?? 0))
    }
    area.lineTo(x(end), h)
  }
  for (const [color, from, to] of /** @type {[string, number, number][]} */ ([[colors.dim, 0, limit[0]], [colors.warn, limit[0], limit[1]], [colors.bad, limit[1], 99]])) {
    g.save()
    g.beginPath()
    g.rect(0, y(to), x(past.at(-1)?.t ?? 0), y(from) - y(to))
    g.clip()
    g.globalAlpha = from ? 0.7 : 0.35
    g.fillStyle = color
    g.fill(area)
    g.restore()
  }
}

/** Draws the events; what is bad gets its words first. @param {Pen} pen @param {Mark[]} marks @param {(t: number) => number} x */
function drawMarks(pen, marks, x) {
  const { g, h, w } = pen
  g.font = '11.5px system-ui, sans-serif'
  g.textBaseline = 'alphabetic'
  g.textAlign = 'left'
  /** @type {{left: number, right: number}[]} */
  const taken = []
  const bad = (/** @type {Mark} */ m) => m.kind === 'off'
  for (const m of [...marks.filter(bad), ...marks.filter((m) => !bad(m))]) {
    const at = x(m.time), kick = m.kind === 'kick'
    g.fillStyle = bad(m) ? colors.bad : kick ? colors.ball : colors.ink
    g.fillRect(at - 0.75, LABELS, 1.5, h - LABELS)
    g.beginPath()
    if (kick) g.arc(at, LABELS, 3, 0, 7)
    else g.rect(at - 2.5, LABELS - 2.5, 5, 5)
    g.fill()
    const wide = g.measureText(m.text).width
    const left = Math.max(0, Math.min(at - 3, w - wide - 2)), right = left + wide + 10
    const words = !taken.some((t) => left < t.right && right > t.left)
    if (words) {
      taken.push({ left, right })
      if (!bad(m)) g.fillStyle = kick ? colors.dim : colors.ink
      g.fillText(m.text, left, LABELS - 6)
    }
    pen.drawn.push({ glyph: 'mark', kind: m.kind, text: words ? m.text : '', x: at, y: LABELS })
  }
}

/** @param {CanvasRenderingContext2D} g @param {string} words @param {number} x @param {number} y */
function halo(g, words, x, y) {
  g.lineWidth = 3
  g.lineJoin = 'round'
  g.strokeStyle = colors.panel
  g.strokeText(words, x, y)
  g.fillText(words, x, y)
}

/** @param {Pen} pen @param {Wall} wall @param {(t: number) => number} x @param {(m: number) => number} y */
function drawPointer(pen, wall, x, y) {
  const { g, w, h } = pen
  const t = wall.time - HISTORY * (1 - pointer / w)
  const m = state.past.reduce((a, b) => Math.abs(b.t - t) < Math.abs(a.t - t) ? b : a, state.past[0])
  if (!m || Math.abs(m.t - t) > 1 || m.spread == null) return
  g.fillStyle = colors.ink
  g.fillRect(x(m.t) - 0.5, LABELS, 1, h - LABELS)
  g.beginPath()
  g.arc(x(m.t), y(m.spread), 3, 0, 7)
  g.fill()
  const words = `${text(distance(m.spread))}, ${(wall.time - m.t).toFixed(0)} s ago`
  g.font = '600 12px system-ui, sans-serif'
  g.textAlign = pointer > w / 2 ? 'right' : 'left'
  halo(g, words, x(m.t) + (pointer > w / 2 ? -8 : 8), LABELS + 14)
}

export function Strip() {
  const move = (/** @type {PointerEvent} */ e) => {
    pointer = e.offsetX
    redraw()
  }
  const leave = () => {
    pointer = -1
    redraw()
  }
  return html`<footer><div class="title"><b>Disagreement</b><span>spread of the robots’ balls</span></div>
    <${Canvas} name="strip" label="Spread of the robots' balls over the last minute" draw=${drawStrip} onPointerMove=${move} onPointerLeave=${leave} /></footer>`
}
