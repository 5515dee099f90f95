// The checks of the match's page: five against five live, and in a recording.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { all, count, inFolder, until, withProgram } from './checks.mjs'
import { matchReview, recordedReview } from './reviewchecks.mjs'

/** @typedef {import('playwright-core').Page} Page
 * @typedef {import('./sessionchecks.mjs').Tools} Tools */

const PHONE = { width: 390, height: 844 }

/** The clock of the match in s. @param {Page} page */
const clock = async (page) => (await page.locator('.match-clock').innerText()).split(':').reduce((s, n) => 60 * s + +n, 0)

/** Ten robots with their numbers, targets, a ball, a booker, and their states. @param {Page} page */
async function field(page) {
  await until(page, 'ten robots', (d) => all(d.pictures.match, 'robot').length === 10)
  await until(page, 'targets', (d) => all(d.pictures.match, 'target').length > 0)
  await until(page, 'a booker', (d) => all(d.pictures.match, 'booker').length > 0)
  await until(page, 'a ball with its uncertainty', (d) => all(d.pictures.match, 'ball').length === 1
    && all(d.pictures.match, 'uncertainty').length > 0)
  await until(page, 'five lanes', (d) => all(d.pictures.booking, 'booking lane').length === 5)
  await until(page, 'possession', (d) => all(d.pictures.possession, 'possession').length > 0)
  await count(page, '.states .chip', 5)
  await count(page, '.links .cell:not(.self)', 30)
  await page.locator('.run .seed-of', { hasText: '7' }).waitFor()
}

const ROBOT = 0.5, BALL = 0.22, FIELD = { w: 18 + 2 * 0.7, h: 12 + 2 * 0.7 } // m

/** Robots and ball have their true size on the field, each robot its number beside it, and the ring of a booker its team's
 * colour. @param {Page} page */
async function sizes(page) {
  await until(page, 'ten numbers', (d) => all(d.pictures.match, 'number').length === 10)
  await until(page, 'a booker', (d) => all(d.pictures.match, 'booker').length > 0)
  const { pictures: { match } } = await page.evaluate(() => /** @type {any} */ (window).touchline.drawn())
  const scale = Math.min(match.w / FIELD.w, match.h / FIELD.h), robots = all(match, 'robot')
  for (const r of robots) assert.ok(Math.abs(r.d - ROBOT * scale) < 0.5, `a robot of ${r.d} px, want ${ROBOT * scale}`)
  const [ball] = all(match, 'ball')
  assert.ok(Math.abs(2 * ball.r - BALL * scale) < 0.5, `a ball of ${2 * ball.r} px, want ${BALL * scale}`)
  for (const n of all(match, 'number')) {
    const r = robots.find((r) => r.number === n.number && r.color === n.color)
    if (r && n.cost < 1e5) assert.ok(Math.hypot(n.x - r.x, n.y - r.y) > r.d / 2, `the number ${n.number} stands on its robot`)
  }
  const colours = await page.evaluate(() => ['--cyan', '--magenta'].map((name) => getComputedStyle(document.body).getPropertyValue(name).trim()))
  for (const b of all(match, 'booker')) assert.equal(b.stroke, colours[b.color ? 1 : 0])
}

const SLOW = 120_000 // ms for a part of a match on a machine that others load

/** The page says "in play" for most of the time in which the ball is in play. @param {Page} page */
async function inPlay(page) {
  await page.locator('.speeds button', { hasText: 'max' }).click()
  const shares = await page.waitForFunction(() => {
    const w = /** @type {any} */ (window), seen = w.seenPlay ??= { from: w.touchline.drawn().match, last: 0, running: 0, playing: 0 }
    const now = w.touchline.drawn().match, text = document.querySelector('.state-of-play.ok')?.textContent ?? ''
    const passed = seen.last ? now - seen.last : 0
    seen.last = now
    if (text) seen.running += passed
    if (text.endsWith('in play')) seen.playing += passed
    return seen.running > 40 && seen
  }, undefined, { timeout: SLOW, polling: 50 })
  await page.locator('.speeds button', { hasText: '1×' }).click()
  const { running, playing } = await shares.jsonValue()
  assert.ok(playing > running / 2, `"in play" for ${playing} of ${running} s`)
}

