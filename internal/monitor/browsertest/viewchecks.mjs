// The checks of the wall's views: their addresses and their geometry.

import assert from 'node:assert/strict'
import { drawn, until, withRobot } from './checks.mjs'
import { addColourTools, look, recordTexts, themes, windows } from './geometry.mjs'

/** @typedef {import('playwright-core').Page} Page */

/** Opens an address of the wall in a browser without the first one's storage. @param {Page} page @param {string} hash
 * @param {(other: Page) => Promise<void>} check @param {() => void} [first] what runs in the page first */
async function another(page, hash, check, first) {
  const browser = page.context().browser()
  assert(browser)
  const other = await browser.newPage({ viewport: page.viewportSize() })
  try {
    await other.addInitScript(recordTexts)
    await other.addInitScript(addColourTools)
    if (first) await other.addInitScript(first)
    await other.goto(new URL(hash, page.url()).href)
    await check(other)
  } finally {
    await other.close()
  }
}

/** The address of a page opens the same view, selection and axes elsewhere. @param {Page} page */
async function address(page) {
  await withRobot(page, async ({ key, number }) => {
    await page.keyboard.press('f')
    try {
      await page.keyboard.press(String(number))
      await page.waitForFunction((number) => location.hash === `#wall&sel=robot/${number}&show=packets&axes=msl`, number)
      await another(page, new URL(page.url()).hash, async (other) => {
        await other.locator('.drawer .hex span').first().waitFor()
        await until(other, 'the axes of the first page', (d) => d.frame === 'msl')
        assert.equal(await other.locator('.tile.open').getAttribute('data-tile'), key)
      })
    } finally { // also for the next checks, which share the page
      await page.keyboard.press('Escape')
      await page.keyboard.press('f')
    }
  })
  await page.waitForFunction(() => location.hash === '#wall')
  await another(page, '#network', async (other) => {
    await other.locator('.full tbody tr').first().waitFor()
    assert.equal((await drawn(other)).frame, 'x')
  })
}

/** Every view is whole and readable in every window and theme, with a robot that is off. A window of 1920 x 1080 and a
 * projector are read from three metres. @param {Page} page */
