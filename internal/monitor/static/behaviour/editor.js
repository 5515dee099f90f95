// The editor of a robot's state machine: the machine as a picture, the chosen state with the transitions that leave it,
// and what the program finds wrong.

/** @import {BehaviourRobot, HfsmFault, HfsmTransition} from '../types' */
/** @import {Machine} from './edited.js' */
import { Diagram } from './diagram.js'
import { behaviourOf, innermost } from './state.js'
import { html, useState } from '../htm/preact/standalone.module.js'
import { ask, holds, manage, togglePanel, topics } from '../manage/state.js'
import { OpenButton } from '../shared/files.js'
import { Select, textOf } from '../shared/inputs.js'
import { change, list } from '../shared/state.js'
import { subscribe } from '../shared/stream.js'
import { addState, addTransition, begin, check, choose, chosen, edit, editor, firstIn, makeFirst, moveTransition, open, partsOf, putInto, removeState,
  removeTransition, rename, save, setBehaviour, setTransition, sound, takeBack } from './edited.js'

/** Opens the editor with the machine of the robot, or closes it. */
export function toggleEditor() {
  togglePanel('machine')
  if (manage.panel !== 'machine' || editor.machine) return
  edited = manage.robot
  void fetchMachine(false)
}

let edited = 0 // robot whose machine the editor began with

const compared = { with: '', only: false } // the robot's machine that was fetched; it is not to be edited

/** The robot and the checksum of the machine that it executes. */
const running = () => manage.view?.seen ? `${manage.robot} ${manage.view.machine.running}` : ''

/** Asks the robot for its machine. @param {boolean} only to compare the edited one with it */
async function fetchMachine(only) {
  Object.assign(compared, { with: running(), only })
  await ask('fetch')
  change(manage, { fetching: true, sheet: null })
  subscribe(topics())
}

/** Takes the machine that arrives from the robot, and asks for the one that it executes instead of another one. When the page
 * shows another robot, the editor shows its machine; that of the robot before is one undo away. */
export function watchSheet() {
  const { sheet: view, fetching, robot } = manage
  if (!fetching && manage.panel === 'machine' && editor.machine && manage.view?.seen && edited !== robot) {
    edited = robot
    return void fetchMachine(false)
  }
  if (!fetching && manage.panel === 'machine' && editor.machine && running() && compared.with !== running()) void fetchMachine(true)
  if (!fetching || !view || view.state === 'asking') return
  manage.fetching = false
  subscribe(topics())
  const sheet = view.sheet, machine = sheet?.machine ?? sheet?.default
  if (view.state !== 'here' || !sheet) return
  editor.sheet = sheet
  if (compared.only) void check()
  else if (machine) begin(machine, sheet.machine ? `from robot ${robot}` : `default: robot ${robot} runs none`)
  else begin({ name: 'new', states: [{ name: 'stand', behaviour: list(sheet.behaviours)[0] ?? '' }], transitions: [] }, 'new')
}

/** Sends the machine to the robot. */
const send = () => ask('machine', { machine: editor.machine })

/** A field of text, which keeps what the user types until it is complete. set returns why it does not take the text.
 * @param {{label: string, value: string, set: (text: string) => string | void, kind?: string}} props */
function Field({ label, value, set, kind = 'text' }) {
  const [draft, setDraft] = useState(/** @type {string | null} */ (null)), [why, setWhy] = useState('')
  const done = (/** @type {Event} */ e) => {
    const text = textOf(e).trim(), refused = text === value ? '' : set(text)
    setWhy(refused || '')
    if (!refused) setDraft(null)
  }
  return html`<input type=${kind} aria-label=${label} value=${draft ?? value} aria-invalid=${why !== ''} title=${why} min="0" step="1"
    onInput=${(/** @type {Event} */ e) => setDraft(textOf(e))} onChange=${done} onBlur=${done} />${why && html`<em class="bad">${why}</em>`}`
}

/** The name of a condition, with "not" for its negation. @param {string} part */
const wordsOf = (part) => part.startsWith('!') ? `not ${part.slice(1)}` : part

