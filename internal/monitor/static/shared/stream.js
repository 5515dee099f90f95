// The connection to the server: topics arrive over one WebSocket that reconnects by itself, commands go as POST. Both
// carry the referee's token where the page has one.

import { change, state } from './state.js'

const SLOWEST = 8000 // ms between attempts to connect
const SILENT = 5000 // ms without a message after which a connection is dead: each server sends two or more a second
const ANSWER = 5000 // ms until a command counts as unanswered
const REFUSED = 1008 // RFC 6455, section 7.4.1: the server does not allow this subscription

/** A page's handlers of messages. restart forgets the history of the server's previous run.
 * @typedef {{receive: (topic: string, value: any) => void, restart: () => void}} Receiver */

/** @type {string[]} */
let topics = []
/** Values a second at most, by topic. @type {Record<string, number>} */
let most = {}
let token = ''
let attempt = 0
/** @type {WebSocket | null} */
let socket = null
/** @type {Receiver} */
let receiver = { receive: () => {}, restart: () => {} }
let retry = 0, lastMessage = 0

/** Connects, and hands each message to the receiver. @param {string[]} wanted topics @param {Receiver} to */
export function connect(wanted, to) {
  topics = wanted
  receiver = to
  openSocket()
  setInterval(() => socket?.readyState === WebSocket.OPEN && performance.now() - lastMessage > SILENT
    && retryLater(socket, ''), 1000)
  addEventListener('online', retryNow)
  document.addEventListener('visibilitychange', retryNow)
}

/** Replaces the subscription. @param {string[]} wanted topics
 * @param {Record<string, number>} rates values a second that the page can use, by topic; without one it gets all */
export function subscribe(wanted, rates = {}) {
  topics = wanted
  most = rates
  if (socket?.readyState !== WebSocket.OPEN) return
  socket.send(JSON.stringify({ subscribe: topics, most, ...(token && { token }) }))
}

/** Sets the token; '' for none. @param {string} t */
export function setToken(t) {
  token = t
}

export const hasToken = () => token !== ''

/** Connects again at once with the present token. @param {string[]} wanted topics */
export function reconnect(wanted) {
  topics = wanted
  attempt = 0
  const old = socket
  socket = null
  old?.close()
  change(state, { link: 'connecting', reason: '' })
  openSocket()
}

export const authorization = () => /** @type {Record<string, string>} */ (token ? { Authorization: 'Bearer ' + token }
  : {})

/** Asks for a value of the server; a failure is thrown with a text for the user.
 * @template T @param {string} path @param {AbortSignal} [signal] @returns {Promise<T>} */
export async function get(path, signal) {
  const answer = await fetch(path, { headers: authorization(), signal })
  if (!answer.ok) throw new Error(await errorOf(answer))
  return answer.json()
}

/** Sends a command and returns its answer; a failure is thrown with a text for the user.
 * @param {string} name @param {object} body @returns {Promise<any>} */
export async function request(name, body) {
  let answer
  try {
    answer = await fetch('api/command/' + name, {
      method: 'POST', headers: { 'Content-Type': 'application/json', ...authorization() }, body: JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER),
    })
  } catch (e) {
    throw new Error(e instanceof DOMException && e.name === 'TimeoutError'
      ? 'no answer from the server; the command may have been carried out' : 'the command did not reach the server')
  }
  if (!answer.ok) throw new Error(await errorOf(answer))
  return answer.status === 204 ? null : answer.json()
}

/** Sends a command; a failure appears as a toast.
 * @param {string} name @param {object} body */
export async function command(name, body) {
  try {
    await request(name, body)
  } catch (e) {
    toast(errorText(e))
  }
}

/** The error text of an answer with an error status. @param {Response} answer @returns {Promise<string>} */
export async function errorOf(answer) {
  try {
    return (await answer.json()).error
  } catch {
    return `the server answered with status ${answer.status}`
  }
}

/** @param {unknown} e a thrown value */
export const errorText = (e) => e instanceof Error ? e.message : String(e)

let fading = 0

/** Shows a text for six seconds. @param {string} text */
export function toast(text) {
  clearTimeout(fading)
  fading = setTimeout(() => change(state, { toast: '' }), 6000)
  change(state, { toast: text })
}

/** Copies a text to the clipboard. @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
    toast('copied')
  } catch {
    toast('this browser does not let pages copy; select the text and copy it')
  }
}

/** Drops a connection and tries again later. @param {WebSocket} ws @param {string} reason */
function retryLater(ws, reason) {
  if (socket !== ws) return
  socket = null
  ws.close()
  const wait = Math.min(SLOWEST, 250 * 2 ** attempt++) * (0.75 + Math.random() / 2)
  retry = setTimeout(openSocket, wait)
  change(state, { link: 'lost', reason })
}

/** @param {WebSocket} ws @param {CloseEvent} e */
function closed(ws, e) {
  if (e.code !== REFUSED) return retryLater(ws, e.reason)
  if (socket !== ws) return
  socket = null
  change(state, { link: 'refused', reason: e.reason })
}

function openSocket() {
  clearTimeout(retry)
  const ws = new WebSocket(new URL('api/stream', location.href.replace(/^http/, 'ws')))
  socket = ws
  ws.onopen = () => {
    lastMessage = performance.now()
    subscribe(topics, most)
  }
  ws.onmessage = (e) => socket === ws && receive(JSON.parse(e.data))
  ws.onclose = (e) => closed(ws, e)
}

/** Connects at once when the network or the reader is back. */
function retryNow() {
  if (socket || document.hidden || state.link === 'refused') return
  attempt = 0
  openSocket()
}

/** @param {{run: string, topic: string, value: any}} message */
function receive({ run, topic, value }) {
  attempt = 0
  lastMessage = performance.now()
  if (state.run !== run) {
    state.run = run
    receiver.restart()
  }
  receiver.receive(topic, value)
  if (state.link !== 'open') change(state, { link: 'open', reason: '' })
}
