// The last minute, a lane each: two bookers or none, what each robot believed, and the epochs.

/** @import {BookingRobot, BookingSpan, Stretch, Mark} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {Axis} from '../shared/timeline.js' */
import { textStyle } from '../shared/draw.js'
import { age, clock, withUnit } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { colors, fonts, sizes } from '../shared/theme.js'
import { ago, drawCursor, drawMarks, drawTimes, LABELS, Timeline } from '../shared/timeline.js'
import { Explain, nameOf } from '../shared/words.js'
import { isPast, past, pointAt } from '../session/past.js'
import { HISTORY, live } from '../wall/state.js'
import { colorOf, drawShape } from '../shared/identity.js'
import { booking, hasBooked, inWords, robots } from './state.js'

const LEAST = 3 // px of a span of two bookers or none: shorter ones are visible, too

const NAMES = 6.5 // widths of small text, of the robots' names at the left

const STATES = 11 // with what they do

const LEAST_SHOWN = 10, STEP = 10 // s

/** The action of a robot beside its booking. @typedef {{text: string, dead: boolean}} Doing */

/** The panel's content: at most so many seconds, and the action of each robot. @type {{most: number,
 * stateOf: ((number: number) => Doing | undefined) | null}} */
const asked = { most: HISTORY, stateOf: null }

/** The wall's clock at the right edge. */
const now = () => live.at ?? live.wall?.time ?? 0

/** The seconds that are shown: a minute, less of a session that has just begun. */
const shown = () => Math.min(asked.most, Math.max(LEAST_SHOWN, STEP * Math.ceil((booking.view?.window ?? 0) / STEP)))

/** The width of the robots' names in px, with what they do. */
const gutter = () => (asked.stateOf ? STATES : NAMES) * sizes.small

/** Places of the parts of a drawing in px. @param {number} h @param {number} lanes */
function places(h, lanes) {
  const under = sizes.small + 7, top = LABELS + 4, summary = 2 * sizes.small + 6, epochs = sizes.small + 8
  const height = (h - top - summary - epochs - under) / Math.max(1, lanes)
  return { top, summary, lane: top + summary + 4, height: Math.min(140, Math.max(12, height - 1)),
    get epochs() { return this.lane + this.height * lanes + 2 }, get scale() { return this.epochs + epochs } }
}

/** Draws the robots' lanes, with the times of two bookers and of none above and the epochs beneath. @param {Pen} pen
 * @param {Axis} axis */
function drawLanes(pen, axis) {
  const { g, w, h } = pen, all = robots(), at = places(h, all.length)
  g.save()
  g.beginPath()
  g.rect(gutter(), 0, w, h)
  g.clip()
  drawSummary(pen, axis, at)
  all.forEach((r, i) => drawLane(pen, axis, r, at.lane + i * at.height, at.height - 3))
  drawEpochs(pen, axis, at.epochs)
  g.restore()
  drawNames(g, at)
  const marks = list(isPast() ? past.strip?.marks : live.wall?.marks).filter((m) => m.time >= axis.from && m.time <= axis.to)
  for (const m of drawMarks(g, axis, at.epochs, marks.map(markOf))) {
    pen.drawn.push({ glyph: 'mark', kind: m.kind, text: m.label, x: axis.x(m.t), y: LABELS })
  }
  drawTimes(g, axis, Math.min(h - 3, at.scale + sizes.small), isPast() ? (back) => clock(axis.to - back) : ago,
    w - gutter() < 30 * sizes.small ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1])
  if (live.at != null) drawCursor(g, w - 1, at.epochs)
}

/** Names the lanes. @param {CanvasRenderingContext2D} g @param {ReturnType<typeof places>} at */
function drawNames(g, at) {
  const name = (/** @type {string} */ text, /** @type {number} */ y) => {
    g.font = fonts.small
    g.fillStyle = colors.dim
    g.textAlign = 'left'
    g.textBaseline = 'middle'
    g.fillText(text, 0, y)
  }
  name('two book', at.top + at.summary / 4)
  name('none books', at.top + at.summary * 3 / 4)
  name('epoch', at.epochs + sizes.small / 2 + 2)
  robots().forEach((r, i) => {
    const y = at.lane + i * at.height + at.height / 2 - 1, size = Math.min(16, at.height * 0.5)
    g.fillStyle = r.live ? colorOf(r.number) : colors.dim
    drawShape(g, r.number, size * 0.6, y, size * 0.55)
    g.font = fonts.bold(size)
    g.fillText(String(r.number), size * 1.5, y + 1)
    const doing = asked.stateOf?.(r.number)
    if (!doing) return
    g.font = fonts.label
    g.fillStyle = doing.dead ? colors.bad : hasBooked(r) ? colors.ink : colors.dim
    g.fillText(doing.text, size * 2.7, y + 1, gutter() - size * 2.7 - 4)
  })
}

