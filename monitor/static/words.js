// The game in words.

/** @import {RefboxCountdown, GameMessage, GameSetPiece, RefboxShow} from './types' */
import { clock } from './format.js'

/** @typedef {'home' | 'away'} Side */
export const sides = /** @type {Side[]} */ (['home', 'away'])

/** @type {Record<string, string>} */
const names = {
  KICKOFF: 'kick-off', FREEKICK: 'free kick', GOALKICK: 'goal kick', THROWIN: 'throw-in', CORNER: 'corner', PENALTY: 'penalty',
  DROP_BALL: 'dropped ball', GOAL: 'goal', SUBGOAL: 'goal withdrawn', IS_ALIVE: 'is alive', SUBSTITUTION: 'substitution',
  REPAIR: 'repair', YELLOW_CARD: 'yellow card', RED_CARD: 'red card', START: 'START', STOP: 'STOP', PARK: 'park', RESET: 'reset',
  END_PART: 'end of part', SET_SCORE: 'score', SET_CLOCK: 'clock', SET_PART: 'part', UNDO: 'undo', REDO: 'redo',
}

/** @param {string} command of the wire */
export const called = (command) => names[command] ?? command.toLowerCase().replaceAll('_', ' ')

/** @param {string} s */
export const capital = (s) => s.charAt(0).toUpperCase() + s.slice(1)

const LONG = 18 // characters of a name; a longer one is called by its short one

/** How a side is called in a sentence. @param {RefboxShow | null} show @param {string} side */
export function team(show, side) {
  const t = side === 'home' ? show?.home : side === 'away' ? show?.away : null
  if (!t) return ''
  return t.name.length > LONG && t.short ? t.short : t.name || capital(side)
}

/** @param {RefboxShow} show @param {GameSetPiece} piece @returns {string} '' for none */
const pieceWords = (show, piece) => piece.command && `${called(piece.command)} ${team(show, piece.side)}`.trim()

/** How the game stands: it runs, or stopped, and what is taken. @param {RefboxShow} show */
export function standing(show) {
  const piece = pieceWords(show, show.setPiece), taking = pieceWords(show, show.taking)
  if (show.running) return { level: 'ok', shape: '▶', words: taking ? `PLAYING, ${taking}` : 'PLAYING' }
  if (!show.play) return { level: 'dim', shape: '■', words: piece ? `${capital(show.part)}, ${piece}` : capital(show.part) }
  return { level: 'bad', shape: '■', words: piece ? `STOPPED, ${piece}` : 'STOPPED' }
}

/** @param {RefboxShow} show @param {RefboxCountdown} c */
export function countdownWords(show, c) {
  const whose = team(show, c.side)
  if (c.kind === 'set piece') return `left of ${c.length} s for ${pieceWords(show, show.taking) || whose}`
  return `${c.kind === 'card' ? 'second yellow card' : c.kind}, ${whose}${c.robot ? ' ' + c.robot : ''}`
}

/** Seconds as they are read while they run out. @param {number} s */
export const left = (s) => s < 9.95 ? Math.max(0, s).toFixed(1) + ' s' : s < 60 ? Math.ceil(s) + ' s' : clock(Math.ceil(s))

/** What is sent, in the wire's words. @param {RefboxShow | null} show @param {GameMessage} m */
export const wire = (show, m) => [m.command, team(show, m.side), m.robotID || ''].filter(Boolean).join(' ')

/** Milliseconds that something took. @param {number | null | undefined} ms */
export const took = (ms) => ms == null ? '' : `${ms < 9.95 ? ms.toFixed(1) : Math.round(ms)} ms`
