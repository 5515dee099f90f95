// The booking's view: the robot that goes to the ball, by the belief of every robot.

/** @import {Wall} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { AlarmList } from '../shared/header.js'
import { list } from '../shared/state.js'
import { alarmsOfTCM } from '../tcm/tcm.js'
import { Truth } from '../wall/truth.js'
import { ChaosPanel } from './chaos.js'
import { LanesPanel } from './lanes.js'
import { StoryView } from './story.js'
import { booking } from './state.js'
import { VariablesPanel } from './variables.js'

/** The alarms of the booking. Two programs with one id are an alarm of the TCM, and spoil the booking. */
export const alarmsOfBooking = () => [...list(booking.view?.alarms), ...alarmsOfTCM().filter((text) =>
  text.startsWith('Two programs send as'))]

/** @param {{wall: Wall}} props */
export function BookingView({ wall }) {
  const alarms = html`<${AlarmList} class="panel" texts=${alarmsOfBooking()} />`
  if (wall.story) return html`<main class="booking">${alarms}<${StoryView} wall=${wall} story=${wall.story} /></main>`
  return html`<main class="booking">${alarms}
    <div class="booking-panels"><div class="booking-main"><${LanesPanel} /><${VariablesPanel} /></div>
      <div class="booking-side"><${Truth} wall=${wall} />
      ${(wall.controls || wall.truth) && html`<${ChaosPanel} wall=${wall} />`}</div></div></main>`
}
