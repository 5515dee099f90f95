// The drawer with the newest messages of one sender and type, byte by byte.

/** @import {Entry} from '../types' */
/** @import {Span} from '../shared/packet.js' */
import { html, useEffect, useRef, useState } from '../htm/preact/standalone.module.js'
import { Times } from '../network/packets.js'
import { octets, PacketView } from '../shared/packet.js'
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

/** What a message is, in words. @param {{m: Entry, type: string, state: string}} props */
function About({ m, type, state }) {
  return html`<p><b>${type}</b> number ${m.number}, ${m.len} bytes${m.pieces > 1 ? ` in ${m.pieces} pieces` : ''}
    <span class="live">${state}</span></p>
    <p class="dim">It left ${m.captureMs.toFixed(1)} ms after its capture.
      ${m.incomplete ? ` The first ${octets(m.hex).length} bytes are shown.` : ''}</p>`
}

export function MessageDrawer() {
  const [focus, setFocus] = useState(/** @type {Span | null} */ (null))
  const [pinned, pin] = useState(/** @type {Entry | null} */ (null))
  // The shown message stays still while the user points at it.
  const held = useRef(/** @type {Entry | null} */ (null))
  const box = useRef(/** @type {HTMLElement | null} */ (null))
  useEffect(() => {
    pin(null)
    setFocus(null)
    box.current?.focus()
  }, [tcm.open])
  const entity = senderOf(tcm.open), row = typesOf(entity).find((t) => t.key === tcm.open)
  const messages = tcm.messages?.key === tcm.open ? list(tcm.messages.messages) : []
  if (!focus && !pinned) held.current = messages[0] ?? null
  const shown = pinned ?? held.current
  return html`<aside class="panel drawer messages" ref=${box} tabindex="-1" data-open=${tcm.open}
    aria-label=${`Messages of ${nameOf(entity)}`}>
    <div class="head"><${EntityBadge} entity=${entity} /><h2>${nameOf(entity)}</h2>
      <span class="sub">${row ? `${row.type} of ${row.module} to ${row.to}` : 'newest messages'}</span>
      <button class="close" onClick=${() => openMessages('')}>close <kbd>Esc</kbd></button></div>
    <${Types} entity=${entity} />
    ${shown ? html`<${Times} entries=${messages} chosen=${shown} pinned=${!!pinned} choose=${pin} />
      <${PacketView} packet=${shown} focus=${focus} setFocus=${setFocus}><${About} m=${shown} type=${row?.type ?? ''}
        state=${pinned ? 'pinned' : focus ? 'held' : 'newest'} /><//>`
    : html`<p class="empty">no message of this type has arrived</p>`}</aside>`
}
