// A curve over the last seconds on a canvas, with a scale and a band of good values.

/** @import {Pen} from '../shared/canvas.js' */
import { colors, fonts, sizes } from '../shared/theme.js'

/** A value at a time in s; null interrupts the curve. @typedef {{t: number, value: number | null}} Point */

/** A curve over the seconds before now. top: value at the upper edge, at least; most: values above it are drawn at the
 * upper edge; line: a value with a line of its own; band: values between which the curve should be; bad: a value that is
 * drawn in red; beside: a second, paler curve.
 * @typedef {{points: Point[], now: number, seconds: number, top: number, most?: number, unit: string, line?: number,
 * band?: [number, number], beside?: Point[], bad: (value: number) => boolean}} Curve */

const GAP = 3 // s without a value that interrupt a curve

/** A round step of an axis with at most four of them. @param {number} top */
function stepOf(top) {
  const ten = 10 ** Math.floor(Math.log10(top / 4))
  return [1, 2, 5, 10].map((k) => k * ten).find((s) => top / s <= 4) ?? 10 * ten
}

/** @param {Pen} pen @param {Curve} curve */
export function drawCurve({ g, w, h, drawn }, { points, now, seconds, top, most, unit, line, band, beside, bad }) {
  const under = sizes.small + 8
  const highest = Math.max(top, ...[...points, ...beside ?? []].map((p) => p.value ?? 0))
  const edge = most !== undefined && highest >= most ? most : highest * 1.08
  g.font = fonts.small
  const step = stepOf(edge), digits = step < 1 ? 1 : 0, left = g.measureText(edge.toFixed(digits)).width + 8
  const x = (/** @type {number} */ t) => left + (w - left) * (1 - (now - t) / seconds)
  const y = (/** @type {number} */ v) => h - under - (h - under - sizes.small / 2) * Math.min(1, v / edge)
  if (band) {
    g.fillStyle = colors.pitch
    g.fillRect(left, y(band[1]), w - left, y(band[0]) - y(band[1]))
  }
  g.textBaseline = 'middle'
  g.textAlign = 'right'
  for (let v = 0; v <= edge; v += step) {
    g.fillStyle = colors.hair
    g.fillRect(left, Math.round(y(v)), w - left, 1)
    g.fillStyle = colors.dim
    g.fillText(v.toFixed(digits), left - 5, y(v))
  }
  g.textBaseline = 'alphabetic'
  const texts = [seconds, seconds / 2, 0].map((back) => ({ back, text: back ? `${back} s ago` : `now, ${unit}` }))
  const narrow = texts.reduce((sum, { text }) => sum + g.measureText(text).width + 12, 0) > w - left
  for (const { back, text } of texts.filter(({ back }) => !narrow || back !== seconds / 2)) {
    g.textAlign = back === seconds ? 'left' : back ? 'center' : 'right'
    g.fillText(text, x(now - back), h - 4)
  }
  if (line !== undefined) {
    g.fillStyle = colors.bad
    g.fillRect(left, Math.round(y(line)), w - left, 1.5)
  }
  g.lineJoin = 'round'
  const draw = (/** @type {Point[]} */ all, /** @type {number} */ wide, /** @type {(v: number) => string} */ color) => {
    g.lineWidth = wide
    all.forEach((p, i) => {
      const before = all[i - 1] ?? p
      if (p.value == null || before.value == null || before.t < now - seconds || p.t - before.t > GAP) return
      g.strokeStyle = color(p.value)
      g.beginPath()
      g.moveTo(x(before.t), y(before.value))
      g.lineTo(x(p.t), y(p.value))
      g.stroke()
    })
  }
  draw(beside ?? [], 1.2, () => colors.dim)
  draw(points, 1.8, (v) => bad(v) ? colors.bad : colors.ink)
  drawn.push({ glyph: 'rates', x: x(now), y: y(points.at(-1)?.value ?? 0), samples: points.length })
}
