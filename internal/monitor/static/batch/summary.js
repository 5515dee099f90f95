// How far the batch is: matches, rate, time left.

/** @import {BatchProgress} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { age, withUnit } from '../shared/format.js'
import { list } from '../shared/state.js'

const STILL = 30 // s without a result, after which a batch may stand still

/** @param {number} n */
const whole = (n) => n.toLocaleString('en')

/** Whether no result came for much longer than between others. @param {BatchProgress} p */
const stands = (p) => p.done < p.jobs && p.quiet !== null && p.quiet > Math.max(STILL, p.rate ? 3 * 60 / p.rate : 0)

/** @param {{value: unknown, unit?: string, text: string, kind?: string, name: string}} props */
const Figure = ({ value, unit = '', text, kind = '', name }) => html`<div class="figure ${kind}" data-figure=${name}>
  <b>${value}${unit && html` <small>${unit}</small>`}</b><span>${text}</span></div>`

/** @param {{p: BatchProgress}} props */
export function Summary({ p }) {
  const over = p.done >= p.jobs, left = p.left === null || stands(p) ? null : age(p.left * 1000), cores = list(p.workers).reduce((n, w) => n + w.cores, 0)
  return html`<section class="panel batch-summary" aria-label="progress"><div class="figures">
    <${Figure} name="done" value=${whole(p.done)} text=${`of ${p.atMost ? 'at most ' : ''}${whole(p.jobs)} matches`} />
    <${Figure} name="rate" value=${p.rate >= 99.5 ? whole(Math.round(p.rate)) : p.rate.toFixed(1)} text="matches a minute" />
    <${Figure} name="left" value=${over ? 'over' : left ? left.value : '–'} unit=${over ? '' : left?.unit}
      text=${over ? 'all matches have a result' : p.atMost ? 'left at most' : 'left'} />
    ${cores > 0 && html`<${Figure} name="cores" value=${whole(cores)} text=${cores === 1 ? 'core plays' : 'cores play'} />`}
    <${Figure} name="failed" value=${whole(p.failed)} kind=${p.failed ? 'bad' : ''} text="did not end" /></div>
    <progress max=${Math.max(1, p.jobs)} value=${p.done} aria-label="matches that have a result"></progress>
    ${stands(p) && html`<p class="warn" role="alert">▲ No result for ${withUnit(age(Number(p.quiet) * 1000))}: do the machines still run?</p>`}
  </section>`
}
