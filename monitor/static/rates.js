// A team's worldstates in each of the last 60 seconds, against the ten that the league asks for.

/** @import {Pen} from './canvas.js' */
import { Canvas } from './canvas.js'
import { html } from './htm/preact/standalone.module.js'
import { colors } from './theme.js'

export const LEAST = 10 // worldstates a second (seed 002 section 3)
const SECONDS = 60

/** @type {Record<string, {level: string, shape: string, word: string}>} what a level is called, and its colour and shape */
const lights = {
  good: { level: 'ok', shape: '●', word: 'good' },
  poor: { level: 'bad', shape: '▲', word: 'too slow' },
  none: { level: 'bad', shape: '■', word: 'nothing' },
}

/** @param {string} level @param {boolean} connected @param {boolean} [copy] it is seen from afar */
export const light = (level, connected, copy = false) => connected ? lights[level] ?? lights.none : { level: 'dim', shape: '○', word: copy ? 'copy: not known' : 'not connected' }

/** @param {Pen} pen @param {number[]} rates of each second, oldest first @param {boolean} labels */
function draw({ g, w, h, drawn }, rates, labels) {
  const top = Math.max(24, ...rates) * 1.08, from = labels ? 34 : 0
  const x = (/** @type {number} */ i) => from + (w - from) * (i + 1 + SECONDS - rates.length) / SECONDS
  const y = (/** @type {number} */ hz) => h - 2 - (h - 4) * Math.min(1, hz / top)
  g.font = '11px system-ui, sans-serif'
  g.fillStyle = g.strokeStyle = colors.dim
  g.setLineDash([4, 3])
  g.beginPath()
  g.moveTo(from, y(LEAST))
  g.lineTo(w, y(LEAST))
  g.stroke()
  g.setLineDash([])
  if (labels) {
    g.textBaseline = 'middle'
    g.fillText('10 Hz', 0, y(LEAST))
  }
  g.lineWidth = 2
  g.lineJoin = 'round'
  rates.forEach((rate, i) => {
    const bad = rate < LEAST
    g.strokeStyle = g.fillStyle = bad ? colors.bad : colors.ok
    if (i) {
      g.beginPath()
      g.moveTo(x(i - 1), y(rates[i - 1]))
      g.lineTo(x(i), y(rate))
      g.stroke()
    }
    if (bad) g.fillRect(x(i) - 1.5, y(rate) - 1.5, 3, 3) // its shape says what its colour does
  })
  drawn.push({ glyph: 'rates', x: w, y: y(rates.at(-1) ?? 0), moments: rates.length })
}

/** @param {{name: string, rates: number[] | null, labels?: boolean}} props */
export function Rates({ name, rates, labels = false }) {
  return html`<${Canvas} name=${'rates ' + name} class="rates" label=${`worldstates of ${name} in each of the last 60 seconds; the line is 10 a second`} draw=${(/** @type {Pen} */ pen) => draw(pen, rates ?? [], labels)} />`
}
