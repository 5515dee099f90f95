// The field of a review: the ball's way, where the robots stood, and how sure the beliefs are. Beside it the close-up of the
// line that the ball crossed, or of the ball at the set piece.

/** @import {AnalysisReview, AnalysisReviewBall, AnalysisReviewSample, SoccerCov} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {View} from '../shared/field.js' */
import { Canvas } from '../shared/canvas.js'
import { circle, drawHaloed, line } from '../shared/draw.js'
import { axesOf, drawField, drawRobot, project } from '../shared/field.js'
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { colors, fonts } from '../shared/theme.js'
import { figure } from '../shared/worldstate.js'
import { review, shownSample } from './state.js'

const WAY = 2 // s of the ball's way that are bold
const JUMP = 1.5 // m between two samples: the ball was carried there
const LEAST = 4 // px, of the ball

/** The ball's radius on a field. @param {AnalysisReview} r */
const radius = (r) => r.field.length < 4 ? 0.0215 : 0.11

/** @typedef {'truth' | 'both' | 'home' | 'away'} Of */

/** The views of the ball, each with its colour. Truth and the belief of both are the ball's own. @returns {[Of, string][]} */
const views = () => [['home', colors.cyan], ['away', colors.magenta], ['both', colors.ball], ['truth', colors.ball]]

/** The best view of the ball. @param {AnalysisReview | null} r @returns {Of} */
const bestOf = (r) => list(r?.samples).some((s) => s.truth) ? 'truth' : 'both'

/** The middle of the close-up, and m across its shorter side. @param {AnalysisReview} r */
export function closeUp(r) {
  const span = radius(r) / 0.11
  if (r.line) {
    const view = list(r.line.views)[0], at = r.line.at, b = view && nearestBall(r, view.t)
    if (at && b) return { x: (at.x + b.x) / 2, y: (at.y + b.y) / 2, span: Math.min(6, span + Math.hypot(at.x - b.x, at.y - b.y)) }
    if (b) return { x: b.x, y: b.y, span: Math.min(4, 1.6 * span + 2 * Math.abs(view.over)) }
  }
  if (r.distances) return { x: r.distances.ball.x, y: r.distances.ball.y, span: 7.5 * span }
  const b = nearestBall(r, r.duel?.t ?? 0)
  return { x: b?.x ?? 0, y: b?.y ?? 0, span: 5 * span }
}

/** The best view of the ball nearest to a time. @param {AnalysisReview} r @param {number} t */
function nearestBall(r, t) {
  const of = bestOf(r)
  const all = list(r.samples).filter((s) => s[of]).sort((a, b) => Math.abs(a.t - t) - Math.abs(b.t - t))
  return all[0]?.[of] ?? null
}

/** Draws the way of one view of the ball: that of the last seconds before t bold. @param {Pen} pen @param {View} v
 * @param {AnalysisReview} r @param {Of} of @param {string} color @param {number} t */
function drawWay({ g }, v, r, of, color, t) {
  g.save()
  g.strokeStyle = g.fillStyle = color
  g.lineCap = 'round'
  /** @type {AnalysisReviewBall | null} */
  let was = null
  for (const s of list(r.samples)) {
    const b = s[of]
    if (b && was && Math.hypot(b.x - was.x, b.y - was.y) < JUMP) {
      const recent = s.t <= t + 0.05 && s.t > t - WAY
      g.globalAlpha = recent ? 1 : 0.25
      g.lineWidth = recent ? 2.5 : 1.2
      line(g, v.at(was.x, was.y), v.at(b.x, b.y))
    }
    was = b
  }
  g.restore()
}

/** Draws the ellipses of one and of two standard deviations. @param {Pen} pen @param {View} v @param {AnalysisReviewBall} b
 * @param {string} color */
function drawDoubt({ g, drawn }, v, b, color) {
  if (!b.cov) return
  const { a, b: short, angle } = axesOf(/** @type {SoccerCov} */ (b.cov)), [x, y] = v.at(b.x, b.y)
  g.save()
  g.strokeStyle = g.fillStyle = color
  for (const [sigmas, fill, rim] of [[2, 0.1, 0.6], [1, 0.18, 0.9]]) {
    g.beginPath()
    g.ellipse(x, y, Math.min(6, sigmas * a) * v.s, Math.min(6, sigmas * short) * v.s, v.turn(angle), 0, 7)
    g.globalAlpha = fill
    g.fill()
    g.globalAlpha = rim
    g.lineWidth = sigmas === 1 ? 1.5 : 1
    g.setLineDash(sigmas === 1 ? [] : [4, 3])
    g.stroke()
  }
  g.restore()
  drawn.push({ glyph: 'doubt', x, y })
}

/** Draws the ball as one view has it. @param {Pen} pen @param {View} v @param {AnalysisReview} r @param {AnalysisReviewBall} b
 * @param {Of} of @param {string} color @param {boolean} solid */
