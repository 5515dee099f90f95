// The browser test: it runs the program and a browser, and checks what the pages draw.
//   node internal/monitor/browsertest/run.mjs PATH_TO_TOUCHLINE [--pictures DIR] [--only wall|sessions|simulators|match]
// The program touchline-lab stands in the same folder. The test prints a line for each check, and exits with code 1 if one
// fails. CHROMIUM names another browser.

import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'
import { batchChecks } from './batchchecks.mjs'
import { behaviourChecks } from './behaviourchecks.mjs'
import { bookingChecks, bookingProgramChecks } from './bookingchecks.mjs'
import { album, checks, recovery } from './checks.mjs'
import { refboxAlbum, refboxChecks, station, takeover } from './refboxchecks.mjs'
import { leagueChecks } from './leaguechecks.mjs'
import { connectChecks } from './connectchecks.mjs'
import { manageProgramChecks } from './managechecks.mjs'
import { lobbyChecks } from './lobbychecks.mjs'
import { matchProgramChecks } from './matchchecks.mjs'
import { robotProgramChecks } from './robotchecks.mjs'
import { viewChecks } from './viewchecks.mjs'
import { plotChecks, plotProgramChecks } from './plotchecks.mjs'
import { sessionChecks } from './sessionchecks.mjs'
import { startProgramChecks } from './startchecks.mjs'
import { tcmChecks, tcmProgramChecks } from './tcmchecks.mjs'
import { vssAlbum, vssChecks, vssLog } from './vsschecks.mjs'

const PATIENCE = 30_000 // ms for a wait; far more than any needs

const args = process.argv.slice(2)
/** Takes an option and its value out of the arguments; '' without the option. @param {string} name */
function option(name) {
  const at = args.indexOf(name)
  return at < 0 ? '' : args.splice(at, 2)[1]
}
const pictures = option('--pictures'), only = option('--only')
const [binary] = args.map((a) => resolve(a))
if (!binary || pictures === undefined || only === undefined) {
  console.error('usage: node internal/monitor/browsertest/run.mjs PATH_TO_TOUCHLINE [--pictures DIR] [--only wall|sessions|simulators|match]')
  process.exit(2)
}

/** Starts the program and waits until it prints the page's address. @param {string[]} args @param {string} [cwd]
 * @param {string} [path] of another program */
