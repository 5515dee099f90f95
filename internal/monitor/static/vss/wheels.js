// The drawer with one robot's wheels: commanded and actual speed over the last samples, left above right.

/** @import {Pen} from '../shared/canvas.js' */
/** @import {Axis} from '../shared/timeline.js' */
/** @import {Chosen, Sample} from './state.js' */
import { Canvas } from '../shared/canvas.js'
import { textStyle } from '../shared/draw.js'
import { drawRules, gutterOf } from '../shared/chart.js'
import { Drawer } from '../shared/drawer.js'
import { signed } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { colors, fonts, sizes } from '../shared/theme.js'
import { axisOf, drawTimes } from '../shared/timeline.js'
import { TeamBadge } from './figures.js'
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
  const foot = sizes.small + 8, one = (h - foot - GAP) / 2, axis = axisOf(from, to, gutterOf(g, String(-top)), w - 6)
  for (const [i, wheel] of /** @type {Wheel[]} */ (['left', 'right']).entries()) {
    const middle = i * (one + GAP) + one / 2
    drawWheel(pen, wheel, values, top, axis, (v) => middle - (one / 2 - 5) * Math.max(-1, Math.min(1, v / top)))
  }
  drawTimes(g, axis, h - 3, (back) => `${(to - back).toFixed(1)} s`, [0, 1])
}

/** One plot. @param {Pen} pen @param {Wheel} wheel @param {Values} values @param {number} top @param {Axis} axis
 * @param {(v: number) => number} y */
function drawWheel({ g, drawn }, wheel, values, top, { left, right, x }, y) {
  drawRules(g, left, right, [top, 0, -top].map((v) => ({ y: y(v), text: String(v).replace('-', '−'), strong: !v })))
  const curve = (/** @type {'wheels' | 'turning'} */ what) => {
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
  curve('turning')
  g.strokeStyle = colors.ink
  g.lineWidth = 1.25
  g.setLineDash([5, 3])
  curve('wheels')
  g.setLineDash([])
  const last = values[values.length - 1].v
  drawn.push({ glyph: 'wheel', x: right, y: y(last?.turning[wheel] ?? 0), text: wheel,
    commanded: last?.wheels[wheel] ?? null, actual: last?.turning[wheel] ?? null })
  textStyle(g, fonts.label, 'left', 'top')
  g.fillStyle = colors.ink
  g.fillText(wheel, left + 4, y(top) + 3)
  g.font = fonts.small
}

/** @param {{of: Chosen}} props */
export function WheelsDrawer({ of }) {
  const now = sim.samples.at(-1)?.robots[keyOfRobot(of.team, of.id)]
  const row = (/** @type {'wheels' | 'turning'} */ what, /** @type {string} */ title) => html`<dt><i class=${what}></i>
    ${title}</dt><dd>${now ? `${signed(now[what].left, 1)}, ${signed(now[what].right, 1)}` : '–'}</dd>`
  return html`<${Drawer} class="wheels" label=${`Wheels of ${of.team} ${of.id}`} close=${() => plotWheels(null)}
    head=${html`<${TeamBadge} team=${of.team} id=${of.id} /><h2>Wheels</h2><span class="sub">rad/s, left and right</span>`}>
    <dl>${row('wheels', 'commanded')}${row('turning', 'actual')}</dl>
    <${Canvas} name="wheels" label=${`commanded and actual speed of the wheels of ${of.team} ${of.id}`}
      draw=${(/** @type {Pen} */ pen) => draw(pen, sim.samples, of)} />
    ${now === null && html`<p class="line dim">it is off the field</p>`}<//>`
}
