// A field on a canvas: where its points lie, its lines, and one glyph for each thing. All of it is drawn from values;
// what was drawn is kept in pen.drawn, in pixels of the page.

/** @import {Figure, SoccerCov, SoccerField, Thing} from './types' */
/** @import {Pen} from './canvas.js' */
import { colors } from './theme.js'

/** @typedef {ReturnType<typeof project>} View */

/** What may stand around the lines, in m. @param {SoccerField} f */
const around = (f) => Math.max(f.border, f.goalDepth + 0.1)

/** The field's sides on the page, in m: width and height. @param {SoccerField} f @param {'x' | 'msl'} frame */
export function extent(f, frame) {
  const long = f.length + 2 * around(f), wide = f.width + 2 * around(f)
  return frame === 'msl' ? { w: wide, h: long } : { w: long, h: wide }
}

/** Lays the field into w x h pixels. Frame x draws field x to the right; msl draws MSL's Y, which is field x, upwards.
 * @param {SoccerField} field @param {'x' | 'msl'} frame @param {number} w @param {number} h */
export function project(field, frame, w, h) {
  const size = extent(field, frame)
  const s = Math.max(0.1, Math.min(w / size.w, h / size.h))
  const msl = frame === 'msl'
  return {
    field, frame, w, h, s,
    /** @param {number} x @param {number} y @returns {[number, number]} */
    at: (x, y) => msl ? [w / 2 - y * s, h / 2 - x * s] : [w / 2 + x * s, h / 2 - y * s],
    /** @param {number} px @param {number} py */
    from: (px, py) => msl ? { x: (h / 2 - py) / s, y: (w / 2 - px) / s } : { x: (px - w / 2) / s, y: (h / 2 - py) / s },
    /** The canvas angle of a heading. @param {number} theta */
    turn: (theta) => msl ? -theta - Math.PI / 2 : -theta,
  }
}

/** @type {Map<string, HTMLCanvasElement>} */
const cache = new Map()

/** Draws the field itself; equal fields are drawn once and copied.
 * @param {Pen} pen @param {View} v */
export function drawField(pen, v) {
  const d = devicePixelRatio || 1
  const key = [v.w, v.h, d, v.frame, colors.name, ...Object.values(v.field)].join()
  let c = cache.get(key)
  if (!c) {
    if (cache.size > 24) cache.clear()
    c = document.createElement('canvas')
    c.width = Math.ceil(v.w * d)
    c.height = Math.ceil(v.h * d)
    const g = /** @type {CanvasRenderingContext2D} */ (c.getContext('2d'))
    g.scale(d, d)
    drawLines(g, v)
    cache.set(key, c)
  }
  pen.g.drawImage(c, 0, 0, v.w, v.h)
}

