// The game as text.

/** @import {RefboxCountdown, GameMessage, GameSetPiece, RefboxShow, RefboxTeamShow} from '../types' */
import { clock } from '../shared/format.js'

/** @typedef {'home' | 'away'} Side */
export const sides = /** @type {Side[]} */ (['home', 'away'])

/** @type {Record<string, string>} */
const names = {
  KICKOFF: 'kick-off', FREEKICK: 'free kick', GOALKICK: 'goal kick', THROWIN: 'throw-in', CORNER: 'corner',
    PENALTY: 'penalty',
  DROP_BALL: 'dropped ball', GOAL: 'goal', SUBGOAL: 'goal cancelled', IS_ALIVE: 'is alive',
    SUBSTITUTION: 'substitution',
  REPAIR: 'repair', YELLOW_CARD: 'yellow card', RED_CARD: 'red card', START: 'START', STOP: 'STOP', PARK: 'park',
    RESET: 'reset',
  END_PART: 'end of part', SET_SCORE: 'score', SET_CLOCK: 'clock', SET_PART: 'part', UNDO: 'undo', REDO: 'redo',
}

/** @param {string} command as it is sent */
export const commandName = (command) => names[command] ?? command.toLowerCase().replaceAll('_', ' ')

/** @param {string} s */
export const capital = (s) => s.charAt(0).toUpperCase() + s.slice(1)

/** The name by which this page calls a team. @type {(t: RefboxTeamShow) => string} */
let nameOf = (t) => t.label

/** Sets the name by which this page calls teams, for example the full one. @param {(t: RefboxTeamShow) => string} name */
export function nameTeamsBy(name) {
  nameOf = name
}

/** The name of a side's team. @param {RefboxShow | null} show @param {string} side */
export function teamName(show, side) {
  const t = side === 'home' ? show?.home : side === 'away' ? show?.away : null
  if (!t) return ''
  return nameOf(t) || capital(side)
}

/** "CAMBADA 1:0 TU/e"; '' before the game is known. @param {RefboxShow | null} show */
export const scoreText = (show) => show ? `${teamName(show, 'home')} ${show.home.goals}:${show.away.goals} ${
  teamName(show, 'away')}` : ''

/** @param {RefboxShow} show @param {GameSetPiece} piece @returns {string} '' for none */
const setPieceText = (show, piece) => piece.command
  && `${commandName(piece.command)} ${teamName(show, piece.side)}`.trim()

/** The state of play: level, shape and text. @param {RefboxShow} show */
export function gameState(show) {
  const piece = setPieceText(show, show.setPiece), taking = setPieceText(show, show.taking)
  if (show.running) return { level: 'ok', shape: '▶', text: taking ? `PLAYING, ${taking}` : 'PLAYING' }
  if (!show.play) return { level: 'dim', shape: '■', text: piece ? `${capital(show.part)}, ${piece}`
    : capital(show.part) }
  return { level: 'bad', shape: '■', text: piece ? `STOPPED, ${piece}` : 'STOPPED' }
}

/** @param {RefboxShow} show @param {RefboxCountdown} c */
export function countdownText(show, c) {
  const whose = teamName(show, c.side)
  if (c.kind === 'set piece') return `of ${c.length} s for ${setPieceText(show, show.taking) || whose}`
  return `${c.kind === 'card' ? 'second yellow card' : c.kind}, ${whose}${c.robot ? ' ' + c.robot : ''}`
}

/** The seconds of a countdown. @param {number} s */
export const remaining = (s) => s < 9.95 ? Math.max(0, s).toFixed(1) + ' s' : s < 60 ? Math.ceil(s) + ' s'
  : clock(Math.ceil(s))

/** A message as it is sent, with the team's name. @param {RefboxShow | null} show @param {GameMessage} m */
export const messageText = (show, m) => [m.command, teamName(show, m.side), m.robotID || ''].filter(Boolean).join(' ')

/** A time of day: one clock for all parts of a game. @param {number} ms since 1970 */
export const timeOfDay = (ms) => new Date(ms).toLocaleTimeString('en-GB')

/** A duration in milliseconds; '' where unknown. @param {number | null | undefined} ms */
export const millis = (ms) => ms == null ? '' : `${ms < 9.95 ? ms.toFixed(1) : Math.round(ms)} ms`

/** The time of day with milliseconds: "15:04:05.123". @param {number} ms since 1970 */
export const clockTime = (ms) => `${timeOfDay(ms)}.${String(Math.floor(ms) % 1000).padStart(3, '0')}`
