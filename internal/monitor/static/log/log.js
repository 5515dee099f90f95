// The log page: the list of logs, and the player of one.

/** @import {MatchlogEvent, MatchlogFrame, MatchlognetRow, MatchlogSummary, MatchlogView, SoccerField, VssShow} from '../types' */
/** @import {Side} from '../refbox/text.js' */
import { html, useRef } from '../htm/preact/standalone.module.js'
import { remaining } from '../refbox/text.js'
import { saveFile } from '../shared/files.js'
import { clock, degrees, localTime, signed, size } from '../shared/format.js'
import { Header, Waiting } from '../shared/header.js'
import { NotesButton, NotesPanel, probeNotes } from '../shared/notes.js'
import { start } from '../shared/page.js'
import { PlayButtons } from '../shared/playback.js'
import { list } from '../shared/state.js'
import { authorization, errorOf, errorText, hasToken, toast } from '../shared/stream.js'
import { OLD } from '../shared/worldstate.js'
import { TeamBadge, teams } from '../vss/figures.js'
import { addressOf } from './data.js'
import { ReviewPanel } from '../review/review.js'
import { closeReview, isOpen as isReviewing } from '../review/state.js'
import { LogField } from './field.js'
import { keyGroups, onKey } from './keys.js'
import { followAddress, isRefereed, jump, playback, player, reviewNow, seek, select, settledTime, shownFrame, startPlayer, step,
  togglePlaying, logTimes, offerClock } from './player.js'
import { absent, eventText, kinds, leftText, LogTimeline } from './timeline.js'

const EVENTS = 30 // shown around the present one

/** Downloads a file whose request needs the token; without a token the link itself works. @param {MouseEvent} e
 * @param {string} path @param {string} file */
async function download(e, path, file) {
  if (!hasToken()) return
  e.preventDefault()
  try {
    const answer = await fetch(path, { headers: authorization() })
    if (!answer.ok) throw new Error(await errorOf(answer))
    saveFile(file, await answer.blob())
  } catch (e) {
    toast(errorText(e))
  }
}

/** @param {{row: MatchlognetRow}} props */
function Downloads({ row }) {
  const link = (/** @type {string} */ what, /** @type {string} */ file) =>
    html`<a href=${addressOf(row.name, what)} download=${file}
    onClick=${(/** @type {MouseEvent} */ e) => row.running && download(e, addressOf(row.name, what), file)}>${what}</a>`
  if (row.running && !hasToken()) return html`<span class="dim">after the game</span>`
  return html`${row.zip && link('zip', row.zip)} ${row.name.endsWith('.mcap') && link('mcap', row.name)}`
}

function Logs() {
  const { logs, error } = player
  if (!logs?.length) return html`<${Waiting} text=${error || (logs ? 'No logs yet: the first decision of a game starts a log.'
    : undefined)} />`
  return html`<main class="logs"><section class="panel"><div class="head"><h2>Logs</h2>
    ${error && html`<span class="verdict bad" role="alert">${error}</span>`}</div><div class="scroll"><table>
    <thead><tr><th>start, local time</th><th class="text">match</th><th class="text">file</th><th>length</th>
      <th>size</th><th class="text">download</th></tr></thead><tbody>
    ${logs.map((l) => html`<tr key=${l.name}><td><a href=${'#' + encodeURIComponent(l.name)}>
      ${l.start ? localTime(l.start) : '–'}</a></td><td class="text">
      <a href=${'#' + encodeURIComponent(l.name)}>${l.home || 'Home'} – ${l.away || 'Away'}</a>
      ${l.running && html` <b class="ok">● running</b>`}
      ${l.error && html` <small class="bad">✕ ${l.error}</small>`}
      ${l.origin && html`<small class="origin dim">${l.origin}</small>`}</td><td class="text mono">${l.name}</td>
      <td>${l.start && l.end > l.start ? clock((l.end - l.start) / 1000) : '–'}</td><td>${size(l.bytes)}</td>
        <td class="text get"><${Downloads} row=${l} /></td></tr>`)}</tbody></table></div></section></main>`
}

/** @param {{side: Side, info: MatchlogSummary, view: MatchlogView | null | undefined}} props */
function Named({ side, info, view }) {
  const never = absent(info, side), told = never && info.truth
  const status = told ? 'ground truth' : never ? '○ never there' : view ? (view.age > OLD ? `✕ silent for ${remaining(view.age)}`
    : view.intention) : '✕ no worldstate'
  return html`<div class="named ${side}"><span class="badge ${never && !told ? '' : side === 'home' ? 'cyan' : 'magenta round'}">
    ${side === 'home' ? '▶' : '◀'}</span><b>${info[side] || side}</b>
    <small class=${never ? 'dim' : !view || view.age > OLD ? 'bad' : ''}>${status}</small></div>`
}

/** The game of a simulator in a frame. @param {MatchlogFrame | null} frame @returns {VssShow | null} */
const gameOf = (frame) => /** @type {VssShow | null} */ (frame?.vss ?? null)

