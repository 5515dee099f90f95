// A field on a canvas: the projection, the lines, and one glyph for each kind of thing. Drawing depends on the
// arguments only, and adds each glyph to pen.drawn, in pixels of the page.

/** @import {Figure, SoccerCov, SoccerField, Thing} from '../types' */
/** @import {Pen} from './canvas.js' */
import { circle, drawHaloed, label, line, polygon, textStyle } from './draw.js'
import { colors, fonts } from './theme.js'

/** @typedef {ReturnType<typeof project>} View */

/** Thickness of walls that stand on the lines, in m (FIRASim). */
export const WALL = 0.025
const BESIDE = 0.1 // m: room for a robot of 7.5 cm behind such a wall

/** The margin that is drawn around the lines, in m. @param {SoccerField} f */
export function around(f) {
  if (!f.border) return { x: Math.max(f.goalDepth + WALL, WALL + BESIDE) + 0.02, y: WALL + 0.01 }
  const b = Math.max(f.border, f.goalDepth + 0.1)
  return { x: b, y: b }
}

/** Width and height of the drawn field on the page, in m. @param {SoccerField} f @param {'x' | 'msl'} frame */
export function extent(f, frame) {
  const long = f.length + 2 * around(f).x, wide = f.width + 2 * around(f).y
  return frame === 'msl' ? { w: wide, h: long } : { w: long, h: wide }
}

/** Projects the field into w x h pixels. Frame x draws field x to the right; frame msl draws MSL's Y, which is field x,
 * upwards.
 * @param {SoccerField} field @param {'x' | 'msl'} frame @param {number} w @param {number} h
 * @param {{x: number, y: number, span: number}} [part] of the field around x and y, so many m across the shorter side; the whole
 * by default */
export function project(field, frame, w, h, part) {
  const size = extent(field, frame), { x: mx, y: my } = part ?? { x: 0, y: 0 }
  const s = part ? Math.max(0.1, Math.min(w, h) / part.span) : Math.max(0.1, Math.min(w / size.w, h / size.h))
  const msl = frame === 'msl'
  return {
    field, frame, w, h, s, part,
    /** @param {number} x @param {number} y @returns {[number, number]} */
    at: (x, y) => msl ? [w / 2 - (y - my) * s, h / 2 - (x - mx) * s] : [w / 2 + (x - mx) * s, h / 2 - (y - my) * s],
    /** @param {number} px @param {number} py */
    from: (px, py) => msl ? { x: (h / 2 - py) / s + mx, y: (w / 2 - px) / s + my }
      : { x: (px - w / 2) / s + mx, y: (h / 2 - py) / s + my },
    /** The canvas angle of a heading. @param {number} theta */
    turn: (theta) => msl ? -theta - Math.PI / 2 : -theta,
  }
}

/** @type {Map<string, HTMLCanvasElement>} */
const cache = new Map()

/** Draws the field. Equal fields are drawn once and copied.
 * @param {Pen} pen @param {View} v */
