// The checks of the first page: tiles that move, the way into each program and back, and the lie that mates name.

import assert from 'node:assert/strict'
import { all, dressed, until, withProgram } from './checks.mjs'
import { freePort } from './sessionchecks.mjs'

/** @typedef {import('playwright-core').Page} Page
 * @typedef {import('./sessionchecks.mjs').Tools} Tools */

const TILES = ['session', 'football', 'story-booking', 'simulator', 'story-liar']

/** Where the things of a tile are, as text. @param {Page} page @param {string} name */
const places = (page, name) => page.evaluate((name) => JSON.stringify(/** @type {any} */ (window).touchline.drawn().pictures[name]
  ?.items.map((/** @type {any} */ i) => [i.glyph, Math.round(10 * i.x), Math.round(10 * i.y)])), name)

/** Each tile moves, its click opens what it shows, and the program's name leads back. @param {Tools} tools */
async function tiles(tools) {
  await withProgram(tools, ['demo', '--http', '127.0.0.1:0', '--group', `224.16.32.75:${await freePort()}`, '--no-browser'],
    async (page, url) => {
      await page.setViewportSize({ width: 1366, height: 768 })
      assert.equal(await page.locator('.start-tile').count(), TILES.length)
      for (const name of TILES) {
        await until(page, `robots of ${name}`, (d) => all(d.pictures[name], 'robot').length > 2)
        const first = await places(page, name)
        await page.waitForFunction(([name, first]) => JSON.stringify(/** @type {any} */ (window).touchline.drawn().pictures[name]
          ?.items.map((/** @type {any} */ i) => [i.glyph, Math.round(10 * i.x), Math.round(10 * i.y)])) !== first, [name, first])
      }
      assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]), [1366, 768])
      for (const [name, hash, ready] of [['football', '#match', '.match-field'], ['story-booking', '#booking', '.story'],
        ['simulator', '#vss', '.vss-page main']]) {
        await page.locator(`[data-tile="${name}"]`).click()
        await page.locator(ready).first().waitFor()
        await page.waitForFunction(([folder, hash]) => location.pathname.startsWith(folder) && (location.hash === hash
          || !location.hash), [`/${name}/`, hash])
        await page.locator('a.brand').first().click()
        await page.locator('.start-tile').first().waitFor()
        assert.equal(page.url(), url)
      }
    }, { hash: '' })
}

/** The tile makes a robot lie, the wall names the mates that noticed, and heals it. @param {Tools} tools */
async function lie(tools) {
  await withProgram(tools, ['demo', '--http', '127.0.0.1:0', '--group', `224.16.32.75:${await freePort()}`], async (page, url) => {
    await page.locator('[data-tile="story-liar"]').click()
    await page.waitForFunction(() => location.hash === '#wall')
    await page.locator('.lie-told', { hasText: /robot \d lies: named by \d/ }).waitFor()
    assert.match(await page.title(), /^wall: practical session - touchline$/)
    await page.locator('.lie.on').click()
    await page.getByRole('button', { name: 'make a robot lie' }).waitFor()
    await page.keyboard.press('g')
    await page.waitForFunction(() => location.hash === '#booking')
    await page.keyboard.press('Escape')
    await page.waitForFunction(() => location.hash === '#wall')
    await page.goto(url + 'wall#robot&sel=robot/3')
    await page.locator('.fused[data-number="3"]').waitFor()
    assert.match(await page.title(), /^robot 3: /)
    await page.keyboard.press('Escape')
    await page.locator('.tile[data-number="3"]').waitFor()
    await page.locator('nav a', { hasText: 'Scoreboard' }).click()
    await page.locator('.way-back', { hasText: 'wall' }).click()
    await page.locator('.tile').first().waitFor()
    await page.goto(url + 'referee')
    await page.getByText('● connected').waitFor() // without the token in its address
  }, { hash: '' })
}

/** The pages of a session have titles, headings and lists of keys in one style. @param {Tools} tools */
async function oneStyle(tools) {
  await withProgram(tools, ['demo', '--http', '127.0.0.1:0', '--group', `224.16.32.75:${await freePort()}`, '--no-browser'],
    async (page, url) => {
      await dressed(page, /start/)
      for (const [to, title] of /** @type {[string, RegExp][]} */ ([['wall#wall', /wall: practical session/],
        ['wall#network', /network: practical session/], ['wall#tcm', /TCM: practical session/],
        ['wall#booking', /booking: practical session/], ['robot#1', /robot 1/], ['referee', /referee: .+ 0:0 .+/],
        ['scoreboard', /scoreboard: .+ 0:0 .+/], ['teams', /teams: .+ 0:0 .+/], ['log', /log/],
        ['football/', /match: .+ \d+:\d+ .+/], ['story-booking/', /booking: .+/], ['simulator/', /simulator: blue \d+:\d+ yellow/]])) {
        await page.goto('about:blank') // another hash alone would not open the page again
        await page.goto(url + to)
        await dressed(page, title)
      }
    }, { hash: '' })
}

