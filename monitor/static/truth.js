// The truth, or where nobody knows it what all cyan robots say together; and the hands that kick and move.

/** @import {Thing, Wall} from './types' */
/** @import {Pen} from './canvas.js' */
/** @import {View} from './field.js' */
import { Canvas, redraw } from './canvas.js'
import { drawArrow, drawAxes, drawBall, drawChoice, drawDoubt, drawField, drawObstacle, drawRobot, kick, project } from './field.js'
import { point } from './format.js'
import { html, useEffect, useRef } from './htm/preact/standalone.module.js'
import { list, state } from './state.js'
import { command } from './stream.js'
import { colors, still } from './theme.js'

const FASTEST = 10 // m/s, of a kick
const PER_METRE = 2 // m/s for each metre of the arrow
const REACH = 24 // px around a thing that take hold of it

/** @typedef {{kind: 'ball' | 'robot' | 'obstacle', id: number, place: boolean}} Grip */
/** What the hand does now: it holds something, and points somewhere (field frame, m). */
const hand = {
  grip: /** @type {Grip | null} */ (null),
  at: /** @type {{x: number, y: number} | null} */ (null),
  loft: false,
  sent: false, // it has let go, and the server is told
  seen: /** @type {Wall | null} */ (null), // the last wall before the server's answer; what it held stays until the next
  chosen: 0, // by keys: index into grips()
  keys: false, // the panel has the keyboard
}

/** Everything that can be held. @param {Wall} wall @returns {(Grip & {x: number, y: number})[]} */
function grips(wall) {
  if (!wall.truth || !wall.controls) return []
  const { ball, robots, obstacles } = wall.truth
  return [
    { kind: 'ball', id: 0, place: false, x: ball.x, y: ball.y },
    ...list(robots).map((r) => ({ kind: /** @type {const} */ ('robot'), id: r.number, place: true, x: r.pose.x, y: r.pose.y })),
    ...list(obstacles).map((o, i) => ({ kind: /** @type {const} */ ('obstacle'), id: i, place: true, x: o.x, y: o.y })),
  ]
}

/** Draws the panel. @param {Pen} pen */
function drawTruth(pen) {
  const wall = state.wall
  if (!wall) return
  if (hand.seen && hand.seen !== wall) {
    hand.grip = hand.seen = null
    hand.sent = false
  }
  const v = project(wall.field, state.frame, pen.w, pen.h)
  drawField(pen, v)
  const { length, width, border } = v.field
  const msl = v.frame === 'msl'
  drawAxes(pen.g, v.at(-(length + border) / 2, (msl ? 1 : -1) * (width + border) / 2), msl ? 'X' : 'x', msl ? 'Y' : 'y')
  if (!still.matches) drawTrail(pen, v, wall.time)
  const off = new Set(list(wall.tiles).filter((t) => t.state !== 'live' && !t.real).map((t) => t.number))
  const robots = wall.truth ? list(wall.truth.robots) : list(wall.fused?.robots)
  for (const [i, o] of list(wall.truth ? wall.truth.obstacles : wall.fused?.obstacles).entries()) {
    drawObstacle(pen, v, held('obstacle', i) ? { ...o, ...hand.at } : o, { least: 7 })
  }
  for (const r of robots) {
    const there = held('robot', r.number) ? { ...r, pose: { ...r.pose, ...hand.at } } : r
    drawRobot(pen, v, there, off.has(r.number) ? 'off' : 'true', 12)
  }
  const ball = wall.truth?.ball ?? wall.fused?.ball
  if (ball) {
    drawDoubt(pen, v, ball)
    drawBall(pen, v, held('ball', 0) && hand.grip?.place ? { ...ball, ...hand.at, vx: 0, vy: 0 } : ball, { least: 6.5 })
    if (hand.grip?.kind === 'ball' && !hand.grip.place && hand.at) drawKick(pen, v, ball, hand.at)
  }
  if (!hand.keys) return
  const all = grips(wall), it = all[hand.chosen % Math.max(1, all.length)]
  if (it) drawChoice(pen, v, it, Math.max(18, 0.5 * v.s))
}

