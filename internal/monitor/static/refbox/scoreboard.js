// The audience's page: score, clock and countdowns. ?overlay=1 is a transparent bar for video streams; ?delay=15 shows
// the game 15 s late.

/** @import {RefboxRobotShow, RefboxShow, RefboxTeamShow} from '../types' */
import { clock } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { cameFrom, Header } from '../shared/header.js'
import { isForPage, keyOf } from '../shared/keyboard.js'
import { rerender, start } from '../shared/page.js'
import { change, list, state } from '../shared/state.js'
import { Countdowns, loadSound, SoundButton, soundCountdowns, toggleSound } from './sound.js'
import { box } from './state.js'
import { capital, gameState, nameTeamsBy, scoreText } from './text.js'

const LONGEST = 120 // s of delay; the page stores ten updates for each second
const query = new URLSearchParams(location.search)
const overlay = query.has('overlay')
const wrong = wrongQuery()
const delay = wrong ? 0 : Number(query.get('delay'))

/** Why the address is wrong; '' if it is right. */
function wrongQuery() {
  for (const [key, value] of query) {
    if (key === 'overlay' ? !/^1?$/.test(value) : key !== 'delay' || !/^\d+(\.\d+)?$/.test(value) || Number(value) > LONGEST) {
      return `The address ends in ${key}=${value}. This page takes overlay=1, and delay= with 0 to ${LONGEST} seconds: `
        + 'scoreboard?overlay=1&delay=15'
    }
  }
  return ''
}

/** @type {[string, [string, string][]][]} */
const keyGroups = [
  ['Page', [['F', 'full screen'], ['\\', 'sound on / off: a tone at the end of each countdown'],
    ['Esc', 'back to the page from which a link led here']]],
  ['In the address', [['?overlay=1', 'a transparent bar for video streams'], ['?delay=15', 'the game 15 s late']]],
]

/** The updates and when they arrived, oldest first. @type {{at: number, show: RefboxShow}[]} */
let past = []

/** Stores an update, and returns the newest one that is old enough; null while there is none.
 * @param {RefboxShow | null} show @param {number} now ms @param {number} wait ms */
function delayed(show, now, wait) {
  if (show) past.push({ at: now, show })
  const at = past.findLastIndex((p) => p.at <= now - wait)
  if (at > 0) past = past.slice(at)
  return at < 0 ? null : past[0].show
}

/** Seconds until the first update is old enough. */
const untilFirst = () => past.length ? Math.max(0, delay - (performance.now() - past[0].at) / 1000) : delay

/** @param {RefboxShow | null} show */
function display(show) {
  if (!show || show === box.show) return
  soundCountdowns(show)
  box.show = show
}

/** A robot with a card or in repair, as text. @param {RefboxRobotShow} r */
function penaltyText(r) {
  const number = r.number ? `${r.number} ` : ''
  return `${number}${r.state}${r.left == null ? '' : ` ${clock(Math.ceil(r.left))}`}`
}

/** The robots with a card or in repair. A card that waits for START is not shown yet. @param {RefboxTeamShow} t */
const penalties = (t) => list(t.robots).filter((r) => r.state !== 'plays' && !r.waits)

/** @param {{t: RefboxTeamShow}} props */
const Penalties = ({ t }) => html`<ul class="show-cards" aria-label=${'cards and repairs of ' + t.name}>
  ${penalties(t).map((r) => html`<li class=${r.state.replace(' ', '-')}>${penaltyText(r)}</li>`)}</ul>`

/** @param {{t: RefboxTeamShow}} props */
const Team = ({ t }) => html`<div class="show-team ${t.side}"><i></i><h2>${t.name}</h2><${Penalties} t=${t} /></div>`

