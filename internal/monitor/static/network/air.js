// The loss, the delay and the slow motion of a session.

/** @import {Wall} from '../types' */
/** @import {Imposed} from '../wall/state.js' */
import { html } from '../htm/preact/standalone.module.js'
import { Choices, textOf } from '../shared/inputs.js'
import { change } from '../shared/state.js'
import { command } from '../shared/stream.js'
import { live } from '../wall/state.js'

/** The speeds to choose from, with their names. */
const speeds = /** @type {[number, string][]} */ ([[1, '1×'], [0.5, '½'], [0.25, '¼'], [0.1, '⅒']])

const LOSSES = [0, 1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100] // percent, a step of the slider each
const DELAYS = [0, 5, 10, 20, 50, 100, 150, 200, 300, 500, 750, 1000] // ms

/** The step nearest to a value. @param {number[]} steps @param {number} value */
const nearest = (steps, value) => steps.reduce((best, s, i) => Math.abs(s - value) < Math.abs(steps[best] - value) ? i
  : best, 0)

let pending = /** @type {Imposed | null} */ (null), sending = false

/** Sends the newest position of a slider, one command at a time. The other slider's value stays out of it: it may have
 * changed since the page was drawn. @param {Imposed} air */
async function impose(air) {
  pending = { ...pending, ...air }
  change(live, { air: { ...live.air, ...air } })
  if (sending) return
  sending = true
  while (pending) {
    const { loss, delay } = pending
    pending = null
    await command('link', { ...loss != null && { loss: loss / 100 }, ...delay != null && { delay } })
  }
  sending = false
}

/** Whether the server reports what the sliders show. */
function reported() {
  const { air, wall } = live
  if (!air || !wall) return true
  const { loss = wall.link.loss * 100, delay = wall.link.delay } = air
  return Math.abs(wall.link.loss * 100 - loss) < 0.05 && Math.abs(wall.link.delay - delay) < 0.5
}

/** Shows what the server reports again, once it reports the position in which the slider was released. Another page may
 * have changed it meanwhile. @param {number} [tries] */
function release(tries = 40) {
  if (sending || pending || !reported() && tries > 0) setTimeout(() => release(tries - 1), 50)
  else change(live, { air: null })
}

/** The next slower speed, then real time again. @param {Wall} wall */
export function nextSpeed(wall) {
  const at = speeds.findIndex(([f]) => f === wall.speed)
  void command('speed', { factor: speeds[(at + 1) % speeds.length][0] })
}

/** @param {{name: string, steps: number[], value: number, unit: string, set: (value: number) => void,
 * disabled: boolean}} props */
function Slider({ name, steps, value, unit, set, disabled }) {
  const text = `${Math.round(value * 10) / 10} ${unit}`
  return html`<label class=${value > 0 ? 'on' : ''} title=${`${name} of the packets to each receiver`}>${name}
    <input type="range" disabled=${disabled} min="0" max=${steps.length - 1} value=${nearest(steps, value)}
    aria-valuetext=${text}
    onInput=${(/** @type {Event} */ e) => set(steps[+textOf(e)])}
    onChange=${() => release()} /><output>${text}</output></label>`
}

/** In a recording it shows what was imposed then. @param {{wall: Pick<Wall, 'controls' | 'speed'> & {team?: string,
 * link: {loss: number, delay: number}}}} props team: of a match, whose speed is chosen elsewhere */
export function Air({ wall }) {
  const { loss = wall.link.loss * 100, delay = wall.link.delay } = live.air ?? {}
  return html`<div class="air"><${Slider} name="loss" steps=${LOSSES} value=${loss} unit="%" disabled=${!wall.controls}
    set=${(/** @type {number} */ loss) => impose({ loss })} />
    <${Slider} name="delay" steps=${DELAYS} value=${delay} unit="ms" disabled=${!wall.controls}
    set=${(/** @type {number} */ delay) => impose({ delay })} />
    ${!wall.team && html`<${Choices} label="speed" title="slow motion (M)" value=${wall.speed || 1} options=${speeds}
      disabled=${!wall.controls} set=${(/** @type {number} */ factor) => command('speed', { factor })} />`}</div>`
}
