// Drawn over the picture: the robot's percepts, and where it expects the horizon and the field's lines.

/** @import {ManagernetPictureView as PictureView, ManagernetShapeView as ShapeView} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { fonts, sizes } from '../shared/theme.js'
import { attendSoon, manage } from './state.js'

/** Where the picture is on a canvas. @typedef {{x: number, y: number, w: number, h: number}} Place */
/** @typedef {{color: string, width: number, dash?: number[], layer: keyof typeof manage.layers}} Style */

/** Colours that stand out against a field in daylight and in the dark; each has a black casing.
 * @type {Record<string, Style>} */
const styles = {
  'ball': { color: '#ff9a4d', width: 2.2, layer: 'percepts' },
  'no ball': { color: '#ffffff', width: 1.4, dash: [3, 3], layer: 'percepts' },
  'line points': { color: '#c5f6fa', width: 3, layer: 'percepts' },
  'line': { color: '#66d9e8', width: 1.6, layer: 'percepts' },
  'post': { color: '#ffe066', width: 3, layer: 'percepts' },
  'robot': { color: '#ff8fd8', width: 1.6, layer: 'percepts' },
  'horizon': { color: '#ffffff', width: 1.4, dash: [7, 5], layer: 'horizon' },
  'field line': { color: '#ffe95c', width: 1.3, layer: 'lines' },
}

/** The layers with their names and keys. @type {[keyof typeof manage.layers, string, string, string][]} */
const layers = [
  ['percepts', 'percepts', 'O', 'what the robot finds in the picture'],
  ['horizon', 'horizon', 'H', 'where the camera’s model has the horizon'],
  ['lines', 'field lines', 'L', 'the field’s lines where the robot believes to be'],
]

/** Shows or hides a layer. @param {keyof typeof manage.layers} name */
function toggleLayer(name) {
  manage.layers[name] = !manage.layers[name]
  attendSoon()
}

/** The keys of the layers. */
export const layerKeys = Object.fromEntries(layers.map(([name, , key]) => [key.toLowerCase(), () => toggleLayer(name)]))

/** The text of a shape. @param {ShapeView} s */
function label(s) {
  const name = s.kind === 'robot' && s.text ? `${s.text} robot` : s.kind
  if (s.kind === 'no ball') return `✕ ${s.text}`
  return ['ball', 'robot', 'post'].includes(s.kind) && s.distance ? `${name} ${s.distance.toFixed(2)} m` : ''
}

/** @param {CanvasRenderingContext2D} g @param {ShapeView} s @param {number[]} at @param {Style} style */
function stroke(g, s, at, style) {
  g.beginPath()
  if (s.kind === 'line points') {
    for (let i = 0; i < at.length; i += 2) g.rect(at[i] - 1, at[i + 1] - 1, 2, 2)
  } else {
    for (let i = 0; i < at.length; i += 2) i ? g.lineTo(at[i], at[i + 1]) : g.moveTo(at[i], at[i + 1])
    if (s.closed) g.closePath()
  }
  g.setLineDash([])
  g.strokeStyle = 'rgb(0 0 0 / .55)'
  g.lineWidth = style.width + 1.6
  if (s.kind !== 'line points') g.stroke()
  g.setLineDash(style.dash ?? [])
  g.strokeStyle = style.color
  g.fillStyle = style.color
  g.lineWidth = style.width
  if (s.kind === 'line points') g.fill()
  else g.stroke()
}

/** Writes a label beside a shape, inside the picture. Labels that would cover others move down.
 * @param {CanvasRenderingContext2D} g @param {string} text @param {number[]} at @param {Place} place
 * @param {{x: number, y: number, w: number}[]} taken */
function tag(g, text, at, place, taken) {
  const xs = at.filter((_, i) => i % 2 === 0), ys = at.filter((_, i) => i % 2), height = sizes.small + 5
  const w = g.measureText(text).width + 8, right = Math.max(...xs) + 5
  let x = right + w < place.x + place.w ? right : Math.min(...xs) - w - 5
  x = Math.max(place.x + 2, Math.min(x, place.x + place.w - w - 2))
  let y = Math.max(place.y + 2, Math.min((Math.min(...ys) + Math.max(...ys)) / 2 - height / 2, place.y + place.h - height - 2))
  while (taken.some((t) => Math.abs(t.y - y) < height && x < t.x + t.w && t.x < x + w) && y < place.y + place.h - height) y += height
  taken.push({ x, y, w })
  g.fillStyle = 'rgb(0 0 0 / .74)'
  g.fillRect(x, y, w, height)
  g.fillStyle = '#fff'
  g.fillText(text, x + 4, y + height - 4.5)
}

/** Draws the shapes of the layers that are on. It returns them, for tests.
 * @param {CanvasRenderingContext2D} g @param {PictureView} p @param {Place} place */
export function drawOverlay(g, p, place) {
  const scale = place.w / p.width / p.divisor, shown = []
  const toCanvas = (/** @type {number} */ v, /** @type {number} */ i) => i % 2
    ? place.y + (v + 0.5 - p.y) * scale : place.x + (v + 0.5 - p.x) * scale
  /** @type {[string, number[]][]} */
  const labels = []
  g.save()
  g.beginPath()
  g.rect(place.x, place.y, place.w, place.h)
  g.clip()
  g.lineJoin = g.lineCap = 'round'
  for (const s of list(p.overlay).toReversed()) { // balls last: on top
    const style = styles[s.kind]
    if (!style || !manage.layers[style.layer]) continue
    const at = list(s.points).map(toCanvas), text = label(s)
    stroke(g, s, at, style)
    if (text) labels.push([text, at])
    shown.push({ glyph: s.kind, x: at[0], y: at[1], text })
  }
  g.setLineDash([])
  g.font = fonts.small
  g.textAlign = 'left'
  /** @type {{x: number, y: number, w: number}[]} */
  const taken = []
  for (const [text, at] of labels) tag(g, text, at, place, taken)
  g.restore()
  return shown
}

/** The buttons of the layers. */
export function Layers() {
  return html`<span class="choice" role="group" aria-label="overlays">${layers.map(([name, title, key, what]) => html`<button
    class=${manage.layers[name] ? 'on' : ''} aria-pressed=${manage.layers[name]} title=${what}
    onClick=${() => toggleLayer(name)}>${title} <kbd>${key}</kbd></button>`)}</span>`
}
