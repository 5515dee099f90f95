// The drawer with one robot's wheels: commanded and actual speed over the last samples, left above right.

/** @import {Pen} from '../shared/canvas.js' */
/** @import {Chosen, Sample} from './state.js' */
import { Canvas } from '../shared/canvas.js'
import { signed } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { colors, fonts, sizes } from '../shared/theme.js'
import { TeamBadge } from './robots.js'
import { keyOfRobot, plotWheels, sim } from './state.js'

const GAP = 14 // px between the two plots
const SCALES = [10, 20, 40, 60, 80, 100, 150, 200, 300, 500, 1000] // rad/s at the top of a plot

/** @typedef {'left' | 'right'} Wheel */

/** The robot's samples, null where it is off the field. @param {Sample[]} samples @param {Chosen} of */
const valuesOf = (samples, of) => samples.map(({ time, robots }) =>
  ({ time, v: robots[keyOfRobot(of.team, of.id)] ?? null }))

/** @typedef {ReturnType<typeof valuesOf>} Values */

/** The speed at the top of both plots, so that their heights compare. @param {Values} values */
function topOf(values) {
  const most = Math.max(...values.flatMap(({ v }) => v
    ? [v.wheels.left, v.wheels.right, v.turning.left, v.turning.right].map(Math.abs) : [0]))
  return SCALES.find((s) => s >= most) ?? 10 ** Math.ceil(Math.log10(most))
}

/** @param {Pen} pen @param {Sample[]} samples @param {Chosen} of */
function draw(pen, samples, of) {
  const { g, w, h } = pen, values = valuesOf(samples, of)
  if (values.length < 2) return
  const top = topOf(values), from = values[0].time, to = values[values.length - 1].time
  g.font = fonts.small
  const left = g.measureText(String(-top)).width + 10, foot = sizes.small + 8, one = (h - foot - GAP) / 2
  const x = (/** @type {number} */ t) => left + (w - left - 6) * (t - from) / (to - from)
  for (const [i, wheel] of /** @type {Wheel[]} */ (['left', 'right']).entries()) {
    const middle = i * (one + GAP) + one / 2
    drawWheel(pen, wheel, values, top, left, x, (v) => middle - (one / 2 - 5) * Math.max(-1, Math.min(1, v / top)))
  }
  g.fillStyle = colors.dim
  g.textBaseline = 'alphabetic'
  g.textAlign = 'left'
  g.fillText(`${from.toFixed(1)} s`, left, h - 3)
  g.textAlign = 'right'
  g.fillText(`${to.toFixed(1)} s`, w - 6, h - 3)
}

/** One plot. @param {Pen} pen @param {Wheel} wheel @param {Values} values @param {number} top @param {number} left
 * @param {(t: number) => number} x @param {(v: number) => number} y */
function drawWheel({ g, w, drawn }, wheel, values, top, left, x, y) {
  g.textAlign = 'right'
  g.textBaseline = 'middle'
  for (const v of [top, 0, -top]) {
    g.fillStyle = v ? colors.hair : colors.dim
    g.fillRect(left, Math.round(y(v)), w - left - 6, 1)
    g.fillStyle = colors.dim
    g.fillText(String(v).replace('-', '−'), left - 5, y(v))
  }
  const line = (/** @type {'wheels' | 'turning'} */ what) => {
    g.beginPath()
    let before = /** @type {number | null} */ (null)
    for (const { time, v } of values) {
      if (v && before != null) {
        if (what === 'wheels') g.lineTo(x(time), y(before)) // a command holds until the next one
        g.lineTo(x(time), y(v[what][wheel]))
      } else if (v) g.moveTo(x(time), y(v[what][wheel]))
      before = v && v[what][wheel]
    }
    g.stroke()
  }
  g.lineJoin = 'round'
  g.strokeStyle = colors.focus
  g.lineWidth = 2
  line('turning')
  g.strokeStyle = colors.ink
  g.lineWidth = 1.25
  g.setLineDash([5, 3])
  line('wheels')
  g.setLineDash([])
  const last = values[values.length - 1].v
  drawn.push({ glyph: 'wheel', x: w - 6, y: y(last?.turning[wheel] ?? 0), text: wheel,
    commanded: last?.wheels[wheel] ?? null, actual: last?.turning[wheel] ?? null })
  g.textAlign = 'left'
  g.textBaseline = 'top'
  g.font = fonts.label
  g.fillStyle = colors.ink
  g.fillText(wheel, left + 4, y(top) + 3)
  g.font = fonts.small
}

/** @param {{of: Chosen}} props */
export function WheelsDrawer({ of }) {
  const now = sim.samples.at(-1)?.robots[keyOfRobot(of.team, of.id)]
  const row = (/** @type {'wheels' | 'turning'} */ what, /** @type {string} */ title) => html`<dt><i class=${what}></i>
    ${title}</dt><dd>${now ? `${signed(now[what].left, 1)}, ${signed(now[what].right, 1)}` : '–'}</dd>`
  return html`<aside class="panel drawer wheels" aria-label=${`Wheels of ${of.team} ${of.id}`}>
    <div class="head"><${TeamBadge} team=${of.team} id=${of.id} /><h2>Wheels</h2>
      <span class="sub">rad/s, left and right</span><button class="close" onClick=${() => plotWheels(null)}>close
      <kbd>Esc</kbd></button></div>
    <dl>${row('wheels', 'commanded')}${row('turning', 'actual')}</dl>
    <${Canvas} name="wheels" label=${`commanded and actual speed of the wheels of ${of.team} ${of.id}`}
      draw=${(/** @type {Pen} */ pen) => draw(pen, sim.samples, of)} />
    ${now === null && html`<p class="line dim">it is off the field</p>`}</aside>`
}
