// The simulator's page: score, clock and controls, the field, its robots, its network.

/** @import {VssShow} from './types' */
import { extent } from './field.js'
import { clock } from './format.js'
import { html } from './htm/preact/standalone.module.js'
import { GAP } from './layout.js'
import { change, list, state } from './state.js'
import { command } from './stream.js'
import { flow } from './theme.js'
import { VssField } from './vssfield.js'
import { VssRobots } from './vssrobots.js'
import { VssMarks, VssTraffic } from './vsstraffic.js'

const SIDE = 484 // px that the panels beside the field need

/** The speeds that buttons and keys choose: what the server is told, and how it is called. */
export const speeds = /** @type {[number, string][]} */ ([[0.5, '½'], [1, '1'], [2, '2'], [0, 'max']])

/** What the built-in referee may be told, how that is called, and its key. */
export const calls = [['kickoff', 'kick-off', 'K'], ['game_on', 'play', 'G'], ['stop', 'stop', 'S'], ['halt', 'halt', 'H']]

/** @param {VssShow} show */
export const pause = (show) => command('pause', { on: !show.paused })
export const step = () => command('step', { ticks: 1 })
export const reset = () => command('reset', {})
/** @param {number} x */
export const hurry = (x) => command('speed', { x })

/** Simulated time as a multiple of ours. @param {number} rate */
const times = (rate) => rate < 9.995 ? rate.toFixed(2) : rate < 99.5 ? rate.toFixed(1) : Math.round(rate).toLocaleString('en')

/** How fast it goes, and whether that is slower than wanted. @param {{show: VssShow}} props */
function Rate({ show }) {
  const slow = !show.lockstep && show.speed > 0 && show.rate < 0.95 * show.speed
  return html`<span class=${slow ? 'warn' : ''}>${times(show.rate)} × real time${slow && `, ${show.speed} × wanted`}</span>`
}

/** @param {string} name as VSSReferee's messages have it */
const words = (name) => name.toLowerCase().replaceAll('_', ' ')

/** @param {{show: VssShow}} props */
function Referee({ show }) {
  const r = show.referee
  if (!r) return html`<div class="referee dim">no referee; goals are counted, nothing is put back</div>`
  const builtin = r.source === 'builtin'
  const rest = [r.team, words(r.half), r.left > 0 && `${clock(r.left)} left`, builtin ? 'built-in' : `by ${r.source}`].filter(Boolean).join(', ')
  return html`<div class="referee"><div><b>${words(r.foul)}</b><span>${rest}</span></div>
    ${builtin && calls.map(([name, title, key]) => html`<button title=${key} onClick=${() => command('referee', { command: name })}>${title}</button>`)}</div>`
}

/** Whom the ticks wait for. @param {{show: VssShow}} props */
function Lockstep({ show }) {
  const waits = list(show.waiting).join(' and ')
  return html`<div class="lockstep">lockstep: ${waits ? html`<b class="warn">waits for ${waits}</b>` : 'every team has sent its commands'}</div>`
}

/** @param {{show: VssShow}} props */
function Board({ show }) {
  const [whole, part] = [clock(show.time), (Math.floor(show.time * 100) % 100).toString().padStart(2, '0')]
  return html`<section class="panel board" aria-label="Match">
    <div class="score"><div class="side"><span class="badge blue">B</span><span>blue</span></div><b class="goals" aria-label="goals of blue">${show.goalsBlue}</b><i>:</i>
      <b class="goals" aria-label="goals of yellow">${show.goalsYellow}</b><div class="side"><span class="badge yellow">Y</span><span>yellow</span></div>
      <div class="time"><b aria-label="simulated time">${whole}<small>.${part}</small></b>${show.paused ? html`<span class="paused">paused</span>` : html`<${Rate} show=${show} />`}</div></div>
    <div class="transport">
      <button class=${show.paused ? 'on' : ''} aria-pressed=${show.paused} onClick=${() => pause(show)}>${show.paused ? 'go on' : 'pause'} <kbd>Space</kbd></button>
      <button onClick=${step} title="pause, and one tick of 16 ms">step <kbd>.</kbd></button>
      <span class="speeds" role="group" aria-label="speed" title="slower and faster: − and +">${speeds.map(([x, title]) => html`<button class=${x === show.speed ? 'on' : ''} aria-pressed=${x === show.speed}
        aria-label=${`speed ${title}`} onClick=${() => hurry(x)}>${title}</button>`)}</span>
      <button onClick=${reset} title="everything to its start, goals to 0">reset <kbd>R</kbd></button></div>
    <${Referee} show=${show} />${show.lockstep && html`<${Lockstep} show=${show} />`}
  </section>`
}

/** How many rows of clients and refusals there is room for beside the field, with some events beneath.
 * @param {VssShow} show */
function rows(show) {
  if (flow.matches) return 12
  const board = 160 + (show.lockstep ? 32 : 0), table = 30 + 2 * show.robots * (show.robots > 3 ? 24 : 26)
  const left = innerHeight - 46 - (show.trouble ? 33 : 0) - 5 * GAP - board - table - 90 - 100
  return Math.max(3, Math.floor(left / 25))
}

/** The page, but for what lies over it. @param {{show: VssShow}} props */
export function VssPage({ show }) {
  const size = extent(show.field, 'x'), aspect = size.w / size.h
  const height = innerHeight - 46 - 2 * GAP - 34 - 26 - 2 // of the canvas
  const left = Math.max(320, Math.min(innerWidth - 3 * GAP - SIDE, height * aspect + 2 * 8 + 2))
  return html`<header><b class="brand">touchline</b><span class="sub">simulator of ${show.robots} against ${show.robots}</span><div class="right">
      ${state.link === 'lost' && html`<span class="lost" role="status">${state.reason || 'connection lost'}, trying again</span>`}
      <button class="quiet keys" onClick=${() => change({ help: true })}><kbd>?</kbd> keys</button></div></header>
    ${show.trouble && html`<p class="trouble" role="alert">${show.trouble}</p>`}
    <main class="vss ${show.robots > 3 ? 'dense' : ''}" style=${{ '--left': Math.round(left) + 'px', '--aspect': aspect }}>
      <${Board} show=${show} /><${VssField} show=${show} /><${VssRobots} show=${show} /><${VssTraffic} show=${show} rows=${rows(show)} /><${VssMarks} show=${show} /></main>`
}
