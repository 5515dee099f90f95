// Checks as files: JSON as the program sends them, CSV with a row for each kick or point.

/** @import {ManagerKickRun as KickRun, ManagerWalkRun as WalkRun} from '../types' */
import { saveFile, saveJSON } from '../shared/files.js'
import { list } from '../shared/state.js'
import { errorText, toast } from '../shared/stream.js'
import { manage } from './state.js'

/** The name of a check's file, without its ending. @param {KickRun | WalkRun} run */
function nameOf(run) {
  const kind = 'tries' in run ? `kick-${list(manage.view?.kicks)[run.kick]?.name ?? run.kick}` : run.figure.replace(' ', '-')
  return `robot-${manage.robot}-${kind}-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}`
}

/** @param {KickRun | WalkRun} run */
export const saveCheck = (run) => saveJSON(`${nameOf(run)}.json`, { robot: manage.robot, ...run })

/** @param {KickRun | WalkRun} run */
export const saveCSV = (run) => saveFile(`${nameOf(run)}.csv`,
  new Blob(['tries' in run ? kickCSV(run) : walkCSV(run)], { type: 'text/csv' }))

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

/** Reads the kick check of a file; null for another file. @param {File} file @returns {Promise<KickRun | null>} */
export async function readKicks(file) {
  try {
    const run = JSON.parse(await file.text())
    const s = run?.summary
    if (![s?.speed, s?.angle, s?.distance].every(isSpread)) throw new Error('no kick check that this page saved')
    return run
  } catch (err) {
    toast(`${file.name}: ${errorText(err)}`)
    return null
  }
}
