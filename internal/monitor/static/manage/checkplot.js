// The plots of checks: each kick by its distance or speed and its angle, and the paths of a walk.

/** @import {ManagerKickRun as KickRun, ManagerWalkRun as WalkRun} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
import { drawRules, roundValues, stepOf } from '../shared/chart.js'
import { circle, line } from '../shared/draw.js'
import { DEGREE, signed } from '../shared/format.js'
import { list } from '../shared/state.js'
import { colors, fonts } from '../shared/theme.js'

/** The quantity that a run shows: distances where most kicks have one, or else speeds. @param {KickRun} run */
function quantity(run) {
  const tries = list(run.tries).filter((t) => t.ok)
  const far = tries.length > 0 && tries.filter((t) => t.inside).length * 2 >= tries.length
  return { far, unit: far ? 'distance, m' : 'speed at launch, m/s', summary: far ? run.summary.distance : run.summary.speed,
    kicks: tries.filter((t) => !far || t.inside).map((t) => ({ along: far ? t.distance : t.speed, angle: t.angle,
      truth: t.truth && { along: far ? t.truth.distance : t.truth.speed, angle: t.truth.angle } })) }
}

/** Draws the kicks of a run, and mean and spread of an earlier one.
 * @param {Pen} pen @param {KickRun} run @param {KickRun | null} last */
export function drawKicks({ g, w, h, drawn }, run, last) {
  const { far, unit, summary, kicks } = quantity(run)
  const before = last && (far ? last.summary.distance : last.summary.speed)
  const seen = kicks.flatMap((k) => k.truth ? [k, k.truth] : [k])
  if (before && last) seen.push({ along: before.mean, angle: last.summary.angle.mean })
  if (!seen.length) return
  const alongs = seen.map((k) => k.along), widest = Math.max(...seen.map((k) => Math.abs(k.angle / DEGREE)), 2) * 1.3
  const middle = (Math.min(...alongs) + Math.max(...alongs)) / 2
  const reach = Math.max(Math.max(...alongs) - Math.min(...alongs), 0.1 * middle, 0.1) * 0.75
  const left = 40, right = w - 12, top = 22, bottom = h - 34
  const X = (/** @type {number} */ v) => left + (v - middle + reach) / (2 * reach) * (right - left)
  const Y = (/** @type {number} */ rad) => (top + bottom) / 2 - rad / DEGREE / widest * (bottom - top) / 2
  g.font = fonts.small
  g.lineWidth = 1
  const dx = stepOf(2 * reach, 6), dy = stepOf(2 * widest, 5)
  g.fillStyle = colors.dim
  g.strokeStyle = colors.hair
  g.textAlign = 'center'
  for (const v of roundValues(middle - reach, middle + reach, dx)) {
    line(g, [X(v), top], [X(v), bottom])
    g.fillText(v.toFixed(dx < 0.1 ? 2 : dx < 1 ? 1 : 0), X(v), bottom + 14)
  }
  g.fillText(unit, (left + right) / 2, bottom + 28)
  drawRules(g, left, right, roundValues(-widest, widest, dy).map((a) => ({ y: Y(a * DEGREE), text: signed(a, dy < 1 ? 1 : 0) + '°',
    strong: Math.abs(a) < dy / 2 })))
  g.textBaseline = 'alphabetic'
  g.textAlign = 'left'
  g.fillText('angle, left is up', left, 12)
  const sds = (/** @type {KickRun} */ r, /** @type {import('../types').ManagerSpread} */ s) =>
    /** @type {[number, number, number, number]} */ ([X(s.mean), Y(r.summary.angle.mean),
    Math.abs(X(2 * s.sd) - X(0)), Math.abs(Y(2 * r.summary.angle.sd) - Y(0))])
  if (before && last && before.tries > 0) {
    g.strokeStyle = colors.dim
    g.setLineDash([4, 3])
    ring(g, ...sds(last, before))
    g.setLineDash([])
    g.fillText('before', X(before.mean) + 6, Y(last.summary.angle.mean) - 6)
  }
  if (summary.tries > 1) {
    g.strokeStyle = g.fillStyle = colors.ball
    g.globalAlpha = 0.14
    ring(g, ...sds(run, summary), true)
    g.globalAlpha = 1
    ring(g, ...sds(run, summary))
  }
  for (const k of kicks) {
    const [x, y] = [X(k.along), Y(k.angle)]
    if (k.truth) {
      g.strokeStyle = colors.ink
      line(g, [x, y], [X(k.truth.along), Y(k.truth.angle)])
      g.setLineDash([2, 2])
      ring(g, X(k.truth.along), Y(k.truth.angle), 4, 4)
      g.setLineDash([])
    }
    g.fillStyle = colors.ball
    g.globalAlpha = 0.8
    circle(g, x, y, 4)
    g.fill()
    g.globalAlpha = 1
    drawn.push({ glyph: 'kick', x, y })
  }
  const angle = run.summary.angle
  if (summary.tries > 1 && angle.tries > 1) { // the cross of the mean: its arms are the 95 % intervals
    g.strokeStyle = colors.ink
    g.lineWidth = 2.5
    line(g, [X(summary.meanIn.from), Y(angle.mean)], [X(summary.meanIn.to), Y(angle.mean)])
    line(g, [X(summary.mean), Y(angle.meanIn.from)], [X(summary.mean), Y(angle.meanIn.to)])
  }
  g.textAlign = 'right'
  g.fillStyle = colors.dim
  if (kicks.some((k) => k.truth)) g.fillText('dashed: truth', right, 12)
}

