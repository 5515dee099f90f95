// The drawer with the last packet of one client, field by field.

/** @import {VssShowPacket} from '../types' */
import { Drawer } from '../shared/drawer.js'
import { html } from '../htm/preact/standalone.module.js'
import { PacketView, useShown } from '../shared/packet.js'
import { openClient } from './state.js'

/** @param {{address: string, packet: VssShowPacket | null}} props */
export function PacketDrawer({ address, packet }) {
  const choice = useShown(address, packet?.address === address ? [packet] : []), { shown, state } = choice
  return html`<${Drawer} label=${`Last packet from ${address}`} focus=${address} close=${() => openClient('')}
    head=${html`<h2>${address}</h2><span class="sub">last packet</span>`}>
    ${shown ? html`<${PacketView} packet=${shown} of=${{ topic: 'vss/packet', key: address }} ...${choice}>
      <p><b>Packet</b>, ${shown.len} bytes, received at ${shown.time.toFixed(3)} s
        <span class="live">${state}</span></p><//>`
    : html`<p class="empty">waiting for the packet</p>`}<//>`
}
