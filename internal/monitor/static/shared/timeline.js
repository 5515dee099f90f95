// A time axis on a canvas: marks with labels, a pointer with a description, and seeking.

/** @import {Pen} from './canvas.js' */
import { Canvas, redraw } from './canvas.js'
import { html, useRef } from '../htm/preact/standalone.module.js'
import { colors, fonts } from './theme.js'

/** px above the drawing in which the marks' labels stand. */
export const LABELS = 17

/** An event. rank: higher ranks get their labels first. glyph: drawn at the top of its line.
 * @typedef {{t: number, text: string, rank: number, color: string, ink?: string, glyph?: 'disc' | 'square'}} Mark
 * @typedef {{from: number, to: number, w: number, x: (t: number) => number, t: (x: number) => number}} Axis x: px of a
 * time; t: time at x px */

/** @param {number} from @param {number} to @param {number} w px @returns {Axis} */
function axisOf(from, to, w) {
  const span = Math.max(1e-9, to - from)
  return { from, to, w, x: (t) => w * (t - from) / span, t: (x) => from + span * Math.min(1, Math.max(0, x / w)) }
}

/** Draws the cursor at the time that the page shows.
 * @param {CanvasRenderingContext2D} g @param {number} x px @param {number} h */
export function drawCursor(g, x, h) {
  g.fillStyle = colors.focus
  g.fillRect(x - 1, LABELS - 2, 2, h - LABELS + 2)
  g.beginPath()
  g.moveTo(x - 6, LABELS - 6)
  g.lineTo(x + 6, LABELS - 6)
  g.lineTo(x, LABELS + 2)
  g.fill()
}

/** Draws marks, with a label wherever it covers no other, and returns them with the labels that were drawn.
 * @template {Mark} M @param {CanvasRenderingContext2D} g @param {Axis} axis @param {number} h @param {M[]} marks
 * @returns {(M & {label: string})[]} */
export function drawMarks(g, axis, h, marks) {
  /** @type {{left: number, right: number}[]} */
  const taken = []
  g.font = fonts.small
  g.textBaseline = 'alphabetic'
  g.textAlign = 'left'
  return marks.toSorted((a, b) => b.rank - a.rank).map((m) => {
    const x = axis.x(m.t), wide = g.measureText(m.text).width
    const left = Math.max(0, Math.min(x - 3, axis.w - wide - 2)), right = left + wide + 10
    g.fillStyle = m.color
    g.fillRect(x - 0.75, LABELS, 1.5, h - LABELS)
    g.beginPath()
    if (m.glyph === 'disc') g.arc(x, LABELS, 3, 0, 7)
    else if (m.glyph === 'square') g.rect(x - 2.5, LABELS - 2.5, 5, 5)
    g.fill()
    if (taken.some((t) => left < t.right && right > t.left)) return { ...m, label: '' }
    taken.push({ left, right })
    g.fillStyle = m.ink ?? m.color
    g.fillText(m.text, left, LABELS - 5)
    return { ...m, label: m.text }
  })
}

/** Draws a line at the pointer with a text beside it. @param {Pen} pen @param {number} x @param {string} text */
function drawPointer({ g, w, h }, x, text) {
  g.font = fonts.label
  const wide = g.measureText(text).width + 12, left = Math.max(0, Math.min(x - wide / 2, w - wide))
  g.fillStyle = colors.dim
  g.fillRect(x - 0.5, LABELS, 1, h - LABELS)
  g.fillStyle = colors.ink
  g.beginPath()
  g.roundRect(left, LABELS + 2, wide, 18, 4)
  g.fill()
  g.fillStyle = colors.panel
  g.textAlign = 'left'
  g.textBaseline = 'middle'
  g.fillText(text, left + 6, LABELS + 11.5)
}

/** A timeline. range: the times at its ends. at: the value nearest to a time, and its description.
 * seek: called when the user chooses a time; without it the timeline only shows.
 * @param {{name: string, label: string, range: () => [number, number], draw: (pen: Pen, axis: Axis) => void,
 *   at: (t: number, axis: Axis) => {t: number, text: string} | null, seek?: (t: number) => void}} props */
export function Timeline({ name, label, range, draw, at, seek }) {
  const pointer = useRef(-1) // px from the left, -1 while there is none
  const paint = (/** @type {Pen} */ pen) => {
    const axis = axisOf(...range(), pen.w)
    draw(pen, axis)
    const found = pointer.current >= 0 && at(axis.t(pointer.current), axis)
    if (found) drawPointer(pen, axis.x(found.t), found.text)
  }
  const seekTo = (/** @type {PointerEvent} */ e) =>
    seek?.(axisOf(...range(), /** @type {HTMLElement} */ (e.currentTarget).clientWidth).t(e.offsetX))
  const down = (/** @type {PointerEvent} */ e) => {
    if (!seek) return
    /** @type {HTMLElement} */ (e.currentTarget).setPointerCapture(e.pointerId)
    seekTo(e)
  }
  const move = (/** @type {PointerEvent} */ e) => {
    pointer.current = e.offsetX
    if (e.buttons & 1) seekTo(e)
    redraw()
  }
  const leave = () => {
    pointer.current = -1
    redraw()
  }
  return html`<${Canvas} name=${name} label=${label} class=${seek ? 'seeks' : ''} draw=${paint} onPointerDown=${down}
    onPointerMove=${move} onPointerLeave=${leave} />`
}

/** Draws a text with a rim, wide enough to fill the space between letters and words.
 * @param {CanvasRenderingContext2D} g @param {string} text @param {number} x @param {number} y
 * @param {string} [rim] its colour, the panel's by default */
export function drawHaloed(g, text, x, y, rim = colors.panel) {
  g.lineWidth = Math.max(6, 0.55 * (parseFloat(/[\d.]+(?=px)/.exec(g.font)?.[0] ?? '') || 0))
  g.lineJoin = 'round'
  g.strokeStyle = rim
  g.strokeText(text, x, y)
  g.fillText(text, x, y)
}
