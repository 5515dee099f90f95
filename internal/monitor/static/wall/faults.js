// Faults in the meaning of a robot's packages, with their fixes.

/** @import {Fault} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'

/** @param {{faults: Fault[] | null | undefined}} props */
export function Faults({ faults }) {
  const all = list(faults)
  return all.length > 0 && html`<ul class="faults" aria-label="faults of its packages">
    ${all.map((f) => html`<li key=${f.short} class=${f.suspicion ? 'warn' : 'bad'}><b>${f.short}</b> ${f.text}</li>`)}
  </ul>`
}
