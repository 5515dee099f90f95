// The past on a robot's page: the pictures of a recording, or those that were kept of a live session, with a timeline.

/** @import {ManagernetPictureView as PictureView, PlaybackState} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { refresh } from '../shared/page.js'
import { clock } from '../shared/format.js'
import { Choices, textOf } from '../shared/inputs.js'
import { change } from '../shared/state.js'
import { errorText, get } from '../shared/stream.js'
import { stop } from './drive.js'
import { ask, attendSoon, clearPicture, holds, manage, onlyLooks, show } from './state.js'

const SPEEDS = [0.25, 0.5, 1, 2, 4]
const STEP = 0.1 // s of an arrow key

export const past = {
  session: /** @type {PlaybackState | null} */ (null), // null: not known yet
  at: 0, // s of the session
  playing: true,
  speed: 1,
  error: '',
  none: false, // there is no picture of this time
}

/** Shows a recording, if the session is one. @param {PlaybackState} session */
export function applySession(session) {
  const first = !past.session
  past.session = session
  if (session.live) manage.recorded ??= false
  else if (first) begin(session.from, true)
}

/** Whether this page can look back in a live session. In a match no picture is kept. */
export const canLookBack = () => !!past.session?.live && !onlyLooks()

/** Looks back in a live session, or returns to the present. An operator who looks back gives the control up. */
export function toggleBack() {
  if (manage.recorded) {
    if (!past.session?.live) return
    clearPicture()
    change(manage, { recorded: false })
    attendSoon()
  } else if (canLookBack()) {
    if (holds()) void ask('release')
    begin(past.session?.to ?? 0, false)
  }
}

/** @param {number} at s @param {boolean} playing */
function begin(at, playing) {
  asked = ''
  change(manage, { recorded: true, frozen: false })
  change(past, { at, playing, none: false, error: '' })
  if (!ticks) requestAnimationFrame(tick)
  ticks = true
}

let last = 0, asking = false, asked = '', ticks = false

/** Moves on, and shows the picture of the time. @param {number} now ms */
function tick(now) {
  const { session } = past
  ticks = manage.recorded === true
  if (!ticks) return
  if (session && past.playing) {
    past.at += past.speed * Math.min(250, now - last) / 1000
    if (past.at > session.to) past.at = session.ready === 1 && !session.live ? session.from : session.to // again and again
  }
  last = now
  void fetchPicture()
  requestAnimationFrame(tick)
}

/** Fetches the picture of the shown time; one request at a time. */
async function fetchPicture() {
  const path = `api/session/picture?key=${manage.robot}&at=${Math.round(past.at * 1000)}`
  if (asking || path === asked) return
  asking = true
  asked = path
  try {
    const found = /** @type {{view: PictureView, data: string} | null} */ (await get(path))
    if (!manage.recorded) return void (asking = false) // the page shows the present again
    Object.assign(past, { error: '', none: !found })
    if (found) await show({ ...found.view, data: found.data })
    else clearPicture()
  } catch (e) {
    past.error = errorText(e)
  }
  asking = false
  refresh()
}

/** Shows a time. @param {number} t s */
function seek(t) {
  const { session } = past
  if (session) change(past, { at: Math.max(session.from, Math.min(session.to, t)) })
}

/** The keys of the past. Space stops the robot of a live session, as it does in the present. @type {Record<string, () => void>} */
export const pastKeys = {
  ' ': () => past.session?.live ? stopNow() : play(),
  b: toggleBack, End: toggleBack,
  ArrowLeft: () => { past.playing = false; seek(past.at - STEP) },
  ArrowRight: () => { past.playing = false; seek(past.at + STEP) },
}

const play = () => change(past, { playing: !past.playing })

function stopNow() {
  toggleBack()
  stop()
}

/** Why there is no picture of the shown time. @param {PlaybackState} session */
const missing = (session) => session.live ? 'No picture at this time: touchline keeps 5 a second while a page shows this robot. '
  + 'To keep all pictures, record them: touchline demo --record s.mcap --record-pictures 10'
  : 'no picture of this robot was recorded at this time'

export function PastPanel() {
  const { session, at, playing, speed, error, none } = past
  if (!session) return ''
  return html`<section class="panel past" aria-label="Recording"><button class=${playing ? 'on' : ''} aria-pressed=${playing}
      aria-label=${playing ? 'pause' : 'play'} onClick=${play}>${playing ? '❚❚' : '▶'} ${!session.live && html`<kbd>Space</kbd>`}</button>
    <input type="range" min=${session.from} max=${session.to} step="0.05" value=${at} aria-label="time of the recording"
      onInput=${(/** @type {Event} */ e) => seek(Number(textOf(e)))} />
    <b>${clock(at)}</b> <span class="dim">of ${clock(session.to)}${session.live ? '' : `, ${session.file}`}</span>
    <${Choices} label="speed" value=${speed} options=${SPEEDS.map((s) => [s, `${s} ×`])} set=${(/** @type {number} */ s) => change(past, { speed: s })} />
    ${session.live && html`<button onClick=${toggleBack}>to the present <kbd>B</kbd></button><button class="stop" onClick=${stopNow}>STOP <kbd>Space</kbd></button>`}
    <span role="status" class=${error ? 'bad' : 'dim'}>${error || (none ? missing(session) : '')}</span>
  </section>`
}
