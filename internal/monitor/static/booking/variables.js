// The four variables of the paper for each robot, with its lease, its own distance, and the robots that it ignores.

/** @import {BookingRobot} from '../types' */
import { age, distance, withUnit } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { nameOf } from '../tcm/state.js'
import { Mark } from '../shared/identity.js'
import { hasBooked, offTile, robots } from './state.js'

const LEASE = 300 // ms, the default of all robots: the length of a full bar

/** The time left of a lease. @param {{r: BookingRobot}} props */
function Lease({ r }) {
  if (!r.booked || offTile(r.number)) return html`<span class="dim">–</span>`
  const share = Math.min(1, r.leftMs / LEASE)
  return html`<span class="lease" title=${`${Math.round(r.leftMs)} ms until the lease expires`}>
    <i><u style=${{ width: `${100 * share}%` }}></u></i>${Math.round(r.leftMs)} ms</span>`
}

/** Returns what a robot does. @param {BookingRobot} r */
function roleOf(r) {
  const off = offTile(r.number)
  if (off) return off.crashed ? 'crashed' : 'switched off'
  if (!r.live) return `silent for ${withUnit(age(r.silentMs))}`
  if (hasBooked(r)) return 'has booked it'
  if (r.penalised) return 'penalised'
  return r.booker ? `leaves it to ${r.booker}` : r.own == null ? 'sees no ball' : 'may book it'
}

/** @param {{r: BookingRobot}} props */
function Row({ r }) {
  const ignored = list(r.ignores).map((i) => i.robot)
  return html`<tr class=${`${hasBooked(r) ? 'booker' : ''} ${r.live && !offTile(r.number) ? '' : 'gone'}`} data-robot=${r.number}>
    <td><div class="who"><${Mark} number=${r.number} /><span>${nameOf(`robot:${r.number}`)}</span></div></td>
    <td class="role">${roleOf(r)}${ignored.length > 0 && html` <b class="bad">ignores ${ignored.join(', ')}</b>`}</td>
    <td>${r.booked ? 'true' : 'false'}</td>
    <td>${r.booker && !offTile(r.number) ? html`<${Mark} number=${r.booker} />` : '–'}</td>
    <td>${withUnit(distance(r.distance))}</td>
    <td>${r.ageMs == null ? '–' : `${withUnit(age(r.ageMs))} ago`}</td>
    <td><${Lease} r=${r} /></td><td class="epoch">${r.epoch}.${r.sequence}</td>
    <td>${withUnit(distance(r.own))}</td></tr>`
}

export function VariablesPanel() {
  const all = robots(), protocols = [...new Set(all.map((r) => r.protocol).filter((p) => p))]
  return html`<section class="panel variables" aria-label="Variables of each robot"><div class="head"><h2>Variables</h2>
    <span class="sub">${protocols.length ? `protocol ${protocols.join(', ')}` : ''}</span></div>
    <div class="scroll"><table><thead><tr><th>robot</th><th>state</th><th title="booked ball">booked</th>
      <th title="robot booker">booker</th><th title="from the booker to the ball, as the booker sent it">distance</th>
      <th title="of the booking or its newest renewal, on the robot’s own clock">timestamp</th>
      <th>lease left</th><th title="epoch of the lease, and number of the newest renewal">epoch</th>
      <th title="from this robot to the ball">own distance</th></tr></thead>
      <tbody>${all.map((r) => html`<${Row} key=${r.number} r=${r} />`)}</tbody></table></div></section>`
}
