// The checks of recordings: what a live wall drew, its replay draws too.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { all, drawn, inFolder, until, withProgram } from './checks.mjs'

/** @typedef {import('playwright-core').Page} Page
 * @typedef {import('node:child_process').ChildProcess} Program
 * @typedef {{launch: (args: string[], cwd?: string) => Promise<{program: Program, url: string}>,
 *   lab: (args: string[]) => Promise<{program: Program, url: string}>,
 *   start: (args: string[]) => Program, stop: (program: Program) => Promise<void>, open: (url: string) => Promise<Page>,
 *   run: (args: string[], cwd: string) => Promise<void>}} Tools run: until the program ends well */
/** The content of a wall. @typedef {{time: number, pictures: [string, unknown][], text: string[]}} Look */

const MOMENTS = 3

/** A port that no program uses. */
export async function freePort() {
  const spare = createSocket('udp4')
  await new Promise((ok) => spare.bind(0, '127.0.0.1', () => ok(undefined)))
  const { port } = spare.address()
  spare.close() // the system does not assign the port again soon
  return port
}

/** The arguments of a demo whose packets no other program receives or sends. */
const session = async () => ['demo', '--http', '127.0.0.1:0', '--seed', '7', '--group',
  `224.16.32.75:${await freePort()}`]

/** @param {Page} page */
const pastOf = async (page) => /** @type {any} */ (await drawn(page)).past

/** The tiles and the large field as they are drawn now, without the ring of the booker: the booking comes five times a
 * second, the wall more often. @param {Page} page @returns {Promise<Look>} */
async function look(page) {
  const d = await drawn(page)
  for (const p of Object.values(d.pictures)) p.items = p.items.filter((item) => item.glyph !== 'booker')
  return {
    time: d.time,
    pictures: Object.entries(d.pictures).filter(([name]) => name === 'truth' || name.startsWith('tile '))
      .sort(([a], [b]) => a < b ? -1 : 1),
    text: await page.locator('.tile[data-tile] .figures').allTextContents(),
  }
}

/** Pauses the session, waits until the wall of that time is recorded, and returns what the page shows.
 * @param {Page} page */
async function moment(page) {
  const { time } = await drawn(page)
  await until(page, 'three more seconds', (d) => d.time > time + 3)
  await page.keyboard.press('Space')
  await page.getByText('paused', { exact: true }).waitFor()
  await until(page, 'the recorded time to reach the shown one', (d) => /** @type {any} */ (d).past.to === d.time)
  await page.waitForTimeout(600) // figures change every 0.4 s
  const seen = await look(page)
  await page.keyboard.press('Space')
  await page.getByText('paused', { exact: true }).waitFor({ state: 'detached' })
  return seen
}

/** @param {Tools} tools @param {string} dir */
async function recordAndReplay(tools, dir) {
  const file = join(dir, 's.mcap')
  // Poses with the drawn errors: robots that localise themselves err by too little for an arrow.
  /** @type {Look[]} */
  const seen = []
  await withProgram(tools, [...await session(), '--drawn-poses', '--record', file], async (page) => {
    await page.waitForFunction(() => document.querySelectorAll('.tile[data-state=live]').length >= 5)
    while (seen.length < MOMENTS) seen.push(await moment(page))
  }, { cwd: dir })
  assert(seen.every((s) => s.pictures.length === 6 && s.text.length === 5), 'truth and five tiles at each moment')
  const replay = await tools.launch(['replay', file, '--http', '127.0.0.1:0'], dir)
  try {
    for (const want of seen.toReversed()) {
      const page = await tools.open(`${replay.url}#wall&t=${want.time.toFixed(3)}`)
      await until(page, `the wall of ${want.time} s`, (d) => d.time === want.time)
      await page.waitForFunction((want) => JSON.stringify([...document.querySelectorAll('.tile[data-tile] .figures')]
        .map((f) => f.textContent)) === JSON.stringify(want), want.text)
      await until(page, 'every canvas drawn', (d) => Object.values(d.pictures).every((c) => c.w > 0))
      assert.deepEqual(await look(page), want)
      await page.close()
    }
    const page = await tools.open(replay.url)
    await scrub(page)
    await page.close()
    await large(await tools.open(`${replay.url}#robot&sel=place/1&t=${seen[MOMENTS - 1].time.toFixed(3)}`))
    await picture(tools, dir, file, replay.url, seen[1].time)
  } finally {
    await tools.stop(replay.program)
  }
}

