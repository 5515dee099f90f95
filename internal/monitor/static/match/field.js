// The field of a match: robots with their targets, the ball with the teams' uncertainty, and who has booked it.

/** @import {MatchRobot, MatchShowView} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {View} from '../shared/field.js' */
import { Canvas, nearest } from '../shared/canvas.js'
import { around, drawBeside } from '../shared/beside.js'
import { circle, drawHaloed, line, polygon } from '../shared/draw.js'
import { drawBall, drawField, drawUncertainty, project } from '../shared/field.js'
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { colors, sizes } from '../shared/theme.js'
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

/** Draws the robots' numbers beside them: those of home rather above, those of away rather beneath.
 * @param {Pen} pen @param {View} v @param {MatchRobot[]} robots */
function drawNumbers(pen, v, robots) {
  const { g, drawn } = pen, k = ROBOT * v.s, ball = match.view?.ball
  const things = robots.map((r) => around(...v.at(r.pose.x, r.pose.y), 2 * k, 2 * k))
  if (ball) things.push(around(...v.at(ball.x, ball.y), 4 * k * BALL / ROBOT, 4 * k * BALL / ROBOT))
  const labels = robots.map((r) => {
    const [x, y] = v.at(r.pose.x, r.pose.y)
    return { text: String(r.number), x, y, far: k * (r.booker ? RING + 0.2 : 1) + 2, below: r.color !== 0,
      color: r.running ? colorOf(r) : colors.bad }
  })
  drawBeside(pen, labels, things).forEach(({ x, y, box, cost }, i) => {
    const r = robots[i], at = labels[i]
    drawn.push({ glyph: 'number', number: r.number, color: r.color, cost, ...box, x, y })
    if (r.running) return
    g.fillStyle = colors.bad
    drawHaloed(g, 'crashed', at.x, at.y + (r.color ? -1 : 1) * (at.far + sizes.least / 2), colors.pitch, 4)
  })
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
