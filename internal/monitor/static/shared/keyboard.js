// The common part of all keyboards: keys do nothing while the user types into a field.

import { state } from './state.js'

/** Whether a key goes into a field; a slider takes only the keys that move it. @param {KeyboardEvent} e */
export function isTyping(e) {
  const { target } = e
  if (target instanceof HTMLInputElement && target.type === 'range') return /^(Arrow|Page|Home|End)/.test(e.key)
  return target instanceof HTMLElement
    && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

/** The digit of a key, on the row or the number pad. @param {KeyboardEvent} e */
export const digitOf = (e) => /^(?:Digit|Numpad)([0-9])$/.exec(e.code)?.[1]

/** The name of a key in tables: letters in lower case. @param {KeyboardEvent} e */
export const keyOf = (e) => e.key.length === 1 ? e.key.toLowerCase() : e.key

let byTab = false // Tab moved the focus last

addEventListener('pointerdown', () => { byTab = false }, true)

/** Notes whether Tab moves the focus; called for every key first. @param {KeyboardEvent} e */
export function trackFocus(e) {
  if (e.key === 'Tab') byTab = true
}

/** Whether a key presses the focused button. A button that was only clicked loses the focus instead: browsers show a
 * focus ring on it after any key, so the ring is no sign.
 * @param {KeyboardEvent} e @param {string} [by] the key, Space by default */
export function pressesFocused(e, by = ' ') {
  if (e.key !== by || !(e.target instanceof HTMLElement && e.target.matches('button, a, summary'))) return false
  if (byTab) return true
  e.target.blur()
  return false
}

/** Whether a key is meant for the page: not with a modifier, and neither for the list of keys, a field nor a button.
 * @param {KeyboardEvent} e */
export const isForPage = (e) => !(state.help || e.ctrlKey || e.metaKey || e.altKey || isTyping(e) || pressesFocused(e))

/** The directions of the arrow keys on the screen, y downwards. @type {Record<string, [number, number] | undefined>} */
export const arrows = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }

/** Attributes of an element that a click and Enter press. @param {() => unknown} press */
export const pressable = (press) => ({ tabindex: 0, onClick: press,
  onKeyDown: (/** @type {KeyboardEvent} */ e) => e.key === 'Enter' && press() })
