// Time that runs out, and a short tone when it has. A browser lets a page sound only after a hand has touched it, so nothing is opened
// before.

/** @import {RefboxShow} from './types' */
import { html } from './htm/preact/standalone.module.js'
import { change, list } from './state.js'
import { countdownWords, left } from './words.js'

const NEAR = 0.6 // s: a countdown that goes away with less left has run out; the page hears of it ten times a second

let on = false
let touched = false
let name = ''
/** @type {AudioContext | null} */
let audio = null
/** @type {Map<string, {many: number, least: number}>} how many there were of a kind, and the fewest seconds left */
let running = new Map()

/** What was sounded, for tests. @type {string[]} */
export const sounded = []

/** Remembers the choice under a page's name. @param {string} page @param {boolean} first what holds before a choice */
export function beginSound(page, first) {
  name = 'sound ' + page
  on = first
  try {
    on = (localStorage.getItem(name) ?? (first ? 'on' : 'off')) === 'on'
  } catch {
    // A browser without memory begins anew each time.
  }
  const touch = () => { touched = true }
  addEventListener('pointerdown', touch, true)
  addEventListener('keydown', touch, true)
}

export function toggleSound() {
  on = !on
  try {
    localStorage.setItem(name, on ? 'on' : 'off')
  } catch {
    // As above.
  }
  if (on) beep()
  change({})
}

export const SoundButton = () => html`<button class="quiet" aria-pressed=${on} onClick=${toggleSound} title="tone when a countdown ends (\\)">${on ? '♪ sound on' : '✕ sound off'} <kbd>\\</kbd></button>`

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

/** The countdowns of each kind, side and robot: robots without a number are told apart by nothing. @param {RefboxShow} show */
function tally(show) {
  /** @type {typeof running} */
  const all = new Map()
  for (const c of list(show.countdowns)) {
    const key = `${c.kind} ${c.side} ${c.robot}`, { many, least } = all.get(key) ?? { many: 0, least: Infinity }
    if (c.left > 0) all.set(key, { many: many + 1, least: Math.min(least, c.left) })
  }
  return all
}

/** Sounds for each countdown that ran out since the last show. @param {RefboxShow} show */
export function listenFor(show) {
  const now = tally(show)
  for (const [key, was] of running) {
    if (was.least > NEAR || (now.get(key)?.many ?? 0) >= was.many || key.startsWith('substitution')) continue
    sounded.push(key)
    if (sounded.length > 100) sounded.shift()
    if (on) beep()
  }
  running = now
}

/** @param {{show: RefboxShow}} props */
export const Countdowns = ({ show }) => list(show.countdowns).map((c) => html`<p class="countdown ${c.side}"><b class=${c.left < 3 ? 'near' : ''}>${left(c.left)}</b> <span>${countdownWords(show, c)}${c.playing && !show.running ? ', stands' : ''}</span></p>`)
