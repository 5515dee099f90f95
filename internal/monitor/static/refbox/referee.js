// The referee's page. Referees use it without looking: keys never move, every press has an immediate answer, and keys
// that the rules do not allow now are visibly disabled.

/** @import {RefboxEntryShow, RefboxReceived, RefboxRefereeShow, RefboxRobotShow, RefboxShow, RefboxTeamShow,
 * RefboxWaiting} from '../types' */
/** @import {Side} from './text.js' */
import { answers, applyReferee, cancel, decide, desk, disabled, endPart, entryDisabled, keyDisabled, keyName, openRobot, openSheet,
  openReviewOf, redo, reset, revise, takeOver, undo } from './decisions.js'
import { ReviewPanel } from '../review/review.js'
import { FieldPanel } from './field.js'
import { clock } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { Header, Waiting } from '../shared/header.js'
import { start } from '../shared/page.js'
import { change, list, state } from '../shared/state.js'
import { askToken } from '../shared/address.js'
import { command, hasToken, reconnect } from '../shared/stream.js'
import { keyGroups, onKey, pressTeam, stop, teamKeys } from './keys.js'
import { levelOf, Rates } from './rates.js'
import { ReaderButton, ReaderResult } from './reader.js'
import { ProposalPanel, SheetOver, TokenForm } from './sheets.js'
import { Countdowns, loadSound, SoundButton, soundCountdowns, sounded } from './sound.js'
import { box } from './state.js'
import { capital, gameState, millis, remaining, scoreText, teamName, timeOfDay } from './text.js'

const TOPICS = ['refbox', 'referee']
const MIDDLE = [['DROP_BALL', 'Dropped ball', 'B'], ['END_PART', 'End of part', 'P'], ['PARK', 'Park', 'V'],
  ['UNDO', 'Undo', 'Ctrl Z'], ['REDO', 'Redo', 'Ctrl Y'], ['SET_CLOCK', 'Correct', 'C'], ['RESET', 'Reset', 'Alt R']]

/** The keys that do more than decide. @type {Record<string, () => unknown>} */
const actions = { END_PART: endPart, UNDO: undo, REDO: redo, SET_CLOCK: () => openSheet('correct'), RESET: reset }

/** The name of END_PART in a part of the game. @param {string} part */
function endName(part) {
  if (part === 'before overtime' || part === 'shoot-out') return 'Game over'
  if (part === 'second half' || part === 'overtime second half') return 'End of game'
  return 'End of part'
}

/** A key. Disabled keys stay in place. The reason appears below the keys while the pointer or the focus is on one.
 * @param {{name: string, letter: string, command: string, side?: Side, act: () => unknown, class?: string, off?:
 * string}} props */
function Key({ name, letter, command, side, act, off = keyDisabled(command, side), ...more }) {
  const hit = desk.hit === keyName(command, side)
  return html`<button class=${`key ${more.class ?? ''} ${hit ? 'hit' : ''}`} data-key=${keyName(command, side)}
    aria-disabled=${!!off} title=${off} onClick=${act} ...${explaining(name, off)}>
    <span>${name}</span><kbd>${letter}</kbd></button>`
}

/** The listeners that explain a disabled key. @param {string} name @param {string} off */
function explaining(name, off) {
  const show = () => change(desk, { why: off ? { name, off } : null })
  const hide = () => desk.why && change(desk, { why: null })
  return { onPointerEnter: show, onPointerLeave: hide, onFocus: show, onBlur: hide }
}

/** @param {{side: Side, show: RefboxShow}} props */
function TeamHead({ side, show }) {
  const t = show[side]
  const name = teamName(show, side)
  const releasable = !disabled() && t.id !== 0 && (show.part === 'pre-game' || show.part === 'end')
  return html`<div class="of ${side}"><i></i><div class="who-is"><h2 title=${t.name}
    style=${{ '--longest': Math.max(...name.split(' ').map((w) => w.length)) }}>${name}</h2>
    <p>${t.connected ? '' : show.follows ? 'unknown to a standby, ' : html`<b class="bad">✕ not connected</b>, `}
    ${side === 'home' ? 'left' : 'right'}${t.group && `, ${t.group}`}
    ${releasable && html` <button class="small" onClick=${() => command('release', { side })}
      title="free this side for another team">release</button>`}</p></div>
    <b class="goals-of" aria-label=${'goals of ' + t.name}>${t.goals}</b></div>`
}

/** @param {{show: RefboxShow}} props */
function Board({ show }) {
  const now = gameState(show)
  return html`<section class="panel match-head" aria-label="Match"><${TeamHead} side="home" show=${show} />
    <div class="clock-of"><b aria-label="clock">${clock(show.total)}</b><p>${show.part}
      ${show.length > 0 && ` of ${clock(show.length)}`}, in play ${clock(show.effective)}</p>
    <p class="play-state ${now.level}" role="status"><i aria-hidden="true">${now.shape}</i> ${now.text}</p></div>
      <${TeamHead} side="away" show=${show} /></section>`
}

