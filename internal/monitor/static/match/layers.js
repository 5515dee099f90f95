// The layers over the field of a match: the ball's trail, the newest passes, and as toggles the shots and where the ball was.

/** @import {MatchShot, MatchShowView} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {View} from '../shared/field.js' */
import { circle, label, line } from '../shared/draw.js'
import { list } from '../shared/state.js'
import { colors, fonts, sizes } from '../shared/theme.js'
import { match, TRAIL } from './state.js'

const PASS = 4 // s for which a pass fades
const DARKEST = 0.62 // opacity of a square in which a team had the ball longest

/** @param {boolean} home */
const colorOf = (home) => home ? colors.cyan : colors.magenta

/** Seconds of the game until the shown time. @param {MatchShowView} view */
export const playedOf = (view) => view.time - (view.start || 0)

/** Draws the way of the ball in the last moments, older parts paler. @param {Pen} pen @param {View} v */
export function drawTrail({ g, drawn }, v) {
  const { trail } = match, now = trail.at(-1)?.t ?? 0
  g.save()
  g.strokeStyle = colors.ball
  g.lineCap = 'round'
  g.lineWidth = Math.max(2, 0.12 * v.s)
  for (let i = 1; i < trail.length; i++) {
    g.globalAlpha = 0.6 * Math.max(0, 1 - (now - trail[i].t) / TRAIL)
    line(g, v.at(trail[i - 1].x, trail[i - 1].y), v.at(trail[i].x, trail[i].y))
  }
  g.restore()
  if (trail.length > 1) drawn.push({ glyph: 'trail', x: 0, y: 0, n: trail.length })
}

/** Draws the newest passes as arrows that fade. @param {Pen} pen @param {View} v @param {MatchShowView} view */
export function drawPasses({ g, drawn }, v, view) {
  const now = playedOf(view)
  g.save()
  g.lineCap = 'round'
  g.lineWidth = Math.max(2.5, 0.1 * v.s)
  for (const { at, home, from, to } of list(view.passes)) {
    const left = 1 - (now - at) / PASS
    if (left <= 0 || left > 1.1) continue
    const [x, y] = v.at(from.x, from.y), [tx, ty] = v.at(to.x, to.y), turn = Math.atan2(ty - y, tx - x), k = 9 * sizes.glyph
    g.globalAlpha = Math.min(0.85, left)
    g.strokeStyle = colorOf(home)
    line(g, [x, y], [tx, ty])
    line(g, ...[2.6, 0, -2.6].map((a) => [tx + (a ? k : 0) * Math.cos(turn + a), ty + (a ? k : 0) * Math.sin(turn + a)]))
    drawn.push({ glyph: 'pass', x: tx, y: ty, home })
  }
  g.restore()
}

/** Draws for each square how long each team had the ball there. @param {Pen} pen @param {View} v @param {MatchShowView} view */
export function drawHeat({ g, drawn }, v, view) {
  const { heat, field } = view, wide = field.length / heat.columns, high = field.width / heat.rows
  g.save()
  for (const home of [true, false]) {
    g.fillStyle = colorOf(home)
    const digits = home ? heat.home : heat.away
    for (let i = 0; i < digits.length; i++) {
      if (digits[i] === '0') continue
      const x = Math.floor(i / heat.rows) * wide - field.length / 2, y = (i % heat.rows) * high - field.width / 2
      const [ax, ay] = v.at(x, y), [bx, by] = v.at(x + wide, y + high)
      g.globalAlpha = DARKEST * Number(digits[i]) / 9
      g.fillRect(Math.min(ax, bx), Math.min(ay, by), Math.abs(bx - ax), Math.abs(by - ay))
    }
  }
  g.restore()
  drawn.push({ glyph: 'heat', x: 0, y: 0 })
}

/** The signs of what became of shots. @type {[string, string][]} */
export const RESULTS = [['goal', '●'], ['saved', '■'], ['on target', '○'], ['wide', '×']]

/** Draws where shots came from, with the shooter's number. @param {Pen} pen @param {View} v @param {MatchShowView} view */
export function drawShots(pen, v, view) {
  for (const shot of list(view.shots)) drawShot(pen, v, shot)
}

/** @param {Pen} pen @param {View} v @param {MatchShot} shot */
function drawShot({ g, drawn }, v, { home, number, from, result }) {
  const [x, y] = v.at(from.x, from.y), k = 7 * sizes.glyph
  g.save()
  g.strokeStyle = g.fillStyle = colorOf(home)
  g.lineWidth = 2.5
  if (result === 'goal') {
    g.globalAlpha = 0.7
    line(g, [x, y], v.at((home ? 1 : -1) * v.field.length / 2, 0))
    g.globalAlpha = 1
  }
  if (result === 'wide') {
    line(g, [x - k * 0.8, y - k * 0.8], [x + k * 0.8, y + k * 0.8])
    line(g, [x - k * 0.8, y + k * 0.8], [x + k * 0.8, y - k * 0.8])
  } else if (result === 'saved') g.fillRect(x - k * 0.85, y - k * 0.85, k * 1.7, k * 1.7)
  else {
    circle(g, x, y, k)
    if (result === 'goal') g.fill()
    g.stroke()
  }
  g.fillStyle = colors.ink
  label(g, String(number), x + k + 7, y - k, fonts.bold(sizes.small))
  g.restore()
  drawn.push({ glyph: 'shot', x, y, home, number, result })
}
