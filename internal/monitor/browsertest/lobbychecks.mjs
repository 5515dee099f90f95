// The checks of the lobby's page: thirty teams, the match that is played, and what a stranger changes.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { count, dressed, withProgram } from './checks.mjs'

/** @typedef {import('./sessionchecks.mjs').Tools} Tools */

const KEY = 'a key of sixteen letters'
const NAMES = ['Die Roboterfußballer 7b', ...Array.from({ length: 29 }, (_, i) => `Team ${i + 1}`)]

/** Sends a request to join, as docs/lobby.md says. @param {string} url @param {object} request @param {string} key */
async function join(url, request, key = KEY) {
  const body = JSON.stringify(request)
  const answer = await fetch(url + 'api/lobby/join', { method: 'POST', body, headers: {
    'Touchline-Signature': createHmac('sha256', key).update(body).digest('hex') } })
  return answer.status
}

/** Thirty teams that drive nothing are in the table, and lose; a stranger is only counted. @param {Tools} tools */
async function thirty(tools) {
  const args = ['lobby', '--http', '127.0.0.1:0', '--key', KEY, '--per-address', '30', '--patience', '1s', '--wait-for', '30']
  await withProgram(tools, args, async (page, url) => {
    const { lobby } = await (await fetch(url + 'api/lobby')).json()
    await page.goto(url + 'lobby')
    await page.getByText('no team has joined yet').waitFor()
    let n = 0
    const enter = async () => {
      n++
      for (const name of NAMES) {
        let status = 0
        for (; status !== 200; status = await join(url, { lobby, name, nonce: 'n', count: n, robots: [] })) {
          if (status === 409) n++ // sent again after the lobby held it up
          if (status) await page.waitForTimeout(100)
        }
      }
    }
    await enter()
    assert.equal(await join(url, { lobby, name: 'evil', nonce: 'n', count: 1, robots: [] }, 'another key of 16'), 403)
    await count(page, '.standings tbody tr', 30)
    await page.locator('.join .refused', { hasText: '1 requests' }).waitFor()
    assert.equal(await page.getByText('evil').count(), 0, 'a stranger is in the table')
    await page.locator('.now strong', { hasText: '0 : 0' }).waitFor()
    await dressed(page, /lobby: 30 teams/)
    await page.locator('.results li small', { hasText: 'drove no robot within 1s' }).first().waitFor()
    for (const [width, height] of [[1920, 1080], [1366, 768], [1024, 768], [390, 844]]) {
      await page.setViewportSize({ width, height })
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, `${width} px: too wide`)
      const last = await page.locator('.standings tbody tr').last().boundingBox()
      const panel = await page.locator('.standings').boundingBox()
      assert(last && panel && last.y + last.height <= panel.y + panel.height + 1, `${width} px: the table is cut`)
    }
  })
}

/** The checks of the lobby. @param {Tools} tools @returns {[string, () => Promise<void>][]} */
export const lobbyChecks = (tools) => [['a lobby of thirty teams', () => thirty(tools)]]
