// The time of a recording as it passes: play and pause, direction, speed.

import { html } from '../htm/preact/standalone.module.js'
import { rerender } from './page.js'

const LONGEST = 250 // ms between two frames of the screen: a page that was in the background goes on where it was

export class Playback {
  playing = false
  speed = 1
  direction = /** @type {1 | -1} */ (1)
  until = 0 // s: where a part that is played again ends; 0: none is
  #last = 0 // ms: the screen's last frame

  /** @param {number[]} speeds to choose from @param {(ms: number) => void} advance moves the shown time by so many ms; it sets
   * playing to false at the end */
  constructor(speeds, advance) {
    this.speeds = speeds
    this.advance = advance
  }

  /** Plays, or pauses. */
  toggle() {
    this.playing = !this.playing
    this.#last = performance.now()
    if (this.playing) requestAnimationFrame(this.#tick)
    rerender()
  }

  reverse() {
    this.direction = this.direction > 0 ? -1 : 1
    rerender()
  }

  /** Chooses the next faster or slower speed. @param {1 | -1} by */
  changeSpeed(by) {
    const at = this.speeds.indexOf(this.speed)
    this.speed = this.speeds[Math.min(this.speeds.length - 1, Math.max(0, at + by))]
    rerender()
  }

  /** @param {number} now ms */
  #tick = (now) => {
    const passed = Math.max(0, Math.min(LONGEST, now - this.#last))
    this.#last = now
    if (this.playing) this.advance(this.direction * this.speed * passed)
    if (this.playing) requestAnimationFrame(this.#tick)
    else rerender()
  }
}

/** The buttons of a playback. step: moves by 100 ms, forward or back; keys: their keys are shown.
 * @param {{playback: Playback, toggle: () => void, reverse: () => void, step: (direction: 1 | -1) => void, keys?: boolean}} props */
export function PlayButtons({ playback, toggle, reverse, step, keys = false }) {
  const { playing, direction, speed } = playback, key = (/** @type {string} */ name) => keys && html` <kbd>${name}</kbd>`
  return html`<button class=${playing ? 'on' : ''} aria-pressed=${playing} onClick=${toggle} aria-label=${playing ? 'pause' : 'play'}
      title="Space">${playing ? '❚❚' : '▶'}${key('Space')}</button>
    <button onClick=${() => step(-1)} title="100 ms back (←)" aria-label="100 ms back">‹${key('←')}</button>
    <button onClick=${() => step(1)} title="100 ms forward (→)" aria-label="100 ms forward">›${key('→')}</button>
    <button class=${direction < 0 ? 'on' : ''} aria-pressed=${direction < 0} onClick=${reverse} title="play backwards (R)">reverse${key('R')}</button>
    <button onClick=${() => playback.changeSpeed(-1)} aria-label="slower" title="slower (−)">−</button>
    <span class="speed" aria-label="speed">${speed} ×</span>
    <button onClick=${() => playback.changeSpeed(1)} aria-label="faster" title="faster (+)">+</button>`
}
