// Canvases that are drawn when there is something new, and what was drawn on them.

import { html, useEffect, useRef } from './htm/preact/standalone.module.js'

/** What a draw function gets: a context in pixels of the page, the size, and the list of what it drew.
 * @typedef {{g: CanvasRenderingContext2D, w: number, h: number, drawn: Drawn[]}} Pen
 * @typedef {{glyph: string, x: number, y: number, [more: string]: unknown}} Drawn
 * @typedef {{canvas: HTMLCanvasElement, name: string, draw: (pen: Pen) => void, pen: Pen | null}} Picture */

/** @type {Set<Picture>} */
const pictures = new Set()
let due = 0

/** Draws all canvases at the next frame. */
export function redraw() {
  due ||= requestAnimationFrame(() => {
    due = 0
    for (const p of pictures) paint(p)
  })
}

/** @param {Picture} p */
function paint(p) {
  const w = p.canvas.clientWidth, h = p.canvas.clientHeight, d = devicePixelRatio || 1
  const g = p.canvas.getContext('2d')
  if (!w || !h || !g) return
  const W = Math.round(w * d), H = Math.round(h * d)
  if (p.canvas.width !== W || p.canvas.height !== H) {
    p.canvas.width = W
    p.canvas.height = H
  }
  g.setTransform(d, 0, 0, d, 0, 0)
  g.clearRect(0, 0, w, h)
  p.pen = { g, w, h, drawn: [] }
  p.draw(p.pen)
}

/** What every canvas shows now, by name: glyphs and their places in pixels. For tests. */
export function drawn() {
  return Object.fromEntries([...pictures].map(({ name, pen }) => [name, { w: pen?.w ?? 0, h: pen?.h ?? 0, items: pen?.drawn ?? [] }]))
}

/** A canvas that draw keeps up to date.
 * @param {{name: string, label: string, draw: (pen: Pen) => void, class?: string, [more: string]: unknown}} props */
export function Canvas({ name, label, draw, ...more }) {
  const ref = useRef(/** @type {HTMLCanvasElement | null} */ (null))
  const picture = useRef(/** @type {Picture | null} */ (null))
  if (picture.current) Object.assign(picture.current, { name, draw })
  useEffect(() => {
    if (!ref.current) return
    /** @type {Picture} */
    const p = { canvas: ref.current, name, draw, pen: null }
    picture.current = p
    pictures.add(p)
    const sizes = new ResizeObserver(redraw)
    sizes.observe(p.canvas)
    return () => {
      sizes.disconnect()
      pictures.delete(p)
    }
  }, [])
  return html`<canvas ref=${ref} role="img" aria-label=${label} ...${more}></canvas>`
}
