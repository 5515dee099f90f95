// The look of a page, measured: cut and overlapping texts, sizes of type, contrast. It works for every page.

import assert from 'node:assert/strict'

/** @typedef {import('playwright-core').Page} Page
 * @typedef {{least: number, figures: number}} Type least sizes in px of every text and of figures */

const PATIENCE = 8_000 // ms in which a view must become whole

/** The windows and themes in which every view must be whole. */
export const windows = /** @type {const} */ ([[1920, 1080], [1366, 768], [1180, 820]])
export const themes = /** @type {const} */ (['light', 'dark'])

/** Records the texts that the page draws on canvases; for a page's addInitScript. Each canvas keeps those since it was
 * last cleared, with the colour of the text and of what is beneath it. */
export function recordTexts() {
  /** @type {WeakMap<HTMLCanvasElement | OffscreenCanvas, any[]>} */
  const texts = new WeakMap()
  /** @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} proto */
  const record = (proto) => {
    const { fillText, clearRect } = proto
    proto.clearRect = function (...args) {
      texts.set(this.canvas, [])
      return clearRect.apply(this, args)
    }
    proto.fillText = function (text, x, y, ...rest) {
      const list = texts.get(this.canvas)
      if (list && /** @type {any} */ (window).auditing) {
        const m = this.measureText(text), t = this.getTransform()
        const box = { left: x - m.actualBoundingBoxLeft, right: x + m.actualBoundingBoxRight,
          top: y - m.actualBoundingBoxAscent, bottom: y + m.actualBoundingBoxDescent }
        const d = devicePixelRatio || 1
        const at = t.transformPoint({ x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 })
        const behind = [...this.getImageData(Math.round(at.x), Math.round(at.y), 1, 1).data]
        const p = t.transformPoint({ x: box.left, y: box.top }), q = t.transformPoint({ x: box.right, y: box.bottom })
        list.push({ text, font: this.font, color: this.fillStyle, alpha: this.globalAlpha, behind, left: p.x / d,
          top: p.y / d, right: q.x / d, bottom: q.y / d })
      }
      return fillText.call(this, text, x, y, ...rest)
    }
  }
  record(CanvasRenderingContext2D.prototype)
  record(OffscreenCanvasRenderingContext2D.prototype)
  // The pixels of a canvas that is drawn outside the page's frames.
  const { transferControlToOffscreen } = HTMLCanvasElement.prototype, films = new WeakMap()
  HTMLCanvasElement.prototype.transferControlToOffscreen = function () {
    const film = transferControlToOffscreen.call(this)
    films.set(this, film)
    return film
  }
  Object.assign(window, { textsOf: (/** @type {HTMLCanvasElement} */ c) => texts.get(films.get(c) ?? c) ?? [] })
}

/** Gives the page tools that compute with colours; for a page's addInitScript. eyes: what a colour looks like to people
 * who see all colours, and to those with one of three colour blindnesses, by the matrices for severity 1.0 of Machado,
 * Oliveira and Fernandes 2009 (docs/sources.md, Machado 2009). */
export function addColourTools() {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = 1
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { willReadFrequently: true }))
  /** Any colour as [r, g, b, alpha]. @param {string} css */
  const rgba = (css) => {
    pen.clearRect(0, 0, 1, 1)
    pen.fillStyle = css
    pen.fillRect(0, 0, 1, 1)
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data
    return [r, g, b, a / 255]
  }
  const over = (/** @type {number[]} */ top, /** @type {number[]} */ under) =>
    [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1)
  const linear = (/** @type {number[]} */ c) => c.slice(0, 3).map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  const luminance = (/** @type {number[]} */ c) => {
    const [r, g, b] = linear(c)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  /** @type {Record<string, number[][]>} */
  const matrices = {
    protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
  }
  const seen = (/** @type {number[][]} */ matrix) => (/** @type {number[]} */ c) => {
    const rgb = linear(c)
    return matrix.map((row) => row.reduce((sum, v, i) => sum + v * rgb[i], 0)).map((v) => Math.min(1, Math.max(0, v)))
      .map((v) => 255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055)).concat(1)
  }
  /** @type {[string, (c: number[]) => number[]][]} */
  const eyes = [['', (c) => c], ...Object.entries(matrices).map(([name, m]) =>
    /** @type {[string, (c: number[]) => number[]]} */ ([' in ' + name, seen(m)]))]
  /** CIE 1976 L*a*b* under D65. @param {number[]} c */
  const lab = (c) => {
    const [r, g, b] = linear(c)
    const [x, y, z] = [(0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b,
      (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089].map((t) => t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 * t + 16) / 116)
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
  }
  /** The distance of two colours in L*a*b*. @param {number[]} a @param {number[]} b */
  const apart = (a, b) => {
    const from = lab(b)
    return Math.hypot(...lab(a).map((v, i) => v - from[i]))
  }
  const contrast = (/** @type {number[]} */ a, /** @type {number[]} */ b) => {
    const [x, y] = [luminance(a), luminance(b)]
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
  }
  /** The least contrast of two colours to anybody, and to whom. @param {number[]} a @param {number[]} b */
  const least = (a, b) => eyes.map(([name, see]) => ({ name, got: contrast(see(a), see(b)) })).sort((a, b) => a.got - b.got)[0]
  Object.assign(window, { colourTools: { rgba, over, contrast, eyes, apart, least } })
}

