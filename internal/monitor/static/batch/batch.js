// The page of a batch: how far it is, what it says so far, and its newest matches.

import { html } from '../htm/preact/standalone.module.js'
import { Header, Waiting } from '../shared/header.js'
import { start } from '../shared/page.js'
import { Machines } from './machines.js'
import { Failures, Matches } from './matches.js'
import { Ratings } from './ratings.js'
import { batch, onKey, receive, restart } from './state.js'
import { Summary } from './summary.js'
import { Tables } from './tables.js'
import { TrialPanel } from './trial.js'

function App() {
  const { now: p } = batch, r = p?.report
  return html`<${Header} here="batch">${p && html`<span>${p.name}${r && html`, 2 × ${r.half} s`}</span>`}<//>
    ${p ? html`<main class="batch"><${Summary} p=${p} /><div class="said-so-far">
      ${p.trial ? html`<${TrialPanel} t=${p.trial} />` : r && html`<${Ratings} r=${r} />`}${r && html`<${Tables} r=${r} />`}</div>
      <div class="beside"><${Matches} p=${p} /><${Failures} p=${p} /><${Machines} p=${p} /></div></main>` : html`<${Waiting} />`}`
}

start({
  App, onKey, token: true, restart, topics: () => ['batch'],
  title: () => ['batch', batch.now ? `${batch.now.done} of ${batch.now.jobs}` : ''],
  help: () => ({ groups: [['Matches', [['↑ ↓', 'choose a match'], ['Enter', 'play it again and look at it'], ['Esc', 'choose none']]],
    ['Tables', [['1 2 3', 'figures, cross table, conditions']]]] }),
  receive: (_, value) => receive(value),
})
