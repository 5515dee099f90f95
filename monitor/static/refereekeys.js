// The referee's keys, one a decision: as the RefBox's users and those of the small-size league know them.

/** @import {Sheet} from './desk.js' */
/** @import {Side} from './words.js' */
import { cancel, confirm, dead, decide, desk, endPart, forceKickOff, openRobot, openSheet, redo, reset, undo } from './desk.js'
import { digitOf, keyOf, onKeys, presses, typing } from './help.js'
import { change, list, state } from './state.js'
import { toggleSound } from './sound.js'

/** A team's keys: the command, what the key is called, and its letter for home and for away.
 * @type {[string, string, string, string][]} */
export const teamKeys = [
  ['KICKOFF', 'Kick-off', 'Q', 'U'], ['FREEKICK', 'Free kick', 'W', 'I'], ['GOALKICK', 'Goal kick', 'E', 'O'], ['THROWIN', 'Throw-in', 'A', 'J'],
  ['CORNER', 'Corner', 'S', 'K'], ['PENALTY', 'Penalty', 'D', 'L'], ['GOAL', 'Goal', 'G', 'H'], ['SUBGOAL', 'Goal back', '⇧G', '⇧H'],
  ['IS_ALIVE', 'Is alive', 'F', 'N'], ['SUBSTITUTION', 'Substitution', 'R', 'M'],
]

/** What may be done with a robot: the command, its name, its letter, and whether it needs a number.
 * @type {[string, string, string, boolean][]} */
export const robotKeys = [
  ['YELLOW_CARD', 'Yellow card', 'Y', false], ['RED_CARD', 'Red card', 'R', false], ['REPAIR', 'Repair', 'P', false],
  ['SUBSTITUTION', 'Substitution', 'S', true], ['IS_ALIVE', 'Is alive', 'A', true],
]

/** @type {[string, string][]} */
export const rows = [
  ['Space', 'STOP, always; also while something is open'],
  ['Enter', 'START; while something is open: do it'],
  ['Esc', 'close, leave it'],
  ['Q W E  A S D', 'left team: kick-off, free kick, goal kick, throw-in, corner, penalty'],
  ['U I O  J K L', 'right team: the same'],
  ['G  H', 'goal of the left, the right team; with Shift: take it back'],
  ['F  N', 'is alive: then the robot’s number, Enter'],
  ['R  M', 'substitution: then the robot’s number, Enter'],
  ['1 – 5,  6 – 0', 'a robot of the left, the right team as it stands on the page'],
  ['T  Y', 'a robot of the left, the right team: type its number, or none'],
  ['then Y R P S A', 'yellow card, red card, repair, substitution, is alive'],
  ['B  P  V', 'dropped ball, end of the part, park'],
  ['C', 'correct score, clock or part'],
  ['Ctrl+Z  Ctrl+Y', 'undo, redo: shows what will be sent, Enter does it'],
  ['Alt+K  Alt+R', 'kick-off and reset also where they are refused'],
  ['number pad', '0 stop, 2 start, 5 dropped ball, 1 3 free kick, 4 6 kick-off'],
  ['\\', 'sound on and off'],
]

/** @type {Record<string, () => unknown>} */
const common = {
  b: () => decide({ command: 'DROP_BALL' }), p: endPart, v: () => decide({ command: 'PARK' }), c: () => openSheet('correct'),
  t: () => openRobot('home'), y: () => openRobot('away'), '\\': toggleSound, '?': () => change({ help: true }),
}

/** @type {Record<string, () => unknown>} as the small-size league's users know them */
const pad = {
  2: () => decide({ command: 'START' }), 5: () => decide({ command: 'DROP_BALL' }),
  1: () => decide({ command: 'FREEKICK', side: 'home' }), 3: () => decide({ command: 'FREEKICK', side: 'away' }),
  4: () => decide({ command: 'KICKOFF', side: 'home' }), 6: () => decide({ command: 'KICKOFF', side: 'away' }),
}

/** STOP is sent whatever the page believes. */
export const stop = () => decide({ command: 'STOP' }, dead())

/** A team's key. @param {string} command @param {Side} side */
export function pressTeam(command, side) {
  if (command === 'IS_ALIVE' || command === 'SUBSTITUTION') return openRobot(side, '', command)
  return decide({ command, side })
}

