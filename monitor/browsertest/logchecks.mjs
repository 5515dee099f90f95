// What the browser test checks of the page that plays logs.

import assert from 'node:assert/strict'
import { drawn } from './checks.mjs'

/** @import {Page, Table} from './refboxchecks.mjs' */

const PATIENCE = 30_000 // ms; no wait needs it

/** Presses keys one after the other. @param {Page} page @param {...string} keys */
export async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key)
}

/** @param {Page} page @returns {Promise<any>} */
const said = (page) => drawn(page)

/** Waits until f of what the page says of itself is true. @param {Page} page @param {string} what @param {(d: any) => unknown} f */
export async function until(page, what, f) {
  for (const end = Date.now() + PATIENCE; Date.now() < end;) {
    if (f(await said(page))) return
    await page.evaluate(() => new Promise(requestAnimationFrame))
  }
  throw new Error('never: ' + what)
}

/** The game's log, while it is written: with the token. @param {Table} t */
export async function log(t) {
  const page = await t.open(t.at.logs + '#token=' + t.at.token)
  await page.locator('.logs a').first().click()
  await until(page, 'the first frame', (d) => d.frame)
  const { t: began } = await said(page), on = async () => Math.round((await said(page)).t - began)
  await press(page, 'ArrowRight')
  assert.equal(await on(), 100)
  await press(page, 'Shift+ArrowRight', 'Alt+ArrowRight')
  assert.equal(await on(), 610)
  await press(page, 'g')
  await until(page, 'the frame of the goal, with both teams', (d) => d.exact && d.t > began + 610 && Math.abs(d.frame.t - d.t) <= 50 && d.pictures.log?.items.filter((/** @type {any} */ i) => i.glyph === 'robot').length === 10)
  await page.locator('.events .now').filter({ hasText: /goal/i }).waitFor()
  const { t: goal } = await said(page)
  await press(page, 'Home')
  assert.ok((await said(page)).t < goal)
  await press(page, 'Space')
  await until(page, 'it plays', (d) => d.t > began + 300)
  await press(page, 'Space', 'g')
  await until(page, 'the goal again', (d) => d.exact && d.t === goal)
  await press(page, '2')
  await page.locator('.robot-of dl').waitFor()
  await page.close()
}

/** A log of which more and more becomes known shows its field all the time. @param {Table} t */
export async function opening(t) {
  const page = await t.open(t.at.logs + '#token=' + t.at.token)
  const name = await page.locator('.logs a').first().evaluate((a) => /** @type {HTMLAnchorElement} */ (a).hash.slice(1))
  let looks = 0
  await page.route(`**/api/logs/${name}`, async (route) => {
    const response = await route.fetch(), json = await response.json()
    await route.fulfill({ response, json: ++looks < 4 ? { ...json, ready: looks / 4, end: json.start + 400 * looks } : json })
  })
  await page.locator('.logs a').first().click()
  await until(page, 'the first frame', (d) => d.frame)
  await until(page, 'all of it is known', (d) => {
    assert.ok(d.frame, `an empty field after look ${looks}`)
    return looks > 5
  })
  await until(page, 'the frame of the moment', (d) => d.exact && Math.abs(d.frame.t - d.t) <= 50)
  await page.close()
}
