// The state that every page has. A page keeps its own data in a store of the same kind.

export const state = {
  run: '', // identifies one start of the server's program
  link: /** @type {'connecting' | 'open' | 'lost' | 'refused'} */ ('connecting'),
  reason: '', // why the connection was lost or refused, as the server reports it
  pages: /** @type {string[]} */ ([]), // names of the pages that this server has; the bare address shows the first
  asked: false, // the server was asked for them
  viewOnly: false, // this server refuses commands
  addresses: /** @type {string[]} */ ([]), // of this server, for other machines
  help: false, // the list of keys is open
  toast: '',
  explains: /** @type {{of: string, x: number, top: number, bottom: number} | null} */ (null), // the open explanation
}

/** @type {() => void} */
let changed = () => {}

/** Calls f after every change of a store.
 * @param {() => void} f */
export function onChange(f) {
  changed = f
}

/** Changes a store and renders the page.
 * @template {object} T @param {T} store @param {Partial<T>} values */
export function change(store, values) {
  Object.assign(store, values)
  changed()
}

/** @template T @param {T[] | null | undefined} items @returns {T[]} */
export const list = (items) => items ?? []

/** Adds a sample to a history, unless it has one of that time, and drops those that are too old. @template {{t: number}} S
 * @param {S[]} history oldest first @param {S} sample @param {number} seconds for which samples are kept */
export function keepSample(history, sample, seconds) {
  if (history.at(-1)?.t !== sample.t) history.push(sample)
  while (history[0].t < sample.t - seconds) history.shift()
}
