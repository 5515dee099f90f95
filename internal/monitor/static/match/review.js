// The review of the decisions of a match: they are in its recording, or while it runs in the log of its referee box.

/** @import {MatchlognetRow} from '../types' */
import { openReview } from '../review/state.js'
import { isPast, past } from '../session/past.js'
import { askToken } from '../shared/address.js'
import { list, state } from '../shared/state.js'
import { get, toast } from '../shared/stream.js'
import { live } from '../wall/state.js'
import { match } from './state.js'

const NEAR = 2000 // ms after the shown time in which a decision is the one of that time
const NONE = 'This match keeps no log: in virtual time, record it with --record m.mcap; in real time, the referee box keeps a log.'

/** Opens the review of the newest decision, in a recording of the newest one until the shown time: its log has times of day,
 * or of the match, and ends with the session. */
export async function reviewMatch() {
  const { session } = past
  if (session && !session.live) {
    const left = isPast() ? session.to - (live.at ?? 0) : 0
    return openReview(session.file, 0, false, await timeOf(session.file, left))
  }
  if (!state.pages.includes('log')) return toast(NONE)
  try {
    const { logs } = /** @type {{logs: MatchlognetRow[] | null}} */ (await get('api/logs'))
    const running = list(logs).find((l) => l.running)
    if (!running || !match.view) return toast(NONE)
    const box = state.pages.includes('referee') // of a match in real time
    if (box && !await askToken()) return toast(
      'Only the referee can review a running game: open this page in the tab of the referee’s link.')
    await openReview(running.name, 0, box)
  } catch {
    toast(NONE)
  }
}

/** The time of a log so many seconds before its end, and a moment more, in ms since 1970. @param {string} name @param {number} left */
async function timeOf(name, left) {
  const { logs } = /** @type {{logs: MatchlognetRow[] | null}} */ (await get('api/logs').catch(() => ({ logs: null })))
  const row = list(logs).find((l) => l.name === name)
  return row ? row.end - 1000 * left + NEAR : Infinity
}
