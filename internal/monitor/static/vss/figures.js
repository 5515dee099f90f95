// The robots of a Very Small Size game as they are drawn, live and from a log.

/** @import {SoccerField, VssShow} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {View} from '../shared/field.js' */
/** @import {Thing} from '../shared/hands.js' */
/** @import {Team} from './state.js' */
import { label, polygon } from '../shared/draw.js'
import { around, drawBall, drawField, WALL } from '../shared/field.js'
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { colors, fonts } from '../shared/theme.js'

export const BODY = 0.075 // m: a robot's side (FIRASim)
export const BALL = 0.0215 // m: the ball's radius (FIRASim)

export const teams = /** @type {Team[]} */ (['blue', 'yellow'])

/** @param {string} team */
const letterOf = (team) => team === 'blue' ? 'B' : 'Y'

/** Where a robot that is off is drawn: behind its own goal line, blue's at -x. @param {SoccerField} f
 * @param {Team} team @param {number} i */
function benchPose(f, team, i) {
  const side = team === 'blue' ? -1 : 1, x = f.length / 2 + (around(f).x + WALL) / 2
  return { x: side * x, y: f.width / 2 - 0.06 - i * 0.1, theta: team === 'blue' ? 0 : Math.PI }
}

/** @param {VssShow} show @returns {Thing[]} */
export const robots = (show) => teams.flatMap((team) =>
  list(show[team]).map((r, i) => ({ kind: team, id: r.id, on: r.on,
  ...(r.on ? r.pose : benchPose(show.field, team, i)) })))

const SQUARE = [[1, 1], [-1, 1], [-1, -1], [1, -1]], ARROW = [[1, 0], [0.25, 1], [-1, 1], [-1, -1], [0.25, -1]]

/** Draws a robot: its body is a square, and in it five sides point along the heading. A robot that is off is hollow.
 * @param {Pen} pen @param {View} v @param {Thing} robot */
export function drawRobot(pen, v, robot) {
  const { g } = pen, k = Math.max(BODY / 2 * v.s, 10), name = letterOf(robot.kind)
  const [px, y] = v.at(robot.x, robot.y),
    x = Math.min(Math.max(px, k + 1), v.w - k - 1) // on a phone the bench is narrow
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
  g.fillStyle = robot.on ? colors['on-' + robot.kind] : colors.ink
  const back = -0.12 * k // the five sides have more room at the back
  label(g, name + robot.id, back * Math.cos(robot.theta), -back * Math.sin(robot.theta) + 0.5,
    fonts.bold(Math.max(10, k * 0.86)))
  g.restore()
  pen.drawn.push({ glyph: 'robot', team: robot.kind, number: robot.id, style: robot.on ? 'true' : 'off',
    theta: robot.theta, x, y })
}

/** Draws a game as a log has it. @param {Pen} pen @param {View} v @param {VssShow} show */
export function drawGame(pen, v, show) {
  drawField(pen, v)
  for (const it of robots(show)) drawRobot(pen, v, it)
  const { position, velocity } = show.ball
  drawBall(pen, v, { ...position, vx: velocity.x, vy: velocity.y }, { least: 5, radius: BALL, ahead: 0.25 })
}

/** A robot's letter and number on its team's colour, or the team's letter alone; hollow while the robot is off.
 * @param {{team: string, id?: number, on?: boolean}} props */
export function TeamBadge({ team, id, on = true }) {
  return html`<span class="badge ${on ? team : 'hollow'}">${letterOf(team)}${id}</span>`
}
