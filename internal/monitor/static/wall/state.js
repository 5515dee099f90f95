// The data of the wall: the newest of each topic, and the last minute of it.

/** @import {Network, PacketView, PlaybackNetworkSample, Wall} from '../types' */
import { change, keepSample, list } from '../shared/state.js'

/** @typedef {{t: number, spread: number | null, ball: {x: number, y: number} | null}} Sample */

/** @typedef {{loss?: number, delay?: number}} Imposed percent and ms, of each packet to each receiver */

/** The views of the page. */
export const views = /** @type {const} */ (['wall', 'network', 'projector', 'robot', 'tcm', 'booking', 'match'])

/** @typedef {(typeof views)[number]} View */

/** Seconds of history that the page keeps and shows. */
export const HISTORY = 60

export const live = {
  wall: /** @type {Wall | null} */ (null),
  network: /** @type {Network | null} */ (null),
  packets: /** @type {PacketView | null} */ (null),
  history: /** @type {Sample[]} */ ([]), // oldest first
  load: /** @type {{t: number, bits: number}[]} */ ([]), // of the network, oldest first
  rates: /** @type {Map<string, {t: number, rate: number | null}[]>} */ (new Map()), // of each sender, by key
  view: /** @type {View} */ ('wall'),
  sel: '', // key of the selected tile or sender, '' for none
  bytes: false, // the packets of the selection are open
  states: false, // the state machine of the robot in large is shown, in place of its pictures
  connect: false, // the drawer about connecting a robot is open
  at: /** @type {number | null} */ (null), // s: the time that the address asks for, null for the newest
  frame: /** @type {'x' | 'msl'} */ ('x'),
  air: /** @type {Imposed | null} */ (null), // of the sliders while they are moved
  dismissed: /** @type {Set<string>} */ (new Set()), // keys of silent tiles that the user has dismissed
  chord: /** @type {'' | 'switch' | 'substitute'} */ (''), // the action that waits for a robot's digit
}

export function forgetHistory() {
  live.history = []
  live.rates.clear()
  live.load = []
}

/** @param {Wall} wall @returns {Sample} */
export function sampleOf(wall) {
  const ball = wall.truth?.ball ?? wall.fused?.ball ?? null
  return { t: wall.time, spread: wall.spread, ball: ball && { x: ball.x, y: ball.y } }
}

/** The tiles that are shown: a silent robot stays until the user dismisses it. @param {Wall} wall */
export const shown = (wall) => list(wall.tiles).filter((t) => t.state !== 'silent' || !live.dismissed.has(t.key))

/** Whether no robot tells where it sees the ball, as in a game that only cameras see. */
export const isSilent = () => !!live.wall?.game && !shown(live.wall).length

/** Takes a silent robot off the page until it sends again. @param {string} key */
export const dismiss = (key) => change(live, { dismissed: new Set([...live.dismissed, key]) })

/** Shows a wall, its tiles by colour and jersey number as in the network's table. @param {Wall} wall */
export function showWall(wall) {
  wall.tiles?.sort((a, b) => a.color - b.color || a.number - b.number || (a.key < b.key ? -1 : 1))
  live.wall = wall
  for (const t of list(wall.tiles)) if (t.state !== 'silent') live.dismissed.delete(t.key)
}

/** Applies a new wall. A clock that went backwards starts a new history.
 * @param {Wall} wall */
export function applyWall(wall) {
  const last = live.history.at(-1)
  if (last && wall.time < last.t) forgetHistory()
  showWall(wall)
  keepSample(live.history, sampleOf(wall), HISTORY)
}

/** Whether all packets of a sender came within about the last second: its rate is not known yet. The rate is a mean over
 * whole steps of time, so up to three packets more have arrived. @param {{packets: number, rate: number}} s */
export const isNew = (s) => s.packets <= 1.2 * s.rate + 3

/** Applies new figures of the network, and forgets senders that are no longer among them.
 * @param {Network} network */
export function applyNetwork(network) {
  live.network = network
  const t = live.wall?.time ?? 0
  if ((live.load.at(-1)?.t ?? t) > t) live.load = []
  keepSample(live.load, { t, bits: network.bitsPerS }, HISTORY)
  const keys = new Set(list(network.senders).map((s) => s.key))
  for (const key of live.rates.keys()) if (!keys.has(key)) live.rates.delete(key)
  for (const s of list(network.senders)) {
    const past = live.rates.get(s.key) ?? []
    keepSample(past, { t, rate: isNew(s) ? null : s.rate }, HISTORY)
    live.rates.set(s.key, past)
  }
}

/** Puts the figures of the network before this page was opened ahead of its own.
 * @param {PlaybackNetworkSample[]} networks */
export function fillNetwork(networks) {
  fill(live.load, networks.map((n) => ({ t: n.t, bits: n.bitsPerS })))
  for (const { key } of networks.flatMap((n) => list(n.senders))) if (!live.rates.has(key)) live.rates.set(key, [])
  for (const [key, own] of live.rates) {
    fill(own, networks.flatMap((n) => list(n.senders).filter((s) => s.key === key)
      .map((s) => ({ t: n.t, rate: isNew(s) ? null : s.rate }))))
  }
}

/** Puts the older of some samples ahead of others. @template {{t: number}} S @param {S[]} own @param {S[]} before */
function fill(own, before) {
  const start = own[0]?.t ?? Infinity
  own.unshift(...before.filter((s) => s.t < start))
}

const SAME = 1 // s by which clocks differ that count as one: a view is older than the wall, or newer

/** The seconds from the times of a view to the clock of the wall. Times of a view on another clock are as long ago as at
 * its arrival. @param {number} time of the view */
export function clockShift(time) {
  const shift = (live.at ?? live.wall?.time ?? time) - time
  return Math.abs(shift) > SAME ? shift : 0
}

/** Whether a robot of the session waits as a substitute: it sends nothing, and need not. @param {number} number */
export const isSubstitute = (number) => list(live.wall?.waiting).some((m) => m.number === number)

/** The tile with a key. @param {string} key */
export const tileOf = (key) => list(live.wall?.tiles).find((t) => t.key === key)

/** Opens the packets of a tile or a sender. @param {string} sel its key */
export const openPackets = (sel) => change(live, { sel, bytes: true, connect: false })

/** Closes the drawer. */
export const closePackets = () => change(live, { sel: live.view === 'robot' ? live.sel : '', bytes: false,
  connect: false })

/** Shows a robot in large, from its top where the page scrolls. @param {string} sel the key of its tile */
export function openRobot(sel) {
  change(live, { view: 'robot', sel })
  scrollTo(0, 0)
}

/** Shows the wall again. */
export const closeRobot = () => change(live, { view: 'wall', sel: '', bytes: false, connect: false })

/** The sender whose packets the page shows; '' for none. */
export function watchedSender() {
  const sender = tileOf(live.sel)?.sender
  return live.bytes ? sender ?? live.sel : live.view === 'robot' ? sender ?? '' : ''
}
