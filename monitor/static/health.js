// What is bad, and in which words. Amber is worth a look, red is wrong.

/** @import {SenderRow, Tile} from './types' */
import { age, distance, percent, text } from './format.js'

/** @typedef {'' | 'warn' | 'bad'} Level */
/** @typedef {{value: string, unit: string, label: string, level: Level}} Judged */

/** Where a value becomes amber and red. */
export const limits = {
  ballError: [0.5, 1], // m; a robot is half a metre wide
  ballAge: [300, 1000], // ms; three packets at 10 Hz, and long enough for a ball to cross a goal area
  missing: [0.02, 0.05], // share of packets
  gap: [150, 400], // ms
  command: [0.1, 1], // s; strategies command their robots once a tick of 16 ms, one that is silent for a second died
  slow: [9.5, 5], // Hz; the workshop's robots send 10 to 30
}

/** @param {number | null | undefined} value @param {number[]} limit @returns {Level} */
function grade(value, [warn, bad]) {
  if (value == null) return ''
  return value >= bad ? 'bad' : value >= warn ? 'warn' : ''
}

/** @param {number | null} share */
export const gradeMissing = (share) => grade(share, limits.missing)
/** @param {number | null} ms */
export const gradeGap = (ms) => grade(ms, limits.gap)
/** @param {number | null} seconds */
export const gradeCommand = (seconds) => grade(seconds, limits.command)
/** @param {number} metres */
export const gradeSpread = (metres) => grade(metres, limits.ballError)
/** @param {number} hz @returns {Level} */
export const gradeRate = (hz) => hz < limits.slow[1] ? 'bad' : hz < limits.slow[0] ? 'warn' : ''

/** The large figures of a tile. reference is where the ball is by truth or by the others together, obstacles how many
 * there are; null when nobody knows.
 * @param {Tile} tile @param {{x: number, y: number} | null} reference @param {number | null} obstacles @returns {Judged[]} */
export function figures(tile, reference, obstacles) {
  return [ballFigure(tile, reference), ageFigure(tile), obstacleFigure(tile, obstacles)]
}

/** @param {Tile} tile @param {{x: number, y: number} | null} reference @returns {Judged} */
function ballFigure(tile, reference) {
  const ball = tile.belief.ball
  if (!ball) return { value: '–', unit: '', label: 'has no ball', level: 'warn' }
  const error = tile.ballError ?? (reference && Math.hypot(ball.x - reference.x, ball.y - reference.y))
  const level = grade(error, limits.ballError)
  const what = tile.ballError == null ? 'ball off the others' : 'ball error'
  return { ...distance(error), label: level === 'bad' ? 'wrong ball' : what, level }
}

/** @param {Tile} tile @returns {Judged} */
function ageFigure(tile) {
  const { ball, seesBall, by } = tile.belief
  const level = grade(ball?.age, limits.ballAge)
  const others = by.filter((n) => n !== tile.number)
  const from = seesBall ? ', seen itself' : others.length ? ', told by ' + others.join(' ') : ''
  return { ...age(ball?.age), label: (level === 'bad' ? 'stale ball' : level === 'warn' ? 'old ball' : 'ball age') + (ball ? from : ''), level }
}

/** @param {Tile} tile @param {number | null} all @returns {Judged} */
function obstacleFigure(tile, all) {
  const seen = tile.belief.obstacles?.length ?? 0
  if (tile.found == null || all == null) return { value: String(seen), unit: '', label: seen === 1 ? 'obstacle' : 'obstacles', level: '' }
  const ghosts = tile.false ?? 0
  return { value: `${tile.found}`, unit: `of ${all}`, label: ghosts ? `obstacles, ${ghosts} false` : 'obstacles', level: ghosts ? 'warn' : '' }
}

/** The worst of a tile in a few words, for its head and its edge. A false obstacle comes and goes: its figure says it.
 * @param {Tile} tile @param {Judged[]} figures @param {SenderRow | undefined} row @returns {{level: Level, words: string}} */
export function verdict(tile, figures, row) {
  if (tile.state === 'off') return { level: '', words: 'off' }
  if (tile.state === 'silent') return { level: 'bad', words: row ? `silent for ${text(age(row.age))}` : 'silent' }
  /** @type {{level: Level, words: string}[]} */
  const found = figures.slice(0, 2).map(({ level, label }) => ({ level, words: label.split(',')[0] }))
  found.push({ level: gradeRate(tile.rate), words: 'slow' })
  if (row) found.push({ level: grade(row.missing, limits.missing), words: `loses ${percent(row.missing)}` })
  return found.find((f) => f.level === 'bad') ?? found.find((f) => f.level === 'warn') ?? { level: '', words: '' }
}
