// The buttons beside the strip: play, seek and speed of the past, and the recording of a live session.

import { html } from '../htm/preact/standalone.module.js'
import { clock, size } from '../shared/format.js'
import { NotesButton } from '../shared/notes.js'
import { PlayButtons } from '../shared/playback.js'
import { state } from '../shared/state.js'
import { errorText, toast } from '../shared/stream.js'
import { isSilent, live } from '../wall/state.js'
import { goLive, isPast, lookBack, past, pastError, playback, record, reverse, step, togglePlaying } from './past.js'

/** The button that records, with the size and the gaps of the file. */
function Record() {
  const { session } = past
  if (!session?.live || state.viewOnly) return ''
  const { recording } = session, running = recording?.running ?? false
  const press = async () => {
    try {
      await record(!running)
    } catch (e) {
      toast(errorText(e))
    }
  }
  return html`<button class="tape ${running ? 'on' : ''}" aria-pressed=${running} onClick=${press}
      title=${running ? 'stop recording' : 'record this session to a file on the server'}>
      <i aria-hidden="true"></i>${running ? 'stop' : 'record'}</button>
    ${recording && html`<span class="recording" title=${`${recording.file}: ${recording.error || 'complete so far'}`}>
      ${size(recording.bytes)}${running && `, ${clock(recording.seconds)}`}, ${recording.file}
      ${recording.dropped > 0 && html` <b class="bad">${recording.dropped} messages missing: ${recording.error}</b>`}
      </span>`}`
}

function Past() {
  const { session } = past, error = pastError()
  return html`<${PlayButtons} playback=${playback} toggle=${togglePlaying} reverse=${reverse}
      step=${(/** @type {1 | -1} */ direction) => step(0.1 * direction)} />
    ${session?.live && html`<button class="to-live" onClick=${goLive} title="show the present (End)">live</button>`}
    <${NotesButton} />
    ${session && session.ready < 1 && html`<span class="warn">${Math.floor(session.ready * 100)} % read</span>`}
    ${error && html`<span class="bad" role="alert">${error}</span>`}`
}

/** The time that the page shows. */
function shownTime() {
  const { session } = past
  if (live.at == null || !session) return `${isSilent() ? 'the referee, ' : 'the robots’ balls, '}last minute`
  if (!session.live) return `${clock(live.at)} of ${clock(session.to)}, ${session.file}`
  return `${clock(Math.max(0, session.to - live.at))} ago`
}

export function Controls() {
  return html`<div class="session-controls"><div class="title"><b>${isSilent() ? 'Events' : 'Disagreement'}</b> <span
      aria-label="shown time" class=${isPast() ? 'past' : ''}>${shownTime()}</span></div>
    <div class="buttons">${isPast() ? html`<${Past} />` : past.session && html`<button onClick=${lookBack}
      title=${`stop the picture and look back (B): ${clock(past.session.to - past.session.from)} minutes are kept, `
      + size(past.session.memory)}>❚❚ look back</button>`}<${Record} /></div></div>`
}