/** @param {{show: RefboxShow}} props */
function Board({ show }) {
  const now = gameState(show)
  return html`<div class="show-of"><div class="show-teams"><${Team} t=${show.home} />
    <div class="show-score" aria-label="score">${show.home.goals}<i>:</i>${show.away.goals}</div>
      <${Team} t=${show.away} /></div>
    <div><div class="show-clock" aria-label="clock">${clock(show.total)}</div><div class="show-part">
      ${capital(show.part)}${show.length > 0 && ` of ${clock(show.length)}`}</div>
      ${show.play && html`<div class="show-state ${now.level}"><i aria-hidden="true">${now.shape}</i> ${now.text}
        </div>`}</div>
    <div class="show-counts"><${Countdowns} show=${show} /></div></div>`
}

/** @param {{show: RefboxShow}} props */
function Bar({ show }) {
  const now = gameState(show), name = (/** @type {RefboxTeamShow} */ t) =>
    html`<span class="name ${t.side}">${t.short || t.name}${penalties(t).map((r) =>
      html`<i class=${r.state.replace(' ', '-')} title=${penaltyText(r)}>${r.number || '•'}</i>`)}</span>`
  return html`<div class="bar-of">${name(show.home)}<span class="goals-in" aria-label="score">
    ${show.home.goals} : ${show.away.goals}</span>${name(show.away)}
    <span aria-label="clock">${clock(show.total)}</span><span class="state-of ${now.level}">
      ${show.play ? `${now.shape} ${now.text}` : capital(show.part)}</span>
      ${delay > 0 && html`<span class="delayed">delayed ${delay} s</span>`}</div>
    <div class="bar-counts"><${Countdowns} show=${show} /></div>`
}

function App() {
  const { show } = box
  if (wrong) return html`<${Header} here="scoreboard" /><main><p class="show-note bad" role="alert">${wrong}</p></main>`
  if (overlay) return show && html`<${Bar} show=${show} />`
  const back = cameFrom()
  return html`<div class=${'show-nav' + (pointer.awake || !show ? ' awake' : '')}><${Header} here="scoreboard">
    <span class="field-of">${show?.name}</span><${SoundButton} /><//></div>
    ${back && html`<a class="way-back" href=${back.href} title="Esc">‹ ${back.title}</a>`}
    <main>${show ? html`<${Board} show=${show} />`
      : html`<p class="empty">${delay && past.length ? `the delayed picture starts in ${Math.ceil(untilFirst())} s`
      : state.link === 'lost' ? '' : 'connecting'}</p>`}
    ${show?.successor && html`<p class="show-note bad" role="alert">The referee box ${show.successor} took over: this
      scoreboard stands still. Open that one’s.</p>`}
    ${delay > 0 && html`<p class="show-note">delayed ${delay} s</p>`}</main>`
}

/** The links appear while the pointer moves; projectors and screens have none. */
const pointer = { awake: false, until: 0 }

function wake() {
  clearTimeout(pointer.until)
  pointer.until = setTimeout(() => change(pointer, { awake: false }), 3000)
  if (!pointer.awake) change(pointer, { awake: true })
}

/** @param {KeyboardEvent} e */
function onKey(e) {
  if (!isForPage(e)) return
  const key = keyOf(e)
  if (key === 'f') void (document.fullscreenElement ? document.exitFullscreen()
    : document.documentElement.requestFullscreen())
  else if (key === '\\') toggleSound()
  else if (key === 'Escape' && cameFrom()) location.href = cameFrom()?.href ?? './'
  else return
  e.preventDefault()
}

/** @param {RefboxShow | null} show null: only time has passed */
const update = (show) => display(delayed(show, performance.now(), delay * 1000))

nameTeamsBy(overlay ? (t) => t.short || t.name : (t) => t.name)
if (overlay && !wrong) document.documentElement.classList.add('overlay')
loadSound('scoreboard', false)
for (const event of ['pointermove', 'pointerdown', 'focusin']) addEventListener(event, wake)
start({ App, onKey, title: () => ['scoreboard', scoreText(box.show)], help: () => ({ groups: keyGroups }),
  topics: () => ['refbox'], receive: (_, show) => update(show) })
if (delay) {
  setInterval(() => {
    update(null)
    rerender()
  }, 100)
}
