// The checks of the panel "Connect your robot".

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** @typedef {import('playwright-core').Page} Page */

/** The program that the panel shows runs as it stands: the panel and a tile turn green with its values.
 * @param {Page} page */
async function connect(page) {
  await page.keyboard.press('c')
  const drawer = page.getByRole('complementary', { name: 'Connect your robot' }), program = drawer.locator('pre')
  for (const [language, part] of [['C++', 'sendto('], ['Go', 'package main'], ['Python', 'import socket']]) {
    await drawer.getByRole('tab', { name: language }).click()
    await program.filter({ hasText: part }).waitFor()
  }
  await drawer.getByText('Waiting for robot').waitFor()
  const robot = spawn('python3', ['-c', await program.innerText()], { stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    await drawer.locator('.arrived.ok').filter({ hasText: 'X 1.20 m, Y −0.50 m, facing 90°, ball at X 1.50 m, Y 2.00 m' })
      .waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    const tile = page.locator('.tile[data-real]')
    await tile.locator('.read.ok').filter({ hasText: 'sends X 1.20 m, Y −0.50 m' }).waitFor()
    assert.equal(await tile.count(), 1)
  } finally {
    robot.kill()
    await once(robot, 'exit')
  }
  const silent = page.locator('.tile[data-real][data-state=silent]')
  await silent.getByText(/silent for/).first().waitFor()
  await silent.getByRole('button', { name: 'dismiss' }).click()
  await page.locator('.tile[data-real]').waitFor({ state: 'detached' })
}

/** @type {[string, (page: Page) => Promise<void>][]} */
export const connectChecks = [['the shown robot connects', connect]]
