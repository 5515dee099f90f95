// How to read a monitor: each glyph with its meaning.

/** @import {Wall} from '../types' */
import { html } from '../htm/preact/standalone.module.js'

const BODY = 'M14.4 8 9.8 13.2 4 12.6 4 3.4 9.8 2.8Z' // five sides that point along the heading

/** @param {Wall} wall @returns {[string, unknown][]} */
const rows = (wall) => [
  ['own robot', html`<svg viewBox="0 0 18 16"><path d=${BODY} fill="var(--cyan)" stroke="var(--ink)"
    stroke-width="1.8" /></svg>`],
  ...wall.truth ? /** @type {[string, unknown][]} */ ([['ground truth', html`<svg viewBox="0 0 34 16">
    <rect x="2" y="3" width="10" height="10" rx="1" class="truth-line" /><circle cx="26" cy="8" r="5.4"
    class="truth-line" /></svg>`]]) : [],
  ['reported by others', html`<svg viewBox="0 0 34 16"><path d=${BODY} fill="var(--cyan)" fill-opacity=".25"
    stroke="var(--cyan)" stroke-width="1.2" /><circle cx="26" cy="8" r="4.6" fill="var(--ball)"
    fill-opacity=".5" /></svg>`],
  ['ball', html`<svg viewBox="0 0 18 16"><path d="M6 9 16 4" stroke="var(--ball)" stroke-width="1.8" />
    <circle cx="6" cy="9" r="4.6" fill="var(--ball)" /></svg>`],
  ['uncertainty', html`<svg viewBox="0 0 24 16"><ellipse cx="12" cy="8" rx="10.5" ry="5.5" fill="var(--ball)"
    fill-opacity=".16" stroke="var(--ball)" /></svg>`],
  ['obstacle', html`<svg viewBox="0 0 14 16"><rect x="2" y="3" width="10" height="10" rx="1" fill="var(--obstacle)" />
    </svg>`],
]

/** @param {{wall: Wall}} props */
export function Legend({ wall }) {
  return html`<div class="legend" aria-label="legend">${rows(wall).map(([text, glyph]) =>
    html`<span>${glyph}${text}</span>`)}</div>`
}
