// Checks of a robot's kicks and of its walk: start, progress, what was measured.

/** @import {ManagerKickRun as KickRun, ManagerWalkPoint as WalkPoint, ManagerWalkRun as WalkRun, ManagerSpread as Spread} from '../types' */
import { Canvas } from '../shared/canvas.js'
import { html } from '../htm/preact/standalone.module.js'
import { DEGREE, degrees, wrapped } from '../shared/format.js'
import { OpenButton } from '../shared/files.js'
import { Choices, Select } from '../shared/inputs.js'
import { change, list } from '../shared/state.js'
import { drawKicks, drawWalk } from './checkplot.js'
import { readKicks, saveCheck, saveCSV } from './checkfile.js'
import { NumberInput } from './draft.js'
import { drive } from './drive.js'
import { ask, holds, manage, parameter, togglePanel } from './state.js'

export const checks = {
  kind: /** @type {'kick' | 'walk'} */ ('kick'),
  index: 0, // of the kick
  tries: 10,
  kick: { speed: 2, x: -2, y: 0, heading: 0 }, // heading in degrees
  figure: 'square',
  walk: { speed: 0.8, size: 2, laps: 1, x: -1, y: -1, heading: 0 },
  last: /** @type {KickRun | null} */ (null), // an earlier kick check from a file
}

/** The shown run. */
const shown = () => (checks.kind === 'kick' ? manage.checks?.kick : manage.checks?.walk) ?? null

/** @param {KickRun | WalkRun | null | undefined} run */
const runs = (run) => !!run && run.state !== 'finished' && run.state !== 'aborted'

/** Whether a check of the robot runs. */
const running = () => runs(manage.checks?.kick) || runs(manage.checks?.walk)

/** Starts the chosen check. Each command of this page says from now on that it may go on. */
function startCheck() {
  if (!holds()) return
  change(drive, { check: true, stopped: false })
  const { kick, walk } = checks
  if (checks.kind === 'kick') {
    void ask('kick-check', { index: checks.index, tries: checks.tries, ...kick, heading: kick.heading * DEGREE })
  } else void ask('walk-check', { figure: checks.figure, ...walk, heading: walk.heading * DEGREE })
}

/** Ends the check that runs. */
function stopCheck() {
  change(drive, { check: false })
  if (holds()) void ask('stop-check')
}

/** A number that the user sets. @param {{title: string, unit: string, of: Record<string, number>, name: string, min: number,
 * max: number, step: number}} props */
const Field = ({ title, unit, of, name, min, max, step }) => html`<label class="field"><span class="dim">${title}</span>
  <${NumberInput} id=${`${checks.kind} check: ${name}`} label=${title} min=${min} max=${max} step=${step} value=${String(of[name])}
    set=${(/** @type {number} */ v) => { of[name] = Math.min(max, Math.max(min, v)) }} /><span class="dim">${unit}</span></label>`

/** A choice. @param {{title: string, value: string | number, options: [string | number, string][], set: (v: string) => void}} p */
const Choice = ({ title, value, options, set }) => html`<label class="field"><span class="dim">${title}</span>
  <${Select} label=${title} value=${value} options=${options} set=${set} /></label>`

/** Where the ball or the robot begins. @param {{title: string, of: Record<string, number>}} props */
const Place = ({ title, of }) => html`<span class="place"><span>${title}</span><${Field} title="x" unit="m" of=${of} name="x" min=${-20} max=${20} step="0.1" />
  <${Field} title="y" unit="m" of=${of} name="y" min=${-20} max=${20} step="0.1" />
  <${Field} title="heading" unit="°" of=${of} name="heading" min=${-180} max=${180} step="5" /></span>`

function KickForm() {
  const kicks = list(manage.view?.kicks)
  return html`<${Choice} title="kick" value=${checks.index} options=${kicks.map((k, i) => [i, k.name])}
      set=${(/** @type {string} */ v) => change(checks, { index: Number(v) })} />
    <${Field} title="speed" unit="m/s" of=${checks.kick} name="speed" min=${0.5} max=${kicks[checks.index]?.speed ?? 12} step="0.1" />
    <${Field} title="tries" unit="" of=${checks} name="tries" min=${1} max=${manage.checks?.most.tries ?? 50} step="1" />
    <${Place} title="ball at" of=${checks.kick} />`
}

function WalkForm() {
  const turn = checks.figure === 'turn'
  const size = checks.figure === 'circle' || checks.figure === 'figure eight' ? 'radius' : checks.figure === 'square' ? 'side' : 'way'
  return html`<${Choice} title="figure" value=${checks.figure} options=${list(manage.checks?.figures).map((f) => [f, f])}
      set=${(/** @type {string} */ figure) => change(checks, { figure })} />
    <${Field} title="speed" unit=${turn ? 'rad/s' : 'm/s'} of=${checks.walk} name="speed" min=${0.1} max=${4} step="0.1" />
    ${!turn && html`<${Field} title=${size} unit="m" of=${checks.walk} name="size" min=${0.2} max=${10} step="0.1" />`}
    <${Field} title="laps" unit="" of=${checks.walk} name="laps" min=${1} max=${20} step="1" />
    <${Place} title="from" of=${checks.walk} />`
}

