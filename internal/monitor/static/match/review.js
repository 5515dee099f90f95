// The review of the decisions of a match: they are in its recording, or while it runs in the log of its referee box.

/** @import {MatchlognetRow} from '../types' */
import { openReview } from '../review/state.js'
import { isPast, past } from '../session/past.js'
import { askToken } from '../shared/address.js'
import { list, state } from '../shared/state.js'
import { get, toast } from '../shared/stream.js'
import { live } from '../wall/state.js'
import { match } from './state.js'

const NONE = 'This match keeps no log: in virtual time record it (--record m.mcap); in real time its referee box keeps one.'

/** Opens the review of the newest decision, in a recording of the newest one until the shown time. */
export async function reviewMatch() {
  const { session } = past
  if (session && !session.live) {
    // The log has times of day, or of the match; its first one is that of the session's first wall.
    const at = isPast() ? (live.at ?? 0) - session.from : Infinity
    return openReview(session.file, 0, false, await timeOf(session.file, at))
  }
  try {
    const { logs } = /** @type {{logs: MatchlognetRow[] | null}} */ (await get('api/logs'))
    const running = list(logs).find((l) => l.running)
    if (!running || !match.view) return toast(NONE)
    const box = state.pages.includes('referee') // of a match in real time
    if (box && !await askToken()) return toast('Reviews of a running game are for the referee: open this page in the tab of the referee’s link.')
    await openReview(running.name, 0, box)
  } catch {
    toast(NONE)
  }
}

/** The time of a log so many seconds after its start, in ms since 1970. @param {string} name @param {number} s */
async function timeOf(name, s) {
  const { logs } = /** @type {{logs: MatchlognetRow[] | null}} */ (await get('api/logs').catch(() => ({ logs: null })))
  const row = list(logs).find((l) => l.name === name)
  return row && s < Infinity ? row.start + 1000 * s + 2000 : Infinity
}