/** @param {CanvasRenderingContext2D} g @param {number} x @param {number} y @param {number} rx @param {number} ry
 * @param {boolean} [fill] */
function ring(g, x, y, rx, ry, fill = false) {
  g.beginPath()
  g.ellipse(x, y, rx, ry, 0, 0, 2 * Math.PI)
  if (fill) g.fill()
  else g.stroke()
}

/** The paths of a walk: name, colour, width, dashes. @type {[string, 'want' | 'odometry' | 'world' | 'truth', string, number, number[]][]} */
const paths = [['wanted', 'want', 'line', 8, []], ['odometry', 'odometry', 'dim', 2, [1, 4]], ['localised', 'world', 'ink', 1.5, []],
  ['truth', 'truth', 'ink', 2, [6, 4]]]

/** Draws the wanted path and those measured, x to the right. @param {Pen} pen @param {WalkRun} run */
export function drawWalk({ g, w, h, drawn }, run) {
  const path = list(run.path), all = path.flatMap((p) => [p.want, p.odometry, p.world, p.truth]).filter((p) => p !== null)
  if (!all.length) return
  const xs = all.map((p) => p[0]), ys = all.map((p) => p[1])
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const top = 24, margin = 16
  const scale = Math.min((w - 2 * margin) / Math.max(x1 - x0, 0.5), (h - top - 2 * margin) / Math.max(y1 - y0, 0.5))
  const X = (/** @type {number} */ x) => w / 2 + (x - (x0 + x1) / 2) * scale
  const Y = (/** @type {number} */ y) => (top + h) / 2 - (y - (y0 + y1) / 2) * scale
  g.lineJoin = g.lineCap = 'round'
  g.font = fonts.small
  let legend = margin
  for (const [name, of, color, width, dashes] of paths) {
    const points = path.map((p) => p[of]).filter((p) => p !== null)
    if (!points.length) continue
    g.strokeStyle = colors[color]
    g.lineWidth = width
    g.setLineDash(dashes)
    g.globalAlpha = of === 'want' ? 0.35 : 1
    line(g, ...points.map((p) => [X(p[0]), Y(p[1])]))
    line(g, [legend, 11], [legend + 22, 11])
    g.setLineDash([])
    g.globalAlpha = 1
    g.fillStyle = colors.ink
    g.textAlign = 'left'
    g.fillText(name, legend + 28, 15)
    legend += 40 + g.measureText(name).width
    const [x, y] = [X(points[points.length - 1][0]), Y(points[points.length - 1][1])]
    drawn.push({ glyph: of, x, y, points: points.length })
  }
  const [x, y, heading] = path[0].want // a robot's glyph at the start: its point is the heading
  g.strokeStyle = colors.ink
  g.lineWidth = 1.5
  g.fillStyle = colors.panel
  g.beginPath()
  for (const [r, a] of [[11, 0], [8, 0.9], [8, 2.3], [8, -2.3], [8, -0.9]]) {
    g.lineTo(X(x) + r * Math.cos(heading + a), Y(y) - r * Math.sin(heading + a))
  }
  g.closePath()
  g.fill()
  g.stroke()
  const metre = stepOf(w / scale, 10)
  g.fillStyle = g.strokeStyle = colors.dim
  line(g, [w - margin - metre * scale, h - 6], [w - margin, h - 6])
  g.textAlign = 'right'
  g.fillText(`${metre} m`, w - margin, h - 11)
}
