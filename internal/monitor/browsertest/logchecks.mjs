// The checks of the log page.

import assert from 'node:assert/strict'
import { drawn, until } from './checks.mjs'

/** @import {Page, Table} from './refboxchecks.mjs' */

/** Presses keys. @param {Page} page @param {...string} keys */
export async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key)
}

/** The log of a running game needs the token. @param {Table} t */
export async function log(t) {
  const page = await t.open(t.at.logs + '#token=' + t.at.token)
  await page.locator('.logs a').first().click()
  await until(page, 'the first frame', (d) => d.frame)
  const { t: start } = await drawn(page), elapsed = async () => Math.round((await drawn(page)).t - start)
  await press(page, 'ArrowRight')
  assert.equal(await elapsed(), 100)
  await press(page, 'Shift+ArrowRight', 'Alt+ArrowRight')
  assert.equal(await elapsed(), 610)
  await press(page, 'g')
  await until(page, 'the frame of the goal, with both teams', (d) => d.exact && d.t > start + 610
    && Math.abs(d.frame.t - d.t) <= 50 && d.pictures.log?.items.filter((/** @type {any} */ i) =>
    i.glyph === 'robot').length === 10)
  await page.locator('.events .now').filter({ hasText: /goal/i }).waitFor()
  const { t: goal } = await drawn(page)
  await press(page, 'Home')
  assert.ok((await drawn(page)).t < goal)
  await press(page, 'Space')
  await until(page, 'playing', (d) => d.t > start + 300)
  await press(page, 'Space', 'g')
  await until(page, 'the goal again', (d) => d.exact && d.t === goal)
  await press(page, '2')
  await page.locator('.robot-of dl').waitFor()
  await page.close()
}

/** A line about a faulty message names its team and the reason first. @param {Table} t */
export async function faultyLines(t) {
  const page = await t.open(t.at.logs + '#token=' + t.at.token)
  const texts = await page.evaluate(async () => {
    const path = './log/timeline.js', { eventText } = await import(new URL(path, location.href).href)
    const info = { home: 'CAMBADA', away: 'TU/e' }, record = 'its record holds the empty worldstate'
    return [{ kind: 'note', side: '', text: `Message of TU/e at 1795432247815 ms: ${record}: byte 0: invalid` },
      { kind: 'note', side: '', text: 'Message of CAMBADA at 17 ms: too long' },
      { kind: 'event', side: 'away', text: 'Event ' }, { kind: 'note', side: '', text: 'New BaseStation' }]
      .map((e) => eventText(info, e))
  })
  assert.deepEqual(texts, ['TU/e: byte 0: invalid; its record holds the empty worldstate', 'CAMBADA: too long',
    'event without a name, TU/e', 'New BaseStation'])
  await page.close()
}

/** A log that is still being read shows its field all the time. @param {Table} t */
export async function opening(t) {
  const page = await t.open(t.at.logs + '#token=' + t.at.token)
  const name = await page.locator('.logs a').first().evaluate((a) => /** @type {HTMLAnchorElement} */ (a).hash.slice(1))
  let polls = 0
  await page.route(`**/api/logs/${name}`, async (route) => {
    const response = await route.fetch(), json = await response.json()
    await route.fulfill({ response, json: ++polls < 4 ? { ...json, ready: polls / 4, end: json.start + 400 * polls }
      : json })
  })
  await page.locator('.logs a').first().click()
  await until(page, 'the first frame', (d) => d.frame)
  await until(page, 'the whole log', (d) => {
    assert.ok(d.frame, `an empty field after ${polls} polls`)
    return polls > 5
  })
  await until(page, 'the exact frame', (d) => d.exact && Math.abs(d.frame.t - d.t) <= 50)
  await page.close()
}
