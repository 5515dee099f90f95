// A lens on the field of all beliefs: the balls relative to ground truth or to their mean.

/** @import {SoccerField} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {View} from '../shared/field.js' */
/** @import {Guess} from './beliefs.js' */
import { circle, drawHaloed, line, textStyle } from '../shared/draw.js'
import { colors, fonts, sizes } from '../shared/theme.js'

export const RIM = 1 // m: radius that the lens shows

const CLEAR = 0.9 // m: half of the gap between the two places of the lens, more than a drawn ball

/** A place in which no number may stand. @typedef {{x: number, y: number, radius: number}} Taken */

/** The centre and the radius of the lens in m: it stays in one half. @param {SoccerField} field @param {number} side */
export function lensPlace({ length, width }, side) {
  const radius = Math.min((length / 2 - CLEAR) / 2, width / 2 * 0.94)
  return { x: side * (CLEAR + radius), radius }
}

/** The half, 1 or -1, for the lens: never the ball's. Near the halfway line it stays where it is.
 * @param {number} side the present one @param {number} x of the ball, m */
export const lensSide = (side, x) => x * side > CLEAR / 3 ? -side : side

/** Draws the lens: each ball relative to the middle, and those beyond its rim in their direction. side: see lensSide.
 * @param {Pen} pen @param {View} v @param {number} side @param {Guess[]} all @param {{x: number, y: number}} middle
 * @param {boolean} truth */
export function drawLens(pen, v, side, all, middle, truth) {
  const { g } = pen
  const place = lensPlace(v.field, side), [cx, cy] = v.at(place.x, 0), r = place.radius * v.s
  const scale = r * 0.86 / RIM
  g.save()
  g.fillStyle = colors.panel
  g.strokeStyle = colors.line
  g.lineWidth = 1.2
  g.globalAlpha = 0.94
  circle(g, cx, cy, r)
  g.fill()
  g.globalAlpha = 1
  g.stroke()
  g.strokeStyle = colors.hair
  for (const ring of [RIM / 2, RIM]) {
    circle(g, cx, cy, ring * scale)
    g.stroke()
  }
  textStyle(g, fonts.small, 'center')
  const under = cy + scale / 2 * RIM + sizes.small * 0.75, wide = g.measureText('½ m').width + 4
  g.fillStyle = colors.panel
  g.fillRect(cx - wide / 2, under - sizes.small / 2, wide, sizes.small)
  g.fillStyle = colors.dim
  g.fillText('½ m', cx, under)
  if (truth) {
    g.strokeStyle = colors.ink
    g.setLineDash([3, 2.5])
    circle(g, cx, cy, 0.11 * scale)
    g.stroke()
    g.setLineDash([])
  } else cross(g, cx, cy)
  const [ox, oy] = v.at(0, 0)
  const dots = all.map((one) => {
    const [px, py] = v.at(one.ball.x - middle.x, one.ball.y - middle.y)
    const far = one.error > RIM * 1.1
    const k = far ? r * 0.93 / Math.max(1e-9, Math.hypot(px - ox, py - oy)) : scale / v.s
    return { one, far, x: cx + (px - ox) * k, y: cy + (py - oy) * k }
  })
  for (const d of dots) {
    g.fillStyle = d.far ? colors.bad : colors.ball
    circle(g, d.x, d.y, 4 * sizes.glyph)
    g.fill()
  }
  const taken = dots.map((d) => ({ x: d.x, y: d.y, radius: 9 * sizes.glyph }))
  for (const d of dots) {
    const at = freeSpot(taken, d.x, d.y, d.x - cx, d.y - cy, d.far)
    taken.push({ ...at, radius: 13 * sizes.glyph })
    if (Math.hypot(at.x - d.x, at.y - d.y) > 15 * sizes.glyph) leader(g, d, at)
    number(g, String(d.one.tile.number), at.x, at.y, d.far ? colors.bad : colors.ink)
    pen.drawn.push({ glyph: 'lens', number: d.one.tile.number, x: d.x, y: d.y, far: d.far })
  }
  g.restore()
}

/** A free place for a number beside a dot, along (dx, dy) where possible, against it if inwards. @param {Taken[]} taken
 * @param {number} x @param {number} y @param {number} dx @param {number} dy @param {boolean} inwards */
export function freeSpot(taken, x, y, dx, dy, inwards) {
  const out = Math.atan2(dy, dx) + (inwards ? Math.PI : 0)
  let best = { x, y: y - 12 * sizes.glyph }, clear = -Infinity
  for (const far of [12, 20, 29]) { // px in a small window
    for (const turn of [0, 0.7, -0.7, 1.4, -1.4, 2.1, -2.1, 3.1]) {
      const p = { x: x + far * sizes.glyph * Math.cos(out + turn), y: y + far * sizes.glyph * Math.sin(out + turn) }
      const room = Math.min(...taken.map((t) => Math.hypot(t.x - p.x, t.y - p.y) - t.radius))
      if (room >= 0) return p
      if (room > clear) [best, clear] = [p, room]
    }
  }
  return best
}

/** @param {CanvasRenderingContext2D} g @param {number} x @param {number} y */
function cross(g, x, y) {
  g.strokeStyle = colors.dim
  line(g, [x - 4, y], [x + 4, y])
  line(g, [x, y - 4], [x, y + 4])
}

/** Draws a line from a dot to its number. @param {CanvasRenderingContext2D} g @param {{x: number, y: number}} a @param {{x: number, y: number}} b */
function leader(g, a, b) {
  const d = Math.hypot(b.x - a.x, b.y - a.y)
  g.strokeStyle = colors.line
  g.lineWidth = 1
  line(g, [a.x + (b.x - a.x) * 5 / d, a.y + (b.y - a.y) * 5 / d], [b.x - (b.x - a.x) * 7 / d, b.y - (b.y - a.y) * 7 / d])
}

/** @param {CanvasRenderingContext2D} g @param {string} n @param {number} x @param {number} y @param {string} color */
export function number(g, n, x, y, color) {
  textStyle(g, fonts.label, 'center')
  g.fillStyle = color
  drawHaloed(g, n, x, y)
}
