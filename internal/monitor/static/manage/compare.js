// Two pictures side by side, or what differs between them: one that was kept, and the one that is shown.

/** @import {Still} from '../shared/picture.js' */
/** @import {ManagernetPictureView as PictureView} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { change } from '../shared/state.js'
import { colors, fonts, sizes } from '../shared/theme.js'
import { copyOf, free } from '../shared/picture.js'
import { manage } from './state.js'

/** @typedef {{image: Still, picture: PictureView}} Shot */

const GAIN = 4 // of a difference: a few steps of brightness are visible

export const compare = {
  mode: /** @type {'' | 'beside' | 'difference'} */ (''),
  kept: /** @type {Shot | null} */ (null),
  of: '', // pictures of the difference that is drawn
  difference: /** @type {HTMLCanvasElement | null} */ (null),
  mean: NaN, // difference of a colour of a pixel, 0 to 255
}

/** Keeps the shown picture for comparison. */
export function keep() {
  const { image, picture } = manage
  if (!image || !picture) return
  free(compare.kept?.image)
  change(compare, { kept: { image: copyOf(image), picture }, mode: compare.mode || 'beside', of: '' })
}

/** Changes how the pictures are compared: beside each other, their difference, not at all. */
export function nextMode() {
  if (!kept()) return keep()
  change(compare, { mode: compare.mode === '' ? 'beside' : compare.mode === 'beside' ? 'difference' : '' })
}

/** The kept picture, if it is one of the shown robot. */
const kept = () => compare.kept?.picture.robot === manage.robot ? compare.kept : null

/** Whether pictures are compared. */
export const comparing = () => compare.mode !== '' && kept() != null

/** The pixels of a picture. @param {Shot} shot */
function pixels({ image, picture: { width, height } }) {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const g = canvas.getContext('2d', { willReadFrequently: true })
  g?.drawImage(image, 0, 0)
  return { canvas, g, data: g?.getImageData(0, 0, width, height) }
}

/** The picture of the difference; null for pictures of different sizes. @param {Shot} a @param {Shot} b */
function differenceOf(a, b) {
  const of = `${compare.kept?.picture.millis} ${manage.shown}`
  if (a.picture.width !== b.picture.width || a.picture.height !== b.picture.height) return null
  if (compare.of === of) return compare.difference
  const one = pixels(a), two = pixels(b)
  if (!one.data || !two.data) return null
  let sum = 0
  for (let i = 0; i < one.data.data.length; i++) {
    if (i % 4 === 3) continue
    const d = Math.abs(one.data.data[i] - two.data.data[i])
    sum += d
    two.data.data[i] = Math.min(255, GAIN * d)
  }
  two.g?.putImageData(two.data, 0, 0)
  Object.assign(compare, { of, difference: two.canvas, mean: sum / (one.data.data.length * 0.75) })
  return compare.difference
}

/** When a picture was taken, before the shown one. @param {PictureView} p @param {PictureView} shown */
function age(p, shown) {
  const s = (shown.millis - p.millis) / 1000
  return Math.abs(s) < 0.001 ? 'the same picture' : `${Math.abs(s).toFixed(1)} s ${s > 0 ? 'before' : 'after'}`
}

/** Draws both pictures, or their difference, and names them. @param {import('../shared/canvas.js').Pen} pen
 * @param {Shot} shot the shown one */
export function drawCompared({ g, w, h, drawn }, shot) {
  const { kept, mode } = compare
  if (!kept) return
  const line = sizes.small + 8, shown = shot.picture
  /** @param {CanvasImageSource} image @param {PictureView} size @param {number} x @param {number} width
   * @param {string} text */
  const put = (image, size, x, width, text) => {
    const scale = Math.min(width / size.width, (h - line) / size.height)
    const at = { x: x + (width - size.width * scale) / 2, w: size.width * scale, h: size.height * scale }
    g.drawImage(image, at.x, line, at.w, at.h)
    g.fillText(text, at.x, line - 5)
    drawn.push({ glyph: 'compared', x: at.x, y: line, w: at.w, h: at.h, text })
  }
  g.imageSmoothingEnabled = false
  g.font = fonts.small
  g.textAlign = 'left'
  g.fillStyle = colors.ink
  if (mode === 'beside') {
    put(kept.image, kept.picture, 0, w / 2 - 4, `kept: ${kept.picture.format}, ${age(kept.picture, shown)}`)
    put(shot.image, shown, w / 2 + 4, w / 2 - 4, `shown: ${shown.format}${manage.frozen ? ', frozen' : ''}`)
    return
  }
  const difference = differenceOf(kept, shot)
  if (!difference) return g.fillText('the pictures have different sizes: compare them beside each other', 4, line)
  put(difference, shown, 0, w, `difference x ${GAIN}, mean ${compare.mean.toFixed(1)} of 255; kept ${age(kept.picture, shown)}`)
}

export function CompareButtons() {
  const mode = comparing() ? compare.mode : ''
  return html`<button disabled=${!manage.picture} onClick=${keep} title="keep this picture and compare others with it">keep <kbd>K</kbd></button>
    <button class=${mode ? 'on' : ''} aria-pressed=${!!mode} disabled=${!kept()} onClick=${nextMode}
      title="beside each other, their difference, one picture">${mode === 'difference' ? 'difference' : 'compare'} <kbd>C</kbd></button>`
}
