// A team's worldstates in each of the last 60 seconds, and the rate that the league requires.

/** @import {Pen} from '../shared/canvas.js' */
import { Canvas } from '../shared/canvas.js'
import { drawValues } from '../shared/chart.js'
import { line } from '../shared/draw.js'
import { html } from '../htm/preact/standalone.module.js'
import { colors, fonts } from '../shared/theme.js'

export const REQUIRED = 10 // Hz (MSL World Model 2015, section 3)
const SECONDS = 60

/** @type {Record<string, {level: string, shape: string, text: string}>} */
const levels = {
  good: { level: 'ok', shape: '●', text: 'good' },
  poor: { level: 'bad', shape: '▲', text: 'rate too low' },
  none: { level: 'bad', shape: '■', text: 'no data' },
}

/** A level's colour, shape and text. @param {string} level @param {boolean} connected
 * @param {boolean} [standby] it does not know the teams' connections */
export const levelOf = (level, connected, standby = false) => connected ? levels[level] ?? levels.none
  : { level: 'dim', shape: '○', text: standby ? 'unknown to a standby' : 'not connected' }

/** @param {Pen} pen @param {number[]} rates of each second, oldest first @param {boolean} labels */
function draw({ g, w, h, drawn }, rates, labels) {
  const top = Math.max(24, ...rates) * 1.08, from = labels ? 34 : 0
  const x = (/** @type {number} */ i) => from + (w - from) * (i + 1 + SECONDS - rates.length) / SECONDS
  const y = (/** @type {number} */ hz) => h - 2 - (h - 4) * Math.min(1, hz / top)
  g.font = fonts.small
  g.fillStyle = g.strokeStyle = colors.dim
  g.setLineDash([4, 3])
  line(g, [from, y(REQUIRED)], [w, y(REQUIRED)])
  g.setLineDash([])
  if (labels) {
    g.textBaseline = 'middle'
    g.fillText('10 Hz', 0, y(REQUIRED))
  }
  const color = (/** @type {number} */ rate) => rate < REQUIRED ? colors.bad : colors.ok
  g.lineWidth = 2
  drawValues(g, rates.map((value, t) => ({ t, value })), x, y, color)
  g.fillStyle = colors.bad
  rates.forEach((rate, i) => rate < REQUIRED && g.fillRect(x(i) - 1.5, y(rate) - 1.5, 3, 3)) // repeats what the colour says
  drawn.push({ glyph: 'rates', x: w, y: y(rates.at(-1) ?? 0), samples: rates.length })
}

/** @param {{name: string, rates: number[] | null, labels?: boolean}} props */
export function Rates({ name, rates, labels = false }) {
  return html`<${Canvas} name=${'rates ' + name} class="rates"
    label=${`worldstates of ${name} in each of the last 60 seconds; the line is at 10 Hz`}
    draw=${(/** @type {Pen} */ pen) => draw(pen, rates ?? [], labels)} />`
}