/** With --view-only no page sends a command, whatever is pressed, and the server refuses each. @param {Tools} tools */
async function viewOnly(tools) {
  const args = ['demo', '--http', '127.0.0.1:0', '--group', `224.16.32.75:${await freePort()}`, '--view-only', '--no-browser']
  await withProgram(tools, args, async (page, url) => {
    /** @type {string[]} */
    const sent = []
    page.on('request', (r) => r.method() === 'POST' && sent.push(r.url()))
    const anyKey = async () => {
      for (const key of ['Space', 'k', 'm', 'x', 'h', 'Enter', '.', 'r', 'c']) await page.keyboard.press(key)
    }
    await page.locator('[data-tile="story-liar"] h2', { hasText: 'A robot lies' }).click()
    await page.waitForURL(`${url}story-liar/#booking`)
    await page.locator('.story-next button:disabled').first().waitFor()
    await page.locator('.story[data-figure="2"]').waitFor() // comes by itself
    for (const [to, shown, controls] of [['wall#wall', '.tile', '.lie, .tile .acts, .air input:enabled, .tape'],
      ['wall#network', '.full', '.air input:enabled'], ['football/', '.match-field', '.run .speeds, .chaos-row button:enabled:not(.explain)'],
      ['story-booking/', '.story', '.story-next button:enabled, .chaos-row button:enabled:not(.explain)'],
      ['simulator/', '.vss', '.transport, .switch:enabled, canvas.hands']]) {
      await page.goto('about:blank')
      await page.goto(url + to)
      await page.locator(shown).first().waitFor()
      await anyKey()
      await page.locator(controls).first().waitFor({ state: 'detached' })
      assert.equal(await page.locator('nav a', { hasText: /^(Referee|Robot)$/ }).count(), 0, `${to} leads to pages that command`)
    }
    assert.deepEqual(sent, [], 'commands of pages that only display')
    for (const folder of ['', 'football/', 'simulator/']) for (const name of ['kick', 'pause', 'speed', 'no such command']) {
      const { status } = await fetch(`${url}${folder}api/command/${name}`, { method: 'POST', body: '{}' })
      assert.equal(status, 403, `${folder} ${name}`)
    }
  }, { hash: '' })
}

/** A page that other machines reach shows its address as a square code, where this machine has one for others.
 * @param {Tools} tools */
async function squareCode(tools) {
  await withProgram(tools, ['demo', '--http', '0.0.0.0:0', '--view-only', '--no-browser', '--group', `224.16.32.75:${await freePort()}`],
    async (page, url) => {
      const { addresses = [] } = await (await fetch(url + 'api/pages')).json()
      await page.keyboard.press('?')
      const code = page.locator('dialog[open] .elsewhere img')
      if (!addresses.length) return assert.equal(await code.count(), 0, 'a code without an address')
      await code.evaluate((/** @type {HTMLImageElement} */ img) => img.decode())
      // The finder in the corner: seven dark modules, as ISO/IEC 18004 draws it, within the quiet zone.
      const row = await code.evaluate((/** @type {HTMLImageElement} */ img) => {
        const { pathname } = new URL(img.src), n = 400, c = new OffscreenCanvas(n, n), g = c.getContext('2d')
        if (!g) return { pathname, light: false, dark: 0 }
        g.drawImage(img, 0, 0, n, n)
        const dark = (/** @type {number} */ x, /** @type {number} */ y) => g.getImageData(x, y, 1, 1).data[0] < 128
        let at = 0
        while (at < n && !dark(at, at)) at++
        let wide = 0
        while (at + wide < n && dark(at + wide, at + 1)) wide++
        return { pathname, light: !dark(2, 2) && at > 0, dark: wide / n }
      })
      assert.equal(row.pathname, '/api/code.svg')
      assert.ok(row.light && row.dark > 0.1 && row.dark < 0.35, `the corner of the code: ${JSON.stringify(row)}`)
      assert.deepEqual(await page.locator('.elsewhere a').evaluateAll((all) => all.map((a) => a.getAttribute('href'))), addresses)
      assert.equal((await fetch(addresses[0] + 'api/pages')).status, 200)
    }, { hash: '' })
}

/** The bare address shows what was started. @param {Tools} tools */
async function bare(tools) {
  for (const [args, hash] of /** @type {[string[], string][]} */ ([
    [['demo', '--match', '--virtual', '--http', '127.0.0.1:0'], '#match'],
    [['demo', '--story', 'network', '--http', '127.0.0.1:0', '--group', `224.16.32.75:${await freePort()}`], '#booking'],
  ])) await withProgram(tools, args, async (page) => {
    await page.waitForFunction((hash) => location.hash.startsWith(hash), hash)
  }, { hash: '' })
}

/** @param {Tools} tools @returns {[string, () => Promise<void>][]} */
export const startProgramChecks = (tools) => [
  ['the tiles of the first page', () => tiles(tools)],
  ['a robot is made to lie, and its mates name it', () => lie(tools)],
  ['--view-only: no page commands', () => viewOnly(tools)],
  ['the square code of a page for others', () => squareCode(tools)],
  ['titles, headings and lists of keys', () => oneStyle(tools)],
  ['the bare address of a program', () => bare(tools)],
]
