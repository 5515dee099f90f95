// The wall's address: '#wall&sel=place/1&show=packets&t=10:12&axes=msl'.

import { parsePlace, parseTime, storePlace, timeText } from '../shared/address.js'
import { redraw } from '../shared/canvas.js'
import { change } from '../shared/state.js'
import { live, views } from './state.js'

let known = false // the address was read

/** Shows what the address names. An address without axes keeps those of the last visit. */
export function loadPlace() {
  const { first, values } = parsePlace(location.hash)
  const view = views.find((v) => v === first) ?? 'wall', { sel = '', show, axes } = values
  const frame = axes === 'msl' || axes === 'x' ? axes : known || first ? live.frame : storedFrame()
  known = true
  change(live, { view, sel, bytes: show === 'packets' && sel !== '', at: parseTime(values.t), frame })
  redraw()
}

/** Keeps what the page shows in its address. */
export function keepPlace() {
  if (!known || !live.wall) return
  storePlace({ first: live.view, values: {
    sel: live.sel, show: live.bytes ? 'packets' : '', t: live.at == null ? '' : timeText(live.at),
    axes: live.frame === 'msl' ? 'msl' : '',
  } })
}

/** @returns {'x' | 'msl'} */
function storedFrame() {
  try {
    return localStorage.getItem('frame') === 'msl' ? 'msl' : 'x'
  } catch {
    return 'x' // a browser without storage starts with x to the right
  }
}
