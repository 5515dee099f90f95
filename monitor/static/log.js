// The logs' page: the list of them, and one that is played. What plays is the page's own: it fetches frames ahead and
// shows the one of its moment, so that reverse, speed and seeking ask nobody.

/** @import {Choice} from './logfield.js' */
/** @import {MatchlogEvent, MatchlogFrame, MatchlogRow, MatchlogSummary, MatchlogView} from './types' */
/** @import {Side} from './words.js' */
import { drawn } from './canvas.js'
import { clock, signed } from './format.js'
import { digitOf, Help, keyOf, onKeys, presses, typing } from './help.js'
import { html } from './htm/preact/standalone.module.js'
import { address, Frames, get } from './logdata.js'
import { LogField, OLD } from './logfield.js'
import { eventWords, kinds, Timeline } from './logline.js'
import { begin, decoded, Head, takeToken, write } from './pages.js'
import { change, list, state } from './state.js'
import { bearer, hasToken, toast, words } from './stream.js'
import { left, sides } from './words.js'

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64]
const LOOK = 700 // ms between looks at a log that is still read or written, and at the list ten times that
const SHOWN = 30 // events around the moment

/** @type {[string, string][]} */
const rows = [
  ['Space', 'play and stand'], ['←  →', 'step by 100 ms; with Alt 500 ms, with Shift 10 ms'], ['+  −', 'faster, slower: 0.1 to 64 times; also Ctrl+↑, Ctrl+↓'],
  ['R', 'play backwards, and forwards again'], ['Home  End', 'the beginning, the end'], ['.  ,', 'the next, the previous event'],
  ['G  Ctrl+G', 'the next, the previous goal'], ['0 – 9', 'robot: of the first team, again: of the second, again: none'], ['Esc', 'back to the list'],
]

const play = {
  logs: /** @type {MatchlogRow[] | null} */ (null),
  name: '', // of the open log
  info: /** @type {MatchlogSummary | null} */ (null),
  frames: /** @type {Frames | null} */ (null),
  wish: /** @type {number | null} */ (null), // s since the beginning: where to go as soon as so much of it is read
  t: 0, // ms since 1970: the moment that is shown
  playing: false,
  speed: 1,
  way: /** @type {1 | -1} */ (1),
  choice: /** @type {Choice | null} */ (null),
  error: '',
}

/** @param {Partial<typeof play>} with_ */
function put(with_) {
  Object.assign(play, with_)
  change({})
}

const say = (/** @type {unknown} */ e) => e instanceof Error ? e.message : String(e)

/** Goes to a moment. @param {number} t */
function seek(t) {
  play.wish = null
  go(t)
}

/** @param {number} t */
function go(t) {
  const { info, frames } = play
  if (!info || !frames) return
  play.t = Math.min(info.end, Math.max(info.start, t))
  frames.end = info.end
  frames.want(play.t, play.playing ? play.speed : 0, play.way)
  remember()
  write()
}

let remembering = 0

/** Keeps log and moment in the address, so that it can be passed on. */
function remember() {
  clearTimeout(remembering)
  remembering = setTimeout(() => {
    if (play.info && play.wish == null) history.replaceState(null, '', `#${encodeURIComponent(play.name)}&t=${clock((play.t - play.info.start) / 1000)}`)
  }, 300)
}

