// The checks of the wall's views: their addresses and their geometry.

import assert from 'node:assert/strict'
import { drawn, until } from './checks.mjs'

/** @typedef {import('playwright-core').Page} Page */

/** Opens an address of the wall in a browser without the first one's storage. @param {Page} page @param {string} hash
 * @param {(other: Page) => Promise<void>} check */
async function another(page, hash, check) {
  const browser = page.context().browser()
  assert(browser)
  const other = await browser.newPage({ viewport: page.viewportSize() })
  try {
    await other.goto(new URL(hash, page.url()).href)
    await check(other)
  } finally {
    await other.close()
  }
}

/** The address of a page opens the same view, selection and axes elsewhere. @param {Page} page */
async function address(page) {
  const tile = page.locator('.tile[data-tile][data-state=live]').first()
  const key = await tile.getAttribute('data-tile')
  await page.keyboard.press('f')
  await tile.locator('canvas').click()
  await page.waitForFunction((key) => location.hash === `#wall&sel=${key}&show=packets&axes=msl`, key)
  await another(page, new URL(page.url()).hash, async (other) => {
    await other.locator('.drawer .hex span').first().waitFor()
    await until(other, 'the axes of the first page', (d) => d.frame === 'msl')
    assert.equal(await other.locator('.tile.open').getAttribute('data-tile'), key)
  })
  await page.keyboard.press('Escape')
  await page.keyboard.press('f')
  await page.waitForFunction(() => location.hash === '#wall')
  await another(page, '#network', async (other) => {
    await other.locator('.full tbody tr').first().waitFor()
    assert.equal((await drawn(other)).frame, 'x')
  })
}

/** @type {[string, (page: Page) => Promise<void>][]} */
export const viewChecks = [
  ['the address opens the same picture in another browser', address],
]
