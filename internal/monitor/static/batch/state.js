// The state of the page of a batch, and its keys.

/** @import {BatchAgain, BatchProgress} from '../types' */
import { isForPage, keyOf } from '../shared/keyboard.js'
import { change, list, state } from '../shared/state.js'
import { copy, errorText, request, toast } from '../shared/stream.js'

export const batch = {
  now: /** @type {BatchProgress | null} */ (null),
  chosen: '', // id of the match that the keys have chosen
  wanted: '', // id of the match that opens as soon as it is played again
  tab: 'figures', // the open table
}

/** The matches of the list. */
export const matches = () => list(batch.now?.newest)

/** A match that is played again. @param {string} id @returns {BatchAgain | undefined} */
export const againOf = (id) => list(batch.now?.again).find((a) => a.id === id)

/** Whether this page can have matches played again. */
export const opens = () => !!batch.now?.canOpen && !state.viewOnly

/** Takes the newest value, and opens the match that was waited for. @param {BatchProgress} value */
export function receive(value) {
  batch.now = value
  const again = batch.wanted && againOf(batch.wanted)
  if (!again) return
  if (again.state === 'failed') {
    batch.wanted = ''
    toast(`The match cannot be played again: ${again.text}`)
  } else if (again.page) {
    batch.wanted = ''
    location.href = again.page
  }
}

/** Forgets a run of the program. */
export function restart() {
  Object.assign(batch, { now: null, chosen: '', wanted: '' })
}

/** Plays a match again and opens it, or gives the command that does. @param {string} id */
export async function open(id) {
  if (!opens()) return copy(`touchline match --job ${id.slice(0, 8)} --plan DIR --record m.mcap`)
  const there = againOf(id)
  if (there?.page) {
    location.href = there.page
    return
  }
  change(batch, { wanted: id, chosen: id })
  try {
    await request('batch-again', { id })
  } catch (e) {
    change(batch, { wanted: '' })
    toast(errorText(e))
  }
}

/** Chooses the next match of the list, or the one before. @param {1 | -1} direction */
function choose(direction) {
  const all = matches(), at = all.findIndex((m) => m.id === batch.chosen)
  const next = at < 0 ? 0 : Math.max(0, Math.min(all.length - 1, at + direction))
  if (!all.length) return
  change(batch, { chosen: all[next].id })
  requestAnimationFrame(() => document.querySelector('.batch-matches .chosen')?.scrollIntoView({ block: 'nearest' }))
}

/** The tables, with their keys. @returns {[key: string, tab: string, title: string][]} */
export const tabs = () => [['1', 'figures', 'Figures'], ['2', 'cross', 'Cross table'],
  ...list(batch.now?.report?.conditions).length > 1 ? /** @type {[string, string, string][]} */ ([['3', 'conditions', 'Conditions']]) : []]

/** @param {KeyboardEvent} e */
export function onKey(e) {
  if (!isForPage(e)) return
  const key = keyOf(e), tab = tabs().find(([k]) => k === key)
  if (tab) change(batch, { tab: tab[1] })
  else if (key === 'ArrowDown' || key === 'j') choose(1)
  else if (key === 'ArrowUp' || key === 'k') choose(-1)
  else if (key === 'Enter' && batch.chosen && !(e.target instanceof HTMLElement && e.target.closest('button, a, [tabindex]'))) {
    void open(batch.chosen)
  } else if (key === 'Escape') change(batch, { chosen: '', wanted: '' })
  else return
  e.preventDefault()
}

/** The name of a team without "play:" and folders. @param {string} name */
export const shortName = (name) => name.startsWith('play:') ? name.slice(name.lastIndexOf('/') + 1).replace(/^play:/, '') : name