/** A question mark opens what a figure is, by a tap and by keys; Esc and a press elsewhere close it. @param {Page} page */
async function explains(page) {
  const question = page.locator('.tally .explain').first(), open = page.locator('.explanation')
  await question.click()
  await open.getByText('robots near the ball').waitFor()
  const box = await open.boundingBox(), size = page.viewportSize()
  assert.ok(box && size && box.x >= 0 && box.x + box.width <= size.width && box.y >= 0 && box.y + box.height <= size.height)
  await page.keyboard.press('Shift+Digit2')
  await page.locator('.match-side .behaviour').waitFor()
  await page.keyboard.press('Escape')
  await open.waitFor({ state: 'detached' })
  assert.equal(await page.locator('.match-side .behaviour').count(), 1, 'Esc closes what it explains and the state machine')
  await page.keyboard.press('Escape')
  await question.focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await open.getByText('passes').first().waitFor()
  await page.locator('.match-head .brand').dispatchEvent('pointerdown')
  await open.waitFor({ state: 'detached' })
}

/** Shots and the ball's places are toggles; without a goal there is nothing to play again. @param {Page} page */
async function layers(page) {
  await page.keyboard.press('h')
  await until(page, 'where the ball was', (d) => all(d.pictures.match, 'heat').length === 1)
  await page.getByRole('button', { name: 'shot map' }).click()
  await page.locator('.shot-key').getByText('on target').waitFor()
  await page.keyboard.press('h')
  await page.keyboard.press('s')
  await until(page, 'neither', (d) => all(d.pictures.match, 'heat').length === 0)
  await page.locator('.shot-key').waitFor({ state: 'detached' })
  await until(page, 'the way of the ball', (d) => all(d.pictures.match, 'trail').length === 1)
}

/** Space pauses, the point steps, the buttons set the speed. @param {Page} page */
async function run(page) {
  await page.keyboard.press('Space')
  await page.locator('.run [aria-label="go on"]').waitFor()
  const time = () => page.evaluate(() => /** @type {any} */ (window).touchline.drawn().match)
  const before = await time()
  await page.waitForTimeout(300)
  assert.equal(await time(), before, 'the match goes on in a pause')
  await page.keyboard.press('.')
  await page.waitForFunction((t) => Math.abs(/** @type {any} */ (window).touchline.drawn().match - t - 0.1) < 0.001, before)
  await page.locator('.speeds button', { hasText: 'max' }).click()
  await page.locator('.speeds button.on', { hasText: 'max' }).waitFor()
  await page.keyboard.press('Space')
  const from = await clock(page)
  await page.waitForFunction((from) => {
    const [minutes, seconds] = (document.querySelector('.match-clock')?.textContent ?? '').split(':').map(Number)
    return 60 * minutes + seconds > from + 5
  }, from)
  await page.locator('.speeds button', { hasText: '1×' }).click()
  await page.locator('.speeds button.on', { hasText: '1×' }).waitFor()
}

/** A click on a robot opens its state machine, with the active state lit and the transitions. @param {Page} page */
async function machine(page) {
  await page.keyboard.press('Shift+Digit2')
  const panel = page.locator('.match-side .behaviour[data-robot="2"]')
  await panel.locator('.state.inner').waitFor()
  await count(page, '.match-side .behaviour[data-robot="2"] .state.inner', 1)
  assert.ok(await panel.locator('.state.leaf').count() >= 10, 'the default machine has more states')
  assert.match(page.url(), /sel=away\/2/)
  await page.waitForFunction(() => {
    const inner = document.querySelector('.behaviour')?.getAttribute('data-state')
    return inner && document.querySelector('.state.inner')?.getAttribute('data-state') === inner
  })
  await panel.locator('.machine').focus()
  await page.keyboard.press('ArrowDown')
  await panel.locator('.state.chosen').waitFor()
  assert.ok(await panel.locator('[aria-label="transitions that leave it"] tr').count() > 0, 'no condition ends it')
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  const { pictures } = await page.evaluate(() => /** @type {any} */ (window).touchline.drawn())
  const [robot] = all(pictures.match, 'robot'), box = await page.locator('.match-field').boundingBox()
  assert(box)
  await page.mouse.click(box.x + robot.x, box.y + robot.y)
  await page.locator('.match-side .behaviour').waitFor()
  await page.keyboard.press('Escape')
}

