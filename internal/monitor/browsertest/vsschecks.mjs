// The checks of the simulator's page. Positions are those that the page drew.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { all, count, drag, drawn, until } from './checks.mjs'
import { arriving } from './plotchecks.mjs'

/** @typedef {import('playwright-core').Page} Page
 * @typedef {import('./checks.mjs').Item & {team: string, theta: number}} Item
 * @typedef {{page: Page, client: import('node:dgram').Socket, vision: import('node:dgram').Socket}} Table
 * client sends commands, vision receives vision packets */

const FIELD = { length: 1.5, width: 1.3, beside: { x: 0.145, y: 0.035 } } // m: VSS 3v3, and the drawn margin

/** The robots, or the ball, in pixels of the canvas. @param {import('./checks.mjs').Drawn} d @param {string} glyph */
const glyphs = (d, glyph) => /** @type {Item[]} */ (all(d.pictures.field, glyph))

/** @param {import('./checks.mjs').Drawn} d @param {string} team @param {number} number */
const robot = (d, team, number) => glyphs(d, 'robot').find((r) => r.team === team && r.number === number)

/** The projection of the field. @param {Page} page */
async function scale(page) {
  const { w, h } = (await drawn(page)).pictures.field
  const s = Math.min(w / (FIELD.length + 2 * FIELD.beside.x), h / (FIELD.width + 2 * FIELD.beside.y))
  return {
    s, at: (/** @type {number} */ x, /** @type {number} */ y) => ({ x: w / 2 + x * s, y: h / 2 - y * s }),
    from: (/** @type {{x: number, y: number}} */ p) => ({ x: (p.x - w / 2) / s, y: (h / 2 - p.y) / s }),
  }
}

/** @param {{x: number, y: number} | undefined} a @param {{x: number, y: number}} b */
const near = (a, b) => !!a && Math.hypot(a.x - b.x, a.y - b.y) < 5

/** Drags something, and waits for the server's answer and newer data.
 * @param {Page} page @param {{x: number, y: number} | undefined} from @param {{x: number, y: number}} to
 * @param {() => Promise<unknown>} [look] */
async function put(page, from, to, look) {
  assert(from)
  const answered = page.waitForResponse((r) => r.url().includes('/api/command/'))
  await drag(page, from, to, look)
  assert.equal((await answered).status(), 204)
  const { time } = await drawn(page)
  await until(page, 'newer data', (d) => d.time > time + 0.05)
}

/** @param {Page} page */
const goals = async (page) => (await page.locator('.goals').allTextContents()).map(Number)

/** @param {Table} t */
async function field({ page, vision }) {
  await page.locator('.vss-field').waitFor()
  await until(page, 'six robots and a ball', (d) => glyphs(d, 'robot').filter((r) => r.style === 'true').length === 6
    && glyphs(d, 'ball').length === 1)
  assert.deepEqual(await goals(page), [0, 0])
  await until(page, 'numbers beside the robots', (d) => glyphs(d, 'number').every((n) => {
    const r = robot(d, n.team, n.number)
    return r && Math.hypot(n.x - r.x, n.y - r.y) > 0.5 * /** @type {any} */ (r).d
  }) && glyphs(d, 'number').length === 6)
  const { time } = await drawn(page)
  await until(page, 'a running clock', (d) => d.time > time)
  await new Promise((ok) => vision.once('message', ok))
  await count(page, '[data-robot]', 6)
}

