// Checks as files: JSON as the program sends them, CSV with a row for each kick or point.

/** @import {ManagerKickRun as KickRun, ManagerWalkRun as WalkRun} from '../types' */
import { change, list } from '../shared/state.js'
import { errorText, toast } from '../shared/stream.js'
import { checks } from './checks.js'
import { manage } from './state.js'

/** @param {KickRun | WalkRun} run @param {string} type @param {string} ending @param {string} text */
function save(run, type, ending, text) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  const kind = 'tries' in run ? `kick-${list(manage.view?.kicks)[run.kick]?.name ?? run.kick}` : run.figure.replace(' ', '-')
  link.download = `robot-${manage.robot}-${kind}-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.${ending}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** @param {KickRun | WalkRun} run */
export const saveJSON = (run) => save(run, 'application/json', 'json', JSON.stringify({ robot: manage.robot, ...run }, null, 1) + '\n')

/** @param {KickRun | WalkRun} run */
export const saveCSV = (run) => save(run, 'text/csv', 'csv', 'tries' in run ? kickCSV(run) : walkCSV(run))

/** @param {(string | number)[][]} rows */
const csv = (rows) => rows.map((r) => r.join(',') + '\n').join('')

/** @param {KickRun} run */
function kickCSV(run) {
  /** @type {(string | number)[][]} */
  const rows = [['try', 'good', 'speed_m_s', 'speed_sigma', 'angle_rad', 'angle_sigma', 'distance_m', 'distance_sigma', 'delay_s',
    'true_speed_m_s', 'true_angle_rad', 'true_distance_m']]
  list(run.tries).forEach((t, i) => rows.push([i + 1, t.ok ? 1 : 0, ...t.ok ? [t.speed, t.speedSigma, t.angle, t.angleSigma]
    : ['', '', '', ''], ...t.inside ? [t.distance, t.distanceSigma] : ['', ''], t.ok ? t.delay : '', t.truth?.speed ?? '',
  t.truth?.angle ?? '', t.inside ? t.truth?.distance ?? '' : '']))
  return csv(rows)
}

/** @param {WalkRun} run */
function walkCSV(run) {
  const of = (/** @type {number[] | null} */ p) => p ?? ['', '', '']
  return csv([['time_s', ...['want', 'odometry', 'localised', 'true'].flatMap((n) => [`${n}_x_m`, `${n}_y_m`, `${n}_heading_rad`])],
    ...list(run.path).map((p) => [p.time, ...of(p.want), ...of(p.odometry), ...of(p.world), ...of(p.truth)])])
}

/** Whether a value is a spread of measurements. @param {any} s */
const isSpread = (s) => [s?.tries, s?.mean, s?.sd].every((v) => typeof v === 'number' && Number.isFinite(v))

/** Compares with the kick check of a file. @param {Event} e */
export async function compareWith(e) {
  const input = /** @type {HTMLInputElement} */ (e.currentTarget), file = input.files?.[0]
  if (!file) return
  try {
    const run = JSON.parse(await file.text())
    const s = run?.summary
    if (![s?.speed, s?.angle, s?.distance].every(isSpread)) throw new Error('no kick check that this page saved')
    change(checks, { last: run })
  } catch (err) {
    toast(`${file.name}: ${errorText(err)}`)
  }
  input.value = ''
}