/** The conditions of a transition; the last choice adds one. @param {{t: HfsmTransition, i: number}} props */
function Conditions({ t, i }) {
  const parts = partsOf(t)
  /** @type {[string, string][]} */
  const all = list(editor.sheet?.conditions).flatMap((c) => /** @type {[string, string][]} */ ([[c, c], ['!' + c, `not ${c}`]]))
  const put = (/** @type {number} */ k, /** @type {string} */ part) => setTransition(i, {
    when: [...parts.slice(0, k), ...part ? [part] : [], ...parts.slice(k + 1)].join(' & ') || undefined })
  return html`<div class="when"><span class="dim">${parts.length ? 'when' : 'always'}</span>${parts.map((p, k) => html`<${Select} key=${k}
      label=${`condition ${k + 1} of transition ${i + 1}`} value=${p} options=${[['', '– none –'], ...all.some(([v]) => v === p) ? [] : [[p, `${wordsOf(p)} ?`]], ...all]}
      set=${(/** @type {string} */ v) => put(k, v)} />`)}
    <${Select} key="more" label=${`a further condition of transition ${i + 1}`} value="" options=${[['', parts.length ? '+ and' : '+ when'], ...all]}
      set=${(/** @type {string} */ v) => put(parts.length, v)} /></div>`
}

/** Texts of faults. @param {{faults: HfsmFault[]}} props */
const Faults = ({ faults }) => faults.map((f) => html`<p class="bad" role="alert">${f.text}</p>`)

/** @param {{m: Machine, t: HfsmTransition, i: number, first: boolean, last: boolean}} props */
function Way({ m, t, i, first, last }) {
  return html`<li data-transition=${i + 1}><div><span class="dim">→</span><${Select} label=${`target of transition ${i + 1}`} value=${t.to}
      options=${m.states.filter((s) => s.name !== t.from).map((s) => [s.name, s.name])} set=${(/** @type {string} */ to) => setTransition(i, { to })} />
    <span class="dim">after</span><${Field} label=${`ms before transition ${i + 1}`} kind="number" value=${String(t.after ?? 0)} set=${(/** @type {string} */ text) => {
      const after = Number(text)
      if (!text || !Number.isInteger(after) || after < 0) return 'a whole number of ms, 0 or more'
      setTransition(i, { after: after || undefined })
      return ''
    }} /><span class="dim">ms</span><span class="tools"><button disabled=${first} title="try it earlier" onClick=${() => moveTransition(i, -1)}>↑</button>
      <button disabled=${last} title="try it later" onClick=${() => moveTransition(i, 1)}>↓</button>
      <button title="remove the transition" aria-label=${`remove transition ${i + 1}`} onClick=${() => removeTransition(i)}>✕</button></span></div>
    <${Conditions} t=${t} i=${i} /><${Faults} faults=${editor.faults.filter((f) => f.transition === i)} /></li>`
}

/** The states that contain a state, innermost first. @param {Machine} m @param {string} name */
function around(m, name) {
  const found = /** @type {string[]} */ ([])
  for (let at = m.states.find((s) => s.name === name)?.in; at && !found.includes(at); at = m.states.find((s) => s.name === at)?.in) found.push(at)
  return found
}

/** The chosen state. @param {{m: Machine, name: string}} props */
function State({ m, name }) {
  const s = m.states.find((o) => o.name === name)
  if (!s) return ''
  const holdsOthers = m.states.some((o) => o.in === name), outer = around(m, name)
  const own = m.transitions.flatMap((t, i) => t.from === name ? [{ t, i }] : [])
  const inside = m.states.filter((o) => o.name !== name && !around(m, o.name).includes(name))
  return html`<section aria-label="the chosen state" data-state=${name}><div class="form">
      <label><span class="dim">name</span><${Field} label="name of the state" value=${name} set=${(/** @type {string} */ to) => {
        if (!to) return 'a name'
        if (m.states.some((o) => o.name === to)) return `a state is called ${to} already`
        rename(name, to)
        return ''
      }} /></label>
      <label><span class="dim">inside</span><${Select} label="the state around it" value=${s.in ?? ''} options=${[['', '– none –'], ...inside.map((o) => [o.name, o.name])]}
        set=${(/** @type {string} */ v) => putInto(name, v)} /></label>
      ${holdsOthers ? html`<span class="dim">begins with ${firstIn(m, name)}</span>` : html`<label><span class="dim">does</span>
        <${Select} label="its behaviour" value=${s.behaviour ?? ''} options=${list(editor.sheet?.behaviours).map((b) => [b, b])}
          set=${(/** @type {string} */ v) => setBehaviour(name, v)} /></label>`}
      <span class="tools"><button disabled=${!holds() || !manage.view?.machine.running} title="hold the robot’s machine when it reaches this state"
        onClick=${() => breakAt(name)}>break here</button>${firstIn(m, s.in) !== name && html`<button title=${`${s.in ?? 'the machine'} begins with this state`} onClick=${() => makeFirst(name)}>enter first</button>`}
        <button onClick=${() => removeState(name)}>remove</button></span></div>
    <${Faults} faults=${editor.faults.filter((f) => f.state === name && f.transition < 0)} />
    <h3>Ends, tried in this order${outer.length > 0 && html`<small class="dim"> after those of ${outer.toReversed().map((o) => html`<button class="small"
      onClick=${() => choose(o)}>${o}</button> `)}</small>`}</h3>
    <ol>${own.map(({ t, i }, k) => html`<${Way} key=${`${name} ${k}`} m=${m} t=${t} i=${i} first=${k === 0} last=${k === own.length - 1} />`)}</ol>
    <button onClick=${() => addTransition(name)}>add a transition</button></section>`
}

