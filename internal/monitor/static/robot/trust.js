// The judgement of world models about each robot: how its pose is off, how often its sights are false, and whether it
// contradicts the others; and the goal that a robot saw.

/** @import {Belief, Disagreement, Figure, Tile, Trust, Wall} from '../types' */
import { distance, withUnit } from '../shared/format.js'
import { list } from '../shared/state.js'

/** A teammate of which something has been learnt. @typedef {Figure & {trust: Trust}} Judged */

/** The belief that judges the mates of a tile's robot: its own, or where that is not known the fusion of all packages.
 * @param {Wall} wall @param {Tile} tile @returns {Belief | null} */
const judgeOf = (wall, tile) => tile.real ? wall.fused : tile.belief

/** The mates of a tile's robot of which something has been learnt. @param {Wall} wall @param {Tile} tile
 * @returns {Judged[]} */
export const judged = (wall, tile) => list(judgeOf(wall, tile)?.robots).flatMap((r) =>
  r.trust && !(r.number === tile.number && r.color === tile.color) ? [{ ...r, trust: r.trust }] : [])

/** How a robot contradicts the others, if at least half of the world models that know it say it does: the words of the
 * one that has said it longest. @param {Wall} wall @param {Tile} tile @returns {Disagreement | null} */
export function disagreement(wall, tile) {
  const others = list(wall.tiles).filter((t) => !t.real && t.state === 'live' && t.key !== tile.key)
  const models = [...others.map((t) => t.belief), ...wall.fused ? [wall.fused] : []]
  const opinions = models.flatMap((b) => list(b.robots).filter((r) => r.number === tile.number && r.color === tile.color
    && !r.self).flatMap((r) => r.trust ? [r.trust.disagrees] : []))
  const against = opinions.flatMap((d) => d ? [d] : []).sort((a, b) => b.seconds - a.seconds)
  return against.length > 0 && 2 * against.length >= opinions.length ? against[0] : null
}

/** "pose off by 0.90 m". @param {Disagreement} d */
export const offBy = (d) => `${d.what} off by ${withUnit(distance(d.by))}`

/** Whole seconds, minutes from two on. @param {number} seconds */
export const duration = (seconds) => seconds < 120 ? `${Math.round(seconds)} s` : `${Math.floor(seconds / 60)} min`

/** Sentences about the robots that contradict the others, as the open robot believes. @param {Wall} wall
 * @param {Tile} tile */
export function alarmsOf(wall, tile) {
  const say = (/** @type {string} */ name, /** @type {Disagreement} */ d) =>
    `${name} disagrees with all others since ${duration(d.seconds)}: ${offBy(d)}`
  const own = tile.real ? null : tile.belief.disagrees
  return [...own ? [say('this robot', own)] : [],
    ...judged(wall, tile).flatMap((r) => r.trust.disagrees ? [say(`robot ${r.number}`, r.trust.disagrees)] : [])]
}

/** "goal for its team 3 s ago, 97 %"; '' without one in the last minute. @param {Belief} belief */
export const goalOf = ({ goal }) => goal ? `goal ${goal.conceded ? 'against' : 'for'} its team ${
  duration(goal.seconds)} ago, ${Math.min(99, Math.round(100 * goal.probability))} % sure` : ''
