// A log as the page has it: what is in it, and the frames around the moment that is shown, fetched ahead in the direction
// in which it plays.

/** @import {MatchlogFrame} from './types' */
import { bearer, words } from './stream.js'

/** @typedef {{ball: {x: number, y: number, z: number} | null, robots: {number: number, team: string, pose: {x: number, y: number, theta: number}}[] | null}} LogTruth as the log's channel truth has it
 * @typedef {{to: number, frames: MatchlogFrame[] | null, end: number, stop: AbortController | null, used: number}} Chunk its
 * frames once they came, where the log ended when they were asked for, and what gives up asking */

const FINEST = 50 // ms between frames: worldstates come ten to twenty times a second
const FRAMES = 40 // of a chunk; the server gives at most 200 at a time
const CHUNKS = 10 // kept: 400 frames
const AHEAD = 2 // chunks
const LATE = 1000 // ms before a growing log's end in which something may still be written

/** @template T @param {string} path @param {AbortSignal} [signal] @returns {Promise<T>} */
export async function get(path, signal) {
  const answer = await fetch(path, { headers: bearer(), signal })
  if (!answer.ok) throw new Error(await words(answer))
  return answer.json()
}

/** The address of a log, or of something of it. @param {string} name @param {string} [what] */
export const address = (name, what = '') => `api/logs/${encodeURIComponent(name)}${what && '/' + what}`

/** How far apart frames are when a screen shows thirty of them a second. @param {number} speed */
function stepAt(speed) {
  let step = FINEST
  while (step < speed * 33) step *= 2
  return step
}

/** The frames of one log. changed is called when some arrived. */
export class Frames {
  /** @param {string} name @param {() => void} changed */
  constructor(name, changed) {
    this.name = name
    this.changed = changed
    this.error = ''
    /** @type {Map<string, Chunk>} */
    this.chunks = new Map()
    this.end = 0 // ms since 1970: so much of the log is known
    this.uses = 0
    this.waits = 0 // ms that the last fetch took
    this.next = () => {} // asks for what the last moment lacks
  }

  /** Fetches what is around t and ahead of it, and once more what was fetched before so much of the log was known; what
   * was asked for and is far away is given up. A moment of which nothing is there comes alone and at once, its neighbours
   * after it.
   * @param {number} t @param {number} speed 0: it stands @param {1 | -1} way */
  want(t, speed, way) {
    const step = stepAt(speed), long = step * FRAMES, first = Math.floor(t / long), alone = `at ${t}`
    const there = this.at(t, speed).exact
    const wanted = new Map(there && !this.chunks.has(alone) ? [] : [[alone, { from: t, to: t }]])
    for (let i = 0; there && i <= (speed ? AHEAD : 0); i++) {
      const from = (first + i * way) * long
      if (from <= this.end) wanted.set(`${step} ${from}`, { from, to: from + long - step })
    }
    for (const [key, c] of this.chunks) {
      if (!c.stop || wanted.has(key)) continue
      c.stop.abort()
      c.stop = null
      if (!c.frames) this.chunks.delete(key)
    }
    this.next = () => this.want(t, speed, way)
    for (const [key, { from, to }] of wanted) this.fetch(key, step, from, to)
  }

  /** @param {string} key @param {number} step @param {number} from @param {number} to */
  fetch(key, step, from, to) {
    /** @type {Chunk} */
    const chunk = this.chunks.get(key) ?? { to, frames: null, end: 0, stop: null, used: 0 }
    chunk.used = ++this.uses
    if (chunk.stop || chunk.frames && (to <= chunk.end - LATE || chunk.end === this.end)) return
    this.chunks.set(key, chunk)
    const asked = performance.now(), { end } = this, stop = chunk.stop = new AbortController()
    get(`${address(this.name, 'frames')}?from=${from}&to=${to}&step=${step}`, stop.signal).then((/** @type {any} */ { frames }) => {
      if (chunk.stop !== stop) return
      Object.assign(chunk, { frames: frames ?? [], end, stop: null })
      this.error = ''
      this.waits = performance.now() - asked
      this.forget()
      if (from === to) this.next()
      this.changed()
    }, (e) => {
      if (chunk.stop !== stop) return
      Object.assign(chunk, { end, stop: null })
      if (!chunk.frames) this.chunks.delete(key)
      this.error = e.message
      this.changed()
    })
  }

  /** Keeps what was used last. */
  forget() {
    const old = [...this.chunks].filter(([, c]) => !c.stop).sort(([, a], [, b]) => b.used - a.used).slice(CHUNKS)
    for (const [key] of old) this.chunks.delete(key)
  }

  /** The frame nearest to t; exact when one lies so near that another fetch would bring none nearer.
   * @param {number} t @param {number} speed @returns {{frame: MatchlogFrame | null, exact: boolean}} */
  at(t, speed) {
    /** @type {MatchlogFrame | null} */
    let frame = null
    for (const c of this.chunks.values()) {
      for (const f of c.frames ?? []) if (!frame || Math.abs(f.t - t) < Math.abs(frame.t - t)) frame = f
    }
    return { frame, exact: !!frame && Math.abs(frame.t - t) <= stepAt(speed) }
  }
}
