// The state machine that is edited: each change gives a new machine, which the program checks; undo goes back.

/** @import {HfsmDifference, HfsmFault, HfsmMachine, ManagerMachineCheck as MachineCheck, HfsmSheet, HfsmState, HfsmTransition} from '../types' */
import { behaviour } from './state.js'
import { manage } from '../manage/state.js'
import { saveJSON } from '../shared/files.js'
import { change, list } from '../shared/state.js'
import { errorText, request, toast } from '../shared/stream.js'

const PAUSE = 150 // ms without a change before the program checks the machine
const STEPS = 200 // that can be undone
const MOST = { states: 256, transitions: 1024 } // of a machine (docs/robot.md)

/** A machine whose lists are there. @typedef {{name: string, states: HfsmState[], transitions: HfsmTransition[]}} Machine */

export const editor = {
  machine: /** @type {Machine | null} */ (null),
  version: 0, // grows with each change
  source: '', // where the machine came from, in words
  sheet: /** @type {HfsmSheet | null} */ (null), // the vocabulary of the robot
  undo: /** @type {Machine[]} */ ([]),
  redo: /** @type {Machine[]} */ ([]),
  faults: /** @type {HfsmFault[]} */ ([]),
  changes: /** @type {HfsmDifference[] | null} */ (null), // of the machine that the robot executes; null: not known
  checked: -1, // version that faults and changes are of
}

/** The name of the shown state; '' for none. */
export const chosen = () => editor.machine?.states.some((s) => s.name === behaviour.state) ? behaviour.state : ''

/** Shows a state. @param {string} state '' for none */
export const choose = (state) => change(behaviour, { state })

/** Whether the program found no fault in the machine as it is now. */
export const sound = () => editor.checked === editor.version && !editor.faults.length

/** @type {ReturnType<typeof setTimeout> | undefined} */
let due

/** Shows a machine that is not checked yet. @param {Machine} machine @param {Partial<typeof editor>} [more] */
function show(machine, more) {
  change(editor, { machine, version: editor.version + 1, ...more })
  clearTimeout(due)
  due = setTimeout(check, PAUSE)
}

/** Lets the program check the machine, and compare it with the one that the robot executes. */
export async function check() {
  const { machine, version } = editor
  if (!machine) return
  let found = /** @type {MachineCheck} */ ({ faults: [], changes: null })
  try {
    found = await request('robot-check-machine', { robot: manage.robot, page: manage.page, machine })
  } catch (e) {
    found.faults = [{ state: '', transition: -1, text: errorText(e) }]
  }
  if (version === editor.version) change(editor, { faults: list(found.faults), changes: found.changes, checked: version })
}

/** Makes a change that can be undone. @param {(m: Machine) => Machine} make */
export function edit(make) {
  const { machine, undo } = editor
  if (machine) show(make(machine), { undo: [...undo, machine].slice(-STEPS), redo: [] })
}

/** Begins with another machine, which can be undone, too. @param {HfsmMachine} m @param {string} source */
export function begin(m, source) {
  const machine = { name: m.name, states: list(m.states), transitions: list(m.transitions) }
  show(machine, { source, redo: [], undo: editor.machine ? [...editor.undo, editor.machine].slice(-STEPS) : [] })
}

/** Takes the last change back, or a change that was taken back. @param {boolean} again */
export function takeBack(again) {
  const { machine, undo, redo } = editor, to = (again ? redo : undo).at(-1)
  if (!machine || !to) return
  show(to, again ? { redo: redo.slice(0, -1), undo: [...undo, machine] } : { undo: undo.slice(0, -1), redo: [...redo, machine] })
}

/** Reads the machine of a file. @param {string} name @param {string} text */
export function open(name, text) {
  try {
    const m = JSON.parse(text), states = m?.states, transitions = m?.transitions ?? []
    if (!Array.isArray(states) || !Array.isArray(transitions)) throw new Error('no state machine: it has no list of states')
    for (const [what, of] of /** @type {const} */ ([['states', states], ['transitions', transitions]])) {
      if (of.length > MOST[what]) throw new Error(`${of.length} ${what}: a machine has at most ${MOST[what]}`)
    }
    const named = states.every((s) => typeof s?.name === 'string')
    if (!named || !transitions.every((t) => typeof t?.from === 'string' && typeof t?.to === 'string')) {
      throw new Error('a state without a name, or a transition without from and to')
    }
    begin({ name: String(m.name ?? ''), states, transitions }, name)
  } catch (e) {
    toast(`${name}: ${errorText(e)}`)
  }
}

