// The possession of the ball over the match, with the goals and the figures of both teams.

/** @import {MatchLoops, MatchShowTeam, MatchShowView} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
import { Canvas } from '../shared/canvas.js'
import { circle } from '../shared/draw.js'
import { clock } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { plot, togglePlot } from '../shared/plot.js'
import { list } from '../shared/state.js'
import { colors, sizes } from '../shared/theme.js'
import { axisOf, drawTimes } from '../shared/timeline.js'
import { Explain, nameOf } from '../shared/words.js'
import { playedOf, RESULTS } from './layers.js'
import { reviewMatch } from './review.js'
import { match, toggleHeat, toggleShots } from './state.js'

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
  const x = axis.x(playedOf(view))
  g.fillStyle = colors.ink
  g.fillRect(Math.min(w - 2, x), top - 2, 2, low + 4)
  drawTimes(g, axis, h - 2, (back) => clock(view.length - back))
}

/** @param {number} share */
const percent = (share) => `${Math.round(100 * share)} %`

/** The figures of both teams, by their words. @param {MatchShowView} view @returns {[string, string, string][]} */
const figures = ({ home: { tally: h }, away: { tally: a } }) => [
  ['near', h.crowding.toFixed(1), a.crowding.toFixed(1)], ['passes', String(h.passes), String(a.passes)],
  ['shots', String(h.shots), String(a.shots)], ['saves', String(h.saves), String(a.saves)],
]

const LATE = 5 // ms that a control period may be off

/** How well the robots of a match in real time keep their control periods, and what the match costs.
 * @param {{loops: MatchLoops}} props */
const Loops = ({ loops }) => html`<div class="loops">${loops.robots > 0 && html`<p class=${loops.p99 > LATE ? 'warn' : ''}>control loops
  up to ${loops.p99.toFixed(loops.p99 < 10 ? 1 : 0)} ms late <${Explain} of="loops" /></p>`}<p>${Math.round(100 * loops.cpu)} % of one core <${
  Explain} of="cpu" /></p></div>`

/** The layers over the field: shots, and where the ball was. */
const Layers = () => html`<div class="layers" role="group" aria-label="over the field">
  <button aria-pressed=${match.shots} class=${match.shots ? 'on' : ''} onClick=${toggleShots} title="where shots came from (S)">shot map</button>
  <button aria-pressed=${match.heat} class=${match.heat ? 'on' : ''} onClick=${toggleHeat}
    title="where each team had the ball (H)">heat map</button>
  <button onClick=${reviewMatch} title="review of the referee's decisions (X)">decisions</button>
  <button data-plots aria-expanded=${plot.open} onClick=${togglePlot} title="plot a number of this page over time (Y)">plot</button></div>`

/** @param {{team: MatchShowTeam}} props */
const Share = ({ team }) => html`<div class="share ${team.color ? 'magenta' : 'cyan'}"><b>${percent(team.tally.possession)}</b>
  <small>possession</small></div>`

/** @param {{view: MatchShowView}} props */
export function Possession({ view }) {
  const { home, away } = view
  return html`${match.shots && html`<p class="shot-key">shots: ${RESULTS.map(([text, sign]) => html`<span><b>${sign}</b> ${text}</span>`)}</p>`}
    <div class="possession"><${Share} team=${home} />
    <${Canvas} name="possession" label=${`Possession: ${home.name} ${percent(home.tally.possession)}, ${away.name} ${
      percent(away.tally.possession)}`} draw=${drawPossession} /><${Share} team=${away} /><${Explain} of="possession" /></div>
    <div class="match-foot"><dl class="tally" aria-label="figures of the match">${figures(view).map(([key, h, a]) => html`<div data-figure=${
      nameOf(key)}><dd><b class="cyan">${h}</b><b class="magenta">${a}</b></dd><dt>${nameOf(key)} <${Explain} of=${key} /></dt></div>`)}</dl>
    ${view.loops && html`<${Loops} loops=${view.loops} />`}<${Layers} /></div>`
}
