// The protocols that book the ball, compared: three plots against the loss of the network, and their table.

/** @import {LabChart, LabRivalsReport} from '../types' */
import { Mark } from '../shared/identity.js'
import { Header } from '../shared/header.js'
import { html } from '../htm/preact/standalone.module.js'
import { start } from '../shared/page.js'
import { list, state } from '../shared/state.js'
import { figures, markOf, Plot, protocolsOf, withInterval } from './plot.js'

let chart = /** @type {LabChart | null} */ (null)

/** @type {Record<string, string>} */
const about = {
  lease: 'the robots’ protocol', budget: 'the lease with few messages', literal: 'as the TeamChaos paper prints it',
  nearest: 'the nearest goes (mitecom)', auction: 'consensus-based auction (CBBA)',
}

/** The progress of the batches. @param {{c: LabChart}} props */
function Progress({ c }) {
  const done = list(c.reports).length, first = list(c.reports)[0]
  const network = first && first.burst > 1 ? `, losses in bursts of ${first.burst}` : ''
  return html`<p class="progress" role="status">${first && html`${first.robots} robots, ${first.seeds} games of ${first.seconds} s
    for each point${network}; the booker crashes every 15 s. Bars are 95 % confidence intervals. `}
    ${done < c.batches ? html`<b>${c.playing}: batch ${done + 1} of ${c.batches}, ${c.games} of ${c.seeds} games</b>
      <progress max=${c.batches * c.seeds} value=${done * c.seeds + c.games}></progress>`
    : html`<b>complete</b> <a href="api/chart" download="booking.json">JSON</a>`}</p>`
}

/** @param {{reports: LabRivalsReport[]}} props */
function Table({ reports }) {
  const losses = [...new Set(reports.map((r) => r.loss))].sort((a, b) => a - b)
  const of = (/** @type {string} */ protocol, /** @type {number} */ loss) =>
    reports.find((r) => r.protocol === protocol && r.loss === loss)
  return html`<section class="panel figures-table" aria-label="Figures"><div class="scroll"><table>
    <thead><tr><th>protocol</th><th>figure</th>${losses.map((l) => html`<th key=${l}>${Math.round(100 * l)} % lost</th>`)}</tr></thead>
    ${protocolsOf(reports).reverse().map((p) => html`<tbody key=${p}>${figures.map((f, i) => html`<tr key=${f.key}>
      ${i === 0 && html`<th rowspan=${figures.length} class="name"><${Mark} number=${markOf(p)} text=${p} />
        <span class="dim">${about[p] ?? ''}</span></th>`}
      <td class="figure">${f.title.toLowerCase()}, ${f.short}</td>
      ${losses.map((l) => {
    const r = of(p, l)
    return html`<td key=${l}>${r ? withInterval(f, r) : '…'}</td>`
  })}</tr>`)}</tbody>`)}</table></div></section>`
}

function App() {
  const reports = list(chart?.reports)
  return html`<${Header} here="chart"><span>touchline-lab booking</span><//>
    <main class="chart"><h2>Protocols that book the ball</h2>
    ${chart ? html`<${Progress} c=${chart} />` : html`<p class="empty">${state.link === 'lost' ? '' : 'connecting'}</p>`}
    ${reports.length > 0 && html`<div class="legend">${protocolsOf(reports).reverse().map((p) => html`<span key=${p}>
      <${Mark} number=${markOf(p)} text=${p} /><span class="dim">${about[p] ?? ''}</span></span>`)}</div>
    <div class="plots">${figures.map((f) => html`<${Plot} key=${f.key} f=${f} reports=${reports} />`)}</div>
    <${Table} reports=${reports} />`}</main>`
}

start({
  App, topics: () => ['chart'],
  title: () => ['chart', 'protocols that book the ball'],
  help: () => ({ groups: [['Plots', [['point', 'the figure of a point, with its interval']]]] }),
  receive: (_, value) => { chart = value },
  restart: () => { chart = null },
})
