// The browser test: the real program, a real browser, and what the page really drew.
//   node monitor/browsertest/run.mjs PATH_TO_TOUCHLINE [--pictures DIR]
// It prints a line for each check and ends with a code other than 0 when one fails. CHROMIUM names another browser.

import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'
import { album, checks, recovery } from './checks.mjs'
import { refboxAlbum, refboxChecks, station, takeover } from './refboxchecks.mjs'
import { vssAlbum, vssChecks } from './vsschecks.mjs'

const PATIENCE = 30_000 // ms; no wait needs it

const args = process.argv.slice(2)
const at = args.indexOf('--pictures')
const pictures = at < 0 ? '' : args.splice(at, 2)[1]
const [binary] = args
if (!binary || pictures === undefined) {
  console.error('usage: node monitor/browsertest/run.mjs PATH_TO_TOUCHLINE [--pictures DIR]')
  process.exit(2)
}

/** Starts the program and waits for the address of the page that it prints. @param {string[]} args */
async function launch(args) {
  const program = spawn(binary, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  /** @type {string} */
  const url = await new Promise((ok, fail) => {
    createInterface({ input: program.stdout }).on('line', (line) => {
      const [url] = /http:\/\/[^\s/]+\//.exec(line) ?? []
      if (url) ok(url)
    })
    program.once('error', fail)
    program.once('exit', (code) => fail(new Error(`${binary} ${args.join(' ')} ended with ${code} before it printed its address`)))
  })
  return { program, url }
}

/** @param {string} address of its page */
const session = (address) => launch(['demo', '--http', address, '--seed', '7', '--duration', '120s'])

/** A simulator that hears no referee of somebody else. @param {number} vision port to which vision goes @param {number} referee a free port
 * @param {string[]} more */
const simulator = (vision, referee, ...more) => launch(['sim', 'vss', '--http', '127.0.0.1:0', '--commands', '127.0.0.1:0', '--vision', `127.0.0.1:${vision}`,
  '--referee-group', `224.5.23.2:${referee}`, '--placement-group', `224.5.23.3:${referee}`, '--seed', '7', ...more])

/** @param {import('node:child_process').ChildProcess} program */
async function stop(program) {
  if (program.exitCode !== null || program.signalCode !== null) return
  const ended = once(program, 'exit')
  const slow = setTimeout(() => program.kill('SIGKILL'), 10_000)
  program.kill('SIGINT')
  await ended
  clearTimeout(slow)
}

let passed = 0, failed = 0

/** @param {string} name @param {() => Promise<void>} check */
async function run(name, check) {
  try {
    await check()
    passed++
    console.log('ok    ' + name)
  } catch (e) {
    failed++
    console.log(`FAIL  ${name}: ${e instanceof Error ? e.message.split('\n').slice(0, 4).join(' ') : e}`)
  }
}

let { program, url } = await session('127.0.0.1:0')
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})
/** @type {string[]} */
const complaints = []

/** A page whose complaints are kept. That the referee box refuses a decision is an answer, no complaint.
 * @param {string} [to] its address @param {import('playwright-core').BrowserContextOptions} [more] */
async function open(to = url, more = {}) {
  const page = await browser.newPage({ viewport: { width: 1600, height: 900 }, colorScheme: 'light', ...more })
  const { host } = new URL(to)
  page.setDefaultTimeout(PATIENCE)
  page.on('console', (m) => m.type() === 'error' && !m.location().url.includes('/api/command/') && complaints.push(m.text()))
  page.on('response', async (r) => r.status() >= 400 && !r.url().endsWith('/api/command/decide') && complaints.push(`${r.request().method()} ${r.url()} ${r.request().postData() ?? ''}: ${await r.text()}`))
  page.on('pageerror', (e) => complaints.push(e.message))
  page.on('request', (r) => /^(data|blob):/.test(r.url()) || new URL(r.url()).host === host || complaints.push('asked ' + r.url()))
  page.on('websocket', (s) => new URL(s.url()).host === host || complaints.push('asked ' + s.url()))
  await page.goto(to)
  return page
}

