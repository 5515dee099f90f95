// The drawer with the last packet of one client, field by field.

/** @import {VssShowPacket} from '../types' */
/** @import {Span} from '../shared/packet.js' */
import { html, useEffect, useRef, useState } from '../htm/preact/standalone.module.js'
import { PacketView } from '../shared/packet.js'
import { openClient } from './state.js'

/** @param {{address: string, packet: VssShowPacket | null}} props */
export function PacketDrawer({ address, packet }) {
  const [focus, setFocus] = useState(/** @type {Span | null} */ (null))
  // The shown packet stays still while the user points at it.
  const held = useRef(/** @type {VssShowPacket | null} */ (null))
  const box = useRef(/** @type {HTMLElement | null} */ (null))
  useEffect(() => {
    setFocus(null)
    box.current?.focus()
  }, [address])
  if (!focus) held.current = packet?.address === address ? packet : null
  const shown = held.current
  return html`<aside class="panel drawer" ref=${box} tabindex="-1" aria-label=${`Last packet from ${address}`}>
    <div class="head"><h2>${address}</h2><span class="sub">last packet</span><button class="close"
      onClick=${() => openClient('')}>close <kbd>Esc</kbd></button></div>
    ${shown ? html`<${PacketView} packet=${shown} focus=${focus} setFocus=${setFocus}>
      <p><b>Packet</b>, ${shown.len} bytes, received at ${shown.time.toFixed(3)} s
        <span class="live">${focus ? 'held' : 'newest'}</span></p><//>`
    : html`<p class="empty">waiting for the packet</p>`}
  </aside>`
}
