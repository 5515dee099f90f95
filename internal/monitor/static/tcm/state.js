// The data of the TCM's view: the nodes' reports, what is selected, and the messages of the inspector.

/** @import {Messages, Overview, PlaybackLinkSample, TeamcomTypeReport, TeamcomView} from '../types' */
/** @import {Shown, ShownLink} from './observer.js' */
import { change, keepSample, list } from '../shared/state.js'
import { HISTORY, isSubstitute, live } from '../wall/state.js'
import { OBSERVER, observer } from './observer.js'

/** The totals of every link at one time, by 'SENDER RECEIVER'.
 * @typedef {{t: number, links: Map<string, {received: number, lost: number}>}} Sample */

export const tcm = {
  view: /** @type {TeamcomView | null} */ (null),
  history: /** @type {Sample[]} */ ([]), // of the last minute, oldest first
  figure: 'lost', // key of the figure that the matrix shows
  from: '', // entity of the selected sender; '' for all
  to: '', // entity of the selected receiver; '' for all
  open: '', // key of the row whose messages are open; '' for none
  traffic: /** @type {Overview | null} */ (null), // what the datagrams show
  messages: /** @type {Messages | null} */ (null),
}

const GAP = 5 // s without a report interrupt the history
const SAMPLE = 0.9 // s between totals, at least

/** Names of nodes by entity, also of those that ended. @type {Map<string, string>} */
const names = new Map([[OBSERVER, 'the network']])

/** Shows what the nodes report. @param {TeamcomView | null} view */
export function applyTcm(view) {
  tcm.view = view
  for (const n of list(view?.nodes)) names.set(n.entity, n.name)
  if (nodes()[0]?.entity !== OBSERVER) keepTotals(view?.time ?? 0)
}

/** Shows what the datagrams of the network show. @param {Overview} traffic */
export function applyTraffic(traffic) {
  tcm.traffic = traffic
  if (nodes()[0]?.entity === OBSERVER) keepTotals(live.at ?? live.wall?.time ?? 0)
}

/** Keeps the totals of the last minute. @param {number} t */
function keepTotals(t) {
  const last = tcm.history.at(-1)
  if (last && (t < last.t || t - last.t > GAP)) tcm.history = []
  if (last && t - last.t < SAMPLE) return
  keepSample(tcm.history, { t, links: new Map(nodes().flatMap((n) => list(n.links).map((l) =>
    [`${l.peer} ${n.entity}`, { received: l.received, lost: l.lost }]))) }, HISTORY)
}

/** Puts the totals before this page was opened ahead of its own. @param {PlaybackLinkSample[]} samples */
export function fillTotals(samples) {
  const end = tcm.history[0]?.t ?? Infinity
  tcm.history.unshift(...samples.filter((s) => s.t < end).map(({ t, links }) => ({ t,
    links: new Map(list(links).map((l) => [`${l.from} ${l.to}`, l])) })))
}

/** Forgets another run of the program. */
export const forgetTcm = () => change(tcm, { view: null, history: [], traffic: null, messages: null })

/** The name of an entity's kind and its number. @param {string} entity such as robot:3 */
export function partsOf(entity) {
  const [kind, id] = entity.split(':')
  return { kind, id: Number(id) }
}

/** An entity on a badge: a robot's number, or C1 for a computer. @param {string} entity */
export function shortName(entity) {
  const { kind, id } = partsOf(entity)
  return kind === 'robot' ? String(id) : `C${id}`
}

/** Robots by number, then computers. @param {string} a @param {string} b */
function byEntity(a, b) {
  const x = partsOf(a), y = partsOf(b)
  return x.kind === y.kind ? x.id - y.id : x.kind === 'robot' ? -1 : 1
}

/** The senders, by the datagrams of the network. */
export const observed = () => list(tcm.traffic?.senders)

/** The nodes that report, in order. Where none accepted a datagram, one stands for what the datagrams show.
 * @returns {Shown[]} */
