// The referee's page. It is worked blind: nothing moves, every press answers at once, what may not be pressed is dead.

/** @import {RefboxEntryShow, RefboxReceived, RefboxRefereeShow, RefboxRobotShow, RefboxShow, RefboxTeamShow, RefboxWaiting} from './types' */
/** @import {Side} from './words.js' */
import { drawn } from './canvas.js'
import { dead, decide, desk, endPart, keyName, openRobot, openSheet, redo, reset, revise, settled, takeReferee, undo, why } from './desk.js'
import { clock } from './format.js'
import { Help } from './help.js'
import { html } from './htm/preact/standalone.module.js'
import { begin, Head, Lost, takeToken, write } from './pages.js'
import { light, Rates } from './rates.js'
import { listen, pressTeam, rows, stop, teamKeys } from './refereekeys.js'
import { SheetOver, StripPanel, TokenForm } from './sheets.js'
import { beginSound, Countdowns, listenFor, SoundButton, sounded } from './sound.js'
import { change, list, state } from './state.js'
import { command, connect, hasToken, reconnect } from './stream.js'
import { capital, left, standing, team, took } from './words.js'

const TOPICS = ['refbox', 'referee']
const MIDDLE = [['DROP_BALL', 'Dropped ball', 'B'], ['END_PART', 'End of part', 'P'], ['PARK', 'Park', 'V'], ['UNDO', 'Undo', 'Ctrl Z'], ['REDO', 'Redo', 'Ctrl Y'], ['SET_CLOCK', 'Correct …', 'C'], ['RESET', 'Reset …', 'Alt R']]

/** @type {Record<string, () => unknown>} */
const acts = { END_PART: endPart, UNDO: undo, REDO: redo, SET_CLOCK: () => openSheet('correct'), RESET: reset }

/** What ends with END_PART, as the button says. @param {string} part */
function endOf(part) {
  if (part === 'before overtime' || part === 'shoot-out') return 'Game over'
  if (part === 'second half' || part === 'overtime second half') return 'End of game'
  return 'End of part'
}

/** A key: dead ones stay where they are and say why.
 * @param {{name: string, letter: string, command: string, side?: Side, act: () => unknown, class?: string, off?: string}} props */
function Key({ name, letter, command, side, act, off = why(command, side), ...more }) {
  const hit = desk.hit === keyName(command, side)
  return html`<button class=${`key ${more.class ?? ''} ${hit ? 'hit' : ''}`} data-key=${keyName(command, side)} aria-disabled=${!!off} title=${off} onClick=${act}>
    <span>${name}</span><kbd>${letter}</kbd></button>`
}

/** @param {{side: Side, show: RefboxShow}} props */
function TeamHead({ side, show }) {
  const t = show[side]
  const name = t.name || capital(side)
  const may = !dead() && t.id !== 0 && (show.part === 'pre-game' || show.part === 'end')
  return html`<div class="of ${side}"><i></i><div class="who-is"><h2 title=${t.name} style=${{ '--longest': Math.max(...name.split(' ').map((w) => w.length)) }}>${name}</h2><p>${t.connected ? '' : show.follows ? 'copy: not known, ' : html`<b class="bad">✕ not connected</b>, `}${side === 'home' ? 'left' : 'right'}${t.group && `, ${t.group}`}
    ${may && html` <button class="small" onClick=${() => command('release', { side })} title="gives this side free for another team">release</button>`}</p></div>
    <b class="goals-of" aria-label=${'goals of ' + t.name}>${t.goals}</b></div>`
}

/** @param {{show: RefboxShow}} props */
function Board({ show }) {
  const now = standing(show)
  return html`<section class="panel match-head" aria-label="Match"><${TeamHead} side="home" show=${show} />
    <div class="clock-of"><b aria-label="clock">${clock(show.total)}</b><p>${show.part}${show.length > 0 && ` of ${clock(show.length)}`}, in play ${clock(show.effective)}</p>
    <p class="stands ${now.level}" role="status"><i aria-hidden="true">${now.shape}</i> ${now.words}</p></div><${TeamHead} side="away" show=${show} /></section>`
}

/** Where a robot stands with the referee. @param {RefboxRobotShow} r */
function robotWords(r) {
  const state = r.state === 'double yellow' ? '2×Y' : r.state
  if (r.waits) return `${state}, waits`
  return r.left == null ? state : `${state} ${clock(Math.ceil(r.left))}`
}

