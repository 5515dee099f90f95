// Numbers as text.

/** @typedef {{value: string, unit: string}} Figure */

/** Centimetres below a metre, metres above.
 * @param {number | null | undefined} metres @returns {Figure} */
export function distance(metres) {
  if (metres == null) return { value: '–', unit: '' }
  if (metres < 0.995) return { value: String(Math.round(metres * 100)), unit: 'cm' }
  if (metres > 99) return { value: '> 99', unit: 'm' }
  return { value: metres.toFixed(metres < 9.995 ? 2 : 1), unit: 'm' }
}

/** Milliseconds below a second, seconds below two minutes, minutes below two hours, hours up to 99.
 * @param {number | null | undefined} ms @returns {Figure} */
export function age(ms) {
  if (ms == null) return { value: '–', unit: '' }
  if (ms < 999.5) return { value: String(Math.round(ms)), unit: 'ms' }
  if (ms < 119_500) return { value: (ms / 1000).toFixed(ms < 9950 ? 1 : 0), unit: 's' }
  if (ms < 119.5 * 60_000) return { value: (ms / 60_000).toFixed(0), unit: 'min' }
  if (ms > 99 * 3_600_000) return { value: '> 99', unit: 'h' }
  return { value: (ms / 3_600_000).toFixed(1), unit: 'h' }
}

/** A number with a true minus sign, and none before zero.
 * @param {number} value @param {number} digits after the decimal point */
export function signed(value, digits) {
  const s = Math.abs(value).toFixed(digits)
  return (value < 0 && Number(s) ? '−' : '') + s
}

/** rad in a degree. */
export const DEGREE = Math.PI / 180

/** The same angle from -pi to pi. @param {number} rad */
export const wrapped = (rad) => Math.atan2(Math.sin(rad), Math.cos(rad))

/** An angle in degrees. @param {number} rad @param {number} [digits] */
export const degrees = (rad, digits = 0) => signed(rad / DEGREE, digits) + '°'

/** @param {Figure} f */
export const withUnit = (f) => f.unit ? `${f.value} ${f.unit}` : f.value

/** @param {number | null | undefined} share of 1 */
export const percent = (share) => share == null ? '–' : (share * 100).toFixed(1) + ' %'

/** In a narrow place. @param {number | null | undefined} share of 1 */
export const shortPercent = (share) => share == null ? '–' : `${(share * 100).toFixed(share < 0.00995 ? 1 : 0)} %`

/** @param {number} bits a second */
export const megabits = (bits) => (bits / 1e6).toFixed(2)

/** @param {number} bytes a second */
export const byteRate = (bytes) => (bytes / 1000).toFixed(bytes < 9950 ? 1 : 0) + ' kB/s'

/** @param {number} bytes */
export const size = (bytes) => bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`

/** Minutes and seconds, with hours from one hour on. @param {number} seconds */
export function clock(seconds) {
  const s = Math.max(0, Math.floor(seconds))
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0')
  return (s >= 3600 ? Math.floor(s / 3600) + ':' : '') + two(Math.floor(s / 60) % 60) + ':' + two(s % 60)
}

/** A date and time in this time zone, as ISO 8601 writes them. @param {number} ms since 1970 */
export function localTime(ms) {
  const local = ms - new Date(ms).getTimezoneOffset() * 60_000
  return new Date(local).toISOString().slice(0, 19).replace('T', ' ')
}

/** A point in the frame that the page shows; both signs are always written.
 * @param {'x' | 'msl'} frame @param {number} x field frame, m @param {number} y */
export function point(frame, x, y) {
  const n = (/** @type {number} */ v) => (v < 0 ? '−' : '+') + Math.abs(v).toFixed(2)
  return frame === 'msl' ? `X ${n(-y)}  Y ${n(x)} m` : `x ${n(x)}  y ${n(y)} m`
}
