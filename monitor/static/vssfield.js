// The simulator's field, and the hands that kick, place, turn and switch.

/** @import {SoccerField, VssShow} from './types' */
/** @import {Pen} from './canvas.js' */
/** @import {View} from './field.js' */
import { Canvas, redraw } from './canvas.js'
import { around, drawArrow, drawAxes, drawBall, drawChoice, drawField, kick, label, project, WALL } from './field.js'
import { point, signed } from './format.js'
import { html, useEffect, useRef } from './htm/preact/standalone.module.js'
import { list, state } from './state.js'
import { command } from './stream.js'
import { colors, still } from './theme.js'

const BODY = 0.075 // m: a robot's sides (facts firasim 2)
const BALL = 0.0215 // m: the ball's radius (facts firasim 2)
const FASTEST = 3 // m/s, of a kick
const PER_METRE = 2 // m/s for each metre of the arrow
const NUDGE = 0.05 // m: what an arrow key moves
const REACH = 24 // px around a thing that take hold of it
const NOTCH = Math.PI / 12 // rad: what a key or a notch of the wheel turns

/** @typedef {'blue' | 'yellow'} Team
 * @typedef {{kind: 'ball' | Team, id: number, on: boolean, x: number, y: number, theta: number}} Thing
 * @typedef {{x: number, y: number}} Point */

/** What the hand does now. */
const hand = {
  grip: /** @type {Thing | null} */ (null), // as it was when it was taken
  how: /** @type {'kick' | 'place' | 'turn'} */ ('place'),
  at: /** @type {Point | null} */ (null), // where the hand is, in the field
  outside: false, // beyond the walls: letting go switches the robot off
  theta: 0, // of the robot that is held
  sent: false, // it has let go, and the server is told
  seen: /** @type {VssShow | null} */ (null), // the last moment before the server's answer; what it held stays until the next
  over: /** @type {Thing | null} */ (null), // what lies under an empty hand
  chosen: 0, // by keys: index into things()
  keys: false, // the field has the keyboard
}

/** @param {VssShow} show @param {Team} team */
export const robots = (show, team) => list(show[team])

/** Where a robot that is off is drawn: behind its own goal line, blue's at -x. @param {SoccerField} f @param {Team} team @param {number} i */
function bench(f, team, i) {
  const side = team === 'blue' ? -1 : 1, x = f.length / 2 + (around(f).x + WALL) / 2
  return { x: side * x, y: f.width / 2 - 0.06 - i * 0.1, theta: team === 'blue' ? 0 : Math.PI }
}

/** @param {VssShow} show @param {Team} team @returns {Thing[]} */
const bodies = (show, team) => robots(show, team).map((r, i) => ({ kind: team, id: r.id, on: r.on, ...(r.on ? r.pose : bench(show.field, team, i)) }))

/** Everything that can be held. @param {VssShow} show @returns {Thing[]} */
function things(show) {
  const { x, y } = show.ball.position
  return [{ kind: 'ball', id: 0, on: true, x, y, theta: 0 }, ...bodies(show, 'blue'), ...bodies(show, 'yellow')]
}

/** A thing where it is by now. @param {VssShow} show @param {Thing} it */
const now = (show, it) => things(show).find((t) => t.kind === it.kind && t.id === it.id) ?? it

/** What the keys have chosen. @param {VssShow} show */
function chosen(show) {
  const all = things(show)
  return all[hand.chosen % all.length]
}

/** The same, if it is a robot and the field has the keyboard. @param {VssShow} show */
export function chosenRobot(show) {
  const it = chosen(show)
  return hand.keys && it.kind !== 'ball' ? { team: it.kind, id: it.id } : null
}

