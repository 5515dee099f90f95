// The browser test: the real program, a real browser, and what the page really drew.
//   node monitor/browsertest/run.mjs PATH_TO_TOUCHLINE [--pictures DIR]
// It prints a line for each check and ends with a code other than 0 when one fails. CHROMIUM names another browser.

import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'
import { album, checks, recovery } from './checks.mjs'

const PATIENCE = 30_000 // ms; no wait needs it

const args = process.argv.slice(2)
const at = args.indexOf('--pictures')
const pictures = at < 0 ? '' : args.splice(at, 2)[1]
const [binary] = args
if (!binary || pictures === undefined) {
  console.error('usage: node monitor/browsertest/run.mjs PATH_TO_TOUCHLINE [--pictures DIR]')
  process.exit(2)
}

/** Starts the program and waits for the address that it prints. @param {string} address */
async function start(address) {
  const program = spawn(binary, ['demo', '--http', address, '--seed', '7', '--duration', '120s'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const line = await new Promise((ok, fail) => {
    createInterface({ input: program.stdout }).once('line', ok)
    program.once('error', fail)
    program.once('exit', (code) => fail(new Error(`${binary} ended with ${code} before it printed its address`)))
  })
  const url = /http:\/\/[^\s/]+\//.exec(line)?.[0]
  if (!url) throw new Error(`no address in ${JSON.stringify(line)}`)
  return { program, url }
}

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

let { program, url } = await start('127.0.0.1:0')
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})
try {
  const page = await browser.newPage({ viewport: { width: 1600, height: 900 }, colorScheme: 'light' })
  page.setDefaultTimeout(PATIENCE)
  /** @type {string[]} */
  const complaints = []
  page.on('console', (m) => m.type() === 'error' && complaints.push(m.text()))
  page.on('response', async (r) => r.status() >= 400 && complaints.push(`${r.request().method()} ${r.url()} ${r.request().postData() ?? ''}: ${await r.text()}`))
  page.on('pageerror', (e) => complaints.push(e.message))
  page.on('request', (r) => new URL(r.url()).host === new URL(url).host || complaints.push('asked ' + r.url()))
  page.on('websocket', (s) => new URL(s.url()).host === new URL(url).host || complaints.push('asked ' + s.url()))
  if (pictures) await mkdir(pictures, { recursive: true })

  await page.goto(url)
  for (const [name, check] of checks) await run(name, () => check(page))
  if (pictures) await run('pictures in ' + pictures, () => album(page, pictures))
  await run('nothing to complain about, nothing asked of other origins', async () => {
    if (complaints.length) throw new Error(complaints.join('; '))
  })
  await run('the page survives the server', () => recovery(page, async () => {
    await stop(program)
    return async () => {
      program = (await start(new URL(url).host)).program
    }
  }))
} finally {
  await browser.close()
  await stop(program)
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed ? 1 : 0)
