// The data of the booking's view: who each robot believes to have booked the ball.

/** @import {BookingsRobot, BookingsView} from '../types' */
import { change, list } from '../shared/state.js'
import { live } from '../wall/state.js'

export const booking = {
  view: /** @type {BookingsView | null} */ (null),
  shift: 0, // s from the times of the view to the clock of the wall
  apart: /** @type {number[]} */ ([]), // robots that the user chose for the other side of a partition
}

const SAME = 1 // s by which clocks differ that count as one: the view is older than the wall, or newer

/** Shows what the robots believe. Times of a view on another clock than the wall's are as long ago as at its arrival.
 * @param {BookingsView | null} view */
export function applyBooking(view) {
  booking.view = view
  const shift = view ? (live.at ?? live.wall?.time ?? view.time) - view.time : 0
  booking.shift = Math.abs(shift) > SAME ? shift : 0
}

/** Forgets another run of the program. */
export const forgetBooking = () => change(booking, { view: null, shift: 0, apart: [] })

/** The robots of the last minute, by number. @returns {BookingsRobot[]} */
export const robots = () => list(booking.view?.robots)

/** Whether a robot has booked the ball by its own belief. @param {BookingsRobot} r */
export const hasBooked = (r) => r.live && r.booker === r.number

/** Whether the robot with a number has booked the ball. @param {number} number */
export const isBooker = (number) => robots().some((r) => r.number === number && hasBooked(r))

/** What the booking is, in words. */
export function inWords() {
  const bookers = robots().filter(hasBooked).map((r) => r.number), sees = robots().some((r) => r.own != null)
  if (!robots().length) return 'no robot reports it'
  if (bookers.length === 1) return `robot ${bookers[0]} has booked it`
  if (bookers.length > 1) return `robots ${bookers.join(' and ')} have booked it at the same time`
  return sees ? 'no robot has booked it' : 'no robot can play the ball'
}
