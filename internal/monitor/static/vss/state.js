// The data of the simulator's page: the newest, and the last second of it.

/** @import {SoccerWheels, VssShow, VssShowPacket} from '../types' */
import { readPlace, storePlace } from '../shared/address.js'
import { change, list } from '../shared/state.js'
import { command, subscribe, toast } from '../shared/stream.js'

const PACKET = 'vss/packet/' // begins the topics of clients' last packets
const TRAIL = 1 // s of simulated time that trails last
const SAMPLES = 300 // of wheel speeds that are kept: 10 s at the speed of real time

/** @typedef {'blue' | 'yellow'} Team */
/** A robot that is chosen by its team and number. @typedef {{team: Team, id: number}} Chosen */
/** Wheel speeds of all robots in rad/s at a simulated time; null for a robot off the field.
 * @typedef {{time: number, robots: Record<string, {wheels: SoccerWheels, turning: SoccerWheels} | null>}} Sample */

export const sim = {
  show: /** @type {VssShow | null} */ (null),
  history: /** @type {VssShow[]} */ ([]), // oldest first
  chord: false, // O waits for a robot's digit
  connect: false, // the drawer about connecting is open
  samples: /** @type {Sample[]} */ ([]), // oldest first
  wheels: /** @type {Chosen | null} */ (null), // the robot whose wheels are plotted
  client: '', // address of the client whose last packet is shown; '' for none
  packet: /** @type {VssShowPacket | null} */ (null),
}

export function forgetHistory() {
  sim.history = []
  sim.samples = []
}

/** The key of a robot in a sample. @param {string} team @param {number} id */
export const keyOfRobot = (team, id) => `${team}/${id}`

/** @param {VssShow} show @returns {Sample} */
function sampleOf(show) {
  const one = (/** @type {Team} */ team) => list(show[team]).map((r) =>
    [keyOfRobot(team, r.id), r.on ? { wheels: r.wheels, turning: r.turning } : null])
  return { time: show.time, robots: Object.fromEntries([...one('blue'), ...one('yellow')]) }
}

/** Applies new data. A clock that went backwards starts new trails.
 * @param {VssShow} show */
function applyShow(show) {
  if (sim.show && show.time < sim.show.time) forgetHistory()
  sim.show = show
  if (sim.history.at(-1)?.time !== show.time) {
    sim.history.push(show)
    sim.samples.push(sampleOf(show))
    if (sim.samples.length > SAMPLES) sim.samples.shift()
  }
  while (sim.history[0].time < show.time - TRAIL) sim.history.shift()
}

export const topics = () => sim.client ? ['vss', PACKET + sim.client] : ['vss']

/** Shows the last packet of a client; '' closes it. @param {string} client its address */
export function openClient(client) {
  change(sim, { client, packet: null, connect: false })
  subscribe(topics())
  keepPlace()
}

/** Opens or closes the drawer about connecting. @param {boolean} connect */
export function showConnect(connect) {
  if (connect && sim.client) openClient('')
  change(sim, { connect })
  keepPlace()
}

/** Plots the wheels of a robot; null closes the plot. @param {Chosen | null} wheels */
export function plotWheels(wheels) {
  change(sim, { wheels })
  keepPlace()
}

/** The robot that an address names, like blue/0. @param {string | undefined} text @returns {Chosen | null} */
function chosenOf(text) {
  const [, team, id] = /^(blue|yellow)\/(\d)$/.exec(text ?? '') ?? []
  return team === 'blue' || team === 'yellow' ? { team, id: +id } : null
}

/** Keeps the open drawers in the address. */
const keepPlace = () => storePlace({ first: 'vss', values: { client: sim.client, show: sim.connect ? 'connect' : '',
  wheels: sim.wheels ? keyOfRobot(sim.wheels.team, sim.wheels.id) : '' } })

/** Opens the drawer that the address names. */
export function loadPlace() {
  const { client, show, wheels } = readPlace().values
  change(sim, { wheels: chosenOf(wheels) })
  if (client) openClient(client)
  else showConnect(show === 'connect')
}

/** @param {string} topic @param {any} value */
export function receive(topic, value) {
  if (topic === 'vss') applyShow(value)
  else if (topic === PACKET + sim.client) sim.packet = value
}

/** The speeds to choose from, 0 for the highest possible, with their names. */
export const speeds = /** @type {[number, string][]} */ ([[0.5, '½'], [1, '1'], [2, '2'], [0, 'max']])

/** Commands to the built-in referee, with their names and keys. */
export const refereeCommands = [['kickoff', 'kick-off', 'K'], ['game_on', 'play', 'G'], ['stop', 'stop', 'S'],
  ['halt', 'halt', 'H']]

/** @param {VssShow} show */
export const togglePause = (show) => command('pause', { paused: !show.paused })
export const step = () => command('step', { ticks: 1 })
export const reset = () => command('reset', {})
/** @param {number} x */
export const setSpeed = (x) => command('speed', { factor: x })
/** @param {string} team @param {number} id @param {boolean} on */
export const switchRobot = (team, id, on) => command('switch', { team, id, on })

/** @param {VssShow} show @param {Team} team @param {number} id */
export function toggleRobot(show, team, id) {
  const robot = show[team]?.find((r) => r.id === id)
  if (robot) void switchRobot(team, id, !robot.on)
  else toast(`no robot ${id} in the ${team} team`)
}

/** Starts or ends the wait for a robot's digit. @param {boolean} chord */
export const setChord = (chord) => change(sim, { chord })
