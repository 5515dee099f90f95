// The checks of the referee box's pages, with base stations on plain sockets and a referee at the keyboard. The messages
// that base stations receive are compared byte by byte.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { audience, explained, fits } from './layoutchecks.mjs'
import { until } from './checks.mjs'
import { faultyLines, log, opening, press } from './logchecks.mjs'
import { kept, logReview, review } from './reviewchecks.mjs'

/** @typedef {import('playwright-core').Page} Page
 * @typedef {{referee: string, scoreboard: string, teams: string, logs: string, baseStations: string, token: string}}
 * Addresses
 * @typedef {Awaited<ReturnType<typeof station>>} Station
 * @typedef {{at: Addresses, page: Page, home: Station, away: Station, kill: () => Promise<void>, start: () =>
 * Promise<void>, forget: () => void, follow: () => Promise<string>, open: (url: string, options?: object) =>
 * Promise<Page>}} Table */

const PATIENCE = 30_000 // ms for a wait; far more than any needs
const RATE = 50 // ms between worldstates

/** The bytes of a message as RefBox 2.1 sends it. @param {string} command @param {string} [group]
 * @param {number} [robot] */
export function bytes(command, group = '', robot = 0) {
  return `{\n${robot ? `  "robotID": ${robot},\n` : ''}  "command": "${command}",\n  "targetTeam": "${group}"\n}\0`
}

const HOME = '224.16.32.39', AWAY = '224.16.32.63'

/** A base station. It sends 20 worldstates a second and stores everything that it receives.
 * @param {number} team @param {string} address of the referee box @param {string} [from] its own */
export async function station(team, address, from = `127.0.${team}.1`) {
  const [host, port] = address.split(':')
  const socket = connect({ host, port: Number(port), localAddress: from })
  let received = '', start = 0, closed = false
  let wake = () => {}
  socket.on('data', (b) => {
    received += b.toString()
    wake()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    closed = true
    clearInterval(sending)
    wake()
  })
  const robots = [1, 2, 3, 4, 5].map((id) => ({ id, pose: [id - 3, 2 - id, 1.5708], targetPose: [0, 0, 0],
    velocity: [0.1, 0.2, 0], intention: 'test', batteryLevel: 90, ballEngaged: 0 }))
  const state = { type: 'worldstate', teamName: String(team), intention: 'test', robots,
    balls: [{ position: [0.5, 1.25, 0.11], velocity: [0, 0, 0], confidence: 0.9 }], obstacles: [], ageMs: 20 }
  const sending = setInterval(() => socket.write(JSON.stringify(state) + '\0'), RATE)
  return {
    socket,
    /** Waits for exactly these bytes after those of the last call. @param {string} what @param {...string} expected */
    async receives(what, ...expected) {
      const want = expected.join(''), end = Date.now() + PATIENCE
      while (received.length - start < want.length && !closed) {
        const left = end - Date.now()
        if (left <= 0) break
        await new Promise((ok) => {
          const late = setTimeout(ok, left)
          wake = () => {
            clearTimeout(late)
            ok(undefined)
          }
        })
      }
      assert.equal(JSON.stringify(received.slice(start)), JSON.stringify(want), `team ${team} after: ${what}`)
      start = received.length
    },
    /** The bytes that it received since the last call. */
    rest: () => received.slice(start),
    close: () => socket.destroy(),
  }
}

/** Both base stations receive the same. @param {Table} t @param {string} what @param {...string} expected */
async function both({ home, away }, what, ...expected) {
  await home.receives(what, ...expected)
  await away.receives(what, ...expected)
}

/** @param {Page} page @param {string} command @param {string} [side] */
const key = (page, command, side) => page.locator(`[data-key="${side ? `${command}/${side}` : command}"]`)

/** @param {Page} page @param {string} text */
const answers = (page, text) => page.locator('.answer').filter({ hasText: text }).waitFor()

/** @param {Page} page @param {RegExp} text */
const proposal = (page, text) => page.locator('.proposal').filter({ hasText: text }).waitFor()

/** Takes the focus out of the form. @param {Page} page */
const leave = (page) => page.evaluate(() => document.activeElement instanceof HTMLElement
  && document.activeElement.blur())

