// The teams' page: the rate and the errors of each team's messages, for a phone beside the field.

/** @import {RefboxCardShow, RefboxTeamHealth} from '../types' */
import { age, withUnit } from '../shared/format.js'
import { html } from '../htm/preact/standalone.module.js'
import { Header, Waiting } from '../shared/header.js'
import { start } from '../shared/page.js'
import { list, state } from '../shared/state.js'
import { hasToken, reconnect, setToken } from '../shared/stream.js'
import { levelOf, Rates, REQUIRED } from './rates.js'
import { box } from './state.js'
import { clockTime, millis, scoreText } from './text.js'

const AROUND = 60 // characters of an excerpt before the marked spot

/** An excerpt in three parts: before the spot, the spot, after it. @param {string} excerpt @param {number} at */
function spot(excerpt, at) {
  const i = Math.min(Math.max(0, at), excerpt.length)
  const word = /^(?:"[^"]*"|\[[^[\]]*\]|[-\w.]+|.)/s.exec(excerpt.slice(i))?.[0] ?? ''
  const from = Math.max(0, i - AROUND)
  return [(from ? '…' : '') + excerpt.slice(from, i), word || '▲', excerpt.slice(i + word.length)]
}

/** @param {{f: RefboxCardShow}} props */
function Finding({ f }) {
  const [before, it, after] = spot(f.excerpt, f.at)
  return html`<li class=${f.note ? 'slight' : ''} data-rule=${f.rule}><b>${f.note ? '△ note' : '▲'} ${f.text}
    </b> <span class="dim">${f.count.toLocaleString('en')} ×</span>
    ${f.fix && html`<div class="fix">→ ${f.fix}</div>`}
      ${f.excerpt && html`<pre>${before}<mark>${it}</mark>${after}</pre>`}</li>`
}

/** The figures of a team below the rate, bad ones first: name, value, level.
 * @param {RefboxTeamHealth} t @returns {[string, string, string][]} */
function figuresOf(t) {
  const n = (/** @type {number} */ x) => x.toLocaleString('en')
  const share = t.windows ? `${n(t.empty)} of ${n(t.windows)}` : '–'
  /** @type {[string, string, string][]} */
  const figures = [
    ['longest gap that ended in the last 10\u00a0s, or lasts', withUnit(age(t.gap == null ? null : t.gap * 1000)),
      (t.gap ?? 0) > 0.2 ? 'bad' : ''],
    ['since the last worldstate', withUnit(age(t.silent == null ? null : t.silent * 1000)), (t.silent ?? 0) > 1 ? 'bad'
      : ''],
    ['reported ageMs', withUnit(age(t.age)), ''],
    ['100 ms windows without one', share, t.windows && t.empty / t.windows > 0.02 ? 'bad' : ''],
    ['worldstates', n(t.messages - t.events - t.broken - t.omitted), ''], ['events', n(t.events), ''],
    ['other messages', n(t.broken), t.broken ? 'bad' : ''],
    ['received', t.bytes < 1e6 ? `${n(Math.round(t.bytes / 1000))} kB` : `${(t.bytes / 1e6).toFixed(1)} MB`, ''],
    ['not kept: above 200 a second', t.omitted ? n(t.omitted) : 'none', t.omitted ? 'bad' : ''],
    ['unterminated bytes', t.unclosed ? `for ${t.unclosed.toFixed(1)} s` : 'none', t.unclosed > 1 ? 'bad' : ''],
    ['discarded above 1 MiB', t.lost ? `${n(t.lost)} B` : 'none', t.lost ? 'bad' : ''],
    ...(t.lastEvent ? /** @type {[string, string, string][]} */ ([['last event', t.lastEvent, '']]) : []),
  ]
  return figures.toSorted((a, b) => Number(!a[2]) - Number(!b[2]))
}