/** Saves the machine as a file. @param {Machine} m */
export const save = (m) => saveJSON(`${m.name.replace(/[^\p{L}\p{N}]+/gu, '-') || 'machine'}.json`, m)

/** A name that no state has. @param {Machine} m */
function freeName(m) {
  for (let n = m.states.length + 1; ; n++) {
    if (!m.states.some((s) => s.name === `state ${n}`)) return `state ${n}`
  }
}

/** Adds a state beside the chosen one. */
export function addState() {
  const { machine } = editor
  if (!machine) return
  const name = freeName(machine), beside = machine.states.find((s) => s.name === chosen())
  const state = { name, ...(beside?.in && { in: beside.in }), behaviour: list(editor.sheet?.behaviours)[0] ?? '' }
  edit((m) => ({ ...m, states: [...m.states, state] }))
  choose(name)
}

/** Removes a state and the transitions that begin or end there. States inside it go to the state around it.
 * @param {string} name */
export function removeState(name) {
  edit((m) => {
    const around = m.states.find((s) => s.name === name)?.in
    return {
      ...m, states: m.states.filter((s) => s.name !== name).map((s) => s.in === name ? within(s, around) : s),
      transitions: m.transitions.filter((t) => t.from !== name && t.to !== name),
    }
  })
  choose('')
}

/** A state inside another one. @param {HfsmState} s @param {string} [around] @returns {HfsmState} */
function within(s, around) {
  const { in: _, ...rest } = s
  return around ? { ...rest, in: around } : rest
}

/** Renames a state where it stands and where it is named. @param {string} from @param {string} to */
export function rename(from, to) {
  const name = (/** @type {string} */ n) => n === from ? to : n
  edit((m) => ({
    ...m, states: m.states.map((s) => ({ ...s, name: name(s.name), ...(s.in && { in: name(s.in) }) })),
    transitions: m.transitions.map((t) => ({ ...t, from: name(t.from), to: name(t.to) })),
  }))
  choose(to)
}

/** Puts a state into another one, which then has no behaviour of its own. @param {string} name @param {string} around */
export const putInto = (name, around) => edit((m) => ({
  ...m, states: m.states.map((s) => {
    if (s.name === name) return within(s, around)
    const { behaviour: _, ...rest } = s
    return s.name === around ? rest : s
  }),
}))

/** @param {string} name @param {string} moves the name of a behaviour */
export const setBehaviour = (name, moves) => edit((m) => ({
  ...m, states: m.states.map((s) => s.name === name ? { ...s, behaviour: moves } : s),
}))

/** The state that is entered with the one around it, or with the machine. @param {Machine} m @param {string} [around] */
export const firstIn = (m, around) => m.states.find((s) => (s.in ?? '') === (around ?? ''))?.name

/** Lets a state be entered with the one around it. @param {string} name */
export const makeFirst = (name) => edit((m) => {
  const state = m.states.find((s) => s.name === name), first = firstIn(m, state?.in)
  return { ...m, states: m.states.flatMap((s) => s.name === name ? [] : s.name === first && state ? [state, s] : [s]) }
})

/** Adds a transition to the next state. @param {string} from */
export const addTransition = (from) => edit((m) => ({
  ...m, transitions: [...m.transitions, { from, to: m.states.find((s) => s.name !== from)?.name ?? from, after: 1000 }],
}))

/** @param {number} i @param {Partial<HfsmTransition>} values */
export const setTransition = (i, values) => edit((m) => ({
  ...m, transitions: m.transitions.map((t, k) => k === i ? { ...t, ...values } : t),
}))

/** @param {number} i */
export const removeTransition = (i) => edit((m) => ({ ...m, transitions: m.transitions.filter((_, k) => k !== i) }))

/** Lets a transition be tried before or after its neighbour from the same state. @param {number} i @param {number} by 1 or -1 */
export const moveTransition = (i, by) => edit((m) => {
  const own = m.transitions.flatMap((t, k) => t.from === m.transitions[i].from ? [k] : []), k = own[own.indexOf(i) + by]
  if (k === undefined) return m
  const transitions = [...m.transitions]
  transitions[i] = m.transitions[k]
  transitions[k] = m.transitions[i]
  return { ...m, transitions }
})

/** The conditions of a transition, each with ! before it if it must not hold. @param {HfsmTransition} t @returns {string[]} */
export const partsOf = (t) => (t.when ?? '').split('&').map((p) => p.trim().replace(/^!\s*/, '!')).filter((p) => p)
