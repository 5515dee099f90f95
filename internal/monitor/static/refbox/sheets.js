// The referee's dialogs: a robot's decisions, corrections, a forced kick-off, the preview of a decision, and the form
// for the token. None of them covers START and STOP.

/** @import {RefboxShow} from '../types' */
/** @import {Decision, Preview, Sheet} from './decisions.js' */
/** @import {Side} from './text.js' */
import { cancel, confirm, decide, desk, disabled, forceKickOff, keyDisabled, propose } from './decisions.js'
import { clock } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { keepToken } from '../shared/address.js'
import { pressRobot, robotKeys, typeNumber } from './keys.js'
import { box } from './state.js'
import { reconnect } from '../shared/stream.js'
import { capital, sides, teamName } from './text.js'

const PARTS = ['pre-game', 'first half', 'half-time', 'second half', 'before overtime', 'overtime first half',
  'overtime half-time', 'overtime second half', 'shoot-out', 'end']

/** @param {{label: string, children?: unknown}} props */
const Box = ({ label, children }) => html`<section class="panel sheet" role="dialog" aria-label=${label}>
  <div class="head"><h2>${label}</h2><button class="close" onClick=${cancel}>close <kbd>Esc</kbd></button></div>
    ${children}</section>`

/** A decision of a robot's dialog.
 * @param {{sheet: Extract<Sheet, {kind: 'robot'}>, command: string, name: string, letter?: string, count?: number, off:
 * string}} props */
const Act = ({ sheet, command, name, letter, count, off }) =>
  html`<button class=${'act ' + (sheet.first === command ? 'first' : '')} aria-disabled=${!!off} title=${off}
  onClick=${() => pressRobot(sheet, command, count)}>${name} ${sheet.first === command && html`<kbd>Enter</kbd>`}
    ${letter && html`<kbd>${letter}</kbd>`}</button>`

/** @param {{sheet: Extract<Sheet, {kind: 'robot'}>}} props */
function RobotSheet({ sheet }) {
  const name = `${teamName(box.show, sheet.side)}, robot`
  const off = (/** @type {string} */ command, /** @type {boolean} */ needs) => keyDisabled(command, sheet.side)
    || (needs && !sheet.number ? 'type the robot’s number first' : '')
  return html`<${Box} label=${name}><div class="robot-sheet ${sheet.side}"><div class="number" aria-live="polite"
    aria-label="number">${sheet.number || html`<small>type its number${sheet.first ? '' : ', or none'}</small>`}</div>
    <div class="pad" role="group" aria-label="number">
      ${'1234567890'.split('').map((n) => html`<button onClick=${() => typeNumber(sheet, n)}>${n}</button>`)}</div>
    <div class="acts-of">${robotKeys.map(([command, called, letter, needs]) =>
      html`<${Act} key=${command} sheet=${sheet} command=${command} name=${called} letter=${letter}
      off=${off(command, needs)} />`)}
    ${!sheet.number && [2, 3].map((n) => html`<${Act} key=${n} sheet=${sheet} command="REPAIR"
      name=${`Repair of ${n} robots`} count=${n} off=${off('REPAIR', false)} />`)}</div></div><//>`
}

function KickOffSheet() {
  return html`<${Box} label="Force a kick-off"><div class="choice">
    ${sides.map((side) => html`<button class="team-key ${side}" aria-disabled=${!!disabled()}
    onClick=${() => forceKickOff(side)}>
    ${teamName(box.show, side)} <kbd>${side === 'home' ? 'Q' : 'U'}</kbd></button>`)}</div><//>`
}

/** The seconds of mm:ss or ss; null for any other text. @param {string} text */
function seconds(text) {
  const m = /^\s*(?:(\d{1,4}):)?(\d{1,5})(?:\.(\d{1,3}))?\s*$/.exec(text)
  if (!m || (m[1] && Number(m[2]) > 59)) return null
  return Number(m[1] ?? 0) * 60 + Number(m[2]) + Number('0.' + (m[3] ?? 0))
}

/** The decision that a form describes, or an error text. @param {HTMLFormElement} form @param {string} command
 * @returns {Decision | string} */
function correctionOf(form, command) {
  const field = (/** @type {string} */ name) => String(new FormData(form).get(name) ?? '')
  if (command === 'SET_PART') return { command, part: field('part') }
  if (command === 'SET_SCORE') return { command, side: field('side'), count: Number(field('count')) }
  const total = seconds(field('total')), effective = seconds(field('effective'))
  if (total == null || effective == null) return 'enter the clock as minutes:seconds, for example 12:34'
  return { command, total: Math.round(total * 1000) * 1e6, effective: Math.round(effective * 1000) * 1e6 }
}

