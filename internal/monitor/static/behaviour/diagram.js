// A state machine as boxes and arrows: active states lit, with the transitions that leave them.

/** @import {BehaviourRobot, HfsmMachine, HfsmTransition} from '../types' */
/** @import {Arrow, Box, Picture} from './layout.js' */
import { html, useEffect, useRef, useState } from '../htm/preact/standalone.module.js'
import { arrows } from '../shared/keyboard.js'
import { change, list } from '../shared/state.js'
import { layoutMachine, placeLabels } from './layout.js'
import { behaviour, innermost, leaving, pathTo, reasonOf, stays } from './state.js'

const FONT = '600 15px system-ui, "Segoe UI", Roboto, sans-serif'
const LARGEST = 1.9, SMALLEST = 0.56 // scale of the picture; a larger machine scrolls

const ruler = document.createElement('canvas').getContext('2d')

/** @param {string} text @returns {number} px */
function measure(text) {
  if (!ruler) return 9 * text.length
  ruler.font = FONT
  return ruler.measureText(text).width
}

/** The last picture, by what it depends on. */
const kept = { key: '', picture: /** @type {Picture | null} */ (null) }

/** @param {HfsmMachine} machine @param {number} checksum @param {number} w @param {number} h @returns {Picture} */
function pictureOf(machine, checksum, w, h) {
  const key = [checksum, Math.round(w / 20), Math.round(h / 20)].join()
  if (kept.key !== key || !kept.picture) Object.assign(kept, { key, picture: layoutMachine(machine, w, h, measure) })
  return /** @type {Picture} */ (kept.picture)
}

/** The nearest box without children in the direction of an arrow key. @param {Box[]} boxes @param {string} from
 * @param {string} key */
function neighbour(boxes, from, key) {
  const at = boxes.find((b) => b.name === from), leaves = boxes.filter((b) => b.leaf && b.name !== from)
  const [sx, sy] = arrows[key] ?? [0, 0]
  if (!at || !sx && !sy) return undefined
  const far = (/** @type {Box} */ b) => {
    const dx = b.x + b.w / 2 - at.x - at.w / 2, dy = b.y + b.h / 2 - at.y - at.h / 2, ahead = sx * dx + sy * dy
    return ahead > 1 ? ahead + 2 * Math.abs(sx ? dy : dx) : Infinity
  }
  const best = leaves.reduce((/** @type {Box | undefined} */ a, b) => !a || far(b) < far(a) ? b : a, undefined)
  return best && far(best) < Infinity ? best.name : undefined
}

/** @param {{box: Box, active: boolean, inner: boolean, chosen: boolean, faulty: boolean, text: string}} props */
function State({ box, active, inner, chosen, faulty, text }) {
  const { name, x, y, w, h, leaf } = box
  const kind = `state ${leaf ? 'leaf' : 'group'} ${active ? 'active' : ''} ${inner ? 'inner' : ''} ${chosen ? 'chosen' : ''} ${faulty ? 'faulty' : ''}`
  return html`<g class=${kind} data-state=${name} onClick=${() => change(behaviour, { state: chosen ? '' : name })}>
    <rect x=${x} y=${y} width=${w} height=${h} rx="7" />
    ${leaf ? html`<text class="name" x=${x + w / 2} y=${y + (text ? 20 : h / 2 + 5)}>${name}</text>
      ${text && html`<text class="stay" x=${x + w / 2} y=${y + 37}>${text}</text>`}`
    : html`<text class="name" x=${x + 12} y=${y + 20}>${name}</text>`}</g>`
}

/** @param {Arrow} a */
const curve = ({ from, by, to }) => `M${[from, by].map((p) => `${p.x.toFixed(1)} ${p.y.toFixed(1)}`).join('Q')} ${
  to.x.toFixed(1)} ${to.y.toFixed(1)}`

