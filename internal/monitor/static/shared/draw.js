// Shapes and texts on a canvas.

/** @import {Pen} from './canvas.js' */
import { colors, fonts } from './theme.js'

/** Begins a path with a circle. @param {CanvasRenderingContext2D} g @param {number} x @param {number} y @param {number} r */
export function circle(g, x, y, r) {
  g.beginPath()
  g.arc(x, y, r, 0, 7)
}

/** Draws a line through points. @param {CanvasRenderingContext2D} g @param {...number[]} points */
export function line(g, ...points) {
  g.beginPath()
  for (const [x, y] of points) g.lineTo(x, y)
  g.stroke()
}

/** Begins a path with a polygon. @param {CanvasRenderingContext2D} g @param {number[][]} corners @param {number} k px of
 * one unit of the corners */
export function polygon(g, corners, k) {
  g.beginPath()
  for (const [x, y] of corners) g.lineTo(x * k, y * k)
  g.closePath()
}

/** Sets how texts are drawn. @param {CanvasRenderingContext2D} g @param {string} font @param {CanvasTextAlign} align
 * @param {CanvasTextBaseline} [baseline] */
export function textStyle(g, font, align, baseline = 'middle') {
  g.font = font
  g.textAlign = align
  g.textBaseline = baseline
}

/** Draws a text centred on a point.
 * @param {CanvasRenderingContext2D} g @param {string} text @param {number} x @param {number} y @param {string} font */
export function label(g, text, x, y, font) {
  textStyle(g, font, 'center')
  g.fillText(text, x, y)
}

/** Draws a text with a rim, wide enough to fill the space between letters and words.
 * @param {CanvasRenderingContext2D} g @param {string} text @param {number} x @param {number} y
 * @param {string} [rim] its colour, the panel's by default @param {number} [wide] px of it */
export function drawHaloed(g, text, x, y, rim = colors.panel, wide = Math.max(6,
  0.55 * (parseFloat(/[\d.]+(?=px)/.exec(g.font)?.[0] ?? '') || 0))) {
  g.lineWidth = wide
  g.lineJoin = 'round'
  g.strokeStyle = rim
  g.strokeText(text, x, y)
  g.fillText(text, x, y)
}

/** Draws a text on a dark tag around x. @param {Pen} pen @param {string} text @param {number} x @param {number} top */
export function drawTag({ g, w }, text, x, top) {
  g.font = fonts.label
  const wide = g.measureText(text).width + 12, left = Math.max(0, Math.min(x - wide / 2, w - wide))
  g.fillStyle = colors.ink
  g.beginPath()
  g.roundRect(left, top, wide, 18, 4)
  g.fill()
  g.fillStyle = colors.panel
  g.textAlign = 'left'
  g.textBaseline = 'middle'
  g.fillText(text, left + 6, top + 9.5)
}

/** Draws why there is no picture. @param {Pen} pen @param {string} text */
export function drawNotice({ g, w, h }, text) {
  g.font = fonts.label
  g.fillStyle = colors.dim
  g.textAlign = 'center'
  g.fillText(text, w / 2, h / 2)
}
