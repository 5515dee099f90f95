// The checks of a camera's calibration on a robot's page: exposure, colours, pose and lens.

import assert from 'node:assert/strict'
import { count, drawn, until } from './checks.mjs'

/** @typedef {import('playwright-core').Page} Page */

/** @param {Page} page @param {string} name */
const has = (page, name) => page.locator(`tr[data-parameter="${name}"] td`).last()

/** Acts until something came of it. A page that stalls loses the control: then it is taken again.
 * @param {Page} page @param {string} what @param {() => Promise<unknown>} act @param {() => Promise<unknown>} done */
export async function insist(page, what, act, done) {
  for (let i = 0; !await done(); i++) {
    assert.ok(i < 1200, 'not in time: ' + what)
    if (i % 40 === 0) {
      if (await page.locator('.drive .driver button[aria-pressed=true]').count()) await act()
      else if (await page.locator('.drive .driver button').first().isEnabled()) await page.keyboard.press('t')
    }
    await page.waitForTimeout(100)
  }
}

/** The page holds the control. @param {Page} page */
export const control = (page) => insist(page, 'the control', async () => {},
  () => page.locator('.drive').getByText('give up control').count())

/** Nobody holds the control. @param {Page} page */
export const release = (page) => insist(page, 'nobody with the control', () => page.keyboard.press('t'),
  () => page.locator('.drive [role=status]').getByText('Nobody drives').count())

/** Presses a button that is enabled while this page holds the control. @param {import('playwright-core').Locator} button */
export const press = (button) => button.click({ timeout: 2000 }).catch(() => {})

/** A patch of the held picture sets exposure and white balance, and one undo takes all of it back. This page holds the
 * control. @param {Page} page */
export async function patches(page) {
  const held = (/** @type {import('./checks.mjs').Drawn} */ d, /** @type {string} */ glyph) =>
    /** @type {any} */ ((d.pictures.calibration?.items ?? []).find((i) => i.glyph === glyph))
  await page.keyboard.press('v')
  await insist(page, 'a held picture', () => press(page.getByRole('button', { name: 'take a picture' })),
    async () => held(await drawn(page), 'held'))
  const box = await page.locator('.calibration canvas').boundingBox(), at = held(await drawn(page), 'held')
  assert.ok(box)
  const place = (/** @type {number} */ x, /** @type {number} */ y) => /** @type {const} */ ([box.x + at.x + x * at.w, box.y + at.y + y * at.h])
  await page.mouse.move(...place(0.4, 0.8))
  await page.mouse.down()
  await page.mouse.move(...place(0.5, 0.85))
  await page.mouse.move(...place(0.6, 0.95))
  await page.mouse.up()
  await until(page, 'a patch', (d) => Math.abs(held(d, 'patch')?.width - 0.2 * 208) <= 3)
  await page.getByLabel('the patch is').selectOption('grey')
  await insist(page, 'the robot has all four values', () => press(page.getByRole('button', { name: 'set exposure and white balance' })),
    async () => await page.locator('.calibration .state b.ok').count() === 4)
  const undo = page.locator('.calibration').getByRole('button', { name: 'undo' })
  await insist(page, 'all of it is taken back', () => press(undo), async () => !await undo.getAttribute('title'))
  await page.keyboard.press('v')
  for (const [name, value] of [['exposure', '10.0'], ['white_red', '1.00'], ['white_blue', '1.00']]) {
    await has(page, name).getByText(value, { exact: true }).waitFor()
  }
}

/** A stroke over the carpet gives its colours another class, undo takes it back, and the table reaches the robot. This page
 * holds the control. @param {Page} page */