/** The faults of the machine; a press shows the place. @param {{m: Machine}} props */
function Check({ m }) {
  const { faults, checked, version } = editor
  if (checked !== version && !faults.length) return html`<p class="dim check" role="status">the program checks it</p>`
  if (!faults.length) return html`<p class="ok check" role="status">✓ no faults</p>`
  return html`<div class="check" role="status"><b class="bad">${faults.length} ${faults.length > 1 ? 'faults' : 'fault'}</b><ul>${faults.map((f) => html`<li>
    <button class="fault" disabled=${!m.states.some((s) => s.name === f.state)} onClick=${() => choose(f.state)}>${f.text}</button></li>`)}</ul></div>`
}

/** The changes that sending the machine makes at the robot; a press shows the place. @param {{m: Machine}} props */
function Changes({ m }) {
  const { changes, checked, version } = editor
  if (checked !== version || !changes) return ''
  if (!changes.length) return html`<p class="dim changed" role="status">the robot executes this machine</p>`
  return html`<details class="changed" open><summary>${changes.length} ${changes.length > 1 ? 'changes' : 'change'} to the robot’s machine</summary><ul>${changes.map((c) =>
    html`<li><button class="fault" disabled=${!m.states.some((s) => s.name === c.state)} onClick=${() => choose(c.state)}>${c.text}</button></li>`)}</ul></details>`
}

/** @param {{m: Machine}} props */
function Panes({ m }) {
  const name = chosen(), own = behaviourOf(manage.robot)
  const robot = /** @type {BehaviourRobot} */ ({ team: 0, number: manage.robot, live: false, silentMs: 0, machine: editor.version,
    states: own?.live && own.machine ? own.states : [], since: 0, spans: [] })
  return html`<div class="panes"><${Diagram} robot=${robot} machine=${m} now=${0} faulty=${editor.faults.map((f) => f.state)} />
    <div class="side"><div class="news"><${Check} m=${m} /><${Changes} m=${m} /><${Sent} /><${Holding} /></div><div class="form"><label><span class="dim">machine</span><${Field} label="name of the machine" value=${m.name}
        set=${(/** @type {string} */ to) => edit((o) => ({ ...o, name: to }))} /></label>
      <label><span class="dim">state</span><${Select} label="show the state" value=${name} options=${[['', '– choose –'], ...m.states.map((s) => [s.name, s.name])]}
        set=${choose} /></label><button onClick=${addState}>new state</button></div>
      ${name ? html`<${State} key=${name} m=${m} name=${name} />` : html`<p class="empty">Press a state in the picture to change it.</p>`}</div></div>`
}

/** Opens the machine of a file in the editor. @param {File} file */
async function openFile(file) {
  open(file.name, await file.text())
  if (editor.machine && manage.panel !== 'machine') togglePanel('machine')
}

/** A checksum in words. @param {number} sum */
const checksum = (sum) => sum ? sum.toString(16).padStart(8, '0') : 'none'

