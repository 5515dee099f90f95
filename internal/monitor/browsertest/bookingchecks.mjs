// The checks of the booking's view: the lanes, the variables, the trouble that a user makes, and a recording.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { all, dressed, drawn, inFolder, until, withProgram } from './checks.mjs'
import { freePort } from './sessionchecks.mjs'

/** @typedef {import('playwright-core').Page} Page
 * @typedef {import('./sessionchecks.mjs').Tools} Tools */

const PHONE = { width: 390, height: 844 }

/** The number of the robot that has booked the ball, once there is one alone. @param {Page} page
 * @param {number[]} [without] robots that it may not be */
async function booker(page, without = []) {
  /** @type {import('playwright-core').JSHandle<number>} */
  const found = await page.waitForFunction((without) => {
    const rows = [...document.querySelectorAll('.variables tr.booker')]
    const number = rows.length === 1 ? Number(rows[0].getAttribute('data-robot')) : 0
    return without.includes(number) ? 0 : number
  }, without)
  return found.jsonValue()
}

/** Every robot has a lane and a row; the booker is the one in words, on the field and on its tile. @param {Page} page */
async function lanes(page) {
  await page.keyboard.press('g')
  await page.waitForFunction(() => location.hash === '#booking')
  await until(page, 'five lanes', (d) => all(d.pictures.booking, 'booking lane').length >= 5)
  await until(page, 'an epoch', (d) => all(d.pictures.booking, 'epoch').length > 0)
  await booker(page)
  await until(page, 'the ring around the robot that the words name', (d) => {
    const [ring, other] = all(d.pictures.truth, 'booker')
    return ring && !other
  })
  assert.match(await page.locator('.book-lanes [role=status]').innerText(), /^(no )?robots? .*(booked it|play the ball)/)
  const row = page.locator('.variables tbody tr').first()
  assert.match(await row.innerText(), /(true|false)\s/)
  assert.deepEqual(await page.locator('.variables thead th').allInnerTexts(), ['robot', 'state', 'booked', 'booker',
    'distance', 'timestamp', 'lease left', 'epoch', 'own distance'])
  await page.keyboard.press('w')
  // A tile of the booker, and during a hand-over of another. On a loaded machine more may believe it for a moment.
  await page.waitForFunction(() => [1, 2].includes(document.querySelectorAll('.tile .has-ball').length))
}

/** The pointer shows what every robot believed at a time; a click goes there, and End returns. @param {Page} page */
async function pointer(page) {
  await page.keyboard.press('g')
  const canvas = page.locator('.book-lanes canvas')
  await until(page, 'five lanes', (d) => all(d.pictures.booking, 'booking lane').length >= 5)
  const box = await canvas.boundingBox()
  assert(box)
  await page.mouse.click(box.x + box.width - 20, box.y + box.height / 2)
  await page.waitForFunction(() => location.hash.startsWith('#booking&t='))
  await until(page, 'lanes of the past', (d) => all(d.pictures.booking, 'booking lane').length >= 5)
  await page.keyboard.press('End')
  await page.waitForFunction(() => location.hash === '#booking')
}

/** A crashed booker is silent, and another robot takes over. Then it starts again. @param {Page} page */
async function crash(page) {
  await page.keyboard.press('g')
  for (let left = 3; left > 0; left--) {
    const number = await booker(page), button = page.locator(`.chaos [aria-label=crash] [data-number="${number}"]`)
    await button.click()
    await page.locator(`.variables tr.gone[data-robot="${number}"]`).waitFor()
    await booker(page, [number])
    await until(page, 'a mark of the crash', (d) => all(d.pictures.booking, 'mark').some((m) => m.kind === 'crash'))
    await page.waitForFunction((number) => document.querySelector(`.variables tr:not(.gone)[data-robot="${number}"]`)
      || !document.querySelector(`.chaos [aria-label=crash] [data-number="${number}"]`), number)
    if (await button.count() > 0) return // else the session has substituted it meanwhile
  }
  assert.fail('the session substituted three crashed bookers')
}

/** Two sides of a partition have a booker each; healed, one is left. @param {Page} page */
async function partition(page) {
  await page.keyboard.press('g')
  const number = await booker(page)
  const row = page.locator('.chaos [aria-label=partition]')
  const others = await row.locator('button').evaluateAll((all) => all.map((b) => Number(b.getAttribute('data-number'))))
  await row.locator(`[data-number="${number}"]`).click()
  await page.keyboard.press('h')
  try {
    await page.waitForFunction(() => document.querySelectorAll('.variables tr.booker').length === 2)
    await page.locator('.chaos .verdict').getByText(`✕ ${number}`).waitFor()
    await page.locator('.booking .alarms').getByText(/^Robots \d and \d have booked the ball at the same time/).waitFor()
    await until(page, 'the mark and the time of two bookers', (d) =>
      all(d.pictures.booking, 'mark').some((m) => m.kind === 'partition')
      && all(d.pictures.booking, 'two').some((s) => s.ms > 250))
  } finally {
    await page.keyboard.press('h')
  }
  await page.locator('.chaos .verdict').waitFor({ state: 'detached' })
  await booker(page)
  assert.ok(others.length >= 5, 'a button for each robot')
  await row.locator(`[data-number="${number}"]`).click() // it is chosen no more
}

