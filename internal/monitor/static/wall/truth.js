// The large field: ground truth, or where there is none the fused belief of all cyan robots.

/** @import {Figure, Wall} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {View} from '../shared/field.js' */
/** @import {Thing} from '../shared/hands.js' */
import { circle, line } from '../shared/draw.js'
import { drawAxes, drawBall, drawField, drawObstacle, drawRobot, drawUncertainty, project } from '../shared/field.js'
import { point, wrapped } from '../shared/format.js'
import { FieldCanvas, Hands } from '../shared/hands.js'
import { html } from '../htm/preact/standalone.module.js'
import { isBooker } from '../booking/state.js'
import { disagreement } from '../robot/trust.js'
import { list } from '../shared/state.js'
import { command } from '../shared/stream.js'
import { colors, reducedMotion, sizes } from '../shared/theme.js'
import { Lie, liar } from './lie.js'
import { live } from './state.js'
import { drawNamed } from './tile.js'

/** @param {string} kind @param {number} id @param {number} x @param {number} y @param {number} [theta]
 * @returns {Thing} */
const thing = (kind, id, x, y, theta = 0) => ({ kind, id, on: true, x, y, theta })

/** The ball, the robots and the obstacles of a session that accepts commands. */
function things() {
  const { wall } = live
  if (!wall?.truth || !wall.controls) return []
  const { ball, robots, obstacles } = wall.truth
  return [
    thing('ball', 0, ball.x, ball.y), ...list(robots).map((r) => thing('robot', r.number, r.pose.x, r.pose.y,
      r.pose.theta)),
    ...list(obstacles).map((o, i) => thing('obstacle', i, o.x, o.y)),
  ]
}

/** @param {Thing} it */
function place({ kind, id, x, y, theta }) {
  if (kind === 'obstacle') return command('move-obstacle', { index: id, x, y })
  if (kind === 'robot') return command('move-robot',
    { number: id, x, y, theta: wrapped(theta) })
  return command('place-ball', { x, y })
}

/** The allowed place nearest to a point: the field with its border. @param {{x: number, y: number}} p */
function limit({ x, y }) {
  if (!live.wall) return { x, y }
  const { length, width, border } = live.wall.field
  const clamp = (/** @type {number} */ v, /** @type {number} */ most) => Math.min(most, Math.max(-most, v))
  return { x: clamp(x, length / 2 + border), y: clamp(y, width / 2 + border) }
}

const hands = new Hands({
  data: () => live.wall, things, limit, place,
  view: (w, h) => live.wall && project(live.wall.field, live.frame, w, h),
  turns: (it) => it.kind === 'robot',
  // A lofted kick rises at 30 degrees.
  kick: ({ vx, vy, speed }, loft) => command('kick',
    loft ? { vx: vx * Math.sqrt(0.75), vy: vy * Math.sqrt(0.75), vz: speed / 2 } : { vx, vy, vz: 0 }),
  lofts: true, perMetre: 2, fastest: 10, slowest: 0.3, nudge: 0.25, keyKick: 4,
  ring: (v) => Math.max(18, 0.5 * v.s),
})

/** @param {Pen} pen */
function drawTruth(pen) {
  const { wall } = live
  if (!wall) return
  hands.settle()
  const v = project(wall.field, live.frame, pen.w, pen.h), { length, width, border } = v.field, msl = v.frame === 'msl'
  drawField(pen, v)
  drawAxes(pen.g, v.at(-(length + border) / 2, (msl ? 1 : -1) * (width + border) / 2), msl ? 'X' : 'x', msl ? 'Y' : 'y')
  if (!reducedMotion.matches) drawTrail(pen, v, wall.time)
  const off = new Set(list(wall.tiles).filter((t) => t.state !== 'live' && !t.real).map((t) => t.number))
  const scene = wall.truth ?? wall.fused
  for (const [i, o] of list(scene?.obstacles).entries()) {
    const { x, y } = hands.shown(thing('obstacle', i, o.x, o.y))
    drawObstacle(pen, v, { ...o, x, y }, { least: 7 * sizes.glyph })
  }
  for (const r of list(scene?.robots)) {
    const { x, y, theta } = hands.shown(thing('robot', r.number, r.pose.x, r.pose.y, r.pose.theta))
    if (isBooker(r.number)) drawBooker(pen, v, { ...r, pose: { x, y, theta } }, 12 * sizes.glyph)
    drawRobot(pen, v, { ...r, pose: { x, y, theta } }, off.has(r.number) ? 'off' : 'true', 12 * sizes.glyph)
  }
  drawLiars(pen, v, wall)
  if (scene?.ball) {
    const { x, y } = hands.shown(thing('ball', 0, scene.ball.x, scene.ball.y)), moved = x !== scene.ball.x
      || y !== scene.ball.y
    drawUncertainty(pen, v, scene.ball)
    drawBall(pen, v, moved ? { ...scene.ball, x, y, vx: 0, vy: 0 } : scene.ball,
      { least: 6.5 * sizes.glyph, height: true })
  }
  hands.draw(pen, v)
}

