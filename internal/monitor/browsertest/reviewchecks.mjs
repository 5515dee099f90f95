// The checks of the review of a decision: on the referee's page, the log's page and the match's page.

import assert from 'node:assert/strict'
import { all, until } from './checks.mjs'
import { press } from './logchecks.mjs'

/** @import {Page, Table} from './refboxchecks.mjs' */

/** Waits for an open review with its field. @param {Page} page */
async function opened(page) {
  await page.locator('.review-said').waitFor()
  await until(page, 'the field of the review', (d) => d.pictures['review-times'] && d.pictures.review?.w > 0)
}

/** The referee reviews the newest decision by keyboard: no key decides, Space is STOP, and the list shows the verdict.
 * @param {Table} t @param {() => Promise<void>} stopped waits for a STOP at both teams */
export async function review(t, stopped) {
  const { page } = t
  await press(page, 'x')
  await opened(page)
  await press(page, 'Home', 'ArrowRight', 'ArrowRight', 'Shift+ArrowRight', 'ArrowLeft')
  await page.locator('.review-times .transport b').filter({ hasText: '−8.90 s' }).waitFor()
  await press(page, 'g', 'b', 'w')
  assert.equal(t.home.rest(), '', 'a key of the page decided while a review was open')
  await press(page, 'Space')
  await stopped()
  await press(page, 'u')
  await page.locator('.review .given.upheld').waitFor()
  await press(page, 'n')
  await page.keyboard.type('3 cm missing gu')
  await press(page, 'Escape', 'o')
  await page.locator('.review .given.overturned').filter({ hasText: '3 cm missing gu' }).waitFor()
  await press(page, ',')
  await page.locator('.review .sub').filter({ hasText: /decision \d/ }).waitFor()
  await press(page, 'Escape')
  await page.locator('.review').waitFor({ state: 'detached' })
  await kept(t)
}

/** The list of decisions shows the verdict. @param {Table} t */
export async function kept({ page }) {
  const verdict = page.locator('.decisions .of-review.overturned')
  await verdict.waitFor()
  assert.match(await verdict.getAttribute('title') ?? '', /3 cm missing gu/)
}

/** A log shows the review at its time, with the list of the decisions. @param {Table} t */
export async function logReview(t) {
  const page = await t.open(t.at.logs + '#token=' + t.at.token)
  await page.locator('.logs a').first().click()
  await until(page, 'the first frame', (d) => d.frame)
  await press(page, 'x')
  await opened(page)
  await page.locator('.review-list small.overturned').waitFor()
  const number = await page.locator('.review .sub').innerText()
  await page.locator('.review-list li:not(:has([aria-current=true])) button').first().click()
  await page.locator('.review .sub').filter({ hasNotText: number }).waitFor()
  await opened(page)
  await press(page, 'Escape')
  await page.locator('.player').waitFor()
  await page.close()
}

/** The review of a match that runs: measured from the truth, with both teams' beliefs. @param {Page} page */
export async function matchReview(page) {
  await page.locator('.state-of-play.ok').waitFor({ timeout: 60_000 }) // START was decided
  await press(page, 'x')
  await opened(page)
  await page.locator('.review-said').filter({ hasText: 'From ground truth' }).waitFor()
  await page.locator('.review-verdict [data-verdict=upheld]').waitFor()
  await until(page, 'robots and the ball', (d) => all(d.pictures.review, 'robot').length === 10 && all(d.pictures.review, 'ball').length > 0)
  await press(page, 'Escape')
  await page.locator('.match-main').waitFor()
}

/** The review of a recorded match: START with its distances, and no verdict. @param {Page} page */
export async function recordedReview(page) {
  await press(page, 'x')
  await opened(page)
  await page.locator('.review-list button').filter({ hasText: 'START' }).last().click()
  await page.locator('.review-table').filter({ hasText: 'at START' }).waitFor()
  await until(page, 'the circles of the distances', (d) => all(d.pictures.review, 'distance').length > 0)
  await page.locator('.review-verdict').filter({ hasText: 'A verdict needs the running referee box' }).waitFor()
  await press(page, 'Escape')
  await page.locator('.match-main').waitFor()
}
