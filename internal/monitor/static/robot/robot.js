// One robot in large: what it believes, and what that comes from: its own picture, the packages of the others, and what
// it has learnt of them.

/** @import {Belief, Scene, Tile, Wall} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {Graded} from '../wall/health.js' */
import { html } from '../htm/preact/standalone.module.js'
import { Canvas } from '../shared/canvas.js'
import { line } from '../shared/draw.js'
import { drawBall, drawField, drawRobot, extent, project } from '../shared/field.js'
import { distance } from '../shared/format.js'
import { BehaviourPanel } from '../behaviour/behaviour.js'
import { behaviourOf } from '../behaviour/state.js'
import { sendsNone } from '../match/state.js'
import { change, list, state } from '../shared/state.js'
import { command } from '../shared/stream.js'
import { colors, scrolls, sizes } from '../shared/theme.js'
import { Faults } from '../wall/faults.js'
import { figures, gradeSpread, trueObstacles, verdict } from '../wall/health.js'
import { closeRobot, live, openPackets, tileOf } from '../wall/state.js'
import { drawBelief, Figures, LinkedBadge } from '../wall/tile.js'
import { Accuracy } from './accuracy.js'
import { Mates } from './mates.js'
import { drawOrigins, LONGER } from './overlay.js'
import { alarmsOf, disagreement, goalOf, judged } from './trust.js'

/** Ground truth, where the robot is on the simulated field. @param {Wall} wall @param {Tile} tile */
const truthOf = (wall, tile) => tile.real ? null : wall.truth

/** The knowledge of the open robot; null until it arrives, and for a robot that is off. */
function known() {
  const sender = tileOf(live.sel)?.sender
  return live.packets && live.packets.key === sender ? live.packets : null
}

/** @param {Belief | null | undefined} belief @param {Scene | null} truth */
function errorOf(belief, truth) {
  const ball = belief?.ball
  return ball && truth ? Math.hypot(ball.x - truth.ball.x, ball.y - truth.ball.y) : null
}

/** The error of a picture's ball, and how many obstacles it has. @param {Belief | null | undefined} belief
 * @param {Scene | null} truth @returns {Graded[]} */
function ballAndObstacles(belief, truth) {
  const error = errorOf(belief, truth), ball = belief?.ball
  return [
    { ...distance(error), label: ball ? truth ? 'ball error' : 'ball' : 'sees no ball', more: '', level: error == null ? ''
      : gradeSpread(error) },
    { value: String(list(belief?.obstacles).length), unit: '', label: 'obstacles', more: '', level: '' },
  ]
}

/** Draws one of the small pictures. @param {Pen} pen @param {(pen: Pen, wall: Wall, tile: Tile) => void} more */
function drawPart(pen, more) {
  const { wall } = live, tile = tileOf(live.sel)
  if (wall && tile) more(pen, wall, tile)
}

/** @param {Pen} pen @param {Wall} wall @param {Tile} tile */
function drawReports(pen, wall, tile) {
  const v = project(wall.field, live.frame, pen.w, pen.h), truth = truthOf(wall, tile)
  drawField(pen, v)
  if (truth) drawBall(pen, v, truth.ball, { ghost: true, least: 4.5 * sizes.glyph })
  for (const { number, belief } of list(known()?.reports)) {
    const [body] = list(belief.robots), { ball } = belief
    if (ball && body) {
      pen.g.strokeStyle = colors.ball
      pen.g.lineWidth = 1
      pen.g.globalAlpha = 0.5
      line(pen.g, v.at(body.pose.x, body.pose.y), v.at(ball.x, ball.y))
      pen.g.globalAlpha = 1
    }
    if (body) drawRobot(pen, v, body, 'reported', 8.5 * sizes.glyph)
    if (ball) {
      drawBall(pen, v, { ...ball, vx: 0, vy: 0 }, { reported: true, least: 4.5 * sizes.glyph })
      pen.drawn.push({ glyph: 'report', number, x: v.at(ball.x, ball.y)[0], y: v.at(ball.x, ball.y)[1] })
    }
  }
}

/** A small picture with its figures. @param {{title: string, sub: string, name: string, draw: (pen: Pen) => void,
 * items: Graded[], empty?: string}} props empty: why there is no picture */
function Part({ title, sub, name, draw, items, empty }) {
  return html`<section class="panel part" aria-label=${title}><div class="head"><h2 title=${sub}>${title}</h2></div>
    ${empty ? html`<p class="empty">${empty}</p>` : html`<div class="stage"><${Canvas} name=${name}
    label=${`${title}: the field, ${sub}`} draw=${draw} /></div><${Figures} items=${items} />`}</section>`
}

/** The buttons of the open robot. @param {{tile: Tile, wall: Wall}} props */
function Actions({ tile, wall }) {
  const { key, number, mirrored, sender } = tile
  return html`${wall.controls && !tile.real && tile.state === 'live' && html`<button class=${mirrored ? 'on' : ''} aria-pressed=${mirrored}
      title="its self-localisation mistakes one half of the field for the other: a fault for the other robots to detect (X)"
      onClick=${() => void command('mirror', { number, on: !mirrored })}>mirror pose <kbd>X</kbd></button>`}
    ${state.pages.includes('tcm') && html`<button class=${live.states ? 'on' : ''} aria-pressed=${live.states} title="show its decisions instead of its pictures (E)"
      onClick=${() => change(live, { states: !live.states })}>states <kbd>E</kbd></button>`}
    <button onClick=${() => openPackets(key)} disabled=${!sender}>packets <kbd>D</kbd></button>
    <button onClick=${closeRobot}>close <kbd>Esc</kbd></button>`
}

