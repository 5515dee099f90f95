// Input that does not count yet: the robot's values arrive while the user types or drags, and each renders the page again.

import { html } from '../htm/preact/standalone.module.js'
import { textOf } from '../shared/inputs.js'
import { change } from '../shared/state.js'

/** @type {Map<string, {text: string, until: number}>} */
const drafts = new Map()

/** The text that the user entered under a key, or else the value that counts. @param {string} key @param {string} value */
export function draft(key, value) {
  const d = drafts.get(key)
  return d && performance.now() < d.until ? d.text : value
}

/** Keeps what the user entered. @param {string} key @param {string} text @param {number} [millis] for how long */
export const keepDraft = (key, text, millis = Infinity) => drafts.set(key, { text, until: performance.now() + millis })

/** @param {string} key */
export const dropDraft = (key) => drafts.delete(key)

/** A number that the user types: it counts when the field is left, or with Enter.
 * @param {{id: string, label: string, value: string, min: number, max: number, step: number | string, off?: boolean,
 * set: (v: number) => void}} props id: of the draft */
export function NumberInput({ id, label, value, min, max, step, off, set }) {
  const done = (/** @type {Event} */ e) => {
    const text = textOf(e)
    dropDraft(id)
    if (text !== '' && text !== value) set(Number(text))
    change({}, {}) // shows the value that counts
  }
  return html`<input type="number" aria-label=${label} min=${min} max=${max} step=${step} disabled=${off} value=${draft(id, value)}
    onInput=${(/** @type {Event} */ e) => keepDraft(id, textOf(e))} onChange=${done} onBlur=${() => dropDraft(id)} />`
}
