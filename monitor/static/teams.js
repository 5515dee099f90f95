// The teams' page: how well each team sends, and what is wrong with what it sends. It is read on a phone beside the field.

/** @import {RefboxCardShow, RefboxTeamHealth} from './types' */
import { age, text } from './format.js'
import { Help, keyOf, onKeys, typing } from './help.js'
import { html } from './htm/preact/standalone.module.js'
import { begin, Head, Lost, takeToken, write } from './pages.js'
import { LEAST, light, Rates } from './rates.js'
import { change, list, state } from './state.js'
import { connect, hasToken, reconnect, setToken } from './stream.js'

const AROUND = 60 // characters of an excerpt before the marked spot

/** @type {[string, string][]} */
const rows = [['?', 'these keys']]

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
  return html`<li class=${f.note ? 'slight' : ''} data-rule=${f.rule}><b>${f.note ? '△ note' : '▲'} ${f.text}</b> <span class="dim">${f.count.toLocaleString('en')} ×</span>
    ${f.fix && html`<div class="fix">→ ${f.fix}</div>`}${f.excerpt && html`<pre>${before}<mark>${it}</mark>${after}</pre>`}</li>`
}

/** The figures of a team: what each is called, its value, and whether it is bad.
 * @param {RefboxTeamHealth} t @returns {[string, string, string][]} */
function figuresOf(t) {
  const n = (/** @type {number} */ x) => x.toLocaleString('en')
  const share = t.windows ? `${n(t.empty)} of ${n(t.windows)}` : '–'
  return [
    ['longest gap, last 10 s', text(age(t.gap == null ? null : t.gap * 1000)), (t.gap ?? 0) > 0.2 ? 'bad' : ''],
    ['since the last one', text(age(t.silent == null ? null : t.silent * 1000)), (t.silent ?? 0) > 1 ? 'bad' : ''],
    ['age it says', text(age(t.age)), ''],
    ['empty windows of 100 ms', share, t.windows && t.empty / t.windows > 0.02 ? 'bad' : ''],
    ['worldstates', n(t.messages - t.events - t.broken), ''], ['events', n(t.events), ''],
    ['neither of the two', n(t.broken), t.broken ? 'bad' : ''],
    ['received', t.bytes < 1e6 ? `${n(Math.round(t.bytes / 1000))} kB` : `${(t.bytes / 1e6).toFixed(1)} MB`, ''],
    ['bytes without NUL', t.unclosed ? `for ${t.unclosed.toFixed(1)} s` : 'none', t.unclosed > 1 ? 'bad' : ''],
    ['lost: over 1 MiB', t.lost ? `${n(t.lost)} B` : 'none', t.lost ? 'bad' : ''],
  ]
}

/** @param {{t: RefboxTeamHealth, open: boolean}} props */
function Health({ t, open }) {
  const is = light(t.level, t.connected), findings = list(t.findings)
  return html`<section class="panel health ${t.side}" aria-label=${t.name} data-level=${t.level}><div class="head"><i class="side-of"></i><h2>${t.name}</h2><span class="sub">${t.side === 'home' ? 'left' : 'right'}${t.id > 0 && `, 224.16.32.${t.id}`}</span></div>
    <div class="lamp ${is.level}" role="status"><span class="shape" aria-hidden="true">${is.shape}</span><b>${t.rate.toFixed(1)} <small>Hz</small></b><span><span class="word">${is.word}</span><br /><span class="dim">in the last second; at least ${LEAST}</span></span></div>
    <${Rates} name=${t.name} rates=${t.rates} labels />
    <dl>${figuresOf(t).map(([what, value, level]) => html`<div><dd class=${level}>${value}</dd><dt>${what}</dt></div>`)}${t.lastEvent && html`<div><dd>${t.lastEvent}</dd><dt>last event</dt></div>`}</dl>
    <div class="card"><h3>Report card</h3>${findings.length ? html`<ol>${findings.map((f, i) => html`<${Finding} key=${i} f=${f} />`)}</ol>` : html`<p class=${t.messages ? 'ok' : 'dim'}>${t.messages ? '● nothing to mend' : 'nothing was received yet'}</p>`}
      ${!open && findings.length > 0 && html`<p class="dim">What the messages say is shown while no part is played.</p>`}</div></section>`
}

function App() {
  const teams = list(state.teams?.teams), follows = state.refbox?.follows
  const none = follows ? `This is a copy of ${follows}; it has no figures until it takes over.` : 'no team is connected'
  return html`<${Head}><span class="field-of">${state.refbox?.name}</span><//><${Lost} />
    ${teams.length ? html`<main>${teams.map((t) => html`<${Health} key=${t.side} t=${t} open=${state.teams?.open ?? false} />`)}</main>`
    : html`<main class="page"><p class="empty">${state.link === 'lost' ? '' : state.teams ? none : 'connecting'}</p></main>`}<${Help} open=${state.help} rows=${rows} />`
}

/** @param {string} topic @param {any} value */
function take(topic, value) {
  if (topic === 'refbox') state.refbox = value
  else {
    state.teams = value
    write()
  }
}

const topics = () => ['refbox', hasToken() ? 'teams/all' : 'teams']

takeToken()
onKeys((e) => {
  if (typing(e) || keyOf(e) !== '?') return
  change({ help: !state.help })
})
begin(() => {
  if (state.link === 'refused' && hasToken()) { // it is another match's: what everybody may see is there all the same
    setToken('')
    change({ link: 'connecting' })
    reconnect(topics())
  }
  return html`<${App} />`
})
connect(topics(), take)