/** A recording shows a robot in large with what it had learnt, and its error over the seconds before. @param {Page} page */
async function large(page) {
  await until(page, 'the error before the shown time', (d) => ['error', 'nees'].every((name) =>
    d.pictures[name]?.items.some((i) => i.glyph === 'rates' && i.samples > 8)))
  await until(page, 'how the poses of its mates were off', (d) =>
    d.pictures.fused?.items.some((i) => i.glyph === 'pose error'))
  await page.locator('.reports tbody tr').nth(2).waitFor()
  await page.getByText('known only to a robot of the demo, while it runs').waitFor()
  await page.close()
}

/** A picture that the program draws is the one that a browser shows at the same address.
 * @param {Tools} tools @param {string} dir @param {string} file @param {string} url @param {number} time s */
async function picture({ open, run }, dir, file, url, time) {
  const out = join(dir, 'picture.png'), size = { width: 1280, height: 720 }
  const { width, height } = size
  await run(['replay', file, '--png', out, '--at', `${time.toFixed(3)}s`, '--size', `${width}x${height}`], dir)
  const page = await open(`${url}#wall&t=${time.toFixed(3)}`)
  await page.setViewportSize(size)
  await until(page, 'the whole picture', (d) => /** @type {any} */ (d).settled?.toFixed(3) === time.toFixed(3))
  await page.waitForTimeout(600) // figures change every 0.4 s
  const pair = [await readFile(out), await page.screenshot()]
    .map((png) => 'data:image/png;base64,' + png.toString('base64'))
  await page.goto('about:blank') // the program's pages load no data: address
  const { sizes, different } = await page.evaluate(async (pair) => {
    const [a, b] = await Promise.all(pair.map(async (src) => {
      const image = new Image()
      image.src = src
      await image.decode()
      const c = new OffscreenCanvas(image.width, image.height), g = c.getContext('2d')
      g?.drawImage(image, 0, 0)
      return /** @type {ImageData} */ (g?.getImageData(0, 0, c.width, c.height))
    }))
    let different = 0
    for (let i = 0; i < a.data.length; i += 4) {
      if ([0, 1, 2].some((k) => Math.abs(a.data[i + k] - b.data[i + k]) > 48)) different++
    }
    return { sizes: [a, b].map(({ width, height }) => ({ width, height })), different: different / (a.data.length / 4) }
  }, pair)
  assert.deepEqual(sizes, [size, size])
  assert(different < 0.002, `${(different * 100).toFixed(2)} % of the pixels differ from the page's`)
  await page.close()
}

/** Moves through a recording. @param {Page} page */
async function scrub(page) {
  await until(page, 'a recording that plays from its start', (d) => d.time > 0.5 && d.time < 5)
  const strip = await page.locator('footer canvas').boundingBox()
  assert(strip)
  await page.mouse.click(strip.x + strip.width * 0.75, strip.y + strip.height / 2)
  const { to } = await pastOf(page)
  await until(page, 'three quarters of it', (d) => d.time > 0.6 * to && d.time < to)
  await page.keyboard.press('Space')
  await until(page, 'a picture that stands still', (d) => !(/** @type {any} */ (d).past.playing))
  const { at } = await pastOf(page)
  await page.keyboard.press('ArrowLeft')
  await until(page, 'a step back', (d) => Math.abs(/** @type {any} */ (d).past.at - (at - 0.1)) < 1e-6)
  await page.keyboard.press('r')
  await page.keyboard.press('Space')
  await until(page, 'play backwards', (d) => d.time < at - 1)
  await page.keyboard.press('Space')
  const d = await drawn(page)
  assert.equal(all(d.pictures.strip, 'shown').length, 1)
  assert(all(d.pictures.strip, 'mark').length > 0 && all(d.pictures.strip, 'curve')[0].samples > 50)
  await page.keyboard.press('1')
  await page.locator('.drawer .hex span').first().waitFor()
}

