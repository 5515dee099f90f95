// The picture of the robot's camera.

import { Canvas } from '../shared/canvas.js'
import { drawNotice } from '../shared/draw.js'
import { saveFile } from '../shared/files.js'
import { html } from '../htm/preact/standalone.module.js'
import { Choices, textOf } from '../shared/inputs.js'
import { CompareButtons, comparing, drawCompared } from './compare.js'
import { drawOverlay, Layers } from './overlay.js'
import { drag, isChoosing, RegionButton } from './region.js'
import { canLookBack, toggleBack } from './past.js'
import { formats, freeze, manage, sizes, wishFor } from './state.js'

const PATIENCE = 5000 // ms for the first picture
const waits = { robot: 0, since: 0 } // for the first picture of a robot that answers

/** Why there is no picture. */
function without() {
  if (manage.recorded) return 'no picture of this time'
  if (manage.view?.seen === false) return 'the robot does not answer'
  const now = performance.now()
  if (waits.robot !== manage.robot) Object.assign(waits, { robot: manage.robot, since: now })
  return now - waits.since > PATIENCE ? 'no picture arrives: the robot may have no camera' : 'waiting for a picture'
}

/** Draws the newest picture as large as it fits, without smoothing. @param {import('../shared/canvas.js').Pen} pen */
function draw(pen) {
  const { g, w, h, drawn } = pen
  const { image, picture } = manage
  if (!image || !picture) return drawNotice(pen, without())
  if (comparing()) return drawCompared(pen, { image, picture })
  const scale = Math.min(w / picture.width, h / picture.height)
  const width = Math.round(picture.width * scale), height = Math.round(picture.height * scale) // whole pixels: sharp edges
  const place = { x: Math.round((w - width) / 2), y: Math.round((h - height) / 2), w: width, h: height }
  g.imageSmoothingEnabled = false
  g.drawImage(image, place.x, place.y, place.w, place.h)
  drawn.push({ glyph: 'picture', ...place, pixels: picture.width, number: manage.shown, format: picture.format,
    region: [picture.x, picture.y, picture.width, picture.height] })
  drawn.push(...drawOverlay(g, picture, place))
  drag.draw(pen, place)
}

/** Saves the shown picture in the pixels of the camera. */
export function save() {
  const { image, picture } = manage
  if (!image || !picture) return
  const canvas = document.createElement('canvas')
  canvas.width = picture.width
  canvas.height = picture.height
  canvas.getContext('2d')?.drawImage(image, 0, 0)
  canvas.toBlob((blob) => blob && saveFile(`robot-${manage.robot}-${Math.round(picture.millis)}ms.png`, blob))
}

/** @param {{title: string, value: string, unit: string}} props */
const Figure = ({ title, value, unit }) => html`<div><b>${value}</b> <span class="dim">${unit}</span><p class="dim">${title}</p></div>`

/** The name of a size. @param {number} divisor */
const sizeName = (divisor) => sizes.find(([d]) => d === divisor)?.[1] ?? `1/${divisor}`

/** The pictures that the robot sends, where this page is not the only one that chooses. */
function Sent() {
  const sent = manage.view?.pictures
  if (!sent || !sent.rate) return ''
  const mine = sent.page === manage.page, name = formats.find(([f]) => f === sent.format)?.[1] ?? sent.format
  const what = `${name}, ${sent.width ? `${sent.width} × ${sent.height} px, ` : ''}${sizeName(sent.divisor)}, ${sent.rate} Hz`
  const recorded = sent.record ? `Recorded, ${sent.record} Hz. ` : ''
  if (sent.pages > 1 && !mine) return html`<p class="sent" role="status">${recorded}${sent.pages} pages look.${' '}
    The robot sends the choice of <b>${sent.by}</b>: ${what}. <button onClick=${() => wishFor({})}>send my choice</button></p>`
  return (sent.pages > 1 || recorded) && html`<p class="sent" role="status">${recorded}${sent.pages > 1
    ? `${sent.pages} pages look. The robot sends all of them what you chose: ${what}.` : ''}</p>`
}

/** The pictures that this page asks for. */
function Wish() {
  const { wish } = manage
  return html`<${Choices} label="format" value=${wish.format} options=${formats.map(([format, title], i) => [format,
      html`${title} <kbd>F${i + 1}</kbd>`])} set=${(/** @type {string} */ format) => wishFor({ format })} />
    <${Choices} label="size" value=${wish.divisor} options=${sizes} set=${(/** @type {number} */ divisor) => wishFor({ divisor })} />
    <label class="quality">quality <input type="range" min="10" max="95" step="5" value=${wish.quality} aria-label="quality of JPEG"
      disabled=${wish.format !== 'jpeg'} onInput=${(/** @type {Event} */ e) => wishFor({ quality: Number(textOf(e)) })} /><b>${wish.quality}</b></label>`
}

export function CameraPanel() {
  const { picture, frozen } = manage, stats = picture?.stats
  const shape = picture && !comparing() ? `width: auto; aspect-ratio: ${picture.width} / ${picture.height}` : ''
  return html`<section class="panel camera" aria-label="Camera"><div class="head"><h2>Camera</h2>
    ${!manage.recorded && html`<${Wish} />`}
    <${Layers} />
    <span class="right">${!manage.recorded && html`<${RegionButton} />`}<${CompareButtons} /><button class=${frozen ? 'on' : ''} aria-pressed=${frozen}
        hidden=${manage.recorded} onClick=${freeze}>freeze <kbd>F</kbd></button>
      <button disabled=${!picture} onClick=${save}>save <kbd>P</kbd></button></span></div>
    <${Sent} />
    <div class="sight"><${Canvas} name="camera" film=${true} label="what the robot's camera sees" draw=${draw} class=${isChoosing() ? 'choosing' : ''}
      style=${shape} ...${drag.pointer} /></div>
    <div class="figures"><${Figure} title="pictures" value=${stats ? stats.rate.toFixed(1) : '–'} unit="Hz" />
      <${Figure} title=${picture ? `${picture.width} × ${picture.height}, ${picture.format}` : 'stream'}
        value=${stats ? Math.round(stats.kbits).toLocaleString('en') : '–'} unit="kbit/s" />
      <${Figure} title="camera to program" value=${stats ? stats.latency.toFixed(0) : '–'} unit="ms" />
      <${Figure} title="did not arrive" value=${stats ? String(stats.lost) : '–'} unit="" />
      <${Figure} title=${picture?.missing ? `${picture.missing} of ${picture.slices} slices are missing` : 'arrived in part'}
        value=${stats ? String(stats.partial) : '–'} unit="" />
      ${canLookBack() && !manage.recorded && html`<button class="back" onClick=${toggleBack}>look back <kbd>B</kbd></button>`}</div></section>`
}