/** Whether the robot may have a machine to go back to, or none as in the beginning. */
const canRollBack = () => {
  const m = manage.view?.machine
  return holds() && !!(m?.running || m?.waiting || m?.previous)
}

/** The outcome of the newest upload. */
function Sent() {
  const v = manage.view?.machine
  if (!v) return ''
  return html`<span class="dim">robot runs <code>${checksum(v.running)}</code></span>${v.upload && html`<span class=${v.upload.startsWith('refused') || v.upload.startsWith('failed') ? 'bad' : ''} role="status">${v.upload}</span>`}
    ${v.waiting ? html`<b class="warn">waits for a safe moment</b>` : v.upload === 'done' && holds() ? html`<b>give up control, and it moves the robot</b>` : ''}`
}

/** Holds the machine that runs at the robot, once it reaches a state; '' for at once. @param {string} state */
const breakAt = (state) => ask('hold-machine', { value: 1, name: state })

/** The state in which the robot is, and the buttons that hold it there. */
function Holding() {
  const view = manage.view, held = view?.drive === 'held', own = behaviourOf(manage.robot)
  if (!view?.machine.running) return ''
  return html`<span class="hold" role="group" aria-label="hold the state machine"><span class="dim">in <b>${own?.live ? innermost(own) : '–'}</b></span>
    ${held ? html`<button class="on" disabled=${!holds()} onClick=${() => ask('hold-machine', { value: 0, name: '' })}>go on</button>`
      : html`<button disabled=${!holds()} title="no transitions: the robot stands still unless you drive it" onClick=${() => breakAt('')}>hold</button>`}
    <button disabled=${!holds() || !held} title="the next transition whose condition holds" onClick=${() => ask('hold-machine', { value: 2, name: '' })}>step</button></span>`
}

export function EditorPanel() {
  const m = editor.machine, mine = holds()
  const trouble = manage.sheet?.state === 'failed' ? manage.sheet.text : ''
  return html`<section class="panel editor" aria-label="Editor of the state machine"><div class="head"><h2>State machine</h2>
      <span class="dim">${editor.source}</span>
      <button disabled=${manage.fetching} onClick=${() => fetchMachine(false)}>${manage.fetching ? 'fetching …' : 'fetch'}</button>
      ${editor.sheet?.default && html`<button onClick=${() => editor.sheet?.default && begin(editor.sheet.default, 'default')}>default</button>`}
      <${OpenButton} text="open …" open=${openFile} />
      <button disabled=${!m} onClick=${() => m && save(m)}>save</button>
      <button disabled=${!editor.undo.length} onClick=${() => takeBack(false)}>undo <kbd>Ctrl Z</kbd></button>
      <button disabled=${!editor.redo.length} onClick=${() => takeBack(true)}>redo</button>
      <span class="right"><button class="send begin" disabled=${!mine || !m || !sound()} title=${mine ? '' : 'Take control of the robot first'} onClick=${send}>send to robot ${manage.robot}</button>
      <button disabled=${!canRollBack()} onClick=${() => ask('rollback')}>roll back</button>
      <button onClick=${toggleEditor}>close <kbd>M</kbd></button></span></div>
    ${trouble && html`<p class="bad" role="alert">The robot’s machine is not known: ${trouble}. Open a file, or fetch again.</p>`}
    ${m ? html`<${Panes} m=${m} />` : html`<p class="empty">${manage.fetching ? 'The robot is asked for its machine.' : 'No state machine yet: fetch it from the robot, or open a file.'}</p>`}
    </section>`
}

/** The machine that the robot executes, and the ways to another one. */
export function MachinePanel() {
  const m = manage.view?.machine
  return html`<section class="panel runs" aria-label="Behaviour"><div class="head"><h2>Behaviour</h2>
    <span class="dim">state machine <code>${m ? checksum(m.running) : '–'}</code>${m?.waiting
      ? html`, <b class="warn">${checksum(m.waiting)} waits for a safe moment</b>` : ''}</span>
    <button onClick=${toggleEditor}>edit <kbd>M</kbd></button><${OpenButton} text="open a file …" open=${openFile} />
    <button disabled=${!canRollBack()} onClick=${() => ask('rollback')}
      title=${m ? `back to ${checksum(m.previous)}` : ''}>roll back</button></div>
    ${m?.upload && html`<p role="status">${m.upload}</p>`}</section>`
}