/** @param {Table} t */
async function moveRobot({ page }) {
  const { at } = await scale(page)
  const to = at(-0.3, 0.4)
  await put(page, robot(await drawn(page), 'blue', 0), to)
  await until(page, 'blue 0 at its new place', (d) => near(robot(d, 'blue', 0), to))
  await page.keyboard.down('Shift')
  await put(page, to, at(-0.3, 0.55))
  await page.keyboard.up('Shift')
  await until(page, 'blue 0 facing the pointer',
    (d) => Math.abs((robot(d, 'blue', 0)?.theta ?? 0) - Math.PI / 2) < 0.05)
  await page.mouse.wheel(0, 100)
  await page.locator('.reading').getByText('blue 0').waitFor({ state: 'detached' }) // the pointer is beside it: nothing turns
  const box = await page.locator('.vss-field canvas').boundingBox()
  assert(box)
  await page.mouse.move(box.x + to.x, box.y + to.y)
  await page.mouse.wheel(0, 100)
  await until(page, 'blue 0 turned by 15°',
    (d) => Math.abs((robot(d, 'blue', 0)?.theta ?? 0) - Math.PI * 5 / 12) < 0.05)
}

/** @param {Table} t */
async function moveBall({ page }) {
  const { at } = await scale(page)
  const [was] = glyphs(await drawn(page), 'ball'), spot = at(-0.4, -0.4)
  await page.keyboard.down('Alt')
  await put(page, was, spot)
  await page.keyboard.up('Alt')
  await until(page, 'the ball at its new place', (d) => near(glyphs(d, 'ball')[0], spot))
  await put(page, spot, at(0, -0.4), () => until(page, 'an arrow with its speed',
    (d) => glyphs(d, 'kick').some((k) => k.speed > 0.7 && k.speed < 0.9)))
  await until(page, 'the ball rolling along the arrow', (d) => {
    const [ball] = glyphs(d, 'ball')
    return ball.x > spot.x + 40 && Math.abs(ball.y - spot.y) < 10
  })
}

/** @param {Table} t */
async function switching({ page }) {
  const row = page.locator('[data-robot="yellow 1"]')
  const is = (/** @type {string} */ style) => until(page, `yellow 1 is drawn ${style}`,
    (d) => robot(d, 'yellow', 1)?.style === style)
  await row.getByRole('switch').click()
  await is('off')
  assert.equal(await row.getAttribute('data-on'), 'false')
  await page.keyboard.press('o')
  await page.getByText('switch off or on').waitFor()
  await page.keyboard.press('Shift+Digit1')
  await is('true')
  const { at } = await scale(page), to = at(0.4, 0.45)
  await put(page, robot(await drawn(page), 'yellow', 1), at(0.82, -0.4))
  await is('off')
  await put(page, robot(await drawn(page), 'yellow', 1), to)
  await until(page, 'yellow 1 at its new place', (d) => robot(d, 'yellow', 1)?.style === 'true'
    && near(robot(d, 'yellow', 1), to))
}

/** @param {Table} t */
async function pausing({ page }) {
  const paused = page.getByText('paused', { exact: true })
  await page.keyboard.press('Space')
  await paused.waitFor()
  const { time } = await drawn(page)
  await page.keyboard.press('.')
  await until(page, 'one tick', (d) => Math.abs(d.time - time - 0.016) < 1e-6)
  await page.getByRole('button', { name: 'step' }).click()
  await until(page, 'another', (d) => Math.abs(d.time - time - 0.032) < 1e-6)
  await page.getByRole('button', { name: 'resume' }).click()
  await paused.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'pause' }).click()
  await paused.waitFor()
  await page.keyboard.press('Space')
  await until(page, 'a running clock', (d) => d.time > time + 0.1)
}

/** @param {Table} t */
async function speeds({ page }) {
  const pressed = (/** @type {string} */ name) =>
    page.locator(`[aria-label="speed ${name}"][aria-pressed=true]`).waitFor()
  await page.getByRole('button', { name: 'speed 2' }).click()
  await pressed('2')
  await page.keyboard.press('+')
  await pressed('max')
  await page.waitForFunction(() => /^[\d,]+(\.\d)? ×/.test(document.querySelector('.time span')?.textContent ?? '')
    && parseFloat((document.querySelector('.time span')?.textContent ?? '').replace(',', '')) > 5)
  await page.keyboard.press('-')
  await pressed('2')
  await page.keyboard.press('-')
  await pressed('1')
  await page.getByRole('button', { name: 'speed ½' }).click()
  await pressed('½')
  await page.keyboard.press('+')
  await pressed('1')
}