/** What an address says: #NAME&t=12:41. @param {string} hash @returns {{name: string, at: number | null}} seconds */
function parse(hash) {
  const [name, ...rest] = hash.replace(/^#/, '').split('&')
  const t = rest.find((p) => p.startsWith('t='))?.slice(2).split(':').map(Number)
  const at = t?.reduce((sum, n) => sum * 60 + n, 0) ?? null
  return { name: decoded(name), at: at == null || !Number.isFinite(at) ? null : at }
}

/** Opens what the address names, or the list. */
async function follow() {
  const { name, at } = parse(location.hash)
  if (name === play.name) {
    if (play.info && at != null && Math.abs((play.t - play.info.start) / 1000 - at) >= 1) seek(play.info.start + at * 1000)
    return
  }
  put({ name, info: null, frames: name ? new Frames(name, write) : null, wish: at ?? 0, playing: false, choice: null, error: '' })
  await look()
}

/** More of the log is known: goes to the wished moment as soon as so much of it is read, until then as near as can be; else
 * it stays, and what the moment that is shown lacked is fetched. @param {MatchlogSummary} info */
function grant(info) {
  const { wish } = play
  go(wish == null ? play.t : info.start + wish * 1000)
  if (wish != null && (info.ready >= 1 || info.end >= info.start + wish * 1000)) play.wish = null
}

/** How long each decision took is in the log, and of no use on a timeline. @param {MatchlogEvent} e */
const worth = (e) => !(e.kind === 'note' && /^decision \d+ went out /.test(e.text))

let looking = 0

/** Asks for the open log again while more of it becomes known, or for the list. */
async function look() {
  clearTimeout(looking)
  const { name } = play
  try {
    if (name) {
      const info = /** @type {MatchlogSummary} */ (await get(address(name)))
      if (play.name !== name) return
      put({ info: { ...info, events: list(info.events).filter(worth) }, error: '' })
      grant(info)
    } else {
      const { logs } = /** @type {{logs: MatchlogRow[] | null}} */ (await get('api/logs'))
      if (!play.name) put({ logs: logs ?? [], error: '' })
    }
  } catch (e) {
    if (play.name === name) put({ error: say(e) })
  }
  const growing = play.info && (play.info.ready < 1 || list(play.logs).some((l) => l.name === name && l.running))
  if (!name || growing || play.error) looking = setTimeout(look, name ? LOOK : 10 * LOOK)
}

let last = 0

/** Goes on by the time since the last frame of the screen. @param {number} now ms */
function tick(now) {
  const { info, playing, speed, way } = play
  if (info && playing) {
    const next = play.t + way * speed * Math.max(0, Math.min(250, now - last))
    if (way > 0 ? next >= info.end : next <= info.start) play.playing = false
    // Where no frame is there yet it waits: what is skipped nobody sees.
    if (!play.frames || play.frames.at(next, speed).exact || play.frames.error) seek(next)
    else play.frames.want(next, speed, way)
  }
  last = now
  if (play.playing) requestAnimationFrame(tick)
  else write()
}

function toggle() {
  const { info } = play
  if (!info) return
  if (!play.playing && (play.way > 0 ? play.t >= info.end : play.t <= info.start)) play.t = play.way > 0 ? info.start : info.end
  last = performance.now()
  put({ playing: !play.playing })
  if (play.playing) requestAnimationFrame(tick)
}

/** @param {1 | -1} by */
function faster(by) {
  const at = SPEEDS.indexOf(play.speed)
  put({ speed: SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))] })
}

/** @param {number} by ms */
const step = (by) => {
  play.playing = false
  seek(play.t + by)
}

/** The next event that counts, after or before a moment. @param {MatchlogEvent[]} events in their order @param {number} t @param {1 | -1} way @param {(e: MatchlogEvent) => boolean} counts */
function nextEvent(events, t, way, counts) {
  return way > 0 ? events.find((e) => e.t > t + 1 && counts(e)) : events.findLast((e) => e.t < t - 1 && counts(e))
}

/** @param {1 | -1} way @param {string} kind '' for any that the referee made */
function jump(way, kind) {
  const e = nextEvent(list(play.info?.events), play.t, way, (e) => kind ? e.kind === kind : e.kind !== 'note')
  if (!e) return toast(`no ${way > 0 ? 'later' : 'earlier'} ${kind || 'event'}`)
  play.playing = false
  seek(e.t)
}

