// Texts beside the things of a field, each where it covers nothing.

/** @import {Pen} from './canvas.js' */
import { drawHaloed, textStyle } from './draw.js'
import { colors, fonts, sizes } from './theme.js'

/** A box on the canvas. @typedef {{left: number, right: number, top: number, bottom: number}} Box */

/** A text beside a thing at x, y: at least far from it, and rather above it, or beneath it.
 * @typedef {{text: string, x: number, y: number, far: number, below: boolean, color: string}} Label */

/** @param {number} x @param {number} y @param {number} wide @param {number} tall @returns {Box} */
export const around = (x, y, wide, tall) =>
  ({ left: x - wide / 2, right: x + wide / 2, top: y - tall / 2, bottom: y + tall / 2 })

/** @param {Box} a @param {Box} b */
const overlap = (a, b) => Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left))
  * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top))

/** Where a text may stand, away from its thing, the best place first: above, right, left, beneath, and the corners.
 * @type {[number, number][]} */
const PLACES = [[0, -1], [1, 0], [-1, 0], [0, 1], [0.8, -0.9], [-0.8, -0.9], [0.8, 0.9], [-0.8, 0.9]]

/** Draws texts, each at the first place that is free, or freest. It returns where they are, and how much they cover.
 * @param {Pen} pen @param {Label[]} labels @param {Box[]} things where no text should be @param {number} [high] px
 * @returns {{x: number, y: number, box: Box, cost: number}[]} */
export function drawBeside({ g, w, h }, labels, things, high = sizes.least) {
  const taken = [...things]
  textStyle(g, fonts.bold(high), 'center')
  return labels.map(({ text, x, y, far, below, color }) => {
    const wide = g.measureText(text).width + 4
    let best = { x, y, box: around(x, y, wide, high), cost: Infinity }
    for (const [dx, dy] of PLACES) {
      const px = x + dx * (far + wide / 2), py = y + (below ? -dy : dy) * (far + high / 2), box = around(px, py, wide, high)
      const outside = box.left < 0 || box.right > w || box.top < 0 || box.bottom > h
      const cost = outside ? 1e6 : taken.reduce((sum, b) => sum + overlap(box, b), 0)
      if (cost < best.cost) best = { x: px, y: py, box, cost }
      if (cost === 0) break
    }
    taken.push(best.box)
    g.fillStyle = color
    drawHaloed(g, text, best.x, best.y + 1, colors.pitch, 4)
    return best
  })
}