/** A Packet with one Command: its fields by hand, as FIRASim's messages have them. @param {number} id
 * @param {boolean} yellow @param {number} left @param {number} right rad/s */
function packet(id, yellow, left, right) {
  const double = (/** @type {number} */ v) => [...new Uint8Array(new Float64Array([v]).buffer)]
  const command = [...(id ? [0x08, id] : []), ...(yellow ? [0x10, 1] : []), 0x31, ...double(left), 0x39,
    ...double(right)] // 1, 2, 6, 7
  const commands = [0x0a, command.length, ...command] // Commands.robot_commands
  return Uint8Array.from([0x0a, commands.length, ...commands]) // Packet.cmd
}

/** @param {Table} t */
async function clients({ page, client }) {
  const port = Number(/:(\d+)$/.exec(await page.locator('.vss-traffic dd').first().textContent() ?? '')?.[1])
  const send = (/** @type {Uint8Array} */ bytes) => client.send(bytes, port, '127.0.0.1')
  const sending = setInterval(() => send(packet(2, true, 1.5, -1.5)), 16)
  try {
    await page.waitForFunction((me) => {
      const [, left, right, age, from] = [...document.querySelectorAll('[data-robot="yellow 2"] td')].map((c) =>
        c.textContent ?? '')
      const row = [...document.querySelectorAll('.vss-traffic tr')].find((r) => r.textContent?.includes(me))
      return left === '1.5' && right === '−1.5' && /^\d+ ms$/.test(age) && from === me
        && row?.textContent?.includes('Y2') && parseFloat(row.lastElementChild?.textContent ?? '') > 20
    }, `127.0.0.1:${client.address().port}`)
    const me = `127.0.0.1:${client.address().port}`
    await page.getByRole('button', { name: me }).click()
    const drawer = page.getByRole('complementary', { name: `Last packet from ${me}` })
    await drawer.locator('[data-field="cmd.robot_commands[0].wheel_right"]', { hasText: '-1.5' }).waitFor()
    await drawer.getByText('no issues').waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
  } finally {
    clearInterval(sending)
  }
  await page.locator('[data-robot="yellow 2"] td.bad').waitFor() // a second without a command
  send(packet(2, true, 0, 0))
  send(packet(7, false, 1, 1))
  await page.locator('.refused').waitFor()
}

/** @param {Table} t */
async function lastPacket({ page, client }) {
  const port = Number(/:(\d+)$/.exec(await page.locator('.vss-traffic dd').first().textContent() ?? '')?.[1])
  const sending = setInterval(() => client.send(packet(2, true, 1.5, -1.5), port, '127.0.0.1'), 16)
  try {
    await page.locator('.vss-traffic tr').filter({ hasText: `:${client.address().port}` }).getByRole('button').click()
    const wheel = page.locator('.drawer [data-field="cmd.robot_commands[0].wheel_right"]')
    await wheel.filter({ hasText: '-1.5' }).waitFor()
    await count(page, '.drawer .hex span', 26)
    await wheel.hover()
    await count(page, '.drawer .hex .eye', 9) // the bytes of wheel_right
    await page.keyboard.press('Escape')
    await page.locator('.drawer').waitFor({ state: 'detached' })
  } finally {
    clearInterval(sending)
  }
}

/** @param {Table} t */
async function scoring({ page }) {
  const { at } = await scale(page)
  const [ball] = glyphs(await drawn(page), 'ball'), spot = at(0.5, 0.13)
  await page.keyboard.down('Alt')
  await put(page, ball, spot)
  await page.keyboard.up('Alt')
  await until(page, 'the ball in front of the goal', (d) => near(glyphs(d, 'ball')[0], spot))
  await put(page, spot, at(1, 0.13))
  await page.waitForFunction(() => document.querySelector('.goals')?.textContent === '1')
  assert.deepEqual(await goals(page), [1, 0])
  await page.locator('.vss-marks [data-kind=goal]').waitFor()
}

