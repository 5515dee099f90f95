// One robot's monitor: what it believes over what is true.

/** @import {Tile, Wall} from './types' */
/** @import {Pen} from './canvas.js' */
/** @import {Judged} from './health.js' */
import { Canvas } from './canvas.js'
import { drawBall, drawDoubt, drawField, drawObstacle, drawRobot, project } from './field.js'
import { figures, verdict } from './health.js'
import { html } from './htm/preact/standalone.module.js'
import { change, list, state } from './state.js'
import { command } from './stream.js'
import { colors } from './theme.js'

/** @param {string} key */
const tileOf = (key) => list(state.wall?.tiles).find((t) => t.key === key)

/** Draws a tile. @param {Pen} pen @param {string} key */
function drawTile(pen, key) {
  const wall = state.wall, tile = tileOf(key)
  if (!wall || !tile) return
  const v = project(wall.field, state.frame, pen.w, pen.h)
  drawField(pen, v)
  const { ball, robots, obstacles, seesBall } = tile.belief
  const truth = tile.real ? null : wall.truth // a real robot does not stand on a simulated field
  for (const o of list(truth?.obstacles)) drawObstacle(pen, v, o, { ghost: true, least: 5 })
  for (const o of list(obstacles)) drawObstacle(pen, v, o, { least: 5 })
  if (truth) drawBall(pen, v, truth.ball, { ghost: true, least: 4.5 })
  for (const r of list(robots)) if (!r.self) drawRobot(pen, v, r, 'heard', 8.5)
  for (const r of list(robots)) if (r.self) drawRobot(pen, v, r, 'self', 8.5)
  if (!ball) return
  const bad = truth && (tile.ballError ?? 0) >= 1
  if (truth) {
    pen.g.strokeStyle = bad ? colors.bad : colors.dim
    pen.g.lineWidth = bad ? 2 : 1.2
    pen.g.beginPath()
    pen.g.moveTo(...v.at(truth.ball.x, truth.ball.y))
    pen.g.lineTo(...v.at(ball.x, ball.y))
    pen.g.stroke()
  }
  drawDoubt(pen, v, ball)
  drawBall(pen, v, ball, { heard: !seesBall, least: 4.5 })
}

/** What its packets do not say, or who is without a place. @param {Tile} tile */
function note(tile) {
  if (tile.state !== 'live') return ''
  const lost = tile.belief.unplaced.filter((n) => n !== tile.number)
  if (tile.belief.unplaced.includes(tile.number)) return 'does not know where it is'
  return lost.length ? `no place: ${lost.join(' ')}` : ''
}

/** A robot's number on its team's colour; a camera's is round.
 * @param {{number: number, color: number, shape: string}} props */
export function Badge({ number, color, shape }) {
  const team = ['cyan', 'magenta'][color] ?? 'none'
  return html`<span class="badge ${team} ${shape === 'camera' ? 'round' : ''}" title=${team === 'none' ? 'no colour' : team}>${number}</span>`
}

/** @param {{items: Judged[]}} props */
export function Figures({ items }) {
  return html`<div class="figures">${items.map((f) => html`<div class=${f.level}><b>${f.value}${f.unit && html`<small> ${f.unit}</small>`}</b><span>${f.label}</span></div>`)}</div>`
}

/** The switch and the substitution of one tile. @param {{tile: Tile}} props */
function Hands({ tile }) {
  const { number } = tile
  const off = tile.state === 'off'
  const act = (/** @type {string} */ name, /** @type {object} */ body) => (/** @type {Event} */ e) => {
    e.stopPropagation()
    void command(name, body)
  }
  return html`<span class="acts ${off ? 'shown' : ''}">
    <button onClick=${act('switch', { number, on: off })} title=${`switch ${number} ${off ? 'on' : 'off'} (O, then ${number})`}>${off ? 'switch on' : 'off'}</button>
    ${list(state.wall?.waiting).length > 0 && html`<button onClick=${act('substitute', { number })} title=${`substitute ${number} (S, then ${number})`}>swap</button>`}
  </span>`
}

/** @param {{tile: Tile, wall: Wall}} props */
export function TilePanel({ tile, wall }) {
  const row = list(state.network?.senders).find((s) => s.key === tile.sender)
  const reference = wall.fused?.ball ?? null
  const shown = figures(tile, reference, wall.truth ? list(wall.truth.obstacles).length : null)
  const { level, words } = verdict(tile, shown, row)
  const live = tile.state === 'live'
  const open = () => change({ open: state.open === tile.key ? '' : tile.key })
  const key = (/** @type {KeyboardEvent} */ e) => {
    if (e.key !== 'Enter' || e.target !== e.currentTarget) return
    e.preventDefault()
    open()
  }
  const name = `${tile.number} ${tile.team}`
  return html`<section class="panel tile ${level} ${live ? '' : 'gone'} ${state.open === tile.key ? 'open' : ''}" tabindex="0" data-tile=${tile.key}
      data-state=${tile.state} data-number=${tile.number} data-real=${tile.real ? '' : undefined} aria-label=${`Monitor of ${name}, Enter opens its packets`} onClick=${open} onKeyDown=${key}>
    <div class="head"><${Badge} ...${tile} /><h2 class="sub" title=${tile.team}>${tile.team}</h2>
      ${wall.controls && !tile.real && html`<${Hands} tile=${tile} />`}
      ${words && live && html`<span class="words ${level}">${words}</span>`}
      ${live && html`<span class="hz">${tile.rate.toFixed(1)} Hz</span>`}</div>
    <div class="body"><div class="stage"><${Canvas} name=${'tile ' + tile.key} label=${`What ${name} believes`} draw=${(/** @type {Pen} */ pen) => drawTile(pen, tile.key)} />
      ${note(tile) && html`<span class="note">${note(tile)}</span>`}
      ${!live && html`<span class="state">${tile.state === 'off' ? 'switched off' : words}</span>`}</div>
      <${Figures} items=${shown} /></div>
  </section>`
}
