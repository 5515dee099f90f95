// Pictures of cameras, as the page decodes and draws them.

import { redraw } from './canvas.js'
import { drawNotice } from './draw.js'

/** A decoded picture. A frame holds its memory until it is freed. @typedef {VideoFrame | HTMLImageElement} Still */

/** Decodes a picture; an error for one that the browser cannot read. Browsers give pages an ImageDecoder on this machine and
 * over HTTPS; it costs half as much as an element, which reads a data URL: that one stays in this process, other than a Blob.
 * @param {string} type of a JPEG or PNG @param {string} data base64 @returns {Promise<Still>} */
export async function decode(type, data) {
  if (!('ImageDecoder' in window)) {
    const image = new Image()
    image.src = `data:${type};base64,${data}`
    await new Promise((ok, fail) => Object.assign(image, { onload: ok, onerror: fail }))
    return image
  }
  const decoder = new ImageDecoder({ type, data: bytes(data), colorSpaceConversion: 'none' })
  try {
    return (await decoder.decode()).image
  } finally {
    decoder.close()
  }
}

/** @param {Still | null | undefined} still */
export const free = (still) => still && 'close' in still && still.close()

/** A picture that stays when the other one is freed. @param {Still} still */
export const copyOf = (still) => 'clone' in still ? still.clone() : still

/** @param {string} data base64 */
const bytes = (data) => Uint8Array.from(atob(data), (c) => c.charCodeAt(0))

/** A picture that is decoded once for each id. */
export class Decoded {
  id = ''
  bitmap = /** @type {ImageBitmap | null} */ (null)

  /** Shows another picture. It reports whether it is another one. @param {string} id @param {string | undefined} data base64 of a JPEG or PNG */
  show(id, data) {
    if (id === this.id) return false
    this.id = id
    this.bitmap = null
    if (data) void this.#decode(id, data)
    return true
  }

  /** @param {string} id @param {string} data */
  async #decode(id, data) {
    const made = await createImageBitmap(new Blob([bytes(data)]))
    if (id !== this.id) return made.close()
    this.bitmap = made
    redraw()
  }

  /** Draws the picture as large as it fits, or a text in its place. @param {import('./canvas.js').Pen} pen
   * @param {string} otherwise @returns {{x: number, y: number, w: number, h: number, scale: number} | null} where it is */
  draw(pen, otherwise) {
    const { g, w, h } = pen
    if (!this.bitmap) {
      drawNotice(pen, otherwise)
      return null
    }
    const { width, height } = this.bitmap, scale = Math.min(w / width, h / height)
    const place = { x: (w - width * scale) / 2, y: (h - height * scale) / 2, w: width * scale, h: height * scale, scale }
    g.imageSmoothingEnabled = false
    g.drawImage(this.bitmap, place.x, place.y, place.w, place.h)
    return place
  }
}
