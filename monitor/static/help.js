// What every page's keyboard has in common: nothing happens while somebody types, and ? lists the keys.

import { html, useEffect, useRef } from './htm/preact/standalone.module.js'
import { change } from './state.js'

/** @param {Event} e */
export const typing = (e) => e.target instanceof HTMLElement && (e.target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName))

/** The digit of a key, on the row or the number pad. @param {KeyboardEvent} e */
export const digitOf = (e) => /^(?:Digit|Numpad)([0-9])$/.exec(e.code)?.[1]

/** A key as tables name it: letters in lower case. @param {KeyboardEvent} e */
export const keyOf = (e) => e.key.length === 1 ? e.key.toLowerCase() : e.key

let tabbed = false // the focus was last moved by Tab

/** Whether a key presses the button that the keyboard has come to; one that was only clicked lets go of it. Browsers
 * show a focus ring also on a clicked button once any key was pressed, so that is no sign.
 * @param {KeyboardEvent} e @param {string} [by] the key, Space if not given */
export function presses(e, by = ' ') {
  if (e.key !== by || !(e.target instanceof HTMLElement && e.target.matches('button, a, summary'))) return false
  if (tabbed) return true
  e.target.blur()
  return false
}

/** Calls down for each key. @param {(e: KeyboardEvent) => void} down */
export function onKeys(down) {
  addEventListener('pointerdown', () => { tabbed = false }, true)
  addEventListener('keydown', (e) => {
    if (e.key === 'Tab') tabbed = true
    down(e)
  })
}

/** @param {{open: boolean, rows: readonly (readonly [string, string, ...unknown[]])[], note?: string}} props keys and what they do */
export function Help({ open, rows, note }) {
  const ref = useRef(/** @type {HTMLDialogElement | null} */ (null))
  useEffect(() => {
    if (open) ref.current?.showModal()
    else ref.current?.close()
  }, [open])
  const shut = (/** @type {MouseEvent} */ e) => e.target === e.currentTarget && change({ help: false })
  return html`<dialog ref=${ref} onClose=${() => change({ help: false })} onClick=${shut} aria-label="Keys"><div><h2>Keys</h2>
    <table>${rows.map(([keys, what]) => html`<tr><th><kbd>${keys}</kbd></th><td>${what}</td></tr>`)}</table>
    ${note && html`<p class="dim">${note}</p>`}
    <form method="dialog"><button>close <kbd>Esc</kbd></button></form></div></dialog>`
}
