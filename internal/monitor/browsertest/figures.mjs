// Measures what the pages of robots cost in a browser, in the practical session of the program:
//   node internal/monitor/browsertest/figures.mjs PATH_TO_TOUCHLINE [SECONDS]
// It opens the page of one robot, then those of five, and prints a line for each: the pictures that a page draws in a
// second and the share of a core that all processes of the browser use for a page; after that, the time from the scene to
// the end of the frame in which the page draws it. The browser draws without a graphics card. Linux alone tells the
// processor time of processes. CHROMIUM names another browser.

import { spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'

const [binary, seconds = '20'] = process.argv.slice(2)
const SETTLE = 3 // s
const TICKS = 100 // of processor time in a second: USER_HZ of Linux
if (!binary) {
  console.error('usage: node internal/monitor/browsertest/figures.mjs PATH_TO_TOUCHLINE [SECONDS]')
  process.exit(2)
}

/** The processor time of a process and all that it started, in s. @param {number} root */
async function processorTime(root) {
  /** @type {Map<number, {parent: number, time: number}>} */
  const all = new Map()
  for (const name of await readdir('/proc')) {
    const stat = /^\d+$/.test(name) && await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    if (!stat) continue
    const f = stat.slice(stat.lastIndexOf(')') + 2).split(' ') // from the state on, the third field of proc(5)
    all.set(Number(name), { parent: Number(f[1]), time: (Number(f[11]) + Number(f[12])) / TICKS })
  }
  /** @param {number} id @returns {number} */
  const sum = (id) => [...all].reduce((s, [child, p]) => p.parent === id ? s + sum(child) : s, all.get(id)?.time ?? 0)
  return sum(root)
}

/** Notes in the page how old each picture is when the frame ends that draws it, in ms. */
function watch() {
  /** @type {number[]} */
  const ages = []
  let last = -1
  const frame = () => {
    const { time, shown } = window.touchline.drawn()
    if (shown !== last && time) setTimeout(() => ages.push(Date.now() - time)) // after the frame
    last = shown
    requestAnimationFrame(frame)
  }
  frame()
  Object.assign(window, { ages })
}

/** @param {number[]} values sorted @param {number} q */
const quantile = (values, q) => values[Math.min(values.length - 1, Math.floor(q * values.length))] ?? NaN

/** Measures with pages open. @param {string} url @param {number} pages */
async function measure(url, pages) {
  const server = await chromium.launchServer({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--no-first-run'],
  })
  const id = /** @type {number} */ (server.process().pid)
  try {
    const browser = await chromium.connect(server.wsEndpoint())
    const open = await Promise.all(Array.from({ length: pages }, async (_, i) => {
      const page = await browser.newPage({ viewport: { width: 1366, height: 768 } })
      await page.goto(`${url}robot/${i + 1}`)
      await page.waitForFunction(() => window.touchline?.drawn().shown > 0)
      return page
    }))
    await sleep(1000 * SETTLE)
    const shown = () => Promise.all(open.map((page) => page.evaluate(() => window.touchline.drawn().shown)))
    const sum = async () => (await shown()).reduce((s, n) => s + n, 0)
    const [first, before, begin] = [await sum(), await processorTime(id), performance.now()]
    await sleep(1000 * Number(seconds))
    const used = await processorTime(id) - before, passed = (performance.now() - begin) / 1000, count = await sum() - first
    for (const page of open) await page.evaluate(watch) // its frames cost processor time, too
    await sleep(1000 * Number(seconds))
    const ages = (await Promise.all(open.map((page) => page.evaluate(() => window.ages)))).flat().sort((a, b) => a - b)
    console.log(`pages ${pages}: ${(count / pages / passed).toFixed(1)} pictures/s, `
      + `scene to frame ${quantile(ages, 0.5).toFixed(0)} ms, p95 ${quantile(ages, 0.95).toFixed(0)} ms, `
      + `browser ${(100 * used / passed / pages).toFixed(1)} % of a core for a page`)
  } finally {
    await server.close()
  }
}

const program = spawn(binary, ['demo', '--http', '127.0.0.1:0', '--seed', '7'], { stdio: ['ignore', 'pipe', 'inherit'] })
try {
  for await (const line of createInterface({ input: program.stdout })) {
    const [url] = /http:\/\/[^\s/]+\//.exec(line) ?? []
    if (!url) continue
    for (const pages of [1, 5]) await measure(url, pages)
    break
  }
} finally {
  if (program.exitCode === null) {
    program.kill('SIGINT')
    await once(program, 'exit')
  }
}
