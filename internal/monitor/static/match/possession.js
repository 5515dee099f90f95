// The possession of the ball over the match, with the goals and the figures of both teams.

/** @import {MatchShowView} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
import { Canvas } from '../shared/canvas.js'
import { circle } from '../shared/draw.js'
import { clock } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { colors, sizes } from '../shared/theme.js'
import { axisOf, drawTimes } from '../shared/timeline.js'
import { match } from './state.js'

/** @param {Pen} pen */
function drawPossession({ g, w, h, drawn }) {
  const { view } = match
  if (!view || !view.length) return
  const disc = 8 * sizes.glyph, top = 2 * disc + 3, low = h - top - sizes.small - 6, parts = 240
  const axis = axisOf(0, view.length, 0, w)
  g.fillStyle = colors.hair
  g.fillRect(0, top, w, low)
  const letters = view.possession
  for (let i = 0; i < letters.length;) {
    let end = i
    while (end < letters.length && letters[end] === letters[i]) end++
    const [from, to] = [i, end].map((n) => axis.x(view.length * n / parts))
    g.fillStyle = letters[i] === 'h' ? colors.cyan : letters[i] === 'a' ? colors.magenta : colors.line
    const [y, high] = letters[i] === 'h' ? [top, low / 2] : letters[i] === 'a' ? [top + low / 2, low / 2]
      : [top + low / 2 - 1, 2]
    g.fillRect(from, y, Math.max(1, to - from), high)
    drawn.push({ glyph: 'possession', x: from, y: top, w: to - from, text: letters[i] })
    i = end
  }
  for (const { at, home } of list(view.goals)) {
    const x = Math.min(w - disc, Math.max(disc, axis.x(at)))
    g.fillStyle = colors.ink
    g.fillRect(x - 1, disc, 2, top + low - disc)
    g.fillStyle = home ? colors.cyan : colors.magenta
    circle(g, x, disc, disc)
    g.fill()
    drawn.push({ glyph: 'goal', x, y: disc, home })
  }
  const x = axis.x(view.time)
  g.fillStyle = colors.ink
  g.fillRect(Math.min(w - 2, x), top - 2, 2, low + 4)
  drawTimes(g, axis, h - 2, (back) => clock(view.length - back))
}

/** @param {number} share */
const percent = (share) => `${Math.round(100 * share)} %`

/** The figures of both teams. @param {MatchShowView} view @returns {{name: string, title: string, home: string,
 * away: string}[]} */
function figures({ home: { tally: h }, away: { tally: a } }) {
  return [
    { name: 'at the ball', title: 'crowding: mean number of robots within 1 m of the ball', home: h.crowding.toFixed(1),
      away: a.crowding.toFixed(1) },
    { name: 'passes', title: 'kicks that a mate got', home: String(h.passes), away: String(a.passes) },
    { name: 'shots', title: 'kicks at the opponents’ goal', home: String(h.shots), away: String(a.shots) },
    { name: 'saves', title: 'shots on target that the goalkeeper stopped', home: String(h.saves), away: String(a.saves) },
  ]
}

/** @param {{view: MatchShowView}} props */
export function Possession({ view }) {
  const { home, away } = view
  return html`<div class="possession"><b class="cyan" title="possession of ${home.name}">${percent(home.tally.possession)}</b>
    <${Canvas} name="possession" label=${`Possession: ${home.name} ${percent(home.tally.possession)}, ${away.name} ${
      percent(away.tally.possession)}`} draw=${drawPossession} />
    <b class="magenta" title="possession of ${away.name}">${percent(away.tally.possession)}</b></div>
    <dl class="tally" aria-label="figures of the match">${figures(view).map((f) => html`<div title=${f.title} data-figure=${f.name}>
      <dd><b class="cyan">${f.home}</b><b class="magenta">${f.away}</b></dd><dt>${f.name}</dt></div>`)}</dl>`
}
