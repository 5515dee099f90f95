// The simulator's page: score, clock and controls, the field, the robots, the network.

/** @import {VssShow} from '../types' */
import { extent } from '../shared/field.js'
import { clock } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { Header, Waiting } from '../shared/header.js'
import { start } from '../shared/page.js'
import { list, state } from '../shared/state.js'
import { command } from '../shared/stream.js'
import { scrolls } from '../shared/theme.js'
import { FieldPanel } from './field.js'
import { TeamBadge } from './figures.js'
import { keyGroups, onKey } from './keys.js'
import { ConnectDrawer } from './connect.js'
import { PacketDrawer } from './packet.js'
import { RobotsPanel } from './robots.js'
import { forgetHistory, loadPlace, receive, refereeCommands, reset, setSpeed, showConnect, sim, speeds, step,
  togglePause, topics } from './state.js'
import { EventsPanel, TrafficPanel } from './traffic.js'
import { WheelsDrawer } from './wheels.js'

const SIDE = 484 // px that the panels beside the field need
const GAP = 12 // px between panels

/** A multiple of real time. @param {number} rate */
const multiple = (rate) => rate < 9.995 ? rate.toFixed(2) : rate < 99.5 ? rate.toFixed(1)
  : Math.round(rate).toLocaleString('en')

/** How fast simulated time passes, and whether that is slower than the chosen speed. @param {{show: VssShow}} props */
function Rate({ show }) {
  const slow = !show.lockstep && show.speed > 0 && show.rate < 0.95 * show.speed
  return html`<span class=${slow ? 'warn' : ''}>${multiple(show.rate)} × real time${slow && `, not ${show.speed} ×`}
    </span>`
}

/** @param {string} name a constant of VSSReferee's messages */
const inWords = (name) => name.toLowerCase().replaceAll('_', ' ')

/** @param {{show: VssShow}} props */
function Referee({ show }) {
  const r = show.referee
  if (!r) return html`<div class="referee dim">no referee: goals count, but nothing is placed</div>`
  const builtin = r.source === 'builtin'
  const rest = [r.team, inWords(r.half), r.left > 0 && `${clock(r.left)} left`,
    builtin ? 'built-in' : `by ${r.source}`].filter(Boolean).join(', ')
  return html`<div class="referee"><div><b>${inWords(r.foul)}</b><span>${rest}</span></div>
    ${builtin && !state.viewOnly && refereeCommands.map(([name, title, key]) =>
      html`<button title=${key} onClick=${() => command('referee', { command: name })}>${title}</button>`)}</div>`
}

/** The teams for which the simulation waits. @param {{show: VssShow}} props */
function Lockstep({ show }) {
  const waits = list(show.waiting).join(' and ')
  return html`<div class="lockstep">lockstep: ${waits ? html`<b class="warn">waiting for ${waits}</b>`
    : 'commands of both teams received'}</div>`
}

/** @param {{show: VssShow}} props */
function Board({ show }) {
  const [whole, part] = [clock(show.time), (Math.floor(show.time * 100) % 100).toString().padStart(2, '0')]
  return html`<section class="panel board" aria-label="Match">
    <div class="score"><div class="side"><${TeamBadge} team="blue" /><span>blue</span></div>
      <b class="goals" aria-label="goals of blue">${show.goalsBlue}</b><i>:</i>
      <b class="goals" aria-label="goals of yellow">${show.goalsYellow}</b><div class="side">
        <${TeamBadge} team="yellow" /><span>yellow</span></div>
      <div class="time"><b aria-label="simulated time">${whole}<small>.${part}</small></b>
        ${show.paused ? html`<span class="paused">paused</span>` : html`<${Rate} show=${show} />`}</div></div>
    ${!state.viewOnly && html`<div class="transport">
      <button class=${show.paused ? 'on' : ''} aria-pressed=${show.paused} onClick=${() => togglePause(show)}>
        ${show.paused ? 'resume' : 'pause'} <kbd>Space</kbd></button>
      <button onClick=${step} title="pause and simulate one tick of 16 ms">step <kbd>.</kbd></button>
      <span class="speeds" role="group" aria-label="speed" title="slower: −, faster: +">
        ${speeds.map(([x, title]) => html`<button class=${x === show.speed ? 'on' : ''} aria-pressed=${x === show.speed}
        aria-label=${`speed ${title}`} onClick=${() => setSpeed(x)}>${title}</button>`)}</span>
      <button onClick=${reset} title="starting positions, score 0 : 0">reset <kbd>R</kbd></button></div>`}
    <${Referee} show=${show} />${show.lockstep && html`<${Lockstep} show=${show} />`}
  </section>`
}

/** How many rows of clients and refusals fit beside the field, with some events beneath them.
 * @param {VssShow} show */
function trafficRows(show) {
  if (scrolls.matches) return 12
  const board = 160 + (show.lockstep ? 32 : 0), table = 30 + 2 * show.robots * (show.robots > 3 ? 24 : 26)
  const left = innerHeight - 46 - (show.trouble ? 33 : 0) - 5 * GAP - board - table - 90 - 100
  return Math.max(3, Math.floor(left / 25))
}

/** @param {{show: VssShow}} props */
function Panels({ show }) {
  const size = extent(show.field, 'x'), aspect = size.w / size.h
  const height = innerHeight - 46 - 2 * GAP - 34 - 26 - 2 // of the canvas
  const left = Math.max(320, Math.min(innerWidth - 3 * GAP - SIDE, height * aspect + 2 * 8 + 2))
  return html`<main class="vss ${show.robots > 3 ? 'dense' : ''}"
    style=${{ '--left': Math.round(left) + 'px', '--aspect': aspect }}>
    <${Board} show=${show} /><${FieldPanel} show=${show} /><${RobotsPanel} show=${show} /><${TrafficPanel} show=${show}
      rows=${trafficRows(show)} /><${EventsPanel} show=${show} /></main>`
}

function App() {
  const { show, chord, client, packet, connect, wheels } = sim
  return html`<${Header} here="vss">${show && html`<span>simulator, ${show.robots} against ${show.robots}</span>
    <button aria-expanded=${connect} onClick=${() => showConnect(!connect)}>connect your client <kbd>N</kbd>
    </button>`}<//>
    ${show?.trouble && html`<p class="trouble" role="alert">${show.trouble}</p>`}
    ${show ? html`<${Panels} show=${show} />`
      : html`<${Waiting} />`}
    ${show && wheels && html`<${WheelsDrawer} of=${wheels} />`}
    ${show && connect && html`<${ConnectDrawer} show=${show} />`}
    ${show && client && html`<${PacketDrawer} address=${client} packet=${packet} />`}
    ${chord && html`<p class="toast"
      role="status">switch off or on: press a blue robot’s number; Shift + number: yellow</p>`}`
}

/** The text whose changes are rendered at once. */
function outline() {
  const s = sim.show
  return s ? [state.run, s.paused, s.paused && s.time, s.speed, s.goalsBlue, s.goalsYellow, s.trouble,
    sim.packet?.time, ...[...list(s.blue), ...list(s.yellow)].map((r) => r.on)].join() : ''
}

function help() {
  if (!state.viewOnly) return { groups: keyGroups }
  return { groups: keyGroups.filter(([name]) => name === 'Page'), note: 'View only: this page sends no commands.' }
}

start({
  App, onKey, place: loadPlace,
  title: () => ['simulator', sim.show ? `blue ${sim.show.goalsBlue}:${sim.show.goalsYellow} yellow` : ''],
  help, topics, receive, restart: forgetHistory, outline,
  probe: () => ({ time: sim.show?.time ?? 0 }),
})
