// The panel in which a referee reviews a decision.

/** @import {AnalysisDistances, AnalysisReview, AnalysisRuling} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {Axis, Mark} from '../shared/timeline.js' */
import { clock } from '../shared/format.js'
import { html, useEffect, useRef } from '../htm/preact/standalone.module.js'
import { PlayButtons } from '../shared/playback.js'
import { change, list } from '../shared/state.js'
import { colors } from '../shared/theme.js'
import { axisOf, drawCursor, drawMarks, LABELS, Timeline } from '../shared/timeline.js'
import { capital, timeOfDay } from '../refbox/text.js'
import { ReviewField } from './field.js'
import { AFTER, BEFORE, judge, openReview, playback, review, rulingText, seek, step, togglePlaying, verdictDisabled, verdictOf,
  verdicts } from './state.js'

/** The words for each answer of the measure: sign, words, level. @type {Record<string, [string, string, string]>} */
const says = {
  for: ['✓', 'the measure supports the decision', 'ok'], against: ['✕', 'the measure speaks against the decision', 'bad'],
  open: ['?', 'the measure does not tell', 'warn'], '': ['–', 'nothing is measured that decides', 'dim'],
}

/** @param {number} m */
const metres = (m) => Math.abs(m) < 0.995 ? `${Math.round(100 * m)} cm` : `${m.toFixed(2)} m`

/** @param {number} s */
const moment = (s) => `${s < 0 ? '−' : '+'}${Math.abs(s).toFixed(2)} s`

/** A decision of the list. @param {{d: AnalysisRuling}} props */
function Item({ d }) {
  const at = useRef(/** @type {HTMLElement | null} */ (null)), open = d.number === review.number
  useEffect(() => { if (open) at.current?.scrollIntoView({ block: 'nearest' }) }, [open])
  const text = rulingText(d, review.list?.names), verdict = d.verdict
  const when = d.part ? clock(d.clock) : clock((d.time - (review.list?.start ?? 0)) / 1000)
  const quiet = ['START', 'STOP', 'END_PART'].includes(d.command)
  return html`<li key=${d.number} ref=${at}><button aria-current=${open}
    class=${`${open ? 'on' : ''} ${quiet ? 'quiet-one' : ''}`} title=${`decision ${d.number}${d.part && ', ' + d.part}`}
    onClick=${() => openReview(review.log, d.number, review.live)}><time>${when}</time>
    ${d.gone ? html`<s>${text}</s>` : html`<span>${text}</span>`}
    ${verdict && html`<small class=${verdict.verdict}>${verdict.verdict}</small>`}</button></li>`
}

/** The decisions of the log, the newest first. */
const List = () => html`<ol class="review-list" aria-label="decisions" tabindex="-1">
  ${list(review.list?.decisions).toReversed().filter((d) => d.command !== 'UNDO' && d.command !== 'REDO').map((d) =>
    html`<${Item} key=${d.number} d=${d} />`)}</ol>`

/** The times that the review names. @param {AnalysisReview} r @returns {Mark[]} */
function marksOf(r) {
  const view = list(r.line?.views)[0]
  /** @type {Mark[]} */
  const marks = [{ t: 0, text: 'decision', rank: 3, color: colors.ink }]
  if (view?.wholly) marks.push({ t: view.from, text: 'over the line', rank: 2, color: colors.ink, glyph: 'disc' })
  if (r.distances) marks.push({ t: r.distances.t, text: 'START', rank: 2, color: colors.ok, glyph: 'square' })
  for (const touch of list(r.touches)) {
    const color = touch.by.side === 'away' ? colors.magenta : colors.cyan
    if (touch.from >= -BEFORE) marks.push({ t: touch.from, text: String(touch.by.number), rank: 1, color })
  }
  return marks.filter((m) => m.t >= -BEFORE && m.t <= AFTER)
}

/** @param {Pen} pen @param {Axis} axis @param {AnalysisReview} r */
function drawTimes({ g, h, drawn }, axis, r) {
  const view = list(r.line?.views)[0]
  g.fillStyle = colors.hair
  g.fillRect(axis.left, h - 6, axis.right - axis.left, 2)
  if (view?.wholly) {
    g.fillStyle = colors.ink
    g.fillRect(axis.x(view.from), h - 8, Math.max(2, axis.x(view.from + view.for) - axis.x(view.from)), 6)
  }
  drawMarks(g, axis, h, marksOf(r))
  drawCursor(g, axis.x(review.t), h)
  drawn.push({ glyph: 'now', x: axis.x(review.t), y: LABELS })
}

/** @param {{r: AnalysisReview}} props */
const Times = ({ r }) => html`<div class="review-times"><${Timeline} name="review-times" range=${() => [-BEFORE, AFTER]}
  label=${`${moment(review.t)} from the decision`} seek=${seek}
  draw=${(/** @type {Pen} */ pen, /** @type {Axis} */ axis) => drawTimes(pen, axisOf(axis.from, axis.to, 4, pen.w - 4), r)}
  at=${(/** @type {number} */ t) => ({ t, text: moment(t) })} />
  <div class="transport"><${PlayButtons} playback=${playback} toggle=${togglePlaying} reverse=${() => playback.reverse()}
    step=${(/** @type {1 | -1} */ direction) => step(0.1 * direction)} />
  <b aria-label="time from the decision">${moment(review.t)}</b>
  <button class="quiet review-zoom" aria-pressed=${review.near} onClick=${() => change(review, { near: !review.near })}>
    close-up <kbd>Z</kbd></button></div></div>`

