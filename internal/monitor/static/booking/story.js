// The story: the field in large, the figure that the session has reached, what it shows, and the way to every other one.

/** @import {Story, Wall} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { command } from '../shared/stream.js'
import { isPast } from '../session/past.js'
import { live } from '../wall/state.js'
import { Truth } from '../wall/truth.js'
import { ChaosPanel } from './chaos.js'
import { LanesPanel } from './lanes.js'
import { VariablesPanel } from './variables.js'

/** Whether the story waits for the user. @param {Story | null | undefined} story */
const waits = (story) => !!story && story.reached && !story.over && !isPast()

/** Goes on to the next figure. It reports whether the story waited for that. */
export function nextFigureOfStory() {
  const waited = !!live.wall?.controls && waits(live.wall.story)
  if (waited) void command('next', {})
  return waited
}

/** Plays up to a figure. @param {number} number */
const play = (number) => void command('figure', { number })

/** The figures as buttons. @param {{story: Story, controls: boolean}} props */
function Figures({ story, controls }) {
  const { figure, first, titles, reached } = story
  return html`<div class="story-figures" role="group" aria-label="figures">${(titles ?? []).map((title, i) => {
    const n = first + i
    return html`<button key=${n} class=${n < figure || n === figure && reached ? 'seen' : ''} disabled=${!controls || isPast()}
      aria-current=${n === figure ? 'step' : undefined} title=${`play figure ${n}: ${title}`} onClick=${() => play(n)}>${n}</button>`
  })}</div>`
}

/** @param {{story: Story, controls: boolean}} props */
export function StoryPanel({ story, controls }) {
  const { figure, first, last, reached, failed, over } = story
  return html`<section class="panel story" aria-label="Story" data-figure=${figure} data-reached=${reached ? '' : undefined}
    data-over=${over ? '' : undefined}>
    <div class="head"><h2 title=${story.heading}>${story.heading}</h2><${Figures} story=${story} controls=${controls} /></div>
    <div class="story-text"><h3>Figure ${figure}: ${story.title}</h3>
      ${failed ? html`<p class="bad" role="alert">${failed} Press a figure to play it again.</p>`
    : reached ? html`<p>${story.caption}</p><p class="booked"><b>Now:</b> ${story.booking}</p>`
    : html`<p class="dim" role="status">${isPast() ? 'on the way to this figure' : 'The session plays until this figure is reached.'}
      </p>`}
      <div class="story-next">${over ? html`<button class="next" disabled=${!controls || isPast()}
        onClick=${() => play(first)}>again from figure ${first}</button>`
    : html`<button class="next" disabled=${!controls || !waits(story)} onClick=${nextFigureOfStory}>
      next${figure < last ? `: figure ${reached ? figure + 1 : figure}` : ''} <kbd>Enter</kbd></button>`}</div></div>
    </section>`
}

/** The page of a story: the field is the largest part. @param {{wall: Wall, story: Story}} props */
export function StoryView({ wall, story }) {
  return html`<div class="story-panels"><${Truth} wall=${wall} />
    <div class="story-side"><${StoryPanel} story=${story} controls=${wall.controls} /><${VariablesPanel} />
      <${LanesPanel} />${(wall.controls || wall.truth) && html`<${ChaosPanel} wall=${wall} />`}</div></div>`
}