export function drawField(pen, v) {
  const d = devicePixelRatio || 1
  const key = [v.w, v.h, d, v.frame, colors.theme, ...Object.values(v.field), ...Object.values(v.part ?? {})].join()
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
  const f = v.field, L = f.length / 2, W = f.width / 2
  // Straight lines cover whole pixels: between two pixels they would lose their contrast.
  const wide = f.lineWidth * v.s >= 3 ? 2 : 1
  const snap = (/** @type {number} */ px) => wide === 1 ? Math.floor(px) + 0.5 : Math.round(px)
  const box = (/** @type {number} */ x0, /** @type {number} */ y0, /** @type {number} */ x1,
    /** @type {number} */ y1) => {
    const [ax, ay] = v.at(x0, y0).map(snap), [bx, by] = v.at(x1, y1).map(snap)
    return /** @type {const} */ ([Math.min(ax, bx), Math.min(ay, by), Math.abs(ax - bx), Math.abs(ay - by)])
  }
  const dot = (/** @type {number} */ x, /** @type {number} */ y) => {
    circle(g, ...v.at(x, y), Math.max(1.2, (f.border ? 0.08 * sizeOn(f) : 0.006) * v.s))
    g.fill()
  }
  drawGround(g, v, box)
  g.strokeStyle = g.fillStyle = colors.line
  g.lineWidth = wide
  if (f.border) g.strokeRect(...box(-L, -W, L, W))
  for (const side of [-1, 1]) {
    for (const [long, wide] of [[f.penaltyAreaLength, f.penaltyAreaWidth], [f.goalAreaLength, f.goalAreaWidth]]) {
      if (long) g.strokeRect(...box(side * L, -wide / 2, side * (L - long), wide / 2))
    }
    g.save()
    g.fillStyle = colors.goal
    g.fillRect(...box(side * L, -f.goalWidth / 2, side * (L + f.goalDepth), f.goalWidth / 2))
    g.restore()
    g.strokeRect(...box(side * L, -f.goalWidth / 2, side * (L + f.goalDepth), f.goalWidth / 2))
    dot(side * (L - f.penaltySpot), 0)
  }
  g.strokeRect(...box(0, -W, 0, W))
  g.lineWidth = Math.max(1.5, wide)
  circle(g, ...v.at(0, 0), f.circleRadius * v.s)
  g.stroke()
  dot(0, 0)
  g.save() // the corners' arcs are circles seen through the field's rectangle
  g.beginPath()
  g.rect(...box(-L, -W, L, W))
  g.clip()
  for (const [x, y] of [[L, W], [L, -W], [-L, W], [-L, -W]]) {
    circle(g, ...v.at(x, y), f.cornerRadius * v.s)
    g.stroke()
  }
  g.restore()
}

/** Draws the ground: a pitch with a margin, or one inside walls that follow the lines and the goals.
 * @param {CanvasRenderingContext2D} g @param {View} v
 * @param {(x0: number, y0: number, x1: number, y1: number) => readonly [number, number, number, number]} box */
function drawGround(g, v, box) {
  const f = v.field, L = f.length / 2, W = f.width / 2, G = f.goalWidth / 2, D = L + f.goalDepth, c = f.cornerCut
  g.fillStyle = colors.pitch
  g.beginPath()
  if (f.border) {
    const b = around(f)
    g.roundRect(...box(-L - b.x, -W - b.y, L + b.x, W + b.y), 4)
  } else {
    const quarter = [[D, G], [L, G], [L, W - c], [L - c, W]]
    const half = [...quarter, ...quarter.map(([x, y]) => [-x, y]).reverse()]
    for (const [x, y] of [...half, ...half.map(([x, y]) => [-x, -y])]) g.lineTo(...v.at(x, y))
    g.closePath()
    g.strokeStyle = colors.wall
    g.lineWidth = 2 * WALL * v.s // the ground covers its inner half
    g.stroke()
  }
  g.fill()
}

/** @param {number} color its number in the packages */
const teamColor = (color) => color === 0 ? colors.cyan : color === 1 ? colors.magenta : colors.dim

/** The five sides of a robot, which point along its heading. */
const OUTLINE = [[1.45, 0], [0.3, 1], [-1, 0.85], [-1, -0.85], [0.3, -1]]

/** How a robot is drawn: 'true' for ground truth, 'self' for the monitor's own robot, 'reported' for one that peers
 * report, 'off' for one that is switched off, 'ghost' for ground truth beneath a belief.
 * @typedef {'true' | 'self' | 'reported' | 'off' | 'ghost'} RobotStyle */

/** How large things are on a field, beside those of the Middle Size League. @param {SoccerField} field */
const sizeOn = (field) => field.name.startsWith('SSL') ? 0.35 : 1

/** Draws a robot: five sides that point along its heading, a disc where the heading is unknown.
 * @param {Pen} pen @param {View} v @param {Figure} robot @param {RobotStyle} style
 * @param {number} least smallest radius in px */