/** Draws where the robots say to be that contradict the others, pale and ringed in red, with a line from where they are.
 * @param {Pen} pen @param {View} v @param {Wall} wall */
function drawLiars(pen, v, wall) {
  for (const t of list(wall.tiles)) {
    const said = list(t.belief.robots).find((r) => r.self), is = list(wall.truth?.robots).find((r) => r.number === t.number
      && r.color === t.color)
    if (!said || !is || t.real || t.state !== 'live' || !disagreement(wall, t)) continue
    pen.g.strokeStyle = colors.bad
    pen.g.lineWidth = 1.5
    pen.g.setLineDash([6, 5])
    line(pen.g, v.at(is.pose.x, is.pose.y), v.at(said.pose.x, said.pose.y))
    pen.g.setLineDash([])
    drawRobot(pen, v, said, 'reported', 12 * sizes.glyph)
    drawNamed(pen, v, said, 12 * sizes.glyph)
  }
}

/** Draws a ring in its team's colour around the robot that has booked the ball. @param {Pen} pen @param {View} v @param {Figure} robot
 * @param {number} least px: the robot's smallest radius */
function drawBooker({ g, drawn }, v, { number, pose, color }, least) {
  const [x, y] = v.at(pose.x, pose.y), k = Math.max(0.3 * v.s, least)
  g.strokeStyle = color ? colors.magenta : colors.cyan
  g.lineWidth = Math.max(2.5, 0.2 * k)
  circle(g, x, y, 1.75 * k)
  g.stroke()
  drawn.push({ glyph: 'booker', number, x, y })
}

/** Draws the ball's path of the last second. @param {Pen} pen @param {View} v @param {number} now */
function drawTrail(pen, v, now) {
  pen.g.fillStyle = colors.ball
  let last = now
  for (const m of live.history.slice(-40).reverse()) {
    if (!m.ball || last - m.t < 0.05 || now - m.t > 1) continue
    last = m.t
    pen.g.globalAlpha = 0.5 * (1 - (now - m.t))
    circle(pen.g, ...v.at(m.ball.x, m.ball.y), Math.max(1.8, 0.06 * v.s))
    pen.g.fill()
  }
  pen.g.globalAlpha = 1
}

/** The place under the pointer, or the ball's. @param {Wall} wall */
function reading(wall) {
  const under = hands.target ?? hands.pointer
  if (under) {
    const { x, y } = limit(under)
    return point(live.frame, x, y)
  }
  const ball = wall.truth?.ball ?? wall.fused?.ball
  return ball ? html`<i class="dot" title="ball"></i>${point(live.frame, ball.x, ball.y)}, ${
    Math.hypot(ball.vx, ball.vy).toFixed(1)} m/s` : 'nobody sees the ball'
}

/** @param {Wall} wall */
function substitutes(wall) {
  const waiting = list(wall.waiting)
  return waiting.length > 0 && `substitute${waiting.length > 1 ? 's'
    : ''}: ${waiting.map((m) => `${m.number} ${m.team}`).join(', ')}`
}

/** @param {{wall: Wall}} props */
export function Truth({ wall }) {
  const active = wall.controls && !!wall.truth, title = wall.truth ? 'Ground truth' : 'Fused belief'
  const lies = active && !wall.story && live.at == null, told = lies && !!liar(wall)
  return html`<section class="panel truth" aria-label=${title}>
    <div class="head">${!told && html`<h2>${title}</h2><span class="sub">${wall.truth ? wall.field.name : wall.game ? `of all robots, ${wall.field.name}` : 'of all cyan robots'}</span>
      ${active && html`<span class="hint">drag the ball to kick it</span>`}`}${lies && html`<${Lie} wall=${wall} />`}</div>
    <${FieldCanvas} hands=${hands} active=${active} name="truth"
      label=${wall.truth ? 'The field by ground truth' : wall.game ? 'The field as all robots together report it' : 'The field as all cyan robots together report it'}
      draw=${drawTruth} />
    <div class="reading"><span>${substitutes(wall)}</span><span class="mono">${reading(wall)}</span></div>
  </section>`
}
