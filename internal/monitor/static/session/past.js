// The past of a session: a recording, or the last ten minutes of a live session. While the page shows the past, live.at
// is the shown time, and what arrives is kept for the return to the present.

/** @import {Network, PacketView, PlaybackCharts, PlaybackFrame, PlaybackState, PlaybackStrip, Wall} from '../types' */
/** @import {Times} from '../shared/plot.js' */
/** @import {BehaviourView, BookingView, Messages, TeamcomView, MatchShowView} from '../types' */
import { redraw } from '../shared/canvas.js'
import { Frames } from '../shared/frames.js'
import { hasNotes } from '../shared/notes.js'
import { refresh, rerender } from '../shared/page.js'
import { Playback } from '../shared/playback.js'
import { change, list } from '../shared/state.js'
import { errorText, get, request, toast } from '../shared/stream.js'
import { applyBehaviour, behaviour, forgetBehaviour } from '../behaviour/state.js'
import { applyBooking, booking, forgetBooking } from '../booking/state.js'
import { applyMatch, forgetMatch, match, ofTeam, teamKey, TRAIL as WAY } from '../match/state.js'
import { applyTcm, applyTraffic, fillTotals, forgetTcm, tcm } from '../tcm/state.js'
import { applyNetwork, applyWall, fillNetwork, forgetHistory, HISTORY, live, sampleOf, showWall,
  watchedSender } from '../wall/state.js'

const FINEST = 100 // ms between recorded walls
const TRAIL = 1500 // ms of frames that the drawing of the ball's path needs
const SAMPLES = 1500 // of the strip
const STRIP = 2000 // ms between requests for the strip of a session that grows
const FOLLOW = 200 // ms between requests for packets and for the TCM

export const past = {
  session: /** @type {PlaybackState | null} */ (null),
  strip: /** @type {PlaybackStrip | null} */ (null),
}

export const playback = new Playback([0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32], advance)

/** @type {Frames<PlaybackFrame>} */
let frames = newFrames()

/** @returns {Frames<PlaybackFrame>} */
function newFrames() {
  return new Frames({
    address: (from, to, step) => `api/session/frames?from=${from}&to=${to}&step=${step}`, finest: FINEST, changed: show,
  })
}

/** The newest of each topic that arrived while the page shows the past. */
const present = { wall: /** @type {Wall | null} */ (null), network: /** @type {Network | null} */ (null),
  tcm: /** @type {TeamcomView | null} */ (null), booking: /** @type {BookingView | null} */ (null),
  behaviour: /** @type {BehaviourView | null} */ (null), match: /** @type {MatchShowView | null} */ (null), history: /** @type {typeof live.history} */ ([]) }

export const isPast = () => live.at != null

/** Why the past cannot be shown; '' if it can. */
export const pastError = () => frames.error

/** Keeps what arrives while the page shows the past. @param {string} topic @param {any} value */
export function keepPresent(topic, value) {
  if (topic === 'network') present.network = value
  if (topic === ofTeam('teamcom')) present.tcm = value
  if (topic === ofTeam('booking')) present.booking = value
  if (topic === 'match') present.match = value
  if (topic === 'behaviour') present.behaviour = value
  if (topic !== 'wall') return
  if (present.history.length && value.time < present.history[present.history.length - 1].t) present.history = []
  present.wall = value
  present.history.push(sampleOf(value))
}

/** Applies the state of the session: a recording opens at the time of the address, or plays from its start.
 * @param {PlaybackState} session */
export function applySession(session) {
  const first = !past.session
  past.session = session
  if (!session.live && live.at == null && session.ready) {
    live.at = session.from
    playback.toggle()
  }
  if (live.at == null) return void (first && fillHistory(session))
  if (first) void fetchStrip()
  seek(live.at)
}

/** Fills the last minute's curves of a page that was opened after the session had started.
 * @param {PlaybackState} session */
async function fillHistory({ from, to }) {
  try {
    const start = Math.max(from, to - HISTORY) * 1000
    const strip = /** @type {PlaybackStrip} */ (await get(`api/session/strip?from=${start}&samples=${10 * HISTORY}`))
    const end = live.history[0]?.t ?? Infinity
    live.history.unshift(...list(strip.samples).filter((s) => s.t < end).map((s) => ({ ...s, ball: null })))
    const charts = /** @type {PlaybackCharts} */ (await get(`api/session/charts?${teamKey()}at=${1000 * to}`))
    fillNetwork(list(charts.networks))
    fillTotals(list(charts.links))
    redraw()
  } catch {
    // The curves grow from now on.
  }
}

