// The wall's keyboard: every action has a key.

import { redraw } from '../shared/canvas.js'
import { digitOf, isForPage, keyOf } from '../shared/keyboard.js'
import { partition } from '../booking/chaos.js'
import { nextFigureOfStory } from '../booking/story.js'
import { nextMatchSpeed, stepMatch, togglePause } from '../match/header.js'
import { reviewMatch } from '../match/review.js'
import { match, openDecisions, otherTeam, toggleHeat, toggleShots } from '../match/state.js'
import { nextSpeed } from '../network/air.js'
import { closeReview, onReviewKey, reviewKeys } from '../review/state.js'
import { closeNotes, toggleNotes } from '../shared/notes.js'
import { change, list, state } from '../shared/state.js'
import { store } from '../shared/stored.js'
import { command, toast } from '../shared/stream.js'
import { goLive, isPast, jump, lookBack, playback, replayGoal, reverse, step, togglePlaying } from '../session/past.js'
import { homeView } from './address.js'
import { canConnect, showConnect } from './connect.js'
import { nextFigure } from '../tcm/figures.js'
import { openMessages, openNumber as openMessagesOf, select, tcm } from '../tcm/state.js'
import { closePackets, closeRobot, live, openPackets, openRobot, tileOf } from './state.js'

/** Keys, their action, and what it needs: a session that accepts commands, the TCM, a story, a match, or a group that a
 * robot can join. @typedef {[string, string, '' | 'controls' | 'tcm' | 'story' | 'match' | 'group']} WallRow */

/** @type {[string, WallRow[]][]} */
export const keyGroups = [
  ['Pages', [
    ['W', 'wall', ''],
    ['L', 'match: five against five', 'match'],
    ['N', 'network', ''],
    ['T', 'TCM: the robots’ own messages', 'tcm'],
    ['G', 'booking: the robot that goes to the ball', 'tcm'],
    ['P', 'larger, for a projector; again: the wall', ''],
    ['Enter, click', 'the tile’s robot in large: its own picture, what it received, its world', ''],
    ['1 – 9', 'packets of that robot; again: the next robot with that number; in large: that robot', ''],
    ['D', 'packets of the robot in large', ''],
    ['E', 'state machine of the robot in large, or its pictures; arrows choose a state', 'tcm'],
    ['F', 'turn the field: x to the right, or MSL’s Y upwards', ''],
    ['C', 'how to connect a robot', 'group'],
    ['Esc', 'close; without anything open, back to the first view', ''],
  ]],
  ['Match', [
    ['Space', 'pause, go on', 'match'],
    ['.', 'play a tenth of a second, and pause', 'match'],
    ['M', 'next speed, ½, 1, 4, as fast as possible', 'match'],
    ['A', 'the last goal again', 'match'],
    ['S', 'where shots came from', 'match'],
    ['H', 'where each team had the ball', 'match'],
    ['O', 'booking and links of the other team', 'match'],
    ['1 – 5', 'state machine of that robot of the shown team; Shift: of the other team', 'match'],
  ]],
  ['Review of a decision, from the match', reviewKeys.map(([key, text]) => [key, text, 'match'])],
  ['TCM', [
    ['V', 'next figure: lost, latency, clock offset, messages', 'tcm'],
    ['A', 'all links; arrows walk through the links, Enter selects one', 'tcm'],
    ['1 – 9', 'messages of that robot; again: its next type', 'tcm'],
  ]],
  ['Booking', [
    ['Enter', 'the story’s next figure', 'story'],
    ['H', 'cut the chosen robots off from the others, or heal the network', 'controls'],
  ]],
  ['The past', [
    ['B', 'stop the picture and look back; End: the present', ''],
    ['←  →', 'back or forward by 100 ms; with Shift 1 s; Home: the start', ''],
    ['R', 'play backwards / forwards', ''],
    ['+  −', 'faster, slower', ''],
    ['Space', 'play / pause the past', ''],
    ['J', 'write a note into the recording, and the list of its notes', ''],
  ]],
  ['Session', [
    ['Space', 'pause / resume', 'controls'],
    ['M', 'slow motion: ½, ¼, ⅒, and real time again', 'controls'],
    ['K', 'kick-in from the side', 'controls'],
    ['O, then 1 – 9', 'switch that robot off or on (also Shift + digit)', 'controls'],
    ['S, then 1 – 9', 'substitute that robot', 'controls'],
    ['O, S on a tile', 'switch or substitute the tile’s robot', 'controls'],
    ['X on a tile, in large', 'mirror the robot’s pose, or heal it: a fault for the others to find', 'controls'],
  ]],
  ['Large field', [
    ['[  ]', 'select the ball, a robot or an obstacle', 'controls'],
    ['arrows', 'move the selection by 25 cm; Shift: kick the ball', 'controls'],
    ['<  >', 'turn the selected robot by 15°', 'controls'],
    ['drag', 'kick the ball (Shift: lofted, Alt: place it); move robots and obstacles', 'controls'],
    ['Shift-drag, wheel', 'turn a robot', 'controls'],
    ['double click', 'place the ball', 'controls'],
  ]],
]

