// The drawer with the last packets of one sender.

/** @import {PacketView as Packets, Tile} from '../types' */
import { Drawer } from '../shared/drawer.js'
import { html } from '../htm/preact/standalone.module.js'
import { octets, PacketView, Times, useShown } from '../shared/packet.js'
import { list } from '../shared/state.js'
import { Faults } from '../wall/faults.js'
import { closePackets, live, tileOf } from '../wall/state.js'
import { Badge } from '../wall/tile.js'

/** The heading of the drawer: a tile's robot, or a row of the network. @param {string} key */
function headingOf(key) {
  const tile = tileOf(key)
  const row = list(live.network?.senders).find((s) => s.key === (tile?.sender ?? key))
  return { tile, faults: row?.faults ?? tile?.faults, name: tile?.team ?? row?.team ?? '',
    addr: row?.addr ?? tile?.sender ?? key }
}

/** The packets that a robot received but did not use for its world model, as text; '' for none.
 * @param {Tile | undefined} tile */
function ignored(tile) {
  const left = tile?.left
  if (!left) return ''
  const parts = [
    [left.foreign, 'unrecognised'], [left.otherColor, 'of the other team'], [left.repeated, 'duplicates'],
      [left.stale, 'stale'], [left.sameNumber, 'from a second robot with a number in use'],
  ].filter(([n]) => n).map(([n, what]) => `${n} ${what}`)
  const packets = parts.length ? 'packets: ' + parts.join(', ') : ''
  const candidates = left.unplaced ? `${left.unplaced} candidates of robots without self-localisation` : ''
  return [packets, candidates].filter(Boolean).join('; ')
}

/** @param {{name: string, view: Packets | null}} props */
export function PacketDrawer({ name, view }) {
  const { tile, faults, name: team, addr } = headingOf(name)
  const entries = view && view.key === (tile?.sender ?? name) ? list(view.packets) : []
  const choice = useShown(name, entries), { shown, state } = choice
  return html`<${Drawer} label=${`Packets of ${team || addr}`} focus=${name} close=${closePackets} data-sender=${view?.key}
    head=${html`${tile && html`<${Badge} ...${tile} />`}<h2>${team || addr}</h2><span class="sub">packets from ${addr}</span>`}>
    <${Faults} faults=${faults} />
    ${shown ? html`<${Times} entries=${entries} ...${choice} />
      <${PacketView} packet=${shown} of=${{ topic: 'packets', name: view?.key }} ...${choice}><p><b>${shown.variant}
        </b>, ${octets(shown.hex).length} bytes, ${Math.round(shown.sure * 1000) / 10} % sure
        <span class="live">${state}</span></p><p class="dim">${shown.why}</p><//>`
    : html`<p class="empty">no packet has arrived since this was opened</p>`}
    ${ignored(tile) && html`<p class="ignored">Ignored by this robot: ${ignored(tile)}</p>`}<//>`
}
