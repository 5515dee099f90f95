// The addresses of logs and of their frames.

/** @import {MatchlogFrame, PlaybackCourse} from '../types' */
import { numbersAt } from '../shared/fields.js'
import { Frames } from '../shared/frames.js'
import { get } from '../shared/stream.js'

/** @typedef {{ball: {x: number, y: number, z: number} | null, robots: {number: number, team: string, shape?: string,
 * pose: {x: number, y: number, theta: number}}[] | null}} LogTruth the messages of the log's channel truth */

const FINEST = 50 // ms between frames: worldstates arrive ten to twenty times a second

/** The address of a log, or of a part of it. @param {string} name @param {string} [part] */
export const addressOf = (name, part = '') => `api/logs/${encodeURIComponent(name)}${part && '/' + part}`

/** The frames of a log. @param {string} name @param {() => void} changed @returns {Frames<MatchlogFrame>} */
export const framesOf = (name, changed) => new Frames({
  address: (from, to, step) => `${addressOf(name, 'frames')}?from=${from}&to=${to}&step=${step}`,
  finest: FINEST, changed,
})

const MOST = 200 // frames of an answer

/** The course of a field of a log's frames. @param {string} name @param {number} start of the log, ms @param {string} pointer
 * @param {number} from s since the start @param {number} to @param {number} samples @returns {Promise<PlaybackCourse>} */
export async function courseOf(name, start, pointer, from, to, samples) {
  /** @type {Map<string, [number, number][]>} */
  const courses = new Map()
  const step = Math.max(2 * FINEST, 1000 * (to - from) / samples), last = start + 1000 * to
  for (let t = start + 1000 * from; t <= last; t += MOST * step) {
    const end = Math.min(last, t + (MOST - 0.5) * step)
    const { frames } = /** @type {{frames: MatchlogFrame[] | null}} */ (await get(`${addressOf(name, 'frames')}?from=${t}&to=${end}&step=${step}`))
    for (const frame of frames ?? []) {
      for (const [robot, value] of numbersAt(frame, pointer)) {
        if (!courses.has(robot)) courses.set(robot, [])
        courses.get(robot)?.push([(frame.t - start) / 1000, value])
      }
    }
  }
  return { series: [...courses].map(([name, points]) => ({ name, points })) }
}
