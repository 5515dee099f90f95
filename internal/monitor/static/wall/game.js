// The game of another league: its score, its clock and what its referee's program tells, above the wall.

/** @import {Game, GameTeam, Tile} from '../types' */
import { clock } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'

const SHOWN = 3 // notes on the wall
const FEW = 600 // team messages, those of a minute: fewer need attention

/** A clock that also runs below zero, in additional time. @param {number} seconds */
const bothWays = (seconds) => (seconds < 0 ? '−' : '') + clock(Math.abs(seconds))

/** The team messages that a team may still send. @param {{team: GameTeam}} props */
function Budget({ team }) {
  if (team.left == null) return null
  const level = team.left === 0 ? 'bad' : team.left < FEW ? 'warn' : ''
  return html`<span class="left-over ${level}" title=${`${team.heard} received by this monitor`}>
    ${team.left === 0 ? 'no messages left' : `${team.left.toLocaleString('en')} messages left`}</span>`
}

/** @param {{team: GameTeam, color: string}} props */
const Side = ({ team, color }) => html`<div class="game-team ${color}"><i></i><b>${team.name}</b>
  <span>${[!team.number || team.name.endsWith(` ${team.number}`) ? '' : `team ${team.number}`, team.jersey && `in ${team.jersey}`]
    .filter((text) => text).join(', ')}</span><${Budget} team=${team} /></div>`

/** @param {Game} game */
const stateOfPlay = ({ part, phase }) => [part, phase].filter((text) => text).join(': ')

/** @param {{game: Game}} props */
export function GameRow({ game }) {
  const { home, away } = game, notes = list(game.notes)
  if (!game.part) return html`<section class="game-row" role="status"><p class="game-none">
    Waiting for the referee’s program of the ${game.league} …</p><${Notes} notes=${notes} /></section>`
  return html`<section class="game-row" role="status" aria-label=${`${home.name} ${home.score}, ${away.name} ${away.score}`}>
    <${Side} team=${home} color="cyan" />
    <div class="game-score"><b>${home.score}</b><span class="game-clock ${game.live ? '' : 'dim'}">${bothWays(game.clock)}</span>
      <b>${away.score}</b></div>
    <${Side} team=${away} color="magenta" />
    <p class="game-phase ${game.stale ? 'bad' : game.live ? 'ok' : ''}">${game.stale
    ? `the referee’s program is silent for ${game.stale.toFixed(0)} s` : stateOfPlay(game)}${
    !game.stale && game.second != null && html` <span class="mono">${bothWays(game.second)}</span>`}</p>
    <${Notes} notes=${notes} /></section>`
}

/** @param {{notes: Game['notes']}} props */
function Notes({ notes }) {
  const all = list(notes), more = all.length - SHOWN
  return all.length > 0 && html`<ul class="game-notes" role="alert">${all.slice(0, SHOWN).map((n, i) =>
    html`<li key=${n.short} class=${n.suspicion ? 'warn' : 'bad'} title=${n.text}><b>${n.short}</b> ${
      i === SHOWN - 1 && more > 0 && html`<a href="#network">and ${more} more:</a> `}${n.text}</li>`)}</ul>`
}

/** The height of the row in px on a page that does not scroll: parts of wall.css. @param {Game | null} game
 * @param {{game: number, row: number}} sizes */
export const gameHeight = (game, sizes) => !game ? 0 : sizes.game + Math.min(SHOWN, list(game.notes).length) * sizes.row

/** The reason that holds a robot back, for its tile. @param {Tile} tile */
export const statusText = (tile) => tile.state === 'live' ? tile.status : ''