/** A robot's penalties and repair. @param {RefboxRobotShow} r */
function robotText(r) {
  const state = r.state === 'double yellow' ? '2×Y' : r.state
  if (r.waits) return `${state}, pending`
  return r.left == null ? state : `${state} ${clock(Math.ceil(r.left))}`
}

/** @param {{t: RefboxTeamShow, side: Side}} props */
function Robots({ t, side }) {
  const off = disabled()
  return html`<section class="panel" aria-label=${'Robots of ' + t.name}><div class="head"><h2>Robots</h2>
    <span class="sub">${t.substitutions} of ${t.most} substitutions used</span>
    <button class="small" aria-disabled=${!!off} title=${off} onClick=${() => openRobot(side)}>other <kbd>
      ${side === 'home' ? 'T' : 'Y'}</kbd></button></div>
    <div class="robots-of">${list(t.robots).map((r, i) =>
      html`<button class=${'one ' + r.state.replace(' ', '-') + (r.waits ? ' waits' : '')} aria-disabled=${!!off}
      onClick=${() => openRobot(side, String(r.number))}
      title=${i < 5 ? `key ${side === 'home' ? i + 1 : (i + 6) % 10}` : ''}><b>${r.number}</b>
        <small>${robotText(r)}</small></button>`)}
      ${list(t.robots).length === 0 && html`<p class="dim">no robots yet</p>`}</div>
    ${list(t.unnumbered).length > 0 && html`<p class="unnumbered">without a number:
      ${' '}${list(t.unnumbered).map(robotText).join('; ')}</p>`}
    ${list(t.takenBack).map((w) => html`<p class="taken warn">undone, tell the team: ${w}</p>`)}</section>`
}

/** @param {{t: RefboxTeamShow, side: Side, received: RefboxReceived}} props */
function Worldstates({ t, side, received }) {
  const standby = !!box.show?.follows, is = levelOf(received.level, t.connected, standby),
    known = t.connected || !standby
  return html`<section class="panel received" aria-label=${'Worldstate of ' + t.name}><div class="head">
    <h2>Worldstate</h2><span class="sub">last second</span><b class="rate ${is.level}"><i aria-hidden="true">${is.shape}
    </i> ${known ? received.rate.toFixed(1) : '–'} Hz</b></div>
    <p class=${is.level}>${known && received.text || is.text}</p><${Rates} name=${side}
      rates=${t.id && known ? received.rates : null} labels />
    <div class="last-of"><p class="dim last">${received.last ? html`last received: <b>${received.last}</b>
      ${received.ago != null && `, ${remaining(received.ago)} ago`}` : 'no worldstate yet'}</p>
      <${ReaderButton} side=${side} received=${received} /></div>
    <${ReaderResult} side=${side} received=${received} /></section>`
}

/** @param {{show: RefboxShow, referee: RefboxRefereeShow, side: Side}} props */
function Column({ show, referee, side }) {
  const t = show[side]
  return html`<div class="column ${side}"><section class="panel keys-of"><div class="head"><h2>${teamName(show, side)}
    </h2></div><div class="team-keys">
    ${teamKeys.map(([c, name, home, away]) => html`<${Key} key=${c} command=${c} side=${side} name=${name}
      letter=${side === 'home' ? home : away} act=${() => pressTeam(c, side)} />`)}</div></section>
    <${Robots} t=${t} side=${side} /><${Worldstates} t=${t} side=${side} received=${referee[side]} />
      <${SheetOver} show=${show} of=${side} /></div>`
}

/** The outcome of the last press. */
function Outcome() {
  const { press, why } = desk
  if (why) return html`<div class="answer why" role="status"><b>${why.name}: not now.</b> <span>
    ${capital(why.off)}.</span></div>`
  if (!press) return html`<p class="answer dim" role="status">results appear here</p>`
  const sign = { sending: '…', sent: '✓', refused: '✕' }[press.state]
  return html`<div class="answer ${press.state}" role="status"><b>${sign} ${press.title}</b> <span title=${press.text}>
    ${press.text}</span></div>`
}

