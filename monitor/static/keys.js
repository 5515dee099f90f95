// The keyboard: every action has a key, and nothing happens while somebody types.

import { redraw } from './canvas.js'
import { digitOf, keyOf, onKeys, presses, typing } from './help.js'
import { change, list, state } from './state.js'
import { command, toast } from './stream.js'
import { pressVss } from './vsskeys.js'

/** @type {[string, string, boolean][]} keys, what they do, and whether they need a session that takes commands */
export const rows = [
  ['W', 'wall', false],
  ['N', 'network', false],
  ['1 – 9', 'packets of that robot; again: of the next with that number', false],
  ['Enter', 'packets of the tile that has the focus', false],
  ['F', 'turn the field: x to the right, or MSL’s Y upwards', false],
  ['Esc', 'close', false],
  ['Space', 'pause and go on', true],
  ['K', 'kick-in from the side', true],
  ['O, then 1 – 9', 'switch that robot off or on (also Shift + digit)', true],
  ['S, then 1 – 9', 'substitute that robot', true],
  ['O, S on a tile', 'switch or substitute the tile’s own robot', true],
  ['[  ]', 'in the truth: choose the ball, a robot or an obstacle', true],
  ['arrows', 'in the truth: move it; Shift: kick the ball', true],
  ['<  >', 'in the truth: turn the robot', true],
  ['drag', 'kick the ball (Shift: lofted, Alt: place it); move robots and obstacles', true],
]

/** Turns the field and remembers how. */
export function turnField() {
  const frame = state.frame === 'x' ? 'msl' : 'x'
  try {
    localStorage.setItem('frame', frame)
  } catch {
    // A browser without memory asks again next time.
  }
  change({ frame })
  redraw()
}

/** @param {number} digit */
function openPackets(digit) {
  const tiles = list(state.wall?.tiles).filter((t) => t.number === digit)
  if (!tiles.length) return toast(`there is no robot ${digit}`)
  const at = tiles.findIndex((t) => t.key === state.open)
  change({ open: at === tiles.length - 1 && at >= 0 ? (tiles.length > 1 ? tiles[0].key : '') : tiles[at + 1].key })
}

/** @param {'switch' | 'substitute'} what @param {number} number */
function act(what, number) {
  const tile = list(state.wall?.tiles).find((t) => t.number === number && !t.real)
  if (!tile) return toast(`no robot ${number} of this session is on the field`)
  void command(what, what === 'switch' ? { number, on: tile.state === 'off' } : { number })
}

/** The robot of the tile that the keyboard has brought the focus to or whose packets are open, if it is one of ours. */
function chosen() {
  const key = document.querySelector('[data-tile]:focus-visible')?.getAttribute('data-tile') || state.open
  return list(state.wall?.tiles).find((t) => t.key === key && !t.real)
}

/** @param {'switch' | 'substitute'} chord */
function begin(chord) {
  const tile = chosen()
  if (tile) return act(chord, tile.number)
  change({ chord })
}

/** @type {Record<string, () => void>} */
const anytime = {
  '?': () => change({ help: !state.help }),
  f: turnField,
  n: () => change({ view: 'network' }),
  w: () => change({ view: 'wall', open: '' }),
  Escape: () => change(state.chord ? { chord: '' } : state.help ? { help: false } : { open: '' }),
}

/** @type {Record<string, () => void>} */
const commands = {
  k: () => void command('kick', {}),
  o: () => begin('switch'),
  s: () => begin('substitute'),
  ' ': () => void command('pause', { paused: !state.wall?.paused }),
}

/** @param {KeyboardEvent} e */
function down(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || e.repeat || typing(e)) return
  const controls = state.wall?.controls ?? false
  const digit = digitOf(e), key = keyOf(e)
  const { chord } = state
  const helping = document.querySelector('dialog')?.open ?? false
  if (!helping && presses(e)) return
  if (state.vss && key !== '?' && key !== 'Escape') {
    if (!helping && pressVss(state.vss, e, key, digit)) e.preventDefault()
    return
  }
  if (digit && digit !== '0' && !helping) {
    if (chord) change({ chord: '' })
    if (chord) act(/** @type {'switch' | 'substitute'} */ (chord), +digit)
    else if (e.shiftKey && controls) act('switch', +digit)
    else openPackets(+digit)
  } else if (key in anytime) {
    if (key === 'Escape' && helping) return // the dialog closes itself
    anytime[key]()
  } else if (controls && key in commands && !helping) {
    commands[key]()
  } else return
  e.preventDefault()
}

export const listen = () => onKeys(down)