/** @param {Mark} m */
function markOf(m) {
  const bad = /^(off|crash|partition|penalise|penalty)/.test(m.kind), kick = m.kind === 'kick'
  return { t: m.time, text: m.text, kind: m.kind, rank: bad ? 2 : kick ? 0 : 1, color: bad ? colors.bad
    : kick ? `${colors.ball}70` : colors.ink, ink: bad ? colors.bad : kick ? colors.dim : colors.ink,
  glyph: kick ? /** @type {const} */ ('disc') : /** @type {const} */ ('square') }
}

/** Draws when two robots had booked the ball, and beneath it when none had. @param {Pen} pen
 * @param {Axis} axis @param {{top: number, summary: number}} at */
function drawSummary({ g, w, drawn }, axis, { top, summary }) {
  g.fillStyle = colors.hair
  g.fillRect(0, top + summary - 1, w, 1)
  const view = booking.view
  for (const [kind, part, color] of /** @type {[string, Stretch | undefined, string][]} */ (
    [['none', view?.none, colors.warn], ['two', view?.two, colors.bad]])) {
    g.fillStyle = color
    for (const { from, to } of list(part?.spans)) {
      const left = axis.x(from + booking.shift), wide = Math.max(LEAST, axis.x(to + booking.shift) - left)
      if (left + wide < 0) continue
      g.fillRect(left, kind === 'two' ? top : top + summary / 2, wide, summary / 2 - 2)
      drawn.push({ glyph: kind, x: left, y: top, w: wide, ms: 1000 * (to - from) })
    }
  }
}

/** Draws what one robot believed. @param {Pen} pen @param {Axis} axis @param {BookingRobot} r @param {number} y
 * @param {number} high px */
function drawLane(pen, axis, r, y, high) {
  const { g, w, drawn } = pen, spans = list(r.spans)
  hatch(g, 0, y, w, high)
  for (const s of spans) {
    const left = Math.max(0, axis.x(s.from + booking.shift)), right = Math.min(w, axis.x(s.to + booking.shift))
    if (right <= left) continue
    g.fillStyle = colors.panel
    g.fillRect(left, y, right - left, high)
    drawSpan(g, r.number, s, left, right - left, y, high)
  }
  drawn.push({ glyph: 'booking lane', x: 0, y, number: r.number, spans: spans.length, booker: r.booker })
}

/** Hatches where nothing was heard of a robot. @param {CanvasRenderingContext2D} g @param {number} x @param {number} y
 * @param {number} w @param {number} h */
function hatch(g, x, y, w, h) {
  g.save()
  g.beginPath()
  g.rect(x, y, w, h)
  g.clip()
  g.strokeStyle = colors.hair
  g.lineWidth = 1
  g.beginPath()
  for (let at = x - h; at < x + w; at += 7) {
    g.moveTo(at, y + h)
    g.lineTo(at + h, y)
  }
  g.stroke()
  g.restore()
}

/** Draws a belief: a solid block if the robot itself is the booker, a pale one for another robot, a line for none. Its
 * number and shape stand wherever there is room.
 * @param {CanvasRenderingContext2D} g @param {number} number @param {BookingSpan} s @param {number} x @param {number} w
 * @param {number} y @param {number} h */
function drawSpan(g, number, { booker }, x, w, y, h) {
  if (!booker) {
    g.fillStyle = colors.line
    g.fillRect(x, y + h / 2 - 0.5, w, 1)
    return
  }
  const self = booker === number, color = colorOf(booker)
  g.fillStyle = color
  g.globalAlpha = self ? 1 : 0.2
  g.fillRect(x, self ? y : y + h * 0.2, Math.max(1, w - 0.5), self ? h : h * 0.6)
  g.globalAlpha = 1
  const size = Math.min(self ? 20 : 15, h * (self ? 0.62 : 0.5)), text = String(booker)
  g.font = fonts.bold(size)
  const wide = g.measureText(text).width + size + 4
  if (w < wide + 6) return
  const left = x + Math.min(8, (w - wide) / 2)
  g.fillStyle = self ? colors.panel : color
  drawShape(g, booker, left + size / 2, y + h / 2, size * 0.5)
  g.textAlign = 'left'
  g.textBaseline = 'middle'
  g.fillText(text, left + size + 4, y + h / 2 + 1)
}

