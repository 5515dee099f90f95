// The referee's keys, one for each decision; where possible those of the RefBox and of the Small Size League.

/** @import {Sheet} from './decisions.js' */
/** @import {Side} from './text.js' */
import { cancel, confirm, decide, desk, disabled, endPart, forceKickOff, openReviewOf, openRobot, openSheet, redo, reset,
  takeOver, undo } from './decisions.js'
import { onReviewKey, reviewKeys } from '../review/state.js'
import { digitOf, isTyping, keyOf, pressesFocused } from '../shared/keyboard.js'
import { change, list, state } from '../shared/state.js'
import { toggleSound } from './sound.js'
import { box } from './state.js'

/** A team's keys: command, name, and the letters for home and away.
 * @type {[string, string, string, string][]} */
export const teamKeys = [
  ['KICKOFF', 'Kick-off', 'Q', 'U'], ['FREEKICK', 'Free kick', 'W', 'I'], ['GOALKICK', 'Goal kick', 'E', 'O'],
    ['THROWIN', 'Throw-in', 'A', 'J'],
  ['CORNER', 'Corner', 'S', 'K'], ['PENALTY', 'Penalty', 'D', 'L'], ['GOAL', 'Goal', 'G', 'H'],
    ['SUBGOAL', 'Cancel goal', '⇧G', '⇧H'],
  ['IS_ALIVE', 'Is alive', 'F', 'N'], ['SUBSTITUTION', 'Substitution', 'R', 'M'],
]

/** The decisions about a robot: command, name, letter, and whether the robot's number is required.
 * @type {[string, string, string, boolean][]} */
export const robotKeys = [
  ['YELLOW_CARD', 'Yellow card', 'Y', false], ['RED_CARD', 'Red card', 'R', false], ['REPAIR', 'Repair', 'P', false],
  ['SUBSTITUTION', 'Substitution', 'S', true], ['IS_ALIVE', 'Is alive', 'A', true],
]

/** @type {[string, [string, string][]][]} */
export const keyGroups = [
  ['Game', [
    ['Space', 'STOP, always; also while a dialog is open'],
    ['Enter', 'START; in a dialog: confirm; on a standby: take over'],
    ['B  P  V', 'dropped ball, end of the part, park'],
    ['Q W E  A S D', 'left team: kick-off, free kick, goal kick, throw-in, corner, penalty'],
    ['U I O  J K L', 'right team: the same'],
    ['G  H', 'goal of the left, the right team; with Shift: cancel goal'],
    ['number pad', '0 stop, 2 start, 5 dropped ball, 1 3 free kick, 4 6 kick-off'],
  ]],
  ['Robots', [
    ['F  N', 'is alive: then type the robot’s number, Enter'],
    ['R  M', 'substitution: then type the robot’s number, Enter'],
    ['1 – 5,  6 – 0', 'a robot of the left, the right team, in the order on the page'],
    ['T  Y', 'a robot of the left, the right team: type its number, or none'],
    ['then Y R P S A', 'yellow card, red card, repair, substitution, is alive'],
  ]],
  ['Corrections', [
    ['Ctrl+Z  Ctrl+Y', 'undo, redo: a preview shows what will be sent, Enter confirms'],
    ['C', 'correct score, clock or part'],
    ['Alt+K  Alt+R', 'force a kick-off, a reset, where the rules refuse them'],
  ]],
  ['Review of a decision', reviewKeys],
  ['Page', [
    ['\\', 'sound on / off'],
    ['Esc', 'close, cancel'],
  ]],
]

/** @type {Record<string, () => unknown>} */
const common = {
  b: () => decide({ command: 'DROP_BALL' }), p: endPart, v: () => decide({ command: 'PARK' }),
    c: () => openSheet('correct'), x: () => openReviewOf(),
  t: () => openRobot('home'), y: () => openRobot('away'), '\\': toggleSound,
}

/** The number pad of the Small Size League's controllers. @type {Record<string, () => unknown>} */
const pad = {
  2: () => decide({ command: 'START' }), 5: () => decide({ command: 'DROP_BALL' }),
  1: () => decide({ command: 'FREEKICK', side: 'home' }), 3: () => decide({ command: 'FREEKICK', side: 'away' }),
  4: () => decide({ command: 'KICKOFF', side: 'home' }), 6: () => decide({ command: 'KICKOFF', side: 'away' }),
}

/** STOP is sent even where its key is disabled. */
export const stop = () => decide({ command: 'STOP' }, disabled())

