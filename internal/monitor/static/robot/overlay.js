// The sources of a robot's belief, drawn over it: where each robot saw the ball, where its own pictures alone put it,
// and how the poses of its mates seem to be off.

/** @import {Belief, PacketView, SoccerField, Thing, Tile} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {View} from '../shared/field.js' */
/** @import {Judged} from './trust.js' */
/** @import {Taken} from '../wall/lens.js' */
import { circle, drawHaloed, line, textStyle } from '../shared/draw.js'
import { drawRobot, project } from '../shared/field.js'
import { list } from '../shared/state.js'
import { colors, fonts, sizes } from '../shared/theme.js'
import { freeSpot } from '../wall/lens.js'
import { live } from '../wall/state.js'
import { drawNamed } from '../wall/tile.js'

/** Times that an arrow is longer than the error of a pose that it shows, and its greatest length in m. */
export const LONGER = 5
const LONGEST = 3
const LEAST = 0.02 // m: a smaller error has no arrow

/** Where a robot saw the ball. believed: the sight is in the belief. @typedef {{number: number, ball: Thing,
 * believed: boolean}} Sight */

/** The newest sight of the ball of each robot, its own first. @param {Tile} tile @param {PacketView} view
 * @returns {Sight[]} */
export function sights({ number, belief }, { own, reports }) {
  const all = [{ number, ball: own?.ball }, ...list(reports).map((r) => ({ number: r.number, ball: r.belief.ball }))]
  return all.flatMap(({ number, ball }) => ball ? [{ number, ball, believed: belief.by.includes(number) }] : [])
}

/** @param {Pen} pen @param {SoccerField} field @param {Tile} tile @param {PacketView | null} view
 * @param {Judged[]} mates */
export function drawOrigins(pen, field, tile, view, mates) {
  const v = project(field, live.frame, pen.w, pen.h), { belief } = tile
  // The belief of a robot outside the session has no mates: those that the fusion of all packages judges stand in.
  if (tile.real) drawMates(pen, v, mates)
  for (const mate of mates) drawPoseError(pen, v, mate)
  if (!view || tile.real || tile.state !== 'live') return
  const ball = belief.ball && v.at(belief.ball.x, belief.ball.y)
  /** @type {Taken[]} */
  const taken = list(belief.robots).map(({ pose }) => {
    const [x, y] = v.at(pose.x, pose.y)
    return { x, y, radius: 0.45 * v.s + 4 * sizes.glyph }
  })
  if (ball) taken.push({ x: ball[0], y: ball[1], radius: Math.max(0.16 * v.s, 4.5 * sizes.glyph) + 6 * sizes.glyph })
  const seen = sights(tile, view)
  for (const s of seen) drawSight(pen, v, s, ball)
  for (const { ball: { x, y } } of seen) {
    const [px, py] = v.at(x, y)
    taken.push({ x: px, y: py, radius: 9 * sizes.glyph })
  }
  for (const s of seen) writeNumber(pen, v, s, ball, taken)
  drawAlone(pen, v, view.alone, taken)
}

/** @param {Pen} pen @param {View} v @param {Judged[]} mates */
function drawMates(pen, v, mates) {
  for (const mate of mates) {
    drawRobot(pen, v, mate, 'reported', 8.5 * sizes.glyph)
    if (mate.trust.disagrees) drawNamed(pen, v, mate, 8.5 * sizes.glyph)
  }
}

/** A ring where a robot saw the ball, and a line to where the belief has it. @param {Pen} pen @param {View} v
 * @param {Sight} sight @param {[number, number] | null} ball px */
function drawSight({ g, drawn }, v, { number, ball: { x, y }, believed }, ball) {
  const at = v.at(x, y)
  g.save()
  g.strokeStyle = colors.ball
  g.globalAlpha = believed ? 1 : 0.45
  if (ball) {
    g.lineWidth = 1.2
    line(g, at, ball)
  }
  g.lineWidth = 1.8
  g.fillStyle = colors.pitch
  circle(g, ...at, 3.2 * sizes.glyph)
  g.fill()
  g.stroke()
  g.restore()
  drawn.push({ glyph: 'sight', number, believed, x: at[0], y: at[1] })
}