/** @param {Table} t */
async function welcome(t) {
  await t.home.receives('connecting', bytes('WELCOME', HOME))
  await t.away.receives('connecting', bytes('WELCOME', AWAY))
  const { page } = t
  await page.locator('.of.home h2').filter({ hasText: 'CAMBADA' }).waitFor()
  assert.equal(new URL(page.url()).hash, '', 'the token is still in the address')
  await page.locator('.column.home .rate.ok').waitFor()
  assert.equal(await key(page, 'STOP').getAttribute('aria-disabled'), 'false')
  assert.equal(await key(page, 'START').getAttribute('aria-disabled'), 'true', 'START without a set piece')
  assert.ok(await key(page, 'START').getAttribute('title'), 'a disabled key without a reason')
}

/** Before the game the referee checks how a base station reads; its answers, or its team, give the verdict.
 * @param {Table} t */
async function readers(t) {
  const { page } = t, robots = [1, 2, 3, 4, 5, 6]
  for (const side of ['home', 'away']) {
    const team = side === 'home' ? t.home : t.away
    await page.locator(`.column.${side} .last-of button`).click()
    await team.receives('a check', ...robots.map((n) => bytes('IS_ALIVE', '224.16.32.0', n)))
    if (side === 'away') continue
    for (const robotId of robots) {
      team.socket.write(JSON.stringify({ type: 'event', robotId, event: 'received IS_ALIVE' }) + '\0')
    }
    await page.locator('.column.home [data-verdict="reads"]').waitFor()
  }
  await page.locator('.column.away .reader-check .answers button').last().click()
  await page.locator('.column.away [data-verdict="loses"]').waitFor()
}

/** A whole half by keyboard. @param {Table} t */
async function half(t) {
  const { page } = t
  await press(page, 'Enter')
  await answers(page, '✕')
  await press(page, 'q')
  await both(t, 'kick-off', bytes('KICKOFF', HOME))
  await press(page, 'Enter')
  await both(t, 'START', bytes('FIRST_HALF'), bytes('START'))
  await answers(page, '✓ START')
  await page.locator('.answer').filter({ hasText: / ms/ }).waitFor()
  await press(page, 'Space')
  await both(t, 'STOP', bytes('STOP'))
  await press(page, 'i')
  await both(t, 'free kick', bytes('FREEKICK', AWAY))
  await press(page, 'Enter')
  await both(t, 'START', bytes('START'))
  await page.locator('.countdown').first().waitFor()
  await until(page, 'a tone at the end of the set piece’s time',
    (d) => d.sounded.some((/** @type {string} */ s) => s.startsWith('set piece')))
  await press(page, 'Space')
  await both(t, 'STOP', bytes('STOP'))
  await cards(t)
  await press(page, 'g')
  await both(t, 'goal', bytes('GOAL', HOME))
  await press(page, 'u')
  await both(t, 'kick-off', bytes('KICKOFF', AWAY))
  await press(page, 'Enter')
  await both(t, 'START', bytes('START'))
  await press(page, 'Space')
  await both(t, 'STOP', bytes('STOP'))
  await press(page, 'f', '4', 'Enter')
  await both(t, 'is alive', bytes('IS_ALIVE', HOME, 4))
  await press(page, 'm', '1', '2', 'Enter')
  await both(t, 'substitution', bytes('SUBSTITUTION', AWAY, 12))
  await press(page, 'b')
  await both(t, 'dropped ball', bytes('DROP_BALL'))
  await press(page, 'Enter')
  await both(t, 'START', bytes('START'))
  await press(page, 'Space')
  await both(t, 'STOP', bytes('STOP'))
  await press(page, 'p')
  await proposal(page, /HALF_TIME/)
  assert.equal(t.home.rest(), '', 'something was sent before it was confirmed')
  await press(page, 'Enter')
  await both(t, 'end of part', bytes('HALF_TIME'), bytes('REPAIR_END', AWAY))
  await page.locator('.goals-of').first().filter({ hasText: '1' }).waitFor()
}

/** A card and a repair go out with START. @param {Table} t */
async function cards(t) {
  const { page } = t
  await press(page, 't', '4', 'y')
  await page.locator('.notice').filter({ hasText: 'Not sent yet' }).filter({ hasText: /yellow card.*4/ }).waitFor()
  await press(page, 'y', '2', 'p')
  await page.locator('.notice').filter({ hasText: /repair.*2/ }).waitFor()
  assert.equal(t.home.rest() + t.away.rest(), '', 'a card was sent before START')
  await press(page, 'c') // Space is STOP while a dialog is open
  await page.locator('.sheet').waitFor()
  await press(page, 'Space')
  await both(t, 'STOP while a dialog is open', bytes('STOP'))
  await press(page, 'Escape')
  await press(page, 'a')
  await both(t, 'throw-in', bytes('THROWIN', HOME))
  await press(page, 'Enter')
  await both(t, 'START', bytes('YELLOW_CARD', HOME), bytes('REPAIR', AWAY), bytes('START'))
  await press(page, 'Space')
  await both(t, 'STOP', bytes('STOP'))
}

