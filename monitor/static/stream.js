// The connection to the server: topics come over one WebSocket that connects again by itself, commands go as POST.

import { change, state, takeNetwork, takeVss, takeWall } from './state.js'

const SLOWEST = 8000 // ms between attempts
const DEAD = 5000 // ms without a message: the wall and the simulator come 30 times a second, so the way is broken
const ALWAYS = ['wall', 'network', 'vss'] // a server has the wall and its network, or the simulator

let topics = ALWAYS
let attempt = 0
/** @type {WebSocket | null} */
let socket = null
/** @type {(topic: string) => void} */
let arrived = () => {}

/** Connects, and calls news after each value that came.
 * @param {(topic: string) => void} news */
export function connect(news) {
  arrived = news
  open()
  setInterval(() => socket?.readyState === WebSocket.OPEN && performance.now() - heard > DEAD && lose(socket, ''), 1000)
  addEventListener('online', hurry)
  document.addEventListener('visibilitychange', hurry)
}

/** Asks for packets of one sender beside what always comes; '' for none.
 * @param {string} sender */
export function watchPackets(sender) {
  topics = sender ? [...ALWAYS, 'packets/' + sender] : ALWAYS
  subscribe()
}

/** Sends a command; what goes wrong is shown.
 * @param {string} name @param {object} body */
export async function command(name, body) {
  try {
    const answer = await fetch('api/command/' + name, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
    })
    if (!answer.ok) toast(await words(answer))
  } catch {
    toast('the command did not reach the server')
  }
}

/** @param {Response} answer @returns {Promise<string>} */
async function words(answer) {
  try {
    return (await answer.json()).error
  } catch {
    return `the server answered ${answer.status}`
  }
}

let fading = 0

/** Says something for some seconds.
 * @param {string} text */
export function toast(text) {
  clearTimeout(fading)
  fading = setTimeout(() => change({ toast: '' }), 6000)
  change({ toast: text })
}

function subscribe() {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ subscribe: topics }))
}

let retry = 0, heard = 0

/** Gives a connection up and tries again after a while. @param {WebSocket} ws @param {string} reason */
function lose(ws, reason) {
  if (socket !== ws) return
  socket = null
  ws.close()
  const wait = Math.min(SLOWEST, 250 * 2 ** attempt++) * (0.75 + Math.random() / 2)
  retry = setTimeout(open, wait)
  change({ link: 'lost', reason })
}

function open() {
  clearTimeout(retry)
  const ws = new WebSocket(new URL('api/stream', location.href.replace(/^http/, 'ws')))
  socket = ws
  ws.onopen = () => {
    heard = performance.now()
    subscribe()
  }
  ws.onmessage = (e) => socket === ws && take(JSON.parse(e.data))
  ws.onclose = (e) => lose(ws, e.reason)
}

/** Connects at once when somebody looks again. */
function hurry() {
  if (socket || document.hidden) return
  attempt = 0
  open()
}

/** @param {{topic: string, value: any}} message */
function take({ topic, value }) {
  attempt = 0
  heard = performance.now()
  if (topic === 'wall') takeWall(value)
  else if (topic === 'network') takeNetwork(value)
  else if (topic === 'vss') takeVss(value)
  else state.packets = value
  if (state.link !== 'open') change({ link: 'open', reason: '' })
  arrived(topic)
}