export function drawRobot(pen, v, robot, style, least) {
  const { g } = pen
  const [x, y] = v.at(robot.pose.x, robot.pose.y)
  const k = Math.max(0.3 * sizeOn(v.field) * v.s, least)
  const disc = robot.shape === 'camera' || !robot.facing
  const solid = style === 'true' || style === 'self'
  g.save()
  g.translate(x, y)
  g.save()
  if (!disc) g.rotate(v.turn(robot.pose.theta))
  if (disc) circle(g, 0, 0, k)
  else polygon(g, OUTLINE, k)
  g.lineJoin = 'round'
  g.fillStyle = solid ? teamColor(robot.color) : colors.pitch
  if (style !== 'ghost') g.fill()
  if (style === 'reported') {
    g.globalAlpha = 0.22
    g.fillStyle = teamColor(robot.color)
    g.fill()
    g.globalAlpha = 0.75
  }
  g.lineWidth = style === 'self' ? 2.4 : 1.3
  g.strokeStyle = style === 'self' ? colors.ink : teamColor(robot.color)
  if (style === 'off') g.setLineDash([2, 2])
  if (style === 'ghost') dash(g)
  g.stroke()
  g.restore()
  g.fillStyle = solid ? colors['on-team'] : colors.ink
  if (style !== 'ghost') label(g, String(robot.number), -(disc ? 0 : 0.04 * k), 0.5, fonts.bold(k * 1.1))
  g.restore()
  pen.drawn.push({ glyph: 'robot', number: robot.number, color: robot.color, shape: disc ? 'disc' : 'body', style, x,
    y })
}

/** Draws an obstacle: a square, dashed for ground truth beneath a belief.
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

const aloft = 0.21 // m: a ball whose centre is higher does not roll, by 0.1 m

/** Draws the ball with a stroke along its path in the next half second, or ahead seconds. A reported ball is paler; a
 * ball in the air has a ring that grows with its height, and with how.height the height in m beside it.
 * @param {Pen} pen @param {View} v @param {{x: number, y: number, z: number, vx: number, vy: number}} ball
 * @param {{ghost?: boolean, reported?: boolean, least: number, radius?: number, ahead?: number,
 * height?: boolean}} how */
export function drawBall(pen, v, ball, how) {
  const { g } = pen
  const [x, y] = v.at(ball.x, ball.y)
  const k = Math.max((how.radius ?? 0.16 * sizeOn(v.field)) * v.s, how.least)
  g.save()
  g.beginPath()
  if (how.ghost) {
    dash(g)
    g.arc(x, y, k + 2, 0, 7)
    g.stroke()
  } else {
    g.strokeStyle = g.fillStyle = colors.ball
    g.globalAlpha = how.reported ? 0.55 : 1
    g.arc(x, y, k, 0, 7)
    g.fill()
    g.lineWidth = Math.max(1.8, k * 0.35)
    g.lineCap = 'round'
    g.beginPath()
    g.moveTo(x, y)
    const ahead = how.ahead ?? 0.5
    g.lineTo(...v.at(ball.x + ball.vx * ahead, ball.y + ball.vy * ahead))
    g.stroke()
    if (ball.z > aloft) {
      const ring = k + 3 + 8 * Math.min(2, ball.z)
      g.lineWidth = 1
      circle(g, x, y, ring)
      g.stroke()
      if (how.height) {
        const text = `↑ ${ball.z.toFixed(1)} m`, inward = x < pen.w / 2 ? 1 : -1
        g.globalAlpha = 1
        g.fillStyle = colors.ink
        textStyle(g, fonts.small, 'center')
        drawHaloed(g, text, x + inward * (ring + 4 + g.measureText(text).width / 2), y, colors.pitch, 4)
      }
    }
  }
  g.restore()
  pen.drawn.push({ glyph: how.ghost ? 'true ball' : 'ball', x, y, r: k })
}

/** @param {CanvasRenderingContext2D} g */
function dash(g) {
  g.setLineDash([3, 2.5])
  g.strokeStyle = colors.ink
  g.lineWidth = 1.2
}

/** Draws the ellipse of two standard deviations. Its colour fades as it grows: the field's lines stay legible beneath
 * many large ones.
 * @param {Pen} pen @param {View} v @param {Thing} thing @param {string} [color] the ball's by default */
export function drawUncertainty(pen, v, thing, color = colors.ball) {
  if (!thing.cov) return
  const { g } = pen
  const { a, b, angle } = axesOf(thing.cov)
  const [x, y] = v.at(thing.x, thing.y)
  const long = Math.min(6, 2 * a), short = Math.min(6, 2 * b)
  g.save()
  g.beginPath()
  g.ellipse(x, y, long * v.s, short * v.s, v.turn(angle), 0, 7)
  g.fillStyle = g.strokeStyle = color
  g.globalAlpha = 0.16 / Math.max(1, long * short)
  g.fill()
  g.globalAlpha = 0.6
  g.lineWidth = 1
  g.stroke()
  g.restore()
  pen.drawn.push({ glyph: 'uncertainty', x, y })
}

