// The checks of a robot's state machine: what a demo's robots decide, and the drawing of machines.

import assert from 'node:assert/strict'
import { all, until } from './checks.mjs'

/** @typedef {import('playwright-core').Page} Page */

/** A robot in large shows its active states and the last minute, though its machine is unknown. @param {Page} page */
async function states(page) {
  await page.keyboard.press('w')
  await page.locator('.tile:not(.all)').first().click()
  await page.locator('.one-robot').waitFor()
  await page.keyboard.press('e')
  try {
    const panel = page.locator('.behaviour[data-robot]')
    await panel.locator('.nested.inner').waitFor()
    const inner = await panel.getAttribute('data-state')
    assert.ok(inner, 'no active state')
    assert.match(await panel.locator('.now').innerText(), /^play ›\s*\S/)
    await until(page, 'states of the last minute', (d) => all(d.pictures.states, 'state').length > 0)
    assert.match(await page.evaluate(() => location.hash), /show=states/)
    assert.match(await panel.locator('[aria-label="time in each state"]').innerText(), /\d s/)
    await page.keyboard.press('e')
    await panel.waitFor({ state: 'detached' })
  } finally {
    await page.keyboard.press('w')
  }
}

/** Machines are laid out without overlaps, every arrow ends at its states, and labels cover nothing. @param {Page} page */
async function layout(page) {
  const faults = await page.evaluate(async () => {
    const { layoutMachine, placeLabels } = await import(String(new URL('behaviour/layout.js', location.href)))
    /** @type {string[]} */
    const faults = []
    let seed = 7
    const draw = (/** @type {number} */ n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n
    const measure = (/** @type {string} */ text) => 8 * text.length
    for (let n = 1; n <= 24; n++) {
      const states = Array.from({ length: n }, (_, i) => ({ name: `state ${i}`,
        in: i > 2 && draw(3) > 0 ? `state ${draw(i)}` : '', behaviour: 'x' }))
      const transitions = Array.from({ length: 2 * n }, () => ({ from: `state ${draw(n)}`, to: `state ${draw(n + 1)}`,
        when: 'has ball & near' }))
      const p = layoutMachine({ name: 'm', states, transitions }, 300 + draw(900), 200 + draw(600), measure)
      if (p.boxes.length !== n) faults.push(`${p.boxes.length} boxes of ${n} states`)
      const overlap = (/** @type {any} */ a, /** @type {any} */ b) => a.x < b.x + b.w && a.x + a.w > b.x && a.y < b.y + b.h
        && a.y + a.h > b.y
      for (const a of p.boxes) {
        if (a.x < 0 || a.y < 0 || a.x + a.w > p.w + 1e-6 || a.y + a.h > p.h + 1e-6) faults.push(`${n}: ${a.name} is outside`)
        for (const b of p.boxes) {
          const inside = b.parents.includes(a.name)
          if (inside && !(b.x > a.x && b.y > a.y && b.x + b.w < a.x + a.w && b.y + b.h < a.y + a.h)) {
            faults.push(`${n}: ${b.name} is not inside ${a.name}`)
          }
          if (a !== b && !inside && !a.parents.includes(b.name) && overlap(a, b)) faults.push(`${n}: ${a.name} covers ${b.name}`)
        }
      }
      if (p.arrows.some((/** @type {any} */ a) => ![a.from.x, a.from.y, a.by.x, a.by.y, a.to.x, a.to.y].every(Number.isFinite))) {
        faults.push(`${n}: an arrow leads nowhere`)
      }
      const labels = placeLabels(p.arrows, p.boxes, measure, p.w, (/** @type {any} */ t) => t.when)
      for (const l of labels) {
        const area = { x: l.x - l.w / 2, y: l.y - 8, w: l.w, h: 16 }
        if (p.boxes.some((/** @type {any} */ b) => b.leaf && overlap(area, b))) faults.push(`${n}: a label covers a state`)
      }
    }
    const loop = { name: 'm', states: [{ name: 'a', in: 'b' }, { name: 'b', in: 'a' }, { name: 'c', in: 'nowhere' }],
      transitions: [] }
    if (layoutMachine(loop, 500, 500, measure).boxes.length !== 3) faults.push('states inside themselves are lost')
    return faults
  })
  assert.deepEqual(faults, [])
}

/** The checks of a demo's page. @type {[string, (page: Page) => Promise<void>][]} */
export const behaviourChecks = [
  ['what a robot of a demo decides', states],
  ['the layout of state machines', layout],
]

