// The referee's decisions: each press shows at once, is sent, and then shows its outcome.

/** @import {RefboxDecided, RefboxEntryShow, RefboxRefereeShow, RefboxShow} from '../types' */
/** @import {Side} from './text.js' */
import { closeReview, openReview } from '../review/state.js'
import { change, list, state } from '../shared/state.js'
import { command, errorText, request, toast } from '../shared/stream.js'
import { box } from './state.js'
import { capital, commandName, messageText, millis, teamName } from './text.js'

/** @typedef {{command: string, side?: string, robot?: number, count?: number, part?: string, total?: number,
 * effective?: number, ref?: number, force?: boolean}} Decision
 * @typedef {{title: string, state: 'sending' | 'sent' | 'refused', text: string, notes: string[]}} Press
 * @typedef {{messages: string[], notes: string[], dropped: string[], restored: string[], ref: number, text: string,
 * why: string}} Preview
 * @typedef {{decision: Decision, title: string, effect: string, newest: number, preview: Preview | null}} Proposal
 * @typedef {{kind: 'robot', side: Side, number: string, given: boolean, first: string} | {kind: 'correct'}
 * | {kind: 'kickoff'} | {kind: 'review'}} Sheet */

const FLASH = 350 // ms for which a pressed key is highlighted

export const desk = {
  press: /** @type {Press | null} */ (null), // the last one
  hit: '', // the key that is highlighted
  why: /** @type {{name: string, off: string} | null} */ (null), // the disabled key under the pointer, and its reason
  proposal: /** @type {Proposal | null} */ (null), // a decision that waits for Enter
  sheet: /** @type {Sheet | null} */ (null), // the dialog over a column
  sure: false, // the next press of TAKE OVER counts though the followed box answers
}

/** The name of a key in desk.hit. @param {string} command @param {string} [side] */
export const keyName = (command, side) => side ? `${command}/${side}` : command

/** Why the page can send no decision now; '' if it can. */
export function disabled() {
  if (state.link !== 'open') return 'no connection: decisions cannot be sent'
  if (box.show?.successor) return `${box.show.successor} took over: referee there`
  if (box.show?.follows) return `standby for ${box.show.follows}: take over first`
  return ''
}

const SURE = 4000 // ms in which the second press takes over

/** Whether the box that a standby follows still answers. @param {RefboxShow} show */
export const answers = (show) => !show.lost

let unsure = 0

/** Takes the game over from the followed box: at once if it is silent, with a second press if it answers. */
export function takeOver() {
  const { show } = box
  if (!show?.follows || state.link !== 'open') return
  clearTimeout(unsure)
  if (answers(show) && !desk.sure) {
    unsure = setTimeout(() => update({ sure: false }), SURE)
    return update({ sure: true })
  }
  update({ sure: false })
  void command('promote', {})
}

/** Why a key is disabled now; '' if it is not. @param {string} command @param {string} [side] */
export function keyDisabled(command, side = '') {
  const key = list(box.referee?.keys).find((k) => k.command === command && k.side === side)
  return disabled() || (key ? key.why : 'unknown to this server')
}

let pending = 0 // presses that the server has not answered yet
let stale = false // the known keys are older than the last answer

/** @param {RefboxRefereeShow} referee */
export function applyReferee(referee) {
  box.referee = referee
  if (!pending) stale = false
  renewProposal()
}

/** Why a press is not sent; '' if it is. While an answer is pending the key may be about to be enabled: the server
 * decides.
 * @param {string} command @param {string} [side] */
const blocked = (command, side) => pending || stale ? disabled() : keyDisabled(command, side)

/** @param {Decision} d */
function titleOf(d) {
  const team = teamName(box.show, d.side ?? '')
  if (d.command === 'SET_SCORE') return `Score ${team} ${d.count}`
  if (d.command === 'REPAIR' && (d.count ?? 1) > 1) return `Repair of ${d.count} robots ${team}`
  const parts = [d.force ? 'forced' : '', commandName(d.command), team, d.robot || '', d.part ?? '']
  return capital(parts.filter(Boolean).join(' '))
}

/** @param {Partial<typeof desk>} values */
const update = (values) => change(desk, values)

let fading = 0

/** Shows that a key was pressed. @param {Decision} d @param {Press['state']} outcome @param {string} text */
function showPress(d, outcome, text) {
  clearTimeout(fading)
  fading = setTimeout(() => update({ hit: '' }), FLASH)
  const press = /** @type {Press} */ ({ title: titleOf(d), state: outcome, text, notes: [] })
  update({ hit: keyName(d.command, d.side), press, why: null })
  return press
}

/** Sends a decision, unless it is refused. @param {Decision} d @param {string} [refused] why, '' if it is not */
export async function decide(d, refused = blocked(d.command, d.side)) {
  if (refused) return void showPress(d, 'refused', refused)
  desk.proposal = null
  const press = showPress(d, 'sending', 'sending')
  pending++
  stale = true
  try {
    showOutcome(press, await request('decide', d))
  } catch (e) {
    press.state = 'refused'
    press.text = errorText(e)
    if (desk.press !== press) toast(`${press.title}: ${press.text}`)
  }
  pending--
  update({})
}

