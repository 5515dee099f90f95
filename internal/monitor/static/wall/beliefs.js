// Every robot's ball on one field, and a lens around ground truth or around their mean.

/** @import {Thing, Tile, Wall} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {Graded} from './health.js' */
/** @import {Taken} from './lens.js' */
import { Canvas } from '../shared/canvas.js'
import { circle } from '../shared/draw.js'
import { drawBall, drawUncertainty, drawField, project } from '../shared/field.js'
import { distance, withUnit } from '../shared/format.js'
import { gradeSpread } from './health.js'
import { drawLens, freeSpot, lensSide, number, RIM } from './lens.js'
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { Figures } from './tile.js'
import { colors, sizes } from '../shared/theme.js'
import { live } from './state.js'

/** A robot's ball and its distance from the reference. @typedef {{tile: Tile, ball: Thing, error: number}} Guess */

/** The balls of all live tiles, and the point from which they are measured.
 * @param {Wall} wall @returns {{guesses: Guess[], middle: {x: number, y: number} | null}} */
function guesses(wall) {
  const found = comparable(wall).flatMap((tile) => tile.belief.ball ? [{ tile, ball: tile.belief.ball, error: 0 }] : [])
  const middle = wall.truth?.ball ?? wall.fused?.ball ?? mean(found)
  for (const g of found) if (middle) g.error = Math.hypot(g.ball.x - middle.x, g.ball.y - middle.y)
  return { guesses: found, middle }
}

/** The live tiles that report the same ball: real robots beside a simulated field see another one.
 * @param {Wall} wall */
const comparable = (wall) => list(wall.tiles).filter((t) => t.state === 'live' && !(wall.truth && t.real))

/** @param {Guess[]} balls */
function mean(balls) {
  if (!balls.length) return null
  return { x: balls.reduce((s, g) => s + g.ball.x, 0) / balls.length,
    y: balls.reduce((s, g) => s + g.ball.y, 0) / balls.length }
}

/** The root mean square distance of balls from their mean. @param {Guess[]} balls */
function spread(balls) {
  const m = mean(balls)
  return m && balls.length > 1 ? Math.sqrt(balls.reduce((s, g) => s + (g.ball.x - m.x) ** 2 + (g.ball.y - m.y) ** 2,
    0) / balls.length) : null
}

let side = 1 // of the field on which the lens is

/** @param {Pen} pen */
function drawBeliefs(pen) {
  const { wall } = live
  if (!wall) return
  const { guesses: all, middle } = guesses(wall)
  const v = project(wall.field, live.frame, pen.w, pen.h)
  drawField(pen, v)
  if (!middle) return
  if (wall.truth) drawBall(pen, v, wall.truth.ball, { ghost: true, least: 4 * sizes.glyph })
  const far = []
  for (const g of all) {
    drawUncertainty(pen, v, g.ball)
    const [x, y] = v.at(g.ball.x, g.ball.y)
    pen.g.fillStyle = colors.ball
    circle(pen.g, x, y, 3 * sizes.glyph)
    pen.g.fill()
    pen.drawn.push({ glyph: 'guess', number: g.tile.number, x, y })
    if (g.error > RIM) far.push({ n: g.tile.number, x, y })
  }
  /** @type {Taken[]} */
  const taken = far.map(({ x, y }) => ({ x, y, radius: 8 }))
  const [mx, my] = v.at(middle.x, middle.y)
  for (const f of far) {
    const at = freeSpot(taken, f.x, f.y, f.x - mx, f.y - my, false)
    taken.push({ ...at, radius: 13 * sizes.glyph })
    number(pen.g, String(f.n), at.x, at.y, colors.bad)
  }
  side = lensSide(side, middle.x)
  drawLens(pen, v, side, all, middle, !!wall.truth)
}

/** @param {Wall} wall @returns {Graded[]} */
function summary(wall) {
  const { guesses: all, middle } = guesses(wall)
  const worst = all.reduce((/** @type {Guess | null} */ a, b) => a && a.error >= b.error ? a : b, null)
  const level = worst ? gradeSpread(worst.error) : ''
  const rest = level && worst ? all.filter((g) => g !== worst) : all
  const without = level && worst && all.length > 2
  const seen = all.filter((g) => g.tile.belief.seesBall).length
  return [
    { ...distance(without ? spread(rest) : wall.spread), label: 'spread', more: without ? `without ${worst.tile.number}`
      : '', level: '' },
    { ...distance(middle && worst ? worst.error : null), label: worst ? `worst: robot ${worst.tile.number}` : 'worst', more: '', level, about: 'worst' },
    { value: `${seen}`, unit: `of ${comparable(wall).length}`, label: 'see the ball', more: '', level: '' },
  ]
}

/** @param {{wall: Wall}} props */
export function Beliefs({ wall }) {
  const items = summary(wall)
  return html`<section class="panel tile all" aria-label=${`All beliefs: spread ${withUnit(items[0])}`}>
    <div class="head"><h2>All beliefs</h2><span class="sub">
      ${wall.truth ? 'ball error per robot' : 'distance from the mean ball'}</span></div>
    <div class="body"><div class="stage"><${Canvas} name="beliefs" label="Every robot's ball on one field"
      draw=${drawBeliefs} /></div>
      <${Figures} items=${items} /></div>
  </section>`
}
