// The player of the log page. It fetches frames ahead and shows the one of its time, so that reverse, speed and seeking
// need no server.

/** @import {MatchlogEvent, MatchlogFrame, MatchlognetRow, MatchlogSummary} from '../types' */
/** @import {Choice} from './field.js' */
/** @import {Frames} from '../shared/frames.js' */
import { sides } from '../refbox/text.js'
import { parseTime, readPlace, storePlace, timeText } from '../shared/address.js'
import { hasNotes, loadNotes, showNotes, shownNote, wantNote } from '../shared/notes.js'
import { rerender } from '../shared/page.js'
import { Playback } from '../shared/playback.js'
import { change, list } from '../shared/state.js'
import { errorText, get, hasToken, request, toast } from '../shared/stream.js'
import { closeReview, isOpen as isReviewing, openReview, prepareReview } from '../review/state.js'
import { addressOf, courseOf, framesOf } from './data.js'

const NEAR = 2000 // ms after the shown time in which a decision is the one of that time
const POLL = 700 // ms between requests for a log that still grows; the list is requested ten times less often

/** A log of the list. origin: seed and flags of the command that recorded it, where its metadata tells.
 * @typedef {MatchlognetRow & {origin?: string}} Row */

export const player = {
  logs: /** @type {Row[] | null} */ (null),
  name: '', // of the open log
  info: /** @type {MatchlogSummary | null} */ (null),
  frames: /** @type {Frames<MatchlogFrame> | null} */ (null),
  wanted: /** @type {number | null} */ (null), // s since the start: shown as soon as the log is known that far
  t: 0, // ms since 1970: the shown time
  choice: /** @type {Choice | null} */ (null),
  error: '',
}

export const playback = new Playback([0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64], advance)

showNotes({
  address: () => player.name && player.info ? addressOf(player.name, 'notes') : '',
  send: (note) => request('note', { log: player.name, ...note }),
  seconds: (t) => (t - (player.info?.start ?? 0)) / 1000, shown: () => player.t,
  seek: (t) => {
    playback.playing = false
    seek(t)
  },
})

/** @param {Partial<typeof player>} values */
export const update = (values) => change(player, values)

/** Shows a time. @param {number} t ms since 1970 */
export function seek(t) {
  player.wanted = null
  show(t)
}

/** @param {number} t */
function show(t) {
  const { info, frames } = player
  if (!info || !frames) return
  player.t = Math.min(info.end, Math.max(info.start, t))
  frames.end = info.end
  frames.request(player.t, playback.playing ? playback.speed : 0, playback.direction)
  storeAddress()
  rerender()
}

let storing = 0

/** Keeps log and time in the address, so that it can be passed on. */
function storeAddress() {
  clearTimeout(storing)
  storing = setTimeout(() => {
    const { info, name, wanted, choice, t } = player
    if (info && wanted == null) storePlace({ first: name,
      values: { sel: choice ? `${choice.side}/${choice.number}` : '', t: timeText((t - info.start) / 1000), note: shownNote() } })
  }, 300)
}

/** The robot that an address selects, for example home/3. @param {string | undefined} text @returns {Choice | null} */
function choiceOf(text) {
  const [side, number] = (text ?? '').split('/'), found = sides.find((s) => s === side)
  return found && /^\d{1,3}$/.test(number) ? { side: found, number: +number } : null
}

/** Selects a robot; null for none. @param {Choice | null} choice */
export function select(choice) {
  update({ choice })
  storeAddress()
}

/** Opens the log that the address names, or the list. */
export async function followAddress() {
  const { first: name, values } = readPlace(), at = parseTime(values.t), choice = choiceOf(values.sel)
  if (name === player.name) {
    wantNote(values.note)
    if (!player.info) return
    update({ choice })
    if (at != null && Math.abs((player.t - player.info.start) / 1000 - at) >= 0.001) seek(player.info.start + at * 1000)
    return
  }
  if (isReviewing()) closeReview()
  update({ name, info: null, frames: name ? framesOf(name, rerender) : null, wanted: at ?? 0, choice, error: '' })
  wantNote(values.note)
  playback.playing = false
  await poll()
  await loadNotes()
}

/** Applies a longer summary: shows the wanted time, or until it is known the nearest one. Without a wanted time the
 * shown
 * one stays, and its missing frames are fetched. @param {MatchlogSummary} info */
function extend(info) {
  const { wanted } = player
  show(wanted == null ? player.t : info.start + wanted * 1000)
  if (wanted != null && (info.ready >= 1 || info.end >= info.start + wanted * 1000)) player.wanted = null
}

/** Whether a referee box may have decided in a log: that of a VSS simulator names no teams. @param {MatchlogSummary} info */
export const isRefereed = (info) => info.home !== '' || info.away !== ''

let polling = 0

