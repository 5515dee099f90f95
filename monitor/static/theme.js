// The page's colours for canvases, read from style.css whenever the system changes between light and dark.

const names = ['pitch', 'line', 'goal', 'ink', 'dim', 'hair', 'panel', 'ball', 'cyan', 'magenta', 'blue', 'yellow', 'on-blue', 'on-yellow', 'wall', 'obstacle', 'ok', 'warn', 'bad', 'focus']

/** @type {Record<string, string>} */
export const colors = { name: '', onTeam: '' }

export function readColors() {
  const css = getComputedStyle(document.documentElement)
  for (const name of names) colors[name] = css.getPropertyValue('--' + name).trim()
  colors.onTeam = css.getPropertyValue('--on-team').trim()
  colors.name = dark.matches ? 'dark' : 'light'
}

export const dark = matchMedia('(prefers-color-scheme: dark)')
export const flow = matchMedia('(max-width: 1179px), (max-height: 639px)') // such a page scrolls
export const still = matchMedia('(prefers-reduced-motion: reduce)')