/** Forgets the past of another run of the program. */
export function forgetPast() {
  forgetHistory()
  forgetTcm()
  forgetBooking()
  forgetBehaviour()
  forgetMatch()
  frames = newFrames()
  Object.assign(past, { session: null, strip: null })
  playback.playing = false
  Object.assign(present, { wall: null, network: null, tcm: null, booking: null, behaviour: null, match: null, history: [] })
}

/** Shows a time of the session. Live data is kept from then on. @param {number} t s */
export function seek(t) {
  const { session } = past, { playing, speed, direction } = playback
  if (!session) return
  if (live.at == null) Object.assign(present, { wall: live.wall, network: live.network, tcm: tcm.view,
    booking: booking.view, behaviour: behaviour.view, match: match.view,
    history: live.history })
  if (!past.strip) void fetchStrip()
  // A recording that is not read yet shows the time as soon as it is known.
  live.at = session.ready < 1 ? t : Math.min(session.to, Math.max(session.from, t))
  frames.end = session.to * 1000
  frames.request(live.at * 1000, playing ? speed : 0, direction)
  show()
}

/** The time in the address has changed. */
export function followTime() {
  if (!past.session || live.at == null) return
  playback.playing = false
  seek(live.at)
}

/** Shows the frame of the shown time, once it is there. */
function show() {
  if (live.at == null) return
  const now = live.at * 1000, { frame } = frames.at(now, playback.playing ? playback.speed : 0)
  if (frame?.wall) {
    showWall(frame.wall)
    match.trail = []
    for (const f of frames.between(frame.t - 1000 * WAY, frame.t)) if (f.match) applyMatch(f.match)
    match.view = frame.match
    live.history = frames.between(frame.t - TRAIL, frame.t).flatMap((f) => f.wall ? [sampleOf(f.wall)] : [])
    if (frame.network) applyNetwork(frame.network)
  }
  followView()
  refresh()
}

const BEFORE = 5, AFTER = 3 // s around a goal that are played again

/** Plays the last goal before the shown time again. A live session returns to the present after it. */
export function replayGoal() {
  const { view } = match, { session } = past, goal = list(view?.goals).at(-1)
  if (!view || !session) return
  if (!goal) return toast('no goal has been scored yet')
  const at = (view.start || 0) + goal.at
  if (at < session.from) return toast('the last goal is older than the ten minutes that are kept')
  seek(Math.max(session.from, at - BEFORE))
  Object.assign(playback, { direction: 1, speed: 1, until: session.live ? at + AFTER : 0 })
  if (!playback.playing) playback.toggle()
}

/** Shows the present again. */
export function goLive() {
  if (!past.session?.live || live.at == null) return
  past.strip = null
  Object.assign(playback, { playing: false, direction: 1, speed: 1, until: 0 })
  live.history = present.history
  live.packets = null
  live.rates.clear()
  if (present.wall) applyWall(present.wall)
  if (present.network) applyNetwork(present.network)
  applyTcm(present.tcm)
  change(live, { at: null })
  applyBooking(present.booking)
  applyBehaviour(present.behaviour)
  match.view = present.match
  match.trail = []
  redraw()
}

/** Stops the picture of a live session, where it can be moved back and forth. */
export function lookBack() {
  if (past.session?.live && live.wall && live.at == null) seek(Math.min(live.wall.time, past.session.to))
}

let stripAsked = 0

/** Fetches the curve and the marks of the whole session, and again while it grows. */
async function fetchStrip() {
  if (performance.now() - stripAsked < STRIP / 2) return
  stripAsked = performance.now()
  try {
    past.strip = await get(`api/session/strip?samples=${SAMPLES}`)
  } catch (e) {
    frames.error = errorText(e)
  }
  rerender()
  if (live.at != null && (past.session?.live || (past.strip?.ready ?? 0) < 1)) setTimeout(fetchStrip, STRIP)
}

/** Returns a function that fetches what an address returns for the shown time, unless it has that already or asked
 * just before. @template T @param {() => string} address without the time; '' for nothing
 * @param {(value: T) => void} apply */
function follower(address, apply) {
  let asked = 0, of = ''
  return async function follow() {
    const path = address(), now = `${path} ${live.at}`
    if (!path || now === of || performance.now() - asked < FOLLOW) return
    asked = performance.now()
    of = past.session?.ready === 1 ? now : '' // a recording that is still read has more later
    try {
      const value = /** @type {T} */ (await get(`${path}at=${(live.at ?? 0) * 1000}`))
      if (live.at != null && address() === path) apply(value)
    } catch (e) {
      frames.error = errorText(e)
    }
    refresh()
    setTimeout(() => live.at != null && follow(), FOLLOW)
  }
}

/** Fetch what the open view needs besides frames: the packets that its sender sent before the shown time, or the TCM.
 */
