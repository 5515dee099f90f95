// Fields and choices.

import { html } from '../htm/preact/standalone.module.js'

/** The text of the field in which an event happened. @param {Event} e */
export const textOf = (e) => /** @type {HTMLInputElement | HTMLSelectElement} */ (e.currentTarget).value

/** A list to choose from: values and texts. A value that is not among them is shown with a question mark.
 * @param {{label: string, value: string | number, options: [string | number, string][], set: (value: string) => unknown,
 * disabled?: boolean}} props */
export const Select = ({ label, value, options, set, disabled }) => html`<select aria-label=${label} value=${value} disabled=${disabled}
  onChange=${(/** @type {Event} */ e) => set(textOf(e))}>${options.some(([v]) => v === value) ? '' : html`<option value=${value} selected>${value || '–'} ?</option>`}
  ${options.map(([v, text]) => html`<option key=${v} value=${v} selected=${v === value}>${text}</option>`)}</select>`

/** Buttons of which one is on: values and texts.
 * @param {{label: string, class?: string, value: unknown, options: [any, unknown][], set: (value: any) => unknown,
 * disabled?: boolean, title?: string}} props */
export const Choices = ({ label, class: kind = 'choice', value, options, set, disabled, title }) => html`<span class=${kind} role="group"
  aria-label=${label} title=${title}>${options.map(([v, text]) => html`<button key=${v} class=${v === value ? 'on' : ''}
    aria-pressed=${v === value} disabled=${disabled} onClick=${() => set(v)}>${text}</button>`)}</span>`