/** Draws the epoch of each booking. @param {Pen} pen @param {Axis} axis @param {number} y */
function drawEpochs({ g, w, drawn }, axis, y) {
  const spans = robots().flatMap((r) => list(r.spans).filter((s) => s.booker === r.number)).sort((a, b) => a.from - b.from)
  textStyle(g, fonts.small, 'left')
  g.fillStyle = colors.dim
  let end = -Infinity, last = -1
  for (const { from, to, epoch } of spans) {
    const x = Math.max(0, axis.x(from + booking.shift)), wide = g.measureText(String(epoch)).width
    if (axis.x(to + booking.shift) < 0 || epoch === last || x < end + 6 || x + wide > w) continue
    g.fillRect(x, y + 1, 1, sizes.small)
    g.fillText(String(epoch), x + 3, y + sizes.small / 2 + 2)
    drawn.push({ glyph: 'epoch', x, y, text: String(epoch) })
    end = x + wide + 3
    last = epoch
  }
}

/** The robots' beliefs at a time, as text. @param {number} t s, of the wall @returns {{t: number, text: string} | null} */
function at(t) {
  const held = robots().flatMap((r) => {
    const s = list(r.spans).find((s) => s.from + booking.shift <= t && t <= s.to + booking.shift)
    return s ? [{ number: r.number, ...s }] : []
  })
  if (!held.length) return null
  const when = isPast() ? clock(t) : `${(now() - t).toFixed(1)} s ago`
  const all = held.map(({ number, booker }) => `${number}: ${booker === number ? 'itself' : booker || 'none'}`)
  const epochs = [...new Set(held.map((s) => s.epoch))]
  return { t, text: `${when}   ${all.join(',  ')}   epoch${epochs.length > 1 ? 's' : ''} ${epochs.join(', ')}` }
}

/** @returns {[number, number]} */
const range = () => [now() - shown(), now()]

/** A total of the last minute: how long two robots of a team went to the ball, or none. @param {{stretch: Stretch | undefined,
 * name: 'two' | 'none', level: string}} props */
function Total({ stretch, name, level }) {
  const ms = stretch?.msPerMinute ?? 0, brief = asked.most < HISTORY
  return html`<span class=${`total ${ms > 0 ? level : ''}`} data-total=${name}><i class=${name}></i>${brief ? nameOf(name)
    : `${name} at the ball,`} <b>${brief ? `${(ms / 600).toFixed(1)} %` : withUnit(age(ms))}</b>${brief ? '' : ' in each minute'} <${Explain} of=${name} />
    <small>longest ${withUnit(age(stretch?.longestMs ?? 0))}</small></span>`
}

/** most: the seconds that are shown; stateOf: what a robot does; choice: of the team. @param {{most?: number,
 * stateOf?: (number: number) => Doing | undefined, choice?: unknown}} props */
export function LanesPanel({ most = HISTORY, stateOf, choice }) {
  const view = booking.view, all = robots()
  Object.assign(asked, { most, stateOf: stateOf ?? null })
  return html`<section class="panel book-lanes" aria-label="Booking of the last minute"
      style=${{ '--lanes': Math.max(1, all.length) }}><div class="head"><h2>${nameOf('booked')}</h2><${Explain} of="booked" />${choice}
    <span class="sub" role="status">${inWords()}</span>
    <span class="totals"><${Total} stretch=${view?.two} name="two" level="bad" />
    <${Total} stretch=${view?.none} name="none" level="warn" /></span></div>
    ${all.length ? html`<${Timeline} name="booking"
      label="The robot that each robot believed to have booked the ball, in the last minute; click to show that time"
      range=${range} gutter=${gutter} draw=${drawLanes} at=${at} seek=${past.session ? pointAt : undefined} />
    <p class="lane-key"><span><i class="self"></i>books it itself</span><span><i class="other"></i>believes this robot</span>
      <span><i class="line"></i>believes in none</span><span><i class="gap"></i>silent</span></p>`
    : html`<p class="empty">No robot reports its booking: robots report it in debug records (docs/teamcom.md).</p>`}
    </section>`
}
