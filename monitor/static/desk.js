// What the referee does: every press is answered at once, goes out, and says what became of it.

/** @import {RefboxDecided, RefboxEntryShow, RefboxRefereeShow} from './types' */
/** @import {Side} from './words.js' */
import { change, list, state } from './state.js'
import { ask, toast } from './stream.js'
import { called, capital, team, took, wire } from './words.js'

/** @typedef {{command: string, side?: string, robot?: number, count?: number, part?: string, total?: number, effective?: number, ref?: number, force?: boolean}} Decision
 * @typedef {{title: string, state: 'going' | 'sent' | 'refused', text: string, notes: string[]}} Press
 * @typedef {{messages: string[], notes: string[], dropped: string[], restored: string[], ref: number, text: string, why: string}} Preview
 * @typedef {{decision: Decision, title: string, what: string, newest: number, preview: Preview | null}} Strip
 * @typedef {{kind: 'robot', side: Side, number: string, given: boolean, first: string} | {kind: 'correct'} | {kind: 'kickoff'}} Sheet */

const FLASH = 350 // ms that a pressed key shows it

export const desk = {
  press: /** @type {Press | null} */ (null), // the last one
  hit: '', // the key that was pressed just now
  strip: /** @type {Strip | null} */ (null), // a decision that waits for Enter
  sheet: /** @type {Sheet | null} */ (null), // what is open over the page
}

/** What a key is called in desk.hit. @param {string} command @param {string} [side] */
export const keyName = (command, side) => side ? `${command}/${side}` : command

/** Why nothing can be decided now, whatever it is; '' if it can. */
export function dead() {
  if (state.link !== 'open') return 'no connection: nothing would be sent'
  if (state.refbox?.follows) return `this is a copy of ${state.refbox.follows}: take over first`
  return ''
}

/** Why a key may not be pressed now; '' if it may. @param {string} command @param {string} [side] */
export function why(command, side = '') {
  const key = list(state.referee?.keys).find((k) => k.command === command && k.side === side)
  return dead() || (key ? key.why : 'the server has no such key')
}

let going = 0 // presses that the server has not answered yet
let stale = false // the keys that we know are those before the last answer

/** Takes in what the server says of its keys. @param {RefboxRefereeShow} referee */
export function takeReferee(referee) {
  state.referee = referee
  if (!going) stale = false
  refresh()
}

/** Why a key is not sent; '' if it is. What was pressed a moment ago may have brought it to life: then the server judges.
 * @param {string} command @param {string} [side] */
const blocked = (command, side) => going || stale ? dead() : why(command, side)

/** What a decision is called. @param {Decision} d */
function title(d) {
  if (d.command === 'SET_SCORE') return `Score ${team(state.refbox, d.side ?? '')} ${d.count}`
  if (d.command === 'REPAIR' && (d.count ?? 1) > 1) return `Repair of ${d.count} robots ${team(state.refbox, d.side ?? '')}`
  return capital([d.force ? 'forced' : '', called(d.command), team(state.refbox, d.side ?? ''), d.robot || '', d.part ?? ''].filter(Boolean).join(' '))
}

/** Changes the desk and writes the page. @param {Partial<typeof desk>} with_ */
function put(with_) {
  Object.assign(desk, with_)
  change({})
}

let fading = 0

/** Shows at once that a key was pressed. @param {Decision} d @param {Press['state']} how @param {string} text */
function acknowledge(d, how, text) {
  clearTimeout(fading)
  fading = setTimeout(() => put({ hit: '' }), FLASH)
  const press = /** @type {Press} */ ({ title: title(d), state: how, text, notes: [] })
  put({ hit: keyName(d.command, d.side), press })
  return press
}

/** Decides, unless it may not be. @param {Decision} d @param {string} [refused] why it may not */
export async function decide(d, refused = blocked(d.command, d.side)) {
  if (refused) return void acknowledge(d, 'refused', refused)
  desk.strip = null
  const press = acknowledge(d, 'going', 'pressed')
  going++
  stale = true
  try {
    settle(press, await ask('decide', d))
  } catch (e) {
    press.state = 'refused'
    press.text = e instanceof Error ? e.message : String(e)
    if (desk.press !== press) toast(`${press.title}: ${press.text}`)
  }
  going--
  change({})
}

