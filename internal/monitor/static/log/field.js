// The field of a log at one time: the worldstates of both teams, and ground truth where the log has it.

/** @import {MatchlogFrame, MatchlogViewRobot, SoccerField, VssShow} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {LogTruth} from './data.js' */
/** @import {Side} from '../refbox/text.js' */
import { Canvas, nearest } from '../shared/canvas.js'
import { line } from '../shared/draw.js'
import { drawBall, drawSelection, drawField, drawRobot, extent, project } from '../shared/field.js'
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { colors } from '../shared/theme.js'
import { drawWorldstate, figure, placed } from '../shared/worldstate.js'
import { sides } from '../refbox/text.js'
import { drawGame } from '../vss/figures.js'

/** @typedef {{side: Side, number: number}} Choice */

/** @param {Pen} pen @param {SoccerField} field @param {MatchlogFrame | null} frame @param {Choice | null} choice */
function draw(pen, field, frame, choice) {
  const v = project(field, 'x', pen.w, pen.h), game = /** @type {VssShow | null | undefined} */ (frame?.vss)
  if (game) return drawGame(pen, v, game)
  drawField(pen, v)
  if (!frame) return
  const truth = /** @type {LogTruth | null} */ (frame.truth)
  const isCamera = (/** @type {Side} */ side, /** @type {number} */ number) => list(truth?.robots).some((r) =>
    r.shape === 'camera' && r.number === number && (r.team === side))
  sides.forEach((side, color) => {
    const view = frame[side]
    if (!view) return
    const robots = list(view.robots).map((r) => isCamera(side, r.number) ? { ...r, theta: null } : r)
    drawWorldstate(pen, v, { ...view, robots }, color, view.age)
    for (const r of placed(view)) if (choice?.side === side && choice.number === r.number) drawTarget(pen, v, r)
  })
  const beneath = !!(frame.home || frame.away)
  for (const r of list(truth?.robots)) drawRobot(pen, v, figure(r.number, r.team === 'away' ? 1 : 0, r.pose.x, r.pose.y,
    r.shape === 'camera' ? null : r.pose.theta), beneath ? 'ghost' : 'true', beneath ? 13 : 11)
  if (truth?.ball) drawBall(pen, v, { ...truth.ball, vx: 0, vy: 0 }, { ghost: beneath, least: 5 })
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
  line(g, [x, y], [tx, ty])
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
  const robots = sides.flatMap((side) => placed(frame?.[side]).map(({ number, x, y }) => ({ side, number, x, y })))
  return nearest(robots, (r) => v.at(r.x, r.y), e.offsetX, e.offsetY, 26) ?? null
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