/** @param {{tile: Tile, wall: Wall}} props */
function Heading({ tile, wall }) {
  const row = list(live.network?.senders).find((s) => s.key === tile.sender)
  const items = figures(tile, wall.fused?.ball ?? null, trueObstacles(wall, tile))
  const worst = verdict(tile, items, row, disagreement(wall, tile))
  return html`<div class="head"><${LinkedBadge} tile=${tile} /><h2>${tile.team}</h2>
    ${worst.text ? html`<span class="verdict ${worst.level}">${worst.text}</span>`
    : html`<span class="sub">${tile.real ? 'contents of its packages' : 'its world, fused'}</span>`}
    ${!sendsNone(tile) && html`<span class="hz">${tile.rate.toFixed(1)} Hz</span>`}<${Actions} tile=${tile} wall=${wall} /></div>`
}

/** How to read what is drawn over the belief. @param {{tile: Tile, learnt: boolean}} props */
function Key({ tile, learnt }) {
  return html`<div class="legend" aria-label="legend">${!tile.real && html`<span><svg viewBox="0 0 30 16">
    <path d="M7 8H24" stroke="var(--ball)" stroke-width="1.2" /><circle cx="6" cy="8" r="4" fill="var(--pitch)"
    stroke="var(--ball)" stroke-width="1.8" /><circle cx="24" cy="8" r="5" fill="var(--ball)" /></svg>seen by that robot;
    pale: left out</span><span><svg viewBox="0 0 16 16"><circle cx="8" cy="8" r="6" fill="none" stroke="var(--ball)"
    stroke-width="1.8" stroke-dasharray="4 2.5" /></svg>alone, without radio</span>`}
    ${learnt && html`<span><svg viewBox="0 0 24 16"><path d="M2 8H18" stroke="var(--ink)" stroke-width="1.8" />
    <path d="M23 8 15 4V12Z" fill="var(--ink)" /></svg>pose off, ${LONGER} times</span>`}
    ${!tile.real && html`<span><svg viewBox="0 0 24 16"><ellipse cx="12" cy="8" rx="10.5" ry="5.5" fill="var(--ball)"
    fill-opacity=".16" stroke="var(--ball)" /></svg>2 sigma</span>`}</div>`
}

/** The large picture. @param {Pen} pen @param {Wall} wall @param {Tile} tile */
function drawLarge(pen, wall, tile) {
  drawBelief(pen, wall.field, tile.belief, truthOf(wall, tile), true)
  drawOrigins(pen, wall.field, tile, known(), judged(wall, tile))
}

/** The figures of the packages that it received. @returns {Graded[]} */
function heard() {
  const reports = list(known()?.reports), balls = reports.filter((r) => r.belief.ball).length
  return [{ value: String(reports.length), unit: '', label: reports.length === 1 ? 'robot' : 'robots', more: '', level: '' },
    { value: String(balls), unit: '', label: balls === 1 ? 'ball' : 'balls', more: '', level: '' }]
}

/** @param {{wall: Wall}} props */
export function RobotView({ wall }) {
  const tile = tileOf(live.sel)
  if (!tile) return html`<main class="page"><p class="empty">This robot is not on the wall now.
    <button onClick=${closeRobot}>close <kbd>Esc</kbd></button></p></main>`
  const view = known(), truth = truthOf(wall, tile), size = extent(wall.field, live.frame)
  const waits = tile.state === 'off' ? tile.crashed || 'switched off' : view ? '' : 'no package yet'
  const part = (/** @type {Belief | null | undefined} */ belief) => (/** @type {Pen} */ pen) =>
    drawPart(pen, (pen, wall, tile) => belief && drawBelief(pen, wall.field, belief, truthOf(wall, tile)))
  return html`<main class="one-robot ${scrolls.matches ? 'flow' : ''}" style=${{ '--aspect': size.w / size.h }}>
    <section class="panel fused ${tile.state === 'live' ? '' : 'gone'}"
    aria-label=${`World of ${tile.number} ${tile.team}`} data-number=${tile.number}>
    <${Heading} tile=${tile} wall=${wall} />
    ${alarmsOf(wall, tile).map((text) => html`<p key=${text.split(' ', 2).join()} class="alarm" role="alert">${text}</p>`)}
    ${goalOf(tile.belief) && html`<p class="goal" role="status">${goalOf(tile.belief)}</p>`}
    <div class="stage"><${Canvas} name="fused" label=${`Belief of ${tile.number} ${tile.team}, large`}
      draw=${(/** @type {Pen} */ pen) => drawPart(pen, drawLarge)} /></div>
    <div class="foot"><${Figures} items=${figures(tile, wall.fused?.ball ?? null,
      truth && trueObstacles(wall, tile))} />
      <${Key} tile=${tile} learnt=${judged(wall, tile).length > 0} /></div>
    <${Faults} faults=${tile.faults} /></section>
    <div class="parts">${live.states ? html`<${BehaviourPanel} robot=${behaviourOf(tile.number)} />`
    : html`<${Mates} wall=${wall} tile=${tile} reports=${list(view?.reports)} truth=${truth} waits=${waits} />
    <${Accuracy} wall=${wall} tile=${tile} />
    <div class="pictures"><${Part} title="Own picture" sub="what it sends" name="own" empty=${waits}
      draw=${part(view?.own)} items=${ballAndObstacles(view?.own, truth)} />
    <${Part} title="Received" sub="newest package of each" name="received" empty=${waits}
      draw=${(/** @type {Pen} */ pen) => drawPart(pen, drawReports)} items=${heard()} />
    <${Part} title="Without radio" sub="its own pictures alone, fused" name="alone" draw=${part(view?.alone)}
      empty=${waits || (view?.alone ? '' : 'known only to a robot of the demo, while it runs')}
      items=${ballAndObstacles(view?.alone, truth)} /></div>`}</div></main>`
}