/** @param {Table} t */
async function undoRedo(t) {
  const { page } = t
  await page.locator('[data-key="KICKOFF/home"][aria-disabled=true]').waitFor()
  await press(page, 'q')
  await answers(page, '✕') // this team kicked off the first half
  await press(page, 'Alt+KeyK', 'q')
  await both(t, 'forced kick-off', bytes('KICKOFF', HOME))
  await press(page, 'Enter')
  await both(t, 'START', bytes('SECOND_HALF'), bytes('START'))
  await press(page, 'Space')
  await both(t, 'STOP', bytes('STOP'))
  await press(page, 'h')
  await both(t, 'goal', bytes('GOAL', AWAY))
  await press(page, 'Control+z')
  await proposal(page, /SUBGOAL/)
  assert.equal(t.home.rest(), '', 'undo was sent before it was confirmed')
  await press(page, 'Escape')
  await page.locator('.proposal').waitFor({ state: 'detached' })
  await press(page, 'Control+z')
  await proposal(page, /SUBGOAL/)
  await press(page, 'Enter')
  await both(t, 'undo', bytes('SUBGOAL', AWAY))
  await page.locator('.decisions s').filter({ hasText: 'goal' }).first().waitFor()
  await press(page, 'Control+y')
  await proposal(page, /GOAL/)
  await press(page, 'Enter')
  await both(t, 'redo', bytes('GOAL', AWAY))
}

/** Any decision can be undone and redone from the list, also by keyboard; a decision of another page meanwhile does not
 * change which one. @param {Table} t */
async function anyDecision(t) {
  const { page } = t
  const entry = page.locator('.decisions button').filter({ hasText: /^\s*\d\d:\d\d:\d\d\s*goal CAMBADA/ }).first()
  await entry.click()
  await proposal(page, /Undo.*goal CAMBADA.*SUBGOAL CAMBADA/s)
  assert.equal(t.home.rest(), '', 'the undo was sent before it was confirmed')
  await press(page, 'Enter')
  await both(t, 'undo of an earlier goal', bytes('SUBGOAL', HOME))
  await page.locator('.decisions li.undone').filter({ hasText: 'goal CAMBADA' }).waitFor()
  const revision = page.locator('.decisions button').filter({ hasText: 'undo: goal CAMBADA' }).first()
  assert.equal(await revision.getAttribute('aria-disabled'), 'true', 'an UNDO can be undone')
  assert.match(await revision.getAttribute('title') ?? '', /click the decision/)
  await page.locator('.decisions ol').focus()
  for (let i = 0; i < 60 && !await entry.evaluate((b) => b === document.activeElement); i++) await press(page, 'Tab')
  await press(page, 'Enter')
  await proposal(page, /Redo.*goal CAMBADA.*GOAL CAMBADA/s)
  await press(page, 'Enter')
  await both(t, 'redo of it', bytes('GOAL', HOME))
  await press(page, 'Control+z') // the newest decision in force: the other team's goal
  await proposal(page, /SUBGOAL/)
  const shown = await page.locator('.proposal h2').innerText()
  const answer = await fetch(new URL('api/command/decide', t.at.referee),
    { method: 'POST', body: '{"command":"SET_CLOCK","total":60000000000,"effective":50000000000}',
    headers: { Authorization: 'Bearer ' + t.at.token } })
  assert.equal(answer.status, 200)
  await page.locator('.decisions li').first().filter({ hasText: 'clock' }).waitFor()
  await proposal(page, /SUBGOAL/)
  assert.equal(await page.locator('.proposal h2').innerText(), shown, 'the proposal changed to another decision')
  await press(page, 'Enter')
  await both(t, 'undo of the proposed decision', bytes('SUBGOAL', AWAY))
  await press(page, 'Control+y')
  await proposal(page, /GOAL/)
  await press(page, 'Enter')
  await both(t, 'redo', bytes('GOAL', AWAY))
}

