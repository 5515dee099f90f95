// The sizes of the field and the monitors on a page that does not scroll.

export const GAP = 12
const HEAD = 34 // of a panel, px
const SIDE = 124 // figures beside a field, px
export const BELOW = 68 // figures beneath a field, px
export const MOST = 12 // cells that share the height; more make the grid scroll
const SLIM = 200 // px that a monitor's figures need at least
const NARROWEST = 480 // px that the network's table needs at least
const INSET = 8 // around a field, px

/** @typedef {{left: number, columns: number, rows: number, figures: 'side' | 'below', score: number}} Layout */

/** Divides width x height between the large field (with a table of tableHeight beneath) and a grid of cells so that all
 * fields are as large as possible. The large field counts for two thirds of a cell.
 * @param {number} width @param {number} height @param {number} cells
 * @param {{w: number, h: number}} size of a field, m @param {number} tableHeight @returns {Layout} */
export function layout(width, height, cells, size, tableHeight) {
  /** @type {Layout} */
  let best = { left: Math.round(width * 0.4), columns: 1, rows: 1, figures: 'side', score: -Infinity }
  for (let left = NARROWEST; left <= width * 0.66; left += 16) {
    const truth = Math.min((left - 2 * INSET) / size.w, (height - tableHeight - GAP - HEAD - 2 * INSET - 22) / size.h)
    for (let columns = 1; columns <= Math.max(1, cells); columns++) {
      const rows = Math.ceil(Math.max(1, cells) / columns)
      const w = (width - left - columns * GAP) / columns, h = (height - (rows - 1) * GAP) / rows
      for (const figures of /** @type {const} */ (['side', 'below'])) {
        const across = figures === 'side' ? SIDE : 0, down = figures === 'below' ? BELOW : 0
        const cell = Math.min((w - across - 2 * INSET) / size.w, (h - HEAD - down - INSET) / size.h)
        if (truth <= 0 || cell <= 0 || w < SLIM) continue
        const score = Math.log(cell) + 0.66 * Math.log(truth)
        if (score > best.score) best = { left, columns, rows, figures, score }
      }
    }
  }
  return best
}