export async function colours(page) {
  const item = (/** @type {import('./checks.mjs').Drawn} */ d, /** @type {string} */ name) => /** @type {any} */ (d.pictures[name]?.items[0])
  const magenta = (/** @type {import('./checks.mjs').Drawn} */ d) => item(d, 'segmented')?.pixels.magenta ?? -1
  await page.keyboard.press('v')
  await page.getByRole('group', { name: 'kind of calibration' }).getByText('colours').click()
  await until(page, 'the classes of the picture that is held', (d) => magenta(d) >= 0)
  const { number } = item(await drawn(page), 'segmented')
  await insist(page, 'another picture', () => press(page.getByRole('button', { name: 'take another picture' })),
    async () => item(await drawn(page), 'segmented')?.number > number)
  await until(page, 'the held picture', (d) => item(d, 'calibration')?.glyph === 'held')
  await insist(page, 'what the simulator knows of the carpet', () => press(page.getByRole('button', { name: 'take another picture' })),
    async () => Number(await page.locator('[data-thing="carpet"] .wanted').textContent({ timeout: 1000 })) > 80)
  await page.getByRole('group', { name: 'class to paint' }).getByText('magenta').click()
  const box = await page.locator('.calibration canvas').first().boundingBox(), before = await drawn(page), at = item(before, 'calibration')
  assert.ok(box)
  const place = (/** @type {number} */ x, /** @type {number} */ y) =>
    /** @type {const} */ ([box.x + at.x + x * at.w, box.y + at.y + y * at.h])
  await insist(page, 'the painted class', async () => {
    await page.mouse.move(...place(0.3, 0.8))
    await page.mouse.down()
    await page.mouse.move(...place(0.5, 0.85))
    await page.mouse.move(...place(0.7, 0.8))
    await page.mouse.up()
  }, async () => magenta(await drawn(page)) > magenta(before) + 50)
  await page.locator('.calibration .state').getByText(/sending changes [\d,]+ cells of the robot’s table/).waitFor()
  await insist(page, 'the classes as before', () => press(page.getByRole('button', { name: 'undo the stroke' })),
    async () => magenta(await drawn(page)) === magenta(before))
  await page.locator('.calibration .state').getByText('the robot has this table').waitFor()
  await insist(page, 'the table at the robot', () => press(page.getByRole('button', { name: 'send to the robot' })),
    () => page.locator('.calibration .state').getByText('done', { exact: true }).count())
  await page.keyboard.press('v')
  await page.locator('.changes li', { hasText: 'colour table' }).first().waitFor()
}

/** Pictures of several poses of the head are collected, and the program computes the camera from them. Whether they
 * determine it depends on where the robot stands: it is set at the robot, or refused with the reason. @param {Page} page */
export async function cameraPose(page) {
  const state = page.locator('.calibration .state b')
  await page.keyboard.press('v')
  await page.getByRole('button', { name: 'pose and lens' }).click()
  await insist(page, 'a camera that is knocked', () => press(page.getByRole('button', { name: 'knock the camera' })),
    () => page.locator('.calibration .form button[title*="knock_"]').count())
  await page.getByLabel('pictures', { exact: true }).fill('8')
  await page.getByLabel('pictures', { exact: true }).press('Enter')
  await page.locator('.calibration h2').click()
  const collect = page.getByRole('button', { name: 'collect pictures' })
  await insist(page, 'collected pictures', async () => await collect.count() && press(collect),
    async () => await state.count() && await state.innerText() === 'collected')
  await count(page, '.calibration .scroll tbody tr', 8)
  await until(page, 'a sample and where the head looked', (d) => d.pictures.calibration?.items[0]?.glyph === 'sample'
    && d.pictures.coverage?.items.length === 8)
  await insist(page, 'a sample that is left out', () => press(page.getByRole('button', { name: 'leave out' }).first()),
    () => page.getByRole('button', { name: 'take in' }).count())
  await insist(page, 'a result', () => press(page.getByRole('button', { name: 'compute', exact: true })),
    async () => /determined|refused/.test(await state.innerText()))
  const set = page.getByRole('button', { name: 'set at the robot' })
  if (await state.innerText() === 'refused') {
    assert.match(await page.locator('.calibration .state').innerText(), /want/)
    assert.ok(await set.isDisabled(), 'what was refused can be set')
  } else {
    await insist(page, 'what was found at the robot', () => press(set), () => page.locator('.calibration .form button[title$=" and 4 more"]').count())
  }
  await page.keyboard.press('v')
}
