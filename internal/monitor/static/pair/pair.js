// Two logs on one clock. Each is shown by its own pages in a frame; this page moves the time of both.

import { parseTime, readPlace, storePlace, timeText } from '../shared/address.js'
import { Header, Waiting } from '../shared/header.js'
import { isForPage, keyOf } from '../shared/keyboard.js'
import { html } from '../htm/preact/standalone.module.js'
import { rerender, start } from '../shared/page.js'
import { Playback, PlayButtons } from '../shared/playback.js'
import { errorText, get } from '../shared/stream.js'

/** The clock that the page of a recording offers to the page around it.
 * @typedef {{span: () => {from: number, to: number} | null, follow: (t: number, speed: number, direction: 1 | -1) => void}} Clock */

const FOLLOW = 40 // ms between times that the frames are asked to show

const pair = {
  logs: /** @type {{name: string, path: string}[]} */ ([]),
  t: 0, // s since the start of the first log
  offset: 0, // s by which the second log is shown later
  over: 0, // opacity of the second log over the first one; 0: side by side
  error: '',
}

const playback = new Playback([0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32], advance)

/** The clocks of both frames, once they have one. @returns {(Clock | undefined)[]} */
const clocks = () => [...document.querySelectorAll('iframe')].map((f) => /** @type {any} */ (f.contentWindow)?.clock)

/** How long the longer log is, in s; 0 until both are there. */
function length() {
  const spans = clocks().map((c) => c?.span())
  const [a, b] = spans.map((s) => s ? s.to - s.from : 0)
  return spans.length === 2 && spans.every(Boolean) ? Math.max(a, b - pair.offset) : 0
}

let followed = 0, waiting = 0

/** Shows the time in both frames, at most 25 times a second. */
function follow() {
  clearTimeout(waiting)
  const wait = followed + FOLLOW - performance.now()
  if (wait > 0) return void (waiting = setTimeout(follow, wait))
  followed = performance.now()
  clocks().forEach((clock, i) => {
    const span = clock?.span()
    if (span) clock?.follow(span.from + pair.t + (i ? pair.offset : 0), playback.playing ? playback.speed : 0, playback.direction)
  })
  storePlace({ first: '', values: { t: timeText(pair.t), offset: pair.offset ? String(pair.offset) : '', over: pair.over ? String(pair.over) : '' } })
  rerender()
}

/** @param {number} t s */
function seek(t) {
  pair.t = Math.min(length() || t, Math.max(0, t))
  follow()
}

/** @param {number} ms */
function advance(ms) {
  const next = pair.t + ms / 1000
  if (next <= 0 || length() && next >= length()) playback.playing = false
  seek(next)
}

function toggle() {
  if (!playback.playing && playback.direction > 0 && length() && pair.t >= length()) pair.t = 0
  playback.toggle()
}

/** @param {number} by s */
function step(by) {
  playback.playing = false
  seek(pair.t + by)
}

/** @param {number} offset s */
function shift(offset) {
  if (Number.isFinite(offset)) pair.offset = Math.max(-36000, Math.min(36000, offset))
  follow()
}

/** @param {number} over opacity, 0..1 */
function lay(over) {
  pair.over = over
  follow()
}

/** Looks until both frames have a clock, then shows the time in them. */
function settle() {
  if (length()) follow()
  else setTimeout(settle, 100)
}

function place() {
  const { values } = readPlace()
  pair.t = parseTime(values.t) ?? 0
  pair.offset = Number(values.offset) || 0
  pair.over = Math.max(0, Math.min(1, Number(values.over) || 0))
  settle()
}

async function load() {
  try {
    pair.logs = await get('api/pair')
  } catch (e) {
    pair.error = errorText(e)
  }
  rerender()
}

/** Hides what this page has itself: links and the time of one log. @param {any} e */
function frame(e) {
  e.currentTarget.contentDocument.documentElement.dataset.framed = 'true'
}

const Clockwork = () => html`<footer class="pair-clock" aria-label="clock of both logs">
  <${PlayButtons} playback=${playback} toggle=${toggle} reverse=${() => playback.reverse()} step=${(/** @type {1 | -1} */ d) => step(0.1 * d)} />
  <span class="time">${timeText(Math.round(pair.t))}</span>
  <input class="along" type="range" min="0" max=${length() || 1} step="0.1" value=${pair.t} aria-label="time since the start"
    onInput=${(/** @type {any} */ e) => seek(+e.currentTarget.value)} />
  <label>second log later by <input type="number" step="0.1" value=${pair.offset}
    onChange=${(/** @type {any} */ e) => shift(+e.currentTarget.value)} /> s</label>
  <button class=${pair.over ? 'on' : ''} aria-pressed=${pair.over > 0} title="O" onClick=${() => lay(pair.over ? 0 : 0.5)}>one over the other</button>
  ${pair.over > 0 && html`<label>opacity <input type="range" min="0.1" max="1" step="0.1" value=${pair.over}
    onInput=${(/** @type {any} */ e) => lay(+e.currentTarget.value)} /></label>`}
</footer>`

function App() {
  const { logs, over, error } = pair
  return html`<${Header} here="pair"><span>two logs on one clock</span><//>
    ${logs.length === 2 ? html`<main class=${over ? 'pair over' : 'pair'} style=${`--over: ${over}`}>
      ${logs.map((log, i) => html`<section key=${i}><h2 title=${log.name}>${log.name}</h2>
        <iframe src=${log.path} onLoad=${frame} title=${`${i ? 'second' : 'first'} log: ${log.name}`} /></section>`)}</main>
      <${Clockwork} />` : html`<${Waiting} text=${error || 'opening'} />`}`
}

/** @type {Record<string, () => void>} */
const keys = {
  ' ': toggle, ArrowLeft: () => step(-0.1), ArrowRight: () => step(0.1), 'Shift+ArrowLeft': () => step(-1),
  'Shift+ArrowRight': () => step(1), r: () => playback.reverse(), '+': () => playback.changeSpeed(1), '-': () => playback.changeSpeed(-1),
  Home: () => seek(0), End: () => seek(length()), o: () => lay(pair.over ? 0 : 0.5),
}

/** @param {KeyboardEvent} e */
function onKey(e) {
  const name = keyOf(e), action = keys[e.shiftKey && name.startsWith('Arrow') ? `Shift+${name}` : name]
  if (!action || !isForPage(e)) return
  e.preventDefault()
  action()
}

start({
  App, onKey, place,
  title: () => ['two logs', pair.logs.map((l) => l.name).join(', ')],
  help: () => ({ groups: [['Time of both logs', [['Space', 'play, pause'], ['← →', '100 ms back or forward; with Shift 1 s'],
    ['R', 'play backwards'], ['+ −', 'speed'], ['Home End', 'the start, the end']]],
  ['View', [['O', 'one log over the other, or side by side']]]] }),
  probe: () => ({ t: pair.t, offset: pair.offset, playing: playback.playing, spans: clocks().map((c) => c?.span() ?? null) }),
})
void load()
