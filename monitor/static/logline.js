// A log's timeline: how much each team sent, what happened, and the moment that is shown. It is the scrubber.

/** @import {Pen} from './canvas.js' */
/** @import {MatchlogEvent, MatchlogSummary} from './types' */
import { Canvas, redraw } from './canvas.js'
import { clock } from './format.js'
import { html } from './htm/preact/standalone.module.js'
import { LEAST } from './rates.js'
import { list } from './state.js'
import { colors } from './theme.js'

const WORDS = 16 // px above the strips, for goals and cards
const TOP = 30 // worldstates a second at a strip's outer edge

/** How a kind of event is marked: its shape, how high it is, and whether it gets words.
 * @type {Record<string, {shape: string, rank: number}>} */
export const kinds = {
  goal: { shape: '●', rank: 4 }, card: { shape: '▮', rank: 3 }, part: { shape: '▌', rank: 2 }, command: { shape: '·', rank: 1 }, event: { shape: '▴', rank: 0 }, note: { shape: '!', rank: 1 },
}

/** What happened, and to whom. @param {MatchlogSummary} info @param {MatchlogEvent} e */
export function eventWords(info, e) {
  const name = e.side === 'home' ? info.home : e.side === 'away' ? info.away : ''
  return name && !e.text.includes(name) ? `${e.text}, ${name}` : e.text
}

let pointer = -1

/** @type {{key: string, canvas: HTMLCanvasElement}} */
const still = { key: '', canvas: document.createElement('canvas') }

/** Where a moment lies. @param {MatchlogSummary} info @param {number} w @param {number} t */
const xOf = (info, w, t) => w * (t - info.start) / Math.max(1, info.end - info.start)

/** What does not move is drawn once: twenty thousand events are too many for every frame. @param {Pen} pen @param {MatchlogSummary} info */
function drawStill(pen, info) {
  const { w, h } = pen, d = devicePixelRatio || 1
  const key = [info.name, info.ready, info.end, list(info.events).length, w, h, d, colors.name].join()
  if (still.key === key) return
  still.key = key
  still.canvas.width = Math.ceil(w * d)
  still.canvas.height = Math.ceil(h * d)
  const g = /** @type {CanvasRenderingContext2D} */ (still.canvas.getContext('2d'))
  g.scale(d, d)
  const middle = (WORDS + h) / 2, half = (h - WORDS) / 2 - 8
  drawRates(g, info, w, middle, half, 1)
  drawRates(g, info, w, middle, half, -1)
  drawEvents(g, info, w, h, middle)
}

/** One team's strip: home above the middle, away below. @param {CanvasRenderingContext2D} g @param {MatchlogSummary} info @param {number} w @param {number} middle @param {number} half @param {1 | -1} up */
function drawRates(g, info, w, middle, half, up) {
  const rates = list(up > 0 ? info.rates?.home : info.rates?.away), n = Math.max(1, (info.end - info.start) / 1000)
  for (let x = 0; x < w; x++) {
    const from = Math.floor(x / w * n), to = Math.max(from + 1, Math.floor((x + 1) / w * n))
    let least = Infinity // the worst second of a pixel stands out
    for (let i = from; i < to && i < rates.length; i++) least = Math.min(least, rates[i])
    if (least === Infinity) continue
    const high = half * Math.min(1, least / TOP)
    g.fillStyle = least < LEAST ? colors.bad : up > 0 ? colors.cyan : colors.magenta
    g.globalAlpha = least < LEAST ? 0.75 : 0.5
    g.fillRect(x, up > 0 ? middle - Math.max(1.5, high) : middle, 1, Math.max(1.5, high))
  }
  g.globalAlpha = 1
}