/** @param {{t: RefboxTeamShow, side: Side}} props */
function Robots({ t, side }) {
  const off = dead()
  return html`<section class="panel" aria-label=${'Robots of ' + t.name}><div class="head"><h2>Robots</h2><span class="sub">${t.substitutions} of ${t.most} substitutions used</span>
    <button class="small" aria-disabled=${!!off} title=${off} onClick=${() => openRobot(side)}>other <kbd>${side === 'home' ? 'T' : 'Y'}</kbd></button></div>
    <div class="robots-of">${list(t.robots).map((r, i) => html`<button class=${'one ' + r.state.replace(' ', '-') + (r.waits ? ' waits' : '')} aria-disabled=${!!off} onClick=${() => openRobot(side, r.number ? String(r.number) : '')}
      title=${i < 5 ? `key ${side === 'home' ? i + 1 : (i + 6) % 10}` : ''}><b>${r.number || '?'}</b><small>${robotWords(r)}</small></button>`)}
      ${list(t.robots).length === 0 && html`<p class="dim">none is known yet</p>`}</div>
    ${list(t.takenBack).map((w) => html`<p class="taken warn">taken back, tell the team: ${w}</p>`)}</section>`
}

/** @param {{t: RefboxTeamShow, side: Side, heard: RefboxReceived}} props */
function Worldstates({ t, side, heard }) {
  const copy = !!state.refbox?.follows, is = light(heard.level, t.connected, copy), known = t.connected || !copy
  return html`<section class="panel heard" aria-label=${'Worldstate of ' + t.name}><div class="head"><h2>Worldstate</h2><span class="sub">last second</span><b class="rate ${is.level}"><i aria-hidden="true">${is.shape}</i> ${known ? heard.rate.toFixed(1) : '–'} Hz</b></div>
    <p class=${is.level}>${known && heard.text || is.word}</p><${Rates} name=${side} rates=${t.id && known ? heard.rates : null} labels />
    <p class="dim last">${heard.last ? html`last received: <b>${heard.last}</b>${heard.ago != null && `, ${left(heard.ago)} ago`}` : 'received nothing yet'}</p></section>`
}

/** @param {{show: RefboxShow, referee: RefboxRefereeShow, side: Side}} props */
function Column({ show, referee, side }) {
  const t = show[side]
  return html`<div class="column ${side}"><section class="panel keys-of"><div class="head"><h2>${team(show, side)}</h2></div><div class="team-keys">
    ${teamKeys.map(([c, name, home, away]) => html`<${Key} key=${c} command=${c} side=${side} name=${name} letter=${side === 'home' ? home : away} act=${() => pressTeam(c, side)} />`)}</div></section>
    <${Robots} t=${t} side=${side} /><${Worldstates} t=${t} side=${side} heard=${referee[side]} /><${SheetOver} show=${show} of=${side} /></div>`
}

/** What became of the last press. */
function Answer() {
  const { press } = desk
  if (!press) return html`<p class="answer dim" role="status">each press answers here</p>`
  const sign = { going: '…', sent: '✓', refused: '✕' }[press.state]
  return html`<div class="answer ${press.state}" role="status"><b>${sign} ${press.title}</b> <span title=${press.text}>${press.text}</span></div>`
}

/** @param {{show: RefboxShow}} props */
function Press({ show }) {
  return html`<section class="panel press-of" aria-label="Game"><div class="big"><${Key} class="go" command="START" name="START" letter=${desk.strip || desk.sheet ? '' : 'Enter'} act=${() => decide({ command: 'START' })} />
    <${Key} class="halt" command="STOP" name="STOP" letter="Space" act=${stop} /></div>
    <div class="middle-keys">${MIDDLE.map(([c, name, letter]) => html`<${Key} key=${c} command=${c} name=${c === 'END_PART' ? endOf(show.part) : name} letter=${letter}
      off=${c === 'RESET' || c === 'SET_CLOCK' ? dead() : why(c)} act=${acts[c] ?? (() => decide({ command: c }))} />`)}</div><${Answer} /></section>`
}

/** @param {{w: RefboxWaiting}} props */
function Waits({ w }) {
  const admit = (/** @type {string} */ side) => command('admit', { conn: w.conn, side })
  return html`<li><span><b>${w.name}</b> <span class="mono dim">${w.addr}</span> <span class="dim">waits ${left(w.since)}</span></span>
    <span class="answers">${list(w.sides).map((side) => html`<button onClick=${() => admit(side)} aria-disabled=${!!dead()}>${side === 'home' ? '◀ left' : 'right ▶'}</button>`)}
    <button onClick=${() => command('refuse', { conn: w.conn })} aria-disabled=${!!dead()}>refuse</button></span></li>`
}

/** A decision; pressed, it is taken back or put back. @param {{e: RefboxEntryShow}} props */
function Entry({ e }) {
  const gone = e.state === 'undone' || e.state === 'void', off = settled(e)
  const sent = !list(e.sent).length ? 'sent with START' : `sent${e.millis == null ? '' : ', ' + took(e.millis)}`
  const what = { sent, waits: 'at next START', noted: 'nothing to send', undone: 'taken back', void: 'holds no longer' }[e.state] ?? e.state
  const may = off || (e.state === 'undone' ? 'puts it back' : 'takes it back')
  return html`<li class=${e.state}><button aria-disabled=${!!off} title=${[list(e.sent).join(', '), e.why, may].filter(Boolean).join('; ')} onClick=${() => revise(e)}>
    <time>${clock(e.clock)}</time>${gone ? html`<s>${e.text}</s>` : html`<span>${e.text}</span>`}<small>${gone && e.why || what}</small></button></li>`
}

