// The notes of a log: marks on its timeline, their list, and the form that writes one into the log's file.

/** @import {Axis, Mark} from './timeline.js' */
import { html, useEffect, useRef } from '../htm/preact/standalone.module.js'
import { timeText } from './address.js'
import { redraw } from './canvas.js'
import { Drawer } from './drawer.js'
import { textOf } from './inputs.js'
import { change, list } from './state.js'
import { errorText, get, toast } from './stream.js'
import { colors } from './theme.js'

/** A note: times as on the page's timeline, text of one line.
 * @typedef {{id: number, from: number, to: number, text: string}} Note */

/** The log that a page shows, for its notes. address: of the notes; '' without one. send: writes a note. seconds: a time
 * of the timeline in s since the start. shown: the shown time. seek: shows another one, without playing.
 * @typedef {{address: () => string, send: (note: Note) => Promise<unknown>, seconds: (t: number) => number,
 * shown: () => number, seek: (t: number) => void}} NotesSource */

/** A note that is being written. id: 0 for a new one. from: the chosen start; null: the note is at the shown time. to: the
 * end of a note that is changed; null: the shown time.
 * @typedef {{id: number, from: number | null, to: number | null, text: string}} Draft */

const LONGEST = 4096 // bytes of a note
const LABEL = 36 // characters of a note on the timeline
const NEAR = 6 // px around the pointer in which it finds a note

/** @type {Draft} */
const NEW = { id: 0, from: null, to: null, text: '' }

const notes = {
  of: '', // the address that they came from
  list: /** @type {Note[]} */ ([]),
  why: '', // why none can be written here
  answered: '', // the address that has answered
  open: false, // the list is shown
  typing: false, // the user opened the form to write
  chosen: 0, // the note whose moment was opened
  wanted: 0, // a note that the address names; it is opened once the notes are there
  draft: NEW,
  asked: 0, // requests for the list; only the answer to the newest one counts
}

/** @type {NotesSource} */
let source

/** Shows the notes of a page's log. @param {NotesSource} s */
export function showNotes(s) {
  source = s
  addEventListener('focus', () => void loadNotes()) // another program may have written some
}

/** Fetches the notes, and opens the one that the address names. */
export async function loadNotes() {
  const address = source.address()
  if (address !== notes.of) Object.assign(notes, { of: address, answered: '', list: [], why: '', open: false, chosen: 0,
    draft: NEW })
  if (!address) return
  const asked = ++notes.asked, late = () => asked !== notes.asked || source.address() !== address
  try {
    const answer = /** @type {{notes: Note[] | null, why: string}} */ (await get(address))
    if (late()) return
    change(notes, { answered: address, list: list(answer.notes), why: answer.why })
  } catch (e) {
    return late() ? undefined : change(notes, { answered: address, why: errorText(e) })
  }
  if (notes.wanted) openWanted()
  redraw()
}

function openWanted() {
  const note = notes.list.find((n) => n.id === notes.wanted)
  if (!note) toast(`this log has no note ${notes.wanted}`)
  notes.wanted = 0
  if (!note) return
  choose(note)
  change(notes, { open: true, typing: false })
}

/** Opens the note that an address names. @param {string | undefined} id */
export function wantNote(id) {
  const wanted = /^[1-9]\d{0,9}$/.test(id ?? '') ? Number(id) : 0
  const here = notes.of !== '' && notes.of === source.address()
  if (!wanted || here && wanted === notes.chosen) return
  notes.wanted = wanted
  if (here) void loadNotes()
}

/** The notes of the log that the page shows; none until they are there. */
const here = () => notes.of === source.address() ? notes.list : []

/** The note whose moment the page shows, for its address; '' for none. */
export function shownNote() {
  const note = here().find((n) => n.id === notes.chosen)
  if (notes.wanted) return String(notes.wanted)
  return note && Math.abs(source.seconds(note.from) - source.seconds(source.shown())) < 0.001 ? String(note.id) : ''
}

/** @param {Note} note */
function choose(note) {
  notes.chosen = note.id
  source.seek(note.from)
  redraw()
}

/** Opens the list and the form, or closes them. Time stands still meanwhile, unless the user lets it go on. */
export function toggleNotes() {
  if (notes.open) return closeNotes()
  if (!source.address()) return toast('notes belong to a recording: open it with touchline replay')
  source.seek(source.shown())
  change(notes, { open: true, typing: true })
  void loadNotes()
}

/** Closes the list; the note that is being written stays. It reports whether the list was open. */
export function closeNotes() {
  const { open } = notes
  if (open) change(notes, { open: false })
  return open
}

/** The span of the note that is being written. @returns {[number, number]} */
function spanOf() {
  const { draft } = notes, now = source.shown(), from = draft.from ?? now, to = draft.to ?? now
  return from < to ? [from, to] : [to, from]
}

/** Writes a note. The form is free for the next one meanwhile; it gets back the draft if the note was not written.
 * @param {Note} note @param {Draft | null} draft */
