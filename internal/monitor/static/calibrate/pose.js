// Where a robot's camera sits and how its lens draws, from the field's lines in pictures of several poses of the head.

/** @import {ManagernetFoundView as FoundView, ManagernetLineView as LineView, ManagernetPoseView as PoseView,
 * ManagernetSampleView as SampleView} from '../types' */
import { Canvas } from '../shared/canvas.js'
import { circle } from '../shared/draw.js'
import { html } from '../htm/preact/standalone.module.js'
import { DEGREE } from '../shared/format.js'
import { change, list } from '../shared/state.js'
import { colors, fonts, sizes } from '../shared/theme.js'
import { NumberInput } from '../manage/draft.js'
import { ask, holds, manage, parameter } from '../manage/state.js'
import { Decoded } from '../shared/picture.js'
import { Undo } from './undo.js'

const MOST = { pan: 60 * DEGREE, tilt: 40 * DEGREE, x: 11, y: 8 } // of the coverage that is drawn
const BEFORE = '#ffb454', AFTER = '#5ce1ff'

const poses = { count: 16 }

const shown = new Decoded()

/** The calibration of the pose. @returns {PoseView | null} */
const pose = () => manage.calibration?.pose ?? null

/** Draws lines over a picture. @param {CanvasRenderingContext2D} g @param {LineView[]} lines @param {{x: number, y: number,
 * w: number, h: number, scale: number}} at @param {string} color @param {number[]} dash */
function drawLines(g, lines, at, color, dash) {
  g.save()
  g.beginPath()
  g.rect(at.x, at.y, at.w, at.h)
  g.clip()
  g.beginPath()
  for (const { points } of lines) {
    const line = list(points)
    for (let i = 0; i + 1 < line.length; i += 2) {
      const x = at.x + (line[i] + 0.5) * at.scale, y = at.y + (line[i + 1] + 0.5) * at.scale
      if (i) g.lineTo(x, y)
      else g.moveTo(x, y)
    }
  }
  for (const [stroke, width] of /** @type {[string, number][]} */ ([['#000a', 3.4], [color, 1.8]])) {
    g.strokeStyle = stroke
    g.lineWidth = width
    g.setLineDash(dash)
    g.stroke()
  }
  g.restore()
}

/** Draws a sample's picture with the lines of the field before and after. @param {import('../shared/canvas.js').Pen} pen */
function drawSample(pen) {
  const sample = pose()?.shown, at = shown.draw(pen, 'pictures of several poses of the head come here')
  if (!at || !sample) return
  const before = list(sample.before), after = list(sample.after)
  drawLines(pen.g, before, at, BEFORE, [6, 4])
  drawLines(pen.g, after, at, AFTER, [])
  pen.drawn.push({ glyph: 'sample', x: at.x, y: at.y, index: sample.index, before: before.length, after: after.length })
}

/** Draws where the head looked. @param {import('../shared/canvas.js').Pen} pen */
function drawCoverage({ g, w, h, drawn }) {
  const samples = list(pose()?.samples), left = 8, right = w - 8, top = sizes.small + 8, bottom = h - 8
  const head = (/** @type {SampleView} */ s) => ({ x: (left + right) / 2 - s.pan / MOST.pan * (right - left) / 2,
    y: top - s.tilt / MOST.tilt * (bottom - top) })
  const place = (/** @type {SampleView} */ s) => ({ x: (left + right) / 2 + s.x / MOST.x * (right - left) / 2,
    y: (top + bottom) / 2 - s.y / MOST.y * (bottom - top) / 2 })
  const at = pose()?.mirror ? place : head
  g.strokeStyle = colors.hair
  g.lineWidth = 1
  g.strokeRect(left, top, right - left, bottom - top)
  g.font = fonts.small
  g.fillStyle = colors.dim
  g.textAlign = 'left'
  g.fillText(pose()?.mirror ? 'coverage: places within 22 × 16 m' : 'coverage: pan ±60°, tilt 0 to −40°', left, top - 5)
  samples.forEach((s, i) => {
    const { x, y } = at(s), lines = s.points >= 20
    circle(g, x, y, i === pose()?.shown?.index ? 6 : 4)
    g.strokeStyle = g.fillStyle = s.rejected ? colors.dim : lines ? colors.ok : colors.bad
    if (s.held || s.rejected) g.stroke()
    else g.fill()
    drawn.push({ glyph: 'head', x, y, points: s.points })
  })
}

/** In words, what is to be done or what was found. */
function State() {
  const p = pose()
  if (!p) return html`<p class="dim">${!holds() ? 'Take control of the robot to calibrate its camera.' : parameter('mirror')
    ? 'Collect pictures, and drive or carry the robot to as many places on the field, with different headings.'
    : 'Put the robot where it knows its position and sees lines in different directions, and keep it still.'}</p>`
  const tone = p.state === 'determined' ? 'ok' : p.state === 'refused' || p.state === 'ended' ? 'bad' : ''
  const figures = p.found && `rms ${p.rms.toFixed(2)} px${p.holdOut ? `, pictures that were not used ${p.holdOut.toFixed(2)} px` : ''}`
  return html`<p role="status"><b class=${tone}>${p.state}</b><span>${p.state === 'collecting'
    ? `${list(p.samples).length} of ${p.wanted} pictures${p.mirror ? ': drive or carry it to another place, and let it stand' : ''}` : p.text}</span><span class="dim">${figures}</span></p>`
}