/** @param {Table} t */
async function resetting({ page }) {
  for (const press of [() => page.keyboard.press('r'), () => page.getByRole('button', { name: 'reset' }).click()]) {
    const { at } = await scale(page)
    await put(page, robot(await drawn(page), 'blue', 0), at(-0.3, -0.4))
    await until(page, 'blue 0 at its new place', (d) => near(robot(d, 'blue', 0), at(-0.3, -0.4)))
    await press()
    await until(page, 'blue 0 at its starting position', (d) => near(robot(d, 'blue', 0), at(0.25, 0)))
    await page.waitForFunction(() => document.querySelector('.goals')?.textContent === '0')
  }
}

/** @param {Table} t */
async function keys({ page }) {
  const canvas = page.locator('.vss-field canvas')
  await page.keyboard.press('c')
  await until(page, 'the ball in the centre',
    (d) => near(glyphs(d, 'ball')[0], { x: d.pictures.field.w / 2, y: d.pictures.field.h / 2 }))
  await canvas.focus()
  await page.keyboard.press(']') // blue 0
  await until(page, 'a ring around blue 0',
    (d) => glyphs(d, 'selection').some((c) => c.kind === 'blue' && near(robot(d, 'blue', 0), c)))
  const { s } = await scale(page), from = robot(await drawn(page), 'blue', 0)
  assert(from)
  await page.keyboard.press('ArrowUp')
  await until(page, 'blue 0 moved by 5 cm', (d) => near(robot(d, 'blue', 0), { x: from.x, y: from.y - 0.05 * s }))
  await page.keyboard.press('o')
  await until(page, 'blue 0 off', (d) => robot(d, 'blue', 0)?.style === 'off')
  await page.keyboard.press('o')
  await until(page, 'blue 0 on', (d) => robot(d, 'blue', 0)?.style === 'true')
  await canvas.evaluate((c) => c.blur())
  await page.keyboard.press('?')
  await page.getByRole('dialog').getByText('one tick of 16 ms').waitFor()
  await page.keyboard.press('Space') // the dialog's button
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  assert.equal(await page.getByText('paused', { exact: true }).count(), 0)
}

/** @param {Table} t */
async function sizes({ page }) {
  for (const [width, height, scrolls] of /** @type {[number, number, boolean][]} */ ([[1920, 1080, false],
    [1600, 900, false], [1024, 768, true], [390, 844, true]])) {
    await page.setViewportSize({ width, height })
    await page.waitForFunction((scrolls) => document.documentElement.scrollWidth <= innerWidth
      && (scrolls || document.documentElement.scrollHeight <= innerHeight) &&
      [...document.querySelectorAll('.panel')].every((p) => p.clientHeight > 60
        && p.scrollHeight <= p.clientHeight + 1), scrolls)
  }
  await page.setViewportSize({ width: 1600, height: 900 })
  await until(page, 'the field at its large size', (d) => d.pictures.field.h > 700)
}