export function nodes() {
  const all = list(tcm.view?.nodes)
  if (observed().length && !all.some((n) => list(n.links).length)) return [observer(observed())]
  return all.toSorted((a, b) => byEntity(a.entity, b.entity))
}

/** Every entity that sends: nodes and those from which they received. @returns {string[]} */
export const senders = () => [...new Set(nodes().flatMap((n) => [n.entity, ...list(n.links).map((l) => l.peer)]))]
  .filter((entity) => entity !== OBSERVER).toSorted(byEntity)

/** The name of an entity: that of its node, its robot's team on the wall, or the entity itself. @param {string} entity */
export function nameOf(entity) {
  const { kind, id } = partsOf(entity), tile = kind === 'robot' && list(live.wall?.tiles).find((t) => t.number === id)
  return names.get(entity) || tile && tile.team || entity.replace(':', ' ')
}

/** The link from a sender to a receiver that reports. @param {string} from @param {string} to
 * @returns {ShownLink | undefined} */
export const linkOf = (from, to) => list(nodes().find((n) => n.entity === to)?.links).find((l) => l.peer === from)

/** Whether one of these robots waits as a substitute. @param {string[]} entities */
export const rests = (...entities) => entities.map(partsOf).some(({ kind, id }) => kind === 'robot' && isSubstitute(id))

/** A receiver's figures of one type. @typedef {{to: string, row: TeamcomTypeReport}} Received */

/** The figures of every type on the selected links. A page with one node also has the types that only the datagrams
 * show: robots send them to each other. @returns {Received[]} */
export function received() {
  const all = nodes().flatMap((n) => list(n.types).map((row) => ({ to: n.entity, row })))
  const overheard = nodes().length > 1 ? [] : list(observer(observed()).types).filter((o) => !all.some(({ row }) =>
    row.peer === o.peer && row.type === o.type && row.module === o.module)).map((row) => ({ to: OBSERVER, row }))
  return [...all, ...overheard].filter(({ to, row }) => (!tcm.to || to === tcm.to) && (!tcm.from || row.peer === tcm.from))
}

/** Selects a link, all links from a sender, or all links to a receiver. Selecting it again selects all links.
 * @param {string} from '' for all senders @param {string} to '' for all receivers */
export function select(from, to) {
  const again = tcm.from === from && tcm.to === to
  change(tcm, { from: again ? '' : from, to: again ? '' : to })
}

/** Opens the messages of a row; '' closes them. @param {string} open its key */
export const openMessages = (open) => change(tcm, { open, messages: tcm.messages?.key === open ? tcm.messages : null })

/** The topic of the open messages; '' for none. */
export const messagesTopic = () => tcm.open && 'messages/' + tcm.open

/** The sender of a row. @param {string} key of the row, such as 1/robot:3/robots/GM/belief */
export const senderOf = (key) => key.split('/')[1] ?? ''

/** The rows of an entity whose messages can be opened. @param {string} entity */
export const typesOf = (entity) => observed().filter((s) => s.entity === entity).flatMap((s) => list(s.types))
  .toSorted((a, b) => a.type === b.type ? a.key < b.key ? -1 : 1 : a.type < b.type ? -1 : 1)

/** Opens the messages of the robot with a number; pressed again, those of its next type. It reports whether there are
 * any. @param {number} number */
export function openNumber(number) {
  const types = typesOf(`robot:${number}`)
  const next = types.findIndex((t) => t.key === tcm.open) + 1
  if (types.length) openMessages(types[next % types.length].key)
  return types.length > 0
}

/** The part of the view that an address keeps. @returns {Record<string, string>} */
export const shownLinks = () => ({
  figure: tcm.figure === 'lost' ? '' : tcm.figure, from: tcm.from, to: tcm.to, open: tcm.open,
})

/** Shows what an address names. @param {Record<string, string>} values */
export const showLinks = ({ figure = 'lost', from = '', to = '', open = '' }) => change(tcm, { figure, from, to, open })