/** How many faults and notes a report card has, as text. @param {RefboxCardShow[]} findings */
function verdict(findings) {
  const notes = findings.filter((f) => f.note).length, faults = findings.length - notes
  const counted = (/** @type {number} */ n, /** @type {string} */ one) => n ? [`${n} ${one}${n > 1 ? 's' : ''}`] : []
  return [...counted(faults, 'fault'), ...counted(notes, 'note')].join(', ')
}

/** When the last messages left for the team. @param {{t: RefboxTeamHealth}} props */
function Sent({ t }) {
  const sent = list(t.sent)
  return html`<div class="card sent"><h3>Sent to this team <small class="dim">and the delay since the decision</small>
    </h3>${sent.length ? html`<ol>${sent.map((m) => html`<li class=${m.why ? 'bad' : ''}>
      <time class="dim">${clockTime(m.time)}</time> <b>${m.text}</b>
      <span>${m.why ? `not sent: ${m.why}` : millis(m.millis)}</span></li>`)}</ol>`
    : html`<p class="dim">nothing yet</p>`}</div>`
}

/** @param {{t: RefboxTeamHealth, open: boolean}} props */
function TeamPanel({ t, open }) {
  const is = t.trouble ? { level: 'bad', shape: '▲', text: t.trouble } : levelOf(t.level, t.connected)
  const findings = list(t.findings).toSorted((a, b) => Number(a.note) - Number(b.note))
  return html`<section class="panel health ${t.side}" aria-label=${t.name} data-level=${t.level}><div class="head">
    <i class="side-of"></i><h2>${t.name}</h2><span class="sub">${t.side === 'home' ? 'left' : 'right'}
    ${t.id > 0 && `, 224.16.32.${t.id}`}</span></div>
    <div class="lamp ${is.level}" role="status"><span class="shape" aria-hidden="true">${is.shape}</span>
      <b>${t.rate.toFixed(1)} <small>Hz</small></b><span><span class="word">${is.text}</span><br />
      <span class="dim">worldstates in the last second; required: ${REQUIRED}</span></span></div>
    <${Rates} name=${t.name} rates=${t.rates} labels />
    <div class="card"><h3>Report card${findings.length > 0 && html`<span
      class=${findings[0].note ? 'warn' : 'bad'}>${verdict(findings)}</span>`}</h3>${findings.length
      ? html`<ol>${findings.map((f, i) => html`<${Finding} key=${i} f=${f} />`)}</ol>`
      : html`<p class=${t.messages ? 'ok' : 'dim'}>${t.messages ? '● no findings' : 'no messages yet'}</p>`}
      ${!open && findings.length > 0 && html`<p
        class="dim">The contents of messages appear while no part is being played.</p>`}</div>
    <dl>${figuresOf(t).map(([what, value, level]) => html`<div><dd class=${level}>${value}</dd>
      <dt>${what}</dt></div>`)}</dl><${Sent} t=${t} /></section>`
}

function App() {
  const teams = list(box.teams?.teams), follows = box.show?.follows
  const none = follows ? `Standby for ${follows}: it has no figures until it takes over.` : 'no team is connected'
  return html`<${Header} here="teams"><span class="field-of">${box.show?.name}</span><//>
    ${teams.length ? html`<main>
      ${teams.map((t) => html`<${TeamPanel} key=${t.side} t=${t} open=${box.teams?.open ?? false} />`)}</main>`
    : html`<${Waiting} text=${box.teams ? none : undefined} />`}`
}

/** @param {string} topic @param {any} value */
function receive(topic, value) {
  if (topic === 'refbox') box.show = value
  else box.teams = value
}

const topics = () => ['refbox', hasToken() ? 'teams/all' : 'teams']

/** A token of another match is refused: the public figures need none. */
function withoutToken() {
  if (state.link !== 'refused' || !hasToken()) return
  setToken('')
  reconnect(topics())
}

start({
  App: () => {
    withoutToken()
    return html`<${App} />`
  },
  title: () => ['teams', scoreText(box.show)], help: () => ({ groups: [] }), token: true, topics, receive,
  outline: () => [state.run, ...list(box.teams?.teams).map((t) => t.level + t.connected)].join(),
})
