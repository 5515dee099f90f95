// A region of the camera's picture, which the robot sends alone: drag over the picture.

/** @import {Pen} from '../shared/canvas.js' */
import { redraw } from '../shared/canvas.js'
import { html } from '../htm/preact/standalone.module.js'
import { change } from '../shared/state.js'
import { manage, wishFor } from './state.js'

const LEAST = 16 // px of the camera a side

const region = {
  choosing: false,
  from: /** @type {number[] | null} */ (null), // on the canvas
  to: [0, 0],
}

/** Where the picture is on the canvas, for the pointer. @type {{x: number, y: number, w: number, h: number} | null} */
let place = null

/** Draws what is being dragged. @param {Pen} pen @param {NonNullable<typeof place>} at where the picture is */
export function drawRegion({ g }, at) {
  place = at
  if (!region.from) return
  const [x, y] = region.from, [u, v] = region.to
  g.setLineDash([5, 4])
  for (const [color, width] of /** @type {[string, number][]} */ ([['#000', 3], ['#fff', 1.5]])) {
    g.strokeStyle = color
    g.lineWidth = width
    g.strokeRect(x, y, u - x, v - y)
  }
  g.setLineDash([])
}

/** Begins to choose a region, or shows the whole picture again. */
export function toggleRegion() {
  if (manage.wish.width) {
    change(region, { choosing: false })
    return wishFor({ x: 0, y: 0, width: 0, height: 0 })
  }
  change(region, { choosing: !region.choosing, from: null })
}

/** The camera's pixels between two places of the canvas; null if they are too few. @param {number[]} a @param {number[]} b */
function chosen(a, b) {
  const p = manage.picture
  if (!p || !place) return null
  const scale = p.width * p.divisor / place.w, { x: left, y: top } = place
  const [x0, x1] = [a[0], b[0]].map((x) => Math.min(Math.max((x - left) * scale, 0), p.width * p.divisor)).sort((m, n) => m - n)
  const [y0, y1] = [a[1], b[1]].map((y) => Math.min(Math.max((y - top) * scale, 0), p.height * p.divisor)).sort((m, n) => m - n)
  const even = (/** @type {number} */ v) => 2 * Math.round(v / 2)
  const r = { x: p.x + even(x0), y: p.y + even(y0), width: even(x1 - x0), height: even(y1 - y0) }
  return r.width < LEAST || r.height < LEAST ? null : r
}

/** Listeners of the canvas. */
export const pointer = {
  onPointerDown: (/** @type {PointerEvent} */ e) => {
    if (!region.choosing) return
    const target = /** @type {HTMLElement} */ (e.currentTarget)
    target.setPointerCapture(e.pointerId)
    Object.assign(region, { from: [e.offsetX, e.offsetY], to: [e.offsetX, e.offsetY] })
    e.preventDefault()
  },
  onPointerMove: (/** @type {PointerEvent} */ e) => {
    if (!region.from) return
    region.to = [e.offsetX, e.offsetY]
    redraw()
  },
  onPointerUp: () => {
    const found = region.from && chosen(region.from, region.to)
    change(region, { from: null, choosing: region.choosing && !found })
    if (found) wishFor(found)
  },
  onPointerCancel: () => change(region, { from: null }),
}

export const isChoosing = () => region.choosing

export function RegionButton() {
  const some = manage.wish.width > 0
  return html`<button class=${region.choosing || some ? 'on' : ''} aria-pressed=${region.choosing || some} onClick=${toggleRegion}
    title=${some ? 'the whole picture again' : 'drag over the picture: the robot sends that part alone'}>${some ? 'whole picture'
      : region.choosing ? 'drag over the picture' : 'region'} <kbd>Z</kbd></button>`
}