/** @param {{game: VssShow}} props */
function GameBoard({ game }) {
  return html`<div class="log-head"><div class="named"><${TeamBadge} team="blue" /><b>blue</b></div>
    <div class="when"><b>${game.goalsBlue} : ${game.goalsYellow} · ${clock(game.time)}</b>
      <small>${game.referee && `${game.referee.foul.toLowerCase().replaceAll('_', ' ')}, `}
      ${localTime(player.t)} local time</small></div>
    <div class="named away"><${TeamBadge} team="yellow" /><b>yellow</b></div></div>`
}

/** The robots of a simulator, and what happened until now. @param {{game: VssShow}} props */
function Game({ game }) {
  return html`<section class="panel game-robots" aria-label="Robots"><div class="head"><h2>Robots</h2>
    <span class="sub">wheels in rad/s: commanded, actual</span></div><div class="scroll"><table><tbody>
    ${teams.flatMap((team) => list(game[team]).map((r) => html`<tr key=${team + r.id} data-robot=${`${team} ${r.id}`}>
      <td><${TeamBadge} team=${team} id=${r.id} on=${r.on} /></td>
      ${r.on ? html`<td>${metres(r.pose.x)}, ${metres(r.pose.y)} m</td>
        <td>${signed(r.wheels.left, 0)}, ${signed(r.wheels.right, 0)}</td>
        <td>${signed(r.turning.left, 0)}, ${signed(r.turning.right, 0)}</td>`
      : html`<td class="dim">off</td><td></td><td></td>`}</tr>`))}</tbody></table></div></section>
    <section class="panel events" aria-label="Events"><div class="head"><h2>Events</h2></div><ol>
    ${list(game.marks).toReversed().slice(0, EVENTS).map((m) => html`<li class="mark"><time>${clock(m.time)}</time>
      ${m.text}</li>`)}</ol></section>`
}

/** @param {{info: MatchlogSummary, frame: MatchlogFrame | null}} props */
function Board({ info, frame }) {
  return html`<div class="log-head"><${Named} side="home" info=${info} view=${frame?.home} />
    <div class="when"><b>${frame ? html`${frame.goalsHome} : ${frame.goalsAway} · ${clock(frame.clock)}` : '–'}</b>
      <small>${frame && `${frame.part}, ${frame.running ? '▶ playing' : '■ stopped'}, `}
      ${localTime(player.t)} local time</small></div>
    <${Named} side="away" info=${info} view=${frame?.away} /></div>`
}

const metres = (/** @type {number | null} */ v) => v == null ? '–' : signed(v, 2)

/** @param {{info: MatchlogSummary, frame: MatchlogFrame | null}} props */
function Robot({ info, frame }) {
  const { choice } = player, view = choice && frame?.[choice.side]
  const r = list(view?.robots).find((r) => r.number === choice?.number)
  if (!choice) return html`<section class="panel robot-of"><div class="head"><h2>Robot</h2>
    <span class="sub">press 0 – 9 or click a robot</span></div></section>`
  return html`<section class="panel robot-of" aria-label="Robot"><div class="head">
    <span class="badge ${choice.side === 'home' ? 'cyan' : 'magenta'}">${choice.number}</span>
    <h2>${info[choice.side]}</h2></div>
    ${r ? html`<dl><dt>at</dt><dd>x ${metres(r.x)}, y ${metres(r.y)} m${r.theta != null
      && `, ${degrees(r.theta)}`}</dd><dt>target</dt>
      <dd>${r.tx == null ? '–' : `x ${metres(r.tx)}, y ${metres(r.ty)} m`}</dd>
      <dt>speed</dt><dd>${r.vx == null || r.vy == null ? '–' : `${Math.hypot(r.vx, r.vy).toFixed(2)} m/s`}</dd>
        <dt>intention</dt><dd>${r.intention || '–'}</dd>
      <dt>battery</dt><dd>${r.battery == null ? '–' : `${r.battery} %`}</dd><dt>has the ball</dt>
        <dd>${r.engaged == null ? '–' : r.engaged ? 'yes' : 'no'}</dd></dl>`
        : html`<p class="empty">its team does not report it now</p>`}</section>`
}

const BACK = 4 // rows before an event among which an equal one counts it
const APART = 2000 // ms between equal events of one row, at most

/** Equal events as one row. @typedef {{e: MatchlogEvent, text: string, last: number, count: number}} Row */

/** The rows of the shown log; twenty thousand events are too many for every frame.
 * @type {{events: MatchlogEvent[] | null, n: number, rows: Row[]}} */
const folded = { events: null, n: 0, rows: [] }

/** The events of a log as rows. A team's faulty messages and its events count as one row while they repeat.
 * @param {MatchlogSummary} info @returns {Row[]} */
