// Files on the user's machine.

import { html } from '../htm/preact/standalone.module.js'

const DONE = 60_000 // ms after which a download no longer needs its address

/** Saves content as a file. @param {string} name @param {Blob} content */
export function saveFile(name, content) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), DONE)
}

/** Saves a value as a JSON file. @param {string} name @param {object} value */
export const saveJSON = (name, value) =>
  saveFile(name, new Blob([JSON.stringify(value, null, 1) + '\n'], { type: 'application/json' }))

/** A button that opens a JSON file. @param {{text: string, open: (file: File) => unknown}} props */
export function OpenButton({ text, open }) {
  const chosen = async (/** @type {Event} */ e) => {
    const input = /** @type {HTMLInputElement} */ (e.currentTarget), file = input.files?.[0]
    if (file) await open(file)
    input.value = ''
  }
  return html`<label class="button">${text}<input type="file" accept=".json,application/json" onChange=${chosen} /></label>`
}
