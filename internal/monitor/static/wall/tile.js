// One robot's monitor: its belief over ground truth.

/** @import {Belief, Figure, Goal, Scene, SoccerField, Tile, Wall} from '../types' */
/** @import {View} from '../shared/field.js' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {Graded} from './health.js' */
import { Canvas } from '../shared/canvas.js'
import { circle, line } from '../shared/draw.js'
import { axesOf, drawBall, drawUncertainty, drawField, drawObstacle, drawRobot, project } from '../shared/field.js'
import { AWAY, sendsNone } from '../match/state.js'
import { figures, limits, trueObstacles, verdict } from './health.js'
import { ReadBack } from './connect.js'
import { disagreement, duration, offBy } from '../robot/trust.js'
import { statusText } from './game.js'
import { html } from '../htm/preact/standalone.module.js'
import { isBooker } from '../booking/state.js'
import { list, state } from '../shared/state.js'
import { command } from '../shared/stream.js'
import { colors, sizes } from '../shared/theme.js'
import { Explain } from '../shared/words.js'
import { dismiss, live, openRobot, tileOf } from './state.js'

/** @param {Pen} pen @param {string} key */
function drawTile(pen, key) {
  const { wall } = live, tile = tileOf(key)
  // A real robot is not on the simulated field.
  if (wall && tile) drawBelief(pen, wall.field, tile.belief, tile.real ? null : wall.truth)
}

/** Draws a belief over ground truth. @param {Pen} pen @param {SoccerField} field @param {Belief} belief
 * @param {Scene | null} truth @param {boolean} [large] with the uncertainty of obstacles */
export function drawBelief(pen, field, { ball, robots, obstacles, seesBall, goal }, truth, large = false) {
  const v = project(field, live.frame, pen.w, pen.h)
  drawField(pen, v)
  if (goal && goal.seconds < SHOWN) drawGoal(pen, v, goal)
  const robotSize = 8.5 * sizes.glyph, thingSize = 5 * sizes.glyph, ballSize = 4.5 * sizes.glyph
  for (const o of list(truth?.obstacles)) drawObstacle(pen, v, o, { ghost: true, least: thingSize })
  for (const o of list(obstacles)) {
    drawObstacle(pen, v, o, { least: thingSize })
    // An ellipse within the square is drawn in the ground's colour.
    if (large && o.cov) drawUncertainty(pen, v, o, axesOf(o.cov).a < 0.12 ? colors.pitch : colors.obstacle)
  }
  if (truth) drawBall(pen, v, truth.ball, { ghost: true, least: ballSize })
  for (const r of list(robots)) if (!r.self) drawRobot(pen, v, r, 'reported', robotSize)
  for (const r of list(robots)) if (r.trust?.disagrees) drawNamed(pen, v, r, robotSize)
  for (const r of list(robots)) if (r.self) drawRobot(pen, v, r, 'self', robotSize)
  if (!ball) return
  if (truth) {
    const bad = Math.hypot(ball.x - truth.ball.x, ball.y - truth.ball.y) >= limits.ballError[1]
    pen.g.strokeStyle = bad ? colors.bad : colors.dim
    pen.g.lineWidth = bad ? 2 : 1.2
    line(pen.g, v.at(truth.ball.x, truth.ball.y), v.at(ball.x, ball.y))
  }
  drawUncertainty(pen, v, ball)
  drawBall(pen, v, ball, { reported: !seesBall, least: ballSize, height: true })
}

/** Seconds for which a goal is marked on the field. */
const SHOWN = 5

/** Fills the goal in which the ball is. @param {Pen} pen @param {View} v @param {Goal} goal */
function drawGoal({ g, drawn }, v, { end }) {
  const { length, goalWidth, goalDepth } = v.field, line = end * length / 2
  const [ax, ay] = v.at(line, -goalWidth / 2), [bx, by] = v.at(line + end * goalDepth, goalWidth / 2)
  g.fillStyle = g.strokeStyle = colors.ball
  g.lineWidth = 3
  g.globalAlpha = 0.5
  g.fillRect(Math.min(ax, bx), Math.min(ay, by), Math.abs(ax - bx), Math.abs(ay - by))
  g.globalAlpha = 1
  g.strokeRect(Math.min(ax, bx), Math.min(ay, by), Math.abs(ax - bx), Math.abs(ay - by))
  drawn.push({ glyph: 'goal', x: (ax + bx) / 2, y: (ay + by) / 2 })
}

/** Draws a red ring around a robot that contradicts the others. @param {Pen} pen @param {View} v @param {Figure} robot
 * @param {number} least px: its smallest radius */
export function drawNamed(pen, v, { number, pose }, least) {
  const [x, y] = v.at(pose.x, pose.y)
  pen.g.strokeStyle = colors.bad
  pen.g.lineWidth = 2
  circle(pen.g, x, y, 1.8 * Math.max(0.3 * v.s, least))
  pen.g.stroke()
  pen.drawn.push({ glyph: 'named', number, x, y })
}

/** Whether the tile's own robot is in the lower half of the picture, where notes stand. @param {Tile} tile */
function isBelow({ belief }) {
  const self = list(belief.robots).find((r) => r.self)
  return !!self && (live.frame === 'msl' ? self.pose.x : self.pose.y) < 0
}

/** Robots whose position is missing in the belief. @param {Tile} tile */
function note(tile) {
  if (tile.state !== 'live') return ''
  const missing = tile.belief.unplaced.filter((n) => n !== tile.number)
  if (tile.belief.unplaced.includes(tile.number)) return 'no self-localisation'
  return missing.length ? `no position: ${missing.join(', ')}` : ''
}

