// The checks of a robot's page: pictures of its camera, parameters, driving, and two operators.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { cameraPose, colours, control, insist, patches, press, release } from './calibratechecks.mjs'
import { drawn, inFolder, until, withProgram } from './checks.mjs'
import { freePort } from './sessionchecks.mjs'

/** @typedef {import('playwright-core').Page} Page
 * @typedef {import('./sessionchecks.mjs').Tools} Tools */

const ROBOT = 1 // alone: those of the practical session are switched off for a while

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
const controls = (page) => page.locator('.drive').getByText('give up control').waitFor()

/** @param {Page} page @param {string} name */
const has = (page, name) => page.locator(`tr[data-parameter="${name}"] td`).last()

/** Pictures arrive in each format and size, freeze and go on, also on a phone. @param {Page} page */
async function camera(page) {
  await newer(page, 'jpeg')
  const size = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 844 })
  await until(page, 'a picture as wide as a phone', (d) => picture(d)?.w > 280 && picture(d).w < 360)
  await page.setViewportSize(size ?? { width: 1920, height: 1080 })
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

/** The kinds of the shapes over the picture. @param {import('./checks.mjs').Drawn} d */
const shapes = (d) => new Set((d.pictures.camera?.items ?? []).map((i) => i.glyph))

/** Shapes that the robot describes lie over its picture, layer by layer. @param {Page} page */
async function overlays(page) {
  await until(page, 'the horizon and the lines of the field', (d) => shapes(d).has('horizon') && shapes(d).has('field line'))
  await page.keyboard.press('h')
  await until(page, 'no horizon', (d) => !shapes(d).has('horizon') && shapes(d).has('field line'))
  await page.keyboard.press('l')
  await page.keyboard.press('o')
  await until(page, 'no shapes', (d) => shapes(d).size === 1)
  for (const key of ['o', 'h', 'l']) await page.keyboard.press(key)
  await until(page, 'the horizon again', (d) => shapes(d).has('horizon'))
}

/** A part of the picture that is dragged over is what the robot sends. @param {Page} page */
async function regions(page) {
  await page.getByText('full', { exact: true }).click()
  await until(page, 'a whole picture', (d) => picture(d)?.region.join() === '0,0,208,160')
  await page.keyboard.press('z')
  await page.getByRole('button', { name: 'drag over the picture' }).waitFor()
  const box = await page.locator('.camera canvas').boundingBox(), at = picture(await drawn(page))
  assert.ok(box)
  const place = (/** @type {number} */ x, /** @type {number} */ y) => /** @type {const} */ ([box.x + at.x + x * at.w, box.y + at.y + y * at.h])
  await page.mouse.move(...place(0.25, 0.25))
  await page.mouse.down()
  await page.mouse.move(...place(0.5, 0.5))
  await page.mouse.move(...place(0.75, 0.75))
  await page.mouse.up()
  await until(page, 'the middle of the picture', (d) => {
    const [x, y, w, h] = picture(d)?.region ?? []
    return Math.abs(x - 52) <= 2 && Math.abs(y - 40) <= 2 && Math.abs(w - 104) <= 3 && Math.abs(h - 80) <= 3
  })
  await page.keyboard.press('z')
  await until(page, 'the whole picture again', (d) => picture(d)?.region.join() === '0,0,208,160')
}

/** A kept picture lies beside the shown one, then their difference. @param {Page} page */
async function comparison(page) {
  const compared = (/** @type {import('./checks.mjs').Drawn} */ d) =>
    (d.pictures.camera?.items ?? []).filter((i) => i.glyph === 'compared').map((i) => String(i.text))
  await page.keyboard.press('k')
  await until(page, 'two pictures', (d) => compared(d).length === 2)
  await page.keyboard.press('f')
  await page.keyboard.press('c')
  await until(page, 'their difference', (d) => /^difference x 4, mean \d/.test(compared(d)[0] ?? ''))
  await page.keyboard.press('c')
  await page.keyboard.press('f')
  await newer(page, 'jpeg')
}

/** Two pages that wish different pictures: both say which of them is sent, and one press changes it.
 * @param {Page} page @param {Page} other */