async function geometry(page) {
  await until(page, 'a running session', (d) => d.time > 2)
  await page.getByRole('slider', { name: 'loss' }).fill('6')
  await page.waitForFunction(() => document.querySelectorAll('.verdict').length >= 4) // heads are longest with one
  await page.keyboard.press('o')
  await page.keyboard.press(await page.locator('.tile[data-tile][data-state=live]').last().getAttribute('data-number') ?? '')
  const off = page.locator('.tile').getByRole('button', { name: 'switch on' })
  await off.waitFor()
  await page.keyboard.press('Space')
  await page.getByText('paused', { exact: true }).waitFor()
  try {
    for (const hash of ['#wall', '#projector', '#robot&sel=place/1', '#network', '#tcm']) await another(page, hash, async (other) => {
      await until(other, 'the wall', (d) => d.time > 0)
      const low = /wall|projector/.test(hash) ? [/** @type {const} */ ([1280, 720])] : []
      for (const [width, height] of [...windows, ...low]) for (const colorScheme of themes) {
        await other.setViewportSize({ width, height })
        await other.emulateMedia({ colorScheme })
        await until(other, colorScheme, (d) => d.theme === colorScheme)
        await longestHeads(other)
        const far = width >= 1920 || hash === '#projector' && height >= 1080
        await look(other, `${hash} at ${width} x ${height}, ${colorScheme}`, far ? { least: 16, figures: 32 }
          : { least: 11, figures: 20 })
      }
    })
  } finally {
    await page.keyboard.press('Space')
    await page.getByText('paused', { exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('slider', { name: 'loss' }).fill('0')
    await off.click()
  }
}

/** Gives each tile of a paused session the longest texts that a head can show. @param {Page} page */
async function longestHeads(page) {
  await page.evaluate(() => {
    const names = ['Carpe Noctem Cassel (CNC)', 'MRT - Milan Robocup Team', 'Tech United Eindhoven', 'CAMBADA (laptop)']
    const verdicts = ['number in use', '≈ 100 % lost', 'velocity frame', 'turn direction']
    document.querySelectorAll('.tile[data-tile] > .head').forEach((head, i) => {
      const name = head.querySelector('.sub')?.firstChild, verdict = head.querySelector('.verdict')?.firstChild
      if (name) name.nodeValue = names[i % names.length]
      if (verdict) verdict.nodeValue = verdicts[i % verdicts.length]
    })
  })
}

/** Colours whose difference alone tells something. Elsewhere a shape or a text stands beside the colour: the ball is
 * round, silence on a lane is a thin line, a cell of the matrix has its number.
 * @type {[string, string][]} */
const PAIRS = [
  ['ok', 'warn'], ['warn', 'bad'], ['ok', 'bad'], // levels
  ['cyan', 'magenta'], ['blue', 'yellow'], // teams, rings around those that have booked the ball
  ['line', 'amber'], ['amber', 'warn'], ['line', 'warn'], ['amber', 'bad'], ['warn', 'bad'], // shares that arrived, and silence
  ['ball', 'cyan'], ['ball', 'magenta'], ['ball', 'blue'], ['ball', 'yellow'], // places of one robot's ball and its body
]
const APART = 20 // in CIE 1976 L*a*b*: nearly ten times what can be told apart side by side

/** Colours that mean different things differ in three colour blindnesses, and the matrix of links says what its colours
 * say. @param {Page} page */
async function colourBlind(page) {
  await another(page, '#tcm', async (other) => {
    await other.locator('.matrix .cell').first().waitFor()
    for (const colorScheme of themes) {
      await other.emulateMedia({ colorScheme })
      await until(other, colorScheme, (d) => d.theme === colorScheme)
      const alike = await other.evaluate(({ pairs, least }) => {
        const { rgba, eyes, apart } = /** @type {any} */ (window).colourTools, style = getComputedStyle(document.body)
        const colour = (/** @type {string} */ name) => rgba(style.getPropertyValue('--' + name))
        return pairs.flatMap(([a, b]) => eyes.map((/** @type {[string, (c: number[]) => number[]]} */ [name, see]) =>
          ({ name, d: apart(see(colour(a)), see(colour(b))) })).filter((/** @type {any} */ e) => !(e.d >= least))
          .map((/** @type {any} */ e) => `${a} and ${b}${e.name}: ${e.d.toFixed(1)}`))
      }, { pairs: PAIRS, least: APART })
      assert.deepEqual(alike, [], `${colorScheme}: colours that differ by less than ${APART}`)
    }
    const mute = await other.locator('.matrix .cell:not(.self)').evaluateAll((cells) =>
      cells.filter((c) => !c.textContent?.trim()).length)
    assert.equal(mute, 0, 'cells of the matrix that have a colour alone')
    const [some, none] = await Promise.all(['.lanes .key .much', '.lanes .key .none'].map((key) => other.locator(key).boundingBox()))
    assert(some && none && none.height < some.height / 2, 'nothing looks as high as 20 % lost')
  })
}

/** Runs in the page first: its robots have the widest figures and labels that the page can show. */
function forceFigures() {
  const { parse } = JSON, far = { x: 1234, y: 0 }, others = [1, 2, 3, 4, 5, 6]
  const rows = [
    { ballError: null, ball: null, found: 0, false: 0 },
    { ballError: 109, ball: { age: 109_000 }, found: 10, false: 12 },
    { ballError: 98.5, ball: { age: 119 * 60_000 }, found: 1, false: 3 },
    { ballError: 0.99, ball: { age: 999 }, found: 4, false: 0 },
    { ballError: 1234, ball: { age: 1e12 }, found: 11, false: 10 },
  ]
  JSON.parse = (text, ...more) => {
    const message = parse(text, ...more), { topic, value } = message ?? {}
    if (topic === 'wall') (value.tiles ?? []).forEach((/** @type {any} */ t, /** @type {number} */ i) => {
      const { ball, ...figures } = rows[i % rows.length]
      Object.assign(t, t.state === 'live' ? figures : {})
      Object.assign(t.belief, { ball: ball && { ...t.belief.ball, ...far, ...ball }, seesBall: false, by: others })
    })
    if (topic?.startsWith('packets/')) for (const [part, ball] of [['own', null], ['alone', far]]) if (value[part]) {
      value[part].ball = ball && { ...value[part].ball, ...ball }
    }
    return message
  }
}

/** A small tile explains its figures, too. @param {Page} page */
async function explains(page) {
  await another(page, '#wall', async (other) => {
    await other.setViewportSize({ width: 1366, height: 768 })
    const mark = other.locator('.below .tile.all .explain')
    await mark.click()
    await other.locator('.explanation', { hasText: 'farthest from the middle' }).waitFor()
    await other.keyboard.press('Escape')
    await other.locator('.explanation').waitFor({ state: 'detached' })
  })
}

/** The figures of a robot fit for every number and label, also where the computer's letters are 5 % wider.
 * @param {Page} page */
async function widestFigures(page) {
  await page.keyboard.press('Space')
  await page.getByText('paused', { exact: true }).waitFor()
  try {
    for (const hash of ['#wall', '#projector', '#robot&sel=place/1', '#robot&sel=place/2']) await another(page, hash, async (other) => {
      await other.locator('.figures', { hasText: 'sees no ball' }).first().waitFor()
      await other.evaluate(() => {
        const wide = new CSSStyleSheet()
        wide.replaceSync('.figures { letter-spacing: .03em }')
        document.adoptedStyleSheets = [wide]
      })
      for (const [width, height] of [...windows, [1280, 720]]) {
        await other.setViewportSize({ width, height })
        const far = width >= 1920
        await look(other, `the widest figures, ${hash} at ${width} x ${height}`, far ? { least: 16, figures: 32 }
          : { least: 11, figures: 20 })
      }
    }, forceFigures)
  } finally {
    await page.keyboard.press('Space')
    await page.getByText('paused', { exact: true }).waitFor({ state: 'detached' })
  }
}

/** The projector's fields are at least as large as the wall's, at the sizes of laptops and of projectors.
 * @param {Page} page */
async function projector(page) {
  await another(page, '#wall', async (other) => {
    for (const [width, height] of [[1366, 768], [1280, 720], [1600, 900], [1920, 1080]]) {
      await other.setViewportSize({ width, height })
      const wall = await fieldSizes(other, 'wall'), large = await fieldSizes(other, 'projector')
      assert.ok(large.monitor >= wall.monitor && large.truth >= wall.truth,
        `${width} x ${height}: wall ${JSON.stringify(wall)}, projector ${JSON.stringify(large)}`)
    }
  })
}

/** The widths of the large field and of a robot's in a view, px. @param {Page} page @param {string} view */
async function fieldSizes(page, view) {
  await page.evaluate((view) => { location.hash = view }, view)
  await page.locator(view === 'projector' ? '.projector .left .legend' : '.wall-page:not(.projector) .left .net').waitFor()
  await page.locator('.tile[data-tile] canvas').first().waitFor()
  return page.evaluate(() => {
    const [truth, monitor] = ['.truth canvas', '.tile[data-tile] .stage'].map((name) => {
      const e = /** @type {HTMLElement} */ (document.querySelector(name))
      return Math.round(Math.min(e.clientWidth, e.clientHeight * 19.4 / 13.4)) // of a field of 18 x 12 m with its border
    })
    return { truth, monitor }
  })
}

/** A tile opens large: own picture, received packages, the world with and without them. @param {Page} page */
async function large(page) {
  const tile = page.locator('.tile[data-tile][data-state=live]').first()
  const number = await tile.getAttribute('data-number')
  await tile.locator('canvas').click()
  await page.waitForFunction((number) => location.hash === `#robot&sel=robot/${number}`, number)
  const styles = (/** @type {import('./checks.mjs').Drawn} */ d, /** @type {string} */ name, /** @type {string} */ style) =>
    d.pictures[name]?.items.filter((i) => i.style === style).length ?? 0
  await until(page, 'the fused world with its own robot and others', (d) => styles(d, 'fused', 'self') === 1
    && styles(d, 'fused', 'reported') >= 3)
  await until(page, 'its own picture without other robots', (d) => styles(d, 'own', 'self') === 1
    && styles(d, 'own', 'reported') === 0)
  await until(page, 'packages of at least three others', (d) => styles(d, 'received', 'reported') >= 3)
  await until(page, 'its world without radio', (d) => styles(d, 'alone', 'self') === 1
    && styles(d, 'alone', 'reported') === 0)
  assert((await page.locator('.reports tbody tr').count()) >= 3, 'rows of the senders that it received')
  const has = (/** @type {import('./checks.mjs').Drawn} */ d, /** @type {string} */ glyph) =>
    d.pictures.fused?.items.some((i) => i.glyph === glyph)
  await until(page, 'where robots saw the ball', (d) => has(d, 'sight'))
  await until(page, 'its ball without radio', (d) => has(d, 'alone'))
  await page.waitForFunction(() => [...document.querySelectorAll('.reports tbody tr')].filter((row) =>
    /\d cm\s*\d+ %$/.test((row.textContent ?? '').trim())).length >= 3) // error of the pose, doubt
  await until(page, 'the error and its calibration over the last seconds', (d) => ['error', 'nees'].every((name) =>
    d.pictures[name]?.items.some((i) => i.glyph === 'rates' && i.samples > 8)))
  await page.waitForFunction(() => /\d cm.*\d %/s.test(document.querySelector('.accuracy')?.textContent ?? ''))
  await page.keyboard.press('d')
  await page.locator('.drawer .hex span').first().waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.drawer').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await tile.waitFor()
  await tile.focus()
  await page.keyboard.press('Enter')
  await page.locator('.fused').waitFor()
  await page.keyboard.press('Escape')
  await tile.waitFor()
}

/** The others find a robot whose pose is mirrored: its tile, their large tiles and their pictures say it, until it is
 * healed. @param {Page} page */
async function faulty(page) {
  await withRobot(page, async ({ key, number }) => {
    const tile = page.locator(`[data-tile="${key}"]`), [other] = await page.locator(
      `.tile[data-state=live]:not([data-real]):not([data-tile="${key}"])`).all()
    const named = tile.locator('.verdict', { hasText: 'disagrees' })
    await tile.focus()
    await page.keyboard.press('x')
    await page.locator(`[data-tile="${key}"][data-mirrored]`).waitFor()
    await named.waitFor({ state: 'attached' }) // the buttons of a focused tile cover it
    await tile.locator('.note', { hasText: /^(pose|ball) off by [\d.]+ c?m, \d+ s$/ }).waitFor()
    await other.focus()
    await page.keyboard.press('Enter')
    await page.locator('.alarm', { hasText: new RegExp(
      `^robot ${number} disagrees with all others since \\d+ s: (pose|ball) off by [\\d.]+ c?m$`) }).waitFor()
    await until(page, 'a ring around it', (d) => d.pictures.fused?.items.some((i) => i.glyph === 'named'
      && i.number === number))
    await page.locator('.reports tr.named').waitFor()
    await faultyLooks(page, key)
    await page.keyboard.press('Escape')
    await tile.focus()
    await page.keyboard.press('x')
    await page.locator(`[data-tile="${key}"]:not([data-mirrored])`).waitFor()
    await named.waitFor({ state: 'detached' })
  })
}

/** A robot that contradicts the others fits its tile and the large tiles. @param {Page} page
 * @param {string} key of its tile */
async function faultyLooks(page, key) {
  const pause = () => page.keyboard.press('Space'), paused = page.getByText('paused', { exact: true })
  await pause()
  await paused.waitFor()
  try {
    for (const hash of [new URL(page.url()).hash, `#robot&sel=${key}`, '#wall']) await another(page, hash, async (other) => {
      await other.locator('.alarm, .note.bad, .verdict').first().waitFor()
      for (const [width, height] of windows) {
        await other.setViewportSize({ width, height })
        await longestHeads(other)
        const far = width >= 1920
        await look(other, `${hash} with a faulty robot at ${width} x ${height}`, far ? { least: 16, figures: 32 }
          : { least: 11, figures: 20 })
      }
    })
  } finally {
    await pause()
    await paused.waitFor({ state: 'detached' })
  }
}

/** Sliders and keys change the packets' loss and delay and the session's speed. @param {Page} page */
async function trouble(page) {
  const loss = page.getByRole('slider', { name: 'loss' }), delay = page.getByRole('slider', { name: 'delay' })
  await page.evaluate(() => { // both move before the page is drawn again
    for (const [i, step] of ['13', '5'].entries()) {
      const slider = /** @type {HTMLInputElement} */ (document.querySelectorAll('.air input')[i])
      slider.value = step
      for (const type of ['input', 'change']) slider.dispatchEvent(new Event(type, { bubbles: true }))
    }
  })
  await page.locator('output').getByText('100 %', { exact: true }).waitFor()
  await page.locator('output').getByText('100 ms', { exact: true }).waitFor()
  await until(page, 'tiles without any other robot', (d) => Object.entries(d.pictures).filter(([name]) =>
    name.startsWith('tile ')).every(([, c]) => !c.items.some((i) => i.style === 'reported')))
  await loss.fill('0')
  await delay.fill('0')
  await until(page, 'the other robots again', (d) => Object.entries(d.pictures).filter(([name]) =>
    name.startsWith('tile ')).every(([, c]) => c.items.filter((i) => i.style === 'reported').length >= 3))
  for (const text of ['0.5', '0.25', '0.1']) {
    await page.keyboard.press('m')
    await page.getByText(`slow motion, ${text} ×`).waitFor()
  }
  await page.keyboard.press('m')
  await page.getByText('slow motion, ').waitFor({ state: 'detached' })
}

/** The lens on all beliefs is never over the ball, wherever it rolls. @param {Page} page */
async function lens(page) {
  const covered = await page.evaluate(async () => {
    const path = './wall/lens.js', { lensPlace, lensSide } = await import(new URL(path, location.href).href)
    const field = { length: 18, width: 12 }, over = []
    let side = 1
    for (let i = 0; i < 4000; i++) {
      const x = 9.6 * Math.sin(i / 37) * Math.cos(i / 1009), y = 6.6 * Math.sin(i / 23)
      side = lensSide(side, x)
      const at = lensPlace(field, side)
      if (Math.hypot(x - at.x, y) < at.radius + 0.3) over.push(`${x.toFixed(2)} ${y.toFixed(2)}`)
    }
    return over
  })
  assert.deepEqual(covered, [], 'balls under the lens')
}

/** The charts of a page that is opened late have what came before it. @param {Page} page */
async function charts(page) {
  await until(page, 'a session of some seconds', (d) => d.time > 8)
  await another(page, '#network', async (other) => {
    let opened = 0
    await until(other, 'the load before the page was opened', (d) => {
      opened ||= d.time
      return opened > 0 && d.pictures.load?.items.some((i) => i.samples > 2 * (d.time - opened) + 8)
    })
    await until(other, 'the rates before the page was opened', (d) => Object.entries(d.pictures).some(([name, picture]) =>
      name.startsWith('rate ') && picture.items.some((i) => i.samples > 2 * (d.time - opened) + 8)))
  })
}

/** Long times are minutes and hours. @param {Page} page */
async function longTimes(page) {
  const texts = await page.evaluate(async () => {
    const path = './shared/format.js', { age, withUnit } = await import(new URL(path, location.href).href)
    return [999, 9900, 119e3, 119.7e3, 600e3, 7140e3, 7200e3, 90e6, 360e6].map((ms) => withUnit(age(ms)))
  })
  assert.deepEqual(texts, ['999 ms', '9.9 s', '119 s', '2 min', '10 min', '119 min', '2.0 h', '25.0 h', '> 99 h'])
}

/** @type {[string, (page: Page) => Promise<void>][]} */
export const viewChecks = [
  ['the address opens the same picture in another browser', address],
  ['a tile opens large', large],
  ['the others find a faulty robot', faulty],
  ['loss, delay and slow motion', trouble],
  ['the lens never hides the ball', lens],
  ['long times are minutes and hours', longTimes],
  ['the charts of a page that is opened late have what came before it', charts],
  ['the projector shows fields at least as large as the wall', projector],
  ['colours differ in three colour blindnesses', colourBlind],
  ['a small tile explains its figures', explains],
  ['the widest figures of a robot fit', widestFigures],
  ['nothing is cut, overlaps or is hard to read', geometry],
]
