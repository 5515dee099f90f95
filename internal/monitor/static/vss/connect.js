// The drawer that tells how a team's program connects, with a complete one to begin with.

/** @import {VssShow} from '../types' */
import { Drawer } from '../shared/drawer.js'
import { html } from '../htm/preact/standalone.module.js'
import { list } from '../shared/state.js'
import { copy } from '../shared/stream.js'
import { showConnect } from './state.js'

/** The first address of a list, as host and port; FIRASim's where there is none. @param {string} text */
const hostAndPort = (text) => /([\d.]+):(\d+)/.exec(text)?.slice(1) ?? ['127.0.0.1', '20011']

/** A complete Python program that turns blue's robot 0. The bytes are those of FIRASim's protobuf messages.
 * @param {string} commands the simulator's addresses */
function program(commands) {
  const [host, port] = hostAndPort(commands)
  return `import socket, struct, time

def message(number, b):               # a protobuf message inside another
    return bytes([number << 3 | 2, len(b)]) + b

def command(robot, left, right):      # wheel speeds in rad/s
    return message(1, bytes([8, robot]) + struct.pack("<BdBd", 49, left, 57, right))

simulator = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while True:                           # blue's robot 0 turns
    packet = message(1, command(0, -10.0, 10.0))
    simulator.sendto(packet, ("${host === '0.0.0.0' ? '127.0.0.1' : host}", ${port}))
    time.sleep(0.016)
`
}

/** @param {{show: VssShow}} props */
export function ConnectDrawer({ show }) {
  const text = program(show.commands)
  return html`<${Drawer} class="connect" label="Connect your client" focus="" close=${() => showConnect(false)}
    head=${html`<h2>Connect your client</h2>`}>
    <dl><dt>send commands to</dt><dd class="mono">${show.commands}</dd>
      <dt>receive vision at</dt><dd class="mono">${list(show.vision).join('  ') || 'no receiver: see --vision'}</dd>
      <dt>messages</dt><dd>FIRASim’s protobuf: strategies for FIRASim connect unchanged</dd></dl>
    <p>This Python program has no dependencies. Save it as <span class="mono">turn.py</span> and start it
      with <span class="mono">python3 turn.py</span>: blue’s robot 0 turns, and appears on this page as a
      client.</p>
    <pre tabindex="0">${text}</pre>
    <p class="dim"><button onClick=${() => copy(text)}>copy</button> docs/firasim.md has clients in C++, Python and Go that
      also read the vision packets.</p><//>`
}