/** @param {CanvasRenderingContext2D} g @param {MatchlogSummary} info @param {number} w @param {number} h @param {number} middle */
function drawEvents(g, info, w, h, middle) {
  /** @type {Map<number, MatchlogEvent>} the weightiest of each pixel */
  const shown = new Map()
  for (const e of list(info.events)) {
    const x = Math.round(xOf(info, w, e.t)), other = shown.get(x)
    if (!other || (kinds[e.kind]?.rank ?? 0) > (kinds[other.kind]?.rank ?? 0)) shown.set(x, e)
  }
  g.font = '11.5px system-ui, sans-serif'
  let free = 0
  for (const [x, e] of [...shown].sort(([a], [b]) => a - b)) {
    const rank = kinds[e.kind]?.rank ?? 0
    g.fillStyle = e.kind === 'card' ? colors.warn : e.kind === 'event' ? colors.dim : colors.ink
    const down = e.side === 'away', from = rank >= 2 ? WORDS : e.side === 'home' ? middle - 8 : down ? middle : middle - 4
    g.fillRect(x - (rank >= 2 ? 0.75 : 0.5), from, rank >= 2 ? 1.5 : 1, rank >= 2 ? h - WORDS : 8)
    if (rank < 2) continue
    const words = `${kinds[e.kind].shape} ${eventWords(info, e)}`, wide = g.measureText(words).width, left = Math.min(x - 3, w - wide)
    if (left < free) continue
    g.fillText(words, left, WORDS - 4)
    free = left + wide + 10
  }
}

/** @param {Pen} pen @param {MatchlogSummary} info @param {number} t the moment that is shown */
function draw(pen, info, t) {
  const { g, w, h } = pen, x = xOf(info, w, t)
  drawStill(pen, info)
  g.drawImage(still.canvas, 0, 0, w, h)
  g.fillStyle = colors.focus
  g.fillRect(x - 1, WORDS - 2, 2, h - WORDS)
  g.beginPath()
  g.moveTo(x - 6, WORDS - 6)
  g.lineTo(x + 6, WORDS - 6)
  g.lineTo(x, WORDS + 2)
  g.fill()
  if (pointer >= 0) drawPointer(pen, info)
  pen.drawn.push({ glyph: 'now', x, y: 0, moments: list(info.events).length })
}

/** Says which moment the pointer is over, and what happened there. @param {Pen} pen @param {MatchlogSummary} info */
function drawPointer({ g, w, h }, info) {
  const t = info.start + (info.end - info.start) * pointer / w, near = 6 / w * (info.end - info.start)
  const [first] = list(info.events).filter((e) => Math.abs(e.t - t) < near).sort((a, b) => (kinds[b.kind]?.rank ?? 0) - (kinds[a.kind]?.rank ?? 0))
  const words = clock((t - info.start) / 1000) + (first ? `  ${eventWords(info, first)}` : '')
  g.fillStyle = colors.dim
  g.fillRect(pointer - 0.5, WORDS, 1, h - WORDS)
  g.font = '600 12px system-ui, sans-serif'
  const wide = g.measureText(words).width + 12, left = Math.max(0, Math.min(pointer - wide / 2, w - wide))
  g.fillStyle = colors.ink
  g.fillRect(left, h - 18, wide, 18)
  g.fillStyle = colors.panel
  g.textBaseline = 'middle'
  g.fillText(words, left + 6, h - 9)
}

/** @param {{info: MatchlogSummary, t: number, seek: (t: number) => void}} props */
export function Timeline({ info, t, seek }) {
  const moment = (/** @type {PointerEvent} */ e) => {
    const c = /** @type {HTMLCanvasElement} */ (e.currentTarget)
    return info.start + (info.end - info.start) * Math.min(1, Math.max(0, e.offsetX / c.clientWidth))
  }
  const hands = {
    onPointerDown: (/** @type {PointerEvent} */ e) => {
      /** @type {HTMLCanvasElement} */ (e.currentTarget).setPointerCapture(e.pointerId)
      seek(moment(e))
    },
    onPointerMove: (/** @type {PointerEvent} */ e) => {
      pointer = e.offsetX
      if (e.buttons & 1) seek(moment(e))
      redraw()
    },
    onPointerLeave: () => {
      pointer = -1
      redraw()
    },
  }
  return html`<${Canvas} name="timeline" label=${`timeline; ${clock((t - info.start) / 1000)} of ${clock((info.end - info.start) / 1000)}`} draw=${(/** @type {Pen} */ pen) => draw(pen, info, t)} ...${hands} />`
}
