// The tables of the report as they grow: figures, cross table, conditions.

/** @import {BatchFigureReport, BatchMean, BatchReport} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { signed } from '../shared/format.js'
import { change, list } from '../shared/state.js'
import { batch, shortName, tabs } from './state.js'

/** A figure with half of its interval. @param {BatchFigureReport} f */
function figureText(f) {
  const share = f.unit === '%', k = share ? 100 : 1, digits = share ? 1 : 2
  const half = f.interval ? ` ± ${(k * (f.interval.to - f.interval.from) / 2).toFixed(digits)}` : ''
  return `${signed(k * f.mean, digits)}${half}${f.unit && ` ${f.unit}`}`
}

/** @param {BatchMean} m */
const meanText = (m) => m.mean.toFixed(3) + (m.interval ? ` ± ${((m.interval.to - m.interval.from) / 2).toFixed(3)}` : '')

/** @param {{r: BatchReport}} props */
const TeamHeads = ({ r }) => list(r.teams).map((t) => html`<th key=${t.name} title=${t.name} class="of-team"><span>${shortName(t.name)}</span></th>`)

/** @param {{r: BatchReport}} props */
const Figures = ({ r }) => html`<table><thead><tr><th>mean of a match, 95 %</th><${TeamHeads} r=${r} /></tr></thead>
  <tbody>${list(list(r.teams)[0]?.figures).map((f, i) => html`<tr key=${f.name} data-figure-of=${f.name}><td>${f.text}</td>
  ${list(r.teams).map((t) => html`<td key=${t.name}>${t.games ? figureText(list(t.figures)[i]) : '–'}</td>`)}</tr>`)}</tbody></table>`

/** @param {{r: BatchReport}} props */
const Cross = ({ r }) => html`<table class="cross"><thead><tr><th>won – drawn – lost, goals</th><${TeamHeads} r=${r} /></tr></thead>
  <tbody>${list(r.teams).map((t, i) => html`<tr key=${t.name}><td class="name" title=${t.name}>${shortName(t.name)}</td>
  ${list(r.teams).map((o, k) => {
    const c = list(list(r.cross)[i])[k]
    return html`<td key=${o.name} class=${i === k ? 'self' : ''}>${i === k ? '' : c?.games ? html`${c.won} – ${c.drawn} – ${c.lost}
      <small>${c.goals} : ${c.conceded}</small>` : '–'}</td>`
  })}</tr>`)}</tbody></table>`

/** @param {{r: BatchReport}} props */
const Conditions = ({ r }) => html`<table><thead><tr><th>points on</th><th>matches</th><th>goals</th><${TeamHeads} r=${r} /></tr></thead>
  <tbody>${list(r.conditions).map((c) => html`<tr key=${`${c.field} ${c.network} ${c.faults}`}><td>${c.field}, ${c.network}, ${c.faults}</td><td>${c.games}</td>
  <td>${c.goals.toFixed(2)}</td>${list(c.points).map((p, i) => html`<td key=${i}>${c.games ? meanText(p) : '–'}</td>`)}</tr>`)}</tbody></table>`

/** @param {{r: BatchReport}} props */
export function Tables({ r }) {
  const all = tabs(), tab = all.some(([, name]) => name === batch.tab) ? batch.tab : 'figures'
  return html`<section class="panel batch-tables" aria-label="tables"><div class="head" role="tablist">${all.map(([key, name, title]) =>
    html`<button key=${name} role="tab" class=${tab === name ? 'on' : ''} aria-selected=${tab === name}
      onClick=${() => change(batch, { tab: name })}>${title} <kbd>${key}</kbd></button>`)}<span class="sub">of ${r.done.toLocaleString('en')} matches</span></div>
    <div class="scroll">${tab === 'cross' ? html`<${Cross} r=${r} />` : tab === 'conditions' ? html`<${Conditions} r=${r} />`
    : html`<${Figures} r=${r} />`}</div></section>`
}