/** @param {Grip['kind']} kind @param {number} id */
const held = (kind, id) => hand.grip?.kind === kind && hand.grip.id === id && hand.at

/** Where the ball was in the last second. @param {Pen} pen @param {View} v @param {number} now */
function drawTrail(pen, v, now) {
  pen.g.fillStyle = colors.ball
  let last = now
  for (const m of state.past.slice(-40).reverse()) {
    if (!m.ball || last - m.t < 0.05 || now - m.t > 1) continue
    last = m.t
    pen.g.globalAlpha = 0.5 * (1 - (now - m.t))
    pen.g.beginPath()
    pen.g.arc(...v.at(m.ball.x, m.ball.y), Math.max(1.8, 0.06 * v.s), 0, 7)
    pen.g.fill()
  }
  pen.g.globalAlpha = 1
}

/** The kick that letting go would be. @param {Pen} pen @param {View} v @param {Thing} ball @param {{x: number, y: number}} to */
function drawKick(pen, v, ball, to) {
  const k = kick(ball, to, PER_METRE, FASTEST)
  drawArrow(pen, v, ball, k, PER_METRE, `${k.speed.toFixed(1)} m/s` + (k.speed === FASTEST ? ', the hardest' : '') + (hand.loft ? ', lofted' : ''))
}

/** @param {PointerEvent} e @returns {{x: number, y: number, view: ReturnType<typeof project>, px: number, py: number} | null} */
function under(e) {
  const box = /** @type {HTMLElement} */ (e.currentTarget).getBoundingClientRect()
  if (!state.wall) return null
  const view = project(state.wall.field, state.frame, box.width, box.height)
  const px = e.clientX - box.left, py = e.clientY - box.top
  return { ...view.from(px, py), view, px, py }
}

/** @param {PointerEvent} e */
function seize(e) {
  const p = under(e)
  if (!p || !state.wall || e.button !== 0 || hand.sent) return
  let near = REACH
  hand.grip = null
  for (const it of grips(state.wall)) {
    const [x, y] = p.view.at(it.x, it.y)
    const d = Math.hypot(x - p.px, y - p.py)
    if (d >= near) continue
    near = d
    hand.grip = { kind: it.kind, id: it.id, place: it.kind !== 'ball' || e.altKey }
  }
  if (!hand.grip) return
  e.preventDefault()
  const canvas = /** @type {HTMLElement} */ (e.currentTarget)
  canvas.setPointerCapture(e.pointerId)
  canvas.focus(/** @type {FocusOptions} */ ({ preventScroll: true, focusVisible: false }))
  hand.keys = false // it is the mouse's turn
  move(e)
}

/** @param {PointerEvent} e */
function move(e) {
  const p = under(e)
  if (!p || !state.wall || hand.sent) return
  const { length, width, border } = state.wall.field
  const inside = (/** @type {number} */ v, /** @type {number} */ most) => Math.min(most, Math.max(-most, v))
  hand.at = { x: inside(p.x, length / 2 + border), y: inside(p.y, width / 2 + border) }
  hand.loft = e.shiftKey
  redraw()
}

async function drop() {
  const { grip, at, loft } = hand
  const ball = state.wall?.truth?.ball
  if (!grip || !at || !ball || hand.sent) return
  if (grip.place) {
    hand.sent = true
    if (grip.kind === 'obstacle') await command('move-obstacle', { index: grip.id, ...at })
    else if (grip.kind === 'robot') await place(grip.id, at, 0)
    else await command('place-ball', at)
    hand.seen = state.wall
    return
  }
  hand.grip = null
  redraw()
  const { vx, vy, speed } = kick(ball, at, PER_METRE, FASTEST)
  if (speed < 0.3) return // a click, no kick
  const vz = loft ? speed / 2 : 0, flat = Math.sqrt(1 - (loft ? 0.25 : 0))
  void command('kick', { vx: vx * flat, vy: vy * flat, vz })
}

/** @param {number} number @param {{x: number, y: number}} at @param {number} turn rad */
async function place(number, at, turn) {
  const robot = list(state.wall?.truth?.robots).find((r) => r.number === number)
  if (robot) await command('move-robot', { number, x: at.x, y: at.y, theta: Math.atan2(Math.sin(robot.pose.theta + turn), Math.cos(robot.pose.theta + turn)) })
}

