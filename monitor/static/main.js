// The page: a header, the wall or the network, and what lies over them.

/** @import {VssShow, Wall} from './types' */
import { Beliefs } from './beliefs.js'
import { drawn, redraw } from './canvas.js'
import { extent } from './field.js'
import { clock } from './format.js'
import { Help } from './help.js'
import { html, render } from './htm/preact/standalone.module.js'
import { listen, rows, turnField } from './keys.js'
import { BELOW, GAP, layout, MOST } from './layout.js'
import { NetworkPanel, NetworkView, ROWS } from './network.js'
import { findPages, Pages } from './pages.js'
import { Packets } from './packets.js'
import { Silence } from './silence.js'
import { change, list, onChange, state, takeNetwork, takeVss, takeWall } from './state.js'
import { connect, subscribe } from './stream.js'
import { Strip } from './strip.js'
import { colors, dark, flow, readColors } from './theme.js'
import { TilePanel } from './tile.js'
import { Truth } from './truth.js'
import { VssPage } from './vss.js'
import { vssRows } from './vsskeys.js'

const ALWAYS = ['wall', 'network', 'vss'] // a server has the wall and its network, or the simulator
const READ = 250 // ms between changes of the figures: faster ones cannot be read

/** Where the packets travel, in words. @param {Wall} wall */
function way(wall) {
  const { group, interface: on, loopback, trouble } = wall.link
  if (on === 'memory') return html`<span class="warn" title=${trouble}>in memory, no multicast here</span>`
  return loopback ? html`<span>loopback, nothing leaves this machine</span>` : html`<span class="mono">${on} ${group}</span>`
}

/** @param {{wall: Wall | null}} props */
function Header({ wall }) {
  const alarms = list(state.network?.alarms).length
  return html`<header><b class="brand">touchline</b><${Pages}>${alarms > 0 && html`<a class="alarms-on" href="#network">${alarms} alarm${alarms > 1 ? 's' : ''}</a>`}<//>
    <div class="right">${state.link === 'lost' && html`<span class="lost" role="status">${state.reason || 'connection lost'}, trying again</span>`}
      ${wall && html`${wall.session && html`<span class="session">${wall.session}${wall.seed && html`, seed ${wall.seed}`}</span>`}${way(wall)}
      <button class="quiet" onClick=${turnField} title="turn the field (F)">${state.frame === 'msl' ? 'MSL, Y to the goal' : 'x to the goal'} <kbd>F</kbd></button>`}
      <button class="quiet keys" onClick=${() => change({ help: true })}><kbd>?</kbd> keys</button>
      ${wall?.paused && html`<span class="paused">paused</span>`}
      <span class="clock" aria-label="session time">${wall ? clock(wall.time) : '--:--'}</span></div></header>`
}

/** @param {Wall} wall */
function arrange(wall) {
  const tiles = list(wall.tiles)
  const cells = tiles.length ? tiles.length + 1 : 1
  const rows = Math.min(ROWS, Math.max(6, list(state.network?.senders).length))
  const table = 34 + 26 + rows * 27 + (list(state.network?.senders).length > ROWS ? 28 : 0) + 6
  const size = extent(wall.field, state.frame)
  const narrow = flow.matches
  const shape = layout(innerWidth - 3 * GAP, innerHeight - 46 - 78 - 2 * GAP - (wall.silence && tiles.length ? 132 : 0), Math.min(MOST, cells), size, table)
  return {
    class: `wall ${narrow ? 'flow' : 'fixed'} ${narrow ? 'below' : shape.figures} ${tiles.length ? '' : 'bare'}`,
    style: { '--left': shape.left + 'px', '--columns': shape.columns, '--rows': shape.rows, '--aspect': size.w / size.h, '--below': BELOW + 'px' },
  }
}

/** @param {{wall: Wall}} props */
function WallView({ wall }) {
  const tiles = list(wall.tiles)
  return html`<main ...${arrange(wall)}><div class="left"><${Truth} wall=${wall} /><${NetworkPanel} net=${state.network} wall=${wall} /></div>
    <div class="right-side">${wall.silence && html`<${Silence} wall=${wall} />`}
    ${tiles.length > 0 ? html`<div class="grid">${tiles.map((t) => html`<${TilePanel} key=${t.key} tile=${t} wall=${wall} />`)}<${Beliefs} wall=${wall} /></div>`
    : !wall.silence && html`<section class="panel empty-wall"><p>No robot is heard yet. Each one gets a monitor here as soon as its first packet arrives.</p></section>`}</div></main>`
}

