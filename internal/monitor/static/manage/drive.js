// Driving a robot: keys, pad or gamepad in, commands out 25 times a second. Each command contains the newest nonce of the
// robot, whose age counts: commands of a page that sleeps, or that wait in a connection, move nothing.

import { html } from '../htm/preact/standalone.module.js'
import { signed } from '../shared/format.js'
import { textOf } from '../shared/inputs.js'
import { change, list, state } from '../shared/state.js'
import { errorText, request } from '../shared/stream.js'
import { ask, holds, manage, onlyLooks, others } from './state.js'

const PERIOD = 40 // ms between commands
const WAITING = 3 // commands without an answer, above which none is added
const DEAD = 0.12 // of a gamepad's axis

export const drive = {
  held: /** @type {Set<string>} */ (new Set()), // directions whose key or button is pressed
  limit: 1, // m/s
  check: false, // a check of the robot may go on
  stopped: false, // by the stop key: nothing moves until the operator drives on
  dribble: false,
  kick: 0, index: 0, // id and place of the newest kick
  pan: 0, tilt: 0, looks: false, // where the head is sent
  sequence: 0, waiting: 0,
  sent: { vx: 0, vy: 0, omega: 0 },
  pad: '', // the gamepad that drives
  error: '', // of the newest command
}

/** The directions: name, arrow, key, and the share of each velocity.
 * @type {[string, string, string, [number, number, number]][]} */
export const directions = [
  ['turn left', '↺', 'q', [0, 0, 1]], ['forward', '↑', 'w', [1, 0, 0]], ['turn right', '↻', 'e', [0, 0, -1]],
  ['left', '←', 'a', [0, 1, 0]], ['back', '↓', 's', [-1, 0, 0]], ['right', '→', 'd', [0, -1, 0]],
]

/** Presses or releases a direction. @param {string} key @param {boolean} down */
export function hold(key, down) {
  if (down === drive.held.has(key)) return
  if (down) drive.held.add(key)
  else drive.held.delete(key)
  change(drive, {})
}

/** Releases everything. */
function letGo() {
  drive.held.clear()
  change(drive, { sent: { vx: 0, vy: 0, omega: 0 }, pad: '' })
}

/** The gamepad's wish as shares of the velocities; null while no gamepad is moved. */
function gamepad() {
  const pad = navigator.getGamepads?.().find((p) => p?.connected && p.axes.length >= 3)
  const axis = (/** @type {number} */ i) => {
    const v = pad?.axes[i] ?? 0
    return Math.abs(v) < DEAD ? 0 : -v
  }
  const wanted = [axis(1), axis(0), axis(2)]
  if (drive.pad && !pad) letGo() // it vanished; a listener would make the browser poll gamepads while nobody drives
  drive.pad = pad && wanted.some((v) => v) ? pad.id : ''
  return drive.pad ? wanted : null
}

/** The velocities that the operator asks for now. */
function wanted() {
  const most = manage.view?.most
  if (!most || drive.stopped) return { vx: 0, vy: 0, omega: 0 }
  const share = gamepad() ?? [0, 1, 2].map((i) => directions.filter(([, , key]) => drive.held.has(key))
    .reduce((sum, [, , , by]) => sum + by[i], 0))
  const part = Math.min(1, drive.limit / (most.ahead || 1))
  return { vx: share[0] * Math.min(most.ahead, drive.limit), vy: share[1] * Math.min(most.side, drive.limit),
    omega: share[2] * most.turn * part }
}

/** Sends a command, if this page holds the control and its user can see it. */
async function send() {
  if (!holds() || document.hidden || state.link !== 'open' || !manage.nonce?.nonce || drive.waiting >= WAITING) return
  const sent = wanted()
  if (Object.entries(sent).some(([k, v]) => drive.sent[/** @type {'vx'} */ (k)] !== v)) change(drive, { sent })
  drive.waiting++
  try {
    await request('robot-drive', {
      robot: manage.robot, page: manage.page, nonce: manage.nonce.nonce, sequence: ++drive.sequence, ...sent,
      dribbler: drive.dribble && !drive.stopped ? 1 : 0, kick: drive.kick, index: drive.index,
      check: drive.check && !drive.stopped,
      ...drive.looks && { pan: drive.pan, tilt: drive.tilt },
    })
    if (drive.error) change(drive, { error: '' })
  } catch (e) {
    change(drive, { error: errorText(e) })
  } finally {
    drive.waiting--
  }
}

/** Kicks once. @param {number} index of the robot's list */
export function kick(index) {
  if (!holds() || drive.stopped) return
  change(drive, { kick: Math.max(drive.kick, manage.nonce?.kick ?? 0) + 1, index })
}

/** Takes the control, or gives it up. */
export function toggleControl() {
  if (holds()) {
    letGo()
    change(drive, { looks: false, dribble: false, check: false })
    void ask('release')
  } else takeControl(false)
}

/** @param {boolean} stopped nothing moves at first */
function takeControl(stopped) {
  Object.assign(drive, { kick: 0, index: 0, looks: false, dribble: false, check: false })
  change(drive, { stopped })
  void ask('take')
}

