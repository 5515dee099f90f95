// One robot's decisions: its state machine, its states of the last minute, and the reasons for each change.

/** @import {BehaviourRobot, BehaviourSpan, HfsmMachine} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {Axis} from '../shared/timeline.js' */
import { clock } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { change, list } from '../shared/state.js'
import { colors, fonts, sizes } from '../shared/theme.js'
import { ago, drawTimes, LABELS, Timeline } from '../shared/timeline.js'
import { isPast, past, pointAt } from '../session/past.js'
import { HISTORY, live } from '../wall/state.js'
import { ActivePath, Diagram } from './diagram.js'
import { behaviour, innermost, leaving, machineOf, pathTo, reasonOf, stays, transitions } from './state.js'

/** The shown time on the view's clock. */
const now = () => (live.at ?? live.wall?.time ?? behaviour.view?.time ?? 0) - behaviour.shift

/** @param {number} t s, on the view's clock */
const when = (t) => isPast() ? clock(t + behaviour.shift) : `${Math.max(0, now() - t).toFixed(1)} s ago`

/** Draws the states of the last minute. @param {BehaviourRobot} r @returns {(pen: Pen, axis: Axis) => void} */
const drawStates = (r) => ({ g, w, h, drawn }, axis) => {
  const top = LABELS, high = h - top - sizes.small - 8
  g.fillStyle = colors.hair
  g.fillRect(0, top + high / 2, w, 1)
  const spans = list(r.spans)
  spans.forEach((s, i) => {
    const left = Math.max(0, axis.x(s.from)), right = Math.min(w, axis.x(s.to)), last = i === spans.length - 1
    if (right < 0 || right <= left && !last) return
    g.fillStyle = last ? colors.ink : i % 2 ? colors.line : colors.dim
    g.fillRect(left, top, Math.max(1.5, right - left - 1), high)
    drawn.push({ glyph: 'state', x: left, y: top, w: right - left, text: s.state })
    g.font = fonts.label
    if (g.measureText(s.state).width + 10 > right - left) return
    g.fillStyle = colors.panel
    g.textAlign = 'left'
    g.textBaseline = 'middle'
    g.fillText(s.state, left + 5, top + high / 2 + 1)
  })
  drawTimes(g, axis, h - 4, isPast() ? (back) => clock(axis.to + behaviour.shift - back) : ago)
}

/** The state at a time. @param {BehaviourRobot} r @param {number} t @returns {{t: number, text: string} | null} */
function stateAt(r, t) {
  const s = list(r.spans).find((s) => s.from <= t && t <= s.to)
  return s ? { t, text: `${s.state}, ${(s.to - s.from).toFixed(1)} s${s.why && `: ${s.why}`}` } : null
}

/** @param {{span: BehaviourSpan}} props */
const Change = ({ span }) => html`<tr><td>${when(span.from)}</td>
  <td class="text"><span>${span.left} → <b>${span.state || 'none'}</b></span>${span.why && html` <small>${span.why}</small>`}</td></tr>`

/** The conditions under which a state is left. @param {{robot: BehaviourRobot, machine: HfsmMachine}} props */
function Exits({ robot, machine }) {
  const known = list(machine.states).some((s) => s.name === behaviour.state), chosen = known ? behaviour.state : ''
  const path = chosen ? pathTo(machine, chosen) : list(robot.states), rows = leaving(machine, path)
  return html`<section aria-label="transitions that leave it"><h3>${path.at(-1) ?? 'no state'} ends${chosen && html`
    <button class="small" onClick=${() => change(behaviour, { state: '' })}>show the active state</button>`}</h3>
    <table><tbody>${rows.map((t) => html`<tr><td class="text"><small>${reasonOf(t)}</small></td>
      <td class="text">→ <b>${t.to}</b></td></tr>`)}</tbody></table></section>`
}

/** @param {{robot: BehaviourRobot}} props */
function Stays({ robot }) {
  const all = stays(robot), sum = all.reduce((s, { seconds }) => s + seconds, 0)
  return html`<section aria-label="time in each state"><h3>Time in each state</h3><table><tbody>
    ${all.map(({ state, seconds, times }) => html`<tr key=${state}><td class="text">${state || 'none'}</td>
      <td class="share"><i style=${{ width: `${100 * seconds / Math.max(sum, 1e-3)}%` }}></i></td>
      <td>${seconds.toFixed(1)} s</td><td class="dim">${times} ×</td></tr>`)}</tbody></table></section>`
}

/** @param {{robot: BehaviourRobot}} props */
function Changes({ robot }) {
  const all = transitions(robot)
  return html`<section aria-label="transitions of the last minute"><h3>Transitions
    <small class="dim">${all.length} in the last minute</small></h3>
    ${all.length ? html`<table><tbody>${all.slice(0, 40).map((s) => html`<${Change} key=${s.from} span=${s} />`)}</tbody></table>`
    : html`<p class="dim">none</p>`}</section>`
}

/** The panel of one robot's state machine. @param {{robot: BehaviourRobot | undefined, children?: unknown}} props children: at the
 * right of the title */
export function BehaviourPanel({ robot, children }) {
  if (!robot) return html`<section class="panel behaviour" aria-label="State machine"><div class="head"><h2>State machine</h2>
    ${children}</div><p class="empty">Nothing is known of what it decides: robots send their states in debug records over the
    TCM (docs/teamcom.md).</p></section>`
  const machine = machineOf(robot), states = list(robot.states)
  return html`<section class=${`panel behaviour ${robot.live ? '' : 'gone'}`} aria-label="State machine"
      data-robot=${robot.number} data-state=${innermost(robot)}><div class="head"><h2>State machine</h2>
    <span class="sub">${machine?.name ?? ''}</span>
    ${robot.live ? html`<span class="now" role="status"><span>${states.slice(0, -1).map((s) => html`${s} › `)}</span><b>${innermost(robot)}</b></span>`
    : html`<span class="verdict bad">silent for ${(robot.silentMs / 1000).toFixed(1)} s</span>`}${children}</div>
    ${machine ? html`<${Diagram} robot=${robot} machine=${machine} now=${now()} />` : html`<${ActivePath} robot=${robot} />`}
    <${Timeline} name="states" label="States of the last minute" range=${() => [now() - HISTORY, now()]}
      draw=${drawStates(robot)} at=${(/** @type {number} */ t) => stateAt(robot, t)}
      seek=${past.session ? (/** @type {number} */ t) => pointAt(t + behaviour.shift) : undefined} />
    <div class="decided">${machine && html`<${Exits} robot=${robot} machine=${machine} />`}<${Changes} robot=${robot} />
      <${Stays} robot=${robot} /></div></section>`
}
