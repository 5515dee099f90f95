// The table that gives each colour its class: pixels of a held picture are painted, and the segmented picture shows what
// the robot would see.

/** @import {ManagernetColorsView as ColorsView} from '../types' */
import { Canvas, redraw } from '../shared/canvas.js'
import { html } from '../htm/preact/standalone.module.js'
import { change, list } from '../shared/state.js'
import { ask, holds, manage } from '../manage/state.js'
import { Decoded } from '../shared/picture.js'

const MOST = 8192 // pixels of a stroke

const painting = {
  chosen: 'orange',
  spread: 1, // cells of the table around each colour
  stroke: /** @type {Set<number> | null} */ (null), // pixels that are being painted
}

const held = new Decoded(), segmented = new Decoded()
let place = /** @type {{x: number, y: number, scale: number} | null} */ (null)

/** @returns {ColorsView | null} */
const colours = () => manage.calibration?.colors ?? null

/** Adds the pixels between two places of the canvas to the stroke. @param {number[]} a @param {number[]} b */
function extend(a, b) {
  const picture = manage.calibration?.picture, { stroke } = painting
  if (!picture || !place || !stroke) return
  const at = place, steps = Math.max(1, Math.ceil(Math.hypot(b[0] - a[0], b[1] - a[1]) / at.scale))
  for (let i = 0; i <= steps && stroke.size < MOST; i++) {
    const x = Math.floor((a[0] + (b[0] - a[0]) * i / steps - at.x) / at.scale)
    const y = Math.floor((a[1] + (b[1] - a[1]) * i / steps - at.y) / at.scale)
    if (x >= 0 && y >= 0 && x < picture.width && y < picture.height) stroke.add(y * picture.width + x)
  }
}

let last = [0, 0]

/** Listeners of the canvas: a click or a drag paints. */
const pointer = {
  onPointerDown: (/** @type {PointerEvent} */ e) => {
    if (!holds() || !held.bitmap) return
    const target = /** @type {HTMLElement} */ (e.currentTarget)
    target.setPointerCapture(e.pointerId)
    last = [e.offsetX, e.offsetY]
    painting.stroke = new Set()
    extend(last, last)
    redraw()
    e.preventDefault()
  },
  onPointerMove: (/** @type {PointerEvent} */ e) => {
    if (!painting.stroke) return
    const to = [e.offsetX, e.offsetY]
    extend(last, to)
    last = to
    redraw()
  },
  onPointerUp: () => {
    const pixels = [...painting.stroke ?? []]
    change(painting, { stroke: null })
    if (pixels.length) void ask('paint', { pixels, class: painting.chosen, spread: painting.spread })
  },
  onPointerCancel: () => change(painting, { stroke: null }),
}

/** Draws the held picture and the stroke. @param {import('../shared/canvas.js').Pen} pen */
function drawHeld(pen) {
  place = held.draw(pen, holds() ? 'take a picture, then click or drag over a colour' : 'take control of the robot first')
  const width = manage.calibration?.picture?.width
  if (!place || !width) return
  pen.drawn.push({ glyph: 'held', ...place })
  pen.g.fillStyle = list(colours()?.classes).find((c) => c.name === painting.chosen)?.color ?? '#fff'
  for (const i of painting.stroke ?? []) {
    pen.g.fillRect(place.x + (i % width) * place.scale, place.y + Math.floor(i / width) * place.scale, place.scale, place.scale)
  }
}

/** Draws the classes. @param {import('../shared/canvas.js').Pen} pen */
function drawSegmented(pen) {
  const at = segmented.draw(pen, 'its classes come here')
  if (at) pen.drawn.push({ glyph: 'segmented', x: at.x, y: at.y, number: colours()?.number,
    pixels: Object.fromEntries(list(colours()?.classes).map((c) => [c.name, c.pixels])) })
}

/** The classes to choose from, with what the table gives them. @param {{c: ColorsView}} props */
const Classes = ({ c }) => html`<div class="classes" role="group" aria-label="class to paint">${list(c.classes).map((k) => html`<button
  class=${k.name === painting.chosen ? 'on' : ''} aria-pressed=${k.name === painting.chosen}
  onClick=${() => change(painting, { chosen: k.name })}><i class="swatch" style=${{ background: k.color }}></i>${k.name}${c.compared
    && !!(k.added || k.removed) && html` <small title="cells of the robot’s table">+${k.added} −${k.removed}</small>`}</button>`)}</div>`

