// The field as both base stations report it.

/** @import {RefboxRefereeShow} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
import { Canvas } from '../shared/canvas.js'
import { drawField, project } from '../shared/field.js'
import { html } from '../htm/preact/standalone.module.js'
import { drawWorldstate } from '../shared/worldstate.js'
import { sides } from './text.js'

const GONE = 10 // s after which a team's robots are not drawn any more

/** @param {Pen} pen @param {RefboxRefereeShow} referee */
function draw(pen, referee) {
  const v = project(referee.field, 'x', pen.w, pen.h)
  drawField(pen, v)
  sides.forEach((side, color) => {
    const { silent } = referee[side]
    if (silent != null && silent < GONE) drawWorldstate(pen, v, referee[side], color, silent)
  })
}

/** @param {{referee: RefboxRefereeShow}} props */
export const FieldPanel = ({ referee }) => html`<section class="panel field-panel" aria-label="Field"><${Canvas}
  name="referee" label="the field as both teams report it; the left team attacks to the right"
  draw=${(/** @type {Pen} */ pen) => draw(pen, referee)} /></section>`
