// A drawer over the panels.

import { html, useEffect, useRef } from '../htm/preact/standalone.module.js'

/** A drawer. focus: what it shows; a drawer takes the focus when it opens and when that changes, and does not without it.
 * head: its title.
 * @param {{label: string, focus?: string, head: unknown, close: () => void, class?: string, children?: unknown,
 * [more: string]: unknown}} props */
export function Drawer({ label, focus, head, close, children, class: kind = '', ...more }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null)), takes = focus !== undefined
  useEffect(() => {
    if (takes) box.current?.focus()
  }, [focus])
  return html`<aside class=${`panel drawer ${kind}`} ref=${box} tabindex=${takes ? -1 : undefined} aria-label=${label} ...${more}>
    <div class="head">${head}<button class="close" onClick=${close}>close <kbd>Esc</kbd></button></div>${children}</aside>`
}