/** The standard deviations along a covariance's axes, in m, and the first one's angle.
 * @param {SoccerCov} c */
export function axesOf(c) {
  const mean = (c.xx + c.yy) / 2, half = Math.hypot((c.xx - c.yy) / 2, c.xy)
  return {
    a: Math.sqrt(Math.max(0, mean + half)), b: Math.sqrt(Math.max(0, mean - half)),
    angle: Math.atan2(2 * c.xy, c.xx - c.yy) / 2,
  }
}

/** The kick that an arrow from the ball to a point means, in m/s: perMetre for each metre of the arrow, at most most.
 * @param {{x: number, y: number}} ball @param {{x: number, y: number}} to @param {number} perMetre
 * @param {number} most m/s */
export function kickTowards(ball, to, perMetre, most) {
  const dx = to.x - ball.x, dy = to.y - ball.y, d = Math.hypot(dx, dy)
  const speed = Math.min(most, d * perMetre)
  return { speed, vx: d ? dx / d * speed : 0, vy: d ? dy / d * speed : 0 }
}

/** Draws the arrow of a kick. @param {Pen} pen @param {View} v @param {{x: number, y: number}} ball
 * @param {ReturnType<typeof kickTowards>} k @param {number} perMetre @param {string} text */
export function drawArrow(pen, v, ball, k, perMetre, text) {
  const { g } = pen
  const [x, y] = v.at(ball.x, ball.y)
  const [tx, ty] = v.at(ball.x + k.vx / perMetre, ball.y + k.vy / perMetre)
  const turn = Math.atan2(ty - y, tx - x)
  g.save()
  g.strokeStyle = g.fillStyle = colors.ink
  g.lineWidth = 2.5
  line(g, [x, y], [tx - 8 * Math.cos(turn), ty - 8 * Math.sin(turn)])
  g.beginPath()
  for (const a of [0, 2.65, -2.65]) g.lineTo(tx + (a ? 13 : 0) * Math.cos(turn + a),
    ty + (a ? 13 : 0) * Math.sin(turn + a))
  g.fill()
  g.font = fonts.large
  const wide = g.measureText(text).width
  const lx = Math.min(Math.max(tx + 18 * Math.cos(turn), 6 + (Math.cos(turn) < 0 ? wide : 0)),
    pen.w - 6 - (Math.cos(turn) < 0 ? 0 : wide))
  const ly = Math.min(Math.max(ty + 18 * Math.sin(turn), 12), pen.h - 12)
  g.textAlign = Math.cos(turn) < 0 ? 'right' : 'left'
  g.textBaseline = 'middle'
  g.lineWidth = 5
  g.strokeStyle = colors.pitch
  g.strokeText(text, lx, ly)
  g.fillText(text, lx, ly)
  g.restore()
  pen.drawn.push({ glyph: 'kick', x: tx, y: ty, speed: k.speed })
}

/** Draws the directions of the axes. corner: where they meet, in pixels.
 * @param {CanvasRenderingContext2D} g @param {[number, number]} corner @param {string} right @param {string} up */
export function drawAxes(g, [x, y], right, up) {
  g.strokeStyle = g.fillStyle = colors.dim
  g.lineWidth = 1.2
  g.beginPath()
  g.moveTo(x, y - 24)
  g.lineTo(x, y)
  g.lineTo(x + 24, y)
  g.moveTo(x + 20, y - 3)
  g.lineTo(x + 24, y)
  g.lineTo(x + 20, y + 3)
  g.moveTo(x - 3, y - 20)
  g.lineTo(x, y - 24)
  g.lineTo(x + 3, y - 20)
  g.stroke()
  label(g, right, x + 33, y, fonts.label)
  label(g, up, x, y - 32, fonts.label)
}

/** Draws a ring around the selected thing. @param {Pen} pen @param {View} v
 * @param {{x: number, y: number, kind: string, id: number}} it @param {number} radius px */
export function drawSelection(pen, v, it, radius) {
  const [x, y] = v.at(it.x, it.y)
  pen.g.strokeStyle = colors.focus
  pen.g.lineWidth = 2
  circle(pen.g, x, y, radius)
  pen.g.stroke()
  pen.drawn.push({ glyph: 'selection', x, y, kind: it.kind, id: it.id })
}
