// A robot's or a computer's number on a badge.

import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { match } from '../match/state.js'
import { live } from '../wall/state.js'
import { partsOf, shortName } from './state.js'

/** A robot wears its team's colour where the wall knows it; a computer is hollow. @param {{entity: string}} props */
export function EntityBadge({ entity }) {
  const { kind, id } = partsOf(entity)
  const color = list(live.wall?.tiles).find((t) => t.number === id && (!match.view || t.color === (match.away ? 1 : 0)))
    ?.color ?? 0
  const team = kind === 'robot' ? ['cyan', 'magenta'][color] ?? '' : 'computer'
  return html`<span class="badge ${team}" title=${entity}>${shortName(entity)}</span>`
}
