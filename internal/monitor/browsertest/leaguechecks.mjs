// The checks of the wall of other leagues: a game with its score, clock and robots, from real packets.

import assert from 'node:assert/strict'
import { all, drawn, until, withProgram } from './checks.mjs'

/** @typedef {import('playwright-core').Page} Page
 * @typedef {import('./sessionchecks.mjs').Tools} Tools */

/** Opens the wall of a league's monitor beside a program that sends its packets. @param {Tools} tools @param {string} league
 * @param {string[]} sender @param {(page: Page) => Promise<void>} check */
async function game(tools, league, sender, check) {
  const program = tools.start(sender)
  try {
    await withProgram(tools, ['monitor', '--league', league, '--http', '127.0.0.1:0', '--no-browser'], async (page) => {
      await check(page)
      for (const [width, height] of [[1920, 1080], [1366, 768], [390, 844]]) {
        await page.setViewportSize({ width, height })
        await page.waitForFunction((width) => document.documentElement.scrollWidth === width, width) // once it is laid out
      }
    }, { hash: 'wall' })
  } finally {
    await tools.stop(program)
  }
}

/** Two teams of the Humanoid Soccer League: score, clock, budgets, and a tile for each robot. @param {Page} page */
async function humanoid(page) {
  const row = page.locator('.game-row')
  await row.getByText('B-Human', { exact: true }).waitFor()
  await row.getByText('ZJUDancer', { exact: true }).waitFor()
  await row.getByText('messages left').first().waitFor()
  await page.locator('.tile[data-state=live]').nth(11).waitFor()
  await until(page, 'twelve robots on the large field', (d) => all(d.pictures.truth, 'robot').length === 12)
  await row.locator('.game-phase').filter({ hasText: /: / }).waitFor()
}

/** A field of the Small Size League without a referee: what the cameras see, and what is missing. @param {Page} page */
async function small(page) {
  await page.locator('.game-notes').getByText('no referee').waitFor()
  await until(page, 'twelve robots and the ball', (d) => all(d.pictures.truth, 'robot').length === 12
    && all(d.pictures.truth, 'ball').length > 0)
  assert.match(JSON.stringify((await drawn(page)).pictures.truth.items), /"number":5/)
  await page.locator('table').getByText('vision').first().waitFor()
  await page.getByLabel('Events of the game').waitFor() // no robot tells where it sees the ball
  await page.locator('.session-controls').getByText('the referee, last minute').waitFor()
  assert.equal(await page.getByText('the robots’ balls').count(), 0)
}

/** @param {Tools} tools @returns {[string, () => Promise<void>][]} */
export const leagueChecks = (tools) => [
  ['a game of the Humanoid Soccer League', () => game(tools, 'hsl',
    ['hsl', '--robots', '--players', '6', '--seed', '7', '--half', '60s', '--speed', '4'], humanoid)],
  ['a field of the Small Size League', () => game(tools, 'ssl', ['sim', 'ssl'], small)],
]