/** Looks back at a live session, and records it with the page's button. @param {Tools} tools @param {string} dir */
async function lookBack(tools, dir) {
  await withProgram(tools, await session(), async (page) => {
    await until(page, 'four seconds of a session', (d) => d.time > 4)
    await page.getByRole('button', { name: 'record' }).click()
    await page.getByRole('button', { name: 'stop' }).waitFor()
    await page.keyboard.press('b')
    await until(page, 'the past', (d) => /** @type {any} */ (d).past.at != null)
    const { at } = await pastOf(page)
    for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+ArrowLeft')
    await until(page, 'three seconds back', (d) => Math.abs(/** @type {any} */ (d).past.at - (at - 3)) < 1e-6
      && Math.abs(d.time - (at - 3)) < 0.2)
    await page.getByRole('button', { name: 'live', exact: true }).click()
    await until(page, 'the present', (d) => /** @type {any} */ (d).past.at == null && d.time > at)
    await page.getByRole('button', { name: 'stop' }).click()
    await until(page, 'a finished recording', (d) => /** @type {any} */ (d).past.recording?.running === false)
    const { recording } = await pastOf(page)
    assert(recording.bytes > 1000 && recording.dropped === 0 && recording.error === '', JSON.stringify(recording))
    await access(join(dir, recording.file))
  }, { cwd: dir })
}

/** Two recordings of matches show the same time, play together, shifted and one over the other. @param {Tools} tools @param {string} dir */
async function pair(tools, dir) {
  for (const seed of [1, 2]) await tools.run(['match', '--half', '10s', '--seed', `${seed}`, '--record', `${seed}.mcap`], dir)
  const replay = await tools.launch(['replay', '1.mcap', '2.mcap', '--http', '127.0.0.1:0', '--no-browser'], dir)
  try {
    const page = await tools.open(`${replay.url}pair#&t=5`)
    /** Waits until both frames show a time of their recordings, in s since their start. @param {number} t @param {number} [offset] */
    const shows = (t, offset = 0) => page.waitForFunction(([t, offset]) => {
      const frames = [...document.querySelectorAll('iframe')].map((f) => /** @type {any} */ (f.contentWindow).touchline?.drawn().past)
      const { spans } = /** @type {any} */ (window).touchline.drawn()
      return frames.length === 2 && frames.every((past, i) => past && spans[i] && past.exact
        && Math.abs(past.at - spans[i].from - t - (i ? offset : 0)) < 0.051)
    }, [t, offset])
    await shows(5)
    await page.keyboard.press('ArrowRight')
    await shows(5.1)
    await page.locator('.pair-clock input[type=number]').fill('2')
    await page.keyboard.press('Enter')
    await shows(5.1, 2)
    assert.match(page.url(), /t=00:05.1.*offset=2/)
    await page.keyboard.press('Home')
    await page.locator('.pair-clock .time').click() // the field loses the focus
    await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur())
    await page.keyboard.press('Space')
    await page.waitForFunction(() => /** @type {any} */ (window).touchline.drawn().t > 7)
    await page.keyboard.press('Space')
    await page.keyboard.press('o')
    await page.locator('main.pair.over').waitFor()
    assert.equal(await page.locator('iframe').first().evaluate((f) => getComputedStyle(/** @type {any} */ (f).contentDocument.querySelector('nav')).display), 'none')
    await page.close()
  } finally {
    await tools.stop(replay.program)
  }
}

