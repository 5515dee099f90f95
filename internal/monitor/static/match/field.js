// The field of a match: robots with their targets, the ball with the teams' uncertainty, and who has booked it.

/** @import {MatchRobot, MatchShowView} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {View} from '../shared/field.js' */
import { Canvas, nearest } from '../shared/canvas.js'
import { circle, drawHaloed, line, polygon, textStyle } from '../shared/draw.js'
import { drawBall, drawField, drawUncertainty, project } from '../shared/field.js'
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { colors, fonts, sizes } from '../shared/theme.js'
import { live } from '../wall/state.js'
import { drawHeat, drawPasses, drawShots, drawTrail } from './layers.js'
import { doing, keyOf, match, openDecisions, teamOf } from './state.js'

const ROBOT = 0.25 // m: half of a robot's length and width
const BALL = 0.11 // m: the ball's radius
const CROSS = 6 // px, of a target
const LEAST_BALL = 3 // px, in a small window

/** The five sides of a robot in its true size: as long as wide. */
const OUTLINE = [[1, 0], [0.25, 1], [-1, 0.9], [-1, -0.9], [0.25, -1]]

/** @param {{color: number}} r */
const colorOf = (r) => r.color ? colors.magenta : colors.cyan

/** @param {Pen} pen */
function drawMatch(pen) {
  const { view } = match
  if (!view) return
  const v = project(view.field, live.frame, pen.w, pen.h)
  drawField(pen, v)
  if (match.heat && view.heat?.columns) drawHeat(pen, v, view)
  const robots = list(view.robots).filter((r) => r.on)
  for (const r of robots) drawTarget(pen, v, r)
  for (const team of [view.home, view.away]) if (team.ball) drawUncertainty(pen, v, team.ball)
  drawPasses(pen, v, view)
  drawTrail(pen, v)
  for (const r of robots) drawOne(pen, v, r)
  drawBall(pen, v, view.ball, { least: LEAST_BALL, radius: BALL, height: true })
  drawNumbers(pen, v, robots)
  if (match.shots) drawShots(pen, v, view)
}

/** The thin line and the cross: where a robot wants to go. @param {Pen} pen @param {View} v @param {MatchRobot} r */
function drawTarget({ g, drawn }, v, r) {
  if (!r.target || !r.running) return
  const [x, y] = v.at(r.pose.x, r.pose.y), [tx, ty] = v.at(r.target.x, r.target.y), c = CROSS * sizes.glyph
  g.strokeStyle = colorOf(r)
  g.lineWidth = 1.2
  line(g, [x, y], [tx, ty])
  g.lineWidth = 2
  g.beginPath()
  for (const s of [-1, 1]) {
    g.moveTo(tx - c, ty - s * c)
    g.lineTo(tx + c, ty + s * c)
  }
  g.stroke()
  drawn.push({ glyph: 'target', x: tx, y: ty, number: r.number, color: r.color })
}

/** Draws a robot as large as it is: the away team's with a stripe, one whose software does not run hollow and red.
 * @param {Pen} pen @param {View} v @param {MatchRobot} r */
function drawOne({ g, drawn }, v, r) {
  const [x, y] = v.at(r.pose.x, r.pose.y), k = ROBOT * v.s
  g.save()
  g.translate(x, y)
  g.rotate(v.turn(r.pose.theta))
  polygon(g, OUTLINE, k)
  g.fillStyle = r.running ? colorOf(r) : colors.panel
  g.fill()
  if (!r.running) {
    g.strokeStyle = colors.bad
    g.lineWidth = 2.5
    g.stroke()
  } else if (r.color) {
    g.fillStyle = colors['on-team']
    g.fillRect(-0.55 * k, -0.75 * k, 0.35 * k, 1.5 * k)
  }
  g.restore()
  drawn.push({ glyph: r.running ? 'robot' : 'crashed', number: r.number, color: r.color, x, y, d: 2 * k })
  if (r.booker && r.running) {
    g.strokeStyle = colorOf(r)
    g.lineWidth = Math.max(2.5, 0.22 * k)
    circle(g, x, y, RING * k)
    g.stroke()
    drawn.push({ glyph: 'booker', x, y, number: r.number, color: r.color, stroke: g.strokeStyle })
  }
  if (keyOf(r) !== match.sel) return
  g.strokeStyle = colors.focus
  g.lineWidth = 3
  circle(g, x, y, 2.3 * k + 2)
  g.stroke()
  drawn.push({ glyph: 'selection', x, y })
}