/** Turns the field and stores the choice. */
export function turnField() {
  const frame = live.frame === 'x' ? 'msl' : 'x'
  store('frame', frame)
  change(live, { frame })
  redraw()
}

/** @param {number} digit */
function openNumber(digit) {
  if (live.view === 'tcm') return openMessagesOf(digit) || toast(`no message of robot ${digit} has arrived`)
  const tiles = list(live.wall?.tiles).filter((t) => t.number === digit)
  if (!tiles.length) return toast(`no robot ${digit} on the wall`)
  const at = tiles.findIndex((t) => t.key === live.sel)
  if (live.view === 'robot') openRobot(tiles[(at + 1) % tiles.length].key)
  else if (at >= 0 && tiles.length === 1) closePackets()
  else openPackets(tiles[(at + 1) % tiles.length].key)
}

/** @param {'switch' | 'substitute'} action @param {number} number */
function perform(action, number) {
  const tile = list(live.wall?.tiles).find((t) => t.number === number && !t.real)
  if (!tile) return toast(`no robot ${number} of this session is on the field`)
  void command(action, action === 'switch' ? { number, on: tile.state === 'off' } : { number })
}

/** The session's robot whose tile has the keyboard focus or whose packets are open. */
function focusedRobot() {
  const key = document.querySelector('[data-tile]:focus-visible')?.getAttribute('data-tile') || live.sel
  const tile = tileOf(key)
  return tile?.real ? undefined : tile
}

/** Performs an action on the focused robot; without one it waits for a digit.
 * @param {'switch' | 'substitute'} action */
function startChord(action) {
  const tile = focusedRobot()
  if (tile) return perform(action, tile.number)
  change(live, { chord: action })
}

/** Mirrors the pose of the focused robot, or heals it. */
function mirror() {
  const tile = focusedRobot()
  if (!tile) return toast('mirror a pose: press X on a tile, or with a robot in large')
  void command('mirror', { number: tile.number, on: !tile.mirrored })
}

/** Shows how to connect a robot. A match has no group to join: a program plays a whole team. */
function connect() {
  if (!live.wall) return
  if (canConnect(live.wall)) showConnect(!live.connect)
  else toast('Your program can play a team in a match: start it with touchline demo --match --away external')
}

