// The wall's address: '#wall&sel=robot/1&show=packets&t=10:12&axes=msl', or of the TCM
// '#tcm&figure=latency&from=robot:3&to=robot:1&open=robot:3/belief', or of the booking '#booking&t=10:12'.

import { parseTime, readPlace, storePlace, timeText } from '../shared/address.js'
import { redraw } from '../shared/canvas.js'
import { shownNote, wantNote } from '../shared/notes.js'
import { change, list, state } from '../shared/state.js'
import { stored } from '../shared/stored.js'
import { match } from '../match/state.js'
import { playback } from '../session/past.js'
import '../session/notes.js'
import { showLinks, shownLinks } from '../tcm/state.js'
import { live, tileOf, views } from './state.js'

const KEPT = 1000 // ms between changes of the address while the past plays

let known = false // the address was read
let bare = false // the address names no view: that of the first page is shown, once the pages are known
let kept = 0 // when the address was last changed

/** Shows what the address names. An address without axes keeps those of the last visit, one without a time the shown
 * time: links between views have none. */
export function loadPlace() {
  const { first, values } = readPlace()
  const view = views.find((v) => v === first) ?? 'wall', { sel = '', show, axes } = values
  const frame = axes === 'msl' || axes === 'x' ? axes : known || first ? live.frame : storedFrame()
  known = true
  bare = first === ''
  if (view === 'match') change(match, { sel, away: values.team === 'away' })
  change(live, { view, sel: view === 'match' ? '' : sel, bytes: show === 'packets' && sel !== '', states: show === 'states', at: parseTime(values.t) ?? live.at, frame })
  wantNote(values.note)
  if (view === 'tcm') showLinks(values)
  redraw()
}

/** The view that the bare address shows. */
export const homeView = () => views.find((v) => v === state.pages[0]) ?? 'wall'

/** Whether the page does not know yet what to show. */
export function waitsForPages() {
  if (bare && state.asked) {
    bare = false
    if (live.view === 'wall') live.view = homeView() // else a key was faster
  }
  return bare
}

/** The key of the tile that an address names by its robot: robot/3 is robot 3 of this program. A key stays what it is, and so
 * does a robot that has no tile yet. @param {string} sel */
function keyOf(sel) {
  const number = Number(/^robot\/(\d+)$/.exec(sel)?.[1])
  return list(live.wall?.tiles).find((t) => !t.real && t.number === number && !match.view)?.key ?? sel
}

/** The selection as an address names it: a tile of this program by its robot. @param {string} sel */
function addressOf(sel) {
  const tile = tileOf(sel)
  return tile && !tile.real && !match.view ? `robot/${tile.number}` : sel
}

/** Keeps what the page shows in its address. */
export function keepPlace() {
  if (waitsForPages()) return
  live.sel = keyOf(live.sel)
  // Browsers limit how often a page changes its address.
  if (!known || !live.wall || playback.playing && performance.now() - kept < KEPT) return
  kept = performance.now()
  storePlace({ first: live.view, values: {
    sel: addressOf(live.sel), show: live.bytes ? 'packets' : live.view === 'robot' && live.states ? 'states' : '', t: live.at == null ? '' : timeText(live.at), note: live.at == null ? '' : shownNote(),
    axes: live.frame === 'msl' ? 'msl' : '', ...live.view === 'tcm' && shownLinks(),
    ...live.view === 'match' && { sel: match.sel, team: match.away ? 'away' : '' },
  } })
}

/** @returns {'x' | 'msl'} */
const storedFrame = () => stored('frame', 'x') === 'msl' ? 'msl' : 'x'
