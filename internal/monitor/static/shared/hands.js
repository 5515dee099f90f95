// The one drag machine of the canvas fields: it kicks the ball and moves, turns and removes things, by pointer, wheel
// and keyboard.

/** @import {Pen} from './canvas.js' */
/** @import {View} from './field.js' */
import { Canvas, redraw } from './canvas.js'
import { drawArrow, drawSelection, kickTowards } from './field.js'
import { html } from '../htm/preact/standalone.module.js'
import { arrows } from './keyboard.js'

const REACH = 24 // px around a thing in which the pointer picks it up
const NOTCH = Math.PI / 12 // rad: what a key or a notch of the wheel turns

/** @typedef {{x: number, y: number}} Point field frame, m
 * @typedef {{kind: string, id: number, on: boolean, x: number, y: number, theta: number}} Thing the ball, a robot or an
 * obstacle; on: it is on the field */

/** The description of a field for its hands.
 * @typedef {{
 *   data: () => unknown,
 *   view: (w: number, h: number) => View | null,
 *   things: () => Thing[],
 *   turns: (thing: Thing) => boolean,
 *   limit: (p: Point, thing: Thing) => Point,
 *   outside?: (p: Point) => boolean,
 *   place: (thing: Thing) => Promise<unknown>,
 *   remove?: (thing: Thing) => Promise<unknown>,
 *   kick: (velocity: {vx: number, vy: number, speed: number}, loft: boolean) => unknown,
 *   lofts: boolean,
 *   perMetre: number, fastest: number, slowest: number,
 *   nudge: number, keyKick: number,
 *   ring: (v: View) => number,
 * }} Field
 *
 * data: the newest data of the server, null while there is none. things: what can be held, the ball first. limit: the
 * allowed place nearest to a point. outside: a robot dropped there is removed. perMetre: m/s of a kick for each metre
 * of
 * its arrow, up to fastest, in m/s; below slowest it was a click. nudge: m of an arrow key; keyKick: m/s of Shift and
 * an
 * arrow key. ring: radius in px of the ring around what the keyboard selected. */

export class Hands {
  /** @param {Field} field */
  constructor(field) {
    this.field = field
    this.held = /** @type {Thing | null} */ (null) // as it was when it was picked up
    this.mode = /** @type {'kick' | 'place' | 'turn'} */ ('place')
    this.target = /** @type {Point | null} */ (null) // where it would be dropped, or the kick's arrow ends
    this.theta = 0 // of the held thing
    this.loft = false
    this.outside = false // dropping it here removes it
    this.sending = false // dropped; the server has not shown the result yet
    this.answeredAt = /** @type {unknown} */ (null) // the data that was newest when the server answered
    this.pointer = /** @type {Point | null} */ (null)
    this.over = /** @type {Thing | null} */ (null) // under the pointer
    this.selected = 0 // by the keyboard: index into things()
    this.keyboard = false // the field has the keyboard
  }

  /** Releases the dropped thing once newer data shows the result. Called before drawing. */
  settle() {
    if (this.answeredAt && this.answeredAt !== this.field.data()) this.release()
  }

  release() {
    this.held = this.target = this.answeredAt = null
    this.sending = this.outside = false
  }

  /** A thing as it would be if it were dropped now. @param {Thing} thing @returns {Thing} */
  shown(thing) {
    if (!this.target || this.mode === 'kick' || this.held?.kind !== thing.kind
      || this.held.id !== thing.id) return thing
    return { ...thing, ...(this.mode === 'place' && this.target), on: !this.outside, theta: this.theta }
  }

  /** The thing that the keyboard selected. */
  selection() {
    const all = this.field.things()
    return all[this.selected % Math.max(1, all.length)] ?? null
  }

  /** Draws the arrow of a kick, and the ring around the keyboard's selection. @param {Pen} pen @param {View} v */
  draw(pen, v) {
    const [ball] = this.field.things()
    if (ball && this.held && this.mode === 'kick' && this.target) {
      const { perMetre, fastest } = this.field, k = kickTowards(ball, this.target, perMetre, fastest)
      drawArrow(pen, v, ball, k, perMetre, `${k.speed.toFixed(1)} m/s` + (k.speed === fastest ? ', maximum'
        : '') + (this.loft ? ', lofted' : ''))
    }
    const it = this.keyboard && this.selection()
    if (it) drawSelection(pen, v, it, this.field.ring(v))
  }

  /** Where the pointer is, and the thing nearest to it. @param {MouseEvent} e
   * @returns {Point & {near: Thing | null} | null} */
  locate(e) {
    const box = /** @type {HTMLElement} */ (e.currentTarget).getBoundingClientRect(),
      v = this.field.view(box.width, box.height)
    if (!v) return null
    const px = e.clientX - box.left, py = e.clientY - box.top
    let best = REACH, near = null
    for (const it of this.field.things()) {
      const [x, y] = v.at(it.x, it.y)
      // A robot that touches the ball is larger: the ball gets some of its room.
      const d = Math.max(0, Math.hypot(x - px, y - py) - (it.kind === 'ball' ? 4 : 0))
      if (d < best) [best, near] = [d, it]
    }
    return { ...v.from(px, py), near }
  }

  /** @param {PointerEvent} e */
  onPointerDown = (e) => {
    const p = this.locate(e)
    if (!p?.near || e.button !== 0 || this.sending) return
    this.held = p.near
    this.mode = p.near.kind === 'ball' ? (e.altKey ? 'place' : 'kick') : e.shiftKey && this.field.turns(p.near)
      ? 'turn' : 'place'
    this.theta = p.near.theta
    this.keyboard = false
    e.preventDefault()
    const canvas = /** @type {HTMLElement} */ (e.currentTarget)
    canvas.setPointerCapture(e.pointerId)
    canvas.focus(/** @type {FocusOptions} */ ({ preventScroll: true, focusVisible: false }))
  }