const RING = 1.8 // radii of a robot: the ring of the one that has booked the ball

/** A box on the canvas. @typedef {{left: number, right: number, top: number, bottom: number}} Box */

/** @param {Box} a @param {Box} b */
const overlap = (a, b) => Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left))
  * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top))

/** Where a number may stand, away from its robot: those of home prefer the place above, those of away the one beneath.
 * @type {[number, number][]} */
const PLACES = [[0, -1], [1, 0], [-1, 0], [0, 1], [0.8, -0.9], [-0.8, -0.9], [0.8, 0.9], [-0.8, 0.9]]

/** Draws the robots' numbers beside them, each at the first place that is free, or freest.
 * @param {Pen} pen @param {View} v @param {MatchRobot[]} robots */
function drawNumbers({ g, w, h, drawn }, v, robots) {
  const k = ROBOT * v.s, high = sizes.least
  const around = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ wide, /** @type {number} */ tall) =>
    ({ left: x - wide / 2, right: x + wide / 2, top: y - tall / 2, bottom: y + tall / 2 })
  const ball = match.view?.ball, bodies = robots.map((r) => around(...v.at(r.pose.x, r.pose.y), 2 * k, 2 * k))
  /** @type {Box[]} */
  const taken = ball ? [...bodies, around(...v.at(ball.x, ball.y), 4 * k * BALL / ROBOT, 4 * k * BALL / ROBOT)] : bodies
  textStyle(g, fonts.bold(high), 'center')
  for (const r of robots) {
    const [x, y] = v.at(r.pose.x, r.pose.y), text = String(r.number), wide = g.measureText(text).width + 4
    const far = k * (r.booker ? RING + 0.2 : 1) + 2
    let best = { x, y, box: around(x, y, wide, high), cost: Infinity }
    for (const [dx, dy] of PLACES) {
      const px = x + dx * (far + wide / 2), py = y + (r.color ? -dy : dy) * (far + high / 2), box = around(px, py, wide, high)
      const outside = box.left < 0 || box.right > w || box.top < 0 || box.bottom > h
      const cost = outside ? 1e6 : taken.reduce((sum, b) => sum + overlap(box, b), 0)
      if (cost < best.cost) best = { x: px, y: py, box, cost }
      if (cost === 0) break
    }
    taken.push(best.box)
    g.fillStyle = r.running ? colorOf(r) : colors.bad
    drawHaloed(g, text, best.x, best.y + 1, colors.pitch, 4)
    drawn.push({ glyph: 'number', number: r.number, color: r.color, cost: best.cost, ...best.box, x: best.x, y: best.y })
    if (!r.running) drawHaloed(g, 'crashed', x, y + (r.color ? -1 : 1) * (far + high / 2), colors.pitch, 4)
  }
}

/** The robot under the pointer. @param {PointerEvent} e */
function robotAt(e) {
  const { view } = match, c = /** @type {HTMLElement} */ (e.currentTarget)
  if (!view) return undefined
  const v = project(view.field, live.frame, c.clientWidth, c.clientHeight)
  return nearest(list(view.robots).filter((r) => r.on), (r) => v.at(r.pose.x, r.pose.y), e.offsetX, e.offsetY,
    Math.max(24, 2 * ROBOT * v.s))
}

/** @param {PointerEvent} e */
function press(e) {
  const r = robotAt(e)
  if (r) openDecisions(keyOf(r))
}

/** The robots in words, for readers of the screen. @param {MatchShowView} view */
const inWords = (view) => list(view.robots).map((r) => `${teamOf(view, r).name} ${r.number}: ${doing(r)}${
  r.booker ? ', has booked the ball' : ''}`).join('; ')

/** @param {{view: MatchShowView}} props */
export const MatchField = ({ view }) => html`<${Canvas} name="match" class="match-field"
  label=${`The field. ${inWords(view)}`} draw=${drawMatch} onPointerDown=${press} />`
