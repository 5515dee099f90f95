// The header of the match: score, clock, what goes on, and how fast the match runs.

/** @import {MatchLoops, MatchShowTeam, MatchShowView} from '../types' */
import { clock } from '../shared/format.js'
import { Brand, ConnectionLost, Links } from '../shared/header.js'
import { html } from '../htm/preact/standalone.module.js'
import { change, state } from '../shared/state.js'
import { Choices } from '../shared/inputs.js'
import { command, copy, toast } from '../shared/stream.js'
import { isPast, lookBack, past } from '../session/past.js'
import { match } from './state.js'

export const STEP = 100 // ms
const LATE = 5 // ms that a control period may be off

/** The speeds that the page offers. @type {[number, string][]} */
const SPEEDS = [[0.5, '½'], [1, '1×'], [4, '4'], [0, 'max']]

/** A match in real time goes on whatever the page does: says so. @returns {boolean} */
function isReal() {
  if (match.view?.loops) toast('This match runs in real time, and nothing holds it: touchline demo --match --virtual plays one that pauses.')
  return !!match.view?.loops
}

/** Pauses the match, or lets it go on. */
export const togglePause = () => void (isReal() || command('pause', { paused: !match.view?.paused }))

/** Plays a tenth of a second and pauses. */
export const stepMatch = () => void (isReal() || command('step', { ms: STEP }))

/** Sets the next speed. */
export function nextMatchSpeed() {
  if (isReal()) return
  const at = SPEEDS.findIndex(([factor]) => factor === match.view?.speed)
  void command('speed', { factor: SPEEDS[(at + 1) % SPEEDS.length][0] })
}

/** How well the robots of a match in real time keep their control periods. @param {{loops: MatchLoops}} props */
const Loops = ({ loops }) => html`<span class="loops" title="real time: 99 of 100 control periods of each robot are off by no more than
this; share of one core that touchline uses">${loops.robots > 0 && html`<span class=${loops.p99 > LATE ? 'warn' : ''}><small>loops</small>±${
  loops.p99.toFixed(1)} ms</span>`}<span><small>CPU</small>${Math.round(100 * loops.cpu)} %</span></span>`

const LookBack = () => past.session?.live && html`<button class="back" onClick=${lookBack} title="look back (B)" aria-label="look back">
  <svg viewBox="0 0 22 22"><path d="M20 2L9 11l11 9zM3 2h4v18H3z" /></svg></button>`

/** The buttons that hold and move the match; in real time nothing does. @param {{view: MatchShowView}} props */
function Run({ view }) {
  if (!view.controls || isPast()) return isPast() && html`<span class="past-clock">${past.session?.live ? 'looking back' : 'recording'}</span>`
  if (view.loops) return html`<${Loops} loops=${view.loops} /><${LookBack} />`
  return html`<button onClick=${togglePause} aria-pressed=${view.paused} class=${view.paused ? 'on' : ''} title="pause (Space)"
      aria-label=${view.paused ? 'go on' : 'pause'}><svg viewBox="0 0 22 22">${view.paused ? html`<path d="M4 2l15 9-15 9z" />`
    : html`<path d="M3 2h6v18H3zM13 2h6v18h-6z" />`}</svg></button>
    <button onClick=${stepMatch} aria-label="step" title="play a tenth of a second, and pause (.)"><svg viewBox="0 0 22 22">
      <path d="M2 2l11 9-11 9zM15 2h4v18h-4z" /></svg></button>
    <${Choices} class="speeds" label="speed" title="speed (M)" value=${view.speed} options=${SPEEDS}
      set=${(/** @type {number} */ factor) => command('speed', { factor })} /><${LookBack} />`
}

/** @param {{team: MatchShowTeam}} props */
const Name = ({ team }) => html`<span class="team ${team.color ? 'magenta' : 'cyan'}"><span>${team.name}</span><i></i></span>`

/** @param {{extra?: unknown}} props */
export function MatchHeader({ extra }) {
  const { view } = match
  return html`<header class="match-head"><div class="who-where"><nav class="top" aria-label="alarms">
      <${Brand} />${extra}</nav><${Links} here="match" /></div>
    ${view ? html`<div class="score" role="status" aria-label=${`${view.home.name} ${view.home.tally.goals}, ${view.away.name} ${
    view.away.tally.goals}`}><${Name} team=${view.home} /><b class="goals">${view.home.tally.goals}</b>
      <div class="match-clock"><b>${clock(view.clock)}</b><span class=${view.running ? 'ok' : 'warn'}>${
  [view.part, view.phase].filter((text, i, all) => text && all.indexOf(text) === i).join(', ')}</span></div>
      <b class="goals">${view.away.tally.goals}</b><${Name} team=${view.away} /></div>` : html`<span></span>`}
    <div class="run">${view && html`<${Run} view=${view} />
      <button class="seed-of" onClick=${() => copy(view.seed)} title="copy the seed"><small>seed</small>${view.seed}</button>`}
      <button class="quiet keys" onClick=${() => change(state, { help: true })} aria-label="keys"><kbd>?</kbd></button></div>
    </header><${ConnectionLost} />`
}
