// How pages tell one of several robots, links or protocols from the others: by number, shape and colour.

import { html } from '../htm/preact/standalone.module.js'
import { colors } from './theme.js'

/** Corners of the shapes, around a circle of radius 1; 0 is a disc. @type {{name: string, sides: number, turn: number}[]}
 */
const SHAPES = [
  { name: 'disc', sides: 0, turn: 0 }, { name: 'square', sides: 4, turn: 45 }, { name: 'triangle', sides: 3, turn: -90 },
  { name: 'diamond', sides: 4, turn: 0 }, { name: 'pentagon', sides: 5, turn: -90 },
  { name: 'hexagon', sides: 6, turn: 0 },
]
/** Colours of neither the ball nor health: of marks, and of the number on them. */
const LIGHT = ['#1d63b8', '#7a3fb0', '#0b7285', '#8a5230', '#4d5964', '#a83279']
const DARK = ['#74b0f4', '#c19af2', '#54c5d4', '#d3a17c', '#aab6c1', '#ee93cb']

/** @param {number} number */
const place = (number) => (number + SHAPES.length - 1) % SHAPES.length

/** @param {number} number of a robot */
export const colorOf = (number) => (colors.theme === 'dark' ? DARK : LIGHT)[place(number)]

/** @param {number} number of a robot */
const shapeOf = (number) => SHAPES[place(number)].name

/** The corners of a robot's shape; none for a disc. @param {number} number @returns {[number, number][]} */
function corners(number) {
  const { sides, turn } = SHAPES[place(number)]
  return Array.from({ length: sides }, (_, i) => {
    const angle = (turn + 360 * i / sides) * Math.PI / 180
    return [Math.cos(angle), Math.sin(angle)]
  })
}

/** Draws the shape of a robot around a point. @param {CanvasRenderingContext2D} g @param {number} number
 * @param {number} x @param {number} y @param {number} r px */
export function drawShape(g, number, x, y, r) {
  g.beginPath()
  if (place(number) === 0) g.arc(x, y, 0.85 * r, 0, 7)
  else for (const [a, b] of corners(number)) g.lineTo(x + a * r, y + b * r)
  g.closePath()
  g.fill()
}

/** A robot's shape and number, or another text in its place. @param {{number: number, text?: string}} props */
export function Mark({ number, text }) {
  const points = corners(number).map(([x, y]) => `${(10 + 9 * x).toFixed(1)},${(10 + 9 * y).toFixed(1)}`).join(' ')
  return html`<span class="mark" title=${text ? undefined : `robot ${number}: ${shapeOf(number)}`} style=${{ color: colorOf(number) }}>
    <svg viewBox="0 0 20 20" aria-hidden="true">${points ? html`<polygon points=${points} />`
    : html`<circle cx="10" cy="10" r="8" />`}</svg><b>${text ?? number}</b></span>`
}
