// The figures of links: their texts and grades. Amber needs attention; a link that delivers nothing is crossed out.

/** @import {Level} from '../wall/health.js' */
/** @import {ShownLink} from './observer.js' */
import { signed } from '../shared/format.js'
import { grade } from '../wall/health.js'

/** A figure of a link. worst: greater is worse; unknown: the link has not measured it.
 * @typedef {{key: string, title: string, unit: string, about: string, value: (l: ShownLink) => number | null,
 * text: (value: number) => string, level: (l: ShownLink) => Level}} Figure */

/** Lost messages in %, from which on a link is amber, and strongly amber. */
export const lossLimits = [5, 20]

/** Latencies in ms, from which on a link is amber, and strongly amber: one period of the beliefs, and three. */
const latencyLimits = [50, 150]

/** Errors of a clock's offset in ms with the same levels: at 5 m/s a ball moves 2.5 cm, and 25 cm. */
const errorLimits = [5, 50]

/** @param {number} v */
const short = (v) => v < 9.95 && v >= 0.05 ? v.toFixed(1) : v.toFixed(0)

/** Milliseconds below a second, then seconds, then minutes. @param {number} ms */
function span(ms) {
  const s = Math.abs(ms) / 1000, sign = ms < 0 ? '−' : ''
  if (s < 1) return signed(ms, s < 0.00995 ? 1 : 0)
  return s < 100 ? `${sign}${s.toFixed(s < 10 ? 1 : 0)} s` : `${sign}${(s / 60).toFixed(0)} min`
}

/** @param {ShownLink} l */
const latencyOf = (l) => l.synced ? l.latencyMillis.p99 : null

/** @type {Figure[]} */
export const figures = [
  { key: 'lost', title: 'Lost', unit: '%', about: 'share of the messages that did not arrive',
    value: (l) => l.lossPercent, text: short, level: (l) => grade(l.lossPercent, lossLimits) },
  { key: 'latency', title: 'Latency', unit: 'ms', about: '99 of 100 datagrams are faster, from departure to arrival',
    value: latencyOf, text: span, level: (l) => grade(latencyOf(l), latencyLimits) },
  { key: 'offset', title: 'Clock offset', unit: 'ms', about: 'the sender’s clock is ahead of the receiver’s by this',
    value: (l) => l.synced ? l.offsetMillis : null, text: span,
    level: (l) => grade(l.synced ? l.offsetErrorMillis : null, errorLimits) },
  { key: 'rate', title: 'Messages', unit: '/s', about: 'messages that arrive each second',
    value: (l) => l.messagesPerSecond, text: (v) => v.toFixed(v < 9.95 ? 1 : 0), level: () => '' },
]

/** @param {string} key */
export const figureOf = (key) => figures.find((f) => f.key === key) ?? figures[0]

/** The figure after another one. @param {string} key */
export const nextFigure = (key) => figures[(figures.findIndex((f) => f.key === key) + 1) % figures.length].key
