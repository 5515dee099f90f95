// The check of a base station's reader before the game: a burst of harmless messages, and what is known of it.

/** @import {RefboxReaderMessage, RefboxReceived} from '../types' */
/** @import {Side} from './text.js' */
import { disabled } from './decisions.js'
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { command } from '../shared/stream.js'
import { clockTime, millis } from './text.js'

/** The verdicts: level, sign, text. @type {Record<string, [string, string, string]>} */
const VERDICTS = { running: ['dim', '…', 'checking'], reads: ['ok', '●', 'reads bursts'],
  loses: ['bad', '▲', 'loses messages'], unknown: ['warn', '◆', 'reader unknown'] }

/** A message of the burst: when it was sent, and after which time it was answered. @param {RefboxReaderMessage} m */
const fate = (m) => m.sent == null ? m.why || 'waits' : `+${Math.round(m.sent)} ms${
  m.answered == null ? '' : `, answered after ${millis(m.answered)}`}`

/** @param {{side: Side, received: RefboxReceived}} props */
export function ReaderButton({ side, received }) {
  if (!received.check && !received.checkable) return null
  const off = disabled() || (received.checkable ? '' : 'the base station is not connected')
  return html`<button class="small" aria-disabled=${!!off} onClick=${() => command('check-reader', { side })}
    title=${off || 'sends IS_ALIVE 1 to 6, for the opponents, 25 ms apart: no robot moves'}>
    ${received.check ? 'test again' : 'test the TCP reader'}</button>`
}

/** @param {{side: Side, received: RefboxReceived}} props */
export function ReaderResult({ side, received }) {
  const { check } = received, off = disabled()
  if (!check) return null
  const tell = (/** @type {boolean} */ all) => command('tell-reader', { side, all })
  const [level, sign, verdict] = VERDICTS[check.verdict] ?? ['', '', check.verdict]
  return html`<div class="reader-check" data-verdict=${check.verdict}><p class=${level} role="status"
    title=${list(check.messages).map((m) => `${m.text}: ${fate(m)}`).join('\n')}><b>${sign} ${verdict}</b>, ${
    clockTime(check.began).slice(0, 8)}: ${check.text}</p>
    ${check.ask && html`<p>Ask the team: ${check.ask}<span class="answers">
      <button class="small" aria-disabled=${!!off} onClick=${() => tell(true)}>all of them</button>
      <button class="small" aria-disabled=${!!off} onClick=${() => tell(false)}>not all</button></span></p>`}</div>`
}