/** A value and its deviation as people read it. @param {FoundView} f @param {number} v */
const told = (f, v) => f.unit === 'rad' ? `${(v / DEGREE).toFixed(2)}°` : f.unit === 'm' ? `${(100 * v).toFixed(1)} cm`
  : f.unit === 'px' ? `${v.toFixed(1)} px` : v.toFixed(3)

/** The true value of what is found, where a simulator draws the pictures: the default, and how the camera was knocked.
 * @param {FoundView} f */
function truth(f) {
  const knock = parameter(f.name.replace('camera_', 'knock_')), built = parameter(f.name)
  return built ? told(f, built.default + (knock && knock !== built ? knock.value : 0)) : ''
}

/** Knocks the camera of a simulated robot by 3 to 6 degrees each way. */
function knock() {
  const some = () => (3 + 3 * Math.random()) * (Math.random() < 0.5 ? -1 : 1) * DEGREE
  void ask('set-all', { values: ['knock_tilt', 'knock_roll'].map((name) => ({ name, value: some() })) })
}

/** @param {{p: PoseView}} props */
function Found({ p }) {
  const drawn = !!parameter('knock_tilt')
  return html`<table><thead><tr><th>found</th><th>believed</th><th>is</th><th>predicted error</th>${drawn && html`<th>true</th>`}</tr></thead>
    <tbody>${list(p.found).map((f) => html`<tr data-found=${f.name}><td>${f.name}</td><td>${told(f, f.was)}</td><td><b>${told(f, f.is)}</b></td>
    <td class="dim">± ${told(f, f.sigma)}</td>${drawn && html`<td>${truth(f)}</td>`}</tr>`)}</tbody></table>`
}

/** @param {{p: PoseView}} props */
const Samples = ({ p }) => html`<div class="scroll"><table><thead><tr><th>picture</th><th>${p.mirror ? 'x, y' : 'pan'}</th><th>${p.mirror ? 'heading' : 'tilt'}</th><th>points</th><th>on lines</th>
    <th>rms, px</th><th></th></tr></thead><tbody>${list(p.samples).map((s, i) => html`<tr class=${i === p.shown?.index ? 'shown' : ''}>
    <td><button onClick=${() => ask('show-sample', { index: i })} disabled=${p.state === 'collecting'}>${i + 1}</button></td>
    <td>${p.mirror ? `${s.x.toFixed(1)}, ${s.y.toFixed(1)}` : `${(s.pan / DEGREE).toFixed(0)}°`}</td>
    <td>${((p.mirror ? s.heading : s.tilt) / DEGREE).toFixed(0)}°</td><td>${s.points}</td>
    <td>${p.found && !s.held && !s.rejected ? s.used : ''}</td><td>${p.found && !s.held && !s.rejected ? s.rms.toFixed(2) : ''}</td>
    <td>${s.held ? html`<span class="dim">checks</span>` : html`<button disabled=${!holds() || p.state === 'collecting'}
      onClick=${() => ask('reject', { index: i, rejected: !s.rejected })}>${s.rejected ? 'take in' : 'leave out'}</button>`}</td></tr>`)}
    </tbody></table></div>`

export function Pose() {
  const p = pose(), mine = holds(), busy = p?.state === 'collecting' || p?.state === 'computing'
  shown.show(p?.shown ? `${manage.robot} ${p.shown.number}` : '', p?.shown?.data)
  return html`<div class="form"><label class="field"><span class="dim">pictures</span><${NumberInput} id="pictures of a calibration"
        label="pictures" min=${4} max=${48} step="1" value=${String(poses.count)} off=${busy}
        set=${(/** @type {number} */ v) => change(poses, { count: Math.min(48, Math.max(4, Math.round(v))) })} /></label>
      ${p?.state === 'collecting' ? html`<button onClick=${() => ask('stop-collecting')}>stop</button>`
        : html`<button disabled=${!mine || busy || !manage.picture || manage.frozen} onClick=${() => ask('collect', { count: poses.count })}>collect pictures</button>`}
      <button disabled=${!mine || busy || !list(p?.samples).length} onClick=${() => ask('solve')}>compute</button>
      <button class="begin" disabled=${!mine || p?.state !== 'determined'} onClick=${() => ask('commit')}>set at the robot</button>
      <${Undo} />
      ${parameter('knock_tilt') && html`<button disabled=${!mine || busy} onClick=${knock}
        title="tilts and rolls the simulated camera by 3° to 6°; the robot does not know it">knock the camera</button>`}</div>
    <div class="state"><${State} /></div>
    <${Canvas} name="calibration" key="pose" label="a picture with the field’s lines before and after" draw=${drawSample} />
    <div class="legend dim"><i style=${{ borderTop: `2px dashed ${BEFORE}` }}></i>as the robot believes
      <i style=${{ borderTop: `2px solid ${AFTER}` }}></i>as found <span class="ok">● used</span><span class="ok">○ checks</span><span class="bad">● few lines</span></div>
    <${Canvas} name="coverage" label="where the head looked" draw=${drawCoverage} class="coverage" />
    ${p?.found && html`<${Found} p=${p} />`}${p && html`<${Samples} p=${p} />`}`
}
