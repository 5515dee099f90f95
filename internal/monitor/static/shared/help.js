// The list of keys.

import { html, useEffect, useRef } from '../htm/preact/standalone.module.js'
import { change, state } from './state.js'

/** Keys and their actions. @typedef {readonly [string, string, ...unknown[]]} Row */

/** @param {{open: boolean, rows: readonly Row[], note?: string}} props */
export function Help({ open, rows, note }) {
  const ref = useRef(/** @type {HTMLDialogElement | null} */ (null))
  useEffect(() => {
    if (open) {
      ref.current?.showModal()
      ref.current?.scrollTo(0, 0) // the button at its end has the focus
    } else ref.current?.close()
  }, [open])
  const close = () => change(state, { help: false })
  const onBackdrop = (/** @type {MouseEvent} */ e) => e.target === e.currentTarget && close()
  return html`<dialog ref=${ref} onClose=${close} onClick=${onBackdrop} aria-label="Keys"><div><h2>Keys</h2>
    <table>${rows.map(([keys, what]) => html`<tr><th><kbd>${keys}</kbd></th><td>${what}</td></tr>`)}</table>
    ${note && html`<p class="dim">${note}</p>`}
    <form method="dialog"><button>close <kbd>Esc</kbd></button></form></div></dialog>`
}
