// Every robot of the simulator: whether it is on, what it was told last, how old that is, and by whom.

/** @import {VssShow, VssShowRobot} from './types' */
/** @import {Team} from './vssfield.js' */
import { age, signed, text } from './format.js'
import { gradeCommand } from './health.js'
import { html } from './htm/preact/standalone.module.js'
import { robots, switchRobot } from './vssfield.js'

/** A robot's letter and number on its team's colour; one that is off is empty.
 * @param {{team: string, id: number, on?: boolean}} props */
export function TeamBadge({ team, id, on = true }) {
  return html`<span class="badge ${on ? team : 'hollow'}">${team === 'blue' ? 'B' : 'Y'}${id}</span>`
}

/** @param {{team: Team, r: VssShowRobot}} props */
function Row({ team, r }) {
  const name = `${team} ${r.id}`, told = r.age != null
  return html`<tr class=${r.on ? '' : 'gone'} data-robot=${name} data-on=${String(r.on)}>
    <td><div class="who"><${TeamBadge} team=${team} id=${r.id} on=${r.on} />
      <button class="switch" role="switch" aria-checked=${r.on} aria-label=${name} title=${`switch ${name} ${r.on ? 'off' : 'on'} (O, then ${team === 'yellow' ? 'Shift + ' : ''}${r.id})`}
        onClick=${() => switchRobot(team, r.id, !r.on)}>${r.on ? 'on' : 'off'}</button></div></td>
    <td>${told ? signed(r.wheels.left, 1) : ''}</td><td>${told ? signed(r.wheels.right, 1) : ''}</td>
    <td class=${r.on ? gradeCommand(r.age) : ''}>${told ? text(age((r.age ?? 0) * 1000)) : ''}</td>
    <td class="text mono ${told ? '' : 'dim'}">${told ? r.from : 'no command yet'}</td></tr>`
}

/** @param {{show: VssShow}} props */
export function VssRobots({ show }) {
  const rows = (/** @type {Team} */ team) => robots(show, team).map((r) => html`<${Row} key=${team + r.id} team=${team} r=${r} />`)
  return html`<section class="panel vss-robots" aria-label="Robots"><table>
    <thead><tr><th><h2>Robots</h2></th><th>left</th><th>right rad/s</th><th>age</th><th class="text">last command from</th></tr></thead>
    <tbody>${rows('blue')}</tbody><tbody>${rows('yellow')}</tbody></table></section>`
}