const followers = [
  follower(() => watchedSender() && `api/session/packets?key=${encodeURIComponent(watchedSender())}&`,
    (/** @type {PacketView} */ packets) => change(live, { packets })),
  follower(() => ['tcm', 'booking', 'match'].includes(live.view) ? `api/session/teamcom?${teamKey()}` : '', applyTcm),
  follower(() => ['wall', 'projector', 'booking', 'match'].includes(live.view) ? `api/session/booking?${teamKey()}` : '',
    applyBooking),
  follower(() => ['robot', 'match'].includes(live.view) ? 'api/session/behaviour?' : '', applyBehaviour),
  follower(() => live.view === 'tcm' ? 'api/session/traffic?' : '', applyTraffic),
  follower(() => live.view === 'tcm' && tcm.open ? `api/session/messages?key=${encodeURIComponent(tcm.open)}&` : '',
    (/** @type {Messages} */ messages) => change(tcm, { messages })),
]

/** Fetches them for the shown time. */
export function followView() {
  if (live.at != null) for (const follow of followers) void follow()
}

/** Moves the shown time while it plays. @param {number} ms */
function advance(ms) {
  const { session } = past, { speed, direction } = playback
  if (!session || live.at == null) return
  const next = live.at + ms / 1000
  if (direction > 0 && next >= session.to && session.ready === 1) {
    if (session.live) return goLive()
    playback.playing = false
  }
  if (direction > 0 && playback.until && next >= playback.until) return goLive()
  if (direction < 0 && next <= session.from) playback.playing = false
  // It waits for missing frames: skipping them would hide what happened.
  if (frames.at(next * 1000, speed).exact || frames.error) seek(next)
  else frames.request(live.at * 1000, speed, direction)
}

export function togglePlaying() {
  const { session } = past, { playing, direction } = playback
  if (!session || live.at == null) return lookBack()
  playback.until = 0
  if (!playing && direction > 0 && live.at >= session.to) live.at = session.live ? live.at : session.from
  if (!playing && direction < 0 && live.at <= session.from) live.at = session.to
  playback.toggle()
}

export function reverse() {
  playback.until = 0
  lookBack()
  playback.reverse()
}

/** @param {number} by s */
export function step(by) {
  playback.until = 0
  lookBack()
  playback.playing = false
  if (live.at != null) seek(live.at + by)
  rerender()
}

/** Shows a time that the user points at. Playing goes on, a live picture stops. @param {number} t s */
export function pointAt(t) {
  playback.until = 0
  if (!past.session) return
  lookBack()
  seek(t)
}

/** Shows the start or the end; the end of a live session is the present. @param {1 | -1} end */
export function jump(end) {
  playback.until = 0
  if (!past.session) return
  if (end > 0 && past.session.live) return goLive()
  lookBack()
  seek(end > 0 ? past.session.to : past.session.from)
  rerender()
}

/** Starts or stops a recording of the live session. @param {boolean} on */
export const record = (on) => request('record', { on })

/** The shown time in s once everything of it is drawn; null until then. For pictures. */
export function settledTime() {
  if (live.at == null) return past.session && !past.session.live ? null : live.wall?.time ?? null
  const whole = past.session?.ready === 1 && hasNotes() && past.strip?.ready === 1 && frames.at(live.at * 1000, 0).exact
  return whole && live.wall && (!watchedSender() || live.packets) ? live.at : null
}

/** Lets a page around this one move the time of a recording. */
export function offerClock() {
  Object.assign(window, { clock: {
    span: () => past.session && !past.session.live && past.session.ready === 1 ? { from: past.session.from, to: past.session.to } : null,
    follow: (/** @type {number} */ t, /** @type {number} */ speed, /** @type {1 | -1} */ direction) => {
      playback.playing = false
      seek(t)
      if (live.at != null) frames.request(live.at * 1000, speed, direction)
    },
  } })
}

/** The times of plots: what the page shows, and the courses of fields that the server keeps. @type {Times} */
export const sessionTimes = {
  now: () => live.wall?.time ?? 0,
  at: () => live.at,
  span: () => past.session && [past.session.from, past.session.to],
  seek: pointAt,
  values: () => live.at == null ? [] : [['wall', live.wall], ['network', live.network], ['match', match.view], ['behaviour', behaviour.view],
    [ofTeam('teamcom'), tcm.view], [ofTeam('booking'), booking.view]],
  course: ({ topic, key, pointer }, from, to, samples) => get(`api/session/course?${new URLSearchParams({ topic, key: key ?? '',
    field: pointer, from: String(1000 * from), to: String(1000 * to), samples: String(samples) })}`),
}

/** For tests. */
export const probePast = () => ({ at: live.at, playing: playback.playing, speed: playback.speed,
  exact: live.at == null || frames.at(live.at * 1000, 0).exact, latency: frames.latency,
  to: past.session?.to ?? 0, recording: past.session?.recording ?? null })
