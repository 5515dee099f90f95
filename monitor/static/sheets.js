// What opens over the referee's page: a robot's decisions, corrections, a forced kick-off, and the field for the token.
// None of them lies over START and STOP.

/** @import {RefboxShow} from './types' */
/** @import {Decision, Preview, Sheet} from './desk.js' */
/** @import {Side} from './words.js' */
import { cancel, confirm, dead, decide, desk, forceKickOff, propose, why } from './desk.js'
import { clock } from './format.js'
import { html } from './htm/preact/standalone.module.js'
import { keepToken } from './pages.js'
import { pressRobot, robotKeys, typeNumber } from './refereekeys.js'
import { change, state } from './state.js'
import { reconnect } from './stream.js'
import { capital, sides, team } from './words.js'

const PARTS = ['pre-game', 'first half', 'half-time', 'second half', 'before overtime', 'overtime first half', 'overtime half-time', 'overtime second half', 'shoot-out', 'end']

/** @param {{label: string, children?: unknown}} props */
const Box = ({ label, children }) => html`<section class="panel sheet" role="dialog" aria-label=${label}>
  <div class="head"><h2>${label}</h2><button class="close" onClick=${cancel}>close <kbd>Esc</kbd></button></div>${children}</section>`

/** A decision of a robot's sheet. @param {{sheet: Extract<Sheet, {kind: 'robot'}>, command: string, name: string, letter?: string, count?: number, off: string}} props */
const Act = ({ sheet, command, name, letter, count, off }) => html`<button class=${'act ' + (sheet.first === command ? 'first' : '')} aria-disabled=${!!off} title=${off}
  onClick=${() => pressRobot(sheet, command, count)}>${name} ${sheet.first === command && html`<kbd>Enter</kbd>`}${letter && html`<kbd>${letter}</kbd>`}</button>`

/** @param {{sheet: Extract<Sheet, {kind: 'robot'}>}} props */
function RobotSheet({ sheet }) {
  const name = `${team(state.refbox, sheet.side)}, robot`
  const off = (/** @type {string} */ command, /** @type {boolean} */ needs) => why(command, sheet.side) || (needs && !sheet.number ? 'type the robot’s number first' : '')
  return html`<${Box} label=${name}><div class="robot-sheet ${sheet.side}"><div class="number" aria-live="polite" aria-label="number">${sheet.number || html`<small>type its number${sheet.first ? '' : ', or none'}</small>`}</div>
    <div class="pad" role="group" aria-label="number">${'1234567890'.split('').map((n) => html`<button onClick=${() => typeNumber(sheet, n)}>${n}</button>`)}</div>
    <div class="acts-of">${robotKeys.map(([command, called, letter, needs]) => html`<${Act} key=${command} sheet=${sheet} command=${command} name=${called} letter=${letter} off=${off(command, needs)} />`)}
    ${!sheet.number && [2, 3].map((n) => html`<${Act} key=${n} sheet=${sheet} command="REPAIR" name=${`Repair of ${n} robots`} count=${n} off=${off('REPAIR', false)} />`)}</div></div><//>`
}

function KickOffSheet() {
  return html`<${Box} label="Kick-off, also where it is refused"><div class="choice">${sides.map((side) => html`<button class="team-key ${side}" aria-disabled=${!!dead()} onClick=${() => forceKickOff(side)}>
    ${team(state.refbox, side)} <kbd>${side === 'home' ? 'Q' : 'U'}</kbd></button>`)}</div><//>`
}

/** Seconds of mm:ss or ss; null if it is neither. @param {string} text */
function seconds(text) {
  const m = /^\s*(?:(\d{1,4}):)?(\d{1,5})(?:\.(\d{1,3}))?\s*$/.exec(text)
  if (!m || (m[1] && Number(m[2]) > 59)) return null
  return Number(m[1] ?? 0) * 60 + Number(m[2]) + Number('0.' + (m[3] ?? 0))
}

/** What the fields of the corrections say. @param {HTMLFormElement} form @param {string} what @returns {Decision | string} a decision, or what is wrong */
function correction(form, what) {
  const field = (/** @type {string} */ name) => String(new FormData(form).get(name) ?? '')
  if (what === 'SET_PART') return { command: what, part: field('part') }
  if (what === 'SET_SCORE') return { command: what, side: field('side'), count: Number(field('count')) }
  const total = seconds(field('total')), effective = seconds(field('effective'))
  if (total == null || effective == null) return 'give the clock as minutes:seconds, like 12:34'
  return { command: what, total: Math.round(total * 1000) * 1e6, effective: Math.round(effective * 1000) * 1e6 }
}

