// The player of the log page. It fetches frames ahead and shows the one of its time, so that reverse, speed and seeking
// need no server.

/** @import {MatchlogEvent, MatchlogFrame, MatchlognetRow, MatchlogSummary} from '../types' */
/** @import {Choice} from './field.js' */
/** @import {Frames} from '../session/frames.js' */
import { sides } from '../refbox/text.js'
import { parseTime, readPlace, storePlace, timeText } from '../shared/address.js'
import { get } from '../session/frames.js'
import { rerender } from '../shared/page.js'
import { change, list } from '../shared/state.js'
import { errorText, toast } from '../shared/stream.js'
import { addressOf, framesOf } from './data.js'

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64]
const POLL = 700 // ms between requests for a log that still grows; the list is requested ten times less often

export const player = {
  logs: /** @type {MatchlognetRow[] | null} */ (null),
  name: '', // of the open log
  info: /** @type {MatchlogSummary | null} */ (null),
  frames: /** @type {Frames<MatchlogFrame> | null} */ (null),
  wanted: /** @type {number | null} */ (null), // s since the start: shown as soon as the log is known that far
  t: 0, // ms since 1970: the shown time
  playing: false,
  speed: 1,
  direction: /** @type {1 | -1} */ (1),
  choice: /** @type {Choice | null} */ (null),
  error: '',
}

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
  frames.request(player.t, player.playing ? player.speed : 0, player.direction)
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
      values: { sel: choice ? `${choice.side}/${choice.number}` : '', t: timeText((t - info.start) / 1000) } })
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
    if (!player.info) return
    update({ choice })
    if (at != null && Math.abs((player.t - player.info.start) / 1000 - at) >= 0.001) seek(player.info.start + at * 1000)
    return
  }
  update({ name, info: null, frames: name ? framesOf(name, rerender) : null, wanted: at ?? 0, playing: false,
    choice, error: '' })
  await poll()
}

/** Applies a longer summary: shows the wanted time, or until it is known the nearest one. Without a wanted time the
 * shown
 * one stays, and its missing frames are fetched. @param {MatchlogSummary} info */
function extend(info) {
  const { wanted } = player
  show(wanted == null ? player.t : info.start + wanted * 1000)
  if (wanted != null && (info.ready >= 1 || info.end >= info.start + wanted * 1000)) player.wanted = null
}

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
      const { logs } = /** @type {{logs: MatchlognetRow[] | null}} */ (await get('api/logs'))
      if (!player.name) update({ logs: logs ?? [], error: '' })
    }
  } catch (e) {
    if (player.name === name) update({ error: errorText(e) })
  }
  const growing = player.info && (player.info.ready < 1 || !player.logs
    || player.logs.some((l) => l.name === name && l.running))
  if (!name || growing || player.error) polling = setTimeout(poll, name ? POLL : 10 * POLL)
}

let lastTick = 0

/** Advances by the time since the screen's last frame. @param {number} now ms */
function tick(now) {
  const { info, playing, speed, direction } = player
  if (info && playing) {
    const next = player.t + direction * speed * Math.max(0, Math.min(250, now - lastTick))
    if (direction > 0 ? next >= info.end : next <= info.start) player.playing = false
    // It waits for missing frames: skipping them would hide what happened.
    if (!player.frames || player.frames.at(next, speed).exact || player.frames.error) seek(next)
    else player.frames.request(player.t, speed, direction)
  }
  lastTick = now
  if (player.playing) requestAnimationFrame(tick)
  else rerender()
}

export function togglePlaying() {
  const { info, direction } = player
  if (!info) return
  if (!player.playing && (direction > 0 ? player.t >= info.end : player.t <= info.start)) player.t = direction > 0
    ? info.start : info.end
  lastTick = performance.now()
  update({ playing: !player.playing })
  if (player.playing) requestAnimationFrame(tick)
}

export const reverse = () => update({ direction: player.direction > 0 ? -1 : 1 })

/** @param {1 | -1} by */
export function changeSpeed(by) {
  const at = SPEEDS.indexOf(player.speed)
  update({ speed: SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))] })
}

/** @param {number} by ms */
export function step(by) {
  player.playing = false
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
  player.playing = false
  seek(e.t)
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
export const shownFrame = () => player.frames?.at(player.t, player.playing ? player.speed : 0)
  ?? { frame: null, exact: false }

/** The shown time in s since the start of the log once everything of it is there; null until then. For pictures. */
export function settledTime() {
  const { info, wanted, t } = player
  return info && info.ready >= 1 && wanted == null && shownFrame().exact ? (t - info.start) / 1000 : null
}

/** Requests the list, and the log that the address names. */
export function startPlayer() {
  if (!readPlace().first) return void poll()
  void get('api/logs').then((/** @type {any} */ { logs }) => update({ logs: logs ?? [] }),
    () => update({ logs: player.logs ?? [] }))
  void followAddress()
}
