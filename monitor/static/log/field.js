// The field of a log at one time: the worldstates of both teams, and ground truth where the log has it.

/** @import {Figure, MatchlogFrame, MatchlogView, MatchlogViewRobot, SoccerField} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {LogTruth} from './data.js' */
/** @import {Side} from '../refbox/text.js' */
import { Canvas } from '../shared/canvas.js'
import { drawBall, drawSelection, drawField, drawObstacle, drawRobot, extent, project } from '../shared/field.js'
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { colors } from '../shared/theme.js'
import { sides } from '../refbox/text.js'

export const OLD = 1 // s: older worldstates are drawn paler

/** @typedef {{side: Side, number: number}} Choice */

/** @param {number} number @param {number} color @param {number} x @param {number} y @param {number | null} theta
 * @returns {Figure} */
const figure = (number, color, x, y, theta) => ({ number, color, shape: 'robot', pose: { x, y, theta: theta ?? 0 },
  facing: theta != null, self: false, age: null })

/** @param {Pen} pen @param {ReturnType<typeof project>} v @param {MatchlogView} view @param {number} color */
function drawBallsAndObstacles({ g, ...pen }, v, view, color) {
  g.save()
  g.lineWidth = 1.5
  g.strokeStyle = color ? colors.magenta : colors.cyan
  g.setLineDash(color ? [2, 2] : [])
  for (const { x, y } of list(view.obstacles)) {
    if (x == null || y == null) continue
    drawObstacle({ g, ...pen }, v, /** @type {any} */ ({ x, y }), { least: 4 })
    const [px, py] = v.at(x, y), k = Math.max(0.25 * v.s, 4) + 2
    g.strokeRect(px - k, py - k, 2 * k, 2 * k)
  }
  list(view.balls).forEach(({ x, y, z }, i) => {
    if (x == null || y == null) return
    drawBall({ g, ...pen }, v, { x, y, z: z ?? 0, vx: 0, vy: 0 }, { least: 5, reported: i > 0 })
    const [px, py] = v.at(x, y)
    g.beginPath()
    g.arc(px, py, Math.max(0.16 * v.s, 5) + 3, 0, 7)
    if (i === 0) g.stroke()
  })
  g.restore()
}

/** A robot with a position. @typedef {MatchlogViewRobot & {x: number, y: number}} Placed */

/** The robots with a position. @param {MatchlogView | null | undefined} view */
const placed = (view) => /** @type {Placed[]} */ (list(view?.robots).filter((r) => r.x != null && r.y != null))

/** @param {Pen} pen @param {SoccerField} field @param {MatchlogFrame | null} frame @param {Choice | null} choice */
function draw(pen, field, frame, choice) {
  const { g } = pen, v = project(field, 'x', pen.w, pen.h)
  drawField(pen, v)
  if (!frame) return
  sides.forEach((side, color) => {
    const view = frame[side]
    if (!view) return
    g.globalAlpha = view.age > OLD ? 0.35 : 1
    drawBallsAndObstacles(pen, v, view, color)
    for (const r of placed(view)) {
      const chosen = choice?.side === side && choice.number === r.number
      drawRobot(pen, v, figure(r.number, color, r.x, r.y, r.theta), 'true', 11)
      if (chosen) drawTarget(pen, v, r)
    }
    g.globalAlpha = 1
  })
  const truth = /** @type {LogTruth | null} */ (frame.truth)
  for (const r of list(truth?.robots)) drawRobot(pen, v,
    figure(r.number, r.team === 'away' ? 1 : 0, r.pose.x, r.pose.y, r.pose.theta), 'ghost', 13)
  if (truth?.ball) drawBall(pen, v, { ...truth.ball, vx: 0, vy: 0 }, { ghost: true, least: 5 })
}

/** Draws a ring around the chosen robot, and its target. @param {Pen} pen @param {ReturnType<typeof project>} v
 * @param {MatchlogViewRobot & {x: number, y: number}} r */
function drawTarget(pen, v, r) {
  const { g } = pen
  drawSelection(pen, v, { x: r.x, y: r.y, kind: 'robot', id: r.number }, Math.max(0.45 * v.s, 17))
  if (r.tx == null || r.ty == null) return
  const [x, y] = v.at(r.x, r.y), [tx, ty] = v.at(r.tx, r.ty)
  g.strokeStyle = colors.focus
  g.setLineDash([5, 4])
  g.beginPath()
  g.moveTo(x, y)
  g.lineTo(tx, ty)
  g.stroke()
  g.setLineDash([])
  g.beginPath()
  for (const [a, b] of [[-1, -1], [1, 1]]) {
    g.moveTo(tx + 5 * a, ty + 5 * b)
    g.lineTo(tx - 5 * a, ty - 5 * b)
    g.moveTo(tx + 5 * a, ty - 5 * b)
    g.lineTo(tx, ty)
  }
  g.stroke()
}

/** The robot under a point of the canvas. @param {MouseEvent} e @param {SoccerField} field
 * @param {MatchlogFrame | null} frame @returns {Choice | null} */
function robotAt(e, field, frame) {
  const c = /** @type {HTMLCanvasElement} */ (e.currentTarget), v = project(field, 'x', c.clientWidth, c.clientHeight)
  let best = /** @type {Choice | null} */ (null), near = 26 // px
  for (const side of sides) {
    for (const r of placed(frame?.[side])) {
      const [x, y] = v.at(r.x, r.y), d = Math.hypot(x - e.offsetX, y - e.offsetY)
      if (d < near) {
        near = d
        best = { side, number: r.number }
      }
    }
  }
  return best
}

/** @param {{field: SoccerField, frame: MatchlogFrame | null, choice: Choice | null, choose: (c: Choice | null) =>
 * void}} props */
export function LogField({ field, frame, choice, choose }) {
  const size = extent(field, 'x')
  return html`<section class="panel log-field" style=${{ '--aspect': size.w / size.h }}><${Canvas} name="log"
    label="the field as both teams reported it; the first team attacks to the right"
    draw=${(/** @type {Pen} */ pen) => draw(pen, field, frame, choice)}
      onClick=${(/** @type {MouseEvent} */ e) => choose(robotAt(e, field, frame))} /></section>`
}
