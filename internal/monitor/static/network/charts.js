// The last minute of the network: the load of all senders, and each sender's rate.

/** @import {Network, SenderRow} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
import { html } from '../htm/preact/standalone.module.js'
import { Chart, drawCurve } from '../shared/chart.js'
import { megabits } from '../shared/format.js'
import { list } from '../shared/state.js'
import { gradeRate, gradeSender } from '../wall/health.js'
import { HISTORY, isSubstitute, live } from '../wall/state.js'
import { Badge } from '../wall/tile.js'

const RESTS = 1000 // ms without a packet after which a substitute rests

const lastMinute = () => ({ now: live.wall?.time ?? 0, seconds: HISTORY })

/** @param {Pen} pen */
function drawLoad(pen) {
  const budget = (live.network?.budgetBits ?? 0) / 1e6
  if (!budget) { // a game of another league: its network has no budget of bits
    const points = live.load.map(({ t, bits }) => ({ t, value: bits / 1e3 }))
    drawCurve(pen, { ...lastMinute(), points, top: Math.max(10, ...points.map((p) => 1.2 * p.value)), unit: 'kbit/s',
      bad: () => false })
    return
  }
  drawCurve(pen, { ...lastMinute(), points: live.load.map(({ t, bits }) => ({ t, value: bits / 1e6 })), top: budget,
    unit: 'Mbit/s', limit: budget, bad: (mbit) => mbit > budget })
}

/** Draws a sender's rate; the band is the rate of the robots of Practical Session 2014, or that of return messages.
 * @param {Pen} pen @param {SenderRow} s */
function drawRate(pen, s) {
  const points = (live.rates.get(s.key) ?? []).map(({ t, rate }) => ({ t, value: rate }))
  const game = !!live.wall?.game, top = game ? Math.max(4, 1.2 * s.rate) : 32
  drawCurve(pen, { ...lastMinute(), points, top, unit: 'Hz', band: game ? [0.5, 2] : [10, 30], bad: (hz) => !s.foreign && !rests(s) && gradeRate(hz) !== '' })
}

/** Whether a sender is silent because its robot waits as a substitute. @param {SenderRow} s */
const rests = (s) => s.age > RESTS && s.color === 0 && isSubstitute(s.number)

/** @param {{net: Network}} props */
export function Charts({ net }) {
  return html`<div class="charts"><${Chart} title=${html`<b>All senders</b>`} sub=${net.budgetBits ? 'red: budget' : ''}
      value=${html`<b class="hz">${megabits(net.bitsPerS)} Mbit/s</b>`} name="load" label="load of the network in the last minute"
      draw=${drawLoad} />
    ${list(net.senders).map((s) => html`<${Chart} key=${s.key} title=${s.foreign && live.wall?.game ? '' : s.foreign ? html`<span class="badge none">?</span>`
      : html`<${Badge} number=${s.number} color=${s.color} shape="robot" />`} sub=${s.team || s.addr}
      value=${rests(s) ? html`<span class="hz dim">substitute</span>` : html`<b class="hz ${gradeSender(s)}">${s.rate.toFixed(1)} Hz</b>`}
      name=${'rate ' + s.key} label=${`rate of ${s.team || s.addr} in the last minute`}
      draw=${(/** @type {Pen} */ pen) => drawRate(pen, s)} />`)}</div>`
}
