// Grades of figures: amber needs attention, red is wrong.

/** @import {Disagreement, SenderRow, Tile, Wall} from '../types' */
import { age, distance, shortPercent, withUnit } from '../shared/format.js'
import { sendsNone } from '../match/state.js'
import { list } from '../shared/state.js'
import { isNew, live } from './state.js'

/** @typedef {'' | 'warn' | 'bad'} Level */
/** A large figure: its label, a second line beneath, and the words that explain it. @typedef {{value: string, unit: string,
 * label: string, more: string, level: Level, about?: string}} Graded */

/** Values from which on a figure is amber, and red. */
export const limits = {
  ballError: [0.5, 1], // m; a robot is half a metre wide
  ballAge: [300, 1000], // ms; three packets at 10 Hz, and long enough for a ball to cross a goal area
  missing: [0.02, 0.05], // share of packets
  gap: [150, 400], // ms
  slow: [9.5, 5], // Hz, below them; the robots of Practical Session 2014 send 10 to 30
}

/** Those of a game of another league, whose robots send twice a second at most, and look at other things than the ball. */
const few = { ballAge: [2500, 6000], slow: [0.45, 0.25] }

/** Whether the wall shows a game of another league. */
const isGame = () => !!live.wall?.game

/** The level of a value that is worse the greater it is. @param {number | null | undefined} value
 * @param {number[]} limit from which on it is amber, and red @returns {Level} */
export function grade(value, [warn, bad]) {
  if (value == null) return ''
  return value >= bad ? 'bad' : value >= warn ? 'warn' : ''
}

/** @param {number | null} share */
export const gradeMissing = (share) => grade(share, limits.missing)
/** @param {number | null} ms */
export const gradeGap = (ms) => grade(ms, limits.gap)
/** @param {number} metres */
export const gradeSpread = (metres) => grade(metres, limits.ballError)
/** @param {number} hz @returns {Level} */
export function gradeRate(hz) {
  const { slow } = isGame() ? few : limits
  return hz < slow[1] ? 'bad' : hz < slow[0] ? 'warn' : ''
}

/** The grade of a sender's rate; none for a foreign one, nor within its first second. @param {SenderRow} s */
export const gradeSender = (s) => s.foreign || isNew(s) ? '' : gradeRate(s.rate)

/** In a game of another league a penalised robot or a substitute is off the field, and may know an old ball.
 * @param {Tile} tile */
const isOff = (tile) => isGame() && tile.penalised

/** The large figures of a tile. reference: the ball by ground truth, or fused from all robots; obstacles: how many
 * there are; both null where unknown.
 * @param {Tile} tile @param {{x: number, y: number} | null} reference @param {number | null} obstacles
 * @returns {Graded[]} */
export function figures(tile, reference, obstacles) {
  const shared = [ballFigure(tile, reference), ageFigure(tile)]
  return isGame() ? shared : [...shared, obstacleFigure(tile, obstacles)]
}

/** @param {Tile} tile @param {{x: number, y: number} | null} reference @returns {Graded} */
function ballFigure(tile, reference) {
  const ball = tile.belief.ball
  if (!ball) return { value: '–', unit: '', label: 'sees no ball', more: '', level: isGame() ? '' : 'warn' }
  const error = tile.ballError ?? (reference && Math.hypot(ball.x - reference.x, ball.y - reference.y))
  const level = isOff(tile) ? '' : grade(error, limits.ballError), known = tile.ballError != null
  return { ...distance(error), label: level === 'bad' ? 'wrong ball' : known ? 'ball error' : 'ball off',
    more: known || error == null ? '' : 'the others’', level }
}

const SOURCES = 3 // jerseys in a caption

/** @param {Tile} tile @returns {Graded} */
function ageFigure(tile) {
  const { ball, seesBall, by } = tile.belief
  const level = isOff(tile) ? '' : grade(ball?.age, isGame() ? few.ballAge : limits.ballAge)
  const others = by.filter((n) => n !== tile.number), shown = others.length > SOURCES ? SOURCES - 1 : SOURCES
  const more = others.length - shown
  const source = seesBall ? 'own camera' : others.length ? 'reported by ' + others.slice(0, shown).join(', ')
    + (more > 0 ? ' +' + more : '') : ''
  return { ...age(ball?.age), label: level === 'bad' ? 'stale ball' : level === 'warn' ? 'old ball' : 'ball age',
    more: ball ? source : '', level, about: ball && !seesBall && others.length ? 'sources' : '' }
}

/** @param {Tile} tile @param {number | null} all @returns {Graded} */
function obstacleFigure(tile, all) {
  const seen = tile.belief.obstacles?.length ?? 0
  if (tile.found == null || all == null) return { value: String(seen), unit: '', label: seen === 1 ? 'obstacle'
    : 'obstacles', more: '', level: '' }
  const ghosts = tile.false ?? 0
  return { value: `${tile.found}`, unit: `of ${all}`, label: 'obstacles', more: ghosts ? `${ghosts} false` : '',
    level: ghosts ? 'warn' : '' }
}

/** How many obstacles a robot could see by ground truth: also its opponents in a match; null where that is unknown.
 * @param {Wall} wall @param {Tile} tile */
export const trueObstacles = ({ truth }, tile) => truth && list(truth.obstacles).length
  + list(truth.robots).filter((r) => r.color !== tile.color).length

/** The worst grade of a tile, for its head and its edge. False obstacles come and go: only their figure reports them.
 * named: how the robot contradicts the others, null if it agrees.
 * @param {Tile} tile @param {Graded[]} figures @param {SenderRow | undefined} row @param {Disagreement | null} named
 * @returns {{level: Level, text: string}} */
export function verdict(tile, figures, row, named) {
  if (tile.crashed) return { level: 'bad', text: tile.crashed }
  if (tile.state === 'off') return { level: '', text: 'off' }
  if (tile.state === 'silent') {
    const ms = tile.silent ? 1000 * tile.silent : row?.age
    return { level: 'bad', text: ms == null ? 'silent' : `silent for ${withUnit(age(ms))}` }
  }
  /** @type {{level: Level, text: string}[]} */
  const found = list(tile.faults).map((f) => ({ level: f.suspicion ? 'warn' : 'bad', text: f.short }))
  if (named) found.push({ level: 'bad', text: 'disagrees' })
  found.push(...figures.slice(0, 2).map(({ level, label }) => ({ level, text: label })))
  if (row && !isNew(row) && !sendsNone(tile)) found.push({ level: gradeRate(tile.rate), text: 'low rate' })
  if (row) found.push({ level: grade(row.missing, limits.missing), text: `≈ ${shortPercent(row.missing)} lost` })
  const worst = found.find((f) => f.level === 'bad') ?? found.find((f) => f.level === 'warn') ?? { level: '', text: '' }
  const [fault] = list(tile.faults) // a wrong meaning explains the other figures
  return fault && !(named && fault.suspicion) ? { level: worst.level, text: fault.short } : worst
}