/** @param {{show: RefboxShow}} props */
function MainKeys({ show }) {
  return html`<section class="panel press-of" aria-label="Game"><div class=${`big ${show.follows ? 'of-standby' : ''}`}>
    ${show.follows && html`<button class="key halt takeover" data-key="TAKE_OVER" aria-disabled=${state.link !== 'open'}
      onClick=${takeOver}><span>${desk.sure ? 'It still answers. Take over?' : 'TAKE OVER'}</span><kbd>Enter</kbd></button>`}
    <${Key} class="go" command="START"
    name="START" letter=${desk.proposal || desk.sheet || show.follows ? '' : 'Enter'} act=${() => decide({ command: 'START' })} />
    <${Key} class="halt" command="STOP" name="STOP" letter="Space" act=${stop} /></div>
    <div class="middle-keys">${MIDDLE.map(([c, name, letter]) =>
      html`<${Key} key=${c} command=${c} name=${c === 'END_PART' ? endName(show.part) : name} letter=${letter}
      off=${c === 'RESET' || c === 'SET_CLOCK' ? disabled() : keyDisabled(c)}
        act=${actions[c] ?? (() => decide({ command: c }))} />`)}</div><${Outcome} /></section>`
}

/** @param {{w: RefboxWaiting}} props */
function WaitingStation({ w }) {
  const admit = (/** @type {string} */ side) => command('admit', { conn: w.conn, side })
  return html`<li><span><b>${w.name}</b> <span class="mono dim">${w.addr}</span>
    ${' '}${w.other ? html`<span class="bad">for <span class="mono">${w.other}</span></span>`
    : html`<span class="dim">for ${remaining(w.since)}</span>`}</span>
    <span class="answers">${list(w.sides).map((side) =>
      html`<button onClick=${() => admit(side)} aria-disabled=${!!disabled()}
      title=${w.other ? `${w.other} still sends: it loses its side` : ''}>
      ${w.other ? 'accept' : side === 'home' ? '◀ left' : 'right ▶'}</button>`)}
    <button onClick=${() => command('refuse', { conn: w.conn })} aria-disabled=${!!disabled()}>refuse</button></span>
      </li>`
}

/** A decision; a click proposes to undo or redo it. @param {{e: RefboxEntryShow}} props */
function Entry({ e }) {
  const gone = e.state === 'undone' || e.state === 'void', off = entryDisabled(e)
  const sent = !list(e.sent).length ? 'sent with START' : `sent${e.millis == null ? '' : ', ' + millis(e.millis)}`
  const status = { sent, waits: 'with the next START', noted: 'nothing to send', undone: 'undone',
    void: 'no longer applies' }[e.state] ?? e.state
  const action = off || (e.state === 'undone' ? 'click to redo' : 'click to undo')
  return html`<li class=${e.state}><button class="of-decision" aria-disabled=${!!off}
    title=${[`decision ${e.number}, ${e.part} ${clock(e.clock)}`, list(e.sent).join(', '), e.why, action]
      .filter(Boolean).join('; ')} onClick=${() => revise(e)}><time>${timeOfDay(e.time)}</time>
    ${gone ? html`<s>${e.text}</s>` : html`<span>${e.text}</span>`}
      <small>${gone && e.why || status}</small></button>
    ${!e.of && html`<button class="of-review ${e.verdict?.verdict ?? ''}" onClick=${() => openReviewOf(e.number)}
      title=${e.verdict ? `review: ${e.verdict.verdict}${e.verdict.note && `, ${e.verdict.note}`}` : 'review this decision'}>
      ${e.verdict?.verdict ?? 'review'}</button>`}</li>`
}

/** The game is over: where its log is, and how the next one begins. @param {{show: RefboxShow}} props */
const GameOver = ({ show }) => html`<section class="notice over" role="status"><b>Game over:
  ${teamName(show, 'home')} ${show.home.goals} : ${show.away.goals} ${teamName(show, 'away')}.</b> ${' '}
  ${show.game && html`Its log is <a href=${'log#' + encodeURIComponent(show.game + '.mcap')}>${show.game}</a>. `}
  Next game: <button onClick=${reset}>Reset <kbd>Alt R</kbd></button></section>`

/** Addresses for screens and video. */
const ForAudience = () => html`<section class="panel audience" aria-label="For the audience"><div class="head">
  <h2>For the audience</h2></div><p><a href="scoreboard" target="_blank">scoreboard</a>
  <a href="scoreboard?overlay=1" target="_blank">transparent bar for video</a>
  <a href="scoreboard?overlay=1&delay=15" target="_blank">the same, 15 s late</a></p></section>`

/** Notices for the referee: trouble, waiting base stations, messages for the teams.
 * @param {{show: RefboxShow, referee: RefboxRefereeShow}} props */