/** @param {{arrow: Arrow, kind: string}} props */
const Way = ({ arrow, kind }) => html`<path class=${`arrow ${kind}`} d=${curve(arrow)}
  marker-end=${`url(#head${kind ? '-strong' : ''})`}><title>${arrow.transition.from} → ${arrow.transition.to}:
  ${reasonOf(arrow.transition)}</title></path>`

const heads = html`<defs>${['', '-strong'].map((kind) => html`<marker id=${`head${kind}`} viewBox="0 0 8 8" refX="7" refY="4"
  markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto" class=${`head${kind}`}>
  <path d="M0 0L8 4L0 8Z" /></marker>`)}</defs>`

/** A transition as text: each message brings a new copy of the machine. @param {HfsmTransition} t */
const textOf = (t) => [t.from, t.to, t.when, t.after].join('\n')

/** The size of an element in px. @returns {[{current: HTMLElement | null}, number, number]} */
function useSize() {
  const ref = useRef(/** @type {HTMLElement | null} */ (null)), [size, setSize] = useState([0, 0])
  useEffect(() => {
    const element = ref.current
    if (!element) return
    const watch = new ResizeObserver(() => setSize([element.clientWidth, element.clientHeight]))
    watch.observe(element)
    return () => watch.disconnect()
  }, [])
  return [ref, size[0], size[1]]
}

/** The text in each box: how long the robot is in it, or its share of the last minute. @param {BehaviourRobot} r
 * @param {number} now s, on the view's clock */
function textsOf(r, now) {
  const all = stays(r), sum = all.reduce((s, { seconds }) => s + seconds, 0)
  const texts = new Map(all.map(({ state, seconds }) => [state, `${Math.round(100 * seconds / Math.max(sum, 1e-3))} %`]))
  if (r.live) texts.set(innermost(r), `${Math.max(0, now - r.since).toFixed(1)} s`)
  return texts
}

/** @param {{robot: BehaviourRobot, machine: HfsmMachine, now: number, faulty?: string[]}} props now: s, on the view's clock;
 * faulty: states with something wrong */
export function Diagram({ robot, machine, now, faulty = [] }) {
  const [ref, w, h] = useSize(), active = list(robot.states), inner = innermost(robot)
  const known = list(machine.states).some((s) => s.name === behaviour.state)
  const chosen = known ? behaviour.state : '', focus = chosen || inner
  const press = (/** @type {KeyboardEvent} */ e) => {
    if (!e.key.startsWith('Arrow')) return
    e.preventDefault() // at the edge it does not move the page's time instead
    e.stopPropagation()
    change(behaviour, { state: neighbour(kept.picture?.boxes ?? [], focus, e.key) ?? focus })
  }
  const draw = () => {
    const { boxes, arrows, w: wide, h: high } = pictureOf(machine, robot.machine, w, h)
    const scale = Math.min(LARGEST, Math.max(SMALLEST, Math.min(w / wide, h / high)))
    const path = chosen ? pathTo(machine, chosen) : active, out = new Set(leaving(machine, path).map(textOf))
    const last = list(robot.spans).at(-1)
    const kindOf = (/** @type {Arrow} */ { transition: t }) => last?.left && t.from === last.left && t.to === last.state
      ? 'fired' : out.has(textOf(t)) ? 'out' : ''
    const strong = arrows.filter((a) => kindOf(a)), texts = textsOf(robot, now)
    const labels = placeLabels(arrows.filter((a) => out.has(textOf(a.transition))), boxes, measure, wide, reasonOf)
    return html`<svg viewBox=${`0 0 ${wide} ${high}`} width=${wide * scale} height=${high * scale} role="img"
      aria-label=${`${machine.name}: ${active.join(', in it ')}`}>${heads}
      ${boxes.filter((b) => !b.leaf).map((b) => html`<${State} key=${b.name} box=${b} active=${active.includes(b.name)}
        inner=${false} chosen=${b.name === chosen} faulty=${faulty.includes(b.name)} text="" />`)}
      ${arrows.filter((a) => !kindOf(a)).map((a) => html`<${Way} arrow=${a} kind="" />`)}
      ${strong.map((a) => html`<${Way} arrow=${a} kind=${kindOf(a)} />`)}
      ${boxes.filter((b) => b.leaf).map((b) => html`<${State} key=${b.name} box=${b} active=${active.includes(b.name)}
        inner=${b.name === inner} chosen=${b.name === chosen} faulty=${faulty.includes(b.name)} text=${texts.get(b.name) ?? ''} />`)}
      ${labels.map((l) => html`<text class="why" x=${l.x} y=${l.y + 5}>${l.text}</text>`)}</svg>`
  }
  return html`<div class="machine" ref=${ref} tabindex="0" onKeyDown=${press} aria-label=${`state machine ${machine.name}: arrow keys choose a state`}>
    ${w > 0 && h > 0 && draw()}</div>`
}

/** The active states of a robot whose machine is unknown, each inside the one before. @param {{robot: BehaviourRobot}} props
 */
export function ActivePath({ robot }) {
  /** @param {string[]} states @returns {unknown} */
  const nest = ([first, ...rest]) => html`<div class=${`nested ${rest.length ? '' : 'inner'}`}><b>${first}</b>
    ${rest.length > 0 && nest(rest)}</div>`
  const states = list(robot.states)
  return html`<div class="machine path">${states.length ? nest(states) : html`<p class="empty">no active state</p>`}
    <p class="dim">${robot.machine ? `Its machine ${robot.machine.toString(16)} is not known here` : 'Its records name no machine'}:
      the active states and their history are shown.</p></div>`
}
