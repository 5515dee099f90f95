// The header of every page: name, links to the other pages, and the state of the connection.

import { html } from '../htm/preact/standalone.module.js'
import { PlotButton } from './plot.js'
import { change, list, state } from './state.js'
import { store, stored } from './stored.js'
import { get } from './stream.js'

/** Every page that a server may have: name, title, and the key that opens it from the wall.
 * @type {[string, string, string][]} */
const PAGES = [
  ['batch', 'Batch', ''], ['lobby', 'Lobby', ''], ['match', 'Match', 'L'], ['wall', 'Wall', 'W'], ['robot', 'Robot', ''], ['network', 'Network', 'N'], ['tcm', 'TCM', 'T'], ['booking', 'Booking', 'G'], ['vss', 'Simulator', ''], ['referee', 'Referee', ''],
    ['scoreboard', 'Scoreboard', ''],
  ['teams', 'Teams', ''], ['log', 'Log', ''],
]

/** Asks the server which pages it has, for the links. */
export async function loadPages() {
  try {
    const { pages, addresses, viewOnly = false } = await get('api/pages')
    change(state, { pages: list(pages), addresses: list(addresses), viewOnly })
  } catch {
    // Without the server no link leads anywhere.
  }
  change(state, { asked: true })
}

/** @param {string} name of a page; the match, the network, the TCM and the booking are views of the wall */
const addressOf = (name) => ['match', 'wall', 'network', 'tcm', 'booking'].includes(name)
  ? `${state.pages[0] === 'start' ? 'wall' : './'}#${name}` : name

/** The page of this server from which a link led here in this tab, and its address; undefined without one. */
export function cameFrom() {
  const from = PAGES.find(([name]) => name === stored('from', '', 'sessionStorage'))
  return from && { title: from[1].toLowerCase(), href: addressOf(from[0]) }
}

/** The links to this server's pages; one page alone needs none. @param {{here: string, extra?: unknown}} props */
export function Links({ here, extra }) {
  const shown = PAGES.filter(([name]) => state.pages.includes(name))
  return html`<nav aria-label="pages">${shown.length > 1
    && shown.map(([name, title, key]) => html`<a href=${addressOf(name)}
    class=${here === name ? 'on' : ''} aria-current=${here === name ? 'page' : undefined}
      title=${key ? `key ${key}` : undefined} onClick=${() => store('from', here, 'sessionStorage')}>${title}</a>`)}${extra}</nav>`
}

export function ConnectionLost() {
  return state.link === 'lost' && html`<p class="banner" role="alert">
    <b>No connection:</b> ${state.reason || 'the server does not answer'}. Trying again; this page shows old data.</p>`
}

/** A page without anything to show yet. @param {{text?: string}} props text: why */
export const Waiting = ({ text = 'connecting' }) => html`<main class="page"><p class="empty">${state.link === 'lost' ? '' : text}</p></main>`

/** Alarms as a list; nothing without one. @param {{texts: string[], class?: string}} props */
export const AlarmList = ({ texts, class: kind = '' }) => texts.length > 0 && html`<ul class=${`alarms ${kind}`} role="alert">${texts.map((text) =>
  html`<li key=${text}>${text}</li>`)}</ul>`

/** The way back to the first page, for a program in a folder to that of the page above. */
export const Brand = () => html`<a class="brand" href=${state.pages.includes('up') ? '../' : './'} title="the first page">touchline</a>`

/** @param {{here: string, extra?: unknown, children?: unknown}} props here: name of this page; extra: more links;
 * children: at the right */
export function Header({ here, extra, children }) {
  const title = PAGES.find(([name]) => name === here)?.[1] ?? here
  return html`<header><h1 class="unseen">touchline: ${title}</h1>${state.pages.length > 1 ? html`<${Brand} />`
    : html`<b class="brand">touchline</b>`}<${Links} here=${here} extra=${extra} />
    <div class="right">${children}<${PlotButton} /><button class="quiet keys" onClick=${() => change(state, { help: true })}>
      <kbd>?</kbd> keys</button></div></header><${ConnectionLost} />`
}
