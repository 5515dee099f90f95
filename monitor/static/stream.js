// The connection to the server: topics come over one WebSocket that connects again by itself, commands go as POST. Who
// was given the referee's token sends it with both.

import { begin, change, state } from './state.js'

const SLOWEST = 8000 // ms between attempts
const DEAD = 5000 // ms without a message: every server has a topic that comes at least twice a second, so the way is broken
const ANSWER = 5000 // ms that a command's answer may take
const REFUSED = 1008 // RFC 6455 section 7.4.1: the server does not let this page see what it asked for

/** @type {string[]} */
let topics = []
let token = ''
let attempt = 0
/** @type {WebSocket | null} */
let socket = null
/** @type {(topic: string, value: any) => void} */
let arrived = () => {}

/** Connects, and hands on each value that comes.
 * @param {string[]} wanted topics @param {(topic: string, value: any) => void} take */
export function connect(wanted, take) {
  topics = wanted
  arrived = take
  open()
  setInterval(() => socket?.readyState === WebSocket.OPEN && performance.now() - heard > DEAD && lose(socket, ''), 1000)
  addEventListener('online', hurry)
  document.addEventListener('visibilitychange', hurry)
}

/** Asks for other topics. @param {string[]} wanted */
export function subscribe(wanted) {
  topics = wanted
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ subscribe: topics, ...(token && { token }) }))
}

/** Uses a token from now on; '' for none. @param {string} t */
export function setToken(t) {
  token = t
}

export const hasToken = () => token !== ''

/** Connects anew at once, with what topics and token are now. @param {string[]} wanted */
export function reconnect(wanted) {
  topics = wanted
  attempt = 0
  const old = socket
  socket = null
  old?.close()
  open()
}

export const bearer = () => /** @type {Record<string, string>} */ (token ? { Authorization: 'Bearer ' + token } : {})

/** Sends a command and returns its answer; what goes wrong is thrown in words.
 * @param {string} name @param {object} body @returns {Promise<any>} */
export async function ask(name, body) {
  let answer
  try {
    answer = await fetch('api/command/' + name, {
      method: 'POST', headers: { 'Content-Type': 'application/json', ...bearer() }, body: JSON.stringify(body), signal: AbortSignal.timeout(ANSWER),
    })
  } catch (e) {
    throw new Error(e instanceof DOMException && e.name === 'TimeoutError' ? 'the server did not answer; it may have been carried out' : 'the command did not reach the server')
  }
  if (!answer.ok) throw new Error(await words(answer))
  return answer.status === 204 ? null : answer.json()
}

/** Sends a command; what goes wrong is shown.
 * @param {string} name @param {object} body */
export async function command(name, body) {
  try {
    await ask(name, body)
  } catch (e) {
    toast(e instanceof Error ? e.message : String(e))
  }
}

/** What an answer that is none says. @param {Response} answer @returns {Promise<string>} */
export async function words(answer) {
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

/** @param {WebSocket} ws @param {CloseEvent} e */
function closed(ws, e) {
  if (e.code !== REFUSED) return lose(ws, e.reason)
  if (socket !== ws) return
  socket = null
  change({ link: 'refused', reason: e.reason })
}

function open() {
  clearTimeout(retry)
  const ws = new WebSocket(new URL('api/stream', location.href.replace(/^http/, 'ws')))
  socket = ws
  ws.onopen = () => {
    heard = performance.now()
    subscribe(topics)
  }
  ws.onmessage = (e) => socket === ws && take(JSON.parse(e.data))
  ws.onclose = (e) => closed(ws, e)
}

/** Connects at once when somebody looks again. */
function hurry() {
  if (socket || document.hidden || state.link === 'refused') return
  attempt = 0
  open()
}

/** @param {{run: string, topic: string, value: any}} message */
function take({ run, topic, value }) {
  attempt = 0
  heard = performance.now()
  begin(run)
  arrived(topic, value)
  if (state.link !== 'open') change({ link: 'open', reason: '' })
}
