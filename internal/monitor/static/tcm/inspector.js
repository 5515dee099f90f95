// The drawer with the newest messages of one sender and type, byte by byte.

/** @import {Entry} from '../types' */
import { Drawer } from '../shared/drawer.js'
import { html } from '../htm/preact/standalone.module.js'
import { octets, PacketView, Times, useShown } from '../shared/packet.js'
import { list } from '../shared/state.js'
import { EntityBadge } from './entity.js'
import { nameOf, openMessages, senderOf, tcm, typesOf } from './state.js'

/** The rows of the sender, to choose from. @param {{entity: string}} props */
function Types({ entity }) {
  return html`<div class="times" role="group" aria-label="types of messages">
    ${typesOf(entity).map(({ key, type, to }) => html`<button key=${key}
    class=${key === tcm.open ? 'on' : ''} aria-pressed=${key === tcm.open}
    onClick=${() => openMessages(key)}>${type} to ${to}</button>`)}</div>`
}

/** Describes a message. @param {{m: Entry, type: string, state: string}} props */
function About({ m, type, state }) {
  return html`<p><b>${type}</b> number ${m.number}, ${m.len} bytes${m.pieces > 1 ? ` in ${m.pieces} pieces` : ''}
    <span class="live">${state}</span></p>
    <p class="dim">It left ${m.captureMs.toFixed(1)} ms after its capture.
      ${m.incomplete ? ` The first ${octets(m.hex).length} bytes are shown.` : ''}</p>`
}

export function MessageDrawer() {
  const entity = senderOf(tcm.open), row = typesOf(entity).find((t) => t.key === tcm.open)
  const messages = tcm.messages?.key === tcm.open ? list(tcm.messages.messages) : []
  const choice = useShown(tcm.open, messages), { shown, state } = choice
  return html`<${Drawer} class="messages" label=${`Messages of ${nameOf(entity)}`} focus=${tcm.open} close=${() => openMessages('')}
    data-open=${tcm.open} head=${html`<${EntityBadge} entity=${entity} /><h2>${nameOf(entity)}</h2>
      <span class="sub">${row ? `${row.type} of ${row.module} to ${row.to}` : 'newest messages'}</span>`}>
    <${Types} entity=${entity} />
    ${shown ? html`<${Times} entries=${messages} ...${choice} />
      <${PacketView} packet=${shown} of=${{ topic: 'messages', key: tcm.open }} ...${choice}><${About} m=${shown} type=${row?.type ?? ''} state=${state} /><//>`
    : html`<p class="empty">no message of this type has arrived</p>`}<//>`
}
