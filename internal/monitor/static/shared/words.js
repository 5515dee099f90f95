// The words of figures that need an explanation, once for all pages, and the button that opens it.

import { html } from '../htm/preact/standalone.module.js'
import { change, state } from './state.js'

/** Each figure: its name on pages, and what it is in a sentence or two for people who do not know the league.
 * @type {Record<string, {name: string, text: string}>} */
const words = {
  pause: { name: 'longest pause (99 %)', text: 'The time between two packets from a sender: 99 of 100 pauses are no longer than this. '
    + 'A long pause means that packets were lost, or were late and arrived together.' },
  loss: { name: 'loss, estimated', text: 'The share of packets that did not arrive, estimated from the gaps between those that did.' },
  booked: { name: 'Booked', text: 'One robot of a team goes to the ball: it books the ball and tells the others. Each row is a robot. '
    + 'A solid block: the robot believes that it has booked the ball. A pale block: it believes that the robot with this number has.' },
  two: { name: 'two book', text: 'Time in which two robots of a team both believed that they had booked the ball: both go to it.' },
  none: { name: 'none books', text: 'Time in which no robot had booked the ball although one saw it: no robot goes to it.' },
  possession: { name: 'possession', text: 'Share of playing time in which a team had the ball: from its touch until the other '
    + 'team touches the ball, or nobody has for 2 s. The strip shows who had it when: home above, away beneath; discs are goals.' },
  near: { name: 'robots near the ball', text: 'How many robots of a team were within 1 m of the ball, on average. Above 1 they '
    + 'get in each other’s way.' },
  passes: { name: 'passes', text: 'Kicks after which a teammate was the next to touch the ball.' },
  shots: { name: 'shots', text: 'Kicks at the opponents’ goal that are fast enough to reach it and at most half a metre wide of a post.' },
  saves: { name: 'saves', text: 'Shots between the posts that the goalkeeper stopped.' },
  loops: { name: 'control loops', text: 'Each robot decides 50 times a second. 99 times out of 100 it is late or early by at most '
    + 'this. Above 5 ms this computer is too busy: close other programs.' },
  cpu: { name: 'of one core', text: 'The share of one processor core that touchline and its robots use.' },
  lost: { name: 'Lost', text: 'Out of 100 messages from the robot on the left to the robot above, this many did not arrive. C1 is the '
    + 'team’s computer beside the field.' },
  worst: { name: 'worst', text: 'The robot whose ball is farthest from the middle of what all robots believe.' },
  sources: { name: 'reported by', text: 'The robots whose reports give this robot its ball: it does not see the ball itself.' },
  axes: { name: 'axes', text: 'How this page turns the field and writes positions: x, or in the league’s frame Y, points to the '
    + 'opponents’ goal. It changes nothing in what robots send.' },
  partition: { name: 'partition', text: 'Cuts the chosen robots off from the rest: the two groups cannot reach each other.' },
}

/** The name of a figure. @param {string} key */
export const nameOf = (key) => words[key].name

/** A question mark that opens the explanation of a figure, by a tap, a click or Enter. @param {{of: string}} props */
export function Explain({ of }) {
  const open = state.explains?.of === of
  const press = (/** @type {Event} */ e) => {
    e.stopPropagation()
    const { left, right, top, bottom } = /** @type {HTMLElement} */ (e.currentTarget).getBoundingClientRect()
    change(state, { explains: open ? null : { of, x: (left + right) / 2, top, bottom } })
  }
  return html`<button type="button" class="explain" aria-expanded=${open} aria-label=${`what is ${words[of].name}?`}
    title=${words[of].text} onClick=${press}>?</button>`
}

/** Closes the open explanation. It reports whether there was one. */
export function closeExplanation() {
  const was = !!state.explains
  if (was) change(state, { explains: null })
  return was
}

const WIDE = 320 // px of an explanation

/** The open explanation, beside its question mark. */
export function Explanation() {
  const { explains } = state
  if (!explains) return null
  const { name, text } = words[explains.of], wide = Math.min(WIDE, innerWidth - 16)
  const left = Math.max(8, Math.min(explains.x - wide / 2, innerWidth - wide - 8)), low = explains.bottom > innerHeight * 0.6
  return html`<div class="explanation" role="status" style=${{ left: left + 'px', width: wide + 'px',
    ...low ? { bottom: innerHeight - explains.top + 6 + 'px' } : { top: explains.bottom + 6 + 'px' } }}>
    <b>${name}</b><p>${text}</p></div>`
}

addEventListener('pointerdown', (e) => {
  if (state.explains && !(e.target instanceof Element && e.target.closest('.explain, .explanation'))) closeExplanation()
})
addEventListener('scroll', () => void closeExplanation(), true)
