// The list of keys.

import { html, useEffect, useRef } from '../htm/preact/standalone.module.js'
import { plot } from './plot.js'
import { change, state } from './state.js'

/** Keys and their action. @typedef {readonly [string, string, ...unknown[]]} Row */
/** Keys that belong together, with their title. @typedef {readonly [string, readonly Row[]]} Group */

/** The address of these pages for other machines, and for the camera of a phone. */
export const Elsewhere = () => html`<figure class="elsewhere"><img src="api/code.svg" alt="square code of the address" />
  <figcaption>${state.addresses.map((a) => html`<a href=${a}>${a}</a>`)}</figcaption></figure>`

/** @param {{rows: readonly Row[]}} props */
const Rows = ({ rows }) => html`<table>${rows.map(([keys, what]) => html`<tr><th><kbd>${keys}</kbd></th><td>${what}</td></tr>`)}</table>`

/** The keys of every page. @returns {Group} */
const every = () => ['Every page', [['?', 'this list'], ['Tab', 'the next button or link; Enter presses it'],
  ...plot.key ? /** @type {Row[]} */ ([['Y, click', 'plot a number of this page over time']]) : []]]

/** @param {{open: boolean, groups: readonly Group[], note?: string}} props */
export function Help({ open, groups, note }) {
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
    ${[...groups, every()].filter(([, rows]) => rows.length).map(([title, rows]) => html`<section key=${title}><h3>${title}</h3>
      <${Rows} rows=${rows} /></section>`)}
    ${note && html`<p class="dim">${note}</p>`}
    ${state.addresses.length > 0 && html`<${Elsewhere} />`}
    <form method="dialog"><button>close <kbd>Esc</kbd></button></form></div></dialog>`
}