/** A crashed robot is hollow, its row crossed out; it comes back. Loss shows in the matrix. @param {Page} page */
async function trouble(page) {
  await page.locator('.chaos [aria-label=crash] [data-number="3"]').click()
  await until(page, 'a crashed robot', (d) => all(d.pictures.match, 'crashed').some((r) => r.number === 3))
  await until(page, 'the robot again', (d) => all(d.pictures.match, 'robot').length === 10)
  const slider = page.locator('.chaos .air input').first()
  await slider.focus()
  await page.keyboard.press('End')
  await page.locator('.links .cell.gone').first().waitFor()
  await slider.focus()
  await page.keyboard.press('Home')
  await page.locator('.links .cell.gone').first().waitFor({ state: 'detached' })
}

/** The other team has its own lanes, links and trouble. @param {Page} page */
async function otherTeam(page) {
  await page.keyboard.press('o')
  await page.locator('.team-choice .magenta[aria-pressed=true]').waitFor()
  await until(page, 'five lanes of the other team', (d) => all(d.pictures.booking, 'booking lane').length === 5)
  await page.locator('.links .edge .badge.magenta').first().waitFor()
  await page.locator('.states .chip b.cyan').first().waitFor()
  assert.match(page.url(), /team=away/)
  await page.locator('.chaos [aria-label=partition] [data-number="4"]').click()
  await page.locator('.chaos-cut > button', { hasText: 'cut' }).click()
  await page.locator('.chaos .verdict').getByText('✕ 4').waitFor()
  await page.locator('.chaos-cut > button', { hasText: 'heal' }).click()
  await page.locator('.chaos .verdict').waitFor({ state: 'detached' })
  await page.locator('.chaos [aria-label=partition] [data-number="4"]').click()
  await page.keyboard.press('o')
  await page.locator('.team-choice .cyan[aria-pressed=true]').waitFor()
}

/** The header shows names and state in full, and no part of the score covers another one. @param {Page} page
 * @param {number} width */
async function wholeHeader(page, width) {
  const parts = await page.locator('.score > *, .score .team > span').evaluateAll((all) => all.map((e) => {
    const { left, right, top, bottom } = e.getBoundingClientRect()
    return { left, right, top, bottom, text: e.textContent ?? '', name: e.parentElement?.className.includes('team') ?? false,
      cut: e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 || right > innerWidth || left < 0
        || getComputedStyle(e).textOverflow === 'ellipsis' }
  }))
  assert.deepEqual(parts.filter((p) => p.cut).map((p) => p.text), [], `cut in the header at ${width} px`)
  const names = parts.filter((p) => p.name).map((p) => p.text)
  assert.deepEqual(names, ['Robot Lions', 'Blue Sharks Aveiro'])
  const outer = parts.filter((p) => !p.name)
  outer.forEach((a, i) => outer.slice(i + 1).forEach((b) => assert.ok(a.right <= b.left + 1 || b.right <= a.left + 1
    || a.bottom <= b.top + 1 || b.bottom <= a.top + 1, `${width} px: "${a.text}" covers "${b.text}"`)))
}

/** Nothing is wider than the window or covers another part, on any window. @param {Page} page */
async function windows(page) {
  const size = page.viewportSize()
  try {
    for (const [width, height] of [[1920, 1080], [1600, 900], [1366, 768], [1024, 768], [820, 1180], [390, 844]]) {
      await page.setViewportSize({ width, height })
      await until(page, 'ten robots', (d) => all(d.pictures.match, 'robot').length === 10)
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width)
      const boxes = await page.locator('.match-head > *').evaluateAll((all) => all.map((e) => {
        const { left, right, top, bottom } = e.getBoundingClientRect()
        return { left, right, top, bottom, inner: e.scrollWidth - e.clientWidth }
      }))
      await wholeHeader(page, width)
      boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => assert.ok(a.right <= b.left + 1 || a.bottom <= b.top + 1
        || b.right <= a.left + 1, `${width} px: parts of the header cover each other`)))
      if (width >= 1180) assert.equal(await page.evaluate(() => document.documentElement.scrollHeight), height, `${width} px scrolls`)
    }
    const button = await page.setViewportSize(PHONE).then(() => page.locator('.run button').first().boundingBox())
    assert(button && button.height >= 44 && button.width >= 44, `a button of ${button?.width} x ${button?.height} px`)
  } finally {
    if (size) await page.setViewportSize(size)
  }
}

