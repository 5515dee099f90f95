// A team's worldstate on a field: its robots, balls and obstacles, with a ring in the team's colour around the things
// that have no colour of their own.

/** @import {Figure} from '../types' */
/** @import {Pen} from './canvas.js' */
/** @import {View} from './field.js' */
import { circle } from './draw.js'
import { drawBall, drawObstacle, drawRobot } from './field.js'
import { list } from './state.js'
import { colors } from './theme.js'

export const OLD = 1 // s: older worldstates are drawn paler

/** Places in the field frame, in which the first team attacks to x; null where the team gave none.
 * @typedef {{x: number | null, y: number | null}} Place
 * @typedef {Place & {number: number, theta: number | null}} TeamRobot
 * @typedef {{robots: TeamRobot[] | null, balls: (Place & {z?: number | null})[] | null, obstacles?: Place[] | null}}
 * Worldstate */

/** @param {number} number @param {number} color @param {number} x @param {number} y @param {number | null} theta
 * @returns {Figure} */
export const figure = (number, color, x, y, theta) => ({ number, color, shape: 'robot',
  pose: { x, y, theta: theta ?? 0 }, facing: theta != null, self: false, age: null, trust: null })

/** The robots with a position. @template {TeamRobot} R @param {{robots: R[] | null} | null | undefined} world */
export const placed = (world) =>
  /** @type {(R & {x: number, y: number})[]} */ (list(world?.robots).filter((r) => r.x != null && r.y != null))

/** Draws a team's worldstate. @param {Pen} pen @param {View} v @param {Worldstate} world
 * @param {number} color 0: the first team, 1: the second @param {number} silent seconds since the worldstate */
export function drawWorldstate(pen, v, world, color, silent) {
  const { g } = pen
  g.save()
  g.globalAlpha = silent > OLD ? 0.35 : 1
  drawBallsAndObstacles(pen, v, world, color)
  for (const r of placed(world)) drawRobot(pen, v, figure(r.number, color, r.x, r.y, r.theta), 'true', 11)
  g.restore()
}

/** @param {Pen} pen @param {View} v @param {Worldstate} world @param {number} color */
function drawBallsAndObstacles({ g, ...pen }, v, world, color) {
  g.save()
  g.lineWidth = 1.5
  g.strokeStyle = color ? colors.magenta : colors.cyan
  g.setLineDash(color ? [2, 2] : [])
  for (const { x, y } of list(world.obstacles)) {
    if (x == null || y == null) continue
    drawObstacle({ g, ...pen }, v, /** @type {any} */ ({ x, y }), { least: 4 })
    const [px, py] = v.at(x, y), k = Math.max(0.25 * v.s, 4) + 2
    g.strokeRect(px - k, py - k, 2 * k, 2 * k)
  }
  list(world.balls).forEach(({ x, y, z }, i) => {
    if (x == null || y == null) return
    drawBall({ g, ...pen }, v, { x, y, z: z ?? 0, vx: 0, vy: 0 }, { least: 5, reported: i > 0 })
    const [px, py] = v.at(x, y)
    circle(g, px, py, Math.max(0.16 * v.s, 5) + 3)
    if (i === 0) g.stroke()
  })
  g.restore()
}
