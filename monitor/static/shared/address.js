// The referee's token: it arrives in the address and stays in this tab.

import { setToken } from './stream.js'

/** Decodes a part of an address; returns it unchanged where its encoding is invalid. @param {string} text */
export function decodePart(text) {
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
  if (!given) return keepToken(storedToken())
  const rest = parts.filter((p) => p !== given).join('&')
  history.replaceState(history.state, '', location.pathname + location.search + (rest && '#' + rest))
  keepToken(decodePart(given.slice(6)))
}

/** Uses a token and stores it in this tab. @param {string} token */
export function keepToken(token) {
  setToken(token)
  try {
    if (token) sessionStorage.setItem('token', token)
    else sessionStorage.removeItem('token')
  } catch {
    // A browser without storage asks for it again.
  }
}

function storedToken() {
  try {
    return sessionStorage.getItem('token') ?? ''
  } catch {
    return ''
  }
}