/** @param {SubmitEvent} e @param {string} command @param {string} effect */
function submitCorrection(e, command, effect) {
  e.preventDefault()
  const form = /** @type {HTMLFormElement} */ (e.currentTarget), d = correctionOf(form, command)
  if (typeof d === 'string') void decide({ command }, d)
  else void propose(d, effect, keyDisabled(command, d.side))
}

/** @param {{command: string, name: string, effect: string, side?: string, children?: unknown}} props */
const Correction = ({ command, name, effect, side = '', children }) =>
  html`<form class="correction" onSubmit=${(/** @type {SubmitEvent} */ e) => submitCorrection(e, command, effect)}>
  <b>${name}</b>${children}<button aria-disabled=${!!keyDisabled(command, side)}
    title=${keyDisabled(command, side)}>preview</button></form>`

/** @param {{show: RefboxShow}} props */
function CorrectSheet({ show }) {
  const score = (/** @type {Side} */ side) => html`<${Correction} command="SET_SCORE" side=${side}
    name=${teamName(show, side)} effect="corrects the score"><input type="hidden" name="side" value=${side} />
    <input name="count" type="number" min="0" max="99" required defaultValue=${show[side].goals}
      aria-label=${'goals of ' + teamName(show, side)} /> goals<//>`
  return html`<${Box} label="Correct"><div class="corrections">${sides.map(score)}
    <${Correction} command="SET_CLOCK" name="Clock" effect="corrects the clock of this part"><input name="total"
      required size="6" defaultValue=${clock(show.total)}
      aria-label="time since the start of the part, minutes:seconds" /> of which
      <input name="effective" required size="6" defaultValue=${clock(show.effective)}
        aria-label="time in play, minutes:seconds" /> in play<//>
    <${Correction} command="SET_PART" name="Part" effect="corrects the part of the game"><select name="part"
      aria-label="part">${PARTS.map((p) => html`<option value=${p} selected=${p === show.part}>${capital(p)}</option>`)}
      </select><//></div><//>`
}

/** @param {{preview: Preview | null}} props */
function Effects({ preview }) {
  if (!preview) return html`<p class="dim">loading the preview …</p>`
  if (preview.why) return html`<p class="bad">${preview.why}</p>`
  return html`<p>Sends ${preview.messages.length ? html`<b class="mono">${preview.messages.join(', ')}</b>`
    : html`<b>nothing</b>`}.</p>
    ${[...preview.dropped.map((d) => `No longer applies: ${d}`), ...preview.restored.map((d) => `Applies again: ${d}`),
      ...preview.notes].map((n) => html`<p class="warn">${n}</p>`)}`
}

/** The decision that waits for Enter. */
export function ProposalPanel() {
  const { proposal } = desk
  if (!proposal) return ''
  return html`<section class="panel proposal" role="alertdialog" aria-label=${proposal.title}><h2>${proposal.title}
    ${proposal.effect && html`<span>: ${proposal.effect}</span>`}</h2>
    <${Effects} preview=${proposal.preview} /><div class="choice"><button class="yes"
      aria-disabled=${!proposal.preview || !!proposal.preview.why} onClick=${confirm}>Confirm <kbd>Enter</kbd></button>
      <button onClick=${cancel}>Cancel <kbd>Esc</kbd></button></div></section>`
}

/** @param {SubmitEvent} e @param {string[]} topics */
function useToken(e, topics) {
  e.preventDefault()
  const given = String(new FormData(/** @type {HTMLFormElement} */ (e.currentTarget)).get('token') ?? '').trim()
  keepToken(/token=([^&\s]+)/.exec(given)?.[1] ?? given) // a pasted link is fine, too
  reconnect(topics)
}

/** The form for the referee's token. @param {{topics: string[], reason: string}} props */
export function TokenForm({ topics, reason }) {
  return html`<main class="page"><form class="panel token"
    onSubmit=${(/** @type {SubmitEvent} */ e) => useToken(e, topics)}><h2>The referee’s token</h2>
    ${reason && html`<p class="bad" role="alert">${reason}</p>`}
    <p>The referee box prints a link when it starts. Open the link printed there, or paste it here:</p>
    <div><input name="token" type="password" autocomplete="off" required aria-label="token" autofocus />
      <button>Referee this match</button></div>
    <p class="dim">The token stays in this tab. Pages without a token: <a href="scoreboard">scoreboard</a>, <a
      href="teams">teams</a>, <a href="log">logs</a>.</p></form></main>`
}

/** @param {{show: RefboxShow, of: Side | 'middle'}} props the dialog over a column */
export function SheetOver({ show, of }) {
  const { sheet } = desk
  if (sheet?.kind === 'robot' && sheet.side === of) return html`<${RobotSheet} sheet=${sheet} />`
  if (of === 'middle' && sheet?.kind === 'correct') return html`<${CorrectSheet} key="correct" show=${show} />`
  if (of === 'middle' && sheet?.kind === 'kickoff') return html`<${KickOffSheet} />`
  return ''
}
