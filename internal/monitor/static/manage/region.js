// A region of the camera's picture, which the robot sends alone: drag over the picture.

import { html } from '../htm/preact/standalone.module.js'
import { change } from '../shared/state.js'
import { dragging } from '../shared/drag.js'
import { manage, wishFor } from './state.js'

const LEAST = 16 // px of the camera a side

const region = { choosing: false }

/** Begins to choose a region, or shows the whole picture again. */
export function toggleRegion() {
  if (manage.wish.width) {
    change(region, { choosing: false })
    return wishFor({ x: 0, y: 0, width: 0, height: 0 })
  }
  change(region, { choosing: !region.choosing })
}

export const drag = dragging({
  may: () => region.choosing,
  done: (r) => {
    const p = manage.picture
    if (!r || !p) return change(region, {})
    const even = (/** @type {number} */ share, /** @type {number} */ size) => 2 * Math.round(share * size * p.divisor / 2)
    const x = even(r.x0, p.width), y = even(r.y0, p.height)
    const width = even(r.x1, p.width) - x, height = even(r.y1, p.height) - y
    if (width < LEAST || height < LEAST) return change(region, {})
    change(region, { choosing: false })
    wishFor({ x: p.x + x, y: p.y + y, width, height })
  },
})

export const isChoosing = () => region.choosing

export function RegionButton() {
  const some = manage.wish.width > 0
  return html`<button class=${region.choosing || some ? 'on' : ''} aria-pressed=${region.choosing || some} onClick=${toggleRegion}
    title=${some ? 'the whole picture again' : 'drag over the picture: the robot then sends only that part'}>${some ? 'whole picture'
      : region.choosing ? 'drag over the picture' : 'region'} <kbd>Z</kbd></button>`
}