function drawPlace({ g, drawn }, v, r, b, of, color, solid) {
  const [x, y] = v.at(b.x, b.y), k = Math.max(radius(r) * v.s, LEAST)
  g.save()
  circle(g, x, y, k)
  g.strokeStyle = g.fillStyle = color
  g.lineWidth = 2
  if (solid) g.fill()
  else g.stroke()
  if (!solid) { // a team's ball has its middle marked
    circle(g, x, y, 2)
    g.fill()
  }
  g.restore()
  drawn.push({ glyph: 'ball', of, x, y, r: k })
}

/** Draws the line that the ball's centre passes when the whole ball is over the field's line. @param {Pen} pen @param {View} v
 * @param {AnalysisReview} r */
function drawLimit({ g, w, h, drawn }, v, r) {
  if (!r.line) return
  const { goal, end } = r.line, f = r.field, at = end * ((goal ? f.length : f.width) / 2 + radius(r))
  const from = goal ? v.at(at, -f.width) : v.at(-f.length, at), to = goal ? v.at(at, f.width) : v.at(f.length, at)
  g.save()
  g.strokeStyle = colors.ink
  g.lineWidth = 1.5
  g.setLineDash([6, 4])
  line(g, from, to)
  g.restore()
  g.fillStyle = colors.ink
  g.font = fonts.small
  g.textBaseline = 'alphabetic'
  const text = 'centre: wholly over'
  if (goal) {
    g.textAlign = from[0] > w / 2 ? 'right' : 'left'
    drawHaloed(g, text, from[0] + (from[0] > w / 2 ? -5 : 5), h - 8, colors.pitch, 4)
  } else {
    g.textAlign = 'left'
    drawHaloed(g, text, 8, from[1] + (from[1] > h / 2 ? -6 : 14), colors.pitch, 4)
  }
  drawn.push({ glyph: 'limit', x: from[0], y: from[1] })
}

/** Draws the distances that the set piece asks for around START. @param {Pen} pen @param {View} v @param {AnalysisReview} r */
function drawDistances({ g, drawn }, v, r) {
  const d = r.distances
  if (!d || Math.abs(d.t - review.t) > 1) return
  const [x, y] = v.at(d.ball.x, d.ball.y), all = list(d.robots)
  g.save()
  g.strokeStyle = colors.focus
  g.setLineDash([5, 4])
  g.lineWidth = 1.5
  for (const required of new Set(all.map((q) => q.required).filter((m) => m > 0))) {
    circle(g, x, y, required * v.s)
    g.stroke()
    drawn.push({ glyph: 'distance', x, y, r: required * v.s })
  }
  g.restore()
}

/** Marks the robots that the decision or the measure is about. @param {Pen} pen @param {View} v @param {AnalysisReview} r
 * @param {AnalysisReviewSample} s */
function drawMarked({ g, drawn }, v, r, s) {
  const broken = list(r.distances?.robots).filter((q) => q.broken && Math.abs((r.distances?.t ?? 0) - review.t) <= 1)
  for (const p of list(s.robots)) {
    const bad = broken.some((q) => q.side === p.side && q.number === p.number)
    const named = r.decision.robot === p.number && r.decision.side === p.side
    if (!bad && !named) continue
    const [x, y] = v.at(p.pose.x, p.pose.y)
    g.strokeStyle = bad ? colors.bad : colors.focus
    g.lineWidth = 3
    circle(g, x, y, Math.max(0.45 * v.s, 15))
    g.stroke()
    drawn.push({ glyph: bad ? 'broken' : 'selection', x, y, number: p.number })
  }
}

/** @param {Pen} pen @param {boolean} near the close-up */
function draw(pen, near) {
  const r = review.shown
  if (!r) return
  const v = project(r.field, 'x', pen.w, pen.h, near ? closeUp(r) : undefined), s = shownSample(), best = bestOf(r)
  drawField(pen, v)
  drawDistances(pen, v, r)
  for (const [of, color] of views()) if (of === best || of === 'home' || of === 'away') drawWay(pen, v, r, of, color, review.t)
  if (!s) {
    pen.g.fillStyle = colors.ink
    pen.g.font = fonts.label
    pen.g.textAlign = 'center'
    drawHaloed(pen.g, 'the log shows nothing of this time', pen.w / 2, pen.h / 2, colors.pitch, 5)
    return
  }
  pen.g.save()
  if (near) pen.g.globalAlpha = 0.45 // the ball and its line stay visible
  for (const p of list(s.robots)) {
    drawRobot(pen, v, figure(p.number, p.side === 'away' ? 1 : 0, p.pose.x, p.pose.y, p.pose.theta), 'true', 9)
  }
  pen.g.restore()
  drawMarked(pen, v, r, s)
  if (near) drawLimit(pen, v, r)
  for (const [of, color] of views()) {
    const b = s[of]
    if (!b || of === 'both' && best === 'truth') continue
    if (near || of === best) drawDoubt(pen, v, b, color)
    drawPlace(pen, v, r, b, of, color, of === best)
  }
}

/** @param {{near: boolean}} props */
export const ReviewField = ({ near }) => html`<${Canvas} name=${near ? 'review-near' : 'review'}
  class=${near ? 'review-near' : 'review-field'} label=${near ? 'the close-up' : 'the field; the first team attacks to the right'}
  draw=${(/** @type {Pen} */ pen) => draw(pen, near)} />`
