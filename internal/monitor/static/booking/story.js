// The story: the figure of the paper that the session has reached, what it shows, and the way to the next one.

/** @import {Story} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { command } from '../shared/stream.js'
import { isPast } from '../session/past.js'
import { live } from '../wall/state.js'

/** Whether the story waits for the user. @param {Story | null | undefined} story */
const waits = (story) => !!story && story.reached && story.figure < story.last && !story.failed && !isPast()

/** Goes on to the next figure. It reports whether the story waited for that. */
export function nextFigureOfStory() {
  const waited = waits(live.wall?.story)
  if (waited) void command('next', {})
  return waited
}

/** @param {{story: Story}} props */
export function StoryPanel({ story }) {
  const { figure, first, last, reached, failed } = story
  const all = Array.from({ length: last - first + 1 }, (_, i) => first + i)
  return html`<section class="panel story" aria-label="Story" data-figure=${figure} data-reached=${reached ? '' : undefined}>
    <div class="head"><h2>TeamChaos paper, section 5</h2><ol aria-label="figures">${all.map((n) => html`<li key=${n}
      class=${n < figure || n === figure && reached ? 'seen' : ''} aria-current=${n === figure ? 'step' : undefined}>
      ${n}</li>`)}</ol></div>
    <div class="story-text"><h3>Figure ${figure}: ${story.title}</h3>
      ${failed ? html`<p class="bad" role="alert">${failed} Start the program again.</p>`
    : reached ? html`<p>${story.caption}</p><p class="booked"><b>Booking now:</b> ${story.booking}</p>`
    : html`<p class="dim" role="status">${isPast() ? 'on the way to this figure' : 'The session runs until this figure is reached.'}
      </p>`}
      <div class="story-next">${figure === last && reached ? html`<span class="dim">the end of the story</span>`
    : html`<button class="next" disabled=${!waits(story)} onClick=${nextFigureOfStory}>
      next${figure < last ? `: figure ${reached ? figure + 1 : figure}` : ''} <kbd>Enter</kbd></button>`}</div></div>
    </section>`
}