/** Writes notes into a recording on both of its pages, changes and removes one; its address opens its moment.
 * @param {Tools} tools @param {string} dir */
async function annotate(tools, dir) {
  await tools.run(['match', '--half', '10s', '--seed', '1', '--record', 'm.mcap'], dir)
  const replay = await tools.launch(['replay', 'm.mcap', '--http', '127.0.0.1:0', '--no-browser'], dir)
  /** Waits for notes with these texts. @param {Page} page @param {string[]} texts */
  const texts = (page, ...texts) => until(page, `the notes ${texts}`, (d) =>
    JSON.stringify(/** @type {any} */ (d).notes.map((/** @type {any} */ n) => n.text)) === JSON.stringify(texts))
  try {
    const page = await tools.open(`${replay.url}#match&t=5`)
    await until(page, 'the time of the address', (d) => /** @type {any} */ (d).past.exact && Math.abs(/** @type {any} */ (d).past.at - 5) < 0.01)
    await page.keyboard.press('j')
    await page.locator('.note-form input:focus').waitFor()
    await page.keyboard.type('a good pass')
    await page.keyboard.press('Enter')
    await texts(page, 'a good pass')
    await page.getByRole('button', { name: 'begins here' }).click()
    for (let i = 0; i < 20; i++) await page.keyboard.press('ArrowRight')
    await page.getByLabel('text of the note').fill('pressing')
    await page.keyboard.press('Enter')
    await texts(page, 'a good pass', 'pressing')
    const { notes: [, span] } = /** @type {any} */ (await drawn(page))
    assert(Math.abs(span.from - 5) < 0.01 && Math.abs(span.to - 7) < 0.01, JSON.stringify(span))
    await page.getByLabel('change note 1').click()
    await page.getByLabel('text of the note').fill('a bad pass')
    await page.keyboard.press('Enter')
    await texts(page, 'a bad pass', 'pressing')
    await page.keyboard.press('Escape')
    await page.getByLabel('Notes').waitFor({ state: 'detached' })
    assert.equal(all((await drawn(page)).pictures.strip, 'mark').filter((m) => m.kind === 'note').length, 2)
    await page.close()
    const log = await tools.open(`${replay.url}log#m.mcap&note=2`)
    await log.locator('.notes .now').filter({ hasText: 'pressing' }).waitFor()
    await until(log, 'the moment of the note', (d) => /** @type {any} */ (d).exact)
    await log.waitForURL(/&note=2$/)
    await log.getByLabel('remove note 2').click()
    await texts(log, 'a bad pass')
    await log.close()
    const again = await tools.open(`${replay.url}#wall&note=1`)
    await until(again, 'the moment of the note', (d) => Math.abs(/** @type {any} */ (d).past.at - 5) < 0.01)
    await texts(again, 'a bad pass')
    await again.close()
  } finally {
    await tools.stop(replay.program)
  }
  const shown = await tools.launch(['replay', 'm.mcap', '--http', '127.0.0.1:0', '--no-browser', '--view-only'], dir)
  try {
    const page = await tools.open(`${shown.url}#match`)
    await texts(page, 'a bad pass')
    await page.keyboard.press('j')
    await page.getByText('this page only shows notes').waitFor()
    assert.equal(await page.getByLabel('text of the note').count(), 0)
    await page.close()
  } finally {
    await tools.stop(shown.program)
  }
}

/** @param {Tools} tools @returns {[string, () => Promise<void>][]} */
export const sessionChecks = (tools) => [
  ['a replay draws what the live wall drew', () => inFolder((dir) => recordAndReplay(tools, dir))],
  ['a live wall looks back and records', () => inFolder((dir) => lookBack(tools, dir))],
  ['notes of a recording', () => inFolder((dir) => annotate(tools, dir))],
  ['two logs on one clock', () => inFolder((dir) => pair(tools, dir))],
]
