// The TCM's view: how the robots' own messages fare on every link, and what waits, is dropped and is refused.

/** @import {TeamcomSilence} from '../types' */
import { html } from '../htm/preact/standalone.module.js'
import { AlarmList } from '../shared/header.js'
import { list } from '../shared/state.js'
import { live } from '../wall/state.js'
import { LanesPanel } from './lanes.js'
import { MatrixPanel } from './matrix.js'
import { OBSERVER } from './observer.js'
import { nameOf, nodes, observed, tcm } from './state.js'
import { ModulesPanel, QueuesPanel, TypesPanel } from './traffic.js'

const RECENT = 10_000 // ms that a fault of a sender stays an alarm

/** Why there is nothing to show, and what to do. refuses: datagrams arrive, and alarms tell why they are refused.
 * @param {{silence: TeamcomSilence, refuses: boolean}} props */
function Silence({ silence, refuses }) {
  return html`<section class="panel silence" role="status"><div>
    <h2>${refuses ? 'Every datagram was refused' : 'No TCM traffic'} for ${Math.round(silence.seconds)} s</h2>
    ${(live.wall?.link.loss ?? 0) >= 1 && html`<p>The loss slider is at 100 %: nothing arrives.</p>`}
    ${list(silence.hints).map((text) => html`<p key=${text}>${text}</p>`)}</div></section>`
}

/** The alarms: datagrams that nodes refuse, and faults in the messages of robots. */
export const alarmsOfTCM = () => [...list(tcm.view?.alarms), ...observed().flatMap((s) =>
  list(s.faults).filter((f) => f.ageMs < RECENT).map((f) =>
    `${nameOf(s.entity)} sends ${f.field || 'datagrams'}: ${f.text} (${f.count} times)`))]

/** The page has no TCM. */
function Nothing() {
  return html`<main class="page"><div class="empty"><p>No messages of the TCM: the session runs with --no-tcm, or the
    recording was made without them. To show those of a team on the network, run</p>
    <p class="mono">touchline monitor --tcm TCM.ini</p></div></main>`
}

export function TcmView() {
  const silence = tcm.view?.silence, found = alarmsOfTCM()
  if (!tcm.view && !observed().length) return html`<${Nothing} />`
  return html`<main class="tcm">
    <${AlarmList} class="panel" texts=${found} />
    ${silence && html`<${Silence} silence=${silence} refuses=${list(tcm.view?.alarms).length > 0} />`}
    ${nodes().some((n) => list(n.links).length) && html`<div class="tcm-panels"><${MatrixPanel} />
      <div class="tcm-side"><${TypesPanel} /><${LanesPanel} />
      ${nodes()[0].entity !== OBSERVER && html`<div class="tcm-pair"><${QueuesPanel} /><${ModulesPanel} /></div>`}
      </div></div>`}</main>`
}