/** @type {Record<string, () => void>} */
const views = {
  c: connect,
  f: turnField,
  n: () => change(live, { view: 'network' }),
  p: () => change(live, { view: live.view === 'projector' ? 'wall' : 'projector' }),
  t: () => change(live, { view: 'tcm', sel: '', bytes: false }),
  l: () => match.view && change(live, { view: 'match', sel: '', bytes: false }),
  h: () => live.view === 'booking' && live.wall?.controls && partition(live.wall),
  g: () => change(live, { view: 'booking', sel: '', bytes: false }),
  w: () => change(live, { view: 'wall', sel: '', bytes: false }),
  e: () => live.view === 'robot' && change(live, { states: !live.states }),
  d: () => live.view === 'robot' && (live.bytes ? closePackets() : openPackets(live.sel)),
  v: () => live.view === 'tcm' && change(tcm, { figure: nextFigure(tcm.figure) }),
  a: () => live.view === 'tcm' && select('', ''),
  j: toggleNotes,
  Escape: () => {
    if (closeNotes()) return
    if (live.chord) change(live, { chord: '' })
    else if (live.view === 'tcm' && tcm.open && !live.connect) openMessages('')
    else if (live.view === 'match' && match.sel && !live.connect) openDecisions(match.sel)
    else if (live.view === 'robot' && !live.bytes && !live.connect) closeRobot()
    else if (live.sel || live.bytes || live.connect) closePackets()
    else change(live, { view: homeView() })
  },
}

/** Keys of the past. @type {Record<string, (e: KeyboardEvent) => void>} */
const moves = {
  b: () => isPast() ? goLive() : lookBack(),
  ArrowLeft: (e) => step(e.shiftKey ? -1 : -0.1),
  ArrowRight: (e) => step(e.shiftKey ? 1 : 0.1),
  Home: () => jump(-1),
  End: () => jump(1),
  r: reverse,
  '+': () => playback.changeSpeed(1),
  '=': () => playback.changeSpeed(1),
  '-': () => playback.changeSpeed(-1),
}

/** @type {Record<string, () => void>} */
const commands = {
  k: () => void command('kick', {}),
  m: () => live.wall && nextSpeed(live.wall),
  o: () => startChord('switch'),
  s: () => startChord('substitute'),
  x: mirror,
  ' ': () => void command('pause', { paused: !live.wall?.paused }),
}

/** Keys of the match's view, and of them those that hold and move a match. @type {Record<string, () => void>} */
const matchKeys = { o: otherTeam, a: replayGoal, s: toggleShots, h: toggleHeat, x: () => void reviewMatch() }
/** @type {Record<string, () => void>} */
const runKeys = { ' ': togglePause, '.': stepMatch, m: nextMatchSpeed }

/** Carries out a key of the match's view. It reports whether it did. @param {KeyboardEvent} e */
function onMatchKey(e) {
  const digit = digitOf(e), key = keyOf(e)
  if (live.view !== 'match') return false
  if (digit && digit !== '0') openDecisions(`${match.away !== e.shiftKey ? 'away' : 'home'}/${digit}`)
  else if (key in matchKeys) matchKeys[key]()
  else if (key in runKeys && match.view?.controls && !isPast()) runKeys[key]()
  else return false
  return true
}

/** @param {KeyboardEvent} e */
export function onKey(e) {
  if (live.view === 'match' && !state.help && onReviewKey(e, closeReview, true)) return
  const repeats = e.repeat && !e.key.startsWith('Arrow')
  if (e.defaultPrevented || repeats || !isForPage(e)) return
  const controls = live.wall?.controls ?? false, digit = digitOf(e), key = keyOf(e), { chord } = live
  if (onMatchKey(e)) return e.preventDefault()
  if (digit && digit !== '0') {
    if (chord) change(live, { chord: '' })
    if (chord) perform(chord, +digit)
    else if (e.shiftKey && controls) perform('switch', +digit)
    else openNumber(+digit)
  } else if (key === 'Enter') {
    if (live.view !== 'booking' || !nextFigureOfStory()) return // it presses what has the focus
  } else if (key in views) views[key]()
  else if (key in moves) moves[key](e)
  else if (key === ' ' && (isPast() || !controls)) togglePlaying()
  else if (controls && key in commands) commands[key]()
  else return
  e.preventDefault()
}
