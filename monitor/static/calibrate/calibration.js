// The calibration of a robot's camera: pictures are held by the program, which computes; what it finds is set at the robot
// as its parameters are.

import { Canvas, redraw } from '../shared/canvas.js'
import { html } from '../htm/preact/standalone.module.js'
import { change, list } from '../shared/state.js'
import { colors, fonts } from '../shared/theme.js'
import { dashed, dragging } from './drag.js'
import { ask, holds, manage, me, togglePanel } from '../manage/state.js'

const LEAST = 4 // px a side of a patch

const calibration = {
  patch: /** @type {{x: number, y: number, width: number, height: number} | null} */ (null), // px of the held picture
  like: 'carpet', // how the patch should look
}

/** How a patch should look. @type {[string, string][]} */
const likes = [['carpet', 'touchline’s carpet'], ['grey', 'a grey card, 18 %'], ['remembered', 'the remembered patch']]

let shown = '' // robot and number of the held picture that is decoded, or under way
let bitmap = /** @type {ImageBitmap | null} */ (null)

/** Decodes the held picture, once. */
async function decode() {
  const held = manage.calibration?.picture, id = held ? `${manage.robot} ${held.number}` : ''
  if (id === shown) return
  shown = id
  bitmap = null
  calibration.patch = null
  if (!held) return
  const made = await createImageBitmap(new Blob([Uint8Array.from(atob(held.data), (c) => c.charCodeAt(0))], { type: 'image/jpeg' }))
  if (id !== shown) return made.close()
  bitmap = made
  redraw()
}

const drag = dragging({
  may: () => holds() && bitmap != null,
  done: (r) => {
    const held = manage.calibration?.picture
    if (!r || !held) return change(calibration, {})
    const x = Math.round(r.x0 * held.width), y = Math.round(r.y0 * held.height)
    const width = Math.round(r.x1 * held.width) - x, height = Math.round(r.y1 * held.height) - y
    change(calibration, width < LEAST || height < LEAST ? {} : { patch: { x, y, width, height } })
  },
})

/** Draws the held picture and the patch. @param {import('../shared/canvas.js').Pen} pen */
function draw(pen) {
  const { g, w, h, drawn } = pen
  if (!bitmap) {
    g.font = fonts.label
    g.fillStyle = colors.dim
    g.textAlign = 'center'
    g.fillText(holds() ? 'take a picture, then drag over a patch in it' : 'take the control of the robot first', w / 2, h / 2)
    return
  }
  const scale = Math.min(w / bitmap.width, h / bitmap.height)
  const place = { x: (w - bitmap.width * scale) / 2, y: (h - bitmap.height * scale) / 2, w: bitmap.width * scale, h: bitmap.height * scale }
  g.imageSmoothingEnabled = false
  g.drawImage(bitmap, place.x, place.y, place.w, place.h)
  drawn.push({ glyph: 'held', ...place, number: manage.calibration?.picture?.number })
  const p = calibration.patch
  if (p) {
    dashed(g, place.x + p.x * scale, place.y + p.y * scale, p.width * scale, p.height * scale)
    drawn.push({ glyph: 'patch', ...p })
  }
  drag.draw(pen, place)
}

/** A colour that is linear in the light, as a square. @param {{title: string, of: number[] | null}} props */
const Swatch = ({ title, of }) => of && html`<span><i class="swatch" style=${{ background: `rgb(${of.map((v) =>
  Math.round(255 * Math.min(1, Math.max(0, v)) ** (1 / 2.2))).join()})` }}></i>${title}</span>`

/** What the newest patch made of the camera. */
function Result() {
  const patch = manage.calibration?.patch
  if (!patch) return html`<p class="dim">${holds() ? 'Drag over a patch whose colour is known: a grey card, or the carpet.'
    : 'Take the control of the robot to calibrate its camera.'}</p>`
  return html`<p role="status"><${Swatch} title="seen" of=${patch.seen} /><${Swatch} title="wanted" of=${patch.want} />
    ${patch.like === 'remembered' && !patch.want ? 'remembered: other patches can be made to look like it'
      : list(patch.values).map(({ name, value }) => {
        const p = list(manage.view?.parameters).find((q) => q.name === name)
        return html`<span>${name} <b>${value.toFixed(2)}</b> ${p?.unit} ${p && Math.abs(p.value - value) < 1e-3
          ? html`<b class="ok">✓</b>` : html`<span class="dim">${p?.result || '…'}</span>`}</span>`
      })}</p>`
}

export function CalibrationPanel() {
  void decode()
  const mine = holds(), { patch, like } = calibration, own = me()
  return html`<section class="panel calibration" aria-label="Calibration"><div class="head"><h2>Calibration</h2>
      <span class="dim">exposure and white balance</span>
      <button class="other" onClick=${() => togglePanel('calibration')}>parameters <kbd>V</kbd></button></div>
    <div class="form"><button disabled=${!mine || !manage.picture} onClick=${() => ask('hold')}>${bitmap ? 'take another picture'
        : 'take a picture'}</button>
      <label class="field"><span class="dim">the patch is</span><select aria-label="the patch is" value=${like}
        onChange=${(/** @type {Event} */ e) => change(calibration, { like: /** @type {HTMLSelectElement} */ (e.currentTarget).value })}>
        ${likes.map(([value, text]) => html`<option value=${value} selected=${value === like} disabled=${value === 'remembered'
          && !manage.calibration?.remembered}>${text}</option>`)}</select></label>
      <button disabled=${!mine || !patch} onClick=${() => ask('remember', { ...patch })}
        title="this patch looks as it should: make others look like it later">remember it</button>
      <button class="begin" disabled=${!mine || !patch} onClick=${() => ask('adjust', { ...patch, like })}>set exposure and white balance</button>
      <button disabled=${!mine || !own?.undo} title=${own?.undo} onClick=${() => ask('undo')}>undo <kbd>Ctrl Z</kbd></button></div>
    <div class="state"><${Result} /></div>
    <${Canvas} name="calibration" label="the held picture" draw=${draw} class=${mine && bitmap ? 'choosing' : ''} ...${drag.pointer} />
    </section>`
}