/** @param {CanvasRenderingContext2D} g @param {View} v */
function drawLines(g, v) {
  const f = v.field, L = f.length / 2, W = f.width / 2, b = around(f)
  const box = (/** @type {number} */ x0, /** @type {number} */ y0, /** @type {number} */ x1, /** @type {number} */ y1) => {
    const [ax, ay] = v.at(x0, y0), [bx, by] = v.at(x1, y1)
    return /** @type {const} */ ([Math.min(ax, bx), Math.min(ay, by), Math.abs(ax - bx), Math.abs(ay - by)])
  }
  const dot = (/** @type {number} */ x, /** @type {number} */ y) => {
    g.beginPath()
    g.arc(...v.at(x, y), Math.max(1.2, 0.08 * v.s), 0, 7)
    g.fill()
  }
  g.fillStyle = colors.pitch
  g.beginPath()
  g.roundRect(...box(-L - b, -W - b, L + b, W + b), 4)
  g.fill()
  g.strokeStyle = g.fillStyle = colors.line
  g.lineWidth = Math.max(1, Math.min(2.5, f.lineWidth * v.s * 0.5))
  g.strokeRect(...box(-L, -W, L, W))
  for (const side of [-1, 1]) {
    g.strokeRect(...box(side * L, -f.penaltyAreaWidth / 2, side * (L - f.penaltyAreaLength), f.penaltyAreaWidth / 2))
    g.strokeRect(...box(side * L, -f.goalAreaWidth / 2, side * (L - f.goalAreaLength), f.goalAreaWidth / 2))
    g.save()
    g.fillStyle = colors.goal
    g.fillRect(...box(side * L, -f.goalWidth / 2, side * (L + f.goalDepth), f.goalWidth / 2))
    g.restore()
    g.strokeRect(...box(side * L, -f.goalWidth / 2, side * (L + f.goalDepth), f.goalWidth / 2))
    dot(side * (L - f.penaltySpot), 0)
  }
  g.beginPath()
  g.moveTo(...v.at(0, W))
  g.lineTo(...v.at(0, -W))
  g.stroke()
  g.beginPath()
  g.arc(...v.at(0, 0), f.circleRadius * v.s, 0, 7)
  g.stroke()
  dot(0, 0)
  g.save() // the corners' arcs are circles seen through the field's rectangle
  g.beginPath()
  g.rect(...box(-L, -W, L, W))
  g.clip()
  for (const [x, y] of [[L, W], [L, -W], [-L, W], [-L, -W]]) {
    g.beginPath()
    g.arc(...v.at(x, y), f.cornerRadius * v.s, 0, 7)
    g.stroke()
  }
  g.restore()
}

/** @param {number} color as on the wire */
const teamColor = (color) => color === 0 ? colors.cyan : color === 1 ? colors.magenta : colors.dim

/** How a robot is drawn: 'true' as it stands, 'self' the monitor's own, 'heard' as a peer says, 'off' switched off.
 * @typedef {'true' | 'self' | 'heard' | 'off'} RobotStyle */

/** The robot's glyph: five sides that point along its heading, a disc where there is none.
 * @param {Pen} pen @param {View} v @param {Figure} robot @param {RobotStyle} style @param {number} least smallest radius in px */
export function drawRobot(pen, v, robot, style, least) {
  const { g } = pen
  const [x, y] = v.at(robot.pose.x, robot.pose.y)
  const k = Math.max(0.3 * v.s, least)
  const disc = robot.shape === 'camera' || !robot.facing
  const solid = style === 'true' || style === 'self'
  g.save()
  g.translate(x, y)
  g.save()
  if (!disc) g.rotate(v.turn(robot.pose.theta))
  g.beginPath()
  if (disc) g.arc(0, 0, k, 0, 7)
  else for (const [a, b] of [[1.45, 0], [0.3, 1], [-1, 0.85], [-1, -0.85], [0.3, -1]]) g.lineTo(a * k, b * k)
  g.closePath()
  g.lineJoin = 'round'
  g.fillStyle = solid ? teamColor(robot.color) : colors.pitch
  g.fill()
  if (style === 'heard') {
    g.globalAlpha = 0.22
    g.fillStyle = teamColor(robot.color)
    g.fill()
    g.globalAlpha = 0.75
  }
  g.lineWidth = style === 'self' ? 2.4 : 1.3
  g.strokeStyle = style === 'self' ? colors.ink : teamColor(robot.color)
  if (style === 'off') g.setLineDash([2, 2])
  g.stroke()
  g.restore()
  g.fillStyle = solid ? colors.onTeam : colors.ink
  label(g, String(robot.number), -(disc ? 0 : 0.04 * k), 0.5, `600 ${Math.max(10, k * 1.1).toFixed(1)}px system-ui, sans-serif`)
  g.restore()
  pen.drawn.push({ glyph: 'robot', number: robot.number, color: robot.color, shape: disc ? 'disc' : 'body', style, x, y })
}