async function nothingElse() {
  await run('nothing to complain about, nothing asked of other origins', async () => {
    if (complaints.length) throw new Error(complaints.splice(0).join('; '))
  })
}

/** The demo's wall. */
async function wall() {
  const page = await open()
  for (const [name, check] of checks) await run(name, () => check(page))
  if (pictures) await run('pictures in ' + pictures, () => album(page, pictures))
  await nothingElse()
  await run('the page survives the server', () => recovery(page, async () => {
    await stop(program)
    return async () => {
      program = (await session(new URL(url).host)).program
    }
  }))
  await page.close()
  complaints.length = 0 // of the server that was away
}

/** The simulator's page; client and vision are sockets beside it. */
async function simulators() {
  const client = createSocket('udp4'), vision = createSocket('udp4'), spare = createSocket('udp4')
  for (const s of [client, vision, spare]) await new Promise((ok) => s.bind(0, '127.0.0.1', () => ok(undefined)))
  const { port } = spare.address()
  spare.close() // the port is free, and nobody else gets it soon
  const play = async (/** @type {string[]} */ ...more) => {
    await stop(program)
    void ({ program, url } = await simulator(vision.address().port, port, ...more))
    return open()
  }
  try {
    const page = await play()
    for (const [name, check] of vssChecks) await run(name, () => check({ page, client, vision }))
    await nothingElse()
    await page.close()
    if (pictures) {
      const match = await play('--blue', 'builtin', '--yellow', 'builtin', '--referee')
      await run('the simulator’s picture', () => vssAlbum(match, pictures))
    }
  } finally {
    client.close()
    vision.close()
  }
}

/** Starts a referee box and reads the addresses that it prints. @param {...string} more */
async function box(...more) {
  const args = ['refbox', '--json', '--score-clients', '', ...more]
  const program = spawn(binary, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(program, 'exit').then(([code]) => { throw new Error(`${binary} ${args.join(' ')} ended with ${code} before it printed its addresses`) })
  ended.catch(() => {})
  const [line] = await Promise.race([once(createInterface({ input: program.stdout }), 'line'), ended])
  return { program, at: JSON.parse(line) }
}

/** A match: two base stations on sockets and a referee at the keyboard. */
async function match() {
  await stop(program)
  const dir = await mkdtemp(join(tmpdir(), 'touchline-'))
  /** @type {import('node:child_process').ChildProcess | null} */
  let copy = null
  try {
    const rules = join(dir, 'rules.json')
    await writeFile(rules, '{"setPieceSeconds": 2}')
    const begin = (/** @type {string} */ http, /** @type {string} */ listen) => box('--dir', join(dir, 'game'), '--rules', rules, '--http', http, '--listen', listen, '--home', '39', '--away', '63')
    const begun = await begin('127.0.0.1:0', '127.0.0.1:0'), { at } = begun
    program = begun.program
    const t = {
      at, open, page: await open(at.referee), home: await station(39, at.baseStations), away: await station(63, at.baseStations),
      kill: async () => {
        const ended = once(program, 'exit')
        program.kill('SIGKILL')
        await ended
      },
      start: async () => {
        program = (await begin(new URL(at.referee).host, at.baseStations)).program
      },
      forgive: () => { complaints.length = 0 }, // of the server that was away
      follow: async () => {
        const second = await box('--dir', join(dir, 'copy'), '--rules', rules, '--http', '127.0.0.1:0', '--listen', at.baseStations, '--follow', new URL(at.referee).host, '--token', at.token)
        copy = second.program
        return second.at.referee
      },
    }
    for (const [name, check] of refboxChecks) await run(name, () => check(t))
    await nothingElse()
    if (pictures) await run('pictures of the match', () => refboxAlbum(t, pictures))
    await t.page.close()
    await run('a second laptop takes over', () => takeover(t))
    complaints.length = 0 // of the laptop that died
    t.home.close()
    t.away.close()
  } finally {
    await stop(program)
    if (copy) await stop(copy)
    await rm(dir, { recursive: true, force: true })
  }
}

try {
  if (pictures) await mkdir(pictures, { recursive: true })
  await wall()
  await simulators()
  await match()
} finally {
  await browser.close()
  await stop(program)
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed ? 1 : 0)