/** Requests the open log again while it grows, or the list. */
async function poll() {
  clearTimeout(polling)
  const { name } = player
  try {
    if (name) {
      const info = /** @type {MatchlogSummary} */ (await get(addressOf(name)))
      if (player.name !== name) return
      update({ info, error: '' })
      extend(info)
    } else {
      const { logs } = /** @type {{logs: Row[] | null}} */ (await get('api/logs'))
      if (!player.name) update({ logs: logs ?? [], error: '' })
    }
  } catch (e) {
    if (player.name === name) update({ error: errorText(e) })
  }
  const growing = player.info && (player.info.ready < 1 || !player.logs
    || player.logs.some((l) => l.name === name && l.running))
  if (player.info && !growing && isRefereed(player.info)) prepareReview(name)
  if (!name || growing || player.error) polling = setTimeout(poll, name ? POLL : 10 * POLL)
}

/** Moves the shown time while it plays. @param {number} ms */
function advance(ms) {
  const { info, frames } = player, { speed, direction } = playback
  if (!info) return
  const next = player.t + ms
  if (direction > 0 ? next >= info.end : next <= info.start) playback.playing = false
  // It waits for missing frames: skipping them would hide what happened.
  if (!frames || frames.at(next, speed).exact || frames.error) seek(next)
  else frames.request(player.t, speed, direction)
}

export function togglePlaying() {
  const { info } = player, { playing, direction } = playback
  if (!info) return
  if (!playing && (direction > 0 ? player.t >= info.end : player.t <= info.start)) player.t = direction > 0 ? info.start : info.end
  playback.toggle()
}

/** @param {number} by ms */
export function step(by) {
  playback.playing = false
  seek(player.t + by)
}

/** Jumps to the next or previous event. @param {1 | -1} direction
 * @param {string} kind '' for any decision of the referee */
export function jump(direction, kind) {
  const events = list(player.info?.events), matches = (/** @type {MatchlogEvent} */ e) => kind ? e.kind === kind
    : e.kind !== 'note'
  const e = direction > 0 ? events.find((e) => e.t > player.t + 1 && matches(e))
    : events.findLast((e) => e.t < player.t - 1 && matches(e))
  if (!e) return toast(`no ${direction > 0 ? 'later' : 'earlier'} ${kind || 'event'}`)
  playback.playing = false
  seek(e.t)
}

/** Opens the review of the last decision until the shown time, or a moment after it. */
export function reviewNow() {
  const { name, logs, t } = player
  playback.playing = false
  if (name) void openReview(name, 0, hasToken() && !!logs?.some((l) => l.name === name && l.running), t + NEAR)
}

/** Chooses the robot with a number: of the first team, then of the second, then none. @param {number} number */
export function choose(number) {
  const { frame } = shownFrame()
  const present = sides.filter((side) => list(frame?.[side]?.robots).some((r) => r.number === number))
  const at = player.choice?.number === number ? present.indexOf(player.choice.side) + 1 : 0
  if (!present.length) toast(`no team reports robot ${number}`)
  select(present[at] ? { side: present[at], number } : null)
}

/** The frame at the shown time. @returns {{frame: MatchlogFrame | null, exact: boolean}} */
export const shownFrame = () => player.frames?.at(player.t, playback.playing ? playback.speed : 0)
  ?? { frame: null, exact: false }

/** The shown time in s since the start of the log once everything of it is there; null until then. For pictures. */
export function settledTime() {
  const { info, wanted, t } = player
  return info && info.ready >= 1 && hasNotes() && wanted == null && shownFrame().exact ? (t - info.start) / 1000 : null
}

/** Requests the list of logs. */
export function startPlayer() {
  if (!player.name) return void poll()
  void get('api/logs').then((/** @type {any} */ { logs }) => update({ logs: logs ?? [] }),
    () => update({ logs: player.logs ?? [] }))
}

/** The times of plots, in s since the start of the log. @type {import('../shared/plot.js').Times} */
export const logTimes = {
  now: () => player.info ? (player.info.end - player.info.start) / 1000 : 0,
  at: () => player.info && (player.t - player.info.start) / 1000,
  span: () => player.info && [0, (player.info.end - player.info.start) / 1000],
  seek: (t) => seek((player.info?.start ?? 0) + 1000 * t),
  values: () => [['frame', shownFrame().frame]],
  course: ({ pointer }, from, to, samples) => courseOf(player.name, player.info?.start ?? 0, pointer, from, to, samples),
}

/** Lets a page around this one move the time of the open log, in s since its start. */
export function offerClock() {
  Object.assign(window, { clock: {
    span: () => player.info && player.info.ready === 1 ? { from: 0, to: (player.info.end - player.info.start) / 1000 } : null,
    follow: (/** @type {number} */ t, /** @type {number} */ speed, /** @type {1 | -1} */ direction) => {
      const { info, frames } = player
      if (!info) return
      playback.playing = false
      seek(info.start + 1000 * t)
      frames?.request(player.t, speed, direction)
    },
  } })
}