/** The digit's robot: of the first team, then of the second, then none. @param {number} number */
function choose(number) {
  const { frame } = shown()
  const have = sides.filter((side) => list(frame?.[side]?.robots).some((r) => r.number === number))
  const at = play.choice?.number === number ? have.indexOf(play.choice.side) + 1 : 0
  if (!have.length) toast(`nobody speaks of a robot ${number} here`)
  put({ choice: have[at] ? { side: have[at], number } : null })
}

const shown = () => play.frames?.at(play.t, play.playing ? play.speed : 0) ?? { frame: null, exact: false }

/** @type {Record<string, () => void>} */
const acts = {
  ' ': toggle, r: () => put({ way: play.way > 0 ? -1 : 1 }), '+': () => faster(1), '=': () => faster(1), '-': () => faster(-1),
  Home: () => seek(play.info?.start ?? 0), End: () => seek(play.info?.end ?? 0), '.': () => jump(1, ''), ',': () => jump(-1, ''), g: () => jump(1, 'goal'),
  Escape: () => { location.hash = '' },
}

/** @param {KeyboardEvent} e */
function down(e) {
  if (typing(e) || e.metaKey) return
  const key = keyOf(e), digit = digitOf(e), helping = document.querySelector('dialog')?.open ?? false
  if (key === '?') change({ help: !state.help })
  else if (helping || !play.name || presses(e) || presses(e, 'Enter')) return
  else if (key === 'ArrowLeft' || key === 'ArrowRight') step((key === 'ArrowLeft' ? -1 : 1) * (e.altKey ? 500 : e.shiftKey ? 10 : 100))
  else if (e.ctrlKey && (key === 'ArrowUp' || key === 'ArrowDown')) faster(key === 'ArrowUp' ? 1 : -1)
  else if (e.ctrlKey && key === 'g') jump(-1, 'goal')
  else if (e.ctrlKey || e.altKey) return
  else if (digit) choose(Number(digit))
  else if (key in acts && !(e.repeat && key === ' ')) acts[key]()
  else return
  e.preventDefault()
}

/** Saves what a link cannot fetch, because the token goes with it. @param {MouseEvent} e @param {string} path @param {string} file */
async function save(e, path, file) {
  if (!hasToken()) return // the link does it
  e.preventDefault()
  try {
    const answer = await fetch(path, { headers: bearer() })
    if (!answer.ok) throw new Error(await words(answer))
    const a = document.createElement('a')
    a.href = URL.createObjectURL(await answer.blob())
    a.download = file
    a.click()
    setTimeout(() => URL.revokeObjectURL(a.href), 60_000)
  } catch (e) {
    toast(say(e))
  }
}

/** @param {{row: MatchlogRow}} props */
function Downloads({ row }) {
  const link = (/** @type {string} */ what, /** @type {string} */ file) => html`<a href=${address(row.name, what)} download=${file} onClick=${(/** @type {MouseEvent} */ e) => row.running && save(e, address(row.name, what), file)}>${what}</a>`
  if (row.running && !hasToken()) return html`<span class="dim">when the game is over</span>`
  return html`${row.zip && link('zip', row.zip)} ${row.name.endsWith('.mcap') && link('mcap', row.name)}`
}

