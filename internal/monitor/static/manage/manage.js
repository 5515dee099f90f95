// A robot's page: see through its camera, change it while it runs, drive it.

import { html } from '../htm/preact/standalone.module.js'
import { Header } from '../shared/header.js'
import { digitOf, isTyping, keyOf, pressesFocused } from '../shared/keyboard.js'
import { start } from '../shared/page.js'
import { state } from '../shared/state.js'
import { CalibrationPanel } from '../calibrate/calibration.js'
import { CameraPanel, save } from './camera.js'
import { ChecksPanel, watchCheck } from './checks.js'
import { keep, nextMode } from './compare.js'
import { directions, drive, DrivePanel, goOn, hold, kick, stop, toggleControl } from './drive.js'
import { EditorPanel, MachinePanel, toggleEditor, watchSheet } from '../behaviour/editor.js'
import { applyBehaviour } from '../behaviour/state.js'
import { takeBack } from '../behaviour/edited.js'
import { AWAY } from '../match/state.js'
import { layerKeys } from './overlay.js'
import { ChangesPanel, ParametersPanel } from './parameters.js'
import { toggleRegion } from './region.js'
import { applySession, past, PastPanel, pastKeys, toggleBack } from './past.js'
import { ask, attendSoon, called, formats, freeze, holds, loadPlace, manage, numbers, onlyLooks, openRobot, receive, restart, togglePanel, topics,
  wishFor } from './state.js'

/** @type {[string, [string, string][]][]} */
const keyGroups = [
  ['Drive', [
    ['T', 'take or give up control'],
    ['W A S D', 'drive forward, left, back, right, while the key is down'],
    ['Q  E', 'turn left, right'],
    ['R', 'dribbler on or off'],
    ['Shift + digit', 'kick of the list, once'],
    ['Space', 'STOP: nothing moves until G'],
    ['G', 'drive on after a stop'],
  ]],
  ['Camera', [
    ['F', 'freeze the picture'],
    ['P', 'save the picture as PNG'],
    ['F1  F2  F3', 'picture, raw pixels, classes of colours'],
    ['O  H  L', 'overlays: percepts, horizon, field lines'],
    ['K  C', 'keep the picture, compare it with the shown one'],
    ['Z', 'a region of the picture, the whole picture'],
    ['B', 'look back at the pictures that were kept; again: the present'],
  ]],
  ['Page', [
    ['1 – 8', 'another robot'],
    ['X  V', 'checks of kicks and walk, calibration of the camera; again: the parameters'],
    ['M', 'edit the state machine'],
    ['Ctrl Z', 'undo your last change; with Shift: redo'],
    ['Esc', 'close checks, calibration or editor; without one, back to the page before'],
  ]],
]

/** Each key once. @type {Record<string, () => unknown>} */
const actions = {
  ' ': stop, t: toggleControl, g: goOn, f: freeze, p: save,
  r: () => { drive.dribble = !drive.dribble }, k: keep, c: nextMode, z: toggleRegion, x: () => togglePanel('checks'), v: () => togglePanel('calibration'),
  m: toggleEditor, b: toggleBack, ...layerKeys,
  Escape: () => manage.panel === 'parameters' ? history.length > 1 && history.back() : togglePanel(manage.panel),
}

/** Whether a key goes into the editor's text: names have blanks. @param {KeyboardEvent} e */
const namesState = (e) => e.target instanceof HTMLInputElement && e.target.type === 'text' && !!e.target.closest('.editor')