/** Brings a point inside the walls, half a thing away from them. @param {SoccerField} f @param {Point} p @param {number} half */
function inside(f, p, half) {
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

/** Whether a point lies beyond the walls and the goals. @param {SoccerField} f @param {Point} p */
function beyond(f, p) {
  const x = Math.abs(p.x) - f.length / 2, y = Math.abs(p.y)
  return y > f.width / 2 + WALL || x > (y < f.goalWidth / 2 ? f.goalDepth : 0) + WALL
}

/** Draws the panel. @param {Pen} pen */
function drawPitch(pen) {
  const show = state.vss
  if (!show) return
  if (hand.seen && hand.seen !== show) release()
  const f = show.field, v = project(f, 'x', pen.w, pen.h), b = around(f)
  drawField(pen, v)
  if (b.x * v.s > 60) drawAxes(pen.g, v.at(-f.length / 2 - b.x + 0.01, -f.width / 2 - b.y + 0.03), 'x', 'y')
  if (!still.matches) drawTrails(pen, v, show)
  for (const it of [...bodies(show, 'blue'), ...bodies(show, 'yellow')]) drawBody(pen, v, held(it) ? moved(it) : it)
  const { position, velocity } = show.ball
  const ball = { ...position, vx: velocity.x, vy: velocity.y }
  const taken = hand.grip?.kind === 'ball' && hand.at
  drawBall(pen, v, taken && hand.how === 'place' ? { ...ball, ...taken, vx: 0, vy: 0 } : ball, { least: 5, radius: BALL, ahead: 0.25 })
  if (taken && hand.how === 'kick') {
    const k = kick(ball, taken, PER_METRE, FASTEST)
    drawArrow(pen, v, ball, k, PER_METRE, `${k.speed.toFixed(2)} m/s` + (k.speed === FASTEST ? ', the hardest' : ''))
  }
  if (hand.keys) drawChoice(pen, v, chosen(show), Math.max(18, 0.065 * v.s))
}

/** @param {Thing} it */
const held = (it) => hand.grip?.kind === it.kind && hand.grip.id === it.id && hand.at

/** A robot that is held, as it would be let go. @param {Thing} it @returns {Thing} */
const moved = (it) => ({ ...it, ...(hand.how === 'place' && hand.at), on: !hand.outside, theta: hand.theta })

function release() {
  hand.grip = hand.at = hand.seen = null
  hand.sent = hand.outside = false
}

/** The robot's glyph: its body, a square, and in it the five sides that point along its heading. One that is off is empty.
 * @param {Pen} pen @param {View} v @param {Thing} robot */
function drawBody(pen, v, robot) {
  const { g } = pen, k = Math.max(BODY / 2 * v.s, 10), name = robot.kind === 'blue' ? 'B' : 'Y'
  const [px, y] = v.at(robot.x, robot.y), x = Math.min(Math.max(px, k + 1), v.w - k - 1) // on a phone the bench is narrow
  g.save()
  g.translate(x, y)
  g.save()
  g.rotate(v.turn(robot.theta))
  g.lineJoin = 'round'
  g.strokeStyle = colors.ink
  g.lineWidth = 1.3
  g.fillStyle = robot.on ? colors[robot.kind] : colors.panel
  if (!robot.on) g.setLineDash([3, 2.5])
  for (const [path, alpha] of /** @type {[number[][], number][]} */ ([[[[1, 1], [-1, 1], [-1, -1], [1, -1]], 0.2], [[[1, 0], [0.25, 1], [-1, 1], [-1, -1], [0.25, -1]], 1]])) {
    g.beginPath()
    for (const [a, b] of path) g.lineTo(a * k, b * k)
    g.closePath()
    g.globalAlpha = alpha
    g.fill()
    g.globalAlpha = 1
    g.stroke()
  }
  g.restore()
  g.fillStyle = robot.on ? colors['on-' + robot.kind] : colors.ink
  const back = -0.12 * k // the five sides have more room behind
  label(g, name + robot.id, back * Math.cos(robot.theta), -back * Math.sin(robot.theta) + 0.5, `600 ${Math.max(10, k * 0.86).toFixed(1)}px system-ui, sans-serif`)
  g.restore()
  pen.drawn.push({ glyph: 'robot', team: robot.kind, number: robot.id, style: robot.on ? 'true' : 'off', theta: robot.theta, x, y })
}

/** Where everything was in the last second of simulated time. @param {Pen} pen @param {View} v @param {VssShow} show */
function drawTrails(pen, v, show) {
  let last = show.time
  for (const past of state.shows.slice(-60).reverse()) {
    const age = show.time - past.time
    if (age <= 0 || last - past.time < 0.045) continue
    last = past.time
    const dot = (/** @type {Point} */ p, /** @type {string} */ color, /** @type {number} */ r) => {
      pen.g.fillStyle = color
      pen.g.beginPath()
      pen.g.arc(...v.at(p.x, p.y), r, 0, 7)
      pen.g.fill()
    }
    pen.g.globalAlpha = 0.5 * (1 - age)
    dot(past.ball.position, colors.ball, Math.max(1.8, 0.006 * v.s))
    pen.g.globalAlpha = 0.3 * (1 - age)
    for (const team of /** @type {const} */ (['blue', 'yellow'])) {
      for (const r of robots(past, team)) if (r.on) dot(r.pose, colors[team], Math.max(1.2, 0.003 * v.s))
    }
  }
  pen.g.globalAlpha = 1
}

/** @param {MouseEvent} e @returns {Point & {near: Thing | null} | null} */
function under(e) {
  const show = state.vss, box = /** @type {HTMLElement} */ (e.currentTarget).getBoundingClientRect()
  if (!show) return null
  const v = project(show.field, 'x', box.width, box.height)
  const px = e.clientX - box.left, py = e.clientY - box.top
  let best = REACH, near = null
  for (const it of things(show)) {
    const [x, y] = v.at(it.x, it.y)
    // A robot that touches the ball is larger: the ball gets some of its room.
    const d = Math.max(0, Math.hypot(x - px, y - py) - (it.kind === 'ball' ? 4 : 0))
    if (d < best) [best, near] = [d, it]
  }
  return { ...v.from(px, py), near }
}

/** @param {PointerEvent} e */
function seize(e) {
  const p = under(e)
  if (!p?.near || e.button !== 0 || hand.sent) return
  hand.grip = p.near
  hand.how = p.near.kind === 'ball' ? (e.altKey ? 'place' : 'kick') : e.shiftKey && p.near.on ? 'turn' : 'place'
  hand.theta = p.near.theta
  hand.keys = false // it is the mouse's turn
  e.preventDefault()
  const canvas = /** @type {HTMLElement} */ (e.currentTarget)
  canvas.setPointerCapture(e.pointerId)
  canvas.focus(/** @type {FocusOptions} */ ({ preventScroll: true, focusVisible: false }))
}

/** @param {PointerEvent} e */
function move(e) {
  const p = under(e), { grip } = hand
  if (!p || !state.vss || hand.sent) return
  hand.over = p.near
  if (grip) {
    const f = state.vss.field, robot = grip.kind !== 'ball'
    const { x, y } = now(state.vss, grip)
    if (hand.how === 'turn') hand.theta = Math.atan2(p.y - y, p.x - x)
    hand.outside = robot && hand.how === 'place' && beyond(f, p)
    hand.at = hand.outside || hand.how !== 'place' ? { x: p.x, y: p.y } : inside(f, p, robot ? BODY / 2 : BALL)
  }
  redraw()
}

async function drop() {
  const { grip, at, how } = hand, show = state.vss
  if (hand.sent) return
  if (!grip || !at || !show) return release() // a click
  const ball = show.ball.position
  if (how === 'kick') {
    release()
    const { vx, vy, speed } = kick(ball, at, PER_METRE, FASTEST)
    if (speed >= 0.05) void command('ball', { x: ball.x, y: ball.y, vx, vy })
    return redraw()
  }
  hand.sent = true
  if (grip.kind === 'ball') await command('ball', { ...at, vx: 0, vy: 0 })
  else if (hand.outside) await switchRobot(grip.kind, grip.id, false)
  else await put({ ...now(show, grip), ...(how === 'place' && at), theta: hand.theta })
  hand.seen = state.vss
}

/** Puts a robot somewhere; one that was off is then on. @param {Thing} it */
const put = ({ kind: team, id, x, y, theta }) => command('robot', { team, id, x, y, theta: Math.atan2(Math.sin(theta), Math.cos(theta)) })

/** @param {string} team @param {number} id @param {boolean} on */
export const switchRobot = (team, id, on) => command('switch', { team, id, on })

/** The wheel turns the robot that is held, or the one under the hand; a robot is told again when it has answered.
 * @param {WheelEvent} e */
async function wheel(e) {
  const it = hand.grip ?? under(e)?.near
  if (!it || it.kind === 'ball' || !hand.grip && !it.on || e.ctrlKey) return
  e.preventDefault()
  const turn = -Math.sign(e.deltaY || e.deltaX) * NOTCH
  if (hand.sent) return
  if (hand.grip) hand.theta += turn
  else {
    hand.sent = true
    await put({ ...it, theta: it.theta + turn })
    hand.seen = state.vss
  }
  redraw()
}

/** Puts the ball where nothing else stands. @param {MouseEvent} e */
function double(e) {
  const p = under(e)
  if (p && !p.near && state.vss) void command('ball', { ...inside(state.vss.field, p, BALL), vx: 0, vy: 0 })
}

/** The keys of the field: [ and ] choose, arrows move (Shift: kick the ball), < and > turn a robot.
 * @param {KeyboardEvent} e */
function key(e) {
  const show = state.vss
  if (!show || e.ctrlKey || e.metaKey || e.altKey) return
  const it = chosen(show), count = things(show).length
  const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key]
  if (e.key === ']' || e.key === '[') hand.chosen = (hand.chosen + (e.key === ']' ? 1 : count - 1)) % count
  else if (it.kind !== 'ball' && it.on && (e.key === '<' || e.key === '>')) void put({ ...it, theta: it.theta + (e.key === '<' ? NOTCH : -NOTCH) })
  else if (step) {
    const [x, y] = step, robot = it.kind !== 'ball'
    const to = inside(show.field, { x: it.x + x * NUDGE, y: it.y + y * NUDGE }, robot ? BODY / 2 : BALL)
    if (robot) void put({ ...it, ...to })
    else if (e.shiftKey) void command('ball', { x: it.x, y: it.y, vx: x, vy: y })
    else void command('ball', { ...to, vx: 0, vy: 0 })
  } else return
  hand.keys = true
  e.preventDefault()
  e.stopPropagation()
  redraw()
}

