// The test with a client that others wrote: it runs the program, and connects with Foxglove's own client library.
//   node internal/playback/foxglovenet/wstest/run.mjs PATH_TO_TOUCHLINE
// It prints a line for each check and for each figure, and exits with code 1 if a check fails.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import WebSocket from 'ws'
import { validate } from './schema.mjs'

const require = createRequire(import.meta.url)
const { FoxgloveClient } = require('@foxglove/ws-protocol'), schemas = require('@foxglove/schemas/jsonschema')

const SDK = 'foxglove.sdk.v1', OLDER = 'foxglove.websocket.v1'
const PATIENCE = 60_000 // ms for a wait; far more than any needs

const binary = resolve(process.argv[2] ?? '')
if (!process.argv[2]) {
  console.error('usage: node internal/playback/foxglovenet/wstest/run.mjs PATH_TO_TOUCHLINE')
  process.exit(2)
}

let passed = 0, failed = 0
function check(what, holds, got = '') {
  if (holds) passed++
  else failed++
  console.log(`${holds ? 'ok' : 'FAILED'}  ${what}${holds || got === '' ? '' : `: ${typeof got === 'string' ? got : JSON.stringify(got)}`}`)
}

/** Waits until something holds, and returns it. */
async function until(what, holds) {
  for (const end = Date.now() + PATIENCE; Date.now() < end;) {
    const v = await holds()
    if (v) return v
    await sleep(20)
  }
  throw new Error(`${what}: not within ${PATIENCE / 1000} s`)
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms))

