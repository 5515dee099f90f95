// The booking's view: the robot that goes to the ball, by the belief of every robot.

/** @import {Wall} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { alarmsOfTCM } from '../tcm/tcm.js'
import { Truth } from '../wall/truth.js'
import { ChaosPanel } from './chaos.js'
import { LanesPanel } from './lanes.js'
import { StoryPanel } from './story.js'
import { booking } from './state.js'
import { VariablesPanel } from './variables.js'

/** What is wrong with the booking. Two programs with one id are the TCM's alarm, and spoil the booking. */
export const alarmsOfBooking = () => [...list(booking.view?.alarms), ...alarmsOfTCM().filter((text) =>
  text.startsWith('Two programs send as'))]

/** @param {{wall: Wall}} props */
export function BookingView({ wall }) {
  const found = alarmsOfBooking()
  return html`<main class="booking">${found.length > 0 && html`<ul class="alarms panel" role="alert">
      ${found.map((text) => html`<li key=${text}>${text}</li>`)}</ul>`}
    <div class="booking-panels"><div class="booking-main"><${LanesPanel} /><${VariablesPanel} /></div>
      <div class="booking-side">${wall.story && html`<${StoryPanel} story=${wall.story} />`}
      <${Truth} wall=${wall} />
      ${(wall.controls || wall.truth) && html`<${ChaosPanel} wall=${wall} />`}</div></div></main>`
}
