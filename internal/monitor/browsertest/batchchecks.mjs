// The checks of the page of a batch: counts that grow, the verdict, a match that did not end, and a match that is opened.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { all, dressed, inFolder, until, withProgram } from './checks.mjs'

/** @typedef {import('./sessionchecks.mjs').Tools} Tools
 * @typedef {import('playwright-core').Page} Page */

const MATRIX = `
name = "browser"
half = "1s"
seeds = 5000
teams = ["touchline"]
against = ["still"]
`
const TROUBLE = 'a planted failure'

/** Lets the one result of a folder say that its match did not end. @param {string} results */
async function plant(results) {
  const [folder] = (await readdir(results)).filter((name) => name.length === 2)
  const [file] = await readdir(join(results, folder)), path = join(results, folder, file)
  const text = await readFile(path, 'utf8'), begin = '{"result":'
  const result = text.slice(begin.length, text.lastIndexOf(',"sha256"')).replace('"digest"', `"trouble":"${TROUBLE}","digest"`)
  await writeFile(path, `${begin}${result},"sha256":"${createHash('sha256').update(result).digest('hex')}"}\n`)
}

/** The matches that have a result. @param {Page} page */
const done = async (page) => Number((await page.locator('[data-figure=done] b').innerText()).replaceAll(',', ''))

/** Waits until a few more matches have a result. @param {Page} page */
async function grows(page) {
  const was = await done(page)
  for (const end = Date.now() + 30_000; await done(page) < was + 3; await page.waitForTimeout(100)) {
    assert(Date.now() < end, `${was} matches are done, and no more come`)
  }
}

/** Nothing is wider than the window, and on large ones nothing is below it. @param {Page} page */
async function fits(page) {
  for (const [width, height] of [[1920, 1080], [1366, 768], [1180, 820], [390, 844]]) {
    await page.setViewportSize({ width, height })
    const size = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight])
    assert.equal(size[0], width, `${width} px: too wide`)
    if (width > 1000) assert.equal(size[1], height, `${width} px: too high`)
  }
  await page.setViewportSize({ width: 1600, height: 900 })
}

/** A match opens as a recording with its log, and the way back leads to the batch. @param {Page} page */
async function opened(page) {
  await page.keyboard.press('ArrowDown')
  await page.locator('.batch-matches tr.chosen').waitFor()
  await page.keyboard.press('Enter')
  await page.locator('.batch-matches .way.now').first().waitFor()
  await page.waitForURL(/\/again\/[0-9a-f]{32}\/#match/)
  await page.locator('.match-main').waitFor()
  await until(page, 'ten robots', (d) => Object.values(d.pictures).some((c) => all(c, 'robot').length === 10))
  await page.locator('nav a', { hasText: 'Log' }).click()
  await page.locator('.logs a').first().click()
  await page.locator('.player').waitFor()
  await page.locator('a.brand').click()
  await page.locator('.batch-matches').waitFor()
  assert.match(page.url(), /\/batch$/)
}

/** A batch of two teams while it runs. @param {Tools} tools */
const two = (tools) => inFolder(async (dir) => {
  await writeFile(join(dir, 'm.toml'), MATRIX)
  await tools.run(['batch', 'plan', 'm.toml', '-o', 'plan.json'], dir)
  await tools.run(['batch', 'run', 'plan.json', '--dir', 'results', '--slice', '1/10000'], dir)
  await plant(join(dir, 'results'))
  await withProgram(tools, ['batch', 'run', 'plan.json', '--dir', 'results', '--yes', '--http', '127.0.0.1:0'], async (page) => {
    await page.locator('.batch-failures', { hasText: TROUBLE }).waitFor()
    await grows(page)
    await page.locator('.batch-machines tr[data-machine]').waitFor()
    await page.locator('.batch-trial h2', { hasText: 'Is touchline better than still?' }).waitFor()
    await until(page, 'the ratio between its bounds', ({ pictures: { trial } }) => all(trial, 'bound').length === 2
      && all(trial, 'ratio').some((r) => r.samples > 3))
    await page.locator('.batch-tables [data-figure-of=goals] td').nth(2).waitFor()
    await page.keyboard.press('2')
    await page.locator('.batch-tables .cross td.self').first().waitFor()
    await dressed(page, /batch: \d+ of 10000/)
    await fits(page)
    await opened(page)
    await grows(page)
  }, { cwd: dir })
})

/** A league of three teams. @param {Tools} tools */
const league = (tools) => withProgram(tools, ['batch', 'league', 'touchline', 'still', 'touchline-nobooking', '--half', '1s', '--seeds', '2000',
  '--yes', '--http', '127.0.0.1:0'], async (page) => {
  await grows(page)
  await page.locator('.batch-ratings td.range .line').nth(2).waitFor()
  assert.equal(await page.locator('.batch-ratings tbody tr').count(), 3)
  await fits(page)
})

/** The checks of batches. @param {Tools} tools @returns {[string, () => Promise<unknown>][]} */
export const batchChecks = (tools) => [['a batch that runs', () => two(tools)], ['a league that runs', () => league(tools)]]