/** Stops the robot: this page takes the control if it does not hold it, and sends zeros. */
export function stop() {
  letGo()
  drive.check = false
  if (holds()) change(drive, { stopped: true })
  else takeControl(true)
}

/** Drives on after a stop. */
export const goOn = () => change(drive, { stopped: false })

/** How the robot takes commands, in words. */
function situation() {
  const view = manage.view, holder = view?.holder
  if (!view?.seen) return { text: 'No answer from the robot: it is off, a substitute, or out of range', tone: 'bad' }
  if (view.drive === 'refused') return { text: 'Manual control is disabled during a match', tone: 'warn' }
  if (!holder) return { text: 'Nobody drives', tone: 'dim' }
  if (!holds()) return { text: `${holder.name} has control`, tone: 'warn' }
  if (drive.stopped) return { text: 'Stopped by you', tone: 'bad' }
  if (view.drive === 'held') return { text: 'You hold its state machine', tone: 'warn' }
  if (view.drive === 'ready') return { text: 'The robot waits for the first command', tone: 'warn' }
  if (view.drive === 'lapsed') return { text: 'The commands stopped: the robot stands', tone: 'bad' }
  return { text: `Driving robot ${manage.robot}`, tone: 'ok' }
}

/** @param {{title: string, value: number, most: number, unit: string}} props */
const Velocity = ({ title, value, most, unit }) => html`<div class="velocity"><span>${title}</span>
  <b>${signed(value, 2)}</b><i class="bar"><i style=${{ '--from': `${50 + 50 * Math.min(0, value / (most || 1))}%`,
    '--width': `${50 * Math.min(1, Math.abs(value / (most || 1)))}%` }}></i></i><span class="dim">${unit}</span></div>`

/** @param {string} key */
const pressing = (key) => ({
  onPointerDown: (/** @type {PointerEvent} */ e) => {
    /** @type {HTMLElement} */ (e.currentTarget).setPointerCapture(e.pointerId)
    hold(key, true)
  },
  onPointerUp: () => hold(key, false), onPointerCancel: () => hold(key, false), onLostPointerCapture: () => hold(key, false),
})

export function DrivePanel() {
  const view = manage.view, mine = holds(), { text, tone } = situation(), { sent } = drive
  const waits = others().map((o) => o.name).join(', ')
  if (onlyLooks()) {
    return html`<section class="panel drive" aria-label="Drive"><b class="dim" role="status">Manual control is disabled during a match</b></section>`
  }
  return html`<section class="panel drive" aria-label="Drive">
    <div class="driver"><b class=${tone} role="status"><i class="dot"></i>${text}</b>
      <span class="dim">${drive.error || (drive.pad ? `gamepad ${drive.pad}` : waits && `also here: ${waits}`)}</span>
      <div><button class=${mine ? 'on' : ''} aria-pressed=${mine} disabled=${!view?.seen} onClick=${toggleControl}>
        ${mine ? 'give up control' : view?.holder ? 'take it over' : 'take control'} <kbd>T</kbd></button>
        ${mine && drive.stopped && html`<button onClick=${goOn}>drive on <kbd>G</kbd></button>`}</div></div>
    <div class="pad" role="group" aria-label="directions">${directions.map(([name, arrow, key]) =>
      html`<button aria-label=${name} class=${drive.held.has(key) ? 'on' : ''} disabled=${!mine || drive.stopped}
        ...${pressing(key)}>${arrow}<kbd>${key.toUpperCase()}</kbd></button>`)}</div>
    <div class="velocities"><${Velocity} title="forward" value=${sent.vx} most=${view?.most.ahead ?? 0} unit="m/s" />
      <${Velocity} title="sideways" value=${sent.vy} most=${view?.most.side ?? 0} unit="m/s" />
      <${Velocity} title="turn" value=${sent.omega} most=${view?.most.turn ?? 0} unit="rad/s" />
      <label class="velocity"><span>limit</span><b>${drive.limit.toFixed(1)}</b><input type="range" min="0.1" step="0.1"
        max=${Math.max(view?.most.ahead ?? 1, 0.1)} value=${drive.limit} aria-label="speed limit"
        onInput=${(/** @type {Event} */ e) => change(drive, { limit: Number(textOf(e)) })} /><span class="dim">m/s</span></label></div>
    <div class="kicks" role="group" aria-label="kicks">${list(view?.kicks).map((k, i) =>
      html`<button disabled=${!mine || drive.stopped} onClick=${() => kick(i)}
        title=${`${k.speed} m/s${k.elevation ? `, ${Math.round(k.elevation * 180 / Math.PI)}° up` : ''}`}>
        ${k.name} <kbd>${`Shift ${i + 1}`}</kbd></button>`)}
      <button class=${drive.dribble ? 'on' : ''} aria-pressed=${drive.dribble} disabled=${!mine || drive.stopped}
        onClick=${() => change(drive, { dribble: !drive.dribble })}>dribbler <kbd>R</kbd></button></div>
    <button class="stop" onClick=${stop}>STOP<kbd>Space</kbd></button></section>`
}

setInterval(send, PERIOD)
addEventListener('blur', letGo)
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) return
  letGo()
  drive.check = false // a check does not go on by itself when the page is seen again
})
