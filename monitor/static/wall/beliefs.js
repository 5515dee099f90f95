// Every robot's ball on one field, and a lens around ground truth or around their mean.

/** @import {Thing, Tile, Wall} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {Graded} from './health.js' */
import { Canvas } from '../shared/canvas.js'
import { drawBall, drawUncertainty, drawField, project } from '../shared/field.js'
import { distance, withUnit } from '../shared/format.js'
import { gradeSpread } from './health.js'
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { Figures } from './tile.js'
import { colors, fonts } from '../shared/theme.js'
import { live } from './state.js'

const RIM = 1 // m: radius that the lens shows

/** @typedef {{tile: Tile, ball: Thing, error: number}} Guess
 * @typedef {{x: number, y: number, radius: number}} Taken */

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

let side = 1 // of the field on which the lens is; it changes only when the ball comes near

/** @param {Pen} pen */
function drawBeliefs(pen) {
  const { wall } = live
  if (!wall) return
  const { guesses: all, middle } = guesses(wall)
  const v = project(wall.field, live.frame, pen.w, pen.h)
  drawField(pen, v)
  if (!middle) return
  if (wall.truth) drawBall(pen, v, wall.truth.ball, { ghost: true, least: 4 })
  const far = []
  for (const g of all) {
    drawUncertainty(pen, v, g.ball)
    const [x, y] = v.at(g.ball.x, g.ball.y)
    pen.g.fillStyle = colors.ball
    pen.g.beginPath()
    pen.g.arc(x, y, 3, 0, 7)
    pen.g.fill()
    pen.drawn.push({ glyph: 'guess', number: g.tile.number, x, y })
    if (g.error > RIM) far.push({ n: g.tile.number, x, y })
  }
  /** @type {Taken[]} */
  const taken = far.map(({ x, y }) => ({ x, y, radius: 8 }))
  const [mx, my] = v.at(middle.x, middle.y)
  for (const f of far) {
    const at = freeSpot(taken, f.x, f.y, f.x - mx, f.y - my, false)
    taken.push({ ...at, radius: 13 })
    number(pen.g, String(f.n), at.x, at.y, colors.bad)
  }
  const along = middle.x / wall.field.length
  if (along * side > 0.08) side = -side
  drawLens(pen, v, all, middle, !!wall.truth)
}

/** @param {Pen} pen @param {ReturnType<typeof project>} v @param {Guess[]} all @param {{x: number, y: number}} middle
 * @param {boolean} truth */
function drawLens(pen, v, all, middle, truth) {
  const { g } = pen
  const { length, width } = v.field
  const [cx, cy] = v.at(side * length / 4, 0)
  const r = Math.min(length / 4, width / 2) * v.s * 0.94
  const scale = r * 0.86 / RIM
  g.save()
  g.fillStyle = colors.panel
  g.strokeStyle = colors.line
  g.lineWidth = 1.2
  g.globalAlpha = 0.94
  disc(g, cx, cy, r)
  g.fill()
  g.globalAlpha = 1
  g.stroke()
  g.strokeStyle = colors.hair
  for (const ring of [RIM / 2, RIM]) {
    disc(g, cx, cy, ring * scale)
    g.stroke()
  }
  g.fillStyle = colors.dim
  g.font = fonts.small
  g.textAlign = 'center'
  g.textBaseline = 'middle'
  g.fillText('½ m', cx, cy + scale / 2 * RIM + 8)
  if (truth) {
    g.strokeStyle = colors.ink
    g.setLineDash([3, 2.5])
    disc(g, cx, cy, 0.11 * scale)
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
    disc(g, d.x, d.y, 4)
    g.fill()
  }
  const taken = dots.map((d) => ({ x: d.x, y: d.y, radius: 9 }))
  for (const d of dots) {
    const at = freeSpot(taken, d.x, d.y, d.x - cx, d.y - cy, d.far)
    taken.push({ ...at, radius: 13 })
    if (Math.hypot(at.x - d.x, at.y - d.y) > 15) line(g, d, at)
    number(g, String(d.one.tile.number), at.x, at.y, d.far ? colors.bad : colors.ink)
    pen.drawn.push({ glyph: 'lens', number: d.one.tile.number, x: d.x, y: d.y, far: d.far })
  }
  g.restore()
}

/** A free place for a number beside a dot, along (dx, dy) where possible, against it if inwards. @param {Taken[]} taken
 * @param {number} x @param {number} y @param {number} dx @param {number} dy @param {boolean} inwards */
function freeSpot(taken, x, y, dx, dy, inwards) {
  const out = Math.atan2(dy, dx) + (inwards ? Math.PI : 0)
  let best = { x, y: y - 12 }, clear = -Infinity
  for (const far of [12, 20, 29]) {
    for (const turn of [0, 0.7, -0.7, 1.4, -1.4, 2.1, -2.1, 3.1]) {
      const p = { x: x + far * Math.cos(out + turn), y: y + far * Math.sin(out + turn) }
      const room = Math.min(...taken.map((t) => Math.hypot(t.x - p.x, t.y - p.y) - t.radius))
      if (room >= 0) return p
      if (room > clear) [best, clear] = [p, room]
    }
  }
  return best
}

/** @param {CanvasRenderingContext2D} g @param {number} x @param {number} y @param {number} r */
function disc(g, x, y, r) {
  g.beginPath()
  g.arc(x, y, r, 0, 7)
}

/** @param {CanvasRenderingContext2D} g @param {number} x @param {number} y */
function cross(g, x, y) {
  g.strokeStyle = colors.dim
  g.beginPath()
  g.moveTo(x - 4, y)
  g.lineTo(x + 4, y)
  g.moveTo(x, y - 4)
  g.lineTo(x, y + 4)
  g.stroke()
}

/** @param {CanvasRenderingContext2D} g @param {{x: number, y: number}} a @param {{x: number, y: number}} b */
function line(g, a, b) {
  const d = Math.hypot(b.x - a.x, b.y - a.y)
  g.strokeStyle = colors.line
  g.lineWidth = 1
  g.beginPath()
  g.moveTo(a.x + (b.x - a.x) * 5 / d, a.y + (b.y - a.y) * 5 / d)
  g.lineTo(b.x - (b.x - a.x) * 7 / d, b.y - (b.y - a.y) * 7 / d)
  g.stroke()
}

/** @param {CanvasRenderingContext2D} g @param {string} n @param {number} x @param {number} y @param {string} color */
function number(g, n, x, y, color) {
  g.font = fonts.label
  g.textAlign = 'center'
  g.textBaseline = 'middle'
  g.fillStyle = color
  g.fillText(n, x, y)
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
    { ...distance(without ? spread(rest) : wall.spread), label: without ? `spread without ${worst.tile.number}`
      : 'spread', level: '' },
    { ...distance(middle && worst ? worst.error : null), label: worst ? `farthest: ${worst.tile.number}` : 'farthest',
      level },
    { value: `${seen}`, unit: `of ${comparable(wall).length}`, label: 'robots seeing the ball', level: '' },
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