async function write(note, draft) {
  if (draft) change(notes, { draft: NEW })
  try {
    await source.send(note)
  } catch (e) {
    toast(errorText(e))
    if (draft && notes.draft === NEW) change(notes, { draft })
  }
  await loadNotes()
}

/** @param {Event} e */
function save(e) {
  e.preventDefault()
  const { draft } = notes, { id, text } = draft, [from, to] = spanOf()
  if (new TextEncoder().encode(text.trim()).length > LONGEST) return toast(`shorten the note: it has more than ${LONGEST} bytes`)
  if (text.trim()) void write({ id, from, to, text: text.trim() }, draft)
}

/** The marks of the notes on a timeline. @returns {Mark[]} */
export const noteMarks = () => here().map((n) => ({ t: n.from, to: n.to, text: short(n.text), rank: 3, color: colors.focus,
  ink: colors.ink, glyph: 'flag' }))

/** @param {string} text */
const short = (text) => [...text].length > LABEL ? [...text].slice(0, LABEL - 1).join('') + '…' : text

/** Changes whenever the marks do. */
export const notesKey = () => here().map((n) => `${n.id} ${n.from} ${n.to} ${n.text}`).join('\n')

/** The note near a time of the timeline. @param {number} t @param {Axis} axis */
export const noteAt = (t, axis) => here().find((n) => Math.abs(axis.x(n.from) - axis.x(t)) < NEAR)

/** A time as text, to a tenth of a second. @param {number} t */
const when = (t) => timeText(Math.round(10 * source.seconds(t)) / 10).replace(/(\.\d)00$/, '$1')

/** @param {number} from @param {number} to */
const span = (from, to) => when(from) === when(to) ? when(from) : `${when(from)} – ${when(to)}`

/** The button that opens the list. */
export function NotesButton() {
  if (!source.address()) return ''
  return html`<button class="notes-button ${notes.open ? 'on' : ''}" aria-expanded=${notes.open} onClick=${toggleNotes}
    title="notes: write one at the shown time, and their list (J)">notes${here().length > 0 && ` ${here().length}`} <kbd>J</kbd></button>`
}

function Form() {
  const { draft } = notes, field = useRef(/** @type {HTMLInputElement | null} */ (null)), [from, to] = spanOf()
  const set = (/** @type {Partial<Draft>} */ values) => change(notes, { draft: { ...notes.draft, ...values } })
  useEffect(() => void (notes.typing && field.current?.focus()), [draft.id])
  const chosen = draft.from != null
  return html`<form class="note-form" onSubmit=${save}><input ref=${field} value=${draft.text} maxlength=${LONGEST} required
      aria-label="text of the note" placeholder="what happens here?" autocomplete="off"
      onInput=${(/** @type {Event} */ e) => set({ text: textOf(e) })}
      onKeyDown=${(/** @type {KeyboardEvent} */ e) => e.key === 'Escape' && closeNotes()} />
    <p><span class="note-time">${draft.id ? `note ${draft.id}, ` : ''}${from < to ? '' : 'at '}<b>${span(from, to)}</b></span>
      ${chosen ? html`<button type="button" onClick=${() => set({ from: null, to: null })}
        title="the note marks only the shown time">at ${when(source.shown())}</button>`
      : html`<button type="button" onClick=${() => set({ from: source.shown() })}
        title="the note begins here; move to the time where it ends">begins here</button>`}
      ${draft.id > 0 && html`<button type="button" onClick=${() => change(notes, { draft: NEW })}>cancel</button>`}
      <button class="begin">${draft.id ? 'change' : 'add'} <kbd>Enter</kbd></button></p></form>`
}

/** The list of the notes, and the form of a new one. */
export function NotesPanel() {
  if (!notes.open) return ''
  const { why, chosen } = notes
  return html`<${Drawer} label="Notes" class="notes" close=${closeNotes} head=${html`<h2>Notes</h2>`}>
    ${why ? html`<p class="dim">${why}</p>` : html`<${Form} />`}
    ${notes.list.length > 0 && html`<ol>${notes.list.map((n) => html`<li key=${n.id} class=${n.id === chosen ? 'now' : ''}>
      <button class="of" onClick=${() => choose(n)} title="show this moment"><time>${span(n.from, n.to)}</time>
        <span>${n.text}</span></button>
      ${!why && html`<button onClick=${() => change(notes, { typing: true, draft: { ...n } })}
          aria-label=${`change note ${n.id}`} title="change">✎</button>
        <button onClick=${() => void write({ ...n, text: '' }, notes.draft.id === n.id ? notes.draft : null)} aria-label=${`remove note ${n.id}`} title="remove">✕</button>`}
      </li>`)}</ol>`}<//>`
}

/** Whether the notes are there, if the page has a log. */
export const hasNotes = () => source.address() === '' || notes.answered === source.address()

/** For tests. */
export const probeNotes = () => ({ notes: notes.list, open: notes.open, why: notes.why })
