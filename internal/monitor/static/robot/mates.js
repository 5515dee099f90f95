// The mates of the open robot: what it received from each, and what it has learnt of each.

/** @import {Report, Scene, Thing, Tile, Trust, Wall} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { age, distance, withUnit } from '../shared/format.js'
import { grade, gradeSpread } from '../wall/health.js'
import { Badge } from '../wall/tile.js'
import { judged } from './trust.js'

/** Values from which on a figure is amber, and red. A robot above 60 % doubt cannot say where a new ball is. */
const doubtful = [0.2, 0.6], misplaced = [0.25, 0.5] // share of sights; m

/** @typedef {{number: number, color: number, report: Report | null, trust: Trust | null}} Mate */

/** The mates that were heard or of which something has been learnt, by number. @param {Wall} wall @param {Tile} tile
 * @param {Report[]} reports @returns {Mate[]} */
function mates(wall, tile, reports) {
  const known = judged(wall, tile)
  const heard = reports.map((report) => ({ number: report.number, color: report.color, report,
    trust: known.find((k) => k.number === report.number && k.color === report.color)?.trust ?? null }))
  const silent = known.filter((k) => !heard.some((h) => h.number === k.number && h.color === k.color))
  return [...heard, ...silent.map(({ number, color, trust }) => ({ number, color, report: null, trust }))]
    .sort((a, b) => a.color - b.color || a.number - b.number)
}

/** @param {Thing | null | undefined} a @param {Thing | null | undefined} b */
const apart = (a, b) => a && b ? Math.hypot(a.x - b.x, a.y - b.y) : null

/** The cells about the ball that a mate saw: how far it is off, and whether it is in the belief. @param {Tile} tile
 * @param {Report | null} report @param {Scene | null} truth */
function ballCells({ belief, real }, report, truth) {
  const ball = report?.belief.ball
  if (!ball) return html`<td class="dim">${report ? 'sees no ball' : '–'}</td>${!real && html`<td class="dim">–</td>`}`
  const off = apart(ball, truth?.ball ?? belief.ball), believed = belief.by.includes(report?.number ?? 0)
  return html`<td class=${gradeSpread(off ?? 0)}>${withUnit(distance(off))}</td>
    ${!real && html`<td class=${believed ? '' : 'dim'}>${believed ? 'believed' : 'left out'}</td>`}`
}

/** The cells about how far its pose is off, and its doubt. The model corrects small errors of a pose; a robot that is
 * lost contradicts the others. @param {Trust | null} trust */
function trustCells(trust) {
  if (!trust) return html`<td class="dim">–</td><td class="dim">–</td>`
  const { poseError, doubt, disagrees } = trust
  const off = disagrees?.what === 'pose' ? disagrees.by : Math.hypot(poseError.x, poseError.y)
  return html`<td class=${grade(off, misplaced)}>${withUnit(distance(off))}</td>
    <td class=${grade(doubt, doubtful)}>${Math.round(100 * doubt)} %</td>`
}

/** @param {{wall: Wall, tile: Tile, reports: Report[], truth: Scene | null, waits: string}} props waits: why nothing is
 * known of the robot, '' if something is */
export function Mates({ wall, tile, reports, truth, waits }) {
  const all = mates(wall, tile, reports), learnt = all.some((m) => m.trust)
  return html`<section class="panel mates" aria-label="Mates"><div class="head"><h2>Mates</h2>
    <span class="sub">${tile.real && learnt ? 'newest package of each, and what the monitor learnt of it'
      : learnt || !all.length ? 'newest package of each, and what it taught'
      : 'what it has learnt of them is not known here'}</span></div>
    ${all.length ? html`<table class="reports"><thead><tr><th>from</th><th>age</th>
      <th>${truth ? 'ball error' : 'ball off'}</th>${!tile.real && html`<th>its ball</th>`}<th>pose off</th>
      <th title="probability that its next sighting of the ball is false">doubt</th></tr></thead>
      <tbody>${all.map((m) => html`<tr key=${`${m.number} ${m.color}`} class=${m.trust?.disagrees ? 'named' : ''}>
      <td><div class="who"><${Badge} number=${m.number} color=${m.color} shape="robot" /></div></td>
      <td>${m.report ? withUnit(age(m.report.age)) : '–'}</td>${ballCells(tile, m.report, truth)}
      ${trustCells(m.trust)}</tr>`)}</tbody></table>`
    : html`<p class="empty">${waits || 'nothing received in the last 2 s'}</p>`}</section>`
}
