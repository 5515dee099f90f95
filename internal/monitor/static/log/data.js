// The addresses of logs and of their frames.

/** @import {MatchlogFrame} from '../types' */
import { Frames } from '../shared/frames.js'

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
