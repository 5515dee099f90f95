// Colours and fonts of canvases. The colours are those of shared.css, read again when the system's theme changes.

const names = ['pitch', 'line', 'goal', 'ink', 'dim', 'hair', 'panel', 'ball', 'cyan', 'magenta', 'blue', 'yellow',
  'on-team', 'on-blue', 'on-yellow', 'wall', 'obstacle', 'ok', 'warn', 'bad', 'focus']

const family = 'system-ui, "Segoe UI", Roboto, sans-serif'

/** Fonts of canvases: small for scales, label for marks and numbers, large for kicks. */
export const fonts = { small: '11px ' + family, label: '600 12px ' + family, large: '600 16px ' + family,
  bold: (/** @type {number} */ px) => `600 ${px.toFixed(1)}px ${family}` }

/** @type {Record<string, string>} */
export const colors = { theme: '' }

const dark = matchMedia('(prefers-color-scheme: dark)')
export const scrolls = matchMedia('(max-width: 1179px), (max-height: 639px)') // pages scroll on such windows
export const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)')

function readColors() {
  const css = getComputedStyle(document.documentElement)
  for (const name of names) colors[name] = css.getPropertyValue('--' + name).trim()
  colors.theme = dark.matches ? 'dark' : 'light'
}

/** Reads the colours now and after every change of the system's theme. @param {() => void} changed */
export function followTheme(changed) {
  readColors()
  dark.addEventListener('change', () => {
    readColors()
    changed()
  })
}