/** How far the ball was over the line by each view of it. @param {{r: AnalysisReview}} props */
function Views({ r }) {
  const views = list(r.line?.views)
  const name = (/** @type {string} */ of) => ({ truth: 'ground truth', both: 'both teams', home: r.names[0], away: r.names[1] })[of]
  return views.length > 0 && html`<table class="review-table"><thead><tr><th class="text">ball by</th><th>over the line</th>
    <th>from</th><th>for</th><th>1 σ</th></tr></thead><tbody>
    ${views.map((v) => html`<tr key=${v.of} data-view=${v.of}><td class="text ${v.of}">${name(v.of)}</td>
      <td class=${v.wholly ? 'over' : ''}>${v.over < -0.005 ? '−' : '+'}${metres(Math.abs(v.over))}</td>
      <td>${v.wholly ? moment(v.from) : '–'}</td>
      <td>${v.wholly ? `${v.stays ? '≥ ' : ''}${v.for.toFixed(2)} s` : '–'}</td>
      <td>${v.sigma === 0 ? 'exact' : v.sigma < 0 ? '?' : metres(v.sigma)}</td></tr>`)}</tbody></table>`
}

/** How far the robots stood from the ball at START. @param {{d: AnalysisDistances}} props */
const Stood = ({ d }) => html`<table class="review-table"><thead><tr><th class="text">at START</th><th>from the ball</th>
  <th>required</th><th></th></tr></thead><tbody>${list(d.robots).map((q) => html`<tr key=${q.side + q.number} class=${q.broken ? 'bad' : ''}>
    <td class="text"><span class="badge ${q.side === 'away' ? 'magenta' : 'cyan'}">${q.number}</span></td>
    <td>${q.away.toFixed(2)} m</td>
    <td>${q.takes ? 'takes it' : q.half > 0 ? `${metres(q.half)} in the other half`
      : q.required ? `${q.required.toFixed(2)} m` : 'none'}</td>
    <td>${q.broken ? '✕' : '✓'}</td></tr>`)}</tbody></table>`

/** The measures. @param {{r: AnalysisReview}} props */
function Measured({ r }) {
  const [sign, words, level] = says[r.says] ?? says[''], [first, ...more] = list(r.measured)
  return html`<div class="review-said" tabindex="-1">
    <p class="review-says ${level}" data-says=${r.says || 'nothing'}><b>${sign}</b> ${words}</p>
    ${first && html`<p class="first">${first}</p>`}<${Views} r=${r} />
    ${more.map((text) => html`<p key=${text}>${text}</p>`)}
    ${list(r.partial).map((text) => html`<p class="warn" key=${text}>▲ ${capital(text)}.</p>`)}
    ${r.distances && html`<${Stood} d=${r.distances} />`}
    <p class="dim">From ${r.origin}. Lengths are from the field's lines, over a line wholly: the ball's centre is its radius behind it.
      Ellipses: one and two standard deviations.</p></div>`
}

/** The newest verdict about a decision. @param {{d: AnalysisRuling | undefined}} props */
function Given({ d }) {
  const given = verdictOf(d)
  return given && html`<span class="given ${given.verdict}" role="status" title=${given.note}><b>${capital(given.verdict)}</b> at ${
    timeOfDay(given.time / 1e6)}${given.note && `: ${given.note}`}</span>`
}

/** The way to give a verdict. @param {{r: AnalysisReview}} props */
function Verdict({ r }) {
  const off = verdictDisabled()
  return html`<form class="review-verdict" onSubmit=${(/** @type {Event} */ e) => e.preventDefault()}>
    ${off ? html`<p class="dim">${capital(off)}: in a log that is over it is only shown.</p>`
    : html`<input class="review-note" key=${r.decision.number} maxlength="240" placeholder="note for the journal (N)"
        aria-label="note" />
      <div class="answers">${verdicts.map(([letter, found, name]) => html`<button type="button" key=${found}
        class=${found} data-verdict=${found} onClick=${() => judge(found)}>${name} <kbd>${letter.toUpperCase()}</kbd></button>`)}</div>`}</form>`
}

/** The open review. many: the decisions are listed beside it, on a page that has no list of them.
 * @param {{close: () => void, many?: boolean}} props */
export function ReviewPanel({ close, many = false }) {
  const { shown: r, error, number } = review
  const d = r?.decision ?? list(review.list?.decisions).find((o) => o.number === number)
  const names = r?.names ?? review.list?.names, text = d ? rulingText(d, names) : 'no decision'
  return html`<section class="panel review ${many ? 'many' : ''}" role="dialog" aria-label=${`Review: ${text}`}>
    <div class="head"><h2>Review: ${text}</h2><span class="sub">${d && `decision ${d.number}${d.part && `, ${d.part} ${clock(d.clock)}`}`}${
  d?.gone ? ', undone' : ''}</span><${Given} d=${d} /><button class="close" onClick=${close}>close <kbd>Esc</kbd></button></div>
    <div class="review-body">${many && html`<${List} />`}
    ${error ? html`<p class="bad review-wait" role="alert">${error}</p>` : !r ? html`<p class="empty review-wait">reading the log</p>`
    : html`<div class="review-pictures ${review.near ? 'both' : ''}"><${ReviewField} near=${false} />
        ${review.near && html`<${ReviewField} near />`}</div><${Times} r=${r} /><${Measured} r=${r} /><${Verdict} r=${r} />`}</div></section>`
}