async function choices(page, other) {
  await other.keyboard.press('F3')
  for (const p of [page, other]) await newer(p, 'classes')
  await page.locator('.sent').getByText('2 pages look').waitFor()
  await other.locator('.sent').getByText('what you chose: classes').waitFor()
  await page.getByRole('button', { name: 'send my choice' }).click()
  for (const p of [page, other]) await newer(p, 'jpeg')
  await other.locator('.sent').getByText('the choice of').waitFor()
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
  await says(page, `Driving robot ${ROBOT}`)
  await other.locator('.drive [role=status]').getByText('has control').waitFor()
  await other.keyboard.press('t')
  await controls(other)
  await says(page, 'has control')
  await other.keyboard.press('t')
  await says(other, 'Nobody drives')
}

/** Opens a file in the editor. @param {Page} page @param {object} machine @param {string} [panel] whose button does it */
const openMachine = (page, machine, panel = '.editor') => page.locator(`${panel} input[type=file]`).setInputFiles({
  name: 'm.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(machine)) })

/** The machine of the robot is edited, checked, sent, fetched again, and rolled back. @param {Page} page */
async function machine(page) {
  const editor = page.locator('.editor'), send = page.getByRole('button', { name: 'send to robot 1' })
  const field = (/** @type {string} */ name) => editor.getByLabel(name, { exact: true })
  const sound = () => editor.getByText('no faults').waitFor()
  await page.keyboard.press('m')
  await editor.locator('svg g[data-state="approach"]').click() // the default: the robot executes none
  await sound()
  await editor.locator('.changed').getByText('the robot executes no state machine').waitFor()
  await field('name of the state').fill('search')
  await field('name of the state').press('Enter')
  await editor.getByText('a state is called search already').waitFor()
  await field('name of the state').fill('go to it')
  const { shown } = /** @type {any} */ (await drawn(page))
  await until(page, 'renderings while a name is typed', (d) => /** @type {any} */ (d).shown > shown + 10)
  assert.equal(await field('name of the state').inputValue(), 'go to it', 'a name that is typed is lost')
  await field('name of the state').press('Enter')
  await editor.locator('svg g[data-state="go to it"].chosen').waitFor()
  await editor.getByRole('button', { name: 'new state' }).click()
  await editor.locator('.check').getByText('is never reached').waitFor()
  await control(page)
  assert.ok(await send.isDisabled(), 'a machine with faults can be sent')
  await page.keyboard.press('Control+z')
  await sound()

  await openMachine(page, { name: 'many', states: Array(10_000).fill({ name: 'x' }), transitions: [] })
  await page.getByText('10000 states: a machine has at most 256').waitFor()
  await openMachine(page, { name: 'turner', states: [{ name: 'wait', behaviour: 'stand' }, { name: 'turn', behaviour: 'fly' }],
    transitions: [{ from: 'wait', to: 'turn' }] })
  await editor.locator('.check').getByText('unknown behaviour "fly"').click()
  await field('its behaviour').selectOption('search')
  await editor.locator('.check').getByText('state "turn" has no way out').waitFor()
  await editor.getByRole('button', { name: 'add a transition' }).click()
  await field('a further condition of transition 2').selectOption('!ball known')
  await field('ms before transition 2').fill('250')
  await field('ms before transition 2').press('Enter')
  await sound()
  await insist(page, 'a machine at the robot', () => press(send), () => editor.locator('.news').getByText('done').count())
  await page.locator('.editor .head h2').click() // the focus leaves the button
  await release(page) // a robot that is driven may hold the ball, and waits for a safe moment
  await editor.locator('.news code').filter({ hasNotText: 'none' }).waitFor()
  await editor.getByText('the robot executes this machine').waitFor()
  await page.keyboard.press('m')
  await openMachine(page, { name: 'other', states: [{ name: 'wait', behaviour: 'stand' }], transitions: [] }, '.runs')
  await editor.locator('.changed').getByText('turn is removed', { exact: true }).waitFor()
  await editor.locator('.changed').getByText('wait → turn is removed').click()
  await editor.locator('[data-state=wait]').first().waitFor()
  await editor.getByRole('button', { name: 'fetch', exact: true }).click()
  await editor.getByText('from robot 1').waitFor()
  assert.equal(await field('name of the machine').inputValue(), 'turner')
  await field('show the state').selectOption('turn')
  assert.equal(await field('condition 1 of transition 2').inputValue(), '!ball known')
  assert.equal(await field('ms before transition 2').inputValue(), '250')
  await page.locator('.editor .head h2').click()
  const named = (/** @type {string} */ name) => page.getByRole('button', { name, exact: true })
  await control(page)
  await insist(page, 'a held machine', () => press(page.getByRole('button', { name: 'break here' })),
    () => page.locator('.drive [role=status]').getByText('You hold its state machine').count())
  await press(named('step'))
  await insist(page, 'a machine that goes on', () => press(named('go on')), () => named('hold').count())
  await page.locator('.editor .head h2').click()
  await page.keyboard.press('m')
  await insist(page, 'the machine before', () => press(page.getByRole('button', { name: 'roll back' })),
    () => page.locator('.changes li', { hasText: 'roll back' }).getByText('confirmed').count())
  await release(page)
  await page.locator('.runs code').getByText('none').waitFor()
}

/** The open editor shows the machine of the robot that the page shows, and takes the one before back. @param {Page} page */
async function editorFollows(page) {
  const editor = page.locator('.editor'), name = editor.getByLabel('name of the machine', { exact: true })
  await page.getByText('online', { exact: true }).waitFor()
  await page.keyboard.press('m')
  await editor.getByText('default: robot 1 runs none').waitFor()
  await openMachine(page, { name: 'mine', states: [{ name: 'wait', behaviour: 'stand' }], transitions: [] })
  await page.waitForFunction(() => [...document.querySelectorAll('.editor input')].some((i) => /** @type {any} */ (i).value === 'mine'))
  await page.locator('.editor .head h2').click() // the focus leaves the button
  await page.keyboard.press('2')
  await page.waitForURL(/robot#2$/)
  await editor.getByText('default: robot 2 runs none').waitFor()
  await page.getByRole('button', { name: 'send to robot 2' }).waitFor()
  assert.notEqual(await name.inputValue(), 'mine', 'the editor stays at the robot before')
  await page.keyboard.press('Control+z')
  await page.waitForFunction(() => [...document.querySelectorAll('.editor input')].some((i) => /** @type {any} */ (i).value === 'mine'))
}

/** The robot's parameters are kept under a name; later the page shows what they would change, and sets them. @param {Page} page */
async function profiles(page) {
  const exposure = page.getByLabel('exposure, as a number'), name = page.getByLabel('name of the profile')
  const row = page.locator('.profiles details', { hasText: 'hall 2' })
  await page.getByRole('button', { name: 'profiles', exact: true }).click()
  await name.fill('hall 2')
  const { shown } = /** @type {any} */ (await drawn(page))
  await until(page, 'renderings while a name is typed', (d) => /** @type {any} */ (d).shown > shown + 10)
  assert.equal(await name.inputValue(), 'hall 2', 'a name that is typed is lost')
  await page.locator('.profiles').getByRole('button', { name: 'save' }).click()
  await row.getByText('as the robot has it').waitFor()
  await control(page)
  await insist(page, 'another exposure', async () => {
    if (!await exposure.isEnabled()) return
    await exposure.fill('20')
    await exposure.press('Enter')
  }, () => row.getByText('1 parameter').count())
  await page.locator('.parameters h2').click() // the focus leaves the field: keys count again
  await row.locator('summary b').click()
  await row.getByText('exposure 20.0 → 10.0').waitFor()
  await insist(page, 'the values of the profile', () => press(row.getByRole('button', { name: 'load' })),
    () => row.getByText('as the robot has it').count())
  await page.getByRole('button', { name: 'profiles', exact: true }).click()
  await release(page)
}

/** The page looks back at the pictures that it showed, says where there is none, and returns. @param {Page} page */
async function looksBack(page) {
  await page.keyboard.press('b')
  await page.getByText('the past', { exact: true }).waitFor()
  await page.waitForFunction(() => !window.touchline.drawn().held) // an operator who looks back gives the control up
  for (let i = 0; !(picture(await drawn(page))?.pixels > 0); i++) { // a machine that stands still keeps none for a while
    assert.ok(i < 300, 'no picture was kept')
    await page.keyboard.press('ArrowLeft')
    await page.waitForTimeout(100)
  }
  await page.getByLabel('time of the recording').fill('0')
  await page.getByText('No picture at this time').waitFor()
  await page.keyboard.press('b')
  await page.getByText('online', { exact: true }).waitFor()
  await until(page, 'a picture of the present', (d) => picture(d)?.pixels > 0)
}

/** A hidden or frozen page sends no commands: the robot says that they stopped. @param {Page} page */
async function asleep(page) {
  await control(page)
  await says(page, `Driving robot ${ROBOT}`)
  await page.evaluate(() => { // commands of this page are lost from now on, as in a tab that the browser froze
    const { fetch } = window
    window.fetch = (to, more) => String(to).includes('robot-drive') ? new Promise(() => {}) : fetch(to, more)
  })
  await says(page, 'The commands stopped')
  await release(page)
}

/** @param {Tools} tools @param {string} dir */
async function recorded(tools, dir) {
  const file = join(dir, 's.mcap'), hash = `robot#${ROBOT}`
  await withProgram(tools, ['demo', '--http', '127.0.0.1:0', '--seed', '7', '--record', file, '--record-pictures', '20'], async (page) => {
    await page.locator('.sent').getByText('Recorded, 20 Hz').waitFor()
    for (let i = 0; i < 5; i++) await newer(page, 'jpeg')
  }, { hash })
  await withProgram(tools, ['replay', file, '--http', '127.0.0.1:0'], async (page) => {
    await until(page, 'a recorded picture with the horizon', (d) => picture(d)?.pixels === 208 && shapes(d).has('horizon'))
    await page.locator('.past').getByText('s.mcap').waitFor()
    assert.equal(await page.locator('.drive').count(), 0, 'a recording offers to drive')
    await page.keyboard.press(' ')
    await page.getByRole('button', { name: 'play', exact: true }).waitFor()
    const bar = page.getByLabel('time of the recording'), stopped = await bar.inputValue()
    await page.keyboard.press('ArrowLeft')
    await page.waitForFunction((t) => Number(document.querySelector('input[aria-label="time of the recording"]')?.value) < t,
      Number(stopped))
  }, { hash })
}

/** @param {Tools} tools */
const alone = (tools) => withProgram(tools, ['robot', '--alone', '--http', '127.0.0.1:0'], async (page, url) => {
  await page.locator(`.tile[data-number="${ROBOT}"] .own-page`).click() // the wall leads to it
  await page.waitForURL(`${url}robot#${ROBOT}`)
  const other = await tools.open(page.url())
  await other.addInitScript(() => Reflect.deleteProperty(window, 'ImageDecoder')) // as in a page from another computer
  await other.reload()
  await newer(other, 'jpeg')
  await comparison(other)
  await camera(page)
  await overlays(page)
  await regions(page)
  await comparison(page)
  await choices(page, other)
  await parameters(page, other)
  await patches(page)
  await colours(page)
  await cameraPose(page)
  await looksBack(page)
  await control(page)
  await driving(page, other)
  await asleep(page)
  await other.close()
})

/** @param {Tools} tools @param {string} dir */
const edited = (tools, dir) => withProgram(tools, ['robot', '--alone', '--http', '127.0.0.1:0', '--profiles', dir], async (page) => {
  await page.getByText('online', { exact: true }).waitFor()
  await machine(page)
  await profiles(page)
}, { hash: 'robot#1' })

/** @param {Tools} tools */
const followed = async (tools) => withProgram(tools, ['demo', '--http', '127.0.0.1:0', '--no-browser', '--group',
  `224.16.32.75:${await freePort()}`], editorFollows, { hash: 'robot#1' })

/** @param {Tools} tools @returns {[string, () => Promise<void>][]} */
export const manageProgramChecks = (tools) => [
  ['the editor of state machines follows the robot of the page', () => followed(tools)],
  ['pictures are recorded, and the replay shows them with what was drawn over them', () => inFolder((dir) => recorded(tools, dir))],
  ['a robot’s page: camera, parameters, driving, two operators, a page that sleeps', () => alone(tools)],
  ['a robot’s state machine is edited, checked, sent, fetched and rolled back; profiles', () => inFolder((dir) => edited(tools, dir))],
]
