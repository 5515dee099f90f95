// The keyboard of the log page.

import { digitOf, isTyping, keyOf, pressesFocused } from '../shared/keyboard.js'
import { closeNotes, toggleNotes } from '../shared/notes.js'
import { state } from '../shared/state.js'
import { closeReview, onReviewKey, reviewKeys } from '../review/state.js'
import { choose, jump, playback, player, reviewNow, seek, step, togglePlaying } from './player.js'

/** @type {[string, [string, string][]][]} */
export const keyGroups = [
  ['Time', [
    ['Space', 'play / pause'],
    ['←  →', 'step by 100 ms; with Alt 500 ms, with Shift 10 ms'],
    ['+  −', 'faster, slower: 0.1 to 64 times; also Ctrl+↑, Ctrl+↓'],
    ['R', 'play backwards / forwards'],
    ['Home  End', 'start, end'],
  ]],
  ['Events', [
    ['.  ,', 'next, previous event'],
    ['G  Ctrl+G', 'next, previous goal'],
  ]],
  ['Review of a decision', reviewKeys],
  ['Page', [
    ['J', 'write a note into the log, and the list of its notes'],
    ['0 – 9', 'choose a robot of the first team; again: of the second; again: none'],
    ['Esc', 'back to the list'],
  ]],
]

/** @type {Record<string, () => void>} */
const actions = {
  ' ': togglePlaying, r: () => playback.reverse(), '+': () => playback.changeSpeed(1), '=': () => playback.changeSpeed(1), '-': () => playback.changeSpeed(-1),
  Home: () => seek(player.info?.start ?? 0), End: () => seek(player.info?.end ?? 0), '.': () => jump(1, ''),
    ',': () => jump(-1, ''), g: () => jump(1, 'goal'), x: reviewNow,
  j: toggleNotes, Escape: () => { if (!closeNotes()) location.hash = '' },
}

/** @param {KeyboardEvent} e */
export function onKey(e) {
  if (!state.help && onReviewKey(e, closeReview, true)) return
  if (state.help || !player.name || isTyping(e) || e.metaKey || pressesFocused(e) || pressesFocused(e, 'Enter')) return
  const key = keyOf(e), digit = digitOf(e)
  if (key === 'ArrowLeft' || key === 'ArrowRight') step((key === 'ArrowLeft' ? -1 : 1) * (e.altKey ? 500 : e.shiftKey
    ? 10 : 100))
  else if (e.ctrlKey && (key === 'ArrowUp' || key === 'ArrowDown')) playback.changeSpeed(key === 'ArrowUp' ? 1 : -1)
  else if (e.ctrlKey && key === 'g') jump(-1, 'goal')
  else if (e.ctrlKey || e.altKey) return
  else if (digit) choose(Number(digit))
  else if (key in actions && !(e.repeat && key === ' ')) actions[key]()
  else return
  e.preventDefault()
}