/** The share of each class in the picture, and the outcome of the newest table that was sent. @param {{c: ColorsView}} props */
function Figures({ c }) {
  const known = list(c.classes).filter((k) => k.true > 0), upload = manage.view?.machine.upload
  const changed = list(c.classes).reduce((n, k) => n + k.added, 0)
  return html`<p role="status">${known.length ? html`<span class="dim">by the field’s model:</span>${known.map((k) => html`<span>${k.name}${' '}
      <b>${(100 * k.recall).toFixed(1)} %</b> of ${k.true} px</span>`)}` : html`<span class="dim">${c.learned}</span>`}
    <span class="dim">${c.theirs ? 'began with the robot’s table' : 'began with the table of touchline’s halls: the robot has not told its own'}</span>
    ${c.compared && html`<span class="dim">${changed ? `sending changes ${changed.toLocaleString('en')} cells of the robot’s table` : 'the robot has this table'}</span>`}
    ${c.sent && html`<span>sent: <b class=${/^done/.test(upload ?? '') ? 'ok' : ''}>${upload}</b></span>`}</p>`
}

/** The classes of the pixels of each thing, where a simulator drew the picture. @param {{c: ColorsView}} props */
function Truth({ c }) {
  const things = list(c.truth), classes = list(c.classes)
  if (!things.length) return html`<p class="origin dim">No ground truth for this picture: it comes from a real camera, or it is too old.</p>`
  const shown = classes.map((k, i) => ({ ...k, i })).filter(({ name, i }) => things.some((t) => t.class === name || list(t.given)[i] > 0))
  const part = (/** @type {number} */ n, /** @type {number} */ of) => n === 0 ? '' : n === of ? '100' : (100 * n / of).toFixed(1)
  return html`<p class="origin dim">The simulator rendered this picture. Classes of the pixels of each object, in %:</p>
    <div class="scroll"><table class="things"><thead><tr><th>true</th><th>px</th>${shown.map((k) => html`<th title=${k.name}
      aria-label=${k.name}><i class="swatch" style=${{ background: k.color }}></i></th>`)}</tr></thead>
    <tbody>${things.map((t) => html`<tr data-thing=${t.name}><td>${t.name}</td><td>${t.pixels}</td>${shown.map((k) => html`<td
      title=${k.name}
      class=${k.name === t.class ? 'wanted' : ''}>${part(list(t.given)[k.i], t.pixels)}</td>`)}</tr>`)}</tbody></table></div>`
}

export function Colours() {
  const picture = manage.calibration?.picture, c = colours(), mine = holds()
  held.show(picture ? `${manage.robot} ${picture.number}` : '', picture?.data)
  segmented.show(picture && c ? `${manage.robot} ${c.number}` : '', c?.data)
  return html`<div class="form"><button disabled=${!mine || !manage.picture} onClick=${() => ask('hold')}>${picture
      ? 'take another picture' : 'take a picture'}</button>
      <label class="field"><span class="dim">similar colours, too</span><input type="range" aria-label="similar colours, too" min="0" max="4"
        value=${painting.spread} onInput=${(/** @type {Event} */ e) => change(painting, { spread: Number(
          /** @type {HTMLInputElement} */ (e.currentTarget).value) })} /><b>${painting.spread}</b></label>
      <button disabled=${!mine || !c || !!c.learned} title=${c?.learned || 'carpet and lines get the colours that they have here'}
        onClick=${() => ask('learn')}>learn carpet and lines</button>
      <button disabled=${!mine || !c?.undo} onClick=${() => ask('unpaint')}>undo the stroke</button>
      <button class="begin" disabled=${!mine || !c} onClick=${() => ask('send-colors')}>send to the robot</button></div>
    ${c && html`<${Classes} c=${c} />`}
    <div class="state">${c ? html`<${Figures} c=${c} />` : html`<p class="dim">Paint colours to give them the chosen class.</p>`}</div>
    <div class="pair"><${Canvas} name="calibration" key="colours" label="the held picture" draw=${drawHeld}
      class=${mine && picture ? 'choosing' : ''} ...${pointer} />
      <${Canvas} name="segmented" key="segmented" label="the classes of its colours" draw=${drawSegmented} /></div>
    ${c && html`<${Truth} c=${c} />`}`
}
