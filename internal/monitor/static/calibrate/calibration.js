// The calibration of a robot's camera: the program holds pictures and computes; what it finds is set at the robot as its
// parameters are.

import { html } from '../htm/preact/standalone.module.js'
import { Choices } from '../shared/inputs.js'
import { change } from '../shared/state.js'
import { togglePanel } from '../manage/state.js'
import { Colours } from './colours.js'
import { Patch } from './patch.js'
import { Pose } from './pose.js'

const calibration = { kind: /** @type {'patch' | 'colours' | 'pose'} */ ('patch') }

/** @type {[typeof calibration.kind, string][]} */
const kinds = [['patch', 'exposure'], ['colours', 'colours'], ['pose', 'pose and lens']]

export function CalibrationPanel() {
  return html`<section class="panel calibration" aria-label="Calibration"><div class="head"><h2>Calibration</h2>
      <${Choices} label="kind of calibration" value=${calibration.kind} options=${kinds}
        set=${(/** @type {typeof calibration.kind} */ kind) => change(calibration, { kind })} />
      <button class="other" onClick=${() => togglePanel('calibration')}>parameters <kbd>V</kbd></button></div>
    <${{ patch: Patch, colours: Colours, pose: Pose }[calibration.kind]} /></section>`
}
