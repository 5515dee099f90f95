// The review of a decision: what a log shows from 10 s before it to 5 s after it, and the verdict of the referee.

/** @import {AnalysisReview, AnalysisReviewSample, AnalysisRuling, AnalysislogDecisions} from '../types' */
import { isTyping, keyOf, pressesFocused } from '../shared/keyboard.js'
import { rerender } from '../shared/page.js'
import { Playback } from '../shared/playback.js'
import { change, list, state } from '../shared/state.js'
import { errorText, get, request, toast } from '../shared/stream.js'
import { capital, commandName } from '../refbox/text.js'

export const BEFORE = 10, AFTER = 5 // s around the decision
const NEAR = 0.5 // m from a line within which the ball nearly crossed it
const AGAIN = 1000 // ms between requests for a review whose last seconds are still to come
const PATIENT = 20 // of them, at most

/** Verdicts: key, and what it stands for. @type {[string, string, string][]} */
export const verdicts = [['u', 'upheld', 'Uphold'], ['o', 'overturned', 'Overturn'], ['c', 'unclear', 'Unclear']]

export const review = {
  log: '', // name of the log; '' while no review is open
  live: false, // the log's game is running: verdicts can be given
  number: 0, // of the open decision; 0: none is chosen
  list: /** @type {AnalysislogDecisions | null} */ (null),
  shown: /** @type {AnalysisReview | null} */ (null),
  t: 0, // s since the decision: the shown time
  near: true, // the close-up is shown
  error: '',
  latency: 0, // ms that the last review took to arrive
}

export const playback = new Playback([0.1, 0.25, 0.5, 1, 2], advance)

/** @param {Partial<typeof review>} values */
const update = (values) => change(review, values)

export const isOpen = () => review.log !== ''

let asked = 0 // requests so far: an answer that is not the newest one counts for nothing

/** Opens the review of a decision. @param {string} log its name
 * @param {number} number of the decision; 0: the newest one until a time @param {boolean} live
 * @param {number} [until] ms since 1970 */
export async function openReview(log, number, live, until = Infinity) {
  const other = review.log !== log
  playback.playing = false
  update({ log, live, number, error: '', ...(other && { list: null }), ...((other || !number) && { shown: null }) })
  if (!number || !review.list || live) await loadList(log)
  const all = list(review.list?.decisions).filter((d) => d.command !== 'UNDO' && d.command !== 'REDO')
  const newest = all.findLast((d) => d.time <= until) ?? all[0]
  if (review.log !== log || number && review.number !== number) return
  if (number || newest) return load(log, number || newest?.number || 0)
  if (!review.error) update({ error: 'The log has no referee decision yet.' })
}

/** @param {string} log */
async function loadList(log) {
  try {
    const found = /** @type {AnalysislogDecisions} */ (await get(addressOf(log)))
    if (review.log === log) update({ list: found })
  } catch (e) {
    if (review.log === log) update({ error: errorText(e) })
  }
}

/** @param {string} log */
const addressOf = (log) => `api/logs/${encodeURIComponent(log)}/review`

const QUIET = 1500 // ms after which a page has its first pictures

/** Logs whose decisions the program was asked for. @type {Set<string>} */
const prepared = new Set()

/** Lets the program find the decisions of a log that is over, so that a review opens at once: a long log has to be unpacked
 * as a whole. @param {string} log its name */
export function prepareReview(log) {
  if (prepared.has(log)) return
  prepared.add(log)
  setTimeout(() => void get(addressOf(log)).catch(() => {}), QUIET)
}

/** Fetches a review, and again while the seconds after the decision are still to come. @param {string} log
 * @param {number} number @param {number} [times] */
async function load(log, number, times = 0) {
  const mine = ++asked, begun = performance.now()
  if (review.number !== number || review.shown?.decision.number !== number) update({ number, shown: null, t: 0, error: '' })
  try {
    const shown = /** @type {AnalysisReview} */ (await get(`${addressOf(log)}?decision=${number}`))
    if (mine !== asked || review.log !== log) return
    const first = !review.shown
    update({ shown, error: '', latency: performance.now() - begun, ...(first && { t: momentOf(shown) }) })
    if (review.live && shown.to < AFTER - 0.6 && times < PATIENT) {
      setTimeout(() => mine === asked && review.log === log && load(log, number, times + 1), AGAIN)
    }
  } catch (e) {
    if (mine === asked && review.log === log) update({ error: errorText(e) })
  }
}

/** The time that a review opens at: when the ball was farthest over the line, START, or the decision.
 * @param {AnalysisReview} r */
function momentOf(r) {
  const view = list(r.line?.views)[0]
  const start = r.decision.command === 'START' ? r.distances?.t ?? 0 : 0
  return clamp(view && view.over > -NEAR ? view.t : start)
}

/** @param {number} t */
const clamp = (t) => Math.min(AFTER, Math.max(-BEFORE, Math.round(100 * t) / 100))

export function closeReview() {
  playback.playing = false
  asked++
  update({ log: '', number: 0, list: null, shown: null, error: '' })
}

/** Shows a time. @param {number} t s since the decision */
export const seek = (t) => update({ t: clamp(t) })

