// The numbers in a page's topics: JSON pointers to them, with * for each element of a list, their values by the element's
// name, and the fields that a number on the page may show.

/** topic: of the page, or packets or messages for a field of a byte table; key: of the second team, or of a message's sender;
 * pointer: RFC 6901 with * for each element of a list, for example /spread.
 * @typedef {{topic: string, key?: string, pointer: string}} Field */

const MOST = 2000 // fields of one topic
const DEEP = 8 // levels

/** A name as a part of a pointer. @param {string} name */
export const escaped = (name) => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** The names in a pointer. @param {string} pointer */
export const names = (pointer) => pointer.slice(1).split('/').map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))

/** A pointer as people read it. @param {string} pointer */
export const readable = (pointer) => names(pointer).filter((name) => name !== '*').join(' › ')

/** The name that tells an element of a list from the others; the program names them in the same way.
 * @param {any} e @param {number} i its index */
export function elementName(e, i) {
  const number = e?.number ?? e?.id
  if (Number.isInteger(number)) return typeof e.team === 'string' && e.team ? `${e.team} ${number}` : String(number)
  return [e?.key, e?.entity, e?.peer, e?.name].find((name) => typeof name === 'string' && name) ?? `#${i + 1}`
}

/** The numbers to which a pointer leads, by the name of their elements; '' for a field that exists once.
 * @param {any} value @param {string} pointer @returns {Map<string, number>} */
export function numbersAt(value, pointer) {
  /** @type {[string, any][]} */
  let found = [['', value]]
  for (const part of names(pointer)) {
    found = part === '*' ? found.flatMap(([name, v]) => Array.isArray(v) ? v.map((e, i) => /** @type {[string, any]} */ (
      [name ? `${name}, ${elementName(e, i)}` : elementName(e, i), e])) : [])
      : found.flatMap(([name, v]) => v && typeof v === 'object' && !Array.isArray(v) ? [[name, v[part]]] : [])
  }
  return new Map(/** @type {[string, number][]} */ (found.filter(([, v]) => typeof v === 'number')))
}

/** The pointers to all numbers of a value. @param {any} value @returns {string[]} */
export function pointersIn(value) {
  /** @type {Set<string>} */
  const found = new Set()
  const walk = (/** @type {any} */ v, /** @type {string} */ at, /** @type {number} */ depth) => {
    if (typeof v === 'number') found.add(at)
    if (!v || typeof v !== 'object' || depth === DEEP || found.size >= MOST) return
    if (Array.isArray(v)) for (const e of v) walk(e, `${at}/*`, depth + 1)
    else for (const [name, e] of Object.entries(v)) walk(e, `${at}/${escaped(name)}`, depth + 1)
  }
  walk(value, '', 0)
  found.delete('')
  return [...found]
}

/** The numbers of a byte table's field with the times of their packets, of a topic that holds packets or messages.
 * @param {any} value @param {string} name @returns {[number, number][]} */
export function packetNumbers(value, name) {
  /** @type {{time: number, fields: {name: string, value: string}[] | null}[]} */
  const all = value?.packets ?? value?.messages ?? (value?.fields ? [value] : [])
  return all.toReversed().flatMap((p) => {
    const text = p.fields?.find((f) => f.name === name)?.value
    return text && Number.isFinite(Number(text)) ? [[p.time, Number(text)]] : []
  })
}

/** How pages write numbers: factor of a value in its unit. */
const WRITTEN = [1, 100, 1000, 180 / Math.PI, 1e-3, 1e-6]

/** Words in the names of fields with the unit that pages write. @type {Record<string, string[]>} */
const UNITS = { hz: ['rate', 'per', 'second'], ms: ['millis', 'age'], s: ['seconds', 'time'], '%': ['percent', 'share'] }

/** A number of a topic whose text stands on the page. rank: lower ones fit better.
 * @typedef {Field & {name: string, rank: number}} Candidate */

/** The fields whose value a text shows, the likeliest first. @param {string} text of a number, as the page writes it
 * @param {string} around the texts around it, which name its robot or its meaning @param {[string, any][]} values topics
 * with their newest values, and some older ones: pages show those for a moment @returns {Candidate[]} */
export function candidates(text, around, values) {
  const shown = Number(text.replace('−', '-')), digits = /\.(\d+)/.exec(text)?.[1].length ?? 0, near = 0.5 * 10 ** -digits * 1.001
  const signed = /[−+-]/.test(text), words = new Set(around.toLowerCase().split(/[^a-z0-9%]+/))
  for (const [unit, more] of Object.entries(UNITS)) if (words.has(unit)) for (const w of more) words.add(w)
  /** @type {Map<string, Candidate>} */
  const best = new Map()
  for (const [topic, value] of values) {
    for (const pointer of pointersIn(value)) {
      for (const [name, v] of numbersAt(value, pointer)) {
        const unit = WRITTEN.findIndex((k) => Math.abs(v * k - shown) <= near
          || !signed && Math.abs(Math.abs(v * k) - shown) <= near)
        if (unit < 0) continue
        const own = name.toLowerCase().split(/[^a-z0-9%]+/).filter(Boolean)
        const last = (pointer.split('/').findLast((p) => p !== '*') ?? '').replace(/([A-Z])/g, ' $1').toLowerCase().split(' ')
        const rank = (unit && shown === 0 ? 9 : unit) + 4 * own.filter((w) => !words.has(w)).length
          + 2 * last.filter((w) => !words.has(w)).length + names(pointer).length / 4
        const key = `${topic} ${pointer}`, other = best.get(key)
        if (!other || rank < other.rank) best.set(key, { topic, pointer, name, rank })
      }
    }
  }
  return [...best.values()].sort((a, b) => a.rank - b.rank)
}
