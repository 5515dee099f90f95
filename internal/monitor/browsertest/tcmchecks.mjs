// The checks of the TCM's view: what it shows of a session, of a recording, of a team on the network, and of nothing.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { count, inFolder, withProgram } from './checks.mjs'

/** @typedef {import('playwright-core').Page} Page
 * @typedef {import('./sessionchecks.mjs').Tools} Tools */

const PHONE = { width: 390, height: 844 }

/** The cells of the matrix, but for those of a node with itself. @param {Page} page */
const cells = (page) => page.locator('.matrix .cell[data-link]')

/** Waits until at least five robots measure their links to each other. @param {Page} page */
const measured = (page) => page.waitForFunction(() => {
  const texts = [...document.querySelectorAll('.matrix .cell[data-link]')]
    .filter((c) => /^robot:\d+ robot:\d+$/.test(c.getAttribute('data-link') ?? '')).map((c) => c.textContent ?? '')
  return texts.filter((t) => /^[−\d.]+$/.test(t)).length >= 20
})

/** The matrix shows each figure, its arrow keys walk, and a selected link narrows the tables. @param {Page} page */
async function links(page) {
  await page.keyboard.press('t')
  await measured(page)
  for (const title of ['Latency', 'Clock offset', 'Messages', 'Lost']) {
    await page.keyboard.press('v')
    await page.locator('.links h2').getByText(title, { exact: true }).waitFor()
  }
  const focused = () => page.evaluate(() => ({ ...document.activeElement instanceof HTMLElement
    && document.activeElement.dataset }))
  await page.locator('[data-row="0"][data-column]').first().focus()
  for (const key of ['Down', 'Right', 'Up', 'Left']) { // past the cells of the diagonal
    const before = await focused()
    await page.keyboard.press('Arrow' + key)
    const after = await focused()
    assert.notEqual(after.link, before.link, `the arrow key ${key} stays at ${before.link}`)
  }
  const [from, to] = (await focused()).link?.split(' ') ?? []
  await page.keyboard.press('Enter')
  await page.waitForFunction((hash) => location.hash === hash, `#tcm&from=${from}&to=${to}`)
  await page.locator('.types .head').getByText('→').waitFor()
  assert.match(await page.locator('.link .head').innerText(), /^link/)
  await count(page, '.matrix .cell.on', 1)
  await page.keyboard.press('a')
  await page.locator('.types .head').getByText('all links', { exact: true }).waitFor()
}

/** Presses a robot's number until its newest message is shown: the page knows the messages later than the links.
 * @param {Page} page @param {string} number */
async function openMessages(page, number) {
  const message = page.locator('.drawer.messages .hex span').first()
  for (let i = 0; i < 10 && !await message.isVisible(); i++) {
    await page.keyboard.press(number)
    await message.waitFor({ timeout: 3000 }).catch(() => {})
  }
  await message.waitFor()
}

/** A robot's number opens its newest messages with their fields, pressed again those of the next type; a row of the
 * table opens its type. @param {Page} page */
