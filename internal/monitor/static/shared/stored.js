// The user's choices that the browser keeps. A browser without storage forgets them.

/** @typedef {'localStorage' | 'sessionStorage'} Where sessionStorage: in this tab only */

/** The kept value; otherwise without one. @param {string} name @param {string} otherwise @param {Where} [where] */
export function stored(name, otherwise, where = 'localStorage') {
  try {
    return window[where].getItem(name) ?? otherwise
  } catch {
    return otherwise
  }
}

/** Keeps a value. @param {string} name @param {string} value @param {Where} [where] */
export function store(name, value, where = 'localStorage') {
  try {
    window[where].setItem(name, value)
  } catch {
    // The value holds until the page is closed.
  }
}