/** How far the run is, from 0 to 1. @param {KickRun | WalkRun} run */
function progress(run) {
  if ('tries' in run) return list(run.tries).length / (run.total || 1)
  return run.state === 'finished' ? 1 : run.total / (run.total + 10)
}

/** @param {{run: KickRun | WalkRun | null}} props */
function Progress({ run }) {
  const refused = manage.checks?.refused
  if (refused) return html`<p class="bad" role="alert">${refused[0].toUpperCase() + refused.slice(1)}</p>`
  if (!run) return html`<p class="dim">${holds() ? 'No check yet. Keep the robot’s path clear, and a finger on Space.'
    : 'Take control of the robot to start a check.'}</p>`
  const tone = run.state === 'finished' ? 'ok' : run.state === 'aborted' ? 'bad' : ''
  const count = 'tries' in run ? `${list(run.tries).length} of ${run.total} tries` : `${list(run.path).length} points`
  return html`<p role="status"><b class=${tone}>${run.state}</b><span>${run.note}</span><i class="progress"><i style=${{
    width: `${100 * progress(run)}%` }}></i></i><span class="dim">${count}</span></p>`
}

/** @param {{title: string, value: string, tone?: string}} props */
const Figure = ({ title, value, tone = '' }) => html`<div><b class=${tone}>${value}</b><p class="dim">${title}</p></div>`

/** Half of a 95 % interval. @param {Spread} s */
const half = (s) => (s.meanIn.to - s.meanIn.from) / 2

/** @param {{run: KickRun}} props */
function KickFigures({ run }) {
  const s = run.summary, none = '–'
  const aside = s.angle.tries > 1 && (s.angle.meanIn.from > 0 || s.angle.meanIn.to < 0)
  const spread = (/** @type {Spread} */ of, /** @type {number} */ digits) => of.tries > 1 ? ` ± ${half(of).toFixed(digits)}` : ''
  return html`<div class="figures"><${Figure} title=${`speed${spread(s.speed, 2)}, sd ${s.speed.sd.toFixed(2)}`}
      value=${s.speed.tries ? `${s.speed.mean.toFixed(2)} m/s` : none} />
    <${Figure} title=${`angle${s.angle.tries > 1 ? ` ± ${(half(s.angle) / DEGREE).toFixed(1)}°` : ''}, sd ${(s.angle.sd / DEGREE).toFixed(1)}°`}
      value=${s.angle.tries ? degrees(s.angle.mean, 1) : none} tone=${aside ? 'warn' : ''} />
    <${Figure} title=${`distance${spread(s.distance, 2)}, ${s.distance.tries} in sight`}
      value=${s.distance.tries ? `${s.distance.mean.toFixed(2)} m` : none} />
    <${Figure} title=${`good, at least ${Math.round(100 * s.rate.from)} %`} value=${`${s.good} of ${s.tries}`} /></div>`
}

/** @param {{run: KickRun}} props */
function KickTable({ run }) {
  const tries = list(run.tries), truth = tries.some((t) => t.truth)
  const sigma = (/** @type {number} */ v) => html`<span class="dim sigma"> ± ${v.toFixed(2)}</span>`
  return html`<div class="scroll"><table><thead><tr><th>try</th><th>speed, m/s</th>${truth && html`<th>true</th>`}<th>angle</th>
    ${truth && html`<th>true</th>`}<th>distance, m</th>${truth && html`<th>true</th>`}<th class="delay">delay, s</th></tr></thead>
    <tbody>${tries.map((t, i) => !t.ok ? html`<tr><td>${i + 1}</td><td colspan="7" class="bad">✕ no kick was seen</td></tr>`
      : html`<tr><td>${i + 1}</td><td><b>${t.speed.toFixed(2)}</b>${sigma(t.speedSigma)}</td>
        ${truth && html`<td>${t.truth?.speed.toFixed(2) ?? '–'}</td>`}<td><b>${degrees(t.angle, 1)}</b></td>
        ${truth && html`<td>${t.truth ? degrees(t.truth.angle, 1) : '–'}</td>`}
        <td>${t.inside ? html`<b>${t.distance.toFixed(2)}</b>${sigma(t.distanceSigma)}` : html`<span class="dim">out of sight</span>`}</td>
        ${truth && html`<td>${t.inside ? t.truth?.distance.toFixed(2) ?? '–' : '–'}</td>`}<td class="delay">${t.delay.toFixed(2)}</td></tr>`)}</tbody></table></div>`
}

/** How far two poses are apart: m, and rad from -pi to pi. @param {number[]} a @param {number[]} b */
const apart = (a, b) => ({ way: Math.hypot(a[0] - b[0], a[1] - b[1]),
  turn: wrapped(a[2] - b[2]) })

