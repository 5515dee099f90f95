// The invitation to make a robot lie, and the mates that named it.

/** @import {Figure, Tile, Wall} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { disagreement, duration, judged } from '../robot/trust.js'
import { list } from '../shared/state.js'
import { errorText, request, toast } from '../shared/stream.js'

/** The robot that lies; undefined without one. @param {Wall} wall */
export const liar = (wall) => list(wall.tiles).find((t) => t.mirrored && t.state === 'live')

/** Makes the robot lie that is farthest from the centre: it says to be farthest from where it is.
 * @param {Figure[]} robots those that run, where they are @returns {Promise<boolean>} whether one lies now */
export async function makeLie(robots) {
  const far = (/** @type {Figure} */ r) => Math.hypot(r.pose.x, r.pose.y)
  const [first] = robots.filter((r) => r.shape !== 'camera').sort((a, b) => far(b) - far(a))
  try {
    if (!first) throw new Error('no robot of the session runs that could lie')
    await request('mirror', { number: first.number, on: true })
    return true
  } catch (e) {
    toast(errorText(e))
    return false
  }
}

/** Whether a robot of the field runs, and is one of the session. @param {Wall} wall @param {Figure} r */
const runs = (wall, r) => list(wall.tiles).some((t) => t.number === r.number && t.color === r.color && !t.real
  && t.state === 'live')

/** The mates by whose belief a robot contradicts the others. @param {Wall} wall @param {Tile} of */
const namers = (wall, of) => list(wall.tiles).filter((t) => !t.real && t.key !== of.key && t.state === 'live'
  && judged(wall, t).some((r) => r.number === of.number && r.color === of.color && r.trust.disagrees)).map((t) => t.number).sort()

/** The known facts of the lie, in words. @param {Wall} wall @param {Tile} of */
function inWords(wall, of) {
  const by = namers(wall, of), named = disagreement(wall, of)
  const began = list(wall.marks).findLast((m) => m.kind === 'mirror' && m.number === of.number)?.time
  if (!by.length) return `robot ${of.number} lies${began == null ? '' : ` for ${duration(wall.time - began)}`}: not named yet`
  const after = began == null || !named ? '' : ` after ${duration(Math.max(0, wall.time - named.seconds - began))}`
  return `robot ${of.number} lies: named by ${by.join(', ')}${after}`
}

/** The invitation, in a session that accepts commands. @param {{wall: Wall}} props */
export function Lie({ wall }) {
  const of = liar(wall)
  if (!of) return html`<button class="lie" title="the robot mistakes one half of the field for the other: watch how soon its teammates notice (X on a tile)"
    onClick=${() => void makeLie(list(wall.truth?.robots).filter((r) => runs(wall, r)))}>make a robot lie</button>`
  return html`<b class="lie-told" role="status">${inWords(wall, of)}</b><button class="lie on"
    onClick=${() => void request('mirror', { number: of.number, on: false }).catch((e) => toast(errorText(e)))}>heal it</button>`
}
