// The data of the booking's view: who each robot believes to have booked the ball.

/** @import {BookingRobot, BookingView} from '../types' */
import { change, list } from '../shared/state.js'
import { match } from '../match/state.js'
import { clockShift, live } from '../wall/state.js'

export const booking = {
  view: /** @type {BookingView | null} */ (null),
  shift: 0, // s from the times of the view to the clock of the wall
  apart: /** @type {number[]} */ ([]), // robots that the user chose for the other side of a partition
}

/** Shows what the robots believe. @param {BookingView | null} view */
export function applyBooking(view) {
  booking.view = view
  booking.shift = view ? clockShift(view.time) : 0
}

/** Forgets another run of the program. */
export const forgetBooking = () => change(booking, { view: null, shift: 0, apart: [] })

/** The robots of the last minute, by number. @returns {BookingRobot[]} */
export const robots = () => list(booking.view?.robots)

/** The tile of a robot of this program whose software does not run: it believes nothing, even while a pause keeps what
 * it said last. @param {number} number */
export const offTile = (number) => list(live.wall?.tiles).find((t) => !t.real && t.number === number && t.state === 'off'
  && t.color === (match.view && match.away ? 1 : 0))

/** Whether a robot has booked the ball by its own belief. @param {BookingRobot} r */
export const hasBooked = (r) => r.live && r.booker === r.number && !offTile(r.number)

/** Whether the robot with a number has booked the ball. @param {number} number */
export const isBooker = (number) => robots().some((r) => r.number === number && hasBooked(r))

/** The state of the booking in words. */
export function inWords() {
  const bookers = robots().filter(hasBooked).map((r) => r.number), sees = robots().some((r) => r.own != null)
  if (!robots().length) return 'no robot reports it'
  if (bookers.length === 1) return `robot ${bookers[0]} has booked it`
  if (bookers.length > 1) return `robots ${bookers.slice(0, -1).join(', ')} and ${bookers.at(-1)} have booked it at the same time`
  return sees ? 'no robot has booked it' : 'no robot can play the ball'
}
