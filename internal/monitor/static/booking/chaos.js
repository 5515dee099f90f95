// Make trouble: loss and delay, a partition, crashes and penalties.

/** @import {Tile, Wall} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { Air } from '../network/air.js'
import { change, list } from '../shared/state.js'
import { command, toast } from '../shared/stream.js'
import { Explain } from '../shared/words.js'
import { booking } from './state.js'

/** @typedef {Pick<Tile, 'key' | 'number' | 'real' | 'state' | 'penalised'> & {mirrored?: boolean}} Robot */
/** A session in which a user can make trouble: that of the wall, or one team of a match.
 * @typedef {Pick<Wall, 'apart' | 'unreached' | 'controls' | 'speed'> & {tiles: Robot[] | null, team?: string,
 * link: {loss: number, delay: number}}} Troubled */

/** The session's own robots, by number. @param {Troubled} wall @returns {Robot[]} */
const ownRobots = (wall) => list(wall.tiles).filter((t) => !t.real)

/** Sends a command, with the team in a match. @param {Troubled} wall @param {string} name @param {object} body */
const send = ({ team }, name, body) => command(name, team ? { team, ...body } : body)

/** Separates the chosen robots from the others, or heals the partition. @param {Troubled} wall */
export function partition(wall) {
  if (list(wall.apart).length) return void send(wall, 'partition', { robots: [] })
  const apart = booking.apart.filter((n) => ownRobots(wall).some((t) => t.number === n))
  if (!apart.length) return toast('choose the robots of the other side first: their numbers under “partition”')
  void send(wall, 'partition', { robots: apart })
}

/** Puts a robot on the other side, or back. @param {number} number */
const choose = (number) => change(booking, { apart: booking.apart.includes(number)
  ? booking.apart.filter((n) => n !== number) : [...booking.apart, number].sort() })

/** A row of buttons, one a robot. @param {{wall: Troubled, name: string, title: string, on: (t: Robot) => boolean,
 * press: (t: Robot) => void, disabled?: boolean}} props */
function Row({ wall, name, title, on, press, disabled }) {
  return html`<div class="chaos-row" role="group" aria-label=${name}><span title=${title}>${name}${name === 'partition' && html` <${Explain} of="partition" />`}</span>
    ${ownRobots(wall).map((t) => html`<button key=${t.key} data-number=${t.number} aria-label=${`${name} ${t.number}`} class=${on(t) ? 'on' : ''} aria-pressed=${on(t)}
      disabled=${disabled || !wall.controls} title=${`${name} ${t.number}: ${title}`} onClick=${() => press(t)}>
      ${t.number}</button>`)}</div>`
}

/** @param {{wall: Troubled}} props */
export function ChaosPanel({ wall }) {
  const apart = list(wall.apart), cut = apart.length > 0, unreached = list(wall.unreached)
  const sides = cut ? apart : booking.apart
  const others = ownRobots(wall).map((t) => t.number).filter((n) => !sides.includes(n))
  return html`<section class="panel chaos" aria-label="Make trouble"><div class="head"><h2>Make trouble</h2>
    ${cut && html`<span class="verdict bad">${others.join(' ')} ✕ ${apart.join(' ')}</span>`}</div>
    <${Air} wall=${wall} />
    <div class="chaos-rows"><div class="chaos-cut"><${Row} wall=${wall} name="partition"
        title="moves the robot to the other side" on=${(/** @type {Robot} */ t) => sides.includes(t.number)}
        press=${(/** @type {Robot} */ t) => choose(t.number)} disabled=${cut} />
      <button class=${cut ? 'on' : ''} disabled=${!wall.controls || !cut && !sides.length} onClick=${() => partition(wall)}
        title=${cut ? 'all robots can reach each other again' : `cut ${others.join(', ')} off from ${sides.join(', ')}`}>
        ${cut ? 'heal' : 'cut'} <kbd>H</kbd></button></div>
    <${Row} wall=${wall} name="crash" title="its program crashes without warning, and restarts after 3 s"
      on=${(/** @type {Robot} */ t) => t.state === 'off'} press=${(/** @type {Robot} */ t) => t.state !== 'off'
    ? send(wall, 'crash', { number: t.number }) : wall.team ? toast('it starts again by itself')
      : command('switch', { number: t.number, on: true })} />
    ${!wall.team && html`<${Row} wall=${wall} name="penalise" title="send the robot off as the referee; again: it may return"
      on=${(/** @type {Robot} */ t) => t.penalised} press=${(/** @type {Robot} */ t) =>
      command('penalise', { number: t.number, on: !t.penalised })} />
    <${Row} wall=${wall} name="lie" title="the robot mistakes one half of the field for the other; again: it recovers"
      on=${(/** @type {Robot} */ t) => !!t.mirrored} press=${(/** @type {Robot} */ t) =>
      command('mirror', { number: t.number, on: !t.mirrored })} />`}</div>
    ${unreached.length > 0 && html`<p class="dim">Loss, delay, partitions and crashes do not reach ${unreached.join(', ')}:
      the session did not start ${unreached.length > 1 ? 'their programs' : 'its program'}.</p>`}</section>`
}