/** A robot's number beside its sight. @param {Pen} pen @param {View} v @param {Sight} sight
 * @param {[number, number] | null} ball px @param {Taken[]} taken */
function writeNumber({ g, w, h }, v, { number, ball: { x, y }, believed }, ball, taken) {
  const [px, py] = v.at(x, y), [bx, by] = ball ?? [px, py + 1]
  const spot = freeSpot(taken, px, py, px - bx || 1, py - by, px < 20 || py < 20 || px > w - 20 || py > h - 20)
  taken.push({ ...spot, radius: 12 * sizes.glyph })
  textStyle(g, fonts.label, 'center')
  g.fillStyle = believed ? colors.ink : colors.dim
  drawHaloed(g, String(number), spot.x, spot.y, colors.pitch)
}

/** The ball of its own pictures alone: a dashed orange ring with a word. @param {Pen} pen @param {View} v
 * @param {Belief | null} alone @param {Taken[]} taken */
function drawAlone({ g, w, h, drawn }, v, alone, taken) {
  if (!alone?.ball) return
  const [x, y] = v.at(alone.ball.x, alone.ball.y), k = Math.max(0.16 * v.s, 4.5 * sizes.glyph) + 4
  g.save()
  g.strokeStyle = colors.ball
  g.lineWidth = 1.8
  g.setLineDash([5, 3])
  circle(g, x, y, k)
  g.stroke()
  g.restore()
  drawn.push({ glyph: 'alone', x, y })
  textStyle(g, fonts.label, 'center')
  const half = g.measureText('alone').width / 2 + 3
  const rows = [k + 10 * sizes.glyph, -k - 10 * sizes.glyph, k + 24 * sizes.glyph, -k - 24 * sizes.glyph]
  const inside = rows.filter((dy) => y + dy > sizes.small && y + dy < h - sizes.small)
  const free = inside.find((dy) => taken.every((t) => Math.abs(t.y - y - dy) > t.radius * 0.7 + sizes.small / 2
    || Math.abs(t.x - x) > half + t.radius * 0.7))
  const at = { x: Math.min(w - half, Math.max(half, x)), y: y + (free ?? inside[0] ?? 0) }
  g.fillStyle = colors.ink
  drawHaloed(g, 'alone', at.x, at.y, colors.pitch)
}

/** An arrow from where a mate reports to be towards where the others place it. @param {Pen} pen @param {View} v
 * @param {Judged} mate */
function drawPoseError({ g, drawn }, v, { number, pose, trust: { poseError, disagrees } }) {
  const error = Math.hypot(poseError.x, poseError.y)
  if (error < LEAST) return
  const long = Math.min(LONGEST, LONGER * error), from = Math.max(0.3 * v.s, 8.5 * sizes.glyph) * 1.2
  const [x, y] = v.at(pose.x, pose.y), [ex, ey] = v.at(pose.x - poseError.x, pose.y - poseError.y)
  const turn = Math.atan2(ey - y, ex - x), cos = Math.cos(turn), sin = Math.sin(turn), to = from + long * v.s
  g.save()
  g.strokeStyle = g.fillStyle = disagrees ? colors.bad : colors.ink
  g.lineWidth = 1.8
  line(g, [x + from * cos, y + from * sin], [x + to * cos, y + to * sin])
  const head = 5 * sizes.glyph
  g.beginPath()
  for (const a of [0, 2.6, -2.6]) {
    g.lineTo(x + to * cos + head * Math.cos(turn + a), y + to * sin + head * Math.sin(turn + a))
  }
  g.fill()
  g.restore()
  drawn.push({ glyph: 'pose error', number, x, y, metres: error })
}
