// Exposure and white balance from a patch of a held picture.

import { Canvas } from '../shared/canvas.js'
import { html } from '../htm/preact/standalone.module.js'
import { textOf } from '../shared/inputs.js'
import { change, list } from '../shared/state.js'
import { ask, holds, manage, parameter } from '../manage/state.js'
import { Decoded } from '../shared/picture.js'
import { dashed, dragging } from '../shared/drag.js'
import { Undo } from './undo.js'

const LEAST = 4 // px a side of a patch

const patches = {
  patch: /** @type {{x: number, y: number, width: number, height: number} | null} */ (null), // px of the held picture
  like: 'carpet', // how the patch should look
}

/** How a patch should look. @type {[string, string][]} */
const likes = [['carpet', 'touchline’s carpet'], ['grey', 'a grey card, 18 %'], ['remembered', 'the remembered patch']]

const held = new Decoded()

const drag = dragging({
  may: () => holds() && held.bitmap != null,
  done: (r) => {
    const picture = manage.calibration?.picture
    if (!r || !picture) return change(patches, {})
    const x = Math.round(r.x0 * picture.width), y = Math.round(r.y0 * picture.height)
    const width = Math.round(r.x1 * picture.width) - x, height = Math.round(r.y1 * picture.height) - y
    change(patches, width < LEAST || height < LEAST ? {} : { patch: { x, y, width, height } })
  },
})

/** Draws the held picture and the patch. @param {import('../shared/canvas.js').Pen} pen */
function draw(pen) {
  const place = held.draw(pen, holds() ? 'take a picture, then drag over a patch in it' : 'take control of the robot first')
  if (!place) return
  pen.drawn.push({ glyph: 'held', ...place, number: manage.calibration?.picture?.number })
  const p = patches.patch
  if (p) {
    dashed(pen.g, place.x + p.x * place.scale, place.y + p.y * place.scale, p.width * place.scale, p.height * place.scale)
    pen.drawn.push({ glyph: 'patch', ...p })
  }
  drag.draw(pen, place)
}

/** A colour that is linear in the light, as a square. @param {{title: string, of: number[] | null}} props */
const Swatch = ({ title, of }) => of && html`<span><i class="swatch" style=${{ background: `rgb(${of.map((v) =>
  Math.round(255 * Math.min(1, Math.max(0, v)) ** (1 / 2.2))).join()})` }}></i>${title}</span>`

/** The effect of the newest patch on the camera. */
function Result() {
  const patch = manage.calibration?.patch
  if (!patch) return html`<p class="dim">${holds() ? 'Drag over a patch of known colour: a grey card, or the carpet.'
    : 'Take control of the robot to calibrate its camera.'}</p>`
  return html`<p role="status"><${Swatch} title="seen" of=${patch.seen} /><${Swatch} title="wanted" of=${patch.want} />
    ${patch.like === 'remembered' && !patch.want ? 'remembered: other patches can be made to look like it'
      : list(patch.values).map(({ name, value }) => {
        const p = parameter(name)
        return html`<span>${name} <b>${value.toFixed(2)}</b> ${p?.unit} ${p && Math.abs(p.value - value) < 1e-3
          ? html`<b class="ok">✓</b>` : html`<span class="dim">${p?.result || '…'}</span>`}</span>`
      })}</p>`
}

export function Patch() {
  const picture = manage.calibration?.picture
  if (held.show(picture ? `${manage.robot} ${picture.number}` : '', picture?.data)) patches.patch = null
  const mine = holds(), { patch, like } = patches
  return html`<div class="form"><button disabled=${!mine || !manage.picture} onClick=${() => ask('hold')}>${picture
      ? 'take another picture' : 'take a picture'}</button>
      <label class="field"><span class="dim">the patch is</span><select aria-label="the patch is" value=${like}
        onChange=${(/** @type {Event} */ e) => change(patches, { like: textOf(e) })}>
        ${likes.map(([value, text]) => html`<option value=${value} selected=${value === like} disabled=${value === 'remembered'
          && !manage.calibration?.remembered}>${text}</option>`)}</select></label>
      <button disabled=${!mine || !patch} onClick=${() => ask('remember', { ...patch })}
        title="this patch looks right: match other pictures to it later">remember it</button>
      <button class="begin" disabled=${!mine || !patch} onClick=${() => ask('adjust', { ...patch, like })}>set exposure and white balance</button>
      <${Undo} /></div>
    <div class="state"><${Result} /></div>
    <${Canvas} name="calibration" key="patch" label="the held picture" draw=${draw} class=${mine && picture ? 'choosing' : ''}
      ...${drag.pointer} />`
}
