// A time axis on a canvas: marks with labels, a pointer with a description, and seeking.

/** @import {Pen} from './canvas.js' */
import { Canvas, redraw } from './canvas.js'
import { html, useRef } from '../htm/preact/standalone.module.js'
import { drawTag, textStyle } from './draw.js'
import { colors, fonts } from './theme.js'

/** px above the drawing in which the marks' labels stand. */
export const LABELS = 17

/** An event. rank: higher ranks get their labels first. glyph: drawn at the top of its line. to: the end
 * of a span.
 * @typedef {{t: number, to?: number, text: string, rank: number, color: string, ink?: string, glyph?: 'disc' | 'square' | 'flag'}} Mark
 * @typedef {{from: number, to: number, left: number, right: number, x: (t: number) => number, t: (x: number) => number}} Axis
 * left, right: px of its ends; x: px of a time; t: time at x px */

/** @param {number} from @param {number} to @param {number} left px @param {number} right px @returns {Axis} */
export function axisOf(from, to, left, right) {
  const span = Math.max(1e-9, to - from), wide = right - left
  return { from, to, left, right, x: (t) => left + wide * (t - from) / span,
    t: (x) => from + span * Math.min(1, Math.max(0, (x - left) / wide)) }
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
  textStyle(g, fonts.small, 'left', 'alphabetic')
  return marks.toSorted((a, b) => b.rank - a.rank).map((m) => {
    const x = axis.x(m.t), wide = g.measureText(m.text).width
    const left = Math.max(0, Math.min(x - 3, axis.right - wide - 2)), right = left + wide + 10
    g.fillStyle = m.color
    g.fillRect(x - 0.75, LABELS, 1.5, h - LABELS)
    if (m.to != null && m.to > m.t) drawSpan(g, x, axis.x(m.to), h)
    g.beginPath()
    if (m.glyph === 'disc') g.arc(x, LABELS, 3, 0, 7)
    else if (m.glyph === 'square') g.rect(x - 2.5, LABELS - 2.5, 5, 5)
    else if (m.glyph === 'flag') for (const [dx, dy] of [[0, 0], [9, 4], [0, 8]]) g.lineTo(x + dx, LABELS + dy)
    g.fill()
    if (taken.some((t) => left < t.right && right > t.left)) return { ...m, label: '' }
    taken.push({ left, right })
    g.fillStyle = m.ink ?? m.color
    g.fillText(m.text, left, LABELS - 5)
    return { ...m, label: m.text }
  })
}

/** Draws the span of a mark. @param {CanvasRenderingContext2D} g @param {number} from px @param {number} to px @param {number} h */
function drawSpan(g, from, to, h) {
  g.globalAlpha = 0.16
  g.fillRect(from, LABELS, to - from, h - LABELS)
  g.globalAlpha = 1
}

/** Draws a line at the pointer with a text beside it. @param {Pen} pen @param {number} x @param {string} text */
function drawPointer(pen, x, text) {
  pen.g.fillStyle = colors.dim
  pen.g.fillRect(x - 0.5, LABELS, 1, pen.h - LABELS)
  drawTag(pen, text, x, LABELS + 2)
}

/** Writes times beneath an axis, each by how long before its end it is. @param {CanvasRenderingContext2D} g
 * @param {Axis} axis @param {number} y px @param {(back: number) => string} text
 * @param {number[]} [parts] of the axis, where a time stands */
export function drawTimes(g, axis, y, text, parts = [0, 0.5, 1]) {
  g.font = fonts.small
  g.fillStyle = colors.dim
  g.textBaseline = 'alphabetic'
  for (const part of parts) {
    const back = (1 - part) * (axis.to - axis.from)
    g.textAlign = part === 0 ? 'left' : part === 1 ? 'right' : 'center'
    g.fillText(text(Math.round(10 * back) / 10), axis.x(axis.to - back), y)
  }
}

/** @param {number} seconds */
export const ago = (seconds) => seconds ? `${seconds} s ago` : 'now'

/** A timeline. range: the times at its ends. gutter: px before it, for names. at: the value nearest to a time, and its
 * description. seek: called when the user chooses a time; without it the timeline only shows.
 * @param {{name: string, label: string, range: () => [number, number], gutter?: () => number,
 *   draw: (pen: Pen, axis: Axis) => void, at: (t: number, axis: Axis) => {t: number, text: string} | null,
 *   seek?: (t: number) => void}} props */
export function Timeline({ name, label, range, gutter, draw, at, seek }) {
  const pointer = useRef(-1) // px from the left, -1 while there is none
  const axisIn = (/** @type {number} */ w) => axisOf(...range(), gutter?.() ?? 0, w)
  const paint = (/** @type {Pen} */ pen) => {
    const axis = axisIn(pen.w)
    draw(pen, axis)
    const found = pointer.current >= 0 && at(axis.t(pointer.current), axis)
    if (found) drawPointer(pen, axis.x(found.t), found.text)
  }
  const seekTo = (/** @type {PointerEvent} */ e) =>
    seek?.(axisIn(/** @type {HTMLElement} */ (e.currentTarget).clientWidth).t(e.offsetX))
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
