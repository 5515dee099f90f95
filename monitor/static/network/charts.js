// The last minute of the network: the load of all senders, and each sender's rate.

/** @import {Network, SenderRow} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
import { html } from '../htm/preact/standalone.module.js'
import { Canvas } from '../shared/canvas.js'
import { megabits } from '../shared/format.js'
import { list } from '../shared/state.js'
import { colors, fonts, sizes } from '../shared/theme.js'
import { gradeRate } from '../wall/health.js'
import { HISTORY, live } from '../wall/state.js'
import { Badge } from '../wall/tile.js'

/** A curve over the last minute. top: value at the upper edge, at least; line: a value with a line of its own; band:
 * values between which the curve should be; bad: a value that is drawn in red.
 * @typedef {{points: {t: number, value: number}[], top: number, unit: string, line?: number, band?: [number, number],
 * bad: (value: number) => boolean}} Curve */

/** A round step of an axis with at most four of them. @param {number} top */
function stepOf(top) {
  const ten = 10 ** Math.floor(Math.log10(top / 4))
  return [1, 2, 5, 10].map((k) => k * ten).find((s) => top / s <= 4) ?? 10 * ten
}

/** @param {Pen} pen @param {Curve} curve */
function drawCurve({ g, w, h, drawn }, { points, top, unit, line, band, bad }) {
  const now = live.wall?.time ?? 0, under = sizes.small + 8, most = Math.max(top, ...points.map((p) => p.value)) * 1.08
  g.font = fonts.small
  const step = stepOf(most), digits = step < 1 ? 1 : 0, left = g.measureText(most.toFixed(digits)).width + 8
  const x = (/** @type {number} */ t) => left + (w - left) * (1 - (now - t) / HISTORY)
  const y = (/** @type {number} */ v) => h - under - (h - under - sizes.small / 2) * v / most
  if (band) {
    g.fillStyle = colors.pitch
    g.fillRect(left, y(band[1]), w - left, y(band[0]) - y(band[1]))
  }
  g.textBaseline = 'middle'
  g.textAlign = 'right'
  for (let v = 0; v <= most; v += step) {
    g.fillStyle = colors.hair
    g.fillRect(left, Math.round(y(v)), w - left, 1)
    g.fillStyle = colors.dim
    g.fillText(v.toFixed(digits), left - 5, y(v))
  }
  g.textBaseline = 'alphabetic'
  for (const back of [60, 30, 0]) {
    g.textAlign = back === 60 ? 'left' : back ? 'center' : 'right'
    g.fillText(back ? `${back} s ago` : `now, ${unit}`, x(now - back), h - 4)
  }
  if (line !== undefined) {
    g.fillStyle = colors.bad
    g.fillRect(left, Math.round(y(line)), w - left, 1.5)
  }
  g.lineWidth = 1.8
  g.lineJoin = 'round'
  points.forEach((p, i) => {
    const before = points[i - 1] ?? p
    if (before.t < now - HISTORY || p.t - before.t > 3) return
    g.strokeStyle = bad(p.value) ? colors.bad : colors.ink
    g.beginPath()
    g.moveTo(x(before.t), y(before.value))
    g.lineTo(x(p.t), y(p.value))
    g.stroke()
  })
  drawn.push({ glyph: 'rates', x: x(now), y: y(points.at(-1)?.value ?? 0), samples: points.length })
}

/** @param {Pen} pen */
function drawLoad(pen) {
  const budget = (live.network?.budgetBits ?? 0) / 1e6
  drawCurve(pen, { points: live.load.map(({ t, bits }) => ({ t, value: bits / 1e6 })), top: budget, unit: 'Mbit/s',
    line: budget, bad: (mbit) => mbit > budget })
}

/** Draws a sender's rate; the band is the rate of the robots of Practical Session 2014.
 * @param {Pen} pen @param {SenderRow} s */
function drawRate(pen, s) {
  const points = (live.rates.get(s.key) ?? []).map(({ t, rate }) => ({ t, value: rate }))
  drawCurve(pen, { points, top: 32, unit: 'Hz',
    band: [10, 30], bad: (hz) => !s.foreign && gradeRate(hz) !== '' })
}

/** @param {{net: Network}} props */
export function Charts({ net }) {
  return html`<div class="charts"><figure><figcaption><b>All senders</b>
    <span class="sub">red: budget</span><b class="hz">${megabits(net.bitsPerS)} Mbit/s</b>
    </figcaption><${Canvas} name="load" label="load of the network in the last minute" draw=${drawLoad} /></figure>
    ${list(net.senders).map((s) => html`<figure key=${s.key}><figcaption>
    ${s.foreign ? html`<span class="badge none">?</span>` : html`<${Badge} number=${s.number} color=${s.color}
      shape="robot" />`}<span class="sub">${s.team || s.addr}</span>
    <b class="hz ${s.foreign ? '' : gradeRate(s.rate)}">${s.rate.toFixed(1)} Hz</b></figcaption>
    <${Canvas} name=${'rate ' + s.key} label=${`rate of ${s.team || s.addr} in the last minute`}
      draw=${(/** @type {Pen} */ pen) => drawRate(pen, s)} /></figure>`)}</div>`
}
