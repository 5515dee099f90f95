// The notes of a recording that the session's pages show.

/** @import {PlaybackState} from '../types' */
import { loadNotes, showNotes } from '../shared/notes.js'
import { request } from '../shared/stream.js'
import { live } from '../wall/state.js'
import { past, playback, seek } from './past.js'

showNotes({
  address: () => past.session && !past.session.live ? 'api/session/notes' : '', send: (note) => request('session-note', note),
  seconds: (t) => t, shown: () => live.at ?? 0,
  seek: (t) => {
    Object.assign(playback, { playing: false, until: 0 })
    seek(t)
  },
})

let known = false

/** Loads the notes once the recording is read: their times are then known. @param {PlaybackState} session */
export function followNotes(session) {
  if (session.live || session.ready < 1) known = false
  else if (!known) {
    known = true
    void loadNotes()
  }
}