/** Runs in the page: everything that is wrong with its geometry. @param {Type & {scrolls: boolean}} type
 * @returns {string[]} */
function faults({ least, figures, scrolls }) {
  /** @type {string[]} */
  const found = []
  const { rgba, over, least: leastContrast } = /** @type {any} */ (window).colourTools
  const name = (/** @type {Element} */ e) => `${e.closest('[aria-label]')?.getAttribute('aria-label') ?? ''} <${e.tagName
    .toLowerCase()}${e.className && typeof e.className === 'string' ? '.' + e.className.trim().replaceAll(/\s+/g, '.') : ''}>`

  /** The page's texts with their boxes. @type {{text: string, e: Element, box: DOMRect}[]} */
  const texts = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let n = walker.nextNode(); n; n = walker.nextNode()) {
    const e = n.parentElement, text = n.textContent?.trim() ?? ''
    if (!e || !text || e.closest('noscript, script, style, dialog:not([open]), .unseen')) continue
    if (!e.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
    const range = document.createRange()
    range.selectNodeContents(n)
    const clip = e.closest('.scroll')?.getBoundingClientRect() // one can scroll to the rest
    for (const { left, width, ...whole } of [...range.getClientRects()].map((r) => r.toJSON())) {
      const top = Math.max(whole.top, clip?.top ?? whole.top), bottom = Math.min(whole.bottom, clip?.bottom ?? whole.bottom)
      if (width > 1 && bottom - top > 1) texts.push({ text, e, box: new DOMRect(left, top, width, bottom - top) })
    }
  }
  for (const { text, e, box } of texts) {
    const style = getComputedStyle(e), size = parseFloat(style.fontSize)
    if (size < least - 0.05) found.push(`${size.toFixed(1)} px: "${text}" in ${name(e)}, want ${least}`)
    if (e.closest('.figures b') && !e.closest('small') && size < figures) found.push(
      `${size.toFixed(1)} px: the figure "${text}" in ${name(e)}, want ${figures}`)
    for (let a = /** @type {Element | null} */ (e); a && a !== document.body; a = a.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(a), r = a.getBoundingClientRect()
      const x = overflowX !== 'visible' && (box.left < r.left - 1 || box.right > r.right + 1)
      const y = overflowY === 'hidden' && (box.top < r.top - 3 || box.bottom > r.bottom + 3)
      const ellipsis = a === e && overflowX !== 'visible' && a.scrollWidth > a.clientWidth + 1
      if ((x || y || ellipsis) && !a.classList.contains('scroll')) {
        found.push(`cut: "${text}" in ${name(a)}`)
        break
      }
    }
    if (!scrolls && (box.right > innerWidth + 1 || box.bottom > innerHeight + 1)) found.push(
      `outside of the window: "${text}" in ${name(e)}`)
    let under = [0, 0, 0, 0]
    for (let a = /** @type {Element | null} */ (e); a && under[3] < 1; a = a.parentElement) {
      const back = rgba(getComputedStyle(a).backgroundColor)
      if (back[3]) under = under[3] ? over(under, back) : back
    }
    if (under[3] < 1) under = over(under, rgba(getComputedStyle(document.body).backgroundColor))
    const large = size >= 24 || size >= 18.6 && +style.fontWeight >= 600, want = large ? 3 : 4.5
    const { got, name: to } = leastContrast(over(rgba(style.color), under), under)
    if (got < want && !e.closest('.gone, [data-link=lost]')) found.push(
      `contrast ${got.toFixed(2)}${to}: "${text}" in ${name(e)}, want ${want}`)
  }
  const apart = texts.filter(({ e }) => !e.closest('.drawer, .toast, dialog'))
  apart.forEach((a, i) => {
    for (const b of apart.slice(i + 1)) {
      const w = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left)
      const h = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top)
      if (w > 1 && h > 4 && !a.e.contains(b.e) && !b.e.contains(a.e)) found.push(
        `"${a.text}" in ${name(a.e)} overlaps "${b.text}" in ${name(b.e)}`)
    }
  })
  for (const c of document.querySelectorAll('canvas')) {
    for (const t of /** @type {any} */ (window).textsOf(c)) {
      const size = parseFloat(/([\d.]+)px/.exec(t.font)?.[1] ?? '0'), label = c.getAttribute('aria-label')
      if (size < least - 0.05) found.push(`${size.toFixed(1)} px: "${t.text}" on the canvas "${label}", want ${least}`)
      const digit = /^\d+$/.test(t.text) // of a robot that leaves the field
      if (!digit && (t.left < -1.5 || t.top < -1.5 || t.right > c.clientWidth + 1.5 || t.bottom > c.clientHeight + 1.5)) found.push(
        `cut: "${t.text}" on the canvas "${label}"`)
      const color = rgba(t.color)
      color[3] *= t.alpha
      const under = t.behind[3] ? t.behind.slice(0, 3).concat(1) : rgba(getComputedStyle(c.parentElement ?? c).backgroundColor)
      const back = under[3] < 1 ? rgba(getComputedStyle(document.documentElement).getPropertyValue('--panel')) : under
      const { got, name: to } = leastContrast(over(color, back), back), want = size >= 18.6 ? 3 : 4.5
      if (got < want) found.push(`contrast ${got.toFixed(2)}${to}: "${t.text}" on the canvas "${label}", want ${want}`)
    }
  }
  return [...new Set(found)]
}