function Notices({ show, referee }) {
  const waiting = list(referee.waiting).toSorted((a, b) => Number(!a.id) - Number(!b.id)),
    refused = list(referee.refused), notes = desk.press?.notes ?? []
  return html`<div class="alerts">${show.follows && html`<section class="notice bad" role="alert"><b>Standby for ${show.follows}
    </b>, ${remaining(show.lag)} behind. This page sends nothing until you take over.</section>`}
    ${show.successor && html`<section class="notice bad taken-over" role="alert"><b>Another referee box took over at
      ${' ' + timeOfDay(show.takenOver)}, ${show.successor}.</b> This one decides nothing any more and has closed the
      teams’ connections. Referee there; end this program, or start it again with --follow.</section>`}</div>
    ${show.part === 'end' && !show.follows && html`<${GameOver} show=${show} />`}
    ${list(show.trouble).length > 0 && html`<section class="notice bad" role="alert">
      ${list(show.trouble).map((t) => html`<p><b>▲ ${t}</b></p>`)}</section>`}
    ${notes.length > 0 && html`<section class="notice warn" role="alert">${notes.map((n) => html`<p>${n}</p>`)}
      </section>`}
    ${waiting.length > 0 && html`<section class=${'notice warn waiting ' + (show.play ? '' : 'calm')}
      aria-label="Waiting"><p><b>${waiting.length === 1 ? '1 base station is waiting'
      : `${waiting.length} base stations are waiting`}</b></p>
      <ul>${waiting.map((w) => html`<${WaitingStation} key=${w.conn} w=${w} />`)}</ul></section>`}
    ${list(referee.pending).length > 0 && html`<section class="notice warn">
      <b>Not sent yet:</b> ${list(referee.pending).join(', ')}. <span
      class="dim">${list(referee.pending).length > 1 ? 'They go' : 'It goes'} out with the next START.</span>
    </section>`}
    ${refused.length > 0 && html`<details class="notice refused-of"><summary>Refused <span class="mono">
      ${refused[0].addr}</span> ${remaining(refused[0].ago)} ago: ${refused[0].why}</summary>
      <ul>${refused.slice(1).map((r) => html`<li><span class="mono">${r.addr}</span> ${remaining(r.ago)} ago: ${r.why}
        </li>`)}</ul></details>`}`
}

/** @param {{show: RefboxShow, referee: RefboxRefereeShow}} props */
function Rest({ show, referee }) {
  return html`<div class="rest"><${ProposalPanel} /><${Notices} show=${show} referee=${referee} />
    ${list(show.countdowns).length > 0 && html`<section class="panel counts" aria-label="Countdowns">
      <${Countdowns} show=${show} /></section>`}
    <section class="panel decisions" aria-label="Decisions"><div class="head"><h2>Decisions</h2><span class="sub">
      ${referee.undo ? `click to undo; Ctrl+Z: ${referee.undo}` : 'nothing to undo'}; X: review</span></div>
    <ol tabindex="-1">${list(referee.entries).map((e) => html`<${Entry} key=${e.number} e=${e} />`)}</ol></section>
      <${FieldPanel} referee=${referee} /><${ForAudience} />
      <${SheetOver} show=${show} of="middle" /></div>`
}

/** The state of the connection: to the referee box, or of a standby to the box that it follows. @param {{show: RefboxShow | null}} props */
function Link({ show }) {
  if (!show?.follows) return html`<span class="ok">● connected</span>`
  return answers(show) ? html`<span class="warn">◆ standby</span>`
    : html`<span class="bad">✕ no answer from ${show.follows}</span>`
}

function App() {
  const { show, referee } = box
  const refused = state.link === 'refused' || !hasToken()
  return html`<${Header} here="referee"><span class="field-of">${show?.name}</span>
    ${state.link === 'open' && html`<${Link} show=${show} />`}<${SoundButton} /><//>
    ${refused ? html`<${TokenForm} topics=${TOPICS}
      reason=${state.link === 'refused' ? state.reason || 'the server refused the token' : ''} />`
    : !show || !referee ? html`<${Waiting} />`
    : html`<${Board} show=${show} /><main class="referee-of"><${Column} show=${show} referee=${referee} side="home" />
      <${MainKeys} show=${show} /><${Rest} show=${show} referee=${referee} /><${Column} show=${show} referee=${referee}
      side="away" />${desk.sheet?.kind === 'review' && html`<${ReviewPanel} close=${cancel} />`}</main>`}`
}

/** @param {string} topic @param {any} value */
function receive(topic, value) {
  if (topic === 'referee') return applyReferee(value)
  box.show = value
  soundCountdowns(value)
}

const topics = () => hasToken() ? TOPICS : ['refbox']

loadSound('referee', true)
start({ App, onKey, token: true, title: () => ['referee', scoreText(box.show)], help: () => ({ groups: keyGroups }), topics,
  lettersTaken: true,
  receive, probe: () => ({ sounded }) })
if (!hasToken()) void askToken().then((given) => given && reconnect(topics()))
addEventListener('hashchange', () => reconnect(topics())) // a link with another token was pasted into this tab
