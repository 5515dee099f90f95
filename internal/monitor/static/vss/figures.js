// The robots of a Very Small Size game as they are drawn, live and from a log.

/** @import {SoccerField, VssShow} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {View} from '../shared/field.js' */
/** @import {Thing} from '../shared/hands.js' */
/** @import {Team} from './state.js' */
import { around, drawBeside } from '../shared/beside.js'
import { polygon } from '../shared/draw.js'
import { around as border, drawBall, drawField, WALL } from '../shared/field.js'
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { colors, sizes } from '../shared/theme.js'

export const BODY = 0.075 // m: a robot's side (FIRASim)
export const BALL = 0.0215 // m: the ball's radius (FIRASim)

export const teams = /** @type {Team[]} */ (['blue', 'yellow'])

/** @param {string} team */
const letterOf = (team) => team === 'blue' ? 'B' : 'Y'

/** Where a robot that is off is drawn: behind its own goal line, blue's at -x. @param {SoccerField} f
 * @param {Team} team @param {number} i */
function benchPose(f, team, i) {
  const side = team === 'blue' ? -1 : 1, x = f.length / 2 + (border(f).x + WALL) / 2
  return { x: side * x, y: f.width / 2 - 0.06 - i * 0.1, theta: team === 'blue' ? 0 : Math.PI }
}

/** @param {VssShow} show @returns {Thing[]} */
export const robots = (show) => teams.flatMap((team) =>
  list(show[team]).map((r, i) => ({ kind: team, id: r.id, on: r.on,
  ...(r.on ? r.pose : benchPose(show.field, team, i)) })))

const SQUARE = [[1, 1], [-1, 1], [-1, -1], [1, -1]], ARROW = [[1, 0], [0.25, 1], [-1, 1], [-1, -1], [0.25, -1]]

export const LEAST = 3 // px: half a robot's side, and a ball's radius

/** Half the side of a robot, px. @param {View} v */
const half = (v) => Math.max(BODY / 2 * v.s, LEAST)

/** Where a robot is drawn: on a phone the bench is narrow. @param {View} v @param {Thing} robot @returns {[number, number]} */
function placeOf(v, robot) {
  const [x, y] = v.at(robot.x, robot.y), k = half(v)
  return [Math.min(Math.max(x, k + 1), v.w - k - 1), y]
}

/** Draws robots as large as they are, and their letters and numbers beside them. @param {Pen} pen @param {View} v
 * @param {Thing[]} all @param {{x: number, y: number}} ball */
export function drawRobots(pen, v, all, ball) {
  for (const it of all) drawRobot(pen, v, it)
  const k = half(v), radius = Math.max(LEAST, BALL * v.s)
  const things = all.map((it) => around(...placeOf(v, it), 2 * k, 2 * k))
  things.push(around(...v.at(ball.x, ball.y), 3 * radius, 3 * radius))
  const labels = all.map((it) => {
    const [x, y] = placeOf(v, it)
    return { text: letterOf(it.kind) + it.id, x, y, far: k * Math.SQRT2 + 1, below: it.kind === 'yellow', color: colors.ink }
  })
  drawBeside(pen, labels, things, Math.max(sizes.least, 0.8 * k)).forEach(({ x, y, box, cost }, i) =>
    pen.drawn.push({ glyph: 'number', team: all[i].kind, number: all[i].id, cost, ...box, x, y }))
}

/** Draws a robot: its body is a square, and in it five sides point along the heading. A robot that is off is hollow.
 * @param {Pen} pen @param {View} v @param {Thing} robot */
function drawRobot(pen, v, robot) {
  const { g } = pen, k = half(v), [x, y] = placeOf(v, robot)
  g.save()
  g.translate(x, y)
  g.save()
  g.rotate(v.turn(robot.theta))
  g.lineJoin = 'round'
  g.strokeStyle = colors.ink
  g.lineWidth = 1.3
  g.fillStyle = robot.on ? colors[robot.kind] : colors.panel
  if (!robot.on) g.setLineDash([3, 2.5])
  for (const [path, alpha] of /** @type {[number[][], number][]} */ ([[SQUARE, 0.2], [ARROW, 1]])) {
    polygon(g, path, k)
    g.globalAlpha = alpha
    g.fill()
    g.globalAlpha = 1
    g.stroke()
  }
  g.restore()
  g.restore()
  pen.drawn.push({ glyph: 'robot', team: robot.kind, number: robot.id, style: robot.on ? 'true' : 'off',
    theta: robot.theta, x, y, d: 2 * k })
}

/** Draws a game as a log has it. @param {Pen} pen @param {View} v @param {VssShow} show */
export function drawGame(pen, v, show) {
  drawField(pen, v)
  const { position, velocity } = show.ball
  drawRobots(pen, v, robots(show), position)
  drawBall(pen, v, { ...position, vx: velocity.x, vy: velocity.y }, { least: LEAST, radius: BALL, ahead: 0.25 })
}

/** A robot's letter and number on its team's colour, or the team's letter alone; hollow while the robot is off.
 * @param {{team: string, id?: number, on?: boolean}} props */
export function TeamBadge({ team, id, on = true }) {
  return html`<span class="badge ${on ? team : 'hollow'}">${letterOf(team)}${id}</span>`
}