/** @param {Table} t */
async function fields(t) {
  const { page } = t
  await page.locator('.decisions li').first().filter({ hasText: /redo/i }).waitFor()
  const before = await page.locator('.decisions li').count()
  await press(page, 'c')
  await page.locator('.sheet input[name=total]').fill('')
  await page.keyboard.type('qwe 5:00 gh?tp')
  await page.keyboard.press('Control+z')
  assert.equal(await page.locator('.sheet input[name=count]').count(), 2, 'the dialog closed')
  await page.keyboard.press('Escape')
  await page.locator('.sheet').waitFor({ state: 'detached' })
  assert.equal(await page.locator('dialog[open]').count(), 0, 'typing opened the list of keys')
  await leave(page)
  await press(page, 'v') // park is refused now; its answer comes after that of anything that typing might have sent
  await answers(page, 'Park')
  assert.equal(await page.locator('.decisions li').count(), before)
  assert.equal(t.home.rest(), '')
}

/** Corrects the score after a preview. @param {Table} t */
async function correct(t) {
  const { page } = t
  await press(page, 'c')
  await page.locator('.sheet input[name=count]').first().fill('3')
  await page.keyboard.press('Enter')
  await proposal(page, /GOAL.*GOAL/)
  await press(page, 'Enter')
  await both(t, 'score', bytes('GOAL', HOME), bytes('GOAL', HOME))
  await page.locator('.of.home .goals-of').filter({ hasText: '3' }).waitFor()
}

/** A reconnection has no effect on the other team. @param {Table} t */
async function reconnection(t) {
  const { page } = t
  t.away.close()
  await page.locator('.of.away').filter({ hasText: 'not connected' }).waitFor()
  t.away = await station(63, t.at.baseStations)
  await t.away.receives('connecting again', bytes('WELCOME', AWAY))
  await page.locator('.of.away').filter({ hasNotText: 'not connected' }).waitFor()
  assert.equal(t.home.rest(), '', 'the other team received something')
  const stranger = await station(45, t.at.baseStations)
  try {
    await page.locator('.notice').filter({ hasText: '127.0.45.1' }).waitFor()
    assert.equal(stranger.rest(), '')
    assert.equal(t.home.rest() + t.away.rest(), '', 'teams received something')
  } finally {
    stranger.close()
  }
}

/** A second base station of a team waits until the referee accepts it, and both addresses are named.
 * @param {Table} t */
async function secondAddress(t) {
  const { page } = t
  const notice = page.locator('.notice').filter({ hasText: /two addresses: 127\.0\.39\.1 and 127\.0\.39\.9/ })
  const second = await station(39, t.at.baseStations, '127.0.39.9')
  await notice.waitFor()
  await page.locator('.waiting .bad').filter({ hasText: '127.0.39.1' }).waitFor()
  assert.equal(second.rest() + t.home.rest() + t.away.rest(), '', 'a base station received something')
  await page.getByRole('button', { name: 'accept' }).click()
  await second.receives('the referee’s click', bytes('WELCOME', HOME))
  second.close()
  await page.locator('.of.home').filter({ hasText: 'not connected' }).waitFor()
  t.home = await station(39, t.at.baseStations)
  await t.home.receives('connecting again', bytes('WELCOME', HOME))
  await notice.waitFor({ state: 'detached' })
}

/** Without a connection the page sends no decisions. @param {Table} t */
async function survival(t) {
  const { page } = t
  t.home.close()
  t.away.close()
  await t.kill()
  await page.locator('.banner').waitFor()
  assert.equal(await key(page, 'STOP').getAttribute('aria-disabled'), 'true', 'STOP is enabled without a connection')
  await press(page, 'Space')
  await answers(page, 'no connection')
}

/** @param {Table} t */
async function revival(t) {
  const { page } = t
  await t.start()
  await page.locator('.banner').waitFor({ state: 'detached' })
  assert.deepEqual(await page.locator('.goals-of').allTextContents(), ['3', '1'])
  t.home = await station(39, t.at.baseStations)
  t.away = await station(63, t.at.baseStations)
  await t.home.receives('connecting after the restart', bytes('WELCOME', HOME))
  await t.away.receives('connecting after the restart', bytes('WELCOME', AWAY))
  await page.locator('.column.away .rate.ok').waitFor()
  await press(page, 'Space')
  await both(t, 'STOP after the restart', bytes('STOP'))
  t.forget()
}

/** @param {Table} t */
async function wrongToken(t) {
  const page = await t.open(t.at.referee.replace(/token=.*/, 'token=wrong'))
  await page.getByRole('alert').filter({ hasText: 'needs the token' }).waitFor()
  assert.equal(await page.locator('[data-key]').count(), 0, 'keys without a token')
  const answer = await fetch(new URL('api/command/decide', t.at.referee),
    { method: 'POST', body: '{"command":"STOP"}', headers: { Authorization: 'Bearer wrong' } })
  assert.equal(answer.status, 403)
  await page.locator('input[name=token]').fill(t.at.token)
  await page.keyboard.press('Enter')
  await key(page, 'STOP').waitFor()
  assert.equal(t.home.rest(), '')
  await page.close()
}

