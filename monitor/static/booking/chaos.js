// Make trouble: loss, delay and crashes.

/** @import {Tile, Wall} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { Air } from '../network/air.js'
import { list } from '../shared/state.js'
import { command } from '../shared/stream.js'

/** The session's own robots, by number. @param {Wall} wall @returns {Tile[]} */
const ownRobots = (wall) => list(wall.tiles).filter((t) => !t.real)

/** A row of buttons, one a robot. @param {{wall: Wall, name: string, title: string, on: (t: Tile) => boolean,
 * press: (t: Tile) => void, disabled?: boolean}} props */
function Row({ wall, name, title, on, press, disabled }) {
  return html`<div class="chaos-row" role="group" aria-label=${name}><span title=${title}>${name}</span>
    ${ownRobots(wall).map((t) => html`<button key=${t.key} data-number=${t.number} aria-pressed=${on(t)}
      disabled=${disabled || !wall.controls} title=${`${name} ${t.number}: ${title}`} onClick=${() => press(t)}>
      ${t.number}</button>`)}</div>`
}

/** @param {{wall: Wall}} props */
export function ChaosPanel({ wall }) {
  return html`<section class="panel chaos" aria-label="Make trouble"><div class="head"><h2>Make trouble</h2></div>
    <${Air} wall=${wall} /><div class="chaos-rows">
    <${Row} wall=${wall} name="crash" title="its program ends; again: it starts" on=${(/** @type {Tile} */ t) => t.state === 'off'}
      press=${(/** @type {Tile} */ t) => command('switch', { number: t.number, on: t.state === 'off' })} /></div></section>`
}