/** What is written under the field: what the hand holds or lies over, or the ball. @param {VssShow} show */
function reading(show) {
  const it = hand.grip ?? (hand.keys ? chosen(show) : hand.over)
  if (it && it.kind !== 'ball') {
    const r = robots(show, it.kind).find((r) => r.id === it.id)
    if (r?.on) return `${it.kind} ${it.id}  ${point('x', r.pose.x, r.pose.y)}, ${signed(r.pose.theta * 180 / Math.PI, 0)}°, ${Math.hypot(r.twist.x, r.twist.y).toFixed(2)} m/s`
    return `${it.kind} ${it.id} is off`
  }
  const { position: p, velocity: v } = show.ball
  return `ball ${point('x', p.x, p.y)}, ${Math.hypot(v.x, v.y).toFixed(2)} m/s`
}

/** @param {{show: VssShow}} props */
export function VssField({ show }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null))
  useEffect(() => {
    // Touch: a finger that holds something must not scroll the page, one beside everything may.
    const stop = (/** @type {TouchEvent} */ e) => hand.grip && e.preventDefault()
    const c = box.current?.querySelector('canvas')
    c?.addEventListener('touchmove', stop, { passive: false })
    c?.addEventListener('wheel', wheel, { passive: false })
    return () => {
      c?.removeEventListener('touchmove', stop)
      c?.removeEventListener('wheel', wheel)
    }
  }, [])
  const focus = (/** @type {FocusEvent} */ e) => {
    hand.keys = /** @type {HTMLElement} */ (e.currentTarget).matches(':focus-visible')
    redraw()
  }
  const blur = () => {
    hand.keys = false
    redraw()
  }
  const cancel = () => {
    if (!hand.sent) release()
    redraw()
  }
  const leave = () => {
    hand.over = null
  }
  return html`<section class="panel truth vss-field ${show.paused ? 'stands' : ''}" ref=${box} aria-label="Field">
    <div class="head"><h2>${show.field.name}</h2><span class="sub">blue attacks to the right</span>
      <span class="hint">drag: kick the ball, move a robot; beside the field it is off</span></div>
    <${Canvas} name="field" label="The field as it is" draw=${drawPitch} class="hands" tabindex="0" onPointerDown=${seize} onPointerMove=${move}
      onPointerUp=${drop} onPointerCancel=${cancel} onPointerLeave=${leave} onDblClick=${double} onKeyDown=${key} onFocus=${focus} onBlur=${blur} />
    <div class="reading"><span>${show.physics} physics${show.seed && `, seed ${show.seed}`}</span><span class="mono">${reading(show)}</span></div>
  </section>`
}