/** A robot's key in its sheet. @param {Extract<Sheet, {kind: 'robot'}>} sheet @param {string} command @param {number} [count] robots of a repair */
export function pressRobot(sheet, command, count = 1) {
  const robot = Number(sheet.number)
  if (!robot && robotKeys.some(([c, , , needs]) => c === command && needs)) return decide({ command, side: sheet.side }, 'type the robot’s number first')
  desk.sheet = null
  return decide({ command, side: sheet.side, ...(robot && { robot }), ...(command === 'REPAIR' && { count }) })
}

/** Types a digit into a robot's number; numbers go from 1 to 99. @param {Extract<Sheet, {kind: 'robot'}>} sheet @param {string} digit */
export function typeNumber(sheet, digit) {
  sheet.number = (sheet.given || sheet.number.length > 1 ? '' : sheet.number) + digit
  sheet.given = false
  if (!Number(sheet.number)) sheet.number = ''
  change({})
}

/** The n-th robot that the page shows of a side. @param {Side} side @param {number} n from 0 */
function chooseRobot(side, n) {
  const robot = list(state.refbox?.[side].robots)[n]
  return openRobot(side, robot?.number ? String(robot.number) : '')
}

/** @param {string} key @param {string | undefined} digit @param {Sheet} sheet @returns {boolean} whether it meant something */
function inSheet(key, digit, sheet) {
  if (sheet.kind === 'kickoff') {
    if (key === 'q' || key === 'ArrowLeft') void forceKickOff('home')
    else if (key === 'u' || key === 'ArrowRight') void forceKickOff('away')
    else return false
    return true
  }
  if (sheet.kind !== 'robot') return false
  const it = robotKeys.find(([, , letter]) => letter.toLowerCase() === key)
  if (digit) typeNumber(sheet, digit)
  else if (key === 'Backspace') typeNumber(Object.assign(sheet, { number: sheet.number.slice(0, -1), given: false }), '')
  else if (key === 'Enter' && sheet.first) void pressRobot(sheet, sheet.first)
  else if (it) void pressRobot(sheet, it[0])
  else return false
  return true
}

/** @param {KeyboardEvent} e @param {string} key @param {string | undefined} digit @returns {boolean} whether it meant something */
function onPage(e, key, digit) {
  const letter = e.shiftKey && /^[gh]$/.test(key) ? '⇧' + key.toUpperCase() : key.toUpperCase()
  const it = e.shiftKey && !letter.startsWith('⇧') ? undefined : teamKeys.find(([, , home, away]) => home === letter || away === letter)
  if (e.code.startsWith('Numpad') && digit) void (digit === '0' ? stop() : pad[digit]?.())
  else if (digit) chooseRobot(digit >= '1' && digit <= '5' ? 'home' : 'away', (Number(digit) + 9) % 10 % 5)
  else if (it) void pressTeam(it[0], it[2] === letter ? 'home' : 'away')
  else if (key in common) void common[key]()
  else return false
  return true
}

/** @param {KeyboardEvent} e @returns {boolean} whether it meant something */
function withAltOrCtrl(e) {
  if (e.altKey && e.code === 'KeyK') openSheet('kickoff')
  else if (e.altKey && e.code === 'KeyR') void reset()
  else if ((e.ctrlKey || e.metaKey) && keyOf(e) === 'z') void (e.shiftKey ? redo() : undo())
  else if ((e.ctrlKey || e.metaKey) && keyOf(e) === 'y') void redo()
  else return false
  return true
}

/** @param {KeyboardEvent} e */
function down(e) {
  const key = keyOf(e), digit = digitOf(e), helping = document.querySelector('dialog')?.open ?? false
  if (!state.referee) return // there is nothing to decide with
  if (typing(e)) {
    if (key === 'Escape') cancel()
    return
  }
  const held = e.ctrlKey || e.metaKey || e.altKey
  if (e.repeat) {
    if (key === ' ' || key === 'Enter') e.preventDefault() // a button that has the focus is not pressed by it, either
    return
  }
  let meant = true
  if (key === ' ' && !held) void stop()
  else if (helping) return
  else if (held) meant = withAltOrCtrl(e)
  else if (key === 'Escape') cancel()
  else if (presses(e, 'Enter')) return
  else if (desk.sheet && inSheet(key, digit, desk.sheet)) meant = true
  else if (key === 'Enter') void (desk.strip ? confirm() : desk.sheet || decide({ command: 'START' }))
  else if (!desk.sheet) meant = onPage(e, key, digit)
  else meant = false
  if (meant) e.preventDefault()
}

export function listen() {
  onKeys(down)
  // Some browsers press a button when Space goes up.
  addEventListener('keyup', (e) => e.key === ' ' && state.referee && !typing(e) && e.preventDefault())
}