/** @param {CanvasRenderingContext2D} g @param {string} text @param {number} x @param {number} y @param {string} font */
function label(g, text, x, y, font) {
  g.font = font
  g.textAlign = 'center'
  g.textBaseline = 'middle'
  g.fillText(text, x, y)
}

/** Draws a square; the true one is dashed where a belief lies over it.
 * @param {Pen} pen @param {View} v @param {Thing} thing @param {{ghost?: boolean, least: number}} how */
export function drawObstacle(pen, v, thing, how) {
  const { g } = pen
  const [x, y] = v.at(thing.x, thing.y)
  const k = Math.max(0.25 * v.s, how.least) + (how.ghost ? 2 : 0)
  g.save()
  if (how.ghost) dash(g)
  else g.fillStyle = colors.obstacle
  g.beginPath()
  g.roundRect(x - k, y - k, 2 * k, 2 * k, 1.5)
  if (how.ghost) g.stroke()
  else g.fill()
  g.restore()
  pen.drawn.push({ glyph: how.ghost ? 'true obstacle' : 'obstacle', x, y })
}

/** Draws the ball with a stroke of half a second of its way. One that is only heard of is paler; one in the air has
 * a ring that grows with its height.
 * @param {Pen} pen @param {View} v @param {Thing} ball @param {{ghost?: boolean, heard?: boolean, least: number}} how */
export function drawBall(pen, v, ball, how) {
  const { g } = pen
  const [x, y] = v.at(ball.x, ball.y)
  const k = Math.max(0.16 * v.s, how.least)
  g.save()
  g.beginPath()
  if (how.ghost) {
    dash(g)
    g.arc(x, y, k + 2, 0, 7)
    g.stroke()
  } else {
    g.strokeStyle = g.fillStyle = colors.ball
    g.globalAlpha = how.heard ? 0.55 : 1
    g.arc(x, y, k, 0, 7)
    g.fill()
    g.lineWidth = Math.max(1.8, k * 0.35)
    g.lineCap = 'round'
    g.beginPath()
    g.moveTo(x, y)
    g.lineTo(...v.at(ball.x + ball.vx / 2, ball.y + ball.vy / 2))
    g.stroke()
    if (ball.z > 0.25) {
      g.lineWidth = 1
      g.beginPath()
      g.arc(x, y, k + 3 + 8 * Math.min(2, ball.z), 0, 7)
      g.stroke()
    }
  }
  g.restore()
  pen.drawn.push({ glyph: how.ghost ? 'true ball' : 'ball', x, y })
}

/** @param {CanvasRenderingContext2D} g */
function dash(g) {
  g.setLineDash([3, 2.5])
  g.strokeStyle = colors.ink
  g.lineWidth = 1.2
}

/** Draws where a position lies with two standard deviations.
 * @param {Pen} pen @param {View} v @param {Thing} thing */
export function drawDoubt(pen, v, thing) {
  if (!thing.cov) return
  const { g } = pen
  const { a, b, angle } = axes(thing.cov)
  const [x, y] = v.at(thing.x, thing.y)
  g.save()
  g.beginPath()
  g.ellipse(x, y, Math.min(6, 2 * a) * v.s, Math.min(6, 2 * b) * v.s, v.turn(angle), 0, 7)
  g.fillStyle = g.strokeStyle = colors.ball
  g.globalAlpha = 0.16
  g.fill()
  g.globalAlpha = 0.6
  g.lineWidth = 1
  g.stroke()
  g.restore()
  pen.drawn.push({ glyph: 'doubt', x, y })
}

/** The standard deviations along a covariance's axes, in m, and the first one's angle.
 * @param {SoccerCov} c */
export function axes(c) {
  const mean = (c.xx + c.yy) / 2, half = Math.hypot((c.xx - c.yy) / 2, c.xy)
  return {
    a: Math.sqrt(Math.max(0, mean + half)), b: Math.sqrt(Math.max(0, mean - half)),
    angle: Math.atan2(2 * c.xy, c.xx - c.yy) / 2,
  }
}
