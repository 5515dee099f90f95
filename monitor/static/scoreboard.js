// The audience's page: score, clock and countdowns from afar. ?overlay=1 is a bar for a stream's picture, with nothing
// behind it; ?delay=15 shows what was 15 s ago.

/** @import {RefboxShow, RefboxTeamShow} from './types' */
import { clock } from './format.js'
import { digitOf, Help, keyOf, onKeys, typing } from './help.js'
import { html } from './htm/preact/standalone.module.js'
import { begin, Head, Lost, write } from './pages.js'
import { beginSound, Countdowns, listenFor, SoundButton, toggleSound } from './sound.js'
import { change, state } from './state.js'
import { connect } from './stream.js'
import { capital, standing } from './words.js'

const LONGEST = 120 // s of delay; ten shows a second are kept for it
const asked = new URLSearchParams(location.search)
const overlay = asked.get('overlay') === '1'
const delay = Math.min(LONGEST, Math.max(0, Number(asked.get('delay')) || 0))

/** @type {[string, string][]} */
const rows = [['F', 'full screen'], ['\\', 'sound on and off: a tone when a countdown ends'], ['?overlay=1', 'in the address: a bar for a stream’s picture, nothing behind it'], ['?delay=15', 'in the address: shows what was 15 s ago']]

/** What came, and when, oldest first. @type {{at: number, show: RefboxShow}[]} */
let past = []

/** Takes a show in and returns the newest that is old enough; null while none is.
 * @param {RefboxShow | null} show @param {number} now ms @param {number} wait ms */
function delayed(show, now, wait) {
  if (show) past.push({ at: now, show })
  const at = past.findLastIndex((p) => p.at <= now - wait)
  if (at > 0) past = past.slice(at)
  return at < 0 ? null : past[0].show
}

/** How many seconds until the first show is old enough. */
const soon = () => past.length ? Math.max(0, delay - (performance.now() - past[0].at) / 1000) : delay

/** @param {RefboxShow | null} show */
function reveal(show) {
  if (!show || show === state.refbox) return
  listenFor(show)
  state.refbox = show
  document.title = `${show.home.name} ${show.home.goals}:${show.away.goals} ${show.away.name}`
}

/** @param {{t: RefboxTeamShow}} props */
const Team = ({ t }) => html`<div class="show-team ${t.side}"><i></i><h1>${t.name}</h1></div>`

/** @param {{show: RefboxShow}} props */
function Board({ show }) {
  const now = standing(show)
  return html`<div class="show-of"><div class="show-teams"><${Team} t=${show.home} />
    <div class="show-score" aria-label="score">${show.home.goals}<i>:</i>${show.away.goals}</div><${Team} t=${show.away} /></div>
    <div><div class="show-clock" aria-label="clock">${clock(show.total)}</div><div class="show-part">${capital(show.part)}${show.length > 0 && ` of ${clock(show.length)}`}</div>
      ${show.play && html`<div class="show-stands ${now.level}"><i aria-hidden="true">${now.shape}</i> ${now.words}</div>`}</div>
    <div class="show-counts"><${Countdowns} show=${show} /></div></div>`
}

/** @param {{show: RefboxShow}} props */
function Bar({ show }) {
  const now = standing(show), name = (/** @type {RefboxTeamShow} */ t) => html`<span class="name ${t.side}">${t.short || t.name}</span>`
  return html`<div class="bar-of">${name(show.home)}<span class="goals-in" aria-label="score">${show.home.goals} : ${show.away.goals}</span>${name(show.away)}
    <span aria-label="clock">${clock(show.total)}</span><span class="state-of ${now.level}">${show.play ? `${now.shape} ${now.words}` : capital(show.part)}</span>${delay > 0 && html`<span class="delayed">delayed ${delay} s</span>`}</div>
    <div class="bar-counts"><${Countdowns} show=${show} /></div>`
}

function App() {
  const show = state.refbox
  if (overlay) return show && html`<${Bar} show=${show} />`
  return html`<${Head}><span class="field-of">${show?.name}</span><${SoundButton} /><//><${Lost} />
    <main>${show ? html`<${Board} show=${show} />` : html`<p class="empty">${delay && past.length ? `the delayed picture begins in ${Math.ceil(soon())} s` : state.link === 'lost' ? '' : 'connecting'}</p>`}
    ${delay > 0 && html`<p class="show-note">delayed ${delay} s</p>`}</main><${Help} open=${state.help} rows=${rows} />`
}

/** @param {KeyboardEvent} e */
function down(e) {
  if (typing(e) || e.ctrlKey || e.metaKey || e.altKey || digitOf(e)) return
  const key = keyOf(e)
  if (key === 'f') void (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen())
  else if (key === '\\') toggleSound()
  else if (key === '?') change({ help: !state.help })
  else return
  e.preventDefault()
}

if (overlay) document.documentElement.classList.add('overlay')
beginSound('scoreboard', false)
onKeys(down)
begin(App)
connect(['refbox'], (_, show) => {
  reveal(delayed(show, performance.now(), delay * 1000))
  write()
})
if (delay) {
  setInterval(() => {
    reveal(delayed(null, performance.now(), delay * 1000))
    write()
  }, 100)
}
