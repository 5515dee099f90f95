// A recording on a robot's page: the pictures that were recorded, with a timeline.

/** @import {ManagernetPictureView as PictureView, PlaybacknetState} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { refresh } from '../shared/page.js'
import { clock } from '../shared/format.js'
import { change } from '../shared/state.js'
import { errorOf, errorText } from '../shared/stream.js'
import { manage, show } from './state.js'

const SPEEDS = [0.25, 0.5, 1, 2, 4]
const STEP = 0.1 // s of an arrow key

export const past = {
  session: /** @type {PlaybacknetState | null} */ (null), // of a recording; null: the session is live
  at: 0, // s of the session
  playing: true,
  speed: 1,
  error: '',
  none: false, // no picture was recorded at this time
}

/** Shows a recording, if the session is one. @param {PlaybacknetState} session */
export function applySession(session) {
  if (session.live) return
  const first = !past.session
  past.session = session
  if (!first) return
  past.at = session.from
  change(past, {})
  requestAnimationFrame(tick)
}

let last = 0, asking = false, asked = ''

/** Moves on, and shows the picture of the time. @param {number} now ms */
function tick(now) {
  const { session } = past
  if (session && past.playing) {
    past.at += past.speed * Math.min(250, now - last) / 1000
    if (past.at > session.to) past.at = session.ready === 1 ? session.from : session.to // again and again
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
    const answer = await fetch(path)
    if (!answer.ok) throw new Error(await errorOf(answer))
    const found = /** @type {{view: PictureView, data: string} | null} */ (await answer.json())
    Object.assign(past, { error: '', none: !found })
    if (found) await show({ ...found.view, data: found.data })
    else if (manage.picture) change(manage, { picture: null, bitmap: null })
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

/** The keys of a recording. @type {Record<string, () => void>} */
export const pastKeys = {
  ' ': () => change(past, { playing: !past.playing }),
  ArrowLeft: () => { past.playing = false; seek(past.at - STEP) },
  ArrowRight: () => { past.playing = false; seek(past.at + STEP) },
}

export function PastPanel() {
  const { session, at, playing, speed, error, none } = past
  if (!session) return ''
  return html`<section class="panel past" aria-label="Recording"><button class=${playing ? 'on' : ''} aria-pressed=${playing}
      aria-label=${playing ? 'pause' : 'play'} onClick=${pastKeys[' ']}>${playing ? '❚❚' : '▶'} <kbd>Space</kbd></button>
    <input type="range" min=${session.from} max=${session.to} step="0.05" value=${at} aria-label="time of the recording"
      onInput=${(/** @type {Event} */ e) => seek(Number(/** @type {HTMLInputElement} */ (e.currentTarget).value))} />
    <b>${clock(at)}</b> <span class="dim">of ${clock(session.to)}, ${session.file}</span>
    <span class="choice" role="group" aria-label="speed">${SPEEDS.map((s) => html`<button class=${s === speed ? 'on' : ''}
      aria-pressed=${s === speed} onClick=${() => change(past, { speed: s })}>${s} ×</button>`)}</span>
    <span role="status" class=${error ? 'bad' : 'dim'}>${error || (none ? 'no picture of this robot was recorded at this time' : '')}</span>
  </section>`
}