/** @param {KeyboardEvent} e */
function onKey(e) {
  const key = keyOf(e), digit = digitOf(e)
  if (key === ' ' && !e.repeat && !manage.recorded && !namesState(e)) { // the stop key works everywhere, also on a focused button or in a field of text
    stop()
    return e.preventDefault()
  }
  if (isTyping(e) || pressesFocused(e, 'Enter')) return
  if ((e.ctrlKey || e.metaKey) && key === 'z') {
    if (manage.panel === 'machine') takeBack(e.shiftKey)
    else if (holds()) void ask(e.shiftKey ? 'redo' : 'undo')
    return e.preventDefault()
  }
  if (e.ctrlKey || e.metaKey || e.altKey) return
  if (manage.recorded) return onPastKey(e, key, digit)
  const format = formats[['F1', 'F2', 'F3'].indexOf(e.key)]
  if (digit && Number(digit) > 0) {
    if (e.shiftKey) kick(Number(digit) - 1)
    else openRobot(Number(digit))
  } else if (format) wishFor({ format: format[0] })
  else if (directions.some(([, , k]) => k === key)) {
    if (holds() && !drive.stopped) hold(key, true)
  } else if (actions[key] && !e.repeat) actions[key]()
  else return
  e.preventDefault()
}

/** The keys of a page that shows a recording. @param {KeyboardEvent} e @param {string} key @param {string} [digit] */
function onPastKey(e, key, digit) {
  const press = pastKeys[key] ?? { ...layerKeys, k: keep, c: nextMode, p: save }[key]
  if (Number(digit) > 0) openRobot(Number(digit))
  else if (press) press()
  else return
  e.preventDefault()
}

/** @param {string} topic @param {any} value */
function receiveTopic(topic, value) {
  if (topic === 'behaviour') return applyBehaviour(value)
  if (topic !== 'session') return receive(topic, value)
  const first = manage.recorded == null
  applySession(value)
  if (first) attendSoon()
}

addEventListener('keyup', (e) => hold(keyOf(e), false))

function Robots() {
  return html`<span class="robots" role="group" aria-label="robots">${numbers().map((n) => html`${onlyLooks() && n % AWAY === 1
    && html`<span class="dim">${n > AWAY ? 'away' : 'home'}</span>`}<button class=${n === manage.robot ? 'on' : ''} aria-label=${called(n)}
    aria-pressed=${n === manage.robot} onClick=${() => openRobot(n)}>${onlyLooks() ? n % AWAY : n}</button>`)}</span>`
}

function App() {
  const { view, trouble } = manage
  watchCheck()
  watchSheet()
  return html`<${Header} here="robot"><${Robots} /><b class=${manage.recorded ? '' : view?.seen ? 'ok' : 'bad'} role="status">
      ${manage.recorded ? past.session?.live ? 'the past' : 'recording' : !view ? 'asking the robot' : view.seen ? 'online' : !view.silentMillis ? 'never heard' : `silent for ${(view.silentMillis / 1000).toFixed(0)} s`}</b><//>
    ${trouble && html`<p class="trouble" role="alert">${trouble}</p>`}
    <main class=${manage.recorded ? 'manage recorded' : 'manage'}>${manage.panel === 'machine' && !manage.recorded ? html`<${EditorPanel} />`
      : html`<${CameraPanel} />`}${manage.recorded ? html`<${PastPanel} />`
      : html`<${DrivePanel} />${manage.panel === 'checks' ? html`<${ChecksPanel} />` : manage.panel === 'calibration' ? html`<${CalibrationPanel} />`
        : manage.panel === 'parameters' ? html`<${ParametersPanel} />${onlyLooks() || html`<${ChangesPanel} /><${MachinePanel} />`}` : ''}`}</main>`
}

/** The text whose changes are rendered at once. */
const outline = () => [state.run, !!manage.picture, manage.view?.drive, manage.view?.holder?.page, manage.view?.seen,
  manage.checks?.kick?.state, manage.checks?.walk?.state, manage.calibration?.picture?.number, manage.sheet?.state].join()

start({
  App, onKey, token: true, place: loadPlace,
  title: () => [`robot ${called(manage.robot)}`, manage.recorded ? past.session?.live ? 'the past' : 'recording' : ''],
  help: () => ({ groups: keyGroups, note: 'You can also use a gamepad: left stick to drive, right stick to turn.' }),
  topics, receive: receiveTopic, restart, outline, probe: () => ({ time: manage.picture?.millis ?? 0, shown: manage.shown, held: holds() }),
})
