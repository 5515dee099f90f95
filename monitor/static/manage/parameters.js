// The parameters that the robot declares: what was asked for, and what the robot really has.

/** @import {ManagerChange, ManagerParameterView} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { draft, dropDraft, keepDraft, NumberInput, textOf } from './draft.js'
import { ask, holds, manage, me, rename, togglePanel } from './state.js'

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
  if (p.kind === 'choice') return html`<select aria-label=${p.name} disabled=${off} value=${value} onChange=${changed}>
    ${list(p.choices).map((c, i) => html`<option value=${i}>${c}</option>`)}</select>`
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

export function ParametersPanel() {
  const view = manage.view, all = list(view?.parameters), mine = holds(), own = me()
  const groups = [...new Set(all.map((p) => p.group))]
  const changed = all.filter((p) => !p.readOnly && p.value !== p.default)
  return html`<section class="panel parameters" aria-label="Parameters"><div class="head"><h2>Parameters</h2><button onClick=${() => togglePanel('calibration')}>calibration <kbd>V</kbd></button>
    <button onClick=${() => togglePanel('checks')}>checks <kbd>X</kbd></button>
    <span class="dim">${view?.behind ? 'newer values are on their way' : changed.length ? `${changed.length} not default` : ''}</span>
    <button disabled=${!mine || !own?.undo} title=${own?.undo} onClick=${() => ask('undo')}>undo <kbd>Ctrl Z</kbd></button>
    <button disabled=${!mine || !own?.redo} title=${own?.redo} onClick=${() => ask('redo')}>redo</button>
    <button disabled=${!mine || !changed.length} onClick=${toDefaults}>defaults</button></div>
    ${!mine && view?.seen && html`<p class="hint">Take the control of the robot to change them.</p>`}
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
  const p = list(manage.view?.parameters).find((q) => q.name === c.what)
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
