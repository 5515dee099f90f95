// Every robot of the simulator: whether it is on, its last command, the command's age and sender.

/** @import {VssShow, VssShowRobot} from '../types' */
/** @import {Team} from './state.js' */
import { age, signed, withUnit } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { list, state } from '../shared/state.js'
import { TeamBadge, teams } from './figures.js'
import { plotWheels, sim, switchRobot } from './state.js'

const LATE = 0.1, DEAD = 1 // s since the last command: a strategy sends one each tick of 16 ms

/** @param {{team: Team, r: VssShowRobot}} props */
function Row({ team, r }) {
  const name = `${team} ${r.id}`, commanded = r.age != null, seconds = r.age ?? 0, level = !r.on || seconds < LATE ? ''
    : seconds < DEAD ? 'warn' : 'bad'
  return html`<tr class=${r.on ? '' : 'gone'} data-robot=${name} data-on=${String(r.on)}>
    <td><div class="who"><button class="plain" aria-pressed=${sim.wheels?.team === team && sim.wheels.id === r.id}
        aria-label=${`plot the wheels of ${name}`} title="plot its wheels"
        onClick=${() => plotWheels({ team, id: r.id })}><${TeamBadge} team=${team} id=${r.id} on=${r.on} /></button>
      <button class="switch" role="switch" aria-checked=${r.on} aria-label=${name} disabled=${state.viewOnly}
        title=${`switch ${name} ${r.on ? 'off' : 'on'} (O, then ${team === 'yellow' ? 'Shift + ' : ''}${r.id})`}
        onClick=${() => switchRobot(team, r.id, !r.on)}><i></i>${r.on ? 'on' : 'off'}</button></div></td>
    <td>${commanded ? signed(r.wheels.left, 1) : ''}</td><td>${commanded ? signed(r.wheels.right, 1) : ''}</td>
    <td class=${level}>${commanded ? withUnit(age(seconds * 1000)) : ''}</td>
    <td class="text mono ${commanded ? '' : 'dim'}">${commanded ? r.from : 'no command yet'}</td></tr>`
}

/** Plots the wheels of the robot after the plotted one, and of the first one that has a command at the start.
 * @param {VssShow} show */
export function nextWheels(show) {
  const all = teams.flatMap((team) => list(show[team]).map((r) => ({ team, id: r.id, commanded: r.age != null })))
  const at = all.findIndex((r) => r.team === sim.wheels?.team && r.id === sim.wheels.id)
  const next = at < 0 ? all.find((r) => r.commanded) ?? all[0] : all[(at + 1) % all.length]
  if (next) plotWheels({ team: next.team, id: next.id })
}

/** @param {{show: VssShow}} props */
export function RobotsPanel({ show }) {
  const rows = (/** @type {Team} */ team) =>
    list(show[team]).map((r) => html`<${Row} key=${team + r.id} team=${team} r=${r} />`)
  return html`<section class="panel vss-robots" aria-label="Robots"><table>
    <thead><tr><th><h2>Robots</h2><button class="small"
      title="plot the wheels of the next robot (W), or click a robot’s number to plot its wheels"
      onClick=${() => nextWheels(show)}>plot</button></th><th>left</th><th>right rad/s</th><th>age</th>
      <th class="text">last command from</th></tr></thead>
    <tbody>${rows('blue')}</tbody><tbody>${rows('yellow')}</tbody></table></section>`
}
