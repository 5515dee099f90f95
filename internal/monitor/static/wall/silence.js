// No packets arrive: what to check, and the command to try.

/** @import {Wall} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { copy } from '../shared/stream.js'

/** @param {{wall: Wall}} props */
export function Silence({ wall }) {
  const { silence, link } = wall
  if (!silence) return ''
  const [group, port] = link.group.split(':')
  if (silence.why) {
    return html`<section class="panel silence" role="status"><div><h2>No packets for ${Math.round(silence.seconds)} s</h2>
      <p>${silence.why}</p></div></section>`
  }
  const others = list(silence.interfaces)
  const on = link.loopback ? '' : ` --interface ${link.interface}`
  const next = wall.game ? `touchline hsl --robots${on}` : `touchline doctor${on} --group ${link.group}`
  return html`<section class="panel silence" role="status"><div>
    <h2>No packets for ${Math.round(silence.seconds)} s</h2>
    ${wall.game ? html`<p>Listening on <b>${link.interface}</b> for a GameController, which broadcasts to UDP
      port <b class="mono">${port}</b>.</p>`
    : html`<p>Listening on <b>${link.interface}</b>, group <b class="mono">${group}</b>, UDP port <b class="mono">${port}
      </b>.</p>`}
    ${list(link.missing).map((text) => html`<p key=${text}>On this system, ${text}.</p>`)}
    ${others.length > 0 && html`<p>Are the robots on another network? This machine also has</p>
    <ul>${others.map((i) => html`<li class=${i.up ? '' : 'dim'}><b>${i.name}</b> <span class="mono">
      ${list(i.addrs).join(', ')}</span> ${i.up ? '' : 'down'}</li>`)}</ul>`}
    ${others.length === 0 && html`<p>This machine has no other network interface: plug in the cable, or
      join the robots’ Wi-Fi.</p>`}
    ${silence.command && html`<p>To listen there, run</p><div class="command"><code>${silence.command}</code>
      <button onClick=${() => copy(silence.command)}>copy</button></div>`}
    <p>${wall.game ? 'To see a game without robots, run' : 'To find out why nothing arrives, run'}</p>
    <div class="command"><code>${next}</code><button onClick=${() => copy(next)}>copy</button></div>
  </div></section>`
}
