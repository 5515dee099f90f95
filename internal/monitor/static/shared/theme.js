// Colours and fonts of canvases, as the page's style sheets set them.

const names = ['pitch', 'line', 'goal', 'ink', 'dim', 'hair', 'panel', 'ball', 'cyan', 'magenta', 'blue', 'yellow',
  'on-team', 'on-blue', 'on-yellow', 'wall', 'obstacle', 'ok', 'warn', 'amber', 'bad', 'focus']

const family = 'system-ui, "Segoe UI", Roboto, sans-serif'

/** Fonts of canvases: small for scales, label for marks and numbers, large for kicks. bold: at
 * least as large as a digit. */
export const fonts = { small: '', label: '', large: '',
  bold: (/** @type {number} */ px) => `600 ${Math.max(px, sizes.least).toFixed(1)}px ${family}` }

/** Sizes of canvases in px: of small text, and of the smallest number in a glyph. glyph: of glyphs, 1 in a
 * small window. */
export const sizes = { small: 11, least: 10, glyph: 1 }

/** @type {Record<string, string>} */
export const colors = { theme: '' }

const dark = matchMedia('(prefers-color-scheme: dark)')
export const scrolls = matchMedia('(max-width: 1179px), (max-height: 639px)') // pages scroll on such windows
export const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)')

/** Reads colours and sizes of shared.css and of the page's own style. */
export function readStyle() {
  const css = getComputedStyle(document.body)
  const px = (/** @type {string} */ name) => parseFloat(css.getPropertyValue(name))
  for (const name of names) colors[name] = css.getPropertyValue('--' + name).trim()
  colors.theme = dark.matches ? 'dark' : 'light'
  const small = px('--mark'), number = px('--number'), glyph = px('--glyph')
  Object.assign(sizes, { small, least: px('--digit'), glyph })
  Object.assign(fonts, { small: `${small}px ${family}`, label: `600 ${number}px ${family}`,
    large: `600 ${number * 4 / 3}px ${family}` })
}

/** Reads colours and sizes now and after every change of the system's theme or the window.
 * @param {() => void} changed */
export function followTheme(changed) {
  readStyle()
  const again = () => {
    readStyle()
    changed()
  }
  dark.addEventListener('change', again)
  addEventListener('resize', again)
}