/** The plot of a robot's wheels has its command and their speed. @param {Table} t */
async function wheels({ page, client }) {
  const port = Number(/:(\d+)$/.exec(await page.locator('.vss-traffic dd').first().textContent() ?? '')?.[1])
  await page.keyboard.press('r')
  const plot = page.getByRole('complementary', { name: 'Wheels of yellow 0' })
  await page.getByRole('button', { name: 'plot the wheels of yellow 0' }).click()
  await plot.waitFor()
  assert.match(page.url(), /wheels=yellow%2F0|wheels=yellow\/0/, 'the plot is not in the address')
  const wheel = (/** @type {import('./checks.mjs').Drawn} */ d, /** @type {string} */ which) =>
    /** @type {any} */ (all(d.pictures.wheels, 'wheel').find((w) => w.text === which))
  const sending = setInterval(() => client.send(packet(0, true, 12, -12), port, '127.0.0.1'), 16)
  try {
    await until(page, 'wheels that follow their command', (d) => wheel(d, 'left')?.commanded === 12
      && wheel(d, 'right')?.commanded === -12 && wheel(d, 'left').actual > 10 && wheel(d, 'right').actual < -10)
  } finally {
    clearInterval(sending)
  }
  await page.keyboard.press('w')
  await page.getByRole('complementary', { name: 'Wheels of yellow 1' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.drawer.wheels').waitFor({ state: 'detached' })
  client.send(packet(0, true, 0, 0), port, '127.0.0.1')
  await page.keyboard.press('r')
}

/** The page's own program drives a robot as it stands. @param {Table} t */
async function connecting({ page }) {
  await page.keyboard.press('n')
  assert.match(page.url(), /show=connect/, 'the drawer is not in the address')
  const program = await page.locator('.connect pre').innerText()
  const python = spawn('python3', ['-c', program], { stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    const row = page.locator('[data-robot="blue 0"]')
    await row.filter({ hasText: '−10.0' }).filter({ hasText: '10.0' }).waitFor()
    const { theta = 0 } = robot(await drawn(page), 'blue', 0) ?? {}
    await until(page, 'blue 0 turning', (d) => Math.abs((robot(d, 'blue', 0)?.theta ?? theta) - theta) > 0.5)
  } finally {
    const ended = once(python, 'exit')
    python.kill()
    await ended
  }
  await page.keyboard.press('Escape')
  await page.locator('.connect').waitFor({ state: 'detached' })
  await page.keyboard.press('r')
}

/** @type {[string, (t: Table) => Promise<void>][]} */
export const vssChecks = [
  ['the simulator’s field and vision', field],
  ['dragging moves and turns a robot', moveRobot],
  ['dragging places and kicks the ball', moveBall],
  ['a robot goes off and on', switching],
  ['pause and step', pausing],
  ['speeds', speeds],
  ['a client’s commands, their age and rate', clients],
  ['a client’s last packet, field by field', lastPacket],
  ['a goal counts', scoring],
  ['reset', resetting],
  ['the keys of the field', keys],
  ['nothing scrolls beside the field', sizes],
  ['a robot’s wheels, commanded and actual', wheels],
  ['the page’s own program connects', connecting],
  ['a number that the page keeps over time', ({ page }) => arriving(page)],
]

/** The page of the log that the simulator writes shows an earlier time of the game, and its events on the timeline.
 * @param {Page} page of a simulator that records to game.mcap */
export async function vssLog(page) {
  await until(page, 'three seconds', (d) => d.time > 3)
  await page.keyboard.press('r')
  await page.goto(new URL('log#game.mcap&t=0:01', page.url()).href)
  await until(page, 'robots of the log', (d) => all(d.pictures.log, 'robot').length === 6)
  await page.getByLabel('Robots').getByText('B0').waitFor()
  const end = page.locator('.transport [aria-label=time]')
  const was = / of (\d\d:\d\d)/.exec(await end.innerText())?.[1]
  assert(was)
  await end.filter({ hasNotText: ` of ${was}` }).waitFor() // the log grows
  await until(page, 'events on the timeline', (d) => all(d.pictures.timeline, 'now').some((now) => now.samples))
}

/** Takes a picture of a match between the built-in teams. @param {Page} page @param {string} dir */
export async function vssAlbum(page, dir) {
  await until(page, '25 seconds of a match', (d) => d.time > 25)
  await page.locator('.referee b', { hasText: 'game on' }).waitFor()
  const { time } = await drawn(page)
  await until(page, 'play', (d) => d.time > time + 2)
  await page.mouse.move(2, 400)
  await page.locator('.time .warn').waitFor({ state: 'detached' }) // while this machine is too slow
  await page.screenshot({ path: `${dir}/firasim.png` })
}