/** The wall of a match has a tile for each robot, and no program that joins its group: it has none. @param {Page} page */
async function tiles(page) {
  await page.keyboard.press('w')
  await page.waitForFunction(() => document.querySelectorAll('[data-tile]').length === 10)
  await page.keyboard.press('c')
  await page.locator('.toast').filter({ hasText: '--away external' }).waitFor()
  assert.equal(await page.locator('.connect').count(), 0)
  await page.keyboard.press('l')
  await page.locator('.match').waitFor()
}

/** The checks of the page of demo --match --virtual. @type {[string, (page: Page) => Promise<void>][]} */
export const matchChecks = [
  ['the field of a match', field],
  ['robots and ball in true size', sizes],
  ['the state of play', inPlay],
  ['figures are explained', explains],
  ['what lies over the field', layers],
  ['pause, step and speed of a match', run],
  ['a robot’s state machine in a match', machine],
  ['trouble in a match', trouble],
  ['the other team of a match', otherTeam],
  ['the match on every window', windows],
  ['the wall of a match', tiles],
]

/** A match in real time pauses and has one speed; the page says how well the robots keep their periods. @param {Page} page */
async function realTime(page) {
  await page.locator('.loops', { hasText: /control loops\s+up to \d+(\.\d)? ms late/ }).waitFor()
  await page.locator('.loops', { hasText: /\d+ % of one core/ }).waitFor()
  assert.equal(await page.locator('.speeds, .run [aria-label=step]').count(), 0)
  await page.keyboard.press('.')
  await page.getByText('runs in real time').waitFor()
  await until(page, 'a game that has begun', (d) => d.match > 3)
  const time = () => page.evaluate(() => /** @type {any} */ (window).touchline.drawn().match)
  await page.keyboard.press('Space')
  await page.locator('.run [aria-label="go on"]').waitFor()
  const [before, shown] = [await time(), await clock(page)]
  await page.waitForTimeout(2500)
  assert.equal(await time(), before, 'the match goes on in a pause')
  await page.keyboard.press('Space')
  await page.locator('.run [aria-label=pause]').waitFor()
  await until(page, 'a match that goes on', (d) => d.match > before + 1)
  assert.ok(await clock(page) - shown <= await time() - before + 2, 'the clock of the referee box went on in a pause')
}

/** At the start the robots drive to their places: one to the centre. The last goal is played again, and then the present.
 * @param {Page} page */
async function startAndReplay(page) {
  await page.waitForFunction(() => { // one of them is at the centre before the ball is in play
    const { match } = /** @type {any} */ (window).touchline.drawn().pictures
    return match && /kick-off/.test(document.querySelector('.state-of-play')?.textContent ?? '')
      && match.items.some((/** @type {any} */ i) => i.glyph === 'robot' && Math.hypot(i.x - match.w / 2, i.y - match.h / 2) < 1.6 * i.d)
  })
  await page.locator('.speeds button', { hasText: 'max' }).click()
  await page.waitForFunction(() => /** @type {any} */ (window).touchline.drawn().pictures.possession?.items
    .some((/** @type {any} */ i) => i.glyph === 'goal'), undefined, { timeout: SLOW })
  await page.locator('.speeds button', { hasText: '1×' }).click()
  const goals = () => page.locator('.goals').allTextContents()
  const after = await goals()
  await page.getByRole('button', { name: 'the last goal again' }).click()
  await page.locator('.past-clock', { hasText: 'again' }).waitFor()
  await page.waitForFunction((after) => [...document.querySelectorAll('.goals')].map((e) => e.textContent).join() !== after, after.join())
  await page.locator('.past-clock').waitFor({ state: 'detached' })
  assert.deepEqual(await goals(), after)
}

/** The end of a match has a card with the result, and a button that begins another game. @param {Page} page */
async function fullTime(page) {
  await page.locator('.speeds button', { hasText: 'max' }).click()
  const card = page.locator('.full-time')
  await card.getByText('full time').waitFor({ timeout: SLOW })
  await card.getByText(/^\d+ : \d+$/).waitFor()
  await page.locator('.speeds button', { hasText: '4' }).click()
  await card.getByRole('button', { name: 'again?' }).click()
  await card.waitFor({ state: 'detached' })
  await page.locator('.run .seed-of', { hasText: '8' }).waitFor()
  await page.locator('.state-of-play', { hasText: 'first half' }).waitFor()
}

