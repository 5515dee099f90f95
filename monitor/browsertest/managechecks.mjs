// The checks of a robot's page: pictures of its camera, parameters, driving, and two operators.

import assert from 'node:assert/strict'
import { drawn, until } from './checks.mjs'

/** @typedef {import('playwright-core').Page} Page
 * @typedef {import('./sessionchecks.mjs').Tools} Tools */

const ROBOT = 3

/** The picture that the page shows. @param {import('./checks.mjs').Drawn} d */
const picture = (d) => /** @type {any} */ (d.pictures.camera?.items[0])

/** Waits for a picture of a format that is newer than those before. @param {Page} page @param {string} format */
async function newer(page, format) {
  const before = picture(await drawn(page))?.number ?? 0
  await until(page, `a newer picture as ${format}`, (d) => picture(d)?.format === format && picture(d).number > before)
}

/** @param {Page} page @param {string} text of the drive panel */
const says = (page, text) => page.locator('.drive [role=status]').getByText(text).waitFor()

/** Waits until a page holds the control. Whether its commands arrive in time depends on the machine.
 * @param {Page} page */
const controls = (page) => page.locator('.drive').getByText('give up the control').waitFor()

/** @param {Page} page @param {string} name */
const has = (page, name) => page.locator(`tr[data-parameter="${name}"] td`).last()

/** Pictures arrive in each format and size, freeze and go on. @param {Page} page */
async function camera(page) {
  await newer(page, 'jpeg')
  const full = picture(await drawn(page)).pixels
  await page.keyboard.press('F3')
  await newer(page, 'classes')
  await page.keyboard.press('F2')
  await newer(page, 'ycbcr')
  await page.keyboard.press('F1')
  await page.getByRole('group', { name: 'size' }).getByText('½').click()
  await until(page, 'a picture of half the size', (d) => picture(d)?.pixels === full / 2)
  await page.keyboard.press('f')
  const { number } = picture(await drawn(page))
  await page.locator('.camera .figures').waitFor()
  await page.waitForTimeout(300)
  assert.ok(picture(await drawn(page)).number <= number + 1, 'a frozen picture changed')
  await page.keyboard.press('f')
  await newer(page, 'jpeg')
}

/** A parameter is set, read back and undone; another operator's page shows it. @param {Page} page @param {Page} other */
async function parameters(page, other) {
  await says(page, 'Nobody drives')
  assert.ok(await page.getByLabel('exposure, as a number').isDisabled(), 'a page without the control changes parameters')
  await page.keyboard.press('t')
  await controls(page)
  await page.getByLabel('exposure, as a number').fill('5')
  await page.getByLabel('exposure, as a number').press('Enter')
  for (const p of [page, other]) await has(p, 'exposure').getByText('5.0', { exact: true }).waitFor()
  await page.locator('.changes li', { hasText: 'exposure 10.0 → 5.0' }).getByText('confirmed').waitFor()
  await page.locator('.parameters h2').click() // the focus leaves the field
  await page.keyboard.press('Control+z')
  for (const p of [page, other]) await has(p, 'exposure').getByText('10.0', { exact: true }).waitFor()
}

/** Keys drive while they are down, the stop key stops, and another operator takes over.
 * @param {Page} page @param {Page} other */
async function driving(page, other) {
  const speed = page.locator('.velocities b').first()
  await page.keyboard.down('w')
  await speed.getByText('1.00').waitFor()
  const before = picture(await drawn(page)).number
  await until(page, 'pictures while it drives', (d) => picture(d)?.number > before)
  await page.keyboard.press(' ')
  await says(page, 'Stopped by you')
  await speed.getByText('0.00').waitFor()
  await page.keyboard.up('w')
  await page.keyboard.press('g')
  await says(page, `You drive robot ${ROBOT}`)
  await other.locator('.drive [role=status]').getByText('has the control').waitFor()
  await other.keyboard.press('t')
  await controls(other)
  await says(page, 'has the control')
  await other.keyboard.press('t')
  await says(other, 'Nobody drives')
}

/** A hidden or frozen page sends no commands: the robot says that they stopped. @param {Page} page */
async function asleep(page) {
  await page.keyboard.press('t')
  await says(page, `You drive robot ${ROBOT}`)
  await page.evaluate(() => { // commands of this page are lost from now on, as in a tab that the browser froze
    const { fetch } = window
    window.fetch = (to, more) => String(to).includes('robot-drive') ? new Promise(() => {}) : fetch(to, more)
  })
  await says(page, 'The commands stopped')
  await page.keyboard.press('t')
  await says(page, 'Nobody drives')
}

/** @param {Tools} tools @returns {[string, () => Promise<void>][]} */
export function manageProgramChecks({ launch, stop, open }) {
  return [['a robot’s page: camera, parameters, driving, two operators, a page that sleeps', async () => {
    const { program, url } = await launch(['demo', '--http', '127.0.0.1:0', '--seed', '7', '--duration', '600s'])
    try {
      const page = await open(url)
      await page.locator(`.tile[data-number="${ROBOT}"] .own-page`).click() // the wall leads to it
      await page.waitForURL(`${url}robot#${ROBOT}`)
      const other = await open(page.url())
      await camera(page)
      await parameters(page, other)
      await driving(page, other)
      await asleep(page)
      await page.close()
      await other.close()
    } finally {
      await stop(program)
    }
  }]]
}