/** A team's key. @param {string} command @param {Side} side */
export function pressTeam(command, side) {
  if (command === 'IS_ALIVE' || command === 'SUBSTITUTION') return openRobot(side, '', command)
  return decide({ command, side })
}

/** A robot's key in its dialog. @param {Extract<Sheet, {kind: 'robot'}>} sheet @param {string} command
 * @param {number} [count] robots in repair */
export function pressRobot(sheet, command, count = 1) {
  const robot = Number(sheet.number)
  if (!robot && robotKeys.some(([c, , , needs]) => c === command && needs)) return decide({ command,
    side: sheet.side }, 'type the robot’s number first')
  desk.sheet = null
  return decide({ command, side: sheet.side, ...(robot && { robot }), ...(command === 'REPAIR' && { count }) })
}

/** Appends a digit to a robot's number, 1 to 99. @param {Extract<Sheet, {kind: 'robot'}>} sheet
 * @param {string} digit */
export function typeNumber(sheet, digit) {
  sheet.number = (sheet.given || sheet.number.length > 1 ? '' : sheet.number) + digit
  sheet.given = false
  if (!Number(sheet.number)) sheet.number = ''
  change(desk, {})
}

/** The n-th robot that the page shows of a side. @param {Side} side @param {number} n from 0 */
function chooseRobot(side, n) {
  const robot = list(box.show?.[side].robots)[n]
  return openRobot(side, robot?.number ? String(robot.number) : '')
}

/** @param {string} key @param {string | undefined} digit @param {Sheet} sheet
 * @returns {boolean} whether the key has a meaning */
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
  else if (key === 'Backspace') typeNumber(Object.assign(sheet, { number: sheet.number.slice(0, -1), given: false }),
    '')
  else if (key === 'Enter' && sheet.first) void pressRobot(sheet, sheet.first)
  else if (it) void pressRobot(sheet, it[0])
  else return false
  return true
}

/** @param {KeyboardEvent} e @param {string} key @param {string | undefined} digit
 * @returns {boolean} whether the key has a meaning */
function onPage(e, key, digit) {
  const letter = e.shiftKey && /^[gh]$/.test(key) ? '⇧' + key.toUpperCase() : key.toUpperCase()
  const it = e.shiftKey && !letter.startsWith('⇧') ? undefined
    : teamKeys.find(([, , home, away]) => home === letter || away === letter)
  if (e.code.startsWith('Numpad') && digit) void (digit === '0' ? stop() : pad[digit]?.())
  else if (digit) chooseRobot(digit >= '1' && digit <= '5' ? 'home' : 'away', (Number(digit) + 9) % 10 % 5)
  else if (it) void pressTeam(it[0], it[2] === letter ? 'home' : 'away')
  else if (key in common) void common[key]()
  else return false
  return true
}

/** @param {KeyboardEvent} e @returns {boolean} whether the key has a meaning */
function withAltOrCtrl(e) {
  if (e.altKey && e.code === 'KeyK') openSheet('kickoff')
  else if (e.altKey && e.code === 'KeyR') void reset()
  else if ((e.ctrlKey || e.metaKey) && keyOf(e) === 'z') void (e.shiftKey ? redo() : undo())
  else if ((e.ctrlKey || e.metaKey) && keyOf(e) === 'y') void redo()
  else return false
  return true
}

/** @param {KeyboardEvent} e */
export function onKey(e) {
  const key = keyOf(e), digit = digitOf(e)
  if (!box.referee) return // no token: no decisions
  if (desk.sheet?.kind === 'review' && !state.help && onReviewKey(e, cancel, false)) return
  if (isTyping(e)) {
    if (key === 'Escape') cancel()
    return
  }
  const held = e.ctrlKey || e.metaKey || e.altKey
  if (e.repeat) {
    if (key === ' ' || key === 'Enter') e.preventDefault() // nor does it press the focused button
    return
  }
  let known = true
  if (key === ' ' && !held) void stop()
  else if (state.help) return
  else if (held) known = withAltOrCtrl(e)
  else if (key === 'Escape') cancel()
  else if (pressesFocused(e, 'Enter')) return
  else if (desk.sheet && inSheet(key, digit, desk.sheet)) known = true
  else if (key === 'Enter') void (desk.proposal ? confirm() : desk.sheet || (box.show?.follows ? takeOver()
    : decide({ command: 'START' })))
  else if (!desk.sheet) known = onPage(e, key, digit)
  else known = false
  if (known) e.preventDefault()
}

// Some browsers press the focused button when Space is released.
addEventListener('keyup', (e) => e.key === ' ' && box.referee && !isTyping(e) && e.preventDefault())