/** Runs in the page: the contrast of a field's lines with its ground, on every canvas with a field. The halfway line is
 * the darkest or brightest of the pixels across the middle.
 * @returns {{label: string, contrast: number}[]} */
function lines() {
  const value = (/** @type {number} */ v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4
  const lum = (/** @type {ArrayLike<number>} */ p, /** @type {number} */ i) =>
    0.2126 * value(p[i] / 255) + 0.7152 * value(p[i + 1] / 255) + 0.0722 * value(p[i + 2] / 255)
  return [...document.querySelectorAll('canvas')].filter((c) => /belief|field|ball on one/i.test(c.getAttribute('aria-label') ?? ''))
    .map((c) => {
      const g = /** @type {CanvasRenderingContext2D} */ (c.getContext('2d')), n = 24
      const high = Math.min(c.height, c.width * 13.4 / 19.4) // of the field of 18 x 12 m with its border
      const rows = [-0.38, -0.3, -0.24, 0.24, 0.3, 0.38].map((y) => {
        const p = g.getImageData(Math.round(c.width / 2 - n / 2), Math.round(c.height / 2 + high * y), n, 1).data
        const l = Array.from({ length: n }, (_, i) => lum(p, 4 * i)), ground = l.toSorted((a, b) => a - b)[n / 2]
        return Math.max(...l.map((v) => (Math.max(v, ground) + 0.05) / (Math.min(v, ground) + 0.05)))
      }).toSorted((a, b) => a - b)
      return { label: c.getAttribute('aria-label') ?? '', contrast: rows[3] } // some rows have a glyph
    })
}

/** Checks the view that a page shows now. @param {Page} page @param {string} where @param {Type} type */
export async function look(page, where, type) {
  await page.evaluate(() => { /** @type {any} */ (window).auditing = true })
  await page.evaluate(() => document.fonts.ready)
  for (let i = 0; i < 3; i++) await page.evaluate(() => new Promise(requestAnimationFrame))
  await page.waitForFunction(() => [...document.querySelectorAll('canvas')].every((c) => c.width > 1))
  const scrolls = await page.evaluate(() => matchMedia('(max-width: 1179px), (max-height: 639px)').matches)
  /** @type {string[]} */
  let found = []
  for (const end = Date.now() + PATIENCE; ;) { // the page draws itself again in its new size with new data
    await page.waitForTimeout(300)
    found = await page.evaluate(faults, { ...type, scrolls })
    for (const l of await page.evaluate(lines)) {
      if (l.contrast < 3) found.push(`contrast ${l.contrast.toFixed(2)}: the lines of "${l.label}", want 3`)
    }
    if (!found.length || Date.now() > end) break
  }
  const more = found.length > 12 ? `; and ${found.length - 12} more` : ''
  assert.equal(found.length, 0, `${where}: ${found.slice(0, 12).join('; ')}${more}`)
}
