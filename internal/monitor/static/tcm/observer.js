// A report like that of a node, made from the datagrams of the network: for pages of programs without a node.

/** @import {Sender, TeamcomLinkReport, TeamcomTypeReport, TeamcomReport} from '../types' */
import { list } from '../shared/state.js'

/** The part of a link that the page shows.
 * @typedef {Omit<TeamcomLinkReport, 'boot' | 'restarts' | 'replayed' | 'olderBoot' | 'clash' | 'clashes' | 'refusedBoot'
 *   | 'others'>}
 * ShownLink */
/** The part of a node that the page shows.
 * @typedef {Pick<TeamcomReport, 'entity' | 'name' | 'types' | 'queues' | 'handlers'> & {links: ShownLink[] | null}}
 * Shown */

/** The entity that stands for what the datagrams show. */
export const OBSERVER = 'computer:0'

const UP = 2000 // ms without a datagram after which a sender counts as silent

/** The figures that an observer cannot measure. */
const unmeasured = { duplicatePercent: 0, reorderPercent: 0, latencyMillis: { p50: 0, p99: 0 } }
const unsynced = { synced: false, offsetMillis: 0, offsetErrorMillis: 0, driftPPM: 0, rttMillis: 0 }

/** @param {{received: number, lost: number}} t */
const lossOf = (t) => 100 * t.lost / Math.max(1, t.lost + t.received)

/** The report of what senders send. @param {Sender[]} senders @returns {Shown} */
export function observer(senders) {
  const types = senders.flatMap(typesOf)
  const links = senders.map((s) => linkOf(s, types.filter((t) => t.peer === s.entity)))
  return { entity: OBSERVER, name: '', links, types, queues: null, handlers: null }
}

/** @param {Sender} s @returns {TeamcomTypeReport[]} */
const typesOf = (s) => list(s.types).map((t) => ({
  ...unmeasured, peer: s.entity, type: t.type, module: t.module, received: t.received, lost: t.lost,
  duplicates: t.repeated, reordered: 0, lossPercent: lossOf(t), perSecond: t.rate,
  bytesPerSecond: t.rate * t.bytes / Math.max(1, t.received),
}))

/** @param {Sender} s @param {TeamcomTypeReport[]} types of its messages @returns {ShownLink} */
function linkOf(s, types) {
  const total = { received: 0, lost: 0, duplicates: 0, reordered: 0, perSecond: 0, bytesPerSecond: 0 }
  for (const t of list(s.streams)) {
    total.received += t.received
    total.lost += t.lost
    total.duplicates += t.duplicates
    total.reordered += t.reordered
  }
  for (const t of types) {
    total.perSecond += t.perSecond
    total.bytesPerSecond += t.bytesPerSecond
  }
  return { ...total, ...unmeasured, ...unsynced, peer: s.entity, up: s.ageMs < UP, silentMillis: s.ageMs,
    lossPercent: lossOf(total), messagesPerSecond: total.perSecond }
}
