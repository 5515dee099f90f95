// Starts a page: theme, connection, rendering, keyboard, list of keys, toasts.

/** @import {Group} from './help.js' */
import { drawNow, drawnPictures, redraw } from './canvas.js'
import { loadToken } from './address.js'
import { loadPages } from './header.js'
import { Help } from './help.js'
import { html, render } from '../htm/preact/standalone.module.js'
import { isForPage, isTyping, keyOf, trackFocus } from './keyboard.js'
import { allowPlots, notePlot, noteRendered, plot, PlotPanel, plotKey, togglePlot } from './plot.js'
import { change, onChange, state } from './state.js'
import { connect } from './stream.js'
import { colors, followTheme } from './theme.js'
import { closeExplanation, Explanation } from './words.js'

const READABLE = 400 // ms between changes of the figures: nobody reads faster ones
const LATEST = 500 // ms until they change, if no later message changes them

/** @import {Times} from './plot.js' */
/** The parts of a page.
 * title: its name, and what it shows, for the browser's tab.
 * token: its address may hold the referee's token, which this tab keeps. place: shows what the address names, now and
 * whenever the user changes it. topics: those that the page starts with.
 * outline: the text whose changes cannot wait; with it, other changes are rendered every 0.4 s. Default: every
 * message is rendered at once.
 * receive: false says that the message changes nothing that the page shows.
 * times: its time, for plots; default: s since it was opened. lettersTaken: the page's keys leave none for plots.
 * @typedef {{
 *   App: () => unknown,
 *   title: () => [page: string, of?: string],
 *   help: () => {groups: readonly Group[], note?: string},
 *   onKey?: (e: KeyboardEvent) => void,
 *   token?: boolean,
 *   place?: () => unknown,
 *   topics?: () => string[],
 *   receive?: (topic: string, value: any) => unknown,
 *   restart?: () => void,
 *   outline?: () => string,
 *   probe?: () => object,
 *   times?: Times,
 *   lettersTaken?: boolean,
 * }} Page */

let due = 0, renderedAt = 0, outline = ''
/** @type {ReturnType<typeof setTimeout> | undefined} */
let late

/** @type {Page} */
let page

function renderNow() {
  clearTimeout(late)
  due = 0
  late = undefined
  renderedAt = performance.now()
  document.documentElement.dataset.link = state.link
  render(html`<${page.App} /><${Help} open=${state.help} ...${page.help()} />
    <${Explanation} /><${PlotPanel} />${state.toast && html`<p class="toast" role="alert">${state.toast}</p>`}`, document.body)
  document.title = `${page.title().filter(Boolean).join(': ')} - touchline`
  drawNow() // in the same frame
  noteRendered()
}

/** Renders the page at the next frame. */
export function rerender() {
  due ||= requestAnimationFrame(renderNow)
}

/** @param {string} topic @param {any} value */
function receive(topic, value) {
  notePlot(topic, value)
  if (page.receive?.(topic, value) !== false) refresh()
}

/** Draws new data. Figures change every 0.4 s at most, the outline at once. @param {string} [canvas] the name of the only
 * canvas that shows the data, which is drawn now; default: all canvases are drawn at the next frame */
export function refresh(canvas) {
  const now = page.outline?.(), age = performance.now() - renderedAt
  if (now !== undefined && now === outline && age < READABLE) {
    late ||= setTimeout(rerender, LATEST - age)
    return canvas ? drawNow(canvas) : redraw()
  }
  outline = now ?? ''
  rerender()
}

/** @param {KeyboardEvent} e */
function onKey(e) {
  trackFocus(e)
  if (keyOf(e) === '?' && !isTyping(e) && !e.ctrlKey && !e.metaKey && !e.altKey) {
    change(state, { help: !state.help })
    e.preventDefault()
  } else if (keyOf(e) === 'y' && plot.key && isForPage(e)) {
    togglePlot()
    e.preventDefault()
  } else if (e.key !== 'Escape' || !closeExplanation() && !plotKey(e)) page.onKey?.(e)
}

/** Starts the page. @param {Page} p */
export function start(p) {
  page = p
  if (p.topics || p.times) allowPlots(p.topics?.() ?? [], !p.lettersTaken, p.times)
  const moved = () => {
    if (p.token) loadToken()
    void p.place?.()
  }
  moved()
  addEventListener('hashchange', moved)
  followTheme(() => {
    redraw()
    rerender() // marks beside texts have the colours of canvases
  })
  onChange(rerender)
  addEventListener('keydown', onKey)
  // For tests: the drawn glyphs.
  Object.assign(window, { touchline: { drawn: () => ({ theme: colors.theme, run: state.run, pictures: drawnPictures(),
    ...p.probe?.() }) } })
  renderNow()
  if (p.topics) connect(p.topics(), { receive, restart: p.restart ?? (() => {}) })
  void loadPages()
}
