// How right the open robot is about the ball, and whether it knows that: its error and its NEES over the last minute,
// where ground truth is known.

/** @import {PacketView, PlaybackFrame, Thing, Tile, Wall} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
/** @import {Point} from '../shared/chart.js' */
import { html } from '../htm/preact/standalone.module.js'
import { past } from '../session/past.js'
import { redraw } from '../shared/canvas.js'
import { Chart, drawCurve } from '../shared/chart.js'
import { distance, withUnit } from '../shared/format.js'
import { list } from '../shared/state.js'
import { get } from '../shared/stream.js'
import { limits } from '../wall/health.js'
import { HISTORY, live, tileOf } from '../wall/state.js'

/** The ball's error in m, that of the robot without radio, and the NEES: the squared error in units of the belief's own
 * variance. @typedef {{t: number, error: number | null, alone: number | null, nees: number | null}} Sample */

const APART = 0.19 // s between samples
const STEP = 0.6 // s between those fetched from the session's history, which sends at most 100 frames
const AGAIN = 2000 // ms between requests

// Up to there lie 95 % of the squared errors in two dimensions if the covariance is right. Their mean is 2.
const band = /** @type {[number, number]} */ ([0, 5.991])
const MOST = 12 // NEES at the upper edge of the plot

const kept = { key: '', samples: /** @type {Sample[]} */ ([]), asked: -Infinity } // of the open robot, oldest first

/** @param {Thing | null | undefined} ball @param {{x: number, y: number}} truth */
const errorOf = (ball, truth) => ball ? Math.hypot(ball.x - truth.x, ball.y - truth.y) : null

/** The squared error in units of the ball's covariance. @param {Thing | null} ball
 * @param {{x: number, y: number}} truth */
function neesOf(ball, truth) {
  if (!ball?.cov) return null
  const { xx, xy, yy } = ball.cov, x = ball.x - truth.x, y = ball.y - truth.y, det = xx * yy - xy * xy
  return det > 0 ? (yy * x * x - 2 * xy * x * y + xx * y * y) / det : null
}

/** Keeps the sample of a wall, unless there is one of about its time. @param {Wall} wall @param {Tile | undefined} tile
 * @param {PacketView | null} view */
function keep(wall, tile, view) {
  const { samples } = kept, { truth, time: t } = wall
  if (!truth || !tile || tile.state !== 'live') return
  let i = samples.length
  while (i > 0 && samples[i - 1].t > t) i--
  if (i > 0 && t - samples[i - 1].t < APART || i < samples.length && samples[i].t - t < APART) return
  const { ball } = tile.belief
  samples.splice(i, 0, { t, error: errorOf(ball, truth.ball), nees: neesOf(ball, truth.ball),
    alone: errorOf(view?.alone?.ball, truth.ball) })
}

/** Keeps what the open robot's wall shows, and fetches the minute before the shown time where it is recorded. Called
 * whenever the page shows another time. */
export function followAccuracy() {
  const { wall } = live, tile = tileOf(live.sel)
  if (live.view !== 'robot' || !wall || !tile || tile.real || !wall.truth) return
  const key = `${tile.key} ${tile.number}`
  if (kept.key !== key || (kept.samples[0]?.t ?? 0) > wall.time + 600) Object.assign(kept, { key, samples: [],
    asked: -Infinity })
  keep(wall, tile, live.packets?.key === tile.sender ? live.packets : null)
  kept.samples = kept.samples.filter((s) => Math.abs(s.t - wall.time) < 2 * HISTORY)
  void fill(wall.time)
}

/** Fetches the last minute up to a time, unless most of it is there. @param {number} time s */
async function fill(time) {
  const { session } = past, from = Math.max(session?.from ?? time, time - HISTORY), { key } = kept
  const there = new Set(shown(time).map((s) => Math.floor(s.t))).size
  if (!session || there > 0.8 * (time - from) - 3 || performance.now() - kept.asked < AGAIN) return
  kept.asked = performance.now()
  try {
    const { frames } = await get(`api/session/frames?from=${from * 1000}&to=${time * 1000}&step=${STEP * 1000}`)
    for (const { wall } of list(/** @type {PlaybackFrame[]} */ (frames))) {
      const tile = list(wall?.tiles).find((t) => `${t.key} ${t.number}` === key)
      if (wall && kept.key === key) keep(wall, tile, null)
    }
    redraw()
  } catch {
    // The curves grow from now on.
  }
}

/** The samples of the minute before a time. @param {number} time s */
const shown = (time) => kept.samples.filter((s) => s.t <= time + APART && s.t >= time - HISTORY)

/** @param {'error' | 'nees' | 'alone'} what @returns {Point[]} */
const curve = (what) => shown(live.wall?.time ?? 0).map((s) => ({ t: s.t, value: s[what] }))

/** @param {Pen} pen */
function drawError(pen) {
  drawCurve(pen, { now: live.wall?.time ?? 0, seconds: HISTORY, points: curve('error'), beside: curve('alone'), top: 0.3,
    most: 1, unit: 'm', bad: (metres) => metres >= limits.ballError[0] })
}

/** @param {Pen} pen */
function drawNees(pen) {
  drawCurve(pen, { now: live.wall?.time ?? 0, seconds: HISTORY, points: curve('nees'), top: MOST, most: MOST, unit: 'NEES',
    band, bad: (nees) => nees > band[1] })
}

/** The root mean square error, the share of errors inside the band, and the mean NEES; null without a ball. */
function summary() {
  const all = shown(live.wall?.time ?? 0).flatMap(({ error, nees }) => error == null || nees == null ? []
    : [{ error, nees }])
  if (!all.length) return null
  const mean = (/** @type {(s: {error: number, nees: number}) => number} */ f) =>
    all.reduce((sum, s) => sum + f(s), 0) / all.length
  return { rms: Math.sqrt(mean((s) => s.error ** 2)), inside: mean((s) => s.nees <= band[1] ? 1 : 0),
    nees: mean((s) => s.nees) }
}

/** Why nothing can be compared with the truth; '' if it can. @param {Wall} wall @param {Tile} tile */
function missing(wall, tile) {
  if (tile.real) return wall.truth ? 'a real robot is not on the simulated field: its true ball is not known'
    : 'needs the ground truth, which only a session of the demo or its recording has'
  return tile.state === 'off' ? tile.crashed || 'switched off' : wall.truth ? '' : 'this recording has no ground truth'
}

/** @param {{wall: Wall, tile: Tile}} props */
export function Accuracy({ wall, tile }) {
  const why = missing(wall, tile), s = why ? null : summary()
  return html`<section class="panel accuracy" aria-label="Ball error and calibration">${why ? html`
    <div class="head"><h2>Ball error, calibration</h2></div><p class="empty">${why}</p>` : html`<div class="plots">
    <${Chart} title=${html`<b>Ball error</b>`} sub="grey: without radio" value=${html`<b class="hz">${s ? withUnit(distance(s.rms)) : '–'}</b>`}
      name="error" label="error of the ball in the last minute" draw=${drawError} />
    <${Chart} title=${html`<b>Calibration</b>`} sub="95 % expected"
      value=${html`<b class="hz">${s ? `${Math.round(100 * s.inside)} %` : '–'}</b>`} name="nees" draw=${drawNees}
      label=${'squared error in units of the believed variance in the last minute'
      + (s ? `, ${s.nees.toFixed(1)} on average, 2 expected` : '')} /></div>`}</section>`
}
