// The checks of a robot's walk on its page: start, progress, plots, files, the stop key.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { drawn, until, withProgram } from './checks.mjs'

/** @typedef {import('playwright-core').Page} Page
 * @typedef {import('./sessionchecks.mjs').Tools} Tools */

const ROBOT = 1 // alone: those of the practical session are switched off for a while

/** Sets a number of the form. @param {Page} page @param {string} name @param {number} value */
async function set(page, name, value) {
  await page.locator('.checks').getByLabel(name, { exact: true }).fill(String(value))
  await page.locator('.checks h2').click() // the focus leaves the field
}

/** Starts the chosen check until it has come to something. A page that stalls ends its check, as it must: then it is
 * started again. @param {Page} page @param {() => Promise<boolean>} arrived */
async function begin(page, arrived) {
  for (let i = 0; i < 1500; i++) {
    if (await arrived()) return
    const start = page.locator('.checks .begin'), holds = page.locator('.drive .driver button[aria-pressed=true]')
    if (i % 5 === 0 && await start.count()) {
      if (!await holds.count()) await page.keyboard.press('t')
      else if (await start.isEnabled()) await start.click()
    }
    await page.waitForTimeout(200)
  }
  assert.fail(`the check comes to nothing: ${await page.locator('.checks .state').innerText()}`)
}

/** The glyphs of the plot. @param {Page} page @param {string} glyph */
const shown = async (page, glyph) => /** @type {any[]} */ ((await drawn(page)).pictures.check?.items ?? [])
  .filter((item) => item.glyph === glyph)

/** The text of a file that the page saves. @param {Page} page @param {string} button */
async function saved(page, button) {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()])
  return readFile(await file.path(), 'utf8')
}

/** Where the robot really is: m, degrees. @param {Page} page @returns {Promise<{x: number, y: number, heading: number}>} */
const place = (page) => page.evaluate((robot) => new Promise((ok) => {
  const stream = new WebSocket(`${location.origin.replace('http', 'ws')}/api/stream`)
  stream.onopen = () => stream.send(JSON.stringify({ subscribe: ['wall'] }))
  stream.onmessage = (m) => {
    const { topic, value } = JSON.parse(m.data)
    const is = topic === 'wall' && value?.truth?.robots?.find((/** @type {any} */ r) => r.number === robot)
    if (!is) return
    stream.close()
    ok({ x: is.pose.x, y: is.pose.y, heading: is.pose.theta * 180 / Math.PI })
  }
}), ROBOT)

/** A number that is being typed stays while the robot's values arrive and render the page again. @param {Page} page */
async function typing(page) {
  const x = page.locator('.checks').getByLabel('x', { exact: true }), was = await x.inputValue()
  const shown = (/** @type {import('./checks.mjs').Drawn} */ d) => /** @type {any} */ (d.pictures.camera?.items[0])?.number ?? 0
  await x.fill('15')
  const before = shown(await drawn(page))
  await until(page, 'newer pictures', (d) => shown(d) > before + 5)
  assert.equal(await x.inputValue(), '15', 'what was typed is lost')
  await x.fill(was)
}

/** A robot that turns on the spot draws its paths; the stop key ends the check. @param {Page} page */
async function walk(page) {
  await page.locator('.checks .choice').getByText('walk').click()
  await page.getByLabel('figure').selectOption('turn')
  await set(page, 'speed', 0.5)
  await set(page, 'laps', 9)
  for (const [name, value] of Object.entries(await place(page))) await set(page, name, value)
  await begin(page, async () => (await shown(page, 'truth'))[0]?.points > 1)
  for (const glyph of ['want', 'odometry', 'world']) assert.equal((await shown(page, glyph)).length, 1, `no path ${glyph}`)
  const csv = (await saved(page, 'save CSV')).split('\n')
  assert.match(csv[0], /^time_s,want_x_m,.*,true_heading_rad$/)
  assert.ok(csv.length > 3 && csv.slice(1, 3).every((row) => row.split(',').length === 13), `CSV ${csv.slice(0, 4)}`)
  await page.keyboard.press(' ')
  await page.locator('.drive [role=status]').getByText('Stopped by you').waitFor()
  await page.locator('.checks .state').getByText('aborted').waitFor()
  await page.keyboard.press('g')
}

/** @param {Tools} tools @returns {[string, () => Promise<void>][]} */
export const robotProgramChecks = (tools) => [['a robot’s page: a check of its walk, the stop key',
  () => withProgram(tools, ['robot', '--alone', '--http', '127.0.0.1:0'], async (page) => {
    await page.locator('.drive [role=status]').getByText('Nobody drives').waitFor()
    await page.keyboard.press('x')
    await page.locator('.checks').getByText('Take control of the robot').waitFor()
    await typing(page)
    await walk(page)
    await page.keyboard.press('x')
    await page.locator('tr[data-parameter="odometry ahead"]').waitFor()
  }, { hash: `robot#${ROBOT}` })]]
