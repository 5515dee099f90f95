// One robot in large: what it believes, and what that comes from: its own picture and the packages of the others.

/** @import {Belief, Report, Scene, Tile, Wall} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {Graded} from '../wall/health.js' */
import { html } from '../htm/preact/standalone.module.js'
import { Canvas } from '../shared/canvas.js'
import { drawBall, drawField, drawRobot, project } from '../shared/field.js'
import { age, distance, withUnit } from '../shared/format.js'
import { list } from '../shared/state.js'
import { colors, sizes } from '../shared/theme.js'
import { Faults } from '../wall/faults.js'
import { figures, gradeSpread, verdict } from '../wall/health.js'
import { closeRobot, live, openPackets, tileOf } from '../wall/state.js'
import { Badge, drawBelief, Figures } from '../wall/tile.js'

/** Ground truth, where the robot is on the simulated field. @param {Wall} wall @param {Tile} tile */
const truthOf = (wall, tile) => tile.real ? null : wall.truth

/** What the open robot knows; null until it arrives, and for a robot that is off. */
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
    { ...distance(error), label: ball ? truth ? 'ball error' : 'ball' : 'no ball', more: '', level: error == null ? ''
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
      pen.g.beginPath()
      pen.g.moveTo(...v.at(body.pose.x, body.pose.y))
      pen.g.lineTo(...v.at(ball.x, ball.y))
      pen.g.stroke()
      pen.g.globalAlpha = 1
    }
    if (body) drawRobot(pen, v, body, 'reported', 8.5 * sizes.glyph)
    if (ball) {
      drawBall(pen, v, { ...ball, vx: 0, vy: 0 }, { reported: true, least: 4.5 * sizes.glyph })
      pen.drawn.push({ glyph: 'report', number, x: v.at(ball.x, ball.y)[0], y: v.at(ball.x, ball.y)[1] })
    }
  }
}

/** Whom the robot heard, and how far the balls are off. @param {{reports: Report[], truth: Scene | null,
 * fused: Belief}} props */
function Reports({ reports, truth, fused }) {
  const off = (/** @type {Report} */ r) => truth ? errorOf(r.belief, truth)
    : r.belief.ball && fused.ball && Math.hypot(r.belief.ball.x - fused.ball.x, r.belief.ball.y - fused.ball.y)
  return html`<table class="reports"><thead><tr><th>from</th><th>age</th><th>${truth ? 'ball error' : 'ball off'}</th>
    </tr></thead><tbody>${reports.map((r) => html`<tr key=${r.number + r.team}><td><div class="who">
    <${Badge} number=${r.number} color=${r.color} shape="robot" /></div></td><td>${withUnit(age(r.age))}</td>
    <td class=${gradeSpread(off(r) ?? 0)}>${r.belief.ball ? withUnit(distance(off(r))) : 'no ball'}</td></tr>`)}</tbody>
    </table>${reports.length === 0 && html`<p class="empty">nothing in the last 2 s</p>`}`
}

/** A small picture with its figures. @param {{title: string, sub: string, name: string, draw: (pen: Pen) => void,
 * children: unknown, empty?: string}} props empty: why there is no picture */
function Part({ title, sub, name, draw, children, empty }) {
  return html`<section class="panel part" aria-label=${title}><div class="head"><h2>${title}</h2>
    <span class="sub">${sub}</span></div>
    <div class="body">${empty ? html`<p class="empty">${empty}</p>` : html`<div class="stage"><${Canvas} name=${name}
    label=${`${title}: the field`} draw=${draw} /></div>${children}`}</div></section>`
}

/** @param {{tile: Tile, wall: Wall}} props */
function Heading({ tile, wall }) {
  const row = list(live.network?.senders).find((s) => s.key === tile.sender)
  const items = figures(tile, wall.fused?.ball ?? null, wall.truth ? list(wall.truth.obstacles).length : null)
  const worst = verdict(tile, items, row)
  return html`<div class="head"><${Badge} ...${tile} /><h2>${tile.team}</h2>
    <span class="sub">${tile.real ? 'contents of its packages' : 'its world, fused'}</span>
    ${worst.text && html`<span class="verdict ${worst.level}">${worst.text}</span>`}
    <span class="hz">${tile.rate.toFixed(1)} Hz</span>
    <button onClick=${() => openPackets(tile.key)} disabled=${!tile.sender}>packets <kbd>D</kbd></button>
    <button onClick=${closeRobot}>close <kbd>Esc</kbd></button></div>`
}

/** @param {{wall: Wall}} props */
export function RobotView({ wall }) {
  const tile = tileOf(live.sel)
  if (!tile) return html`<main class="page"><p class="empty">This robot is not on the wall now.
    <button onClick=${closeRobot}>close <kbd>Esc</kbd></button></p></main>`
  const view = known(), truth = truthOf(wall, tile), obstacles = truth ? list(truth.obstacles).length : null
  const waits = tile.state === 'off' ? 'switched off' : view ? '' : 'no package yet'
  const part = (/** @type {Belief | null | undefined} */ belief) => (/** @type {Pen} */ pen) =>
    drawPart(pen, (pen, wall, tile) => belief && drawBelief(pen, wall.field, belief, truthOf(wall, tile)))
  return html`<main class="one-robot"><section class="panel fused ${tile.state === 'live' ? '' : 'gone'}"
    aria-label=${`World of ${tile.number} ${tile.team}`} data-number=${tile.number}>
    <${Heading} tile=${tile} wall=${wall} />
    <div class="stage"><${Canvas} name="fused" label=${`Belief of ${tile.number} ${tile.team}, large`}
      draw=${(/** @type {Pen} */ pen) => drawPart(pen, (pen, wall, tile) => drawBelief(pen, wall.field, tile.belief,
    truthOf(wall, tile)))} /></div>
    <${Figures} items=${figures(tile, wall.fused?.ball ?? null, obstacles)} />
    <${Faults} faults=${tile.faults} /></section>
    <div class="parts"><${Part} title="Own picture" sub="what it sends" name="own" empty=${waits}
      draw=${part(view?.own)}>
      <${Figures} items=${ballAndObstacles(view?.own, truth)} /><//>
    <${Part} title="Received" sub="newest package of each" name="received" empty=${waits}
      draw=${(/** @type {Pen} */ pen) => drawPart(pen, drawReports)}><div class="senders">
      <${Reports} reports=${list(view?.reports)} truth=${truth} fused=${tile.belief} /></div><//>
    <${Part} title="Without radio" sub="its own pictures alone, fused" name="alone" draw=${part(view?.alone)}
      empty=${waits || (view?.alone ? '' : 'known only to a robot of the demo, while it runs')}>
      <${Figures} items=${ballAndObstacles(view?.alone, truth)} /><//></div></main>`
}