async function launch(args, cwd, path = binary) {
  const program = spawn(path, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  /** @type {string} */
  const url = await new Promise((ok, fail) => {
    createInterface({ input: program.stdout }).on('line', (line) => {
      const [url] = /http:\/\/[^\s/]+\//.exec(line) ?? []
      if (url) ok(url)
    })
    program.once('error', fail)
    program.once('exit', (code) =>
      fail(new Error(`${path} ${args.join(' ')} exited with ${code} before it printed its address`)))
  })
  return { program, url }
}

/** Runs the program to its end. @param {string[]} args @param {string} cwd */
async function finish(args, cwd) {
  const program = spawn(binary, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(program, 'exit')
  if (code !== 0) throw new Error(`${binary} ${args.join(' ')} exited with ${code}`)
}

/** Starts a demo. @param {string} address of its page */
const session = (address) => launch(['demo', '--http', address, '--seed', '7', '--duration', '3600s'])

/** Starts a simulator. @param {number} vision port for vision packets
 * @param {number} referee an unused port, so that no
 * other referee interferes @param {string[]} more */
const simulator = (vision, referee, ...more) =>
  launch(['sim', 'vss', '--http', '127.0.0.1:0', '--commands', '127.0.0.1:0', '--vision', `127.0.0.1:${vision}`,
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

/** Runs a check, and reports whether it passed. @param {string} name @param {() => Promise<void>} check */
async function run(name, check) {
  try {
    await check()
    passed++
    console.log('ok    ' + name)
    return true
  } catch (e) {
    failed++
    console.log(`FAIL  ${name}: ${e instanceof Error ? e.message.split('\n').slice(0, 4).join(' ') : e}`)
    return false
  }
}

/** Runs a check that opens pages of its own. One that fails leaves them open while its program ends: their lost
 * connections are no errors of other checks. @param {string} name @param {() => Promise<void>} check */
async function runAlone(name, check) {
  const before = errors.length
  if (await run(name, check)) return
  for (const context of browser.contexts()) await context.close()
  errors.length = before
}

let { program, url } = await session('127.0.0.1:0')
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
})
/** @type {string[]} */
const errors = []

/** Opens a page, and collects its errors. Neither a decision that the referee box refuses
 * is an error, nor a command of a page that stalled for so long that the program counts it as closed, or that it lost the
 * control of a robot.
 * @param {string} [to] its address @param {import('playwright-core').BrowserContextOptions} [more] */
async function open(to = url, more = {}) {
  const page = await browser.newPage({ viewport: { width: 1600, height: 900 }, colorScheme: 'light', ...more })
  const { host } = new URL(to)
  page.setDefaultTimeout(PATIENCE)
  page.on('console', (m) => m.type() === 'error' && !m.location().url.includes('/api/command/')
    && errors.push(m.text()))
  page.on('response', async (r) => {
    if (r.status() < 400 || /\/(decide|robot-drive)$/.test(r.url())) return
    const text = await r.text().catch(() => '') // of a page that is closed
    if (!/take (the )?control/.test(text)) errors.push(
      `${r.request().method()} ${r.url()} ${r.request().postData() ?? ''}: ${text}`)
  })
  page.on('pageerror', (e) => errors.push(e.message))
  page.on('request', (r) => /^(data|blob):/.test(r.url()) || new URL(r.url()).host === host
    || errors.push('request to ' + r.url()))
  page.on('websocket', (s) => new URL(s.url()).host === host || errors.push('request to ' + s.url()))
  await page.goto(to)
  return page
}

async function noErrors() {
  await run('no errors, no requests to other origins', async () => {
    if (errors.length) throw new Error(errors.splice(0).join('; '))
  })
}

/** Checks the demo's wall. */
async function wall() {
  const page = await open(url + 'wall')
  for (const [name, check] of [...checks, ...tcmChecks, ...bookingChecks, ...behaviourChecks, ...viewChecks, ...connectChecks, ...plotChecks]) await run(name, () => check(page))
  if (pictures) await run('pictures in ' + pictures, () => album(page, pictures))
  await noErrors()
  await run('the page reconnects to a restarted server', () => recovery(page, async () => {
    await stop(program)
    return async () => {
      program = (await session(new URL(url).host)).program
    }
  }))
  await page.close()
  errors.length = 0 // while the server was down
}

/** Checks recordings of a session. */
async function sessions() {
  await stop(program)
  const lab = (/** @type {string[]} */ args) => launch(args, undefined, join(dirname(binary), 'touchline-lab'))
  const start = (/** @type {string[]} */ args) => spawn(binary, args, { stdio: 'ignore' })
  const tools = { launch, lab, start, stop, open, run: finish }
  for (const [name, check] of [...sessionChecks(tools), ...tcmProgramChecks(tools),
    ...bookingProgramChecks(tools), ...matchProgramChecks(tools), ...lobbyChecks(tools), ...manageProgramChecks(tools),
    ...robotProgramChecks(tools), ...startProgramChecks(tools), ...plotProgramChecks(tools),
    ...batchChecks(tools), ...leagueChecks(tools)]) await runAlone(name, check)
  await noErrors()
}

/** Checks the simulator's page. */
async function simulators() {
  const client = createSocket('udp4'), vision = createSocket('udp4'), spare = createSocket('udp4')
  for (const s of [client, vision, spare]) await new Promise((ok) => s.bind(0, '127.0.0.1', () => ok(undefined)))
  const { port } = spare.address(), dir = await mkdtemp(join(tmpdir(), 'touchline-'))
  spare.close() // the system does not assign the port again soon
  const restart = async (/** @type {string[]} */ ...more) => {
    await stop(program)
    void ({ program, url } = await simulator(vision.address().port, port, ...more))
    return open()
  }
  try {
    const page = await restart()
    for (const [name, check] of vssChecks) await run(name, () => check({ page, client, vision }))
    await noErrors()
    await page.close()
    const recorded = await restart('--record', join(dir, 'game.mcap'), '--blue', 'builtin', '--referee')
    await run('the log of a game that is being played', () => vssLog(recorded))
    await noErrors()
    await recorded.close()
    if (pictures) {
      const match = await restart('--blue', 'builtin', '--yellow', 'builtin', '--referee')
      await run('the simulator’s picture', () => vssAlbum(match, pictures))
      await match.close()
    }
  } finally {
    client.close()
    vision.close()
    await stop(program)
    await rm(dir, { recursive: true, force: true })
  }
}

/** Starts a referee box and reads its addresses. @param {...string} more */
async function box(...more) {
  const args = ['refbox', '--json', '--score-clients', '', ...more]
  const program = spawn(binary, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(program,
    'exit').then(([code]) => { throw new Error(`${binary} ${args.join(' ')} exited with ${code} before it printed its addresses`) })
  ended.catch(() => {})
  const [line] = await Promise.race([once(createInterface({ input: program.stdout }), 'line'), ended])
  return { program, at: JSON.parse(line) }
}

/** Checks the referee box's pages: two base stations, and a referee at the keyboard. */
async function match() {
  await stop(program)
  const dir = await mkdtemp(join(tmpdir(), 'touchline-'))
  /** @type {import('node:child_process').ChildProcess | null} */
  let standby = null
  try {
    const rules = join(dir, 'rules.json')
    await writeFile(rules, '{"setPieceSeconds": 2}')
    const start = (/** @type {string} */ http, /** @type {string} */ listen) =>
      box('--dir', join(dir, 'game'), '--rules', rules, '--http', http, '--listen', listen, '--home', '39', '--away',
      '63')
    const first = await start('127.0.0.1:0', '127.0.0.1:0'), { at } = first
    program = first.program
    const t = {
      at, open, page: await open(at.referee), home: await station(39, at.baseStations),
        away: await station(63, at.baseStations),
      kill: async () => {
        const ended = once(program, 'exit')
        program.kill('SIGKILL')
        await ended
      },
      start: async () => {
        program = (await start(new URL(at.referee).host, at.baseStations)).program
      },
      forget: () => { errors.length = 0 }, // while the server was down
      follow: async () => {
        const second = await box('--dir', join(dir, 'standby'), '--rules', rules, '--http', '127.0.0.1:0', '--listen',
          at.baseStations, '--follow', new URL(at.referee).host, '--token', at.token)
        standby = second.program
        return second.at.referee
      },
    }
    for (const [name, check] of refboxChecks) await run(name, () => check(t))
    await noErrors()
    if (pictures) await run('pictures of the match', () => refboxAlbum(t, pictures))
    await t.page.close()
    await run('a standby takes over', () => takeover(t))
    errors.length = 0 // of the killed laptop
    t.home.close()
    t.away.close()
  } finally {
    await stop(program)
    if (standby) await stop(standby)
    await rm(dir, { recursive: true, force: true })
  }
}

try {
  if (pictures) await mkdir(pictures, { recursive: true })
  for (const group of [wall, sessions, simulators, match]) if (!only || group.name === only) await group()
} finally {
  await browser.close()
  await stop(program)
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed ? 1 : 0)
