// The address of a page: what it shows, so that the same picture opens in another browser, and the referee's token,
// which arrives in the address and stays in this tab.

import { clock } from './format.js'
import { store, stored } from './stored.js'
import { get, hasToken, setToken } from './stream.js'

/** Decodes a part of an address; returns it unchanged where its encoding is invalid. @param {string} text */
function decodePart(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Moves the token from the address into this tab, so that nobody reads it over the user's shoulder. The rest of the
 * hash stays. Without a token in the address the tab's own is used. */
export function loadToken() {
  const parts = location.hash.slice(1).split('&')
  const given = parts.find((p) => p.startsWith('token='))
  if (!given) return keepToken(stored('token', '', 'sessionStorage'))
  const rest = parts.filter((p) => p !== given).join('&')
  history.replaceState(history.state, '', location.pathname + location.search + (rest && '#' + rest))
  keepToken(decodePart(given.slice(6)))
}

/** Asks for the token where the browser runs on the machine of the program, for the user who runs both, unless this tab has
 * one. It reports whether there is one now. */
export async function askToken() {
  if (hasToken()) return true
  const { token = '' } = await get('api/token').catch(() => ({}))
  if (token) keepToken(token)
  return token !== ''
}

/** Uses a token and stores it in this tab. @param {string} token */
export function keepToken(token) {
  setToken(token)
  store('token', token, 'sessionStorage')
}

/** The content of an address: '#FIRST&key=value'. @typedef {{first: string, values: Record<string, string>}} Place */

let read = '' // the page's address as the page last read or wrote it

/** Reads the page's address. @returns {Place} */
export function readPlace() {
  read = location.hash
  const [first, ...rest] = read.slice(1).split('&')
  const values = Object.fromEntries(rest.map((part) => {
    const [key, ...value] = part.split('=')
    return [decodePart(key), decodePart(value.join('='))]
  }))
  return { first: decodePart(first), values }
}

/** Writes an address. Empty values are left out. @param {Place} place */
function placeText({ first, values }) {
  const readable = (/** @type {string} */ s) => encodeURIComponent(s).replace(/%(2F|3A|2C)/g, decodeURIComponent)
  return '#' + [encodeURIComponent(first), ...Object.entries(values).filter(([, value]) => value)
    .map(([key, value]) => `${key}=${readable(value)}`)].join('&')
}

/** Keeps what the page shows in its address. An address that the page has not read yet is the user's: it stays, and the
 * page follows it. @param {Place} place */
export function storePlace(place) {
  const text = placeText(place)
  if (location.hash !== read || read === text) return
  history.replaceState(history.state, '', text)
  read = location.hash
}

/** A time in an address: minutes, seconds and, where they are not whole, milliseconds. @param {number} seconds */
export function timeText(seconds) {
  const millis = Math.max(0, Math.round(seconds * 1000))
  return clock(Math.floor(millis / 1000)) + (millis % 1000 ? '.' + String(millis % 1000).padStart(3, '0') : '')
}

/** Reads such a time; also '612' and '612s'. @param {string | undefined} text @returns {number | null} seconds */
export function parseTime(text) {
  const parts = text?.replace(/s$/, '').split(':').map((p) => p.trim() === '' ? NaN : Number(p))
  const seconds = parts?.reduce((sum, n) => sum * 60 + n, 0) ?? NaN
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null
}