async function messages(page) {
  const drawer = page.locator('.drawer.messages')
  const link = await page.locator('.matrix .cell:not(.gone, .none, .self)[data-link^="robot:"]').first()
    .getAttribute('data-link') // of a robot that was not replaced by the substitute
  const number = /\d+/.exec(link ?? '')?.[0] ?? ''
  await openMessages(page, number)
  assert.match(await drawer.locator('.head').first().innerText(), /belief of GM to robots/)
  await drawer.locator('[data-field="ball.x"], [data-field="self.x"]').first().waitFor()
  await drawer.getByText('no issues').waitFor()
  await page.keyboard.press(number)
  await drawer.locator('.head').first().getByText(/booking|debug record|status/).waitFor()
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  await page.locator('.types [data-type=status]').click()
  await drawer.locator('[data-field=mode]').waitFor()
  assert.match(new URL(page.url()).hash, /^#tcm&open=1\/robot:\d\/computer:1\/HFSM\/status$/)
  await page.reload()
  await drawer.locator('[data-field=mode]').waitFor()
  await page.keyboard.press('Escape')
}

/** A robot that is switched off is crossed out; switched on, it is back. @param {Page} page */
async function silent(page) {
  await page.keyboard.press('w')
  const number = await page.locator('.tile[data-tile][data-state=live]:not([data-real])').first()
    .getAttribute('data-number')
  await page.keyboard.press('t')
  await measured(page)
  const gone = page.locator(`.matrix .cell.gone[data-link^="robot:${number} robot:"]`)
  assert.equal(await gone.count(), 0)
  await page.keyboard.press('Shift+Digit' + number)
  await gone.first().waitFor()
  await page.locator('.link .verdict').getByText(/silent for/).waitFor()
  await page.keyboard.press('Shift+Digit' + number)
  await gone.first().waitFor({ state: 'detached' })
}

/** On a phone the panels stack, and nothing is wider than the window. @param {Page} page */
async function phone(page) {
  const size = page.viewportSize()
  await page.setViewportSize(PHONE)
  try {
    await measured(page)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), PHONE.width)
    const box = await cells(page).first().boundingBox()
    assert(box && box.width >= 30 && box.height >= 30, `a cell of ${box?.width} x ${box?.height} px`)
  } finally {
    if (size) await page.setViewportSize(size)
    await page.keyboard.press('w')
  }
}

/** The checks of a demo's page. @type {[string, (page: Page) => Promise<void>][]} */
export const tcmChecks = [
  ['the links of the TCM', links],
  ['the messages of the TCM', messages],
  ['a silent robot is crossed out', silent],
  ['the TCM on a phone', phone],
]

/** A recording shows the links and messages of its time. @param {Tools} tools @param {string} dir */
async function recorded(tools, dir) {
  const file = join(dir, 's.mcap')
  await tools.run(['demo', '--headless', '--speed', 'max', '--duration', '12s', '--loss', '0.3', '--seed', '7', '--record',
    file], dir)
  await withProgram(tools, ['replay', file, '--http', '127.0.0.1:0'], async (page, url) => {
    await page.goto(url + '#tcm&t=0:10')
    await measured(page)
    const lost = (await cells(page).allTextContents()).map(Number).filter((n) => n > 0)
    const mean = lost.reduce((sum, n) => sum + n, 0) / lost.length
    assert(mean > 20 && mean < 40, `the links lost ${mean} %, want about 30`)
    await openMessages(page, '2')
  })
}

/** Without the TCM no link leads there; the view names the command. @param {Tools} tools */
async function without(tools) {
  await withProgram(tools, ['demo', '--http', '127.0.0.1:0', '--no-tcm'], async (page, url) => {
    await page.locator('nav a').first().waitFor()
    assert.equal(await page.locator('nav a', { hasText: 'TCM' }).count(), 0)
    await page.goto(url + '#tcm')
    await page.getByText('touchline monitor --tcm TCM.ini').waitFor()
  })
}

/** A monitor of a silent team reports where it listens. @param {Tools} tools @param {string} dir */
async function waiting(tools, dir) {
  const ini = join(dir, 'TCM.ini')
  await writeFile(ini, '[robots]\n1 = any\n[computers]\n2 = any\n')
  await withProgram(tools, ['monitor', '--http', '127.0.0.1:0', '--tcm', ini], async (page) => {
    await page.keyboard.press('t')
    await page.getByText(/No TCM traffic for \d+ s/).waitFor()
    await page.getByText(/This monitor is computer:2 at 127\.0\.0\.1:\d+/).waitFor()
  })
}

/** The checks of other programs. @param {Tools} tools @returns {[string, () => Promise<void>][]} */
export const tcmProgramChecks = (tools) => [
  ['a recording shows the TCM', () => inFolder((dir) => recorded(tools, dir))],
  ['a session without the TCM', () => without(tools)],
  ['a monitor of a silent team', () => inFolder((dir) => waiting(tools, dir))],
]
