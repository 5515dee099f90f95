// The parameters that the robot declares: what was asked for, and what the robot really has.

/** @import {ManagerChange, ManagerParameterView, ManagernetRow} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { change, list } from '../shared/state.js'
import { subscribe } from '../shared/stream.js'
import { Select, textOf } from '../shared/inputs.js'
import { draft, dropDraft, keepDraft, NumberInput } from './draft.js'
import { ask, holds, manage, me, onlyLooks, parameter, rename, togglePanel, topics } from './state.js'

const PAUSE = 100 // ms between values of a slider that moves

/** A number with as many digits as its step or range needs. @param {number} v @param {ManagerParameterView} p */
export function number(v, p) {
  if (p.kind === 'switch') return v ? 'on' : 'off'
  if (p.kind === 'choice') return list(p.choices)[v] ?? String(v)
  const span = p.kind === 'integer' ? 1 : p.step || (p.max - p.min) / 200
  const digits = Math.min(4, Math.max(0, Math.ceil(-Math.log10(span || 1))))
  return v.toFixed(digits).replace('-', '−')
}

let last = 0
/** @type {ReturnType<typeof setTimeout> | undefined} */
let due

/** Asks for a value; while a slider moves, at most ten times a second. @param {string} name @param {number} value */
export function set(name, value) {
  clearTimeout(due)
  const wait = last + PAUSE - performance.now()
  if (wait > 0) {
    due = setTimeout(() => set(name, value), wait)
    return
  }
  last = performance.now()
  void ask('set', { name, value })
}

/** @param {ManagerParameterView} p @returns {{mark: string, tone: string}} */
const verdict = (p) => p.asked != null ? { mark: '…', tone: 'dim' } : p.result === 'adjusted' ? { mark: '▲', tone: 'warn' }
  : p.result === 'refused' || p.result === 'no answer' ? { mark: '✕', tone: 'bad' } : { mark: '✓', tone: 'ok' }

const KEPT = 1000 // ms that a slider stays where the user left it, until the robot's answer is here

/** @param {{p: ManagerParameterView}} props */
function Control({ p }) {
  const off = p.readOnly || !holds(), value = p.asked ?? p.value, typed = `${p.name}, as a number`
  const changed = (/** @type {Event} */ e) => set(p.name, Number(textOf(e)))
  const moved = (/** @type {Event} */ e) => {
    keepDraft(p.name, textOf(e), KEPT)
    dropDraft(typed)
    changed(e)
  }
  if (p.kind === 'choice') return html`<${Select} label=${p.name} disabled=${off} value=${value}
    options=${list(p.choices).map((c, i) => [i, c])} set=${(/** @type {string} */ v) => set(p.name, Number(v))} />`
  if (p.kind === 'switch') return html`<button class="switch" role="switch" aria-label=${p.name}
    aria-checked=${value !== 0} disabled=${off} onClick=${() => set(p.name, value ? 0 : 1)}><i></i>${value ? 'on' : 'off'}
    </button>`
  const step = p.kind === 'integer' ? 1 : p.step || (p.max - p.min) / 200
  return html`<span class="number"><input type="range" aria-label=${p.name} min=${p.min} max=${p.max} step=${step} disabled=${off}
    value=${draft(p.name, String(value))} onInput=${moved} /><${NumberInput} id=${typed} label=${typed} min=${p.min}
    max=${p.max} step="any" off=${off} value=${number(value, p).replace('−', '-')} set=${(/** @type {number} */ v) => set(p.name, v)} />
    </span>`
}

/** @param {{p: ManagerParameterView}} props */
function Row({ p }) {
  const { mark, tone } = verdict(p)
  return html`<tr data-parameter=${p.name}><th scope="row">${p.name}</th><td><${Control} p=${p} /></td>
    <td class="dim">${p.unit}</td><td class="n dim">${p.readOnly ? '' : number(p.default, p)}</td>
    <td class=${`n ${tone}`} title=${p.by && `changed by ${p.by}`}><b>${number(p.value, p)}</b> ${p.readOnly ? '' : mark}</td></tr>
    ${p.asked == null && p.text && mark !== '✓' && html`<tr class="why"><td colspan="5" class=${tone} role="status">
      ${p.result === 'adjusted' ? '' : `${p.result}: `}${p.text}</td></tr>`}`
}

/** Shows what is kept under names, or no longer. The robot's colour table is compared, and saved, too. */
function toggleProfiles() {
  change(manage, { profiles: manage.profiles ? null : [] })
  subscribe(topics())
  if (manage.profiles) void ask('fetch', { file: 'colors.table' })
}

/** The effect of a profile in words. @param {ManagernetRow} p */
function effect(p) {
  const n = list(p.changes).length
  const parts = [n ? `${n} ${n > 1 ? 'parameters' : 'parameter'}` : '', p.colors === 'other' ? 'the colour table' : p.colors === 'unknown' ? 'a colour table' : '']
  return parts.filter((s) => s).join(' and ') || 'as the robot has it'
}

/** A value of a parameter by its name. @param {string} name @param {number} v */
function valueOf(name, v) {
  const p = parameter(name)
  return p ? number(v, p) : String(v)
}