/** What cannot wait: trouble, connections, what the teams have to be told. @param {{show: RefboxShow, referee: RefboxRefereeShow}} props */
function Notices({ show, referee }) {
  const waiting = list(referee.waiting).toSorted((a, b) => Number(!a.id) - Number(!b.id)), refused = list(referee.refused), notes = desk.press?.notes ?? []
  return html`${show.follows && html`<section class="notice bad" role="alert"><b>This is a copy of ${show.follows}</b>, ${left(show.lag)} behind. Nothing here is sent.
      <button onClick=${() => command('promote', {})} disabled=${state.link !== 'open'}>take over</button></section>`}
    ${list(show.trouble).length > 0 && html`<section class="notice bad" role="alert">${list(show.trouble).map((t) => html`<p><b>▲ ${t}</b></p>`)}</section>`}
    ${notes.length > 0 && html`<section class="notice warn" role="alert">${notes.map((n) => html`<p>${n}</p>`)}</section>`}
    ${waiting.length > 0 && html`<section class=${'notice warn waiting ' + (show.play ? '' : 'calm')} aria-label="Waiting"><p><b>${waiting.length === 1 ? 'A base station waits' : `${waiting.length} base stations wait`}</b></p><ul>${waiting.map((w) => html`<${Waits} key=${w.conn} w=${w} />`)}</ul></section>`}
    ${list(referee.pending).length > 0 && html`<section class="notice warn"><b>Not sent yet:</b> ${list(referee.pending).join(', ')}. <span class="dim">With the next START.</span></section>`}
    ${refused.length > 0 && html`<details class="notice refused-of"><summary>Refused <span class="mono">${refused[0].addr}</span> ${left(refused[0].ago)} ago: ${refused[0].why}</summary>
      <ul>${refused.slice(1).map((r) => html`<li><span class="mono">${r.addr}</span> ${left(r.ago)} ago: ${r.why}</li>`)}</ul></details>`}`
}

/** @param {{show: RefboxShow, referee: RefboxRefereeShow}} props */
function Rest({ show, referee }) {
  return html`<div class="rest"><${StripPanel} /><${Notices} show=${show} referee=${referee} />
    ${list(show.countdowns).length > 0 && html`<section class="panel counts" aria-label="Countdowns"><${Countdowns} show=${show} /></section>`}
    <section class="panel decisions" aria-label="Decisions"><div class="head"><h2>Decisions</h2><span class="sub">${referee.undo ? `press one to take it back; Ctrl+Z: ${referee.undo}` : 'nothing to take back'}</span></div>
    <ol tabindex="-1">${list(referee.entries).map((e) => html`<${Entry} key=${e.number} e=${e} />`)}</ol></section><${SheetOver} show=${show} of="middle" /></div>`
}

function App() {
  const { refbox: show, referee } = state
  const refused = state.link === 'refused' || !hasToken()
  return html`<${Head}><span class="field-of">${show?.name}</span>${state.link === 'open' && html`<span class="ok">● connected</span>`}<${SoundButton} /><//><${Lost} />
    ${refused ? html`<${TokenForm} topics=${TOPICS} reason=${state.link === 'refused' ? state.reason || 'the token is refused' : ''} />`
    : !show || !referee ? html`<main class="page"><p class="empty">${state.link === 'lost' ? '' : 'connecting'}</p></main>`
    : html`<${Board} show=${show} /><main class="referee-of ${dead() ? 'all-dead' : ''}"><${Column} show=${show} referee=${referee} side="home" /><${Press} show=${show} /><${Rest} show=${show} referee=${referee} /><${Column} show=${show} referee=${referee} side="away" /></main>`}
    <${Help} open=${state.help} rows=${rows} />${state.toast && html`<p class="toast" role="alert">${state.toast}</p>`}`
}

/** @param {string} topic @param {any} value */
function take(topic, value) {
  if (topic === 'refbox') {
    state.refbox = value
    document.title = `${value.home.goals}:${value.away.goals} referee`
    listenFor(value)
  } else if (topic === 'referee') takeReferee(value)
  write()
}

const topics = () => hasToken() ? TOPICS : ['refbox']

takeToken()
addEventListener('hashchange', () => { // another address was pasted into this tab
  takeToken()
  change({ link: 'connecting', reason: '' })
  reconnect(topics())
})
beginSound('referee', true)
listen()
begin(App)
connect(topics(), take)
// For tests: what was really drawn and sounded.
Object.assign(window, { touchline: { drawn: () => ({ pictures: drawn(), sounded }) } })