/** Moves the shown time while it plays. @param {number} ms */
function advance(ms) {
  const next = review.t + ms / 1000
  if (next >= AFTER || next <= -BEFORE) playback.playing = false
  review.t = Math.min(AFTER, Math.max(-BEFORE, next))
  rerender()
}

export function togglePlaying() {
  if (!playback.playing && playback.direction > 0 && review.t >= AFTER) review.t = -BEFORE
  if (!playback.playing && playback.direction < 0 && review.t <= -BEFORE) review.t = AFTER
  playback.toggle()
}

/** @param {number} by s */
export function step(by) {
  playback.playing = false
  seek(review.t + by)
}

/** The sample that is shown: the nearest one, at most half a second away. @returns {AnalysisReviewSample | null} */
export function shownSample() {
  /** @type {AnalysisReviewSample | null} */
  let best = null
  for (const s of list(review.shown?.samples)) if (!best || Math.abs(s.t - review.t) < Math.abs(best.t - review.t)) best = s
  return best && Math.abs(best.t - review.t) <= 0.5 ? best : null
}

/** Opens the decision before or after the open one. @param {1 | -1} direction */
function turn(direction) {
  const all = list(review.list?.decisions), at = all.findIndex((d) => d.number === review.number)
  const next = all[at + direction] ?? (review.list ? undefined : { number: review.number + direction })
  if (!next || next.number < 1) return toast(`no ${direction > 0 ? 'later' : 'earlier'} decision`)
  void openReview(review.log, next.number, review.live)
}

/** Why a verdict cannot be given; '' if it can. */
export const verdictDisabled = () => review.live && !state.viewOnly ? '' : 'a verdict needs the running referee box'

/** The note that the user writes. */
const noteField = () => /** @type {HTMLInputElement | null} */ (document.querySelector('.review-note'))

/** Gives a verdict, with the note that is written. @param {string} found */
export async function judge(found) {
  const { log, number, live } = review, note = noteField()?.value.trim() ?? ''
  if (!number) return
  if (!live || state.viewOnly) return toast(`${capital(verdictDisabled())}: open its page for the referee while the game is not over`)
  try {
    await request('verdict', { decision: number, verdict: found, note })
    toast(`review of decision ${number}: ${found}`)
    if (review.log === log && review.number === number) await loadList(log)
  } catch (e) {
    toast(errorText(e))
  }
}

/** The newest verdict about a decision. @param {AnalysisRuling | undefined} d */
export const verdictOf = (d) => list(review.list?.decisions).find((o) => o.number === d?.number)?.verdict ?? d?.verdict ?? null

/** A decision in words. @param {AnalysisRuling} d @param {string[] | null | undefined} names of the teams */
export function rulingText(d, names) {
  const [home = 'home', away = 'away'] = list(names), side = d.side && home === away ? ` (${d.side})` : ''
  const team = d.side === 'home' ? home || 'home' : d.side === 'away' ? away || 'away' : ''
  return [commandName(d.command), team && team + side, d.robot || ''].filter(Boolean).join(' ')
}

/** @type {[string, string][]} */
export const reviewKeys = [
  ['X', 'review of the newest decision; again: close'],
  ['←  →', 'step by 0.1 s; with Shift 1 s; Home, End: 10 s before, 5 s after'],
  ['P', 'play / pause; where Space is free, also Space'],
  ['R  +  −', 'backwards, faster, slower'],
  [',  .', 'the decision before, after'],
  ['Z', 'close-up / whole field'],
  ['U  O  C', 'verdict: upheld, overturned, unclear'],
  ['N', 'write the note of the verdict; Esc leaves it'],
]

/** @type {Record<string, () => unknown>} */
const actions = {
  p: togglePlaying, r: () => playback.reverse(), '+': () => playback.changeSpeed(1), '=': () => playback.changeSpeed(1),
  '-': () => playback.changeSpeed(-1), Home: () => step(-BEFORE - AFTER), End: () => step(BEFORE + AFTER), ',': () => turn(-1),
  '.': () => turn(1), z: () => update({ near: !review.near }), n: () => noteField()?.focus(),
}

/** Carries out a key of an open review, and reports whether it did. @param {KeyboardEvent} e @param {() => void} close
 * @param {boolean} space Space plays; elsewhere it is STOP */
export function onReviewKey(e, close, space) {
  if (!isOpen() || e.ctrlKey || e.metaKey || e.altKey) return false
  const key = keyOf(e)
  if (isTyping(e)) {
    if (key !== 'Escape' && key !== 'Enter' || !(e.target instanceof HTMLElement)) return false
    e.target.blur()
  } else if (key === 'ArrowLeft' || key === 'ArrowRight') step((key === 'ArrowLeft' ? -1 : 1) * (e.shiftKey ? 1 : 0.1))
  else if (e.repeat) return true
  else if (pressesFocused(e, 'Enter') || space && pressesFocused(e)) return false
  else if (key === 'Escape' || key === 'x') close()
  else if (key === ' ' && space) togglePlaying()
  else {
    const verdict = verdicts.find(([letter]) => letter === key)
    if (verdict) void judge(verdict[1])
    else if (key in actions) actions[key]()
    else return false
  }
  e.preventDefault()
  return true
}
