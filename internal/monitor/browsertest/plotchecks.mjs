// The checks of plots: a number of a page over time, live and recorded.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { all, drawn, inFolder, until, withRobot } from './checks.mjs'

/** @typedef {import('playwright-core').Page} Page
 * @typedef {import('./sessionchecks.mjs').Tools} Tools */

/** The courses that the plot draws. @param {any} d what the page drew */
const courses = (d) => all(d.pictures.plot, 'course')

/** Waits until so many courses have so many points. @param {Page} page @param {number} n @param {number} points */
const plotted = (page, n, points) => until(page, `${n} courses of ${points} points`, (d) => courses(d).length === n
  && courses(d).every((c) => /** @type {any} */ (c).samples >= points))

/** Saves the plot, and returns the lines of the file. @param {Page} page */
async function csv(page) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
  assert.match(download.suggestedFilename(), /^[\w.-]+\.csv$/)
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n')
  assert.equal(lines[0], 'time_s,name,value')
  return lines.slice(1).map((l) => l.split(','))
}

/** Two clicks plot a number of the wall, a third all robots; one click plots a field of a packet. @param {Page} page */
async function live(page) {
  await page.keyboard.press('y')
  await page.locator('.tile[data-state=live] .hz').first().click()
  await page.getByRole('heading', { name: 'tiles › rate' }).waitFor()
  await plotted(page, 1, 8)
  const shown = /** @type {any} */ (courses(await drawn(page))[0]), number = await page.locator('.tile').first().getAttribute('data-number')
  assert.match(shown.name, new RegExp(`\\b${number}$`), 'the course of the robot whose number was clicked')
  await page.getByRole('group', { name: 'courses' }).getByRole('button', { name: 'all', exact: true }).click()
  await until(page, 'all robots', (d) => courses(d).length >= 5)
  const rows = await csv(page)
  assert(rows.length > 5 * 3 && new Set(rows.map(([, name]) => name)).size >= 5 && rows.every(([t, , v]) => Number(t) > 0 && Number(v) >= 0 && Number(v) < 60))
  await page.keyboard.press('Escape')
  await page.locator('.plot-panel').waitFor({ state: 'detached' })
  await withRobot(page, async ({ number }) => {
    await page.keyboard.press(String(number))
    await page.locator('.drawer [data-field="self-loc.x"]').click()
    await page.getByRole('heading', { name: 'self-loc.x' }).waitFor()
    await plotted(page, 1, 8)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.locator('.drawer').waitFor({ state: 'detached' })
  })
}

/** A figure of a recorded match is found by its name; its course ends with what the frame shows, and shows a time on a click.
 * @param {Tools} tools @param {string} dir */
async function recorded(tools, dir) {
  await tools.run(['match', '--half', '10s', '--seed', '1', '--record', 'm.mcap'], dir)
  const replay = await tools.launch(['replay', join(dir, 'm.mcap'), '--http', '127.0.0.1:0', '--no-browser'], dir)
  try {
    const page = await tools.open(`${replay.url}#match&t=5`)
    await until(page, 'the time of the address', (d) => /** @type {any} */ (d).past?.at === 5 && /** @type {any} */ (d).past.exact)
    await page.keyboard.press('y')
    await page.getByRole('searchbox').fill('match home tally passes')
    await page.getByRole('button', { name: /match › home › tally › passes/ }).first().click()
    await plotted(page, 1, 100)
    const { name, value } = /** @type {any} */ (courses(await drawn(page))[0])
    assert.equal(name, '')
    const last = await page.evaluate(async () => {
      const { to } = /** @type {any} */ (window).touchline.drawn().past
      const { frames } = await (await fetch(`api/session/frames?from=${1000 * to}&to=${1000 * to}`)).json()
      return frames[0].match.home.tally.passes
    })
    assert.equal(value, last)
    const rows = await csv(page)
    assert(rows.length >= 200 && Number(rows.at(-1)?.[2]) === last, `${rows.length} lines`)
    const canvas = await page.getByRole('img', { name: /course of/ }).boundingBox()
    assert(canvas)
    await page.mouse.click(canvas.x + 0.8 * canvas.width, canvas.y + canvas.height / 2)
    await until(page, 'the time of the click', (d) => /** @type {any} */ (d).past.at > 10)
    await page.close()
  } finally {
    await tools.stop(replay.program)
  }
}

/** A page whose program keeps no past plots what arrives while the plot is open. @param {Page} page */
export async function arriving(page) {
  if (await page.locator('.paused').count()) await page.keyboard.press('Space')
  await page.locator('[data-plots]').click()
  await page.getByRole('searchbox').fill('vss ball x')
  await page.locator('.plot-fields li button').first().click()
  await page.getByRole('group', { name: 'shown time' }).getByRole('button', { name: 'all' }).click() // the game may run fast
  await plotted(page, 1, 10)
  await page.keyboard.press('Escape')
  await page.locator('.plot-panel').waitFor({ state: 'detached' })
}

/** @type {[string, (page: Page) => Promise<void>][]} */
export const plotChecks = [['a number of the wall over time', live]]

/** @param {Tools} tools @returns {[string, () => Promise<void>][]} */
export const plotProgramChecks = (tools) => [['a figure of a recorded match over time', () => inFolder((dir) => recorded(tools, dir))]]