/** @param {Press} press @param {RefboxDecided | null} outcome */
function settle(press, outcome) {
  const sent = list(outcome?.messages).map((m) => wire(state.refbox, m)).join(', '), ms = took(outcome?.millis)
  press.state = 'sent'
  press.text = sent ? `sent ${sent}${ms && ', ' + ms}` : `taken, nothing to send${ms && ', ' + ms}`
  press.notes = [outcome?.missed ? 'a team could not be sent it: tell it yourself' : '', ...list(outcome?.notes), ...list(outcome?.dropped).map((c) => `decision ${c.number} holds no longer: ${c.why}`)].filter(Boolean)
}

/** @param {Decision} d @returns {Promise<Preview>} */
async function preview(d) {
  try {
    const p = await ask('preview', d)
    return { messages: list(p?.messages), notes: list(p?.notes), dropped: list(p?.dropped), restored: list(p?.restored), ref: p?.ref ?? 0, text: p?.text ?? '', why: p?.why ?? '' }
  } catch (e) {
    return { messages: [], notes: [], dropped: [], restored: [], ref: 0, text: '', why: e instanceof Error ? e.message : String(e) }
  }
}

const newest = () => list(state.referee?.entries)[0]?.number ?? 0

/** Shows what a decision would send; Enter decides it. @param {Decision} d @param {string} what it does, in words @param {string} [refused] why it may not be decided */
export async function propose(d, what, refused = blocked(d.command, d.side)) {
  if (refused) {
    desk.strip = null
    return void acknowledge(d, 'refused', refused)
  }
  if (!desk.strip && document.activeElement instanceof HTMLElement) document.activeElement.blur() // so that Enter confirms
  const strip = { decision: d, title: title(d), what, newest: newest(), preview: /** @type {Preview | null} */ (null) }
  put({ strip, sheet: null })
  const { ref, text } = strip.preview = await preview(d)
  // What it showed is taken back, even if somebody else decides something meanwhile.
  if (ref) Object.assign(strip, { decision: { ...d, ref }, what: text })
  if (desk.strip === strip) change({})
}

/** Decides what the strip shows. */
export function confirm() {
  const { strip } = desk
  if (!strip) return
  if (!strip.preview) return toast('wait until it shows what is sent')
  if (strip.preview.why) return toast(strip.preview.why)
  desk.strip = null
  void decide(strip.decision, dead())
}

export const cancel = () => put({ strip: null, sheet: null })

/** A strip that another decision has overtaken shows anew what it would do. */
function refresh() {
  const { strip } = desk
  if (!strip || strip.newest === newest()) return
  void propose(strip.decision, strip.what, dead())
}

export const undo = () => propose({ command: 'UNDO' }, '')
export const redo = () => propose({ command: 'REDO' }, '')

/** Why a decision of the list can neither be taken back nor put back; '' if it can. @param {RefboxEntryShow} e */
export const settled = (e) => dead() || (e.of ? 'press the decision that it is about' : e.state === 'void' ? `holds no longer: ${e.why}` : '')

/** Takes any decision back, or puts it back; shown before. @param {RefboxEntryShow} e */
export const revise = (e) => propose({ command: e.state === 'undone' ? 'REDO' : 'UNDO', ref: e.number }, e.text, settled(e))
export const reset = () => propose({ command: 'RESET', force: true }, 'the game ends without a result, its log is written, everything begins at nought', dead())
export const endPart = () => propose({ command: 'END_PART' }, `end of: ${state.refbox?.part ?? ''}`)
/** @param {Side} side */
export const forceKickOff = (side) => {
  desk.sheet = null
  return decide({ command: 'KICKOFF', side, force: true }, dead())
}

/** Opens the sheet of a robot; its number may be typed. @param {Side} side @param {string} [number] @param {string} [first] what Enter does */
export const openRobot = (side, number = '', first = '') => put({ sheet: { kind: 'robot', side, number, given: number !== '', first }, strip: null })

/** @param {'correct' | 'kickoff'} kind */
export const openSheet = (kind) => put({ sheet: { kind }, strip: null })
