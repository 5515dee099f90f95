// All that the page knows. Everything else is a function of it.

/** @import {Network, PacketView, RefboxRefereeShow, RefboxShow, RefboxTeamsShow, VssShow, Wall} from './types' */

/** @typedef {{t: number, spread: number | null, ball: {x: number, y: number} | null}} Moment */

/** How many seconds the strip shows. */
export const HISTORY = 60

const TRAIL = 1 // s of simulated time that trails last

export const state = {
  wall: /** @type {Wall | null} */ (null),
  network: /** @type {Network | null} */ (null),
  vss: /** @type {VssShow | null} */ (null), // then there is no wall
  shows: /** @type {VssShow[]} */ ([]), // of the last second, oldest first
  refbox: /** @type {RefboxShow | null} */ (null),
  referee: /** @type {RefboxRefereeShow | null} */ (null), // only with the referee's token
  teams: /** @type {RefboxTeamsShow | null} */ (null),
  pages: /** @type {string[]} */ ([]), // that this server has
  packets: /** @type {PacketView | null} */ (null),
  past: /** @type {Moment[]} */ ([]),
  rates: /** @type {Map<string, {t: number, rate: number}[]>} */ (new Map()), // of each sender, by key
  link: /** @type {'connecting' | 'open' | 'lost' | 'refused'} */ ('connecting'),
  reason: '', // why the link was lost, in the server's words
  view: /** @type {'wall' | 'network'} */ ('wall'),
  open: '', // key of the tile or sender whose packets are shown
  run: '', // of the server's program
  frame: /** @type {'x' | 'msl'} */ ('x'),
  help: false,
  chord: '', // 'switch', 'substitute' or 'power' (the simulator's switch) while it waits for a digit
  toast: '',
}

/** @type {() => void} */
let changed = () => {}

/** Calls f whenever the page has to be written again.
 * @param {() => void} f */
export function onChange(f) {
  changed = f
}

/** Changes the state and writes the page again.
 * @param {Partial<typeof state>} with_ */
export function change(with_) {
  Object.assign(state, with_)
  changed()
}

/** Forgets the history of another start of the program.
 * @param {string} run */
export function begin(run) {
  if (state.run === run) return
  state.run = run
  state.past = []
  state.shows = []
  state.rates.clear()
}

/** Adds a wall to the history; a clock that went back begins another history.
 * @param {Wall} wall */
export function takeWall(wall) {
  const last = state.past.at(-1)
  if (last && wall.time < last.t) {
    state.past = []
    state.rates.clear()
  }
  state.vss = null
  state.wall = wall
  if (state.past.at(-1)?.t === wall.time) return
  const ball = wall.truth?.ball ?? wall.fused?.ball ?? null
  state.past.push({ t: wall.time, spread: wall.spread, ball: ball && { x: ball.x, y: ball.y } })
  while (state.past[0].t < wall.time - HISTORY) state.past.shift()
}

/** Adds a moment of the simulator to the trails; a clock that went back begins other trails.
 * @param {VssShow} show */
export function takeVss(show) {
  if (state.vss && show.time < state.vss.time) state.shows = []
  state.wall = null
  state.vss = show
  if (state.shows.at(-1)?.time !== show.time) state.shows.push(show)
  while (state.shows[0].time < show.time - TRAIL) state.shows.shift()
}

/** Takes in the network; who is no longer in it is forgotten.
 * @param {Network} network */
export function takeNetwork(network) {
  state.network = network
  const t = state.wall?.time ?? 0
  const keys = new Set(list(network.senders).map((s) => s.key))
  for (const key of state.rates.keys()) if (!keys.has(key)) state.rates.delete(key)
  for (const s of list(network.senders)) {
    const past = state.rates.get(s.key) ?? []
    if (past.at(-1)?.t !== t) past.push({ t, rate: s.rate })
    while (past[0].t < t - HISTORY) past.shift()
    state.rates.set(s.key, past)
  }
}

/** @template T @param {T[] | null | undefined} items @returns {T[]} */
export const list = (items) => items ?? []
