// The checks of how the referee box's pages fit windows: nothing is cut, and disabled keys can be read.

import assert from 'node:assert/strict'
import { until } from './checks.mjs'

/** @import {Page, Table} from './refboxchecks.mjs' */

/** @type {[number, number][]} */
const WINDOWS = [[1920, 1080], [1366, 768], [1280, 800], [1180, 820]]
const TEXTS = '.key span, .team-keys kbd, .who-is h2, .clock-of b, .clock-of p, .one b, .one small, .head h2,'
  + ' .head .sub, .received .last, .decisions time, .decisions small, .answer'

/** The texts of a page that do not fit their places. @param {Page} page @param {string} selector */
const cut = (page, selector) => page.evaluate((selector) => [...document.querySelectorAll(selector)].filter((e) => {
  const box = /** @type {HTMLElement} */ (e).getBoundingClientRect()
  const over = e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 2
  return box.width > 0 && (e.clientWidth ? over : box.right > innerWidth || box.bottom > innerHeight)
}).map((e) => e.textContent?.trim()), selector)

/** The contrast of each disabled key with its background, the least first. @param {Page} page */
const contrasts = (page) => page.evaluate(() => {
  const parts = (/** @type {string} */ css) => (css.match(/[\d.]+/g) ?? []).map(Number)
  const light = (/** @type {number[]} */ rgb) => {
    const [r, g, b] = rgb.map((c) => c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (/** @type {Element | null} */ e) => {
    for (; e; e = e.parentElement) {
      const color = parts(getComputedStyle(e).backgroundColor)
      if (color.length === 3) return color
    }
    return [255, 255, 255]
  }
  return [...document.querySelectorAll('.key[aria-disabled=true]')].map((e) => {
    const style = getComputedStyle(e), a = light(parts(style.color).slice(0, 3)), b = light(behind(e))
    return Number(style.opacity) * (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
  }).sort((a, b) => a - b)
})

/** Nothing is cut in the windows of laptops and tablets, and disabled keys have a contrast of 4.5. @param {Table} t */
export async function fits(t) {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    for (const [width, height] of WINDOWS) {
      const page = await t.open(t.at.referee, { viewport: { width, height }, colorScheme })
      await page.locator('.column.away .rate.ok').waitFor()
      assert.deepEqual(await cut(page, TEXTS), [], `cut at ${width}x${height}`)
      const [least] = await contrasts(page)
      assert.ok(least >= 4.5, `a disabled key has a contrast of ${least} with its background, ${colorScheme}`)
      await page.close()
    }
  }
}

/** A disabled key explains itself under the pointer; a tall window shows both teams on the field.
 * @param {Table} t */
export async function explained(t) {
  const page = await t.open(t.at.referee, { viewport: { width: 1920, height: 1080 } })
  await page.locator('.key[aria-disabled=true]').first().hover()
  await page.locator('.answer.why').filter({ hasText: /not now\. \S+/ }).waitFor()
  await page.mouse.move(5, 5)
  await page.locator('.answer.why').waitFor({ state: 'detached' })
  await until(page, 'ten robots and two balls on the field', (d) => {
    const items = d.pictures.referee?.items ?? []
    const count = (/** @type {string} */ glyph) => items.filter((/** @type {any} */ i) => i.glyph === glyph).length
    return count('robot') === 10 && count('ball') === 2
  })
  await page.close()
}

/** The scoreboard has no links until the pointer moves, and shows cards; its overlay clips no name. @param {Table} t */
export async function audience(t) {
  const page = await t.open(t.at.scoreboard)
  await page.locator('.show-score').waitFor()
  await page.locator('nav').waitFor({ state: 'hidden' })
  await page.locator('.show-cards li.yellow').filter({ hasText: '4 yellow' }).waitFor()
  await page.mouse.move(200, 200)
  await page.locator('nav').waitFor({ state: 'visible' })
  await page.close()
  const bar = await t.open(t.at.scoreboard + '?overlay=1', { viewport: { width: 640, height: 360 } })
  await bar.locator('.bar-of .name').first().waitFor()
  assert.deepEqual(await cut(bar, '.bar-of .name'), [])
  await bar.close()
}