/** A robot's number on its team's colour; round for a camera.
 * @param {{number: number, color: number, shape: string}} props */
export function Badge({ number, color, shape }) {
  const team = ['cyan', 'magenta'][color] ?? 'none'
  return html`<span class="badge ${team} ${shape === 'camera' ? 'round' : ''}"
    title=${team === 'none' ? 'no colour' : team}>${number}</span>`
}

/** A robot's number, which opens the robot's own page where it can be managed. @param {{tile: Tile}} props */
export function LinkedBadge({ tile }) {
  const badge = html`<${Badge} ...${tile} />`
  if (tile.real || !state.pages.includes('robot')) return badge
  const page = state.pages.includes('match') && tile.color === 1 ? AWAY + tile.number : tile.number
  return html`<a class="own-page" href=${'robot#' + page} aria-label=${`page of ${tile.number} ${tile.team}`}
    title="see through its camera" onClick=${(/** @type {Event} */ e) => e.stopPropagation()}>${badge}</a>`
}

/** @param {{items: Graded[]}} props */
export function Figures({ items }) {
  return html`<div class="figures">
    ${items.map((f) => html`<div class=${f.level}><b>${f.value}${f.unit && html`<small> ${f.unit}</small>`}</b>
    <span>${f.label}${f.about && html` <${Explain} of=${f.about} />`}</span>${f.more && html`<span>${f.more}</span>`}</div>`)}</div>`
}

/** The buttons of one tile. @param {{tile: Tile}} props */
function Actions({ tile }) {
  const { number } = tile
  const off = tile.state === 'off'
  const send = (/** @type {string} */ name, /** @type {object} */ body) => (/** @type {Event} */ e) => {
    e.stopPropagation()
    void command(name, body)
  }
  return html`<span class="acts">
    <button onClick=${send('switch', { number, on: off })} aria-label=${off ? `switch on ${number}` : `off, ${number}`}
      title=${`switch ${number} ${off ? 'on' : 'off'} (O, then ${number})`}>${off ? 'switch on' : 'off'}</button>
    ${list(live.wall?.waiting).length > 0 && html`<button onClick=${send('substitute', { number })} aria-label=${`substitute ${number}`}
      title=${`substitute ${number} (S, then ${number})`}>substitute</button>`}
  </span>`
}

/** Takes a silent robot off the page, until it sends again. @param {{tile: Tile}} props */
function Dismiss({ tile }) {
  const onClick = (/** @type {Event} */ e) => {
    e.stopPropagation()
    dismiss(tile.key)
  }
  return html`<span class="acts"><button onClick=${onClick} aria-label=${`dismiss ${tile.number} ${tile.team}`}
    title=${`take ${tile.number} ${tile.team} off this page until it sends again`}>dismiss</button></span>`
}

/** @param {{tile: Tile, wall: Wall}} props */
export function TilePanel({ tile, wall }) {
  const row = list(live.network?.senders).find((s) => s.key === tile.sender)
  const reference = wall.fused?.ball ?? null
  const items = figures(tile, reference, trueObstacles(wall, tile))
  const named = disagreement(wall, tile), worst = verdict(tile, items, row, named)
  const on = tile.state === 'live', acts = wall.controls && !tile.real
  const open = () => openRobot(tile.key)
  const onKey = (/** @type {KeyboardEvent} */ e) => {
    if (e.key !== 'Enter' || e.target !== e.currentTarget) return
    e.preventDefault()
    open()
  }
  const name = `${tile.number} ${tile.team}`
  const level = worst.level || (tile.real && on ? 'arrived-well' : '')
  return html`<section class="panel tile ${level} ${on ? '' : 'gone'} ${live.sel === tile.key ? 'open' : ''}"
    tabindex="0" data-tile=${tile.key}
      data-state=${tile.state} data-number=${tile.number} data-mirrored=${tile.mirrored ? '' : undefined} data-real=${tile.real ? '' : undefined}
        aria-label=${`Monitor of ${name}; Enter opens it large`} onClick=${open} onKeyDown=${onKey}>
    <div class="head ${on && tile.color === 0 && isBooker(tile.number) ? 'has-ball' : ''}"><${LinkedBadge} tile=${tile} />
      <h2 class="sub" title=${tile.team}>${tile.team}</h2>
      ${acts && on && html`<${Actions} tile=${tile} />`}
      ${worst.text && on && html`<span class="verdict ${worst.level}">${worst.text}</span>`}
      ${on && !sendsNone(tile) && html`<span class="hz">${tile.rate.toFixed(1)} Hz</span>`}</div>
    <div class="body"><div class="stage"><${Canvas} name=${'tile ' + tile.key} label=${`Belief of ${name}`}
      draw=${(/** @type {Pen} */ pen) => drawTile(pen, tile.key)} />
      ${tile.real && html`<${ReadBack} tile=${tile} />`}
      ${on && named ? html`<span class="note bad ${tile.real || isBelow(tile) ? 'up' : ''}">${offBy(named)}, ${
        duration(named.seconds)}</span>`
        : statusText(tile) ? html`<span class="note">${statusText(tile)}</span>`
        : !tile.values && note(tile) && html`<span class="note">${note(tile)}</span>`}
      ${!on && html`<span class="state"><span>${tile.state === 'off' && !tile.crashed ? 'switched off' : worst.text}</span>
        ${acts && !tile.crashed && html`<${Actions} tile=${tile} />`}
        ${tile.real && tile.state === 'silent' && html`<${Dismiss} tile=${tile} />`}</span>`}</div>
      <${Figures} items=${items} /></div>
  </section>`
}
