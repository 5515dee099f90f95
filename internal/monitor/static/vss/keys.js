// The keyboard of the simulator's page.

/** @import {VssShow} from '../types' */
import { digitOf, isForPage, keyOf } from '../shared/keyboard.js'
import { state } from '../shared/state.js'
import { command, toast } from '../shared/stream.js'
import { selectedRobot } from './field.js'
import { nextWheels } from './robots.js'
import { openClient, plotWheels, refereeCommands, reset, setChord, setSpeed, showConnect, sim, speeds, step, togglePause,
  toggleRobot } from './state.js'

/** @type {[string, [string, string][]][]} */
export const keyGroups = [
  ['Time', [
    ['Space', 'pause / resume'],
    ['.', 'pause and simulate one tick of 16 ms'],
    ['−  +', 'slower, faster: ½, 1, 2 times real time, maximum'],
    ['R', 'reset: starting positions, score 0 : 0'],
  ]],
  ['Game', [
    ['K  G  S  H', 'built-in referee: kick-off, play, stop, halt'],
    ['C', 'ball to the centre'],
    ['O, then 0 – 4', 'switch that blue robot off or on; Shift + digit: yellow'],
  ]],
  ['Field', [
    ['[  ]', 'select the ball or a robot'],
    ['arrows', 'move the selection by 5 cm; Shift: kick the ball at 1 m/s'],
    ['<  >', 'turn the selected robot by 15°'],
    ['O', 'switch the selected robot off or on'],
    ['drag', 'kick the ball (Alt: place it); move a robot; outside the field: switch it off'],
    ['Shift-drag, wheel', 'turn a robot'],
    ['double click', 'place the ball'],
  ]],
  ['Page', [
    ['N', 'how a client connects'],
    ['W', 'plot the wheels of a robot: of the selected one, or of the next'],
    ['click a client', 'show its last packet'],
    ['Esc', 'close'],
  ]],
]

/** @param {VssShow} show @param {1 | -1} by */
function changeSpeed(show, by) {
  const at = speeds.findIndex(([x]) => x === show.speed)
  const [next] = speeds[Math.min(speeds.length - 1, Math.max(0, at < 0 ? 1 : at + by))]
  if (next !== show.speed) void setSpeed(next)
}

/** @type {Record<string, (show: VssShow) => void>} */
const actions = {
  ' ': (show) => void togglePause(show),
  '.': () => void step(),
  '-': (show) => changeSpeed(show, -1),
  '+': (show) => changeSpeed(show, 1),
  '=': (show) => changeSpeed(show, 1), // + without Shift on many keyboards
  r: () => void reset(),
  c: () => void command('ball', { x: 0, y: 0, vx: 0, vy: 0 }),
  o: (show) => {
    const robot = selectedRobot()
    if (robot) toggleRobot(show, robot.team, robot.id)
    else setChord(true)
  },
  n: () => showConnect(!sim.connect),
  w: (show) => {
    const robot = selectedRobot()
    if (robot) plotWheels({ team: robot.team, id: robot.id })
    else nextWheels(show)
  },
  Escape: () => {
    setChord(false)
    if (sim.client) openClient('')
    else if (sim.connect) showConnect(false)
    else if (sim.wheels) plotWheels(null)
  },
}

for (const [name, , key] of refereeCommands) {
  actions[key.toLowerCase()] = (show) => show.referee?.source === 'builtin'
    ? void command('referee', { command: name }) : toast('no built-in referee; start the simulator with --referee')
}

/** @param {KeyboardEvent} e */
export function onKey(e) {
  const { show } = sim
  if (!show || e.repeat || !isForPage(e)) return
  const digit = digitOf(e), key = keyOf(e)
  if (state.viewOnly && !['n', 'w', 'Escape'].includes(key)) return
  if (digit && sim.chord) {
    setChord(false)
    toggleRobot(show, e.shiftKey ? 'yellow' : 'blue', +digit)
  } else if (key in actions) actions[key](show)
  else return
  e.preventDefault()
}
