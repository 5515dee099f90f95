// The running verdict about two teams: the likelihood ratio between its two bounds.

/** @import {BatchTrial} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
import { html } from '../htm/preact/standalone.module.js'
import { Canvas } from '../shared/canvas.js'
import { drawRules, gutterOf, roundValues, stepOf } from '../shared/chart.js'
import { circle, line, textStyle } from '../shared/draw.js'
import { signed } from '../shared/format.js'
import { list } from '../shared/state.js'
import { colors, fonts, sizes } from '../shared/theme.js'
import { shortName } from './state.js'

/** A number with its sign. @param {number} v @param {number} [digits] */
export const plus = (v, digits = 0) => (Number(v.toFixed(digits)) > 0 ? '+' : '') + signed(v, digits)

/** Draws the ratio against the pairs. @param {Pen} pen @param {BatchTrial} t */
function drawTrial({ g, w, h, drawn }, t) {
  const curve = list(t.curve), values = curve.map(([, v]) => v), under = sizes.small + 10
  const low = Math.min(t.lower * 1.25, ...values), high = Math.max(t.upper * 1.25, ...values), pairs = Math.max(10, curve.at(-1)?.[0] ?? 0)
  const step = stepOf(high - low, Math.max(2, Math.floor(h / 46))), rules = roundValues(low, high, step)
  const left = Math.max(...rules.map((v) => gutterOf(g, plus(v, step < 1 ? 1 : 0)))), right = w - 12
  const x = (/** @type {number} */ n) => left + (right - left) * n / pairs
  const y = (/** @type {number} */ v) => 4 + (h - under - 8) * (high - v) / (high - low)
  for (const [bound, inside] of [[t.upper, high], [t.lower, low]]) {
    g.fillStyle = colors.pitch
    g.fillRect(left, Math.min(y(bound), y(inside)), right - left, Math.abs(y(bound) - y(inside)))
  }
  drawRules(g, left, right, rules.map((v) => ({ y: y(v), text: plus(v, step < 1 ? 1 : 0), strong: v === 0 })))
  textStyle(g, fonts.small, 'center', 'alphabetic')
  g.fillStyle = colors.dim
  const count = stepOf(pairs, Math.max(2, Math.floor((right - left) / 90)))
  for (const n of roundValues(0, pairs, Math.max(1, count))) if (n) g.fillText(`${n.toLocaleString('en')}${n === Math.max(1, count) ? ' pairs' : ''}`, Math.min(x(n), right - 16), h - 4)
  for (const [bound, text, below] of /** @type {[number, string, boolean][]} */ ([[t.upper, 'better', false], [t.lower, 'no better', true]])) {
    g.setLineDash([6, 4])
    g.strokeStyle = colors.ink
    g.lineWidth = 1.2
    line(g, [left, y(bound)], [right, y(bound)])
    g.setLineDash([])
    textStyle(g, fonts.label, 'left', below ? 'top' : 'bottom')
    g.fillStyle = colors.ink
    g.fillText(`${text} (${plus(bound, 2)})`, left + 8, y(bound) + (below ? 4 : -3))
    drawn.push({ glyph: 'bound', x: left, y: y(bound), text, value: bound })
  }
  g.strokeStyle = g.fillStyle = colors.focus
  g.lineWidth = 2
  g.lineJoin = 'round'
  line(g, ...curve.map(([n, v]) => [x(n), y(v)]))
  const last = curve.at(-1) ?? [0, 0]
  circle(g, x(last[0]), y(last[1]), 4.5)
  g.fill()
  drawn.push({ glyph: 'ratio', x: x(last[0]), y: y(last[1]), value: last[1], samples: curve.length })
}

/** The verdicts of the test. @type {Record<string, [sign: string, text: string]>} */
const says = { 'undecided': ['…', 'undecided'], 'better': ['✓', 'better'], 'no better': ['✕', 'no better'] }

const POINTS = ['0', '½', '1', '1½', '2']

/** How many pairs gave how many points. @param {{t: BatchTrial}} props */
function Pairs({ t }) {
  const pairs = list(t.pairs), most = Math.max(1, ...pairs)
  return html`<table class="batch-pairs" aria-label="pairs by points"><tbody>${POINTS.map((text, k) => html`<tr key=${text}>
    <th>${text}</th><td class="bar"><i style=${{ width: `${100 * (pairs[k] ?? 0) / most}%` }}></i></td><td>${(pairs[k] ?? 0).toLocaleString('en')}</td></tr>`)}</tbody>
    <caption>pairs by the points of ${shortName(t.b)}</caption></table>`
}

/** @param {{t: BatchTrial}} props */
export function TrialPanel({ t }) {
  const [sign, text] = says[t.verdict] ?? ['', t.verdict], n = list(t.pairs).reduce((sum, k) => sum + k, 0)
  return html`<section class="panel batch-trial" aria-label="verdict"><div class="head"><h2>Is ${shortName(t.b)} better than ${shortName(t.a)}?</h2>
    <span class="sub">by ${t.test.elo1} points of Elo rather than by ${t.test.elo0}; wrong in ${Math.round(100 * t.test.alpha)} of 100 cases</span></div>
    <div class="said" data-verdict=${t.verdict}><b class="verdict-text">${sign} ${text}</b>
      <span>${t.after ? `after ${t.after.toLocaleString('en')} pairs` : `after ${n.toLocaleString('en')} pairs so far`}</span>
      <span>score <b>${n ? t.score.toFixed(3) : '–'}</b></span>
      <span>Elo <b>${t.elo === null ? '–' : plus(t.elo)}</b>${t.interval && html` <small>${plus(t.interval.from)} to ${plus(t.interval.to)}</small>`}</span>
      <span>likelihood ratio <b>${plus(t.llr, 2)}</b> <small>logarithm</small></span>
      ${t.failed > 0 && html`<span class="warn">${t.failed} pairs do not count: a match did not end</span>`}</div>
    <div class="courses"><${Canvas} name="trial" label=${`Likelihood ratio after each pair, now ${plus(t.llr, 2)}, bounds ${plus(t.lower, 2)} and ${plus(t.upper, 2)}`}
      draw=${(/** @type {Pen} */ pen) => drawTrial(pen, t)} /><${Pairs} t=${t} /></div></section>`
}