function rowsOf(info) {
  const { events } = info, all = list(events)
  if (folded.events === events && folded.n === all.length) return folded.rows
  /** @type {Row[]} */
  const rows = []
  for (const e of all) {
    const text = eventText(info, e)
    const same = ['note', 'event'].includes(e.kind) && rows.slice(-BACK).find((r) => r.text === text
      && r.e.robot === e.robot && e.t - r.last <= APART)
    if (same) {
      same.last = e.t
      same.count++
    } else rows.push({ e, text, last: e.t, count: 1 })
  }
  Object.assign(folded, { events, n: all.length, rows })
  return rows
}

/** @param {{info: MatchlogSummary}} props */
function Events({ info }) {
  const events = rowsOf(info), at = events.findLastIndex(({ e }) => e.t <= player.t + 1)
  const from = Math.max(0, Math.min(at - 5, events.length - EVENTS))
  return html`<section class="panel events" aria-label="Events"><div class="head"><h2>Events</h2><span class="sub">
    <kbd>,</kbd> <kbd>.</kbd></span></div><ol>
    ${events.slice(from, from + EVENTS).map(({ e, text, count }, i) =>
    html`<li key=${from + i} class="of-${e.kind} ${from + i === at ? 'now' : from + i > at ? 'later' : ''}">
    <button onClick=${() => seek(e.t)} title=${text + leftText(info, e)[1]}>
      <time>${clock((e.t - info.start) / 1000)}</time>
      <i aria-hidden="true">${kinds[e.kind]?.shape}</i><span>${text}</span>
      <small class="left-of">${count > 1 ? `${count.toLocaleString('en')} ×` : leftText(info, e)[0]}</small></button></li>`)}
      ${events.length === 0 && html`<li class="empty">none</li>`}</ol></section>`
}

/** @param {{info: MatchlogSummary}} props */
function Transport({ info }) {
  const row = list(player.logs).find((l) => l.name === player.name)
  return html`<div class="transport"><${PlayButtons} playback=${playback} toggle=${togglePlaying} reverse=${() => playback.reverse()}
      step=${(/** @type {1 | -1} */ direction) => step(100 * direction)} keys />
    <button onClick=${() => jump(-1, '')} title="previous event">⇤ <kbd>,</kbd></button>
      <button onClick=${() => jump(1, '')} title="next event">⇥ <kbd>.</kbd></button>
      <button onClick=${() => jump(1, 'goal')} title="next goal; Ctrl+G: previous goal">goal <kbd>G</kbd></button>
    ${isRefereed(info) && html`<button onClick=${reviewNow} title="review the decision at this time">review <kbd>X</kbd></button>`}
      <${NotesButton} />
    <span class="end"><span aria-label="time">
      ${clock((player.t - info.start) / 1000)} of ${clock((info.end - info.start) / 1000)}</span>
      ${info.ready < 1 && html`<span class="warn">${Math.floor(info.ready * 100)} % read</span>`}
      ${row && html`<${Downloads} row=${row} />`}</span></div>`
}

/** @param {{info: MatchlogSummary}} props */
function Player({ info }) {
  const { frame, exact } = shownFrame(), trouble = player.error || player.frames?.error, game = gameOf(frame)
  // The field stays while further frames are on their way.
  const known = useRef(/** @type {{name: string, field: SoccerField} | null} */ (null))
  if (game) known.current = { name: player.name, field: game.field }
  const field = known.current?.name === player.name ? known.current.field : info.field
  return html`${game ? html`<${GameBoard} game=${game} />` : html`<${Board} info=${info} frame=${frame} />`}
    <main class="player"><${LogField} field=${field} frame=${frame} choice=${player.choice}
      choose=${select} />
    <div class="log-side">${trouble && html`<section class="notice bad" role="alert"><b>${trouble}</b></section>`}
    ${[info.torn, ...list(info.notes)].filter(Boolean).map((n) => html`<section class="notice warn">${n}</section>`)}
      ${game ? html`<${Game} game=${game} />`
      : html`<${Robot} info=${info} frame=${frame} /><${Events} info=${info} />`}</div></main>
    <footer class="log-line" data-exact=${exact}><${Transport} info=${info} /><${LogTimeline} info=${info}
      t=${player.t} seek=${seek} /></footer><${NotesPanel} />`
}

/** The teams of the open log, or its file, for the title of the tab. */
const logTitle = () => player.info?.home && player.info.away ? `${player.info.home} - ${player.info.away}` : player.name

function App() {
  const { name, info, error } = player
  return html`<${Header} here="log">${name && html`<a href="#">all logs <kbd>Esc</kbd></a>`}<//>
    ${!name ? html`<${Logs} />`
      : isReviewing() ? html`<main class="reviewing"><${ReviewPanel} close=${closeReview} many /></main>` : info ? html`<${Player} info=${info} />`
      : html`<${Waiting} text=${error || 'opening'} />`}`
}

start({
  App, onKey, token: true, times: logTimes, place: followAddress, title: () => ['log', logTitle()], help: () => ({ groups: keyGroups }),
  probe: () => ({ t: player.t, ...shownFrame(), latency: player.frames?.latency, playing: playback.playing,
    speed: playback.speed, settled: settledTime(), ...probeNotes() }),
})
startPlayer()
offerClock()
