// The robot's state machine: which one runs, another one from a file for the editor, and the way back.

import { html } from '../htm/preact/standalone.module.js'
import { openFile, toggleEditor } from '../behaviour/editor.js'
import { ask, holds, manage } from './state.js'

/** A checksum in words. @param {number} sum */
export const checksum = (sum) => sum ? sum.toString(16).padStart(8, '0') : 'none'

/** Whether the robot may have a machine to go back to, or none as in the beginning. */
export const canRollBack = () => {
  const m = manage.view?.machine
  return holds() && !!(m?.running || m?.waiting || m?.previous)
}

export function MachinePanel() {
  const m = manage.view?.machine
  return html`<section class="panel runs" aria-label="Behaviour"><div class="head"><h2>Behaviour</h2>
    <span class="dim">state machine <code>${m ? checksum(m.running) : '–'}</code>${m?.waiting
      ? html`, <b class="warn">${checksum(m.waiting)} waits for a safe moment</b>` : ''}</span>
    <button onClick=${toggleEditor}>edit <kbd>M</kbd></button><label class="button">open a file …<input type="file" accept=".json,application/json"
      onChange=${openFile} /></label>
    <button disabled=${!canRollBack()} onClick=${() => ask('rollback')}
      title=${m ? `back to ${checksum(m.previous)}` : ''}>roll back</button></div>
    ${m?.upload && html`<p role="status">${m.upload}</p>`}</section>`
}