/** @param {Press} press @param {RefboxDecided | null} outcome */
function showOutcome(press, outcome) {
  const sent = list(outcome?.messages).map((m) => messageText(box.show, m)).join(', '), ms = millis(outcome?.millis)
  press.state = 'sent'
  press.text = sent ? `sent ${sent}${ms && ', ' + ms}` : `noted, nothing to send${ms && ', ' + ms}`
  const withdrawn = list(outcome?.void).map((c) => `${c} was not sent: STOP came first`)
  press.notes = [...withdrawn, outcome?.missed ? 'one team did not receive it: tell that team' : '',
    ...list(outcome?.notes),
    ...list(outcome?.dropped).map((c) => `decision ${c.number} no longer applies: ${c.why}`)].filter(Boolean)
}

/** @param {Decision} d @returns {Promise<Preview>} */
async function preview(d) {
  try {
    const p = await request('preview', d)
    return { messages: list(p?.messages), notes: list(p?.notes), dropped: list(p?.dropped),
      restored: list(p?.restored), ref: p?.ref ?? 0, text: p?.text ?? '', why: p?.why ?? '' }
  } catch (e) {
    return { messages: [], notes: [], dropped: [], restored: [], ref: 0, text: '', why: errorText(e) }
  }
}

const newest = () => list(box.referee?.entries)[0]?.number ?? 0

/** Shows the preview of a decision; Enter confirms it. @param {Decision} d @param {string} effect
 * @param {string} [refused] why it is refused, '' if it is not */
export async function propose(d, effect, refused = blocked(d.command, d.side)) {
  if (refused) {
    desk.proposal = null
    return void showPress(d, 'refused', refused)
  }
  // Enter shall confirm, not press the focused button.
  if (!desk.proposal && document.activeElement instanceof HTMLElement) document.activeElement.blur()
  const proposal = { decision: d, title: titleOf(d), effect, newest: newest(),
    preview: /** @type {Preview | null} */ (null) }
  update({ proposal, sheet: null })
  const { ref, text } = proposal.preview = await preview(d)
  // Undo concerns the decision that the preview showed, even if another page decides something meanwhile.
  if (ref) Object.assign(proposal, { decision: { ...d, ref }, effect: text })
  if (desk.proposal === proposal) update({})
}

/** Sends the proposed decision. */
export function confirm() {
  const { proposal } = desk
  if (!proposal) return
  if (!proposal.preview) return toast('wait for the preview')
  if (proposal.preview.why) return toast(proposal.preview.why)
  desk.proposal = null
  void decide(proposal.decision, disabled())
}

export function cancel() {
  if (desk.sheet?.kind === 'review') closeReview()
  update({ proposal: null, sheet: null })
}

/** Renews the preview after another page has decided something. */
function renewProposal() {
  const { proposal } = desk
  if (!proposal || proposal.newest === newest()) return
  void propose(proposal.decision, proposal.effect, disabled())
}

export const undo = () => propose({ command: 'UNDO' }, '')
export const redo = () => propose({ command: 'REDO' }, '')

/** Why a decision of the list can be neither undone nor redone; '' if it can. @param {RefboxEntryShow} e */
export const entryDisabled = (e) => disabled() || (e.of ? 'click the decision itself to undo or redo it' : e.final)

/** Proposes to undo or redo a decision of the list. @param {RefboxEntryShow} e */
export const revise = (e) => propose({ command: e.state === 'undone' ? 'REDO' : 'UNDO', ref: e.number }, e.text,
  entryDisabled(e))
export const reset = () => propose({ command: 'RESET', force: true },
  'ends the game without a result and writes its log; everything resets to zero', disabled())
export const endPart = () => propose({ command: 'END_PART' }, `ends the ${box.show?.part ?? ''}`)
/** @param {Side} side */
export const forceKickOff = (side) => {
  desk.sheet = null
  return decide({ command: 'KICKOFF', side, force: true }, disabled())
}

/** Opens the dialog of a robot. @param {Side} side @param {string} [number]
 * @param {string} [first] the command that Enter sends */
export const openRobot = (side, number = '', first = '') =>
  update({ sheet: { kind: 'robot', side, number, given: number !== '', first }, proposal: null })

/** Opens the review of a decision. @param {number} [number] the newest one by default that is neither UNDO nor REDO */
export function openReviewOf(number = list(box.referee?.entries).find((e) => !e.of)?.number ?? 0) {
  if (!box.show?.game) return toast('there is no game yet')
  if (!number) return toast('no decision yet')
  if (box.show.follows) return toast('a standby has no log to review: take over first')
  update({ sheet: { kind: 'review' }, proposal: null })
  void openReview(`${box.show.game}.mcap`, number, true)
}

/** @param {'correct' | 'kickoff'} kind */
export const openSheet = (kind) => update({ sheet: { kind }, proposal: null })
