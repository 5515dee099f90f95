// The frames of a recording: those around the shown time, fetched ahead in the direction of play.

import { get } from './stream.js'

/** @template F @typedef {{to: number, frames: F[] | null, end: number, stop: AbortController | null, used: number}}
 * Chunk its frames once they have arrived, the end of the recording at the time of the request, and what aborts the
 * request */
/** Where frames come from. address: of the request for some frames. finest: ms between frames that differ.
 * @typedef {{address: (from: number, to: number, step: number) => string, finest: number,
 * changed: () => void}} Source */

const FRAMES = 40 // of a chunk; the server sends at most 100 at a time
const CHUNKS = 10 // in memory: 400 frames
const AHEAD = 2 // chunks
const LATE = 1000 // ms before the end of a growing recording in which frames may still change

/** The frames of one recording. Calls source.changed when frames have arrived. @template {{t: number}} F */
export class Frames {
  /** @param {Source} source */
  constructor(source) {
    this.source = source
    this.error = ''
    /** @type {Map<string, Chunk<F>>} */
    this.chunks = new Map()
    this.end = 0 // ms: the known end of the recording
    this.uses = 0
    this.latency = 0 // ms that the last fetch took
    this.continue = () => {} // fetches what the last request still lacks
  }

  /** Milliseconds between frames at 30 frames a second. @param {number} speed */
  step(speed) {
    let step = this.source.finest
    while (step < speed * 33) step *= 2
    return step
  }

  /** Fetches the frames around t and ahead of it, and again those near the end of a growing recording; aborts requests
   * for other times. A time without any frame is fetched alone first, so that it appears at once.
   * @param {number} t @param {number} speed 0: paused @param {1 | -1} direction */
  request(t, speed, direction) {
    const step = this.step(speed), long = step * FRAMES, first = Math.floor(t / long), alone = `at ${t}`
    const there = this.at(t, speed).exact
    const wanted = new Map(there && !this.chunks.has(alone) ? [] : [[alone, { from: t, to: t }]])
    for (let i = 0; there && i <= (speed ? AHEAD : 0); i++) {
      const from = (first + i * direction) * long
      if (from <= this.end) wanted.set(`${step} ${from}`, { from, to: from + long - step })
    }
    for (const [key, c] of this.chunks) {
      if (!c.stop || wanted.has(key)) continue
      c.stop.abort()
      c.stop = null
      if (!c.frames) this.chunks.delete(key)
    }
    this.continue = () => this.request(t, speed, direction)
    for (const [key, { from, to }] of wanted) this.fetch(key, step, from, to)
  }

  /** @param {string} key @param {number} step @param {number} from @param {number} to */
  fetch(key, step, from, to) {
    /** @type {Chunk<F>} */
    const chunk = this.chunks.get(key) ?? { to, frames: null, end: 0, stop: null, used: 0 }
    chunk.used = ++this.uses
    if (chunk.stop || chunk.frames && (to <= chunk.end - LATE || chunk.end === this.end)) return
    this.chunks.set(key, chunk)
    const asked = performance.now(), { end } = this, stop = chunk.stop = new AbortController()
    get(this.source.address(from, to, step), stop.signal).then((/** @type {any} */ { frames }) => {
      if (chunk.stop !== stop) return
      Object.assign(chunk, { frames: frames ?? [], end, stop: null })
      this.error = ''
      this.latency = performance.now() - asked
      this.evict()
      if (from === to) this.continue()
      this.source.changed()
    }, (e) => {
      if (chunk.stop !== stop) return
      Object.assign(chunk, { end, stop: null })
      if (!chunk.frames) this.chunks.delete(key)
      this.error = e.message
      this.source.changed()
    })
  }

  /** Keeps the chunks that were used last. */
  evict() {
    const old = [...this.chunks].filter(([, c]) => !c.stop).sort(([, a], [, b]) => b.used - a.used).slice(CHUNKS)
    for (const [key] of old) this.chunks.delete(key)
  }

  /** The frame nearest to t; exact: fetching would bring no nearer one.
   * @param {number} t @param {number} speed @returns {{frame: F | null, exact: boolean}} */
  at(t, speed) {
    /** @type {F | null} */
    let frame = null
    for (const c of this.chunks.values()) {
      for (const f of c.frames ?? []) if (!frame || Math.abs(f.t - t) < Math.abs(frame.t - t)) frame = f
    }
    return { frame, exact: !!frame && Math.abs(frame.t - t) <= this.step(speed) }
  }

  /** The frames in memory between two times, by time. @param {number} from @param {number} to */
  between(from, to) {
    const found = [...this.chunks.values()].flatMap((c) => c.frames ?? []).filter((f) => f.t >= from && f.t <= to)
    return found.sort((a, b) => a.t - b.t)
  }
}