  /** @param {PointerEvent} e */
  onPointerMove = (e) => {
    const p = this.locate(e), { held } = this
    if (!p || this.sending) return
    this.pointer = { x: p.x, y: p.y }
    this.over = p.near
    this.loft = this.field.lofts && e.shiftKey
    if (held) {
      const { x, y } = this.field.things().find((t) => t.kind === held.kind && t.id === held.id) ?? held
      if (this.mode === 'turn') this.theta = Math.atan2(p.y - y, p.x - x)
      this.outside = held.kind !== 'ball' && this.mode === 'place' && !!this.field.outside?.(p)
      this.target = this.outside || this.mode !== 'place' ? this.pointer : this.field.limit(p, held)
    }
    redraw()
  }

  onPointerUp = async () => {
    const { field, held, target, mode } = this
    if (this.sending) return
    if (!held || !target) return this.release() // a click
    const now = field.things().find((t) => t.kind === held.kind && t.id === held.id) ?? held
    if (mode === 'kick') {
      this.release()
      const k = kickTowards(now, target, field.perMetre, field.fastest)
      if (k.speed >= field.slowest) void field.kick(k, this.loft)
      return redraw()
    }
    this.sending = true
    if (this.outside && field.remove) await field.remove(held)
    else await field.place({ ...now, ...(mode === 'place' && target), theta: this.theta })
    this.answeredAt = field.data()
  }

  onPointerCancel = () => {
    if (!this.sending) this.release()
    redraw()
  }

  onPointerLeave = () => {
    this.over = null
    if (!this.held) this.pointer = null
    redraw()
  }

  /** The wheel turns the held robot, or the one under the pointer. @param {WheelEvent} e */
  onWheel = async (e) => {
    const it = this.held ?? this.locate(e)?.near
    if (!it || !this.field.turns(it) || e.ctrlKey) return
    e.preventDefault()
    if (this.sending) return
    const turn = -Math.sign(e.deltaY || e.deltaX) * NOTCH
    if (this.held) this.theta += turn
    else {
      this.sending = true // until the answer, or further notches would start from the old heading
      await this.field.place({ ...it, theta: it.theta + turn })
      this.answeredAt = this.field.data()
    }
    redraw()
  }

  /** Puts the ball down on a free place. @param {MouseEvent} e */
  onDblClick = (e) => {
    const p = this.locate(e), [ball] = this.field.things()
    if (p && !p.near && ball) void this.field.place({ ...ball, ...this.field.limit(p, ball) })
  }

  /** [ and ] select, arrows move (Shift: kick the ball), < and > turn. @param {KeyboardEvent} e */
  onKeyDown = (e) => {
    const { field } = this, it = this.selection(), count = field.things().length
    if (!it || e.ctrlKey || e.metaKey || e.altKey) return
    const step = arrows[e.key]
    if (e.key === ']' || e.key === '[') this.selected = (this.selected + (e.key === ']' ? 1 : count - 1)) % count
    else if (field.turns(it) && (e.key === '<' || e.key === '>')) void field.place({ ...it,
      theta: it.theta + (e.key === '<' ? NOTCH : -NOTCH) })
    else if (step) {
      const { x, y } = this.along(step)
      if (it.kind === 'ball' && e.shiftKey) void field.kick({ vx: x * field.keyKick, vy: y * field.keyKick,
        speed: field.keyKick }, false)
      else void field.place({ ...it, ...field.limit({ x: it.x + x * field.nudge, y: it.y + y * field.nudge }, it) })
    } else return
    this.keyboard = true
    e.preventDefault()
    e.stopPropagation()
    redraw()
  }

  /** A direction of the screen in the field frame. @param {number[]} step in px, y downwards */
  along([right, down]) {
    const v = this.field.view(100, 100)
    if (!v) return { x: 0, y: 0 }
    const a = v.from(0, 0), b = v.from(right, down), length = Math.hypot(b.x - a.x, b.y - a.y)
    return { x: (b.x - a.x) / length, y: (b.y - a.y) / length }
  }

  /** Listeners that may keep the page from scrolling: a finger that holds something must not scroll it. */
  blocking = { wheel: (/** @type {any} */ e) => this.onWheel(e),
    touchmove: (/** @type {Event} */ e) => { if (this.held) e.preventDefault() } }

  /** @param {FocusEvent} e */
  onFocus = (e) => {
    this.keyboard = /** @type {HTMLElement} */ (e.currentTarget).matches(':focus-visible')
    redraw()
  }

  onBlur = () => {
    this.keyboard = false
    redraw()
  }
}

/** A canvas with hands.
 * @param {{hands: Hands, active: boolean, name: string, label: string, draw: (pen: Pen) => void}} props active:
 * something can be held */
export function FieldCanvas({ hands, active, ...more }) {
  const { onPointerDown, onPointerMove, onPointerUp, onPointerCancel, onPointerLeave, onDblClick, onKeyDown, onFocus,
    onBlur } = hands
  const on = { onPointerDown, onPointerMove, onPointerUp, onPointerCancel, onPointerLeave, onDblClick, onKeyDown,
    onFocus, onBlur }
  return html`<${Canvas} ...${more} ...${on} blocking=${hands.blocking} class=${active ? 'hands' : ''}
    tabindex=${active ? 0 : undefined} />`
}
