// The robot's state machine: which one runs, another one from a file, and the way back.

import { html } from '../htm/preact/standalone.module.js'
import { toast } from '../shared/stream.js'
import { toggleEditor } from '../behaviour/editor.js'
import { ask, holds, manage } from './state.js'

/** A checksum in words. @param {number} sum */
export const checksum = (sum) => sum ? sum.toString(16).padStart(8, '0') : 'none'

/** Sends the state machine of a file. @param {Event} e */
async function upload(e) {
  const input = /** @type {HTMLInputElement} */ (e.currentTarget), file = input.files?.[0]
  if (!file) return
  try {
    await ask('machine', { machine: JSON.parse(await file.text()) })
  } catch (err) {
    toast(`${file.name} is no JSON: ${err instanceof Error ? err.message : err}`)
  }
  input.value = ''
}

/** Whether the robot may have a machine to go back to, or none as in the beginning. */
export const canRollBack = () => {
  const m = manage.view?.machine
  return holds() && !!(m?.running || m?.waiting || m?.previous)
}

export function MachinePanel() {
  const m = manage.view?.machine, mine = holds()
  return html`<section class="panel runs" aria-label="Behaviour"><div class="head"><h2>Behaviour</h2>
    <span class="dim">state machine <code>${m ? checksum(m.running) : '–'}</code>${m?.waiting
      ? html`, <b class="warn">${checksum(m.waiting)} waits for a safe moment</b>` : ''}</span>
    <button onClick=${toggleEditor}>edit <kbd>M</kbd></button><label class="button" aria-disabled=${!mine}>upload a file …<input type="file" accept=".json,application/json"
      disabled=${!mine} onChange=${upload} /></label>
    <button disabled=${!canRollBack()} onClick=${() => ask('rollback')}
      title=${m ? `back to ${checksum(m.previous)}` : ''}>roll back</button></div>
    ${m?.upload && html`<p role="status">${m.upload}</p>`}</section>`
}
