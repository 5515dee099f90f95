// The checks of the wall. Positions are those that the page drew (window.touchline.drawn), not those that it received.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** @typedef {import('playwright-core').Page} Page
 * @typedef {{glyph: string, x: number, y: number, number: number, style: string, text: string, kind: string, speed:
 * number, samples: number}} Item
 * @typedef {{w: number, h: number, items: Item[]}} Canvas
 * @typedef {{frame: string, theme: string, time: number, run: string, pictures: Record<string, Canvas>}} Drawn */

const FIELD = { w: 18 + 2 * 0.7, h: 12 + 2 * 0.7 } // m: the part of the field that a canvas shows, x to the right

const PATIENCE = 30_000 // ms for a wait; far more than any needs

const own = '.tile[data-tile]:not([data-real])' // the session's monitors, without those of real robots

/** @param {Page} page @returns {Promise<Drawn>} */
export const drawn = (page) => page.evaluate(() => /** @type {any} */ (window).touchline.drawn())

/** Waits until f is true of what the page drew, checked once a frame.
 * @param {Page} page @param {string} what @param {(d: Drawn) => unknown} f @param {number} [patience] ms */
export async function until(page, what, f, patience = PATIENCE) {
  for (const end = Date.now() + patience; Date.now() < end;) {
    if (f(await drawn(page))) return
    await page.evaluate(() => new Promise(requestAnimationFrame))
  }
  throw new Error('not in time: ' + what)
}

/** Waits until the page has n elements that match. @param {Page} page @param {string} selector @param {number} n */
export async function count(page, selector, n) {
  const elements = page.locator(selector)
  let found = 0
  for (const end = Date.now() + PATIENCE; Date.now() < end; await page.waitForTimeout(50)) {
    found = await elements.count()
    if (found === n) return
  }
  throw new Error(`${found} elements match ${selector}, not ${n}`)
}

/** The page that a check opens: the wall of a session, not the choice of what to look at. @param {string[]} args */
const firstPage = (args) => args[0] === 'demo' && !args.includes('--match') && !args.includes('--story') ? 'wall' : ''

/** Starts a program, opens its page for a check, and ends both.
 * @param {import('./sessionchecks.mjs').Tools} tools @param {string[]} args
 * @param {(page: Page, url: string) => Promise<unknown>} check
 * @param {{hash?: string, cwd?: string, lab?: boolean}} [where] hash: of the page's address; lab: the program is touchline-lab */
export async function withProgram(tools, args, check, { hash = firstPage(args), cwd, lab } = {}) {
  const { program, url } = await (lab ? tools.lab(args) : tools.launch(args, cwd))
  try {
    const page = await tools.open(url + hash)
    try {
      await check(page, url)
    } finally {
      await page.close() // before its program ends: an open page would report a lost connection as an error
    }
  } finally {
    await tools.stop(program)
  }
}

/** Each page has one heading, the title "PAGE - touchline" or "PAGE: OF - touchline", and its keys in groups.
 * @param {Page} page @param {RegExp} title */
export async function dressed(page, title) {
  await page.waitForFunction((title) => new RegExp(title).test(document.title), `^${title.source} - touchline$`)
  assert.equal(await page.locator('h1').count(), 1, `headings of the page "${await page.title()}"`)
  await page.locator('body').press('?')
  const groups = page.locator('dialog[open] section')
  await groups.getByText('Every page', { exact: true }).waitFor()
  for (const rows of await groups.evaluateAll((all) => all.map((s) => s.querySelectorAll('tr').length))) {
    assert.ok(rows > 0 && rows <= 13, `a group of ${rows} keys on the page "${await page.title()}"`)
  }
  await page.keyboard.press('Escape')
  await page.locator('dialog[open]').waitFor({ state: 'detached' })
}