/** A penalised booker gives up the ball, and books it no more until it may play again. @param {Page} page */
async function penalise(page) {
  await page.keyboard.press('g')
  const number = await booker(page)
  const press = page.locator(`.chaos [aria-label=penalise] [data-number="${number}"]`)
  await press.click()
  try {
    await booker(page, [number])
    await page.locator(`.variables tr[data-robot="${number}"] .role`).getByText(/leaves it to|penalised/).waitFor()
    await page.locator(`.chaos [aria-label=penalise] [data-number="${number}"][aria-pressed=true]`).waitFor()
  } finally {
    await press.click()
  }
  await page.locator(`.chaos [aria-label=penalise] [data-number="${number}"][aria-pressed=false]`).waitFor()
}

/** The sliders of loss are reached with the keyboard, and the session loses as much. @param {Page} page */
async function loss(page) {
  await page.keyboard.press('g')
  const slider = page.locator('.chaos .air input').first()
  await slider.focus()
  await page.keyboard.press('End')
  await page.locator('.chaos .air output').getByText('100 %', { exact: true }).waitFor()
  await slider.focus()
  await page.keyboard.press('Home')
  await page.locator('.chaos .air output').getByText('0 %', { exact: true }).waitFor()
}

/** While the session is paused the view stands still. @param {Page} page */
async function paused(page) {
  await page.keyboard.press('g')
  await booker(page)
  await page.keyboard.press('Space')
  await page.getByText('paused', { exact: true }).waitFor()
  await page.waitForTimeout(1500)
  const gone = await page.locator('.variables tr.gone').evaluateAll((rows) => rows.map((r) => r.getAttribute('data-robot')))
  const tiles = await page.evaluate(() => [...document.querySelectorAll('.chaos [aria-label=crash] button')].map((b) =>
    b.getAttribute('data-number')))
  assert.deepEqual(gone.filter((n) => tiles.includes(n)), [], 'robots fall silent in a pause')
  await page.keyboard.press('Space')
  await page.getByText('paused', { exact: true }).waitFor({ state: 'detached' })
}

/** On a phone the panels stack, and nothing is wider than the window. @param {Page} page */
async function phone(page) {
  const size = page.viewportSize()
  await page.keyboard.press('g')
  await page.setViewportSize(PHONE)
  try {
    await until(page, 'five lanes', (d) => all(d.pictures.booking, 'booking lane').length >= 5)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), PHONE.width)
    const button = await page.locator('.chaos [aria-label=crash] button').first().boundingBox()
    assert(button && button.height >= 44 && button.width >= 40, `a button of ${button?.width} x ${button?.height} px`)
    const head = await page.locator('.book-lanes > .head').boundingBox(), lanes = await page.locator('.book-lanes canvas')
      .boundingBox()
    assert(head && lanes && head.y + head.height <= lanes.y + 1, 'the head covers the lanes')
  } finally {
    if (size) await page.setViewportSize(size)
    await page.keyboard.press('w')
  }
}

/** The checks of a demo's page. @type {[string, (page: Page) => Promise<void>][]} */
export const bookingChecks = [
  ['the lanes of the booking', lanes],
  ['a time on the lanes', pointer],
  ['a crashed booker', crash],
  ['a partition', partition],
  ['a penalised booker', penalise],
  ['loss from the keyboard', loss],
  ['the booking in a pause', paused],
  ['the booking on a phone', phone],
]

/** A recording shows the lanes of its time. @param {Tools} tools @param {string} dir */
async function recorded(tools, dir) {
  const file = join(dir, 's.mcap')
  await tools.run(['demo', '--headless', '--speed', 'max', '--duration', '20s', '--seed', '7', '--record', file], dir)
  await withProgram(tools, ['replay', file, '--http', '127.0.0.1:0'], async (page, url) => {
    await page.goto(url + '#booking&t=0:15')
    await until(page, 'five lanes of the recording', (d) => all(d.pictures.booking, 'booking lane').length >= 5)
    await booker(page)
    const epochs = all((await drawn(page)).pictures.booking, 'epoch')
    assert(epochs.length > 0, 'no epochs')
  })
}

/** The share of the window that the field takes. @param {Page} page */
const fieldShare = (page) => page.locator('.truth canvas').evaluate((c) => c.clientWidth * c.clientHeight / (innerWidth * innerHeight))

