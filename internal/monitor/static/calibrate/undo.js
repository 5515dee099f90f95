// The button that takes back the newest values set at the robot.

import { html } from '../htm/preact/standalone.module.js'
import { ask, holds, me } from '../manage/state.js'

export function Undo() {
  const undo = me()?.undo
  return html`<button disabled=${!holds() || !undo} title=${undo} onClick=${() => ask('undo')}>undo <kbd>Ctrl Z</kbd></button>`
}
