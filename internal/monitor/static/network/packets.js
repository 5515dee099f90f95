// The drawer with the last packets of one sender.

/** @import {PacketEntry, PacketView as Packets, Tile, WireIssue} from '../types' */
/** @import {Span} from '../shared/packet.js' */
import { clock } from '../shared/format.js'
import { html, useEffect, useRef, useState } from '../htm/preact/standalone.module.js'
import { octets, PacketView } from '../shared/packet.js'
import { list } from '../shared/state.js'
import { Faults } from '../wall/faults.js'
import { closePackets, live, tileOf } from '../wall/state.js'
import { Badge } from '../wall/tile.js'

const CHOICES = 9 // packets to choose from

/** Minutes, seconds, milliseconds. @param {number} t */
const timestamp = (t) => `${clock(t)}.${String(Math.floor(t * 1000) % 1000).padStart(3, '0')}`

/** A packet with its time. @typedef {{time: number, hex: string, issues: WireIssue[] | null}} Entry */

/** The last packets, newest first. A chosen packet stays; "newest" follows the stream.
 * @param {{entries: Entry[], chosen: Entry, pinned: boolean, choose: (e: any) => void}} props */
export function Times({ entries, chosen, pinned, choose }) {
  return html`<div class="times" role="group" aria-label="last packets"><button class=${pinned ? '' : 'on'}
    onClick=${() => choose(null)}>newest</button>
    ${entries.slice(0, CHOICES).map((e) => html`<button key=${e.time}
      class=${`mono ${pinned && e.time === chosen.time ? 'on' : ''} ${list(e.issues).some((i) => !i.note) ? 'wrong'
      : ''}`}
      title=${`${octets(e.hex).length} bytes, ${list(e.issues).length} issues`} onClick=${() => choose(e)}>
        ${timestamp(e.time)}</button>`)}</div>`
}

/** The heading of the drawer: a tile's robot, or a row of the network. @param {string} key */
function headingOf(key) {
  const tile = tileOf(key)
  const row = list(live.network?.senders).find((s) => s.key === (tile?.sender ?? key))
  return { tile, faults: row?.faults ?? tile?.faults, name: tile?.team ?? row?.team ?? '',
    addr: row?.addr ?? tile?.sender ?? key }
}

/** @param {{tile: Tile | undefined, name: string, addr: string}} props */
function Heading({ tile, name, addr }) {
  return html`<div class="head">${tile && html`<${Badge} ...${tile} />`}<h2>${name || addr}</h2>
    <span class="sub">packets from ${addr}</span>
    <button class="close" onClick=${closePackets}>close <kbd>Esc</kbd></button></div>`
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
  const [focus, setFocus] = useState(/** @type {Span | null} */ (null))
  const [pinned, pin] = useState(/** @type {PacketEntry | null} */ (null))
  // The shown packet stays still while the user points at it.
  const held = useRef(/** @type {PacketEntry | null} */ (null))
  const box = useRef(/** @type {HTMLElement | null} */ (null))
  useEffect(() => {
    pin(null)
    setFocus(null)
    box.current?.focus()
  }, [name])
  const heading = headingOf(name)
  const entries = view && view.key === (heading.tile?.sender ?? name) ? list(view.packets) : []
  if (!focus && !pinned) held.current = entries[0] ?? null
  const entry = pinned ?? held.current
  return html`<aside class="panel drawer" ref=${box} tabindex="-1"
    aria-label=${`Packets of ${heading.name || heading.addr}`} data-sender=${view?.key}>
    <${Heading} ...${heading} />
    <${Faults} faults=${heading.faults} />
    ${entry ? html`<${Times} entries=${entries} chosen=${entry} pinned=${!!pinned} choose=${pin} />
      <${PacketView} packet=${entry} focus=${focus} setFocus=${setFocus}><p><b>${entry.variant}
        </b>, ${octets(entry.hex).length} bytes, ${Math.round(entry.sure * 1000) / 10} % sure
        <span class="live">${pinned ? 'pinned' : focus ? 'held' : 'newest'}</span></p><p class="dim">${entry.why}</p>
          <//>`
    : html`<p class="empty">no packet has arrived since this was opened</p>`}
    ${ignored(heading.tile) && html`<p class="ignored">Ignored by this robot: ${ignored(heading.tile)}</p>`}
  </aside>`
}