/** A robot's page shows what it sees while it plays, and asks nothing of it. @param {Page} page */
async function look(page) {
  const match = page.url()
  await page.goto(new URL('./robot#13', match).href)
  await page.getByRole('button', { name: 'away 3', pressed: true }).waitFor()
  await until(page, 'pictures of robot 3 of away', (d) => /** @type {any} */ (d).shown > 3)
  await page.getByText('Manual control is disabled during a match').waitFor()
  await page.locator('tr[data-parameter="exposure"]').waitFor()
  assert.ok(await page.getByLabel('exposure, as a number').isDisabled(), 'a parameter of a robot in a match can be changed')
  await page.goto(match)
}

/** The checks of the page of demo --match that also hold in real time, and its own.
 * @type {[string, (page: Page) => Promise<void>][]} */
const realChecks = [
  ['a match in real time', realTime],
  ['the field of a match', field],
  ['a robot’s state machine in a match', machine],
  ['trouble in a match', trouble],
  ['the other team of a match', otherTeam],
  ['the match on every window', windows],
  ['the review of a decision in a match', matchReview],
  ['a robot’s page in a match', look],
]

/** A live match. @param {Tools} tools @param {[string, (page: Page) => Promise<void>][]} checks @param {string[]} flags */
async function live(tools, checks, ...flags) {
  await withProgram(tools, ['demo', '--match', '--seed', '7', '--home-name', 'Robot Lions', '--away-name', 'Blue Sharks Aveiro',
    '--http', '127.0.0.1:0', ...flags], async (page) => {
    for (const [name, check] of checks) {
      try {
        await check(page)
      } catch (e) {
        throw new Error(`${name}: ${e instanceof Error ? e.message : e}`)
      }
    }
  }, { hash: '#match' })
}

/** A recording shows score, robots, booking and state machine at any time, in both directions. @param {Tools} tools
 * @param {string} dir */
async function recorded(tools, dir) {
  const file = join(dir, 'm.mcap')
  await tools.run(['match', '--seed', '7', '--half', '20s', '--quiet', '--record', file], dir)
  await withProgram(tools, ['replay', file, '--http', '127.0.0.1:0'], async (page, url) => {
    await page.goto(url + '#match&t=0:15&sel=home/4')
    await until(page, 'ten robots of the recording', (d) => all(d.pictures.match, 'robot').length === 10)
    await page.locator('.behaviour[data-robot="4"] .state.inner').waitFor()
    await page.keyboard.press('Escape')
    await until(page, 'five lanes', (d) => all(d.pictures.booking, 'booking lane').length === 5)
    assert.equal(await page.locator('.speeds').count(), 0, 'a recording has no speed of its match')
    const shown = () => page.evaluate(() => /** @type {any} */ (window).touchline.drawn().match)
    await page.waitForFunction(() => Math.abs(/** @type {any} */ (window).touchline.drawn().match - 15) < 0.2)
    await page.keyboard.press('r')
    await page.keyboard.press('Space')
    await page.waitForFunction(() => /** @type {any} */ (window).touchline.drawn().match < 14)
    await page.keyboard.press('Space')
    await page.keyboard.press('o')
    await until(page, 'five lanes of the other team', (d) => all(d.pictures.booking, 'booking lane').length === 5)
    assert.ok(await shown() < 14.5)
    await recordedReview(page)
  })
}

/** The checks of other programs. @param {Tools} tools @returns {[string, () => Promise<void>][]} */
export const matchProgramChecks = (tools) => [
  ['a match in virtual time', () => live(tools, matchChecks, '--virtual')],
  ['the start of a match and its first goal', () => live(tools, [['replay', startAndReplay]], '--virtual', '--seed', '1', '--half', '300s')],
  ['the end of a match', () => live(tools, [['full time', fullTime]], '--virtual', '--half', '5s')],
  ['a match in real time', () => live(tools, realChecks)],
  ['a recorded match', () => inFolder((dir) => recorded(tools, dir))],
]