/** Without a wall / redirects to the scoreboard, and no page links to one. @param {Table} t */
async function links(t) {
  const page = await t.open(new URL('/', t.at.scoreboard).href)
  assert.equal(new URL(page.url()).pathname, '/scoreboard')
  for (const title of ['Teams', 'Log', 'Scoreboard', 'Referee']) {
    await page.mouse.move(300, 300 + title.length) // the scoreboard hides its links until the pointer moves
    await page.locator('nav a').filter({ hasText: title }).click()
    await page.locator('nav a.on').filter({ hasText: title }).waitFor({ state: 'attached' })
    assert.deepEqual(await page.locator('nav a').allTextContents(), ['Referee', 'Scoreboard', 'Teams', 'Log'])
  }
  await page.close()
}

/** @param {Table} t */
async function nothingScrolls(t) {
  const { page } = t, size = page.viewportSize()
  const place = await key(page, 'STOP').boundingBox()
  await press(page, 'Control+z')
  await page.locator('.proposal').waitFor()
  assert.deepEqual(await key(page, 'STOP').boundingBox(), place, 'STOP moved')
  await press(page, 'Escape')
  for (const [width, height] of [[1600, 900], [1920, 1080], [1366, 768], [1024, 768]]) {
    await page.setViewportSize({ width, height })
    const over = await page.evaluate(() => [document.documentElement.scrollHeight - innerHeight,
      document.documentElement.scrollWidth - innerWidth])
    assert.deepEqual(over.map((n) => Math.max(0, n)), [0, 0], `pixels to scroll at ${width}x${height}`)
  }
  if (size) await page.setViewportSize(size)
}

/** The colours of points of a page, as [r, g, b, a]. @param {Page} page @param {{x: number, y: number}[]} points */
async function pixels(page, points) {
  const png = await page.screenshot({ omitBackground: true })
  const browser = page.context().browser()
  assert(browser)
  const reader = await browser.newPage() // the page's content security policy forbids data: images
  try {
    return await reader.evaluate(async ([png, points]) => {
      const image = Object.assign(new Image(), { src: 'data:image/png;base64,' + png })
      await image.decode()
      const g = /** @type {CanvasRenderingContext2D} */ (Object.assign(document.createElement('canvas'),
        { width: image.width, height: image.height }).getContext('2d'))
      g.drawImage(image, 0, 0)
      return points.map(({ x, y }) => [...g.getImageData(Math.round(x), Math.round(y), 1, 1).data])
    }, /** @type {const} */ ([png.toString('base64'), points]))
  } finally {
    await reader.close()
  }
}

/** @param {Table} t */
async function overlay(t) {
  const page = await t.open(t.at.scoreboard + '?overlay=1', { viewport: { width: 1280, height: 720 } })
  const bar = page.locator('.bar-of')
  await bar.filter({ hasText: '3 : 1' }).waitFor()
  const box = await bar.boundingBox()
  assert(box)
  const [inside, beneath, corner] = await pixels(page,
    [{ x: box.x + 30, y: box.y + box.height - 6 }, { x: 640, y: 600 }, { x: 2, y: 2 }])
  assert.equal(inside[3], 255, 'the bar is not opaque')
  assert.equal(beneath[3], 0, 'the area below the bar is opaque')
  assert.equal(corner[3], 0, 'the corner is opaque')
  await page.close()
}

/** @param {Table} t */
async function late(t) {
  const page = await t.open(t.at.scoreboard + '?delay=1')
  await page.getByText('delayed 1 s').first().waitFor()
  await page.locator('.show-score').filter({ hasText: '3:1' }).waitFor()
  await page.close()
}

/** @param {Table} t */
async function health(t) {
  const page = await t.open(t.at.teams + '#token=' + t.at.token, { viewport: { width: 390, height: 844 } })
  await page.locator('.health.home .lamp.ok').waitFor()
  await page.locator('.health.away .lamp.ok').waitFor()
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'wider than a phone')
  await page.close()
}

