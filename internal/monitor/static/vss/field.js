// The simulator's field.

/** @import {VssShow} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {View} from '../shared/field.js' */
/** @import {Point, Thing} from '../shared/hands.js' */
/** @import {Team} from './state.js' */
import { circle } from '../shared/draw.js'
import { around, drawAxes, drawBall, drawField, project, WALL } from '../shared/field.js'
import { degrees, point, wrapped } from '../shared/format.js'
import { FieldCanvas, Hands } from '../shared/hands.js'
import { html } from '../htm/preact/standalone.module.js'
import { list, state } from '../shared/state.js'
import { command } from '../shared/stream.js'
import { colors, reducedMotion } from '../shared/theme.js'
import { BALL, BODY, drawRobots, LEAST, robots } from './figures.js'
import { sim, switchRobot } from './state.js'

/** @returns {Thing[]} */
function things() {
  const { show } = sim
  if (!show) return []
  const { x, y } = show.ball.position
  return [{ kind: 'ball', id: 0, on: true, x, y, theta: 0 }, ...robots(show)]
}

/** The nearest place inside the walls, half a thing away from them. @param {Point} p @param {Thing} it
 * @returns {Point} */
function limit(p, it) {
  if (!sim.show) return p
  const f = sim.show.field, half = it.kind === 'ball' ? BALL : BODY / 2
  let x = Math.abs(p.x), y = Math.abs(p.y)
  if (y <= f.goalWidth / 2 - half) x = Math.min(x, f.length / 2 + f.goalDepth - half)
  else {
    x = Math.min(x, f.length / 2 - half)
    y = Math.min(y, f.width / 2 - half)
    const over = x + y - ((f.length + f.width) / 2 - f.cornerCut - half * Math.SQRT2)
    if (over > 0) [x, y] = [x - over / 2, y - over / 2]
  }
  return { x: Math.sign(p.x) * x, y: Math.sign(p.y) * y }
}

/** Whether a point lies beyond the walls and the goals. @param {Point} p */
function outside(p) {
  if (!sim.show) return false
  const f = sim.show.field, x = Math.abs(p.x) - f.length / 2, y = Math.abs(p.y)
  return y > f.width / 2 + WALL || x > (y < f.goalWidth / 2 ? f.goalDepth : 0) + WALL
}

/** Places a thing; a robot that was off is on afterwards. @param {Thing} it */
function place({ kind, id, x, y, theta }) {
  if (kind === 'ball') return command('ball', { x, y, vx: 0, vy: 0 })
  return command('robot', { team: kind, id, x, y, theta: wrapped(theta) })
}

const hands = new Hands({
  data: () => sim.show, things, limit, outside, place,
  view: (w, h) => sim.show && project(sim.show.field, 'x', w, h),
  turns: (it) => it.kind !== 'ball' && it.on,
  remove: (it) => switchRobot(it.kind, it.id, false),
  kick: ({ vx, vy }) => sim.show && command('ball',
    { x: sim.show.ball.position.x, y: sim.show.ball.position.y, vx, vy }),
  lofts: false, perMetre: 2, fastest: 3, slowest: 0.05, nudge: 0.05, keyKick: 1,
  ring: (v) => Math.max(18, 0.065 * v.s),
})

/** The robot that the keyboard selected on the field; null without the keyboard's focus.
 * @returns {{team: Team, id: number} | null} */
export function selectedRobot() {
  const it = hands.keyboard && hands.selection()
  return it && it.kind !== 'ball' ? { team: /** @type {Team} */ (it.kind), id: it.id } : null
}

/** @param {Pen} pen */
function drawPitch(pen) {
  const { show } = sim
  if (!show) return
  hands.settle()
  const f = show.field, v = project(f, 'x', pen.w, pen.h), b = around(f)
  drawField(pen, v)
  if (b.x * v.s > 60) drawAxes(pen.g, v.at(-f.length / 2 - b.x + 0.01, -f.width / 2 - b.y + 0.03), 'x', 'y')
  if (!reducedMotion.matches) drawTrails(pen, v, show)
  const [ball, ...bodies] = things()
  const { position, velocity } = show.ball, { x, y } = hands.shown(ball), moved = x !== position.x || y !== position.y
  drawRobots(pen, v, bodies.map((it) => hands.shown(it)), { x, y })
  drawBall(pen, v, { ...position, x, y, vx: moved ? 0 : velocity.x, vy: moved ? 0 : velocity.y },
    { least: LEAST, radius: BALL, ahead: 0.25 })
  hands.draw(pen, v)
}

/** Draws all paths of the last second of simulated time. @param {Pen} pen @param {View} v @param {VssShow} show */
function drawTrails(pen, v, show) {
  let last = show.time
  for (const past of sim.history.slice(-60).reverse()) {
    const age = show.time - past.time
    if (age <= 0 || last - past.time < 0.045) continue
    last = past.time
    const dot = (/** @type {Point} */ p, /** @type {string} */ color, /** @type {number} */ r) => {
      pen.g.fillStyle = color
      circle(pen.g, ...v.at(p.x, p.y), r)
      pen.g.fill()
    }
    pen.g.globalAlpha = 0.5 * (1 - age)
    dot(past.ball.position, colors.ball, Math.max(1.8, 0.006 * v.s))
    pen.g.globalAlpha = 0.3 * (1 - age)
    for (const r of robots(past)) if (r.on) dot(r, colors[r.kind], Math.max(1.2, 0.003 * v.s))
  }
  pen.g.globalAlpha = 1
}

/** Pose and speed of the held robot, of the robot under the pointer or of the selected one; without one, the ball's.
 * @param {VssShow} show */
function reading(show) {
  const it = hands.held ?? (hands.keyboard ? hands.selection() : hands.over)
  if (it && it.kind !== 'ball') {
    const r = list(show[/** @type {Team} */ (it.kind)]).find((r) => r.id === it.id)
    if (r?.on) return `${it.kind} ${it.id}  ${point('x', r.pose.x, r.pose.y)}, ${degrees(r.pose.theta)}, ${Math.hypot(r.twist.x, r.twist.y).toFixed(2)} m/s`
    return `${it.kind} ${it.id} is off`
  }
  const { position: p, velocity: v } = show.ball
  return `ball ${point('x', p.x, p.y)}, ${Math.hypot(v.x, v.y).toFixed(2)} m/s`
}

/** @param {{show: VssShow}} props */
export function FieldPanel({ show }) {
  return html`<section class="panel truth vss-field ${show.paused ? 'stopped' : ''}" aria-label="Field">
    <div class="head"><h2>${show.field.name}</h2><span class="sub">blue attacks to the right</span>
      <span class="hint">drag to kick or move; drop a robot outside to remove it</span></div>
    <${FieldCanvas} hands=${hands} active=${!state.viewOnly} name="field" label="The simulated field" draw=${drawPitch} />
    <div class="reading"><span>${show.physics} physics${show.seed && `, seed ${show.seed}`}</span><span class="mono">
      ${reading(show)}</span></div>
  </section>`
}
