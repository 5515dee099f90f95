// The countdowns, and a short tone at the end of each. Browsers allow sound only after a user's first touch or key, so
// the audio is opened then.

/** @import {RefboxShow} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { change, list, state } from '../shared/state.js'
import { store, stored } from '../shared/stored.js'
import { countdownText, remaining } from './text.js'

const NEAR = 0.6 // s: a countdown that disappears with less than this has run out; data arrives ten times a second

let on = false
let touched = false
let name = ''
/** @type {AudioContext | null} */
let audio = null
/** @type {Map<string, {count: number, least: number}>} number of countdowns of a kind, and the fewest seconds left */
let running = new Map()

/** The countdowns whose end has sounded. For tests. @type {string[]} */
export const sounded = []

/** Restores a page's choice. @param {string} page @param {boolean} initial before any choice */
export function loadSound(page, initial) {
  name = 'sound ' + page
  on = stored(name, initial ? 'on' : 'off') === 'on'
  const touch = () => { touched = true }
  addEventListener('pointerdown', touch, true)
  addEventListener('keydown', touch, true)
}

export function toggleSound() {
  on = !on
  store(name, on ? 'on' : 'off')
  if (on) beep()
  change(state, {})
}

export const SoundButton = () => html`<button class="quiet" aria-pressed=${on} onClick=${toggleSound}
  title="tone at the end of a countdown (\\)">${on ? '♪ sound on' : '✕ sound off'} <kbd>\\</kbd></button>`

function beep() {
  if (!touched) return
  audio ??= new AudioContext()
  void audio.resume()
  const tone = audio.createOscillator(), volume = audio.createGain(), t = audio.currentTime
  tone.frequency.value = 880
  volume.gain.setValueAtTime(0.25, t)
  volume.gain.exponentialRampToValueAtTime(0.001, t + 0.5)
  tone.connect(volume).connect(audio.destination)
  tone.start(t)
  tone.stop(t + 0.5)
}

/** The countdowns by kind, side and robot. Robots without a number cannot be distinguished. @param {RefboxShow} show */
function tally(show) {
  /** @type {typeof running} */
  const all = new Map()
  for (const c of list(show.countdowns)) {
    const key = `${c.kind} ${c.side} ${c.robot}`, { count, least } = all.get(key) ?? { count: 0, least: Infinity }
    if (c.left > 0) all.set(key, { count: count + 1, least: Math.min(least, c.left) })
  }
  return all
}

/** Sounds for each countdown that ran out since the last call. @param {RefboxShow} show */
export function soundCountdowns(show) {
  const now = tally(show)
  for (const [key, was] of running) {
    if (was.least > NEAR || (now.get(key)?.count ?? 0) >= was.count || key.startsWith('substitution')) continue
    sounded.push(key)
    if (sounded.length > 100) sounded.shift()
    if (on) beep()
  }
  running = now
}

/** @param {{show: RefboxShow}} props */
export const Countdowns = ({ show }) =>
  list(show.countdowns).map((c) => html`<p class="countdown ${c.side}"><b class=${c.left < 3 ? 'near' : ''}>
  ${remaining(c.left)}</b> <span>${countdownText(show, c)}${c.playing && !show.running ? ', stopped' : ''}</span></p>`)