/** The keys of the panel: [ and ] choose, arrows move (Shift: kick the ball), < and > turn a robot.
 * @param {KeyboardEvent} e */
function key(e) {
  const wall = state.wall
  const all = wall ? grips(wall) : []
  if (!wall || !all.length || e.ctrlKey || e.metaKey) return
  const it = all[hand.chosen % all.length]
  const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key]
  if (e.key === ']' || e.key === '[') hand.chosen = (hand.chosen + (e.key === ']' ? 1 : all.length - 1)) % all.length
  else if (it.kind === 'robot' && (e.key === '<' || e.key === '>')) void place(it.id, it, (e.key === '<' ? 1 : -1) * Math.PI / 12)
  else if (step) {
    const [x, y] = state.frame === 'msl' ? [step[1], -step[0]] : step
    const to = { x: it.x + x / 4, y: it.y + y / 4 }
    if (it.kind === 'obstacle') void command('move-obstacle', { index: it.id, ...to })
    else if (it.kind === 'robot') void place(it.id, to, 0)
    else if (e.shiftKey) void command('kick', { vx: 4 * x, vy: 4 * y, vz: 0 })
    else void command('place-ball', to)
  } else return
  hand.keys = true
  e.preventDefault()
  e.stopPropagation()
  redraw()
}

/** What is written under the field: the place under the hand, or the ball's. @param {Wall} wall */
function reading(wall) {
  if (hand.at) return point(state.frame, hand.at.x, hand.at.y)
  const ball = wall.truth?.ball ?? wall.fused?.ball
  if (!ball) return 'no ball'
  return `ball ${point(state.frame, ball.x, ball.y)}, ${Math.hypot(ball.vx, ball.vy).toFixed(1)} m/s`
}

/** @param {Wall} wall */
function outside(wall) {
  const who = list(wall.waiting).map((m) => `${m.number} ${m.team}`).join(', ')
  return who && `${who} wait${list(wall.waiting).length === 1 ? 's' : ''} outside`
}

/** @param {{wall: Wall}} props */
export function Truth({ wall }) {
  const hands = wall.controls && wall.truth
  const box = useRef(/** @type {HTMLElement | null} */ (null))
  useEffect(() => {
    // Touch: a finger that holds something must not scroll the page, one beside everything may.
    const stop = (/** @type {TouchEvent} */ e) => hand.grip && e.preventDefault()
    const c = box.current?.querySelector('canvas')
    c?.addEventListener('touchmove', stop, { passive: false })
    return () => c?.removeEventListener('touchmove', stop)
  }, [])
  const focus = (/** @type {FocusEvent} */ e) => {
    hand.keys = /** @type {HTMLElement} */ (e.currentTarget).matches(':focus-visible')
    redraw()
  }
  const leave = () => {
    if (!hand.grip) hand.at = null
  }
  const cancel = () => {
    if (!hand.sent) hand.grip = hand.at = null
    redraw()
  }
  const blur = () => {
    hand.keys = false
    redraw()
  }
  return html`<section class="panel truth" ref=${box} aria-label=${wall.truth ? 'Truth' : 'Fused'}>
    <div class="head"><h2>${wall.truth ? 'Truth' : 'Fused'}</h2>
      <span class="sub">${wall.truth ? wall.field.name : 'what all cyan robots say together'}</span>
      ${hands && html`<span class="hint">drag the ball to kick it</span>`}</div>
    <${Canvas} name="truth" label=${wall.truth ? 'The field as it is' : 'The field as all cyan robots together say it is'} draw=${drawTruth}
      class=${hands ? 'hands' : ''} tabindex=${hands ? 0 : undefined} onPointerDown=${seize} onPointerMove=${move} onPointerUp=${drop}
      onPointerCancel=${cancel} onPointerLeave=${leave} onKeyDown=${key} onFocus=${focus} onBlur=${blur} />
    <div class="reading"><span>${outside(wall)}</span><span class="mono">${reading(wall)}</span></div>
  </section>`
}