/** @param {{run: WalkRun}} props */
function WalkFigures({ run }) {
  const s = run.summary
  return html`<div class="figures"><${Figure} title="driven, by its localisation" value=${`${s.distance.toFixed(1)} m`} />
    <${Figure} title="odometry errs, a metre" value=${`${(100 * s.perMetre).toFixed(1)} cm`} />
    <${Figure} title="odometry errs, a turn" value=${degrees(s.perTurn, 1)} />
    <${Figure} title="turned" value=${degrees(s.turned)} /></div>`
}

/** The odometry's parameters and what the run suggests for them: the run measured odometry that had these values.
 * @param {WalkRun} run @returns {[string, number, number][]} */
function suggestions(run) {
  const { ahead, side, turn } = run.summary.suggest
  return /** @type {[string, number][]} */ ([['ahead', ahead], ['side', side], ['turn', turn]]).flatMap(([name, factor]) => {
    const p = parameter(`odometry ${name}`)
    return p && factor !== 1 ? [[p.name, p.value, Math.min(p.max, Math.max(p.min, p.value * factor))]] : []
  })
}

let used = '' // the robot and run whose suggestion was used

/** @param {{run: WalkRun}} props */
function WalkTable({ run }) {
  const path = list(run.path), last = path.at(-1)
  if (!last) return ''
  /** @type {[string, (p: WalkPoint) => number[] | null][]} */
  const rows = [['odometry', (p) => p.odometry], ['localised', (p) => p.world], ['truth', (p) => p.truth]]
  const better = run.state === 'finished' ? suggestions(run) : [], id = `${manage.robot} ${run.run}`
  return html`<div class="scroll"><table><thead><tr><th>off the wanted path</th><th>at the end</th><th>heading</th><th>at most</th></tr></thead>
    <tbody>${rows.map(([name, of]) => {
      const at = of(last), ends = at && apart(at, last.want)
      const most = Math.max(...path.map((p) => apart(of(p) ?? p.want, p.want).way))
      return ends && html`<tr><td>${name}</td><td><b>${(100 * ends.way).toFixed(0)}</b> cm</td><td>${degrees(ends.turn, 1)}</td>
        <td>${(100 * most).toFixed(0)} cm</td></tr>`
    })}</tbody></table></div>
    ${better.length > 0 && html`<p class="suggest"><span>${better.map(([name, was, is]) => html`<span>${name}
        <b> ${was.toFixed(3)} → ${is.toFixed(3)}</b></span>`)}</span><button disabled=${!holds() || used === id} onClick=${() => {
          used = id
          for (const [name, , value] of better) void ask('set', { name, value })
        }}>${used === id ? 'used: run it again' : 'use them'}</button></p>`}`
}

/** Compares with the kick check of a file. @param {File} file */
async function compareWith(file) {
  const last = await readKicks(file)
  if (last) change(checks, { last })
}

export function ChecksPanel() {
  const mine = holds(), run = shown(), busy = running(), kick = checks.kind === 'kick'
  const results = run && (list('tries' in run ? run.tries : null).length || list('path' in run ? run.path : null).length)
  return html`<section class="panel checks" aria-label="Checks"><div class="head"><h2>Checks</h2>
      <${Choices} label="kind of check" value=${checks.kind} options=${[['kick', 'kicks'], ['walk', 'walk']]}
        set=${(/** @type {'kick' | 'walk'} */ kind) => change(checks, { kind })} />
      <button class="other" onClick=${() => togglePanel('checks')}>parameters <kbd>X</kbd></button></div>
    <div class="form"><${kick ? KickForm : WalkForm} key=${checks.kind} />
      ${busy ? html`<button class="end" onClick=${stopCheck}>stop</button>`
        : html`<button class="begin" disabled=${!mine || !manage.view?.seen} onClick=${startCheck}>start</button>`}</div>
    <div class="state"><${Progress} run=${run} /></div>
    ${results ? html`${'tries' in run ? html`<${KickFigures} run=${run} />` : html`<${WalkFigures} run=${run} />`}
      <${Canvas} name="check" key=${checks.kind} label=${kick ? 'speed or distance and angle of each kick' : 'the wanted path and those measured'}
        draw=${(/** @type {import('../shared/canvas.js').Pen} */ pen) => 'tries' in run ? drawKicks(pen, run, checks.last) : drawWalk(pen, run)} />
      ${'tries' in run ? html`<${KickTable} run=${run} />` : html`<${WalkTable} run=${run} />`}
      <div class="files"><button onClick=${() => saveCheck(run)}>save JSON</button><button onClick=${() => saveCSV(run)}>save CSV</button>
        ${kick && html`<${OpenButton} text="compare with …" open=${compareWith} />
          ${checks.last && html`<button onClick=${() => change(checks, { last: null })}>compare no more</button>`}`}</div>` : ''}</section>`
}

let begun = false // a check runs that ends the permission when it ends

/** Ends the permission of a check that has ended: a later one needs its own. */
export function watchCheck() {
  if (running()) begun = true
  else if (begun) {
    begun = false
    drive.check = false
  }
}
