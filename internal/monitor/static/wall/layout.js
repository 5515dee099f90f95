// The sizes of the field and the monitors on a page that does not scroll.

export const MOST = 12 // cells that share the height; more make the grid scroll

/** Robots from which on a game of large teams shows all of them, without their figures. */
const CROWD = 20

/** Whether a game has so many robots that their tiles show no figures. @param {number} tiles @param {boolean} game a game
 * of another league */
export const isCrowd = (tiles, game) => game && tiles >= CROWD

/** The cells that share the height: the robots of a crowd, or robots and all beliefs. @param {number} tiles
 * @param {boolean} game */
export const sharing = (tiles, game) => isCrowd(tiles, game) ? tiles : Math.min(MOST, tiles ? tiles + 1 : 1)

// head: of a panel; side: width of the figures beside a field; tall: their height; short: that of two of
// them; below: height of those beneath it;
// row: of the network's table; strip: the footer; bar: the header; legend: the line beneath the monitors; controls: the
// line beneath the table; slim: least width of a monitor; narrow: least width of the table;
// inset: around a field; game: the row of another league’s game; share: how much the large field counts beside a monitor's, without a unit.
const names = /** @type {const} */ (['head', 'side', 'tall', 'short', 'below', 'row', 'strip', 'bar', 'legend', 'controls',
  'slim', 'narrow', 'inset', 'share', 'game'])

/** Sizes of the page's parts in px. @typedef {Record<'gap' | (typeof names)[number], number>} Parts */

/** Reads the sizes that wall.css sets for a small window, a large one or a projector. @returns {Parts} */
export function parts() {
  const css = getComputedStyle(document.body)
  const px = names.map((name) => [name, parseFloat(css.getPropertyValue('--' + name))])
  return { gap: 12, ...Object.fromEntries(px) }
}

const KINDS = /** @type {const} */ (['side', 'below'])
const CROWDED = /** @type {const} */ (['below bare-tiles'])

/** @typedef {{left: number, columns: number, rows: number, figures: 'side' | 'side short' | 'below' | 'below bare-tiles',
 * score: number}} Layout */

/** Divides width x height between the large field (with a table of tableHeight beneath) and a grid of cells so that all
 * fields are as large as possible.
 * @param {number} width @param {number} height @param {number} cells
 * @param {{w: number, h: number}} size of a field, m @param {number} tableHeight @param {Parts} p @returns {Layout} */
export function layout(width, height, cells, size, tableHeight, p) {
  /** @type {Layout} */
  let best = { left: Math.round(width * 0.4), columns: 1, rows: 1, figures: 'side', score: -Infinity }
  const crowd = cells > MOST
  if (crowd) p = { ...p, below: 0, slim: p.slim * 0.4 }
  for (let left = p.narrow; left <= width * 0.66; left += 16) {
    const reading = tableHeight ? tableHeight + p.gap : 0
    const truth = Math.min((left - 2 * p.inset) / size.w, (height - reading - p.head - 2 * p.inset - p.row) / size.h)
    for (let columns = 1; columns <= Math.max(1, cells); columns++) {
      const rows = Math.ceil(Math.max(1, cells) / columns)
      const w = (width - left - columns * p.gap) / columns
      const h = (height - p.legend - rows * p.gap) / rows
      for (const figures of crowd ? CROWDED : KINDS) {
        const across = figures === 'side' ? p.side : 0, down = figures === 'side' ? 0 : p.below
        const cell = Math.min((w - across - 2 * p.inset) / size.w, (h - p.head - down - p.inset) / size.h)
        const low = figures === 'side' && h - p.head < p.tall // many rows leave room for two figures
        if (truth <= 0 || cell <= 0 || w < p.slim || low && (rows < 4 || h - p.head < p.short)) continue
        const score = Math.log(cell) + p.share * Math.log(truth)
        if (score > best.score) best = { left, columns, rows, figures: low ? 'side short' : figures, score }
      }
    }
  }
  return best
}