const size = (/** @type {number} */ bytes) => bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`

function Logs() {
  const { logs, error } = play
  if (!logs?.length) return html`<main class="page"><p class="empty">${error || (logs ? 'No log is here yet: one is begun with the first decision of a game.' : 'connecting')}</p></main>`
  return html`<main class="logs"><section class="panel"><div class="head"><h2>Logs</h2>${error && html`<span class="words bad" role="alert">${error}</span>`}</div><div class="scroll"><table>
    <thead><tr><th>begun, local time</th><th class="text">match</th><th class="text">file</th><th>length</th><th>size</th><th class="text">download</th></tr></thead><tbody>
    ${logs.map((l) => html`<tr key=${l.name}><td><a href=${'#' + encodeURIComponent(l.name)}>${l.start ? new Date(l.start).toLocaleString() : '–'}</a></td><td class="text"><a href=${'#' + encodeURIComponent(l.name)}>${l.home || 'Home'} – ${l.away || 'Away'}</a>${l.running && html` <b class="ok">● running</b>`}</td><td class="text mono">${l.name}</td>
      <td>${l.start && l.end > l.start ? clock((l.end - l.start) / 1000) : '–'}</td><td>${size(l.bytes)}</td><td class="text get"><${Downloads} row=${l} /></td></tr>`)}</tbody></table></div></section></main>`
}

/** @param {{side: Side, info: MatchlogSummary, view: MatchlogView | null | undefined}} props */
function Named({ side, info, view }) {
  const heard = view ? (view.age > OLD ? `✕ silent for ${left(view.age)}` : view.intention) : '✕ nothing said'
  return html`<div class="named ${side}"><span class="badge ${side === 'home' ? 'cyan' : 'magenta round'}">${side === 'home' ? '▶' : '◀'}</span><b>${info[side] || side}</b><small class=${!view || view.age > OLD ? 'bad' : ''}>${heard}</small></div>`
}

/** @param {{info: MatchlogSummary, frame: MatchlogFrame | null}} props */
function Board({ info, frame }) {
  return html`<div class="log-head"><${Named} side="home" info=${info} view=${frame?.home} />
    <div class="when"><b>${frame ? html`${frame.goalsHome} : ${frame.goalsAway} · ${clock(frame.clock)}` : '–'}</b><small>${frame && `${frame.part}, ${frame.running ? '▶ playing' : '■ stopped'}, `}${new Date(play.t).toLocaleTimeString()} local time</small></div>
    <${Named} side="away" info=${info} view=${frame?.away} /></div>`
}

const metres = (/** @type {number | null} */ v) => v == null ? '–' : signed(v, 2)

/** @param {{info: MatchlogSummary, frame: MatchlogFrame | null}} props */
function Robot({ info, frame }) {
  const { choice } = play, view = choice && frame?.[choice.side]
  const r = list(view?.robots).find((r) => r.number === choice?.number)
  if (!choice) return html`<section class="panel robot-of"><div class="head"><h2>Robot</h2><span class="sub">0 – 9, or click one</span></div></section>`
  return html`<section class="panel robot-of" aria-label="Robot"><div class="head"><span class="badge ${choice.side === 'home' ? 'cyan' : 'magenta'}">${choice.number}</span><h2>${info[choice.side]}</h2></div>
    ${r ? html`<dl><dt>at</dt><dd>x ${metres(r.x)}, y ${metres(r.y)} m${r.theta != null && `, ${signed(r.theta * 180 / Math.PI, 0)}°`}</dd><dt>target</dt><dd>${r.tx == null ? '–' : `x ${metres(r.tx)}, y ${metres(r.ty)} m`}</dd>
      <dt>speed</dt><dd>${r.vx == null || r.vy == null ? '–' : `${Math.hypot(r.vx, r.vy).toFixed(2)} m/s`}</dd><dt>intention</dt><dd>${r.intention || '–'}</dd>
      <dt>battery</dt><dd>${r.battery == null ? '–' : `${r.battery} %`}</dd><dt>has the ball</dt><dd>${r.engaged == null ? '–' : r.engaged ? 'yes' : 'no'}</dd></dl>` : html`<p class="empty">its team does not speak of it now</p>`}</section>`
}

/** @param {{info: MatchlogSummary}} props */
function Happened({ info }) {
  const events = list(info.events), at = events.findLastIndex((e) => e.t <= play.t + 1)
  const from = Math.max(0, Math.min(at - 5, events.length - SHOWN))
  return html`<section class="panel happened" aria-label="Events"><div class="head"><h2>Events</h2><span class="sub">, and . step through them</span></div><ol>${events.slice(from, from + SHOWN).map((e, i) => html`<li key=${from + i} class=${from + i === at ? 'now' : from + i > at ? 'later' : ''}>
    <button onClick=${() => seek(e.t)} title=${eventWords(info, e)}><time>${clock((e.t - info.start) / 1000)}</time><i aria-hidden="true">${kinds[e.kind]?.shape}</i><span>${eventWords(info, e)}</span></button></li>`)}${events.length === 0 && html`<li class="empty">none</li>`}</ol></section>`
}

/** @param {{info: MatchlogSummary}} props */
function Transport({ info }) {
  const row = list(play.logs).find((l) => l.name === play.name)
  return html`<div class="transport"><button class=${play.playing ? 'on' : ''} aria-pressed=${play.playing} onClick=${toggle} aria-label="play">${play.playing ? '❚❚' : '▶'} <kbd>Space</kbd></button>
    <button onClick=${() => step(-100)} title="100 ms back" aria-label="100 ms back">‹ <kbd>←</kbd></button><button onClick=${() => step(100)} title="100 ms on" aria-label="100 ms on">› <kbd>→</kbd></button>
    <button class=${play.way < 0 ? 'on' : ''} aria-pressed=${play.way < 0} onClick=${acts.r}>reverse <kbd>R</kbd></button>
    <button onClick=${() => faster(-1)} aria-label="slower">−</button><span class="speed-of" aria-label="speed">${play.speed} ×</span><button onClick=${() => faster(1)} aria-label="faster">+</button>
    <button onClick=${() => jump(-1, '')} title="previous event">⇤ <kbd>,</kbd></button><button onClick=${() => jump(1, '')} title="next event">⇥ <kbd>.</kbd></button><button onClick=${() => jump(1, 'goal')} title="next goal; Ctrl+G: the previous">goal <kbd>G</kbd></button>
    <span class="end"><span aria-label="moment">${clock((play.t - info.start) / 1000)} of ${clock((info.end - info.start) / 1000)}</span>${info.ready < 1 && html`<span class="warn">${Math.floor(info.ready * 100)} % read</span>`}${row && html`<${Downloads} row=${row} />`}</span></div>`
}

const Toast = () => state.toast && html`<p class="toast" role="alert">${state.toast}</p>`

/** @param {{info: MatchlogSummary}} props */
function Player({ info }) {
  const { frame, exact } = shown(), trouble = play.error || play.frames?.error
  return html`<${Board} info=${info} frame=${frame} />
    <main class="play-of"><${LogField} field=${info.field} frame=${frame} choice=${play.choice} choose=${(/** @type {Choice | null} */ choice) => put({ choice })} />
    <div class="log-side">${trouble && html`<section class="notice bad" role="alert"><b>${trouble}</b></section>`}
    ${[info.torn, ...list(info.notes)].filter(Boolean).map((n) => html`<section class="notice warn">${n}</section>`)}<${Robot} info=${info} frame=${frame} /><${Happened} info=${info} /></div></main>
    <footer class="log-line" data-exact=${exact}><${Transport} info=${info} /><${Timeline} info=${info} t=${play.t} seek=${seek} /><${Toast} /></footer>`
}

function App() {
  const { name, info, error } = play
  return html`<${Head}>${name && html`<a href="#">all logs <kbd>Esc</kbd></a>`}<//>
    ${!name ? html`<${Logs} />` : info ? html`<${Player} info=${info} />` : html`<main class="page"><p class="empty">${error || 'opening'}</p></main>`}
    <${Help} open=${state.help} rows=${rows} />${(!name || !info) && html`<${Toast} />`}`
}

takeToken()
addEventListener('hashchange', () => {
  takeToken()
  void follow()
})
onKeys(down)
begin(App)
if (parse(location.hash).name) {
  void get('api/logs').then((/** @type {any} */ { logs }) => put({ logs: logs ?? [] }), () => {})
  void follow()
} else void look()
// For tests: what is shown, and how long the last fetch took.
Object.assign(window, { touchline: { drawn: () => ({ t: play.t, frame: shown().frame, exact: shown().exact, waits: play.frames?.waits, playing: play.playing, speed: play.speed, pictures: drawn() }) } })