/** The profiles with what they would change, and a name for a new one. @param {{rows: ManagernetRow[]}} props */
function Profiles({ rows }) {
  const name = draft('profile', ''), there = rows.some((p) => p.name === name.trim())
  const load = (/** @type {Event} */ e, /** @type {string} */ of) => {
    e.preventDefault() // the row stays as it is
    void ask('load', { name: of })
  }
  return html`<div class="profiles" role="group" aria-label="Profiles">${rows.map((p) => html`<details key=${p.name}><summary><b>${p.name}</b>
      <span class=${p.fault ? 'bad' : 'dim'}>${p.fault || effect(p)}</span><button disabled=${!holds() || !!p.fault}
        onClick=${(/** @type {Event} */ e) => load(e, p.name)}>load</button></summary><ul>${list(p.changes).map((c) => html`<li>${c.name}${' '}
        ${valueOf(c.name, c.have)} → <b>${valueOf(c.name, c.want)}</b></li>`)}${list(p.foreign).length > 0 && html`<li class="dim">not of this robot:
        ${' '}${list(p.foreign).join(', ')}</li>`}</ul></details>`)}
    <p><input aria-label="name of the profile" maxlength="32" placeholder="robot or venue" value=${name}
      onInput=${(/** @type {Event} */ e) => { keepDraft('profile', textOf(e)); change({}, {}) }} /><button disabled=${!name.trim()}
      onClick=${() => ask('save', { name: name.trim() })}>${there ? 'replace' : 'save'}</button></p></div>`
}

export function ParametersPanel() {
  const view = manage.view, all = list(view?.parameters), mine = holds(), own = me()
  const groups = [...new Set(all.map((p) => p.group))]
  const changed = all.filter((p) => !p.readOnly && p.value !== p.default)
  const tools = html`<button onClick=${() => togglePanel('calibration')}>calibration <kbd>V</kbd></button>
    <button onClick=${() => togglePanel('checks')}>checks <kbd>X</kbd></button>
    <button class=${manage.profiles ? 'on' : ''} aria-pressed=${!!manage.profiles} onClick=${toggleProfiles}>profiles</button>
    <span class="dim">${view?.behind ? 'newer values are on their way' : changed.length ? `${changed.length} not default` : ''}</span>
    <button disabled=${!mine || !own?.undo} title=${own?.undo} onClick=${() => ask('undo')}>undo <kbd>Ctrl Z</kbd></button>
    <button disabled=${!mine || !own?.redo} title=${own?.redo} onClick=${() => ask('redo')}>redo</button>
    <button disabled=${!mine || !changed.length} onClick=${toDefaults}>defaults</button>`
  return html`<section class="panel parameters" aria-label="Parameters"><div class="head"><h2>Parameters</h2>${onlyLooks() || tools}</div>
    ${!mine && view?.seen && !onlyLooks() && html`<p class="hint">Take control of the robot to change them.</p>`}${manage.profiles && html`<${Profiles} rows=${manage.profiles} />`}
    <div class="scroll"><table><thead><tr><th>name</th><th></th><th></th><th class="n">default</th>
      <th class="n">robot has</th></tr></thead>${groups.map((g) => html`<tbody><tr class="group"><th colspan="5">${g}</th></tr>
      ${all.filter((p) => p.group === g).map((p) => html`<${Row} key=${p.name} p=${p} />`)}</tbody>`)}</table>
      ${view && all.length < view.declared && html`<p class="dim">${view.declared - all.length} more are not shown.</p>`}</div>
    </section>`
}

/** Sets all parameters to their defaults. */
function toDefaults() {
  void ask('set-all', { values: list(manage.view?.parameters).filter((p) => !p.readOnly && p.value !== p.default)
    .map(({ name, default: value }) => ({ name, value })) })
}

/** Describes a change in words. @param {ManagerChange} c */
function inWords(c) {
  const p = parameter(c.what)
  return p ? `${c.what} ${number(c.from, p)} → ${number(c.asked, p)}` : c.what
}

export function ChangesPanel() {
  const changes = list(manage.view?.changes)
  return html`<section class="panel changes" aria-label="Changes"><div class="head"><h2>Changes</h2>
    <label class="dim">your name <input value=${draft('your name', manage.name)} maxlength="24" aria-label="your name"
      onInput=${(/** @type {Event} */ e) => keepDraft('your name', textOf(e))}
      onChange=${(/** @type {Event} */ e) => { dropDraft('your name'); rename(textOf(e)) }} /></label></div>
    <div class="scroll"><ul>${changes.map((c) => html`<li><span class="dim">${(c.millis / 1000).toFixed(1)} s</span>
      <span>${c.operator === manage.name ? 'you' : c.operator}</span><span>${inWords(c)}</span>
      <b class=${c.result === 'done' ? 'ok' : c.result === 'adjusted' ? 'warn' : 'bad'} title=${c.text}>
        ${c.result === 'done' ? `confirmed, ${Math.round(c.delay)} ms` : c.result}</b></li>`)}</ul>
      ${!changes.length && html`<p class="empty">no change yet</p>`}</div></section>`
}
