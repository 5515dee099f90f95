// Canvases that are drawn when there is new data, and a record of what was drawn on them.

import { html, useEffect, useRef } from '../htm/preact/standalone.module.js'

/** The argument of a draw function: a context, a size in pixels of the page, and the list of drawn glyphs.
 * @typedef {{g: CanvasRenderingContext2D, w: number, h: number, drawn: Drawn[]}} Pen
 * @typedef {{glyph: string, x: number, y: number, [more: string]: unknown}} Drawn
 * @typedef {{canvas: HTMLCanvasElement, pixels: HTMLCanvasElement | OffscreenCanvas, name: string, draw: (pen: Pen) => void,
 * pen: Pen | null}} Picture */

/** @type {Set<Picture>} */
const pictures = new Set()
let due = 0

/** Draws all canvases at the next frame. */
export function redraw() {
  due ||= requestAnimationFrame(() => drawNow())
}

/** Draws all canvases, or the one of this name. @param {string} [name] */
export function drawNow(name) {
  if (!name) {
    cancelAnimationFrame(due)
    due = 0
  }
  for (const p of pictures) if (!name || p.name === name) paint(p)
}

/** @param {Picture} p */
function paint(p) {
  const w = p.canvas.clientWidth, h = p.canvas.clientHeight, d = devicePixelRatio || 1
  const g = /** @type {CanvasRenderingContext2D | null} */ (p.pixels.getContext('2d'))
  if (!w || !h || !g) return
  const W = Math.round(w * d), H = Math.round(h * d)
  if (p.pixels.width !== W || p.pixels.height !== H) {
    p.pixels.width = W
    p.pixels.height = H
  }
  g.setTransform(d, 0, 0, d, 0, 0)
  g.clearRect(0, 0, w, h)
  p.pen = { g, w, h, drawn: [] }
  p.draw(p.pen)
}

/** The glyphs of every canvas with their places in pixels, by the canvas's name. For tests. */
export function drawnPictures() {
  return Object.fromEntries([...pictures].map(({ name, pen }) =>
    [name, { w: pen?.w ?? 0, h: pen?.h ?? 0, items: pen?.drawn ?? [] }]))
}

/** A canvas that draw draws whenever redraw was called. film: its pixels reach the screen without a frame of the page, which
 * costs the browser less for a canvas that is drawn 25 times a second. blocking: listeners that may keep the page from
 * scrolling.
 * @param {{name: string, label: string, draw: (pen: Pen) => void, film?: boolean, class?: string, blocking?: Record<string,
 * (e: Event) => void>, [more: string]: unknown}} props */
export function Canvas({ name, label, draw, film = false, blocking, ...more }) {
  const ref = useRef(/** @type {HTMLCanvasElement | null} */ (null))
  const picture = useRef(/** @type {Picture | null} */ (null))
  if (picture.current) Object.assign(picture.current, { name, draw })
  useEffect(() => {
    if (!ref.current) return
    const canvas = ref.current, pixels = film && canvas.transferControlToOffscreen?.() || canvas
    /** @type {Picture} */
    const p = { canvas, pixels, name, draw, pen: null }
    picture.current = p
    pictures.add(p)
    const sizes = new ResizeObserver(redraw), stop = new AbortController()
    sizes.observe(p.canvas)
    for (const [event, listener] of Object.entries(blocking ?? {})) p.canvas.addEventListener(event, listener,
      { passive: false, signal: stop.signal })
    return () => {
      stop.abort()
      sizes.disconnect()
      pictures.delete(p)
    }
  }, [])
  return html`<canvas ref=${ref} role="img" aria-label=${label} ...${more}></canvas>`
}

/** The thing nearest to a point of the canvas. @template T @param {T[]} things @param {(thing: T) => number[]} at px
 * @param {number} x @param {number} y @param {number} reach px: one that is farther away is not found */
export function nearest(things, at, x, y, reach) {
  const far = (/** @type {T} */ thing) => Math.hypot(at(thing)[0] - x, at(thing)[1] - y)
  const [first] = things.filter((thing) => far(thing) < reach).sort((a, b) => far(a) - far(b))
  return /** @type {T | undefined} */ (first)
}
