// How large the field and the monitors are on a page that does not scroll.

export const GAP = 12
export const HEAD = 34 // of a panel, px
export const SIDE = 124 // figures beside a field, px
export const BELOW = 58 // figures beneath a field, px
const NARROWEST = 480 // px that the table of the network needs
const INSET = 8 // around a field, px

/** @typedef {{left: number, columns: number, figures: 'side' | 'below', score: number}} Layout */

/** Shares width x height between the true field (with a table of tableHeight beneath) and a grid of cells, so that the
 * fields are as large as can be; the first field counts for two thirds of a cell.
 * @param {number} width @param {number} height @param {number} cells
 * @param {{w: number, h: number}} size of a field, m @param {number} tableHeight @returns {Layout} */
export function layout(width, height, cells, size, tableHeight) {
  /** @type {Layout} */
  let best = { left: Math.round(width * 0.4), columns: 1, figures: 'side', score: -Infinity }
  for (let left = NARROWEST; left <= width * 0.66; left += 16) {
    const truth = Math.min((left - 2 * INSET) / size.w, (height - tableHeight - GAP - HEAD - 2 * INSET - 22) / size.h)
    for (let columns = 1; columns <= Math.max(1, cells); columns++) {
      const rows = Math.ceil(Math.max(1, cells) / columns)
      const w = (width - left - columns * GAP) / columns, h = (height - (rows - 1) * GAP) / rows
      for (const figures of /** @type {const} */ (['side', 'below'])) {
        const across = figures === 'side' ? SIDE : 0, down = figures === 'below' ? BELOW : 0
        const cell = Math.min((w - across - 2 * INSET) / size.w, (h - HEAD - down - INSET) / size.h)
        if (truth <= 0 || cell <= 0) continue
        const score = Math.log(cell) + 0.66 * Math.log(truth)
        if (score > best.score) best = { left, columns, figures, score }
      }
    }
  }
  return best
}