const programs = new Set()
/** Starts the program, and waits until it prints the page's address. */
async function launch(...args) {
  const program = spawn(binary, [...args, '--http', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  programs.add(program)
  const url = await new Promise((ok, fail) => {
    createInterface({ input: program.stdout }).on('line', (line) => {
      const [url] = /http:\/\/[^\s/]+\//.exec(line) ?? []
      if (url) ok(url)
    })
    program.once('exit', (code) => fail(new Error(`${args.join(' ')} exited with ${code} before it printed its address`)))
  })
  return { program, host: new URL(url).host }
}

async function stop({ program }) {
  programs.delete(program)
  program.kill('SIGINT')
  const [code] = program.exitCode === null ? await once(program, 'exit') : [program.exitCode]
  check(`the program ends cleanly with a client connected`, code === 0, code)
}

/** A client of the library, with all that it was told. */
class Client {
  constructor(host, { protocols = [OLDER, SDK], token = '', origin } = {}) {
    const address = `ws://${host}/foxglove${token && `?token=${token}`}`
    this.ws = new WebSocket(address, protocols, { origin, maxPayload: 1 << 26, perMessageDeflate: false })
    this.client = new FoxgloveClient({ ws: this.ws })
    this.channels = new Map() // by topic
    this.subscribed = new Map() // by subscription: the topic
    this.messages = [] // {topic, timestamp, data}
    this.latest = new Map() // by topic
    this.count = 0
    this.statuses = []
    this.removed = []
    this.values = new Map()
    this.publishers = new Map() // by topic of the graph: the names of the nodes
    this.errors = []
    this.keep = false
    const c = this.client
    c.on('serverInfo', (v) => { this.info = v })
    c.on('advertise', (all) => { for (const v of all) this.channels.set(v.topic, v) })
    c.on('advertiseServices', (all) => { this.services = new Map(all.map((v) => [v.name, v])) })
    c.on('status', (v) => this.statuses.push(v))
    c.on('removeStatus', (v) => this.removed.push(...v.statusIds))
    c.on('connectionGraphUpdate', (v) => {
      for (const t of v.publishedTopics) this.publishers.set(t.name, t.publisherIds)
      for (const name of v.removedTopics) this.publishers.delete(name)
    })
    c.on('parameterValues', (v) => { for (const p of v.parameters) this.values.set(p.name, p.value) })
    c.on('time', (v) => { this.time = v.timestamp })
    c.on('error', (e) => this.errors.push(String(e)))
    c.on('message', (v) => {
      const m = { topic: this.subscribed.get(v.subscriptionId), timestamp: v.timestamp, data: v.data, at: Date.now() }
      this.count++
      this.latest.set(m.topic, m)
      this.onMessage?.(m)
      if (this.keep) this.messages.push(m)
    })
  }
  async open() {
    await until('serverInfo', () => this.info)
    return this
  }
  subscribe(topic) {
    const id = this.client.subscribe(this.channels.get(topic).id)
    this.subscribed.set(id, topic)
    return id
  }
  subscribeAll() {
    for (const topic of this.channels.keys()) {
      if (![...this.subscribed.values()].includes(topic)) this.subscribe(topic)
    }
  }
  json(topic) {
    const m = this.latest.get(topic)
    return m && JSON.parse(text(m.data))
  }
  call(service, body) {
    const { id } = this.services.get(service), callId = ++this.calls
    const answer = new Promise((done) => {
      this.client.on('serviceCallResponse', (v) => { if (v.callId === callId) done({ ok: text(v.data) }) })
      this.client.on('serviceCallFailure', (v) => { if (v.callId === callId) done({ error: v.message }) })
    })
    this.client.sendServiceCallRequest({ serviceId: id, callId, encoding: 'json', data: new TextEncoder().encode(JSON.stringify(body)) })
    return answer
  }
  calls = 0
  close() { this.client.close() }
}

const text = (view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString()
const hash = (view) => createHash('sha256').update(Buffer.from(view.buffer, view.byteOffset, view.byteLength)).digest('hex')

/** The answer of the server to a handshake. */
function handshake(host, protocols, origin, token = '') {
  return new Promise((done) => {
    const ws = new WebSocket(`ws://${host}/foxglove${token && `?token=${token}`}`, protocols, { origin })
    ws.on('open', () => { done({ status: 101, protocol: ws.protocol }); ws.close() })
    ws.on('unexpected-response', (_, answer) => {
      let body = ''
      answer.on('data', (part) => { body += part })
      answer.on('end', () => done({ status: answer.statusCode, body }))
    })
    ws.on('error', () => {})
  })
}

async function handshakes(host) {
  for (const [offered, want] of [[[OLDER, SDK], SDK], [[SDK, OLDER], SDK], [[SDK], SDK], [[OLDER], OLDER]]) {
    const got = await handshake(host, offered)
    check(`of ${offered.join(', ')} the server chooses ${want}`, got.status === 101 && got.protocol === want, got)
  }
  for (const offered of [[], ['foxglove.sdk.v9']]) {
    const got = await handshake(host, offered)
    check(`${offered.length ? 'an unknown' : 'no'} sub-protocol is refused with 400 and a sentence`,
      got.status === 400 && got.body.includes(SDK), got)
  }
  const page = await (await fetch(`http://${host}/foxglove`)).text(), token = /token=([A-Z0-9]+)/.exec(page)?.[1] ?? ''
  check('the page of the address shows it', token.length === 26 && page.includes(`ws://${host}/foxglove?token=${token}`), page)
  for (const [origin, given, want] of [
    ['https://evil.example', '', 403], ['null', '', 403], ['file://', '', 403], ['https://evil.example', 'WRONG', 403],
    ['https://evil.example', token, 101], ['file://', token, 101], ['https://app.foxglove.dev', '', 101],
    ['http://localhost:8080', '', 101], [`http://${host}`, '', 101],
  ]) {
    const got = await handshake(host, [SDK], origin, given)
    check(`a page of ${origin} ${given ? given === token ? 'with the key' : 'with a wrong key' : 'without a key'}: ${want}`,
      got.status === want, got)
  }
  return token
}

/** Checks each topic of a client that has a schema of Foxglove, and the JSON of all with a schema. */
function checkSchemas(client, wanted) {
  const seen = new Set()
  for (const [topic, m] of client.latest) {
    const channel = client.channels.get(topic)
    if (channel.encoding !== 'json') continue
    const value = JSON.parse(text(m.data)), name = channel.schemaName.replace('foxglove.', '')
    if (channel.schema) {
      const wrong = validate(JSON.parse(channel.schema), value)
      check(`${topic} fits the schema that is advertised`, wrong === '', wrong)
    }
    if (!channel.schemaName.startsWith('foxglove.')) continue
    const wrong = validate(schemas[name], value)
    check(`${topic} fits ${channel.schemaName} of @foxglove/schemas`, wrong === '', wrong)
    seen.add(name)
  }
  for (const name of wanted) check(`a topic has ${name}`, seen.has(name))
}

/** The demo: topics, services, the graph, parameters, what a reader may do, latency. It records meanwhile. */
async function demo(file) {
  const program = await launch('demo', '--seed', '7', '--record', file, '--record-pictures', '2', '--duration', '3600s')
  const { host } = program, token = await handshakes(host)
  const client = await new Client(host, { token }).open()
  check('serverInfo', client.info.name === 'touchline' && client.info.sessionId.length > 5 && client.info.metadata.program === 'touchline' &&
    ['services', 'connectionGraph', 'parameters', 'parametersSubscribe'].every((c) => client.info.capabilities.includes(c)), client.info)
  await until('20 topics', () => client.channels.size >= 20)
  console.log(`    topics: ${[...client.channels.keys()].join(' ')}`)
  const images = () => [...client.channels.keys()].some((t) => t.startsWith('foxglove/percepts/'))
  await until('pictures', images)
  client.keep = true
  await until('messages on 20 topics', () => {
    client.subscribeAll() // a topic becomes known with its first message
    return client.latest.size >= 20 && client.latest.has('foxglove/field') &&
      [...client.latest.keys()].some((t) => t.startsWith('foxglove/percepts/'))
  })
  checkSchemas(client, ['SceneUpdate', 'FrameTransforms', 'CompressedImage', 'ImageAnnotations'])

  let stands = false // robots move it soon: every message is looked at
  client.onMessage = (m) => {
    const ball = m.topic === 'topic/wall' && JSON.parse(text(m.data)).truth?.ball
    if (ball) stands ||= Math.hypot(ball.x - 2, ball.y + 1.5) < 0.3
  }
  const placed = await client.call('/place-ball', { x: 2, y: -1.5 })
  check('the service place-ball is carried out', placed.ok === '{}', placed)
  await until('the ball stands where the service put it', () => stands)
  client.onMessage = undefined
  check('the service kick is carried out', (await client.call('/kick', { vx: 1, vy: 0 })).ok === '{}')
  for (const [body, part] of [[{ x: 1, z: 2 }, 'z'], [{ x: 'a' }, 'x']]) {
    const refused = await client.call('/place-ball', body)
    check(`the body ${JSON.stringify(body)} is refused`, refused.error?.includes(part), refused)
  }
  const reader = await new Client(host, { origin: 'https://app.foxglove.dev' }).open()
  const refused = await reader.call('/place-ball', { x: 0, y: 0 })
  check('a client without the key may only read', refused.error?.includes('may only read'), refused)

  client.client.subscribeConnectionGraph()
  await until('the types of the TCM with their robots in the graph', () =>
    [...client.publishers].some(([name, ids]) => name.startsWith('tcm ') && ids.length > 0))
  await until('who sends packages, in the graph', () => client.publishers.get('mixed team packages')?.length >= 5)
  await parameters(client, reader)
  await garbage(client, host, token)
  await latency(host, token)
  client.close()
  reader.close()
  await stop(program)
  return client.messages
}

async function parameters(client, reader) {
  const name = await until('the parameters of a robot', () => {
    client.client.getParameters([], 'all')
    return [...client.values].find(([name, v]) => name.startsWith('robot/') && typeof v === 'number' && !Number.isInteger(v))?.[0]
  })
  const was = client.values.get(name), want = was * 0.99
  client.client.subscribeParameterUpdates([name])
  client.client.setParameters([{ name, value: want }], 'set')
  await until(`${name} changes`, () => client.values.get(name) !== was)
  check(`${name} was set from ${was} to ${client.values.get(name)}`, Math.abs(client.values.get(name) - want) <= Math.abs(was) * 0.02)
  client.client.setParameters([{ name: 'robot/99/none', value: 1 }])
  await until('an unknown parameter is refused', () => client.statuses.some((s) => s.message.includes('robot/99/none')))
  reader.client.setParameters([{ name, value: was }])
  await until('a reader sets nothing', () => reader.statuses.some((s) => s.message.includes('may only read')))
  check('wrong parameters and readers are refused with a status', true)
}

/** Wrong messages are answered with a status, and the connection goes on; too long ones end it. */
async function garbage(client, host, token) {
  const before = client.statuses.length
  const subscriptions = Array.from({ length: 10_000 }, (_, i) => ({ id: 100_000 + i, channelId: 50_000 + i }))
  for (const wrong of ['{', '{"op":"dance"}', '{"op":"subscribe","subscriptions":[{"id":-1,"channelId":1}]}',
    JSON.stringify({ op: 'subscribe', subscriptions }), Buffer.from([9, 1, 2]), Buffer.from([2, 1]), Buffer.alloc(0)]) {
    client.ws.send(wrong)
  }
  await until('seven statuses', () => client.statuses.length >= before + 7)
  const count = client.count
  await until('messages go on', () => client.count > count)
  check('malformed messages, unknown opcodes and 10,000 wrong subscriptions are answered, and the connection goes on', true)
  const long = await new Client(host, { token }).open()
  long.ws.send(Buffer.alloc(2 << 20))
  const [code] = await once(long.ws, 'close')
  check('a message of 2 MB ends the connection with 1009', code === 1009, code)
}

/** Eight clients of 20 topics: figures, no check. Messages carry the time of their sample. */
async function latency(host, token) {
  const clients = await Promise.all(Array.from({ length: 8 }, () => new Client(host, { token }).open()))
  const late = []
  for (const c of clients) {
    await until('all topics', () => c.channels.size >= 20)
    const json = [...c.channels.values()].filter((v) => v.encoding === 'json' && !v.topic.startsWith('foxglove/camera'))
    for (const { topic } of json.slice(0, 20)) c.subscribe(topic)
    const from = Date.now()
    c.onMessage = (m) => {
      const sampled = Number(m.timestamp / 1_000_000n)
      if (m.topic === 'topic/wall' && sampled > from) late.push(m.at - sampled) // the first one is older
    }
  }
  await until('800 walls', () => late.length >= 800)
  late.sort((a, b) => a - b)
  const total = clients.reduce((n, c) => n + c.count, 0)
  console.log(`    8 clients of ${clients[0].subscribed.size} topics: ${total} messages; from sample to client p50 ${late[late.length >> 1]} ms, ` +
    `p99 ${late[Math.floor(late.length * 0.99)]} ms`)
  for (const c of clients) c.close()
}

/** A match names the frames of both teams, and has the topics of both. */
async function match() {
  const program = await launch('demo', '--match', '--seed', '3', '--duration', '3600s')
  const client = await new Client(program.host).open()
  const wanted = ['topic/match', 'topic/booking.away', 'truth', 'foxglove/tf']
  await until('the topics of a match', () => wanted.every((t) => client.channels.has(t)))
  client.subscribeAll()
  const frames = await until('ten frames, of both teams', () => {
    const all = client.json('foxglove/tf')?.transforms.map((t) => t.child_frame_id)
    return all?.length >= 10 && all.includes('home/2') && all.includes('away/2') && all
  })
  check('no two robots of a match have one frame', new Set(frames).size === frames.length, frames)
  await until('truth', () => client.latest.has('truth'))
  checkSchemas(client, [])
  const refused = await client.call('/again', { x: 1 })
  check('a match refuses what its page refuses', refused.error, refused)
  client.close()
  await stop(program)
}

/** A VSS simulator shows its field. */
async function simulator() {
  const program = await launch('sim', 'vss', '--commands', '127.0.0.1:0', '--vision', '127.0.0.1:10099', '--seed', '7')
  const client = await new Client(program.host).open()
  await until('the topics of a simulator', () => client.channels.size >= 4)
  client.subscribeAll()
  await until('its topics', () => client.latest.size >= 4)
  checkSchemas(client, ['SceneUpdate', 'FrameTransforms'])
  check('the service ball is carried out', (await client.call('/ball', { x: 0.2, y: 0.1 })).ok === '{}')
  await until('the ball stands there', () => Math.abs(client.json('topic/vss').ball.position.x - 0.2) < 0.05)
  client.close()
  await stop(program)
}

/** The monitor of another league: the topics of its wall, and who plays. */
async function league() {
  const game = spawn(binary, ['hsl', '--robots', '--players', '3'], { stdio: ['ignore', 'ignore', 'inherit'] })
  programs.add(game)
  const program = await launch('monitor', '--league', 'hsl')
  const client = await new Client(program.host).open()
  client.client.subscribeConnectionGraph()
  await until('the topics of a wall', () => client.channels.has('packets') && client.channels.has('foxglove/tf'))
  client.subscribeAll()
  await until('its topics', () => ['packets', 'topic/wall', 'foxglove/tf'].every((t) => client.latest.has(t)))
  checkSchemas(client, ['SceneUpdate', 'FrameTransforms'])
  await until('the robots', () => client.json('topic/wall').tiles.length === 6)
  await until('the game on the wall', () => client.json('topic/wall').game?.league === 'HSL')
  await until('who sends HSL packets, in the graph', () => client.publishers.get('HSL packets')?.length > 0)
  client.close()
  await stop(program)
  programs.delete(game)
  game.kill('SIGINT')
  await once(game, 'exit')
}

const control = (command, speed, seek, id) => {
  const b = Buffer.alloc(19 + id.length)
  b.writeUInt8(3, 0)
  b.writeUInt8(command, 1)
  b.writeFloatLE(speed, 2)
  b.writeUInt8(seek === undefined ? 0 : 1, 6)
  b.writeBigUInt64LE(seek ?? 0n, 7)
  b.writeUInt32LE(id.length, 15)
  b.write(id, 19)
  return b
}

/** The recording: the same messages as live, controlled by a client; and a client that takes nothing. */
async function replay(file, live) {
  const program = await launch('replay', file)
  const states = []
  const client = await new Client(program.host, { protocols: [SDK] }).open()
  client.ws.on('message', (message, isBinary) => {
    const data = Buffer.from(message)
    if (!isBinary || data[0] !== 5) return
    states.push({ status: data.readUInt8(1), time: data.readBigUInt64LE(2), speed: data.readFloatLE(10), sought: data.readUInt8(14), id: data.subarray(19).toString() })
  })
  const { dataStartTime: from, dataEndTime: to } = client.info
  const start = BigInt(from.sec) * 1_000_000_000n + BigInt(from.nsec), end = BigInt(to.sec) * 1_000_000_000n + BigInt(to.nsec)
  check('a recording has playbackControl and its times', client.info.capabilities.includes('playbackControl') && start < end, client.info)
  await until('topics', () => client.channels.size >= 20)
  client.ws.send(control(1, 1, start, 'pause'))
  const paused = await until('the answer', () => states.find((s) => s.id === 'pause'))
  check('pause and seek are answered with the state', paused.status === 1 && paused.sought === 1 && paused.time === start, paused)
  client.keep = true
  client.subscribeAll()
  client.ws.send(control(0, 2, undefined, 'play'))
  await until('the end', () => states.some((s) => s.status === 3))
  const recorded = new Map()
  for (const m of client.messages) recorded.set(`${m.topic} ${m.timestamp} ${hash(m.data)}`, true)
  check('the last time is that of the end', client.time >= end, String(client.time))

  const topics = new Set(), missing = []
  let same = 0
  for (const m of live) {
    // The lines of the field are sent to each client that subscribes, and recorded when they are due.
    if (m.topic === 'foxglove/field' || m.timestamp > end || m.timestamp < start) continue
    if (recorded.has(`${m.topic} ${m.timestamp} ${hash(m.data)}`)) {
      same++
      topics.add(m.topic)
    } else missing.push(`${m.topic} ${m.timestamp}`)
  }
  check(`${same} live messages of ${topics.size} topics are in the recording, byte for byte`, missing.length === 0 && topics.size >= 19, missing.slice(0, 5))
  await stalled(program.host, client, start, states)
  client.close()
  await stop(program)
}

/** One client takes nothing for a while; another one goes on, and the first one is told what it has missed. */
async function stalled(host, client, start, states) {
  const slow = await new Client(host).open()
  await until('topics', () => slow.channels.size >= 20)
  slow.subscribeAll()
  client.messages = []
  client.keep = false
  client.ws.send(control(0, 20, start, 'again'))
  await until('the slow client hears', () => slow.count > 0)
  slow.ws.pause()
  const from = client.count
  let longest = 0, last = Date.now()
  client.onMessage = () => { longest = Math.max(longest, Date.now() - last); last = Date.now() }
  let bytes = 0
  client.client.on('message', (m) => { bytes += m.data.byteLength })
  await until('25 MB', () => {
    const s = states.at(-1)
    if (s.status === 3) client.ws.send(control(0, 20, start, `n${states.length}`))
    return bytes > 25e6
  })
  client.onMessage = undefined
  console.log(`    while one client stalls another takes ${client.count - from} messages, ${Math.round(bytes / 1e6)} MB; its longest gap is ${longest} ms`)
  slow.ws.resume()
  await until('the status', () => slow.statuses.some((s) => s.message === 'Send buffer limit reached'))
  check('a client that stalled is told "Send buffer limit reached"', slow.statuses.filter((s) => s.message === 'Send buffer limit reached').length === 1)
  check('an older client never gets the opcode of playback', slow.errors.length === 0, slow.errors)
  slow.close()
}

const folder = await mkdtemp(join(tmpdir(), 'touchline-foxglove-'))
try {
  const file = join(folder, 'session.mcap')
  const live = await demo(file)
  await replay(file, live)
  await match()
  await simulator()
  await league()
} catch (e) {
  check('no error', false, String(e?.stack ?? e))
} finally {
  for (const p of programs) p.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed ? 1 : 0)