/** Each check, by name. @type {[string, (t: Table) => Promise<void>][]} */
export const refboxChecks = [
  ['base stations are admitted, the token leaves the address', welcome],
  ['a check of how base stations read', readers],
  ['a whole half by keyboard, byte by byte', half],
  ['undo and redo with a preview', undoRedo],
  ['any decision can be undone and redone from the list', anyDecision],
  ['typing into a field decides nothing', fields],
  ['a review of a decision by keyboard', (/** @type {Table} */ t) => review(t, () => both(t, 'STOP while a review is open', bytes('STOP')))],
  ['a correction with a preview', correct],
  ['a reconnection and an unknown base station affect nobody else', reconnection],
  ['a second base station of a team waits for the referee', secondAddress],
  ['without a connection every key is disabled', survival],
  ['the game resumes after a kill', revival],
  ['the verdict of a review survives it', kept],
  ['a wrong token is refused', wrongToken],
  ['links between the pages', links],
  ['START and STOP never move, nothing scrolls', nothingScrolls],
  ['nothing is cut, disabled keys can be read', fits],
  ['a disabled key says why, the field shows both teams', explained],
  ['the scoreboard shows cards and hides its links', audience],
  ['the scoreboard’s overlay is transparent', overlay],
  ['the delayed scoreboard', late],
  ['the teams’ page, on a phone', health],
  ['a log: seek, step, play', log],
  ['a review in a log', logReview],
  ['a log that is still being read shows its field', opening],
  ['a log names the team and the reason of a faulty message', faultyLines],
]

/** A standby takes over with one click after the first laptop was killed. @param {Table} t */
export async function takeover(t) {
  const page = await t.open(await t.follow())
  await page.locator('.notice').filter({ hasText: 'Standby for' }).waitFor()
  await page.locator('.of.home .goals-of').filter({ hasText: '3' }).waitFor()
  assert.equal(await key(page, 'STOP').getAttribute('aria-disabled'), 'true', 'a standby’s keys are enabled')
  for (const other of ['teams', 'log']) {
    const more = await t.open(new URL(other, page.url()).href)
    await more.locator('.empty').filter({ hasText: /standby.*tak(es|en) over/i }).waitFor()
    await more.close()
  }
  await press(page, 'Space')
  await answers(page, 'take over first')
  assert.equal(t.home.rest(), '')
  await page.locator('header').getByText('standby', { exact: false }).waitFor()
  await press(page, 'Enter') // it still answers: nothing happens without a second press
  await page.getByRole('button', { name: 'It still answers. Take over?' }).waitFor()
  await page.getByRole('button', { name: 'TAKE OVER' }).waitFor()
  t.home.close()
  t.away.close()
  await t.kill()
  await page.locator('header').getByText('no answer from').waitFor()
  await press(page, 'Enter')
  await page.locator('.notice').filter({ hasText: 'Standby for' }).waitFor({ state: 'detached' })
  t.home = await station(39, t.at.baseStations)
  t.away = await station(63, t.at.baseStations)
  await t.home.receives('the takeover', bytes('WELCOME', HOME))
  await t.away.receives('the takeover', bytes('WELCOME', AWAY))
  await page.locator('[data-key=STOP][aria-disabled=false]').waitFor()
  await press(page, 'Space')
  await both(t, 'STOP after the takeover', bytes('STOP'))
  assert.deepEqual(await page.locator('.goals-of').allTextContents(), ['3', '1'])
  await press(page, 'Alt+KeyR')
  await proposal(page, /RESET/)
  assert.equal(t.home.rest(), '', 'RESET was sent before it was confirmed')
  await press(page, 'Enter')
  await both(t, 'reset', bytes('RESET'))
  await page.locator('.of.home .goals-of').filter({ hasText: '0' }).waitFor()
  await page.locator('.clock-of').filter({ hasText: 'pre-game' }).waitFor()
  await page.close()
}

/** Takes pictures of every page. @param {Table} t @param {string} folder */
export async function refboxAlbum(t, folder) {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    for (const [name, width, height] of /** @type {[string, number, number][]} */ ([['wide', 1600, 900],
      ['tablet', 768, 1024], ['phone', 390, 844]])) {
      for (const [title, url, there] of [['referee', t.at.referee, '[data-key]'],
        ['scoreboard', t.at.scoreboard, '.show-score'], ['teams', t.at.teams, '.health'],
        ['log', t.at.logs + '#token=' + t.at.token, '.logs, .empty']]) {
        const page = await t.open(url, { viewport: { width, height }, colorScheme })
        await page.locator(there).first().waitFor()
        await page.screenshot({ path: `${folder}/${title}-${name}-${colorScheme}.png` })
        await page.close()
      }
    }
  }
}