/** @param {SubmitEvent} e @param {string} what @param {string} words */
function correct(e, what, words) {
  e.preventDefault()
  const form = /** @type {HTMLFormElement} */ (e.currentTarget), d = correction(form, what)
  if (typeof d === 'string') void decide({ command: what }, d)
  else void propose(d, words, why(what, d.side))
}

/** @param {{what: string, name: string, words: string, side?: string, children?: unknown}} props */
const Correction = ({ what, name, words, side = '', children }) => html`<form class="correction" onSubmit=${(/** @type {SubmitEvent} */ e) => correct(e, what, words)}>
  <b>${name}</b>${children}<button aria-disabled=${!!why(what, side)} title=${why(what, side)}>preview</button></form>`

/** @param {{show: RefboxShow}} props */
function CorrectSheet({ show }) {
  const score = (/** @type {Side} */ side) => html`<${Correction} what="SET_SCORE" side=${side} name=${team(show, side)} words="corrects the score"><input type="hidden" name="side" value=${side} />
    <input name="count" type="number" min="0" max="99" required defaultValue=${show[side].goals} aria-label=${'goals of ' + team(show, side)} /> goals<//>`
  return html`<${Box} label="Correct"><div class="corrections">${sides.map(score)}
    <${Correction} what="SET_CLOCK" name="Clock" words="corrects the clock of this part"><input name="total" required size="6" defaultValue=${clock(show.total)} aria-label="time since the part began, minutes:seconds" /> since the part began,
      <input name="effective" required size="6" defaultValue=${clock(show.effective)} aria-label="of it in play" /> of it in play<//>
    <${Correction} what="SET_PART" name="Part" words="corrects the part of the game"><select name="part" aria-label="part">${PARTS.map((p) => html`<option value=${p} selected=${p === show.part}>${capital(p)}</option>`)}</select><//></div><//>`
}

/** @param {{preview: Preview | null}} props */
function Sends({ preview }) {
  if (!preview) return html`<p class="dim">asking what will be sent …</p>`
  if (preview.why) return html`<p class="bad">${preview.why}</p>`
  return html`<p>Sends ${preview.messages.length ? html`<b class="mono">${preview.messages.join(', ')}</b>` : html`<b>nothing</b>`}.</p>
    ${[...preview.dropped.map((d) => `No longer holds: ${d}`), ...preview.restored.map((d) => `Holds again: ${d}`), ...preview.notes].map((n) => html`<p class="warn">${n}</p>`)}`
}

/** What waits for Enter. */
export function StripPanel() {
  const { strip } = desk
  if (!strip) return ''
  return html`<section class="panel strip" role="alertdialog" aria-label=${strip.title}><h2>${strip.title}${strip.what && html`<span>: ${strip.what}</span>`}</h2>
    <${Sends} preview=${strip.preview} /><div class="choice"><button class="yes" aria-disabled=${!strip.preview || !!strip.preview.why} onClick=${confirm}>Do it <kbd>Enter</kbd></button><button onClick=${cancel}>Leave it <kbd>Esc</kbd></button></div></section>`
}

/** @param {SubmitEvent} e @param {string[]} topics */
function useToken(e, topics) {
  e.preventDefault()
  const given = String(new FormData(/** @type {HTMLFormElement} */ (e.currentTarget)).get('token') ?? '').trim()
  keepToken(/token=([^&\s]+)/.exec(given)?.[1] ?? given) // the whole address is fine, too
  change({ link: 'connecting', reason: '' })
  reconnect(topics)
}

/** Where the referee's token is pasted. @param {{topics: string[], reason: string}} props */
export function TokenForm({ topics, reason }) {
  return html`<main class="page"><form class="panel token" onSubmit=${(/** @type {SubmitEvent} */ e) => useToken(e, topics)}><h2>The referee’s token</h2>
    ${reason && html`<p class="bad" role="alert">${reason}</p>`}
    <p>It is printed where the referee box was started. Open the address that stands there, or paste it here:</p>
    <div><input name="token" type="password" autocomplete="off" required aria-label="token" autofocus /><button>Referee this match</button></div>
    <p class="dim">It stays in this tab. Without it: <a href="scoreboard">scoreboard</a>, <a href="teams">teams</a>, <a href="log">logs</a>.</p></form></main>`
}

/** @param {{show: RefboxShow, of: Side | 'middle'}} props what is open over a column */
export function SheetOver({ show, of }) {
  const { sheet } = desk
  if (sheet?.kind === 'robot' && sheet.side === of) return html`<${RobotSheet} sheet=${sheet} />`
  if (of === 'middle' && sheet?.kind === 'correct') return html`<${CorrectSheet} key="correct" show=${show} />`
  if (of === 'middle' && sheet?.kind === 'kickoff') return html`<${KickOffSheet} />`
  return ''
}