/** The story stops at each figure, and the key and the button go on to the next one. The field is the largest part. After
 * the last figure the session runs on; a button plays any figure again. A robot that crashes at a figure has booked
 * nothing, in words, in the table and in the picture. @param {Tools} tools */
async function story(tools) {
  await withProgram(tools, ['demo', '--story', 'booking', '--http', '127.0.0.1:0', '--group',
    `224.16.32.75:${await freePort()}`], async (page) => {
    const bookers = [[], [1], [1], [3], [3]]
    for (let figure = 6; figure <= 10; figure++) {
      await page.locator(`.story[data-figure="${figure}"][data-reached]`).waitFor()
      if (figure < 10) await page.getByText('paused', { exact: true }).waitFor()
      const want = bookers[figure - 6]
      assert.match(await page.locator('.story .booked').innerText(), want.length ? new RegExp(`robot ${want[0]} has booked`)
        : /No robot has booked/)
      await page.waitForFunction((want) => [...document.querySelectorAll('.variables tr.booker')].map((r) =>
        r.getAttribute('data-robot')).join() === want, want.join())
      if (figure < 8) await page.keyboard.press('Enter')
      else if (figure < 10) await page.locator('.story .next').click()
    }
    await page.locator('.story[data-over]').waitFor()
    await page.getByText('paused', { exact: true }).waitFor({ state: 'detached' })
    const clock = await page.evaluate(() => /** @type {any} */ (window).touchline.drawn().time)
    await page.waitForFunction((t) => /** @type {any} */ (window).touchline.drawn().time > t, clock)
    for (const width of [1024, 1366]) {
      await page.setViewportSize({ width, height: 768 })
      await page.waitForFunction((width) => document.documentElement.scrollWidth === width, width)
      assert(await fieldShare(page) >= 0.5, `the field takes ${await fieldShare(page)} of a window of ${width} px`)
    }
    await page.locator('.story-figures button', { hasText: '9' }).click()
    await page.locator('.story[data-figure="9"][data-reached]').waitFor()
    await page.locator('.chaos [aria-label=crash] [data-number="3"]').click()
    await page.locator('.story .booked', { hasText: 'Robot 3 is off. All others believe that robot 3' }).waitFor()
    await page.locator('.variables tr[data-robot="3"]', { hasText: 'crashed' }).waitFor()
    assert.equal(await page.locator('.variables tr.booker').count(), 0)
    await until(page, 'no ring around the crashed robot', (d) => !all(d.pictures.truth, 'booker').length)
    await page.setViewportSize(PHONE)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), PHONE.width)
  }, { hash: '#booking' })
}

/** The mates of a lying robot name it: the story says who, and the field shows where it says to be. @param {Tools} tools */
async function liar(tools) {
  await withProgram(tools, ['demo', '--story', 'liar', '--http', '127.0.0.1:0', '--group', `224.16.32.75:${await freePort()}`],
    async (page) => {
      await page.locator('.story[data-figure="1"][data-reached]').waitFor()
      await page.locator('.story-figures button', { hasText: '4' }).click()
      await page.locator('.story[data-figure="4"][data-reached]').waitFor()
      assert.match(await page.locator('.story .booked').innerText(), /Robots 1, 2, 3 and 5 name robot 4\..*robot 3 has booked/)
      await until(page, 'the robot where it says to be', (d) => all(d.pictures.truth, 'named').some((m) => m.number === 4))
    }, { hash: '#booking' })
}

/** The chart of the protocols fills while the games are played, and its table has the same figures. @param {Tools} tools */
async function compared(tools) {
  await withProgram(tools, ['booking', '--page', '--seeds', '2', '--seconds', '30'], async (page) => {
    await page.getByText('complete', { exact: true }).waitFor()
    for (const name of ['double', 'zero', 'gap']) {
      await until(page, `16 points of ${name}`, (d) => all(d.pictures[name], 'point').length === 16)
    }
    await dressed(page, /chart: protocols that book the ball/)
    const [point] = all((await drawn(page)).pictures.zero, 'point').filter((p) => p.text === 'lease')
    const row = page.locator('.figures-table tbody', { hasText: 'lease' }).locator('tr').nth(1)
    assert.match(await row.innerText(), new RegExp(`\\t${point.value.toFixed(2)} ±`))
    await page.setViewportSize(PHONE)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), PHONE.width)
  }, { lab: true })
}

/** The checks of other programs. @param {Tools} tools @returns {[string, () => Promise<void>][]} */
export const bookingProgramChecks = (tools) => [
  ['the chart of the protocols', () => compared(tools)],
  ['the story of the booking', () => story(tools)],
  ['the story of the liar', () => liar(tools)],
  ['a recording shows the booking', () => inFolder((dir) => recorded(tools, dir))],
]
