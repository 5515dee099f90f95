// The data of the state machines: what each robot does, and what it did in the last minute.

/** @import {BehaviourRobot, BehaviourSpan, BehaviourView, HfsmMachine, HfsmTransition} from '../types' */
import { change, list } from '../shared/state.js'
import { clockShift } from '../wall/state.js'

export const behaviour = {
  view: /** @type {BehaviourView | null} */ (null),
  shift: 0, // s from the times of the view to the clock of the wall
  state: '', // the state that the user chose; '' for the active one
}

/** Shows what the robots do. @param {BehaviourView | null} view */
export function applyBehaviour(view) {
  behaviour.view = view
  behaviour.shift = view ? clockShift(view.time) : 0
}

/** Forgets another run of the program. */
export const forgetBehaviour = () => change(behaviour, { view: null, shift: 0, state: '' })

/** The robot with a number; without its team's group, the first one. @param {number} number @param {number} [team]
 * @returns {BehaviourRobot | undefined} */
export const behaviourOf = (number, team) => list(behaviour.view?.robots).find((r) => r.number === number
  && (team === undefined || r.team === team))

/** The machine of a robot; undefined if it is unknown. @param {BehaviourRobot} r @returns {HfsmMachine | undefined} */
export const machineOf = (r) => list(behaviour.view?.machines).find((m) => m.checksum === r.machine)?.machine ?? undefined

/** The innermost active state; '' for none. @param {BehaviourRobot} r */
export const innermost = (r) => list(r.states).at(-1) ?? ''

/** The transitions of the last minute, newest first. @param {BehaviourRobot} r @returns {BehaviourSpan[]} */
export const transitions = (r) => list(r.spans).filter((s) => s.left).toReversed()

/** How long a robot was in a state. @typedef {{state: string, seconds: number, times: number}} Stay */

/** The time in each innermost state of the last minute, longest first. @param {BehaviourRobot} r @returns {Stay[]} */
export function stays(r) {
  /** @type {Map<string, Stay>} */
  const all = new Map()
  for (const { state, from, to } of list(r.spans)) {
    const s = all.get(state) ?? { state, seconds: 0, times: 0 }
    s.seconds += to - from
    s.times++
    all.set(state, s)
  }
  return [...all.values()].sort((a, b) => b.seconds - a.seconds)
}

/** When a transition is taken, in words. @param {HfsmTransition} t */
export function reasonOf({ when, after }) {
  const wait = after ? `after ${after < 1000 ? `${after} ms` : `${after / 1000} s`}` : ''
  return [when, wait].filter((text) => text).join(', ') || 'always'
}

/** The states that contain a state, outermost first, and itself. @param {HfsmMachine} m @param {string} name
 * @returns {string[]} */
export function pathTo(m, name) {
  const outer = new Map(list(m.states).map((s) => [s.name, s.in ?? '']))
  const path = /** @type {string[]} */ ([])
  for (let at = name; at && !path.includes(at); at = outer.get(at) ?? '') path.unshift(at)
  return path
}

/** The transitions that leave a path of states, those of the innermost state first. @param {HfsmMachine} m
 * @param {string[]} path @returns {HfsmTransition[]} */
export const leaving = (m, path) => path.toReversed().flatMap((name) => list(m.transitions).filter((t) =>
  t.from === name && !path.includes(t.to)))