/** Runs a check in a temporary folder. @param {(dir: string) => Promise<unknown>} check */
export async function inFolder(check) {
  const dir = await mkdtemp(join(tmpdir(), 'touchline-'))
  try {
    await check(dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** @param {Page} page */
async function monitors(page) {
  return page.locator(own).evaluateAll((tiles) => tiles.map((t) => ({
    key: t.getAttribute('data-tile') ?? '', number: Number(t.getAttribute('data-number')),
      state: t.getAttribute('data-state'),
  })))
}

/** A point of the large field on the page. @param {Page} page @param {{x: number, y: number}} p */
async function onTruth(page, p) {
  const box = await page.locator('.truth canvas').boundingBox()
  assert(box)
  return { x: box.x + p.x, y: box.y + p.y }
}

/** Drags from one point of the large field to another, and calls look before the drop.
 * @param {Page} page @param {{x: number, y: number}} from @param {{x: number, y: number}} to
 * @param {() => Promise<unknown>} [look] */
export async function drag(page, from, to, look) {
  const a = await onTruth(page, from), b = await onTruth(page, to)
  await page.mouse.move(a.x, a.y)
  await page.mouse.down()
  await page.mouse.move(b.x, b.y, { steps: 4 })
  try {
    await look?.()
  } finally {
    await page.mouse.up()
  }
}

/** @param {Canvas | undefined} c @param {string} glyph */
export const all = (c, glyph) => c?.items.filter((i) => i.glyph === glyph) ?? []

/** Repeats a check if the session has substituted the robot meanwhile.
 * @param {Page} page @param {(tile: {key: string, number: number}) => Promise<void>} check */
export async function withRobot(page, check) {
  for (let left = 2; ; left--) {
    const tile = (await monitors(page)).find((t) => t.state === 'live')
    assert(tile, 'no live monitor')
    try {
      return await check(tile)
    } catch (e) {
      await page.keyboard.press('w') // the check may have left the wall
      await page.locator(own).first().waitFor()
      const now = (await monitors(page)).find((t) => t.key === tile.key)
      if (!left || now?.number === tile.number) throw e
    }
  }
}

/** @param {Page} page */
async function live(page) {
  await page.waitForFunction((own) => document.querySelectorAll(own + '[data-state=live]').length >= 5, own)
  const tiles = await monitors(page)
  assert(tiles.length >= 5 && tiles.length <= 6, `${tiles.length} monitors`)
  await until(page, 'a robot, a ball and obstacles on every monitor', (d) => tiles.every(({ key }) => {
    const items = d.pictures['tile ' + key]?.items ?? []
    return items.some((i) => i.style === 'self')
      && ['ball', 'uncertainty', 'obstacle'].every((g) => items.some((i) => i.glyph === g))
  }))
  const d = await drawn(page)
  assert.equal(all(d.pictures.truth, 'robot').length, 5)
  assert.equal(all(d.pictures.truth, 'obstacle').length, 4)
  assert.equal(all(d.pictures.truth, 'ball').length, 1)
}

/** @param {Page} page */
async function moving(page) {
  const keys = (await monitors(page)).map((t) => 'tile ' + t.key)
  const before = await drawn(page)
  const balls = Object.fromEntries([...keys,
    'truth'].map((k) => [k, before.pictures[k]?.items.find((i) => i.glyph === 'ball')]))
  await page.keyboard.press('k')
  await until(page, 'a moving ball on every monitor', (d) => Object.entries(balls).every(([name, was]) => {
    const is = d.pictures[name]?.items.find((i) => i.glyph === 'ball')
    return is && (!was || Math.hypot(is.x - was.x, is.y - was.y) > 8)
  }))
  await until(page, 'the kick and a growing history on the strip', (d) => {
    const items = d.pictures.strip.items
    return items.some((i) => i.kind === 'kick') && items.some((i) => i.samples > 30)
  })
}

/** Pauses or resumes the session. @param {Page} page @param {boolean} paused the state afterwards */
async function pause(page, paused) {
  await page.keyboard.press('Space')
  await page.getByText('paused', { exact: true }).waitFor({ state: paused ? 'visible' : 'detached' })
}

/** Kicks the ball while the session is paused. If a kick-in interferes when it resumes, the check is repeated.
 * @param {Page} page */
async function kick(page) {
  for (let left = 2; ; left--) {
    await pause(page, true)
    const { truth } = (await drawn(page)).pictures
    const [ball] = all(truth, 'ball')
    // Towards the centre, so that there is room to roll.
    const way = { x: truth.w / 2 - ball.x, y: truth.h / 2 - ball.y }
    const length = Math.hypot(way.x, way.y) || 1
    const to = { x: ball.x + (way.x || 1) / length * 120, y: ball.y + way.y / length * 120 }
    await drag(page, ball, to, () => until(page, 'an arrow with its speed',
      (d) => d.pictures.truth.items.some((i) => i.glyph === 'kick' && i.speed > 3 && i.speed <= 10)))
    await pause(page, false)
    try {
      return await until(page, 'the ball rolling along the arrow', (d) => {
        const [is] = all(d.pictures.truth, 'ball')
        const along = ((is.x - ball.x) * way.x + (is.y - ball.y) * way.y) / length
        return along > 40 && !all(d.pictures.truth, 'kick').length
      }, left ? 5_000 : PATIENCE)
    } catch (e) {
      if (!left) throw e
    }
  }
}

/** @param {Page} page */
async function moveThings(page) {
  for (const glyph of ['obstacle', 'robot']) {
    const { truth } = (await drawn(page)).pictures
    const things = truth.items.filter((i) => ['obstacle', 'robot', 'ball'].includes(i.glyph))
    const index = all(truth, glyph).findIndex((t) =>
      things.every((o) => o === t || Math.hypot(o.x - t.x, o.y - t.y) > 50))
    const thing = all(truth, glyph)[index]
    assert(thing, `no ${glyph} with enough distance to everything else`)
    // A free place inside the field.
    const free = [...Array(40)].map((_, i) => ({ x: truth.w * (0.2 + 0.6 * (i % 8) / 7),
      y: truth.h * (0.2 + 0.6 * Math.floor(i / 8) / 4) }))
      .find((p) => things.every((o) => Math.hypot(o.x - p.x, o.y - p.y) > 60))
    assert(free, 'no free place')
    const answered = page.waitForResponse((r) => r.url().includes('/api/command/move-'))
    await drag(page, thing, free)
    assert.equal((await answered).status(), 204)
    const { time } = await drawn(page)
    await until(page, `the ${glyph} at its new place`, (d) => {
      const is = all(d.pictures.truth, glyph)[index]
      return d.time > time + 0.1 && is && Math.hypot(is.x - free.x, is.y - free.y) < 4
    })
  }
}

/** @param {Page} page */
async function switching(page) {
  await withRobot(page, async ({ key, number }) => {
    await page.keyboard.press('o')
    await page.getByText('press the robot’s number').waitFor()
    await page.keyboard.press(String(number))
    const tile = page.locator(`[data-tile="${key}"]`)
    await page.waitForFunction((key) =>
      document.querySelector(`[data-tile="${key}"]`)?.getAttribute('data-state') === 'off', key)
    await tile.getByText('switched off').waitFor()
    await until(page, 'no belief, and a hollow robot', (d) => !all(d.pictures['tile ' + key], 'ball').length &&
      d.pictures.truth.items.some((i) => i.number === number && i.style === 'off'))
    await tile.hover()
    await tile.getByRole('button', { name: 'switch on' }).click()
    await until(page, 'the belief again', (d) => all(d.pictures['tile ' + key], 'ball').length &&
      d.pictures['tile ' + key].items.some((i) => i.style === 'self' && i.number === number))
  })
}

/** @param {Page} page */
async function substitution(page) {
  await withRobot(page, async ({ key, number }) => {
    const substitute = Number((await page.locator('.reading').textContent())?.match(/\d+/)?.[0])
    await page.keyboard.press('s')
    await page.keyboard.press(String(number))
    await until(page, `a monitor of ${substitute} in the place of ${number}`, (d) =>
      d.pictures['tile ' + key].items.some((i) => i.style === 'self' && i.number === substitute))
    const marks = all((await drawn(page)).pictures.strip, 'mark')
    assert(marks.some((m) => m.kind === 'substitute'), 'no mark of the substitution on the strip')
    await page.getByText(`${number} `).first().waitFor()
  })
}

/** @param {Page} page */
async function packets(page) {
  const tile = (await monitors(page)).find((t) => t.state === 'live')
  assert(tile, 'no live monitor')
  await page.keyboard.press(String(tile.number))
  const drawer = page.locator('.drawer')
  await drawer.locator('.hex span').first().waitFor()
  const folds = await drawer.locator('.folded').allTextContents()
  assert(folds.some((f) => /unused, bytes \d+ to \d+/.test(f)), `got ${folds}, want folded records`)
  const x = drawer.locator('[data-field="self-loc.x"]')
  await x.hover() // the packet stays still
  const raw = Number(await x.locator('b').textContent())
  assert.equal((await x.locator('i').textContent())?.replace('−', '-'), `${(raw / 1000).toFixed(2)} m`)
  await drawer.locator('.folded button').first().click()
  await x.hover()
  const { bytes, fields } = await drawer.evaluate((d) => ({
    bytes: [...d.querySelectorAll('.hex span')].map((s) => parseInt(s.textContent ?? '', 16)),
    fields: [...d.querySelectorAll('.records [data-field]')].map((b) => ({ name: b.getAttribute('data-field') ?? '',
      value: b.querySelector('b')?.textContent ?? '', title: b.getAttribute('title') ?? '' })),
  }))
  assert.equal(bytes.length, 169)
  assert.equal(bytes[0], 123)
  assert.equal(bytes[1], 2)
  const covered = fields.map((f) => /byte (\d+)(?: to (\d+))?/.exec(f.title) ?? []).reduce((n, [, from, to]) =>
    n + (to ? +to - +from + 1 : 1), 0)
  assert.equal(covered, 169, 'bytes covered by fields')
  const view = new DataView(new Uint8Array(bytes).buffer)
  let compared = 0
  for (const f of fields) {
    const offset = Number(/byte (\d+)/.exec(f.title)?.[1])
    const wide = / to /.test(f.title.split(':')[0])
    const unused = f.value === '–'
    if (/\.(x|y|z|vx|vy|vz|theta|vtheta)$/.test(f.name)) {
      assert.equal(view.getInt16(offset, true), unused ? -32768 : Number(f.value), f.name)
    } else if (f.name === 'timestamp') assert.equal(view.getUint32(offset, true), Number(f.value), f.name)
    else if (!wide) assert.equal(view.getUint8(offset), unused ? 0 : Number(f.value.split(' ')[0]), f.name)
    compared++
  }
  assert(compared >= 90, `only ${compared} fields`)
  const lit = () => drawer.locator('.hex .eye').evaluateAll((s) => s.map((x) => Number(x.getAttribute('data-byte'))))
  assert.deepEqual(await lit(), [156, 157], 'highlighted bytes of self-loc.x')
  await drawer.locator('.hex [data-byte="3"]').hover()
  assert.equal(await drawer.locator('.records .eye').getAttribute('data-field'), 'timestamp',
    'highlighted field of byte 3')
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
}

/** @param {Page} page */
async function network(page) {
  await page.waitForFunction(() => document.querySelectorAll('.net tbody tr').length >= 5)
  await page.keyboard.press('n')
  await page.locator('.full tbody tr').nth(4).waitFor()
  await page.waitForFunction(() => {
    const steady = [...document.querySelectorAll('.full tbody tr')].filter((r) => {
      const cells = [...r.querySelectorAll('td')].map((c) => c.textContent ?? '')
      return parseFloat(cells[2]) > 9.5 && parseFloat(cells[2]) < 31 && cells[10] === 'v2'
    })
    return steady.length >= 5
  })
  await until(page, 'the rates', (d) => Object.entries(d.pictures).filter(([name, c]) => name.startsWith('rate ')
    && c.items.some((i) => i.samples > 3)).length >= 5)
  await page.getByText('of 2.2 Mbit/s').first().waitFor()
  await page.keyboard.press('w')
  await page.locator('.truth').waitFor()
}

/** @param {Page} page */
async function frames(page) {
  await until(page, 'the robots', (d) => all(d.pictures.truth, 'robot').length === 5)
  const before = await drawn(page)
  assert.equal(before.frame, 'x')
  await page.keyboard.press('f')
  await page.getByText('Y points to goal').waitFor()
  // A robot at (x, y) is drawn at X = -y, Y = x.
  const scale = Math.min(before.pictures.truth.w / FIELD.w, before.pictures.truth.h / FIELD.h)
  const expected = all(before.pictures.truth,
    'robot').map((r) => ({ number: r.number, x: (r.x - before.pictures.truth.w / 2) / scale,
    y: (before.pictures.truth.h / 2 - r.y) / scale }))
  await until(page, 'the robots turned by 90 degrees', (d) => {
    const c = d.pictures.truth, s = Math.min(c.w / FIELD.h, c.h / FIELD.w)
    return d.frame === 'msl' && expected.filter((r) => {
      const is = all(c, 'robot').find((i) => i.number === r.number)
      return is && Math.hypot((is.x - c.w / 2) / s + r.y, (c.h / 2 - is.y) / s - r.x) < 0.05
    }).length >= 4 // the session may substitute one meanwhile
  })
  await page.keyboard.press('f')
  await page.getByText('x points to goal').waitFor()
}

/** @param {Page} page */
async function keys(page) {
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  assert.deepEqual(await page.getByRole('dialog').evaluate((d) => [d.scrollTop, d.scrollHeight > d.clientHeight]),
    [0, true], 'the list of keys, longer than the window, opens at its top')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.evaluate(() => new Promise((ok) => requestAnimationFrame(() => requestAnimationFrame(ok)))) // its close event
  await page.keyboard.press('Space')
  await page.getByText('paused', { exact: true }).waitFor()
  const { time } = await drawn(page)
  const clock = await page.locator('.clock').textContent()
  await page.keyboard.press('Space')
  await page.getByText('paused', { exact: true }).waitFor({ state: 'detached' })
  await until(page, 'a running clock', (d) => d.time > time)
  assert.match(clock ?? '', /^\d\d:\d\d$/)
  await page.keyboard.press('9')
  await page.getByText('no robot 9 on the wall').waitFor()
}

/** @param {Page} page */
async function sizes(page) {
  for (const [width, height, scrolls] of /** @type {[number, number, boolean][]} */ ([[1920, 1080, false],
    [1600, 900, false], [1024, 768, true], [390, 844, true]])) {
    await page.setViewportSize({ width, height })
    await page.waitForFunction((scrolls) => document.documentElement.scrollWidth <= innerWidth
      && (scrolls || document.documentElement.scrollHeight <= innerHeight) &&
      [...document.querySelectorAll('canvas')].every((c) => c.clientWidth > 150 && c.clientHeight > 40), scrolls)
  }
  await page.setViewportSize({ width: 1600, height: 900 })
  await until(page, 'the wall at its large size', (d) => d.pictures.truth.w > 500 && d.pictures.truth.items.length > 5)
  await page.emulateMedia({ colorScheme: 'dark' })
  await until(page, 'dark', (d) => d.theme === 'dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await until(page, 'light', (d) => d.theme === 'light')
}

/** @type {[string, (page: Page) => Promise<void>][]} */
export const checks = [
  ['five live monitors, each with its own ball', live],
  ['the drawings move', moving],
  ['dragging the ball kicks it', kick],
  ['dragging moves an obstacle and a robot', moveThings],
  ['a robot goes off and on', switching],
  ['a robot is substituted', substitution],
  ['packets: fields beside bytes', packets],
  ['the network’s rows', network],
  ['the field turns to MSL and back', frames],
  ['keys', keys],
  ['nothing scrolls, light and dark', sizes],
]

/** Takes pictures of a session after 28 seconds. @param {Page} page @param {string} dir */
export async function album(page, dir) {
  const take = (/** @type {string} */ name) => page.screenshot({ path: `${dir}/${name}.png` })
  await until(page, '28 seconds of a session', (d) => d.time > 28)
  await page.mouse.move(2, 400)
  await page.evaluate(() => /** @type {HTMLElement | null} */ (document.activeElement)?.blur())
  await page.locator('.toast').waitFor({ state: 'detached' })
  await take('wall-light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await until(page, 'dark', (d) => d.theme === 'dark')
  await take('wall-dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await page.keyboard.press('n')
  await page.locator('.charts canvas').nth(5).waitFor()
  await until(page, 'the rates', (d) => Object.entries(d.pictures).filter(([name]) =>
    name.startsWith('rate ')).every(([, c]) => c.items.length))
  await take('network')
  await page.keyboard.press('w')
  const tile = (await monitors(page)).find((t) => t.state === 'live')
  assert(tile, 'no live monitor')
  await page.keyboard.press(String(tile.number))
  await page.locator('[data-field="obstacles[0].x"]').hover()
  await take('packet')
  await page.keyboard.press('Escape')
}

/** Stops the server: the page reports it. Starts it again: the page is live again.
 * @param {Page} page @param {() => Promise<() => Promise<void>>} stop */
export async function recovery(page, stop) {
  const before = await drawn(page)
  const start = await stop()
  await page.getByText('Trying again').waitFor()
  await start()
  await until(page, 'another run with a new history', (d) => d.run !== '' && d.run !== before.run
    && d.pictures.strip.items.some((i) => i.glyph === 'curve' && i.samples < 1000))
  await page.getByText('Trying again').waitFor({ state: 'detached' })
  await live(page)
  const after = await drawn(page)
  assert(after.time < before.time,
    `got clock ${after.time} s, want less than the ${before.time} s of the first session`)
}
