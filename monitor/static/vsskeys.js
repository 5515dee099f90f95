// The keys of the simulator's page.

/** @import {VssShow} from './types' */
import { change, state } from './state.js'
import { command, toast } from './stream.js'
import { calls, hurry, pause, reset, speeds, step } from './vss.js'
import { chosenRobot, robots, switchRobot } from './vssfield.js'

/** @type {[string, string, boolean][]} keys, and what they do */
export const vssRows = [
  ['Space', 'pause and go on', true],
  ['.', 'pause, and one tick of 16 ms', true],
  ['−  +', 'slower and faster: ½, 1, 2, as fast as it goes', true],
  ['R', 'reset: everything to its start, goals to 0', true],
  ['C', 'ball to the centre', true],
  ['O, then 0 – 4', 'switch that robot of blue off or on; with Shift: of yellow', true],
  ['K  G  S  H', 'the built-in referee: kick-off, play, stop, halt', true],
  ['[  ]', 'on the field: choose the ball or a robot', true],
  ['arrows', 'on the field: move it 5 cm; Shift: kick the ball at 1 m/s', true],
  ['<  >', 'on the field: turn the robot by 15°', true],
  ['O on the field', 'switch the chosen robot off or on', true],
  ['drag', 'kick the ball (Alt: place it); move a robot, beside the field: switch it off', true],
  ['Shift-drag, wheel', 'turn a robot', true],
  ['double click', 'put the ball there', true],
  ['Esc', 'close', false],
]

/** @param {VssShow} show @param {1 | -1} by */
function faster(show, by) {
  const at = speeds.findIndex(([x]) => x === show.speed)
  const [next] = speeds[Math.min(speeds.length - 1, Math.max(0, at < 0 ? 1 : at + by))]
  if (next !== show.speed) void hurry(next)
}

/** @param {VssShow} show @param {'blue' | 'yellow'} team @param {number} id */
function toggle(show, team, id) {
  const robot = robots(show, team).find((r) => r.id === id)
  if (robot) void switchRobot(team, id, !robot.on)
  else toast(`there is no robot ${id} of ${team}`)
}

/** @type {Record<string, (show: VssShow) => void>} */
const actions = {
  ' ': (show) => void pause(show),
  '.': () => void step(),
  '-': (show) => faster(show, -1),
  '+': (show) => faster(show, 1),
  '=': (show) => faster(show, 1), // + without Shift on many keyboards
  r: () => void reset(),
  c: () => void command('ball', { x: 0, y: 0, vx: 0, vy: 0 }),
  o: (show) => {
    const it = chosenRobot(show)
    if (it) toggle(show, it.team, it.id)
    else change({ chord: 'power' })
  },
}

for (const [name, , key] of calls) {
  actions[key.toLowerCase()] = (show) => show.referee?.source === 'builtin' ? void command('referee', { command: name }) : toast('there is no built-in referee; start the simulator with --referee')
}

/** Does what a key says, and tells whether it says anything.
 * @param {VssShow} show @param {KeyboardEvent} e @param {string} key in lower case @param {string | undefined} digit */
export function pressVss(show, e, key, digit) {
  if (digit && state.chord) {
    change({ chord: '' })
    toggle(show, e.shiftKey ? 'yellow' : 'blue', +digit)
  } else if (key in actions) {
    actions[key](show)
  } else return false
  return true
}
