// How to connect a robot: a complete sender in three languages, and what arrived of it.

/** @import {Tile, Values, Wall} from '../types' */
import { Drawer } from '../shared/drawer.js'
import { point, signed } from '../shared/format.js'
import { html, useEffect, useRef, useState } from '../htm/preact/standalone.module.js'
import { change, list } from '../shared/state.js'
import { copy } from '../shared/stream.js'
import { Faults } from './faults.js'
import { live } from './state.js'

/** The languages: the file of the program here, its name on the user's machine, and the command that runs it. */
const languages = [
  { name: 'Python', file: 'python', save: 'robot.py', run: 'python3 robot.py' },
  { name: 'C++', file: 'cpp', save: 'robot.cpp', run: 'g++ -o robot robot.cpp && ./robot' },
  { name: 'Go', file: 'go', save: 'robot.go', run: 'go run robot.go' },
]

/** @typedef {{number: number, color: number}} Jersey */

/** The first number that nobody has on the cyan side; if all are taken, on the magenta side. @param {Wall} wall
 * @returns {Jersey} */
function freeJersey(wall) {
  for (const color of [0, 1]) {
    const taken = new Set(list(wall.tiles).filter((t) => t.color === color).map((t) => t.number))
    if (color === 0) for (const m of list(wall.waiting)) taken.add(m.number)
    const number = [6, 5, 4, 3, 2, 1].find((n) => !taken.has(n))
    if (number) return { number, color }
  }
  return { number: 6, color: 0 }
}

/** The program with this network's group and port, and with a number that is not in use.
 * @param {string} text @param {Wall} wall @param {Jersey} jersey */
function fitted(text, wall, { number, color }) {
  const [group, port] = wall.link.group.split(':')
  return text.replace('224.16.32.75', group).replace('2005', port).replace('0, 39, 6', `${color}, 39, ${number}`)
    .replace('cyan', color ? 'magenta' : 'cyan')
}

const metres = (/** @type {number} */ v) => signed(v, 2)

/** The values of a robot's newest package, in metres and in its sender's axes: X to the right, Y to the opponents' goal.
 * @param {Values} v */
function readBack(v) {
  const own = v.x == null || v.y == null ? 'no self-localisation' : `X ${metres(v.x)} m, Y ${metres(v.y)} m, ${
    v.heading == null ? 'no heading' : `facing ${v.heading}°`}`
  return own + (v.ballX == null || v.ballY == null ? ', sees no ball'
    : `, ball at X ${metres(v.ballX)} m, Y ${metres(v.ballY)} m`)
}

/** Where that is in the axes of this page; '' if they are the sender's. @param {Values} v */
const here = (v) => v.x == null || v.y == null || live.frame === 'msl' ? '' : `here ${point('x', v.y, -v.x)}`

/** The same in fewer letters, for a small tile. @param {Values} v */
function readBackShort(v) {
  const own = v.x == null || v.y == null ? 'no pose' : `X ${metres(v.x)} Y ${metres(v.y)} m${
    v.heading == null ? '' : ` ${v.heading}°`}`
  return own + (v.ballX == null || v.ballY == null ? '' : `, ball ${metres(v.ballX)} ${metres(v.ballY)}`)
}

const NEW = 60 // s for which a small tile keeps the line on its field

/** When the page first saw a robot, by the key of its tile: seconds of the session. @type {Map<string, number>} */
const since = new Map()

/** The line of a real robot's tile: green if its packages are right. @param {{tile: Tile}} props */
export function ReadBack({ tile }) {
  if (!tile.values || tile.state !== 'live') return ''
  const now = live.wall?.time ?? 0, first = Math.min(since.get(tile.key) ?? now, now)
  since.set(tile.key, first)
  const right = list(tile.faults).length === 0
  return html`<span class="note read ${right ? 'ok' : 'warn'} ${now - first > NEW ? 'aged' : ''}"
    title=${`its newest package, X to the right, Y to the opponents’ goal: ${readBack(tile.values)}. ${here(tile.values)}`}>
    ${right ? '✓ ' : '! '}<span class="long">sends ${readBack(tile.values)}</span>
    <span class="short">${readBackShort(tile.values)}</span>${here(tile.values) && html`<span class="here">${here(tile.values)}</span>`}</span>`
}

/** @param {{tile: Tile | undefined, jersey: Jersey}} props */
function Arrived({ tile, jersey }) {
  if (!tile?.values) return html`<p class="arrived" role="status">Waiting for robot ${jersey.number} …</p>`
  const right = list(tile.faults).length === 0
  return html`<div class="arrived ${right ? 'ok' : 'bad'}" role="status"><b>${right ? '✓' : '!'} robot ${tile.number}
    ${' '}arrives, ${tile.rate.toFixed(1)} times a second:</b> ${readBack(tile.values)}
    ${right && html`<p class="dim">Compare this with what the robot should say. X points to the right, Y to the
      opponents’ goal; 0° faces the goal.</p>`}<${Faults} faults=${tile.faults} /></div>`
}

/** @param {{wall: Wall}} props */
export function Connect({ wall }) {
  const jersey = useRef(freeJersey(wall)).current
  const [chosen, choose] = useState(languages[0])
  const [text, setText] = useState('')
  useEffect(() => {
    let stale = false
    fetch(`wall/robot/${chosen.file}.txt`).then((r) => r.text()).then((t) => stale || setText(t), () => setText(''))
    return () => { stale = true }
  }, [chosen])
  const program = fitted(text, wall, jersey)
  const tile = list(wall.tiles).find((t) => t.real && t.number === jersey.number && t.color === jersey.color
    && t.state === 'live')
  return html`<div class="connect">
    <p>Each of these programs is a robot: it sends a mixed team package 20 times a second. Save it as
      ${' '}<span class="mono">${chosen.save}</span> and run <span class="mono">${chosen.run}</span>.
    ${!wall.link.loopback && html` Replace 127.0.0.1 with the address of the robot’s machine.`}
    ${jersey.color === 1 && html` All cyan numbers are in use: this robot plays for magenta.`}</p>
    <div class="languages" role="tablist" aria-label="language">
      ${languages.map((l) => html`<button key=${l.file} role="tab" aria-selected=${l === chosen}
        class=${l === chosen ? 'on' : ''} onClick=${() => choose(l)}>${l.name}</button>`)}
      <button onClick=${() => copy(program)}>copy</button></div>
    <${Arrived} tile=${tile} jersey=${jersey} />
    <pre tabindex="0" aria-label="program">${program}</pre></div>`
}

/** Whether the robots' packets travel in a group that a robot can join: those of a match do not. @param {Wall} wall */
export const canConnect = (wall) => !wall.game && /:\d+$/.test(wall.link.group)

/** @param {boolean} connect */
export const showConnect = (connect) => change(live, { connect, sel: '', bytes: false })

/** @param {{wall: Wall}} props */
export function ConnectDrawer({ wall }) {
  return html`<${Drawer} label="Connect your robot" focus="" close=${() => showConnect(false)}
    head=${html`<h2>Connect your robot</h2>`}><${Connect} wall=${wall} /><//>`
}
