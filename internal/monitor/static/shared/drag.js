// A rectangle that the user drags over a picture on a canvas.

/** @import {Pen} from './canvas.js' */
import { redraw } from './canvas.js'

/** Where a picture is on its canvas. @typedef {{x: number, y: number, w: number, h: number}} Place */

/** Draws a dashed rectangle that is visible on any colour. @param {CanvasRenderingContext2D} g @param {number} x
 * @param {number} y @param {number} w @param {number} h */
export function dashed(g, x, y, w, h) {
  g.setLineDash([5, 4])
  for (const [color, width] of /** @type {[string, number][]} */ ([['#000', 3], ['#fff', 1.5]])) {
    g.strokeStyle = color
    g.lineWidth = width
    g.strokeRect(x, y, w, h)
  }
  g.setLineDash([])
}

/** Lets the user drag over a picture. done gets the rectangle as shares of the picture's width and height, and null for a
 * drag that was broken off. @param {{may: () => boolean, done: (r: {x0: number, y0: number, x1: number, y1: number} | null)
 * => void}} of may: whether a press begins to drag */
export function dragging({ may, done }) {
  let from = /** @type {number[] | null} */ (null), to = [0, 0]
  let place = /** @type {Place | null} */ (null)
  /** Sorted shares of the picture between two places. @param {number} a @param {number} b @param {number} start @param {number} size */
  const shares = (a, b, start, size) => [a, b].map((v) => Math.min(Math.max((v - start) / size, 0), 1)).sort((m, n) => m - n)
  return {
    /** Draws what is being dragged. @param {Pen} pen @param {Place} at where the picture is */
    draw({ g }, at) {
      place = at
      if (from) dashed(g, from[0], from[1], to[0] - from[0], to[1] - from[1])
    },
    /** Listeners of the canvas. */
    pointer: {
      onPointerDown: (/** @type {PointerEvent} */ e) => {
        if (!may()) return
        const target = /** @type {HTMLElement} */ (e.currentTarget)
        target.setPointerCapture(e.pointerId)
        from = to = [e.offsetX, e.offsetY]
        e.preventDefault()
      },
      onPointerMove: (/** @type {PointerEvent} */ e) => {
        if (!from) return
        to = [e.offsetX, e.offsetY]
        redraw()
      },
      onPointerUp: () => {
        if (!from || !place) return
        const [x0, x1] = shares(from[0], to[0], place.x, place.w), [y0, y1] = shares(from[1], to[1], place.y, place.h)
        from = null
        done({ x0, y0, x1, y1 })
      },
      onPointerCancel: () => {
        from = null
        done(null)
      },
    },
  }
}