/** The wall's page, but for what lies over it. */
function WallPage() {
  const { wall } = state
  return html`<${Header} wall=${wall} />
    ${wall?.link.trouble && html`<p class="trouble" role="alert">${wall.link.trouble}</p>`}
    ${!wall ? html`<main class="page"><p class="empty">${state.link === 'lost' ? (state.reason || 'no connection to touchline yet') + '; this page tries again by itself' : 'connecting'}</p></main>`
    : state.view === 'network' ? html`<${NetworkView} net=${state.network} wall=${wall} />` : html`<${WallView} wall=${wall} />`}
    ${wall && state.view === 'wall' && html`<${Strip} />`}
    ${state.open && html`<${Packets} name=${state.open} view=${state.packets} />`}`
}

/** What a key waits for, by chord. @type {Record<string, string>} */
const chords = {
  switch: 'switch off or on: press the robot’s number', substitute: 'substitute: press the robot’s number',
  power: 'switch off or on: press the number of blue’s robot, or Shift and the number of yellow’s',
}

function App() {
  const controls = state.vss ? true : state.wall?.controls ?? false
  return html`${state.vss ? html`<${VssPage} show=${state.vss} />` : html`<${WallPage} />`}
    <${Help} open=${state.help} rows=${state.vss ? vssRows : rows.filter((r) => controls || !r[2])} note=${controls ? '' : 'This page only watches: there is nothing here to kick or switch.'} />
    ${state.chord && html`<p class="toast" role="status">${chords[state.chord]}</p>`}
    ${state.toast && html`<p class="toast" role="alert">${state.toast}</p>`}`
}

let written = 0, shape = '', watched = ''

/** Writes the page's words; the canvases are drawn on their own. */
function write() {
  written = performance.now()
  const sender = list(state.wall?.tiles).find((t) => t.key === state.open)?.sender ?? state.open
  if (sender !== watched) {
    watched = sender
    state.packets = null
    subscribe(sender ? [...ALWAYS, 'packets/' + sender] : ALWAYS)
  }
  document.documentElement.dataset.link = state.link
  if (state.wall && location.hash.slice(1) !== state.view) history.replaceState(null, '', '#' + state.view)
  render(html`<${App} />`, document.body)
  redraw()
}

/** What cannot wait for the next figures. @param {Wall} w */
const outline = (w) => [state.run, w.paused, w.controls, w.link.trouble, !!w.silence, !!w.truth, ...list(w.tiles).flatMap((t) => [t.key, t.state, t.number, t.sender])].join()

/** What of the simulator cannot. @param {VssShow} s */
const vssOutline = (s) => [state.run, s.paused, s.paused && s.time, s.speed, s.goalsBlue, s.goalsYellow, s.trouble, ...[...list(s.blue), ...list(s.yellow)].map((r) => r.on)].join()

/** @param {string} topic @param {any} value */
function take(topic, value) {
  if (topic === 'wall') takeWall(value)
  else if (topic === 'network') takeNetwork(value)
  else if (topic === 'vss') takeVss(value)
  else state.packets = value
  if (topic === 'wall' || topic === 'vss') redraw()
  const now = state.vss ? vssOutline(state.vss) : state.wall ? outline(state.wall) : ''
  if (now === shape && performance.now() - written < READ && !topic.startsWith('packets/')) return
  shape = now
  write()
}

function followHash() {
  const view = location.hash === '#network' ? 'network' : 'wall'
  if (view !== state.view) change({ view })
}

function start() {
  readColors()
  try {
    if (localStorage.getItem('frame') === 'msl') state.frame = 'msl'
  } catch {
    // A browser without memory begins with x to the right.
  }
  onChange(write)
  followHash()
  addEventListener('hashchange', followHash)
  addEventListener('resize', write)
  dark.addEventListener('change', () => {
    readColors()
    redraw()
  })
  listen()
  // For tests: what was really drawn, and how.
  Object.assign(window, { touchline: { drawn: () => ({ frame: state.frame, theme: colors.name, time: (state.vss ?? state.wall)?.time ?? 0, run: state.run, pictures: drawn() }) } })
  write()
  connect(ALWAYS, take)
  void findPages()
}

start()
