// The header of the match: score, clock, what goes on, and how fast the match runs.

/** @import {MatchShowTeam, MatchShowView} from '../types' */
import { clock } from '../shared/format.js'
import { Brand, ConnectionLost, Links } from '../shared/header.js'
import { html } from '../htm/preact/standalone.module.js'
import { change, list, state } from '../shared/state.js'
import { Choices } from '../shared/inputs.js'
import { command, copy, toast } from '../shared/stream.js'
import { isPast, lookBack, past, playback, replayGoal } from '../session/past.js'
import { match } from './state.js'

export const STEP = 100 // ms

/** The speeds that the page offers. @type {[number, string][]} */
const SPEEDS = [[0.5, '½'], [1, '1×'], [4, '4'], [0, 'max']]

/** A match in real time keeps its speed whatever the page does: says so. @returns {boolean} */
function isReal() {
  if (match.view?.loops) toast('This match runs in real time. To step or change the speed, use touchline demo --match --virtual.')
  return !!match.view?.loops
}

/** Pauses the match, or lets it go on. */
export const togglePause = () => void command('pause', { paused: !match.view?.paused })

/** Plays a tenth of a second and pauses. */
export const stepMatch = () => void (isReal() || command('step', { ms: STEP }))

/** Sets the next speed. */
export function nextMatchSpeed() {
  if (isReal()) return
  const at = SPEEDS.findIndex(([factor]) => factor === match.view?.speed)
  void command('speed', { factor: SPEEDS[(at + 1) % SPEEDS.length][0] })
}

/** Begins another game once one is over. */
export const playAgain = () => void command('again', {})

const LookBack = () => past.session?.live && html`<button class="back" onClick=${lookBack} title="look back (B)" aria-label="look back">
  <svg viewBox="0 0 22 22"><path d="M20 2L9 11l11 9zM3 2h4v18H3z" /></svg></button>`

/** The last goal again, once there is one. @param {{view: MatchShowView}} props */
const Replay = ({ view }) => list(view.goals).length > 0 && past.session && html`<button class="replay" onClick=${replayGoal}
  title="the last goal again (A)" aria-label="the last goal again"><svg viewBox="0 0 22 22">
  <path d="M11 4V0L4 6l7 6V8a5 5 0 1 1-5 5H2a9 9 0 1 0 9-9z" /></svg></button>`

/** The buttons that hold and move the match; in real time it has one speed. @param {{view: MatchShowView}} props */
function Run({ view }) {
  const again = html`<${Replay} view=${view} />`
  if (!view.controls || isPast()) return html`${isPast() && html`<span class="past-clock">${playback.until ? 'again'
    : past.session?.live ? 'looking back' : 'recording'}</span>`}${again}`
  return html`<button onClick=${togglePause} aria-pressed=${view.paused} class=${view.paused ? 'on' : ''} title="pause (Space)"
      aria-label=${view.paused ? 'go on' : 'pause'}><svg viewBox="0 0 22 22">${view.paused ? html`<path d="M4 2l15 9-15 9z" />`
    : html`<path d="M3 2h6v18H3zM13 2h6v18h-6z" />`}</svg></button>
    ${!view.loops && html`<button onClick=${stepMatch} aria-label="step" title="play a tenth of a second, and pause (.)"><svg viewBox="0 0 22 22">
      <path d="M2 2l11 9-11 9zM15 2h4v18h-4z" /></svg></button>
    <${Choices} class="speeds" label="speed" title="speed (M)" value=${view.speed} options=${SPEEDS}
      set=${(/** @type {number} */ factor) => command('speed', { factor })} />`}${again}<${LookBack} />`
}

const LONG = 12 // characters of a name that needs a smaller type

/** @param {{team: MatchShowTeam}} props */
const Name = ({ team }) => html`<span class="team ${team.color ? 'magenta' : 'cyan'} ${team.name.length > LONG ? 'long' : ''}"><span>${
  team.name}</span><i></i></span>`

/** The part of the match, and the state of play. @param {MatchShowView} view */
const stateOfPlay = (view) => [view.part === 'end' ? '' : view.part, view.phase]
  .filter((text, i, all) => text && all.indexOf(text) === i).join(', ')

/** @param {{view: MatchShowView}} props */
const Score = ({ view }) => html`<div class="score" role="status" aria-label=${`${view.home.name} ${view.home.tally.goals}, ${
  view.away.name} ${view.away.tally.goals}: ${stateOfPlay(view)}`}><${Name} team=${view.home} />
  <b class="goals">${view.home.tally.goals}</b><b class="match-clock">${view.part === 'end' ? 'end' : clock(view.clock)}</b>
  <b class="goals">${view.away.tally.goals}</b><${Name} team=${view.away} />
  <span class="state-of-play ${view.running ? 'ok' : 'warn'}">${view.paused ? 'paused: ' : ''}${stateOfPlay(view)}</span></div>`

/** @param {{extra?: unknown}} props */
export function MatchHeader({ extra }) {
  const { view } = match
  return html`<header class="match-head"><div class="who-where"><h1 class="unseen">touchline: Match</h1><nav class="top" aria-label="alarms">
      <${Brand} />${extra}</nav><${Links} here="match" /></div>
    ${view ? html`<${Score} view=${view} />` : html`<span></span>`}
    <div class="run">${view && html`<${Run} view=${view} />
      <button class="seed-of" onClick=${() => copy(view.seed)} title=${view.start
    ? 'copy the seed; this game began where the one before ended, and --seed alone plays another one' : 'copy the seed'}><small>seed</small>${
  view.seed}</button>`}
      <button class="quiet keys" onClick=${() => change(state, { help: true })} aria-label="keys"><kbd>?</kbd></button></div>
    </header><${ConnectionLost} />`
}
