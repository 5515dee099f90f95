// The last minute of every sender, a lane each: what arrived, what was lost, when nothing came.

/** @import {Pen} from '../shared/canvas.js' */
/** @import {Sample} from './state.js' */
import { Canvas } from '../shared/canvas.js'
import { html } from '../htm/preact/standalone.module.js'
import { colors, fonts, sizes } from '../shared/theme.js'
import { ago, axisOf, drawTimes } from '../shared/timeline.js'
import { HISTORY } from '../wall/state.js'
import { lossLimits } from './figures.js'
import { linkOf, nodes, rests, senders, shortName, tcm } from './state.js'

const NOTHING = 3 // px: height of a lane in which nothing arrived

/** The messages of a sender that arrived and that were lost between two samples; null if a receiver was not there before.
 * @param {Sample} before @param {Sample} after @param {string} from */
function between(before, after, from) {
  let received = 0, lost = 0, links = 0
  for (const [key, now] of after.links) {
    const was = before.links.get(key), [sender, receiver] = key.split(' ')
    if (!was || sender !== from || tcm.to && receiver !== tcm.to) continue
    links++
    received += Math.max(0, now.received - was.received)
    lost += Math.max(0, now.lost - was.lost)
  }
  return links ? { received, lost } : null
}

/** The colour of a part of a lane. @param {{received: number, lost: number}} part */
function colorOf({ received, lost }) {
  if (!received) return colors.bad
  const share = 100 * lost / (received + lost)
  return share < lossLimits[0] ? colors.line : share < lossLimits[1] ? colors.amber : colors.warn
}

/** @param {Pen} pen */
function drawLanes({ g, w, h, drawn }) {
  const sends = (/** @type {string} */ s) => nodes().some((n) => (!tcm.to || tcm.to === n.entity) && linkOf(s, n.entity))
  const rows = senders().filter((s) => tcm.from ? s === tcm.from : sends(s)), { history } = tcm
  const now = history.at(-1)?.t ?? 0, under = sizes.small + 8
  g.font = fonts.label
  const left = Math.max(20, ...rows.map((from) => g.measureText(shortName(from)).width + 10))
  const height = Math.min(40, (h - under) / Math.max(1, rows.length)), axis = axisOf(now - HISTORY, now, left, w), { x } = axis
  rows.forEach((from, row) => {
    const top = row * height
    g.textAlign = 'right'
    g.textBaseline = 'middle'
    g.fillStyle = colors.ink
    g.fillText(shortName(from), left - 8, top + height / 2)
    g.fillStyle = colors.hair
    g.fillRect(left, top + height / 2, w - left, 1)
    for (let i = 1; i < history.length; i++) {
      const part = between(history[i - 1], history[i], from), start = Math.max(left, x(history[i - 1].t))
      if (!part || x(history[i].t) <= start || !part.received && rests(from)) continue
      g.fillStyle = colorOf(part)
      const tall = part.received ? height - 4 : NOTHING // a shape, since red and amber look alike to some
      g.fillRect(start, top + (height - tall) / 2, x(history[i].t) - start + 0.5, tall)
    }
    drawn.push({ glyph: 'lane', x: left, y: top, text: from, samples: history.length })
  })
  drawTimes(g, axis, Math.min(h - 4, rows.length * height + under - 4), ago)
}

export function LanesPanel() {
  return html`<section class="panel lanes" aria-label="Last minute"><div class="head"><h2>Last minute</h2>
    <span class="sub key"><i class="whole"></i>arrived <i class="some"></i>${lossLimits[0]} % lost <i class="much"></i>
    ${lossLimits[1]} % <i class="none"></i>nothing</span></div>
    <${Canvas} name="lanes" label="Messages of each sender in the last minute" draw=${drawLanes} /></section>`
}
