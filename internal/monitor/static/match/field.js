// The field of a match: robots with their targets, the ball with the teams' uncertainty, and who has booked it.

/** @import {MatchRobot, MatchShowView} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {View} from '../shared/field.js' */
import { Canvas, nearest } from '../shared/canvas.js'
import { circle, drawHaloed, label, line, polygon } from '../shared/draw.js'
import { drawBall, drawField, drawRobot, drawUncertainty, OUTLINE, project } from '../shared/field.js'
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { colors, fonts, sizes } from '../shared/theme.js'
import { live } from '../wall/state.js'
import { doing, keyOf, match, openDecisions, teamOf } from './state.js'

const BODY = 15 // px, smallest radius of a robot in a small window
const CROSS = 7 // px, of a target

/** The radius of robots in px. @param {View} v */
const radius = (v) => Math.max(0.36 * v.s, BODY * sizes.glyph)

/** @param {Pen} pen */
function drawMatch(pen) {
  const { view } = match
  if (!view) return
  const v = project(view.field, live.frame, pen.w, pen.h)
  drawField(pen, v)
  const robots = list(view.robots).filter((r) => r.on)
  for (const r of robots) drawTarget(pen, v, r)
  for (const team of [view.home, view.away]) if (team.ball) drawUncertainty(pen, v, team.ball)
  for (const r of robots) {
    if (r.running) drawOne(pen, v, r)
    else drawCrashed(pen, v, r)
  }
  drawBall(pen, v, view.ball, { least: 9 * sizes.glyph, height: true })
}

/** The thin line and the cross: where a robot wants to go. @param {Pen} pen @param {View} v @param {MatchRobot} r */
function drawTarget({ g, drawn }, v, r) {
  if (!r.target || !r.running) return
  const [x, y] = v.at(r.pose.x, r.pose.y), [tx, ty] = v.at(r.target.x, r.target.y), c = CROSS * sizes.glyph
  g.strokeStyle = r.color ? colors.magenta : colors.cyan
  g.lineWidth = 1.5
  line(g, [x, y], [tx, ty])
  g.lineWidth = 2.2
  g.beginPath()
  for (const s of [-1, 1]) {
    g.moveTo(tx - c, ty - s * c)
    g.lineTo(tx + c, ty + s * c)
  }
  g.stroke()
  drawn.push({ glyph: 'target', x: tx, y: ty, number: r.number, color: r.color })
}

/** @param {Pen} pen @param {View} v @param {MatchRobot} r */
function drawOne(pen, v, r) {
  const { g, drawn } = pen, [x, y] = v.at(r.pose.x, r.pose.y), k = radius(v)
  drawRobot(pen, v, { ...r, shape: 'robot', facing: true, self: false, age: null, trust: null }, 'true', k)
  if (r.booker) {
    g.strokeStyle = colors.ball
    g.lineWidth = Math.max(3.5, 0.16 * k)
    circle(g, x, y, 1.62 * k)
    g.stroke()
    drawn.push({ glyph: 'booker', x, y, number: r.number, color: r.color })
  }
  if (keyOf(r) !== match.sel) return
  g.strokeStyle = colors.focus
  g.lineWidth = 3
  circle(g, x, y, 1.95 * k)
  g.stroke()
  drawn.push({ glyph: 'selection', x, y })
}

/** A robot whose software does not run is hollow and red. @param {Pen} pen @param {View} v @param {MatchRobot} r */
function drawCrashed({ g, drawn }, v, r) {
  const [x, y] = v.at(r.pose.x, r.pose.y), k = radius(v)
  g.save()
  g.translate(x, y)
  g.rotate(v.turn(r.pose.theta))
  polygon(g, OUTLINE, k)
  g.fillStyle = colors.panel
  g.fill()
  g.strokeStyle = colors.bad
  g.lineWidth = 3
  g.stroke()
  g.restore()
  g.fillStyle = colors.bad
  label(g, String(r.number), x, y + 1, fonts.bold(1.1 * k))
  g.font = fonts.large
  drawHaloed(g, 'crashed', x, y + 1.6 * k + 8, colors.pitch)
  drawn.push({ glyph: 'crashed', x, y, number: r.number, color: r.color })
}

/** The robot under the pointer. @param {PointerEvent} e */
function robotAt(e) {
  const { view } = match, c = /** @type {HTMLElement} */ (e.currentTarget)
  if (!view) return undefined
  const v = project(view.field, live.frame, c.clientWidth, c.clientHeight)
  return nearest(list(view.robots).filter((r) => r.on), (r) => v.at(r.pose.x, r.pose.y), e.offsetX, e.offsetY,
    Math.max(24, 1.6 * radius(v)))
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
