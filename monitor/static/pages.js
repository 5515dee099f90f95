// What the pages of a match have in common: their links, their beginning, and the referee's token.

import { redraw } from './canvas.js'
import { html, render } from './htm/preact/standalone.module.js'
import { change, list, onChange, state } from './state.js'
import { setToken } from './stream.js'
import { dark, readColors } from './theme.js'

/** Every page that a server may have, and the key that leads there from the wall.
 * @type {[string, string, string][]} */
const PAGES = [['wall', 'Wall', 'W'], ['network', 'Network', 'N'], ['referee', 'Referee', ''], ['scoreboard', 'Scoreboard', ''], ['teams', 'Teams', ''], ['log', 'Log', '']]

/** Asks which pages the server has, for the links. */
export async function findPages() {
  try {
    change({ pages: list((await (await fetch('api/pages')).json()).pages) })
  } catch {
    // Without the server there is nothing behind any link.
  }
}

/** Links to the pages of this server; the one that is open is marked. @param {{children?: unknown}} props further ones */
export function Pages({ children }) {
  const here = location.pathname.split('/').at(-1) || state.view
  const there = PAGES.filter(([name]) => state.pages.includes(name))
  return html`<nav aria-label="pages">${there.length > 1 && there.map(([name, title, key]) => html`<a href=${name === 'wall' || name === 'network' ? './#' + name : name}
    class=${here === name ? 'on' : ''} aria-current=${here === name ? 'page' : undefined} title=${key || undefined}>${title}</a>`)}${children}</nav>`
}

/** The head of a page of a match. @param {{children?: unknown}} props what stands at its right */
export function Head({ children }) {
  return html`<header>${state.pages.length > 1 ? html`<a class="brand" href="./">touchline</a>` : html`<b class="brand">touchline</b>`}<${Pages} /><div class="right">${children}
    <button class="quiet keys" onClick=${() => change({ help: true })}><kbd>?</kbd> keys</button></div></header>`
}

/** What every page says when the connection is gone. */
export function Lost() {
  return state.link === 'lost' && html`<p class="banner lost" role="alert"><b>No connection.</b> ${state.reason || 'The server does not answer'}; this page tries again by itself. What it shows is old.</p>`
}

let due = 0

/** Writes the page at the next frame. @type {() => void} */
export let write = () => {}

/** Begins a page: app is written again after every change. @param {() => unknown} app */
export function begin(app) {
  readColors()
  dark.addEventListener('change', () => {
    readColors()
    redraw()
  })
  const now = () => {
    due = 0
    document.documentElement.dataset.link = state.link
    render(html`<${app} />`, document.body)
    redraw()
  }
  write = () => {
    due ||= requestAnimationFrame(now)
  }
  onChange(write)
  addEventListener('resize', write)
  now()
  void findPages()
}

/** What a part of an address says; itself where it is not encoded as addresses are. @param {string} text */
export function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Takes the token out of the address, where nobody shall read it, and keeps it in this tab. What else the hash says stays. */
export function takeToken() {
  const parts = location.hash.slice(1).split('&')
  const given = parts.find((p) => p.startsWith('token='))
  if (given) {
    const rest = parts.filter((p) => p !== given).join('&')
    history.replaceState(history.state, '', location.pathname + location.search + (rest && '#' + rest))
    keepToken(decoded(given.slice(6)))
  } else keepToken(remembered())
}

/** @param {string} token */
export function keepToken(token) {
  setToken(token)
  try {
    if (token) sessionStorage.setItem('token', token)
    else sessionStorage.removeItem('token')
  } catch {
    // A browser without memory asks again next time.
  }
}

function remembered() {
  try {
    return sessionStorage.getItem('token') ?? ''
  } catch {
    return ''
  }
}
