// The match's view: five against five, read from three metres.

/** @import {MatchRobot, MatchShowTeam, MatchShowView} from '../types' */
import { BehaviourPanel } from '../behaviour/behaviour.js'
import { ChaosPanel } from '../booking/chaos.js'
import { LanesPanel } from '../booking/lanes.js'
import { html } from '../htm/preact/standalone.module.js'
import { ReviewPanel } from '../review/review.js'
import { closeReview, isOpen as isReviewing, prepareReview } from '../review/state.js'
import { isPast, past } from '../session/past.js'
import { list } from '../shared/state.js'
import { MatrixPanel } from '../tcm/matrix.js'
import { nodes } from '../tcm/state.js'
import { MatchField } from './field.js'
import { playAgain } from './header.js'
import { Possession } from './possession.js'
import { decides, doing, keyOf, match, openDecisions, otherTeam, robotsOf, sideOf } from './state.js'

const LANES = 20 // s of the booking that are shown

/** A robot's number; its state beneath. @param {{r: MatchRobot}} props */
function Chip({ r }) {
  const level = !r.running ? 'dead' : r.booker ? 'books' : ''
  return html`<button class="chip ${level}" data-robot=${keyOf(r)} aria-pressed=${match.sel === keyOf(r)}
    title=${`${sideOf(r)} ${r.number}: ${doing(r)}${r.booker ? ', has booked the ball' : ''}; its state machine`}
    onClick=${() => openDecisions(keyOf(r))}>
    <b class=${r.color ? 'magenta' : 'cyan'}>${r.number}</b><span>${doing(r)}</span></button>`
}

/** The states of the team whose booking is not shown. @param {{view: MatchShowView, away: boolean}} props */
const States = ({ view, away }) => html`<section class="panel states" aria-label=${`States of ${away ? view.away.name
  : view.home.name}`}>${robotsOf(view, away).map((r) => html`<${Chip} key=${r.number} r=${r} />`)}</section>`

/** The panel that makes trouble for the shown team. @param {{view: MatchShowView, team: MatchShowTeam}} props */
function Trouble({ view, team }) {
  const tiles = robotsOf(view, match.away).map((r) => ({ key: keyOf(r), number: r.number, real: false,
    state: r.running ? 'live' : 'off', penalised: r.penalised }))
  return html`<${ChaosPanel} wall=${{ tiles, apart: team.apart, unreached: [], controls: view.controls && !isPast(),
    link: { loss: view.loss, delay: view.delay }, speed: 1, team: sideOf(team) }} />`
}

/** Chooses the team whose booking and links are shown. @param {{view: MatchShowView}} props */
const TeamChoice = ({ view }) => html`<span class="team-choice" role="group" aria-label="team">
  ${[view.home, view.away].map((t, i) => html`<button aria-pressed=${match.away === !!i}
    title=${`${t.name}: its booking, links and trouble (O)`} class=${i ? 'magenta' : 'cyan'}
    onClick=${() => match.away === !!i || otherTeam()}>${i ? 'away' : 'home'}</button>`)}</span>`

/** The state machine of the selected robot. @param {{view: MatchShowView, r: MatchRobot}} props */
const Decisions = ({ view, r }) => html`<${BehaviourPanel} robot=${decides(view, r)}>
  <span class="badge ${r.color ? 'magenta' : 'cyan'}">${r.number}</span>
  <button class="close" onClick=${() => openDecisions('')}>close <kbd>Esc</kbd></button><//>`

/** The right side of the page: the shown team. @param {{view: MatchShowView}} props */
function Sides({ view }) {
  const shown = match.away ? view.away : view.home, chosen = list(view.robots).find((r) => keyOf(r) === match.sel)
  if (chosen) return html`<div class="match-side one"><${Decisions} view=${view} r=${chosen} /></div>`
  const recorded = past.session?.live === false // nobody can make trouble in it
  const stateOf = (/** @type {number} */ number) => {
    const r = robotsOf(view, match.away).find((r) => r.number === number)
    return r ? { text: doing(r), dead: !r.running } : undefined
  }
  return html`<div class="match-side"><${LanesPanel} most=${LANES} stateOf=${stateOf} choice=${html`<${TeamChoice} view=${view} />`} />
    <${States} view=${view} away=${!match.away} />
    <div class="match-low ${recorded ? 'alone' : ''}">${nodes().length > 0 ? html`<${MatrixPanel} />`
    : html`<section class="panel links" aria-label="Links"><p class="empty">No reports of the links.</p></section>`}
    ${!recorded && html`<${Trouble} view=${view} team=${shown} />`}</div></div>`
}

/** The result, once the match is over, and the way to another one. @param {{view: MatchShowView}} props */
const FullTime = ({ view }) => view.phase === 'full time' && html`<div class="full-time" role="status"><small>full time</small>
  <p><span>${view.home.name}</span><b>${view.home.tally.goals} : ${view.away.tally.goals}</b><span>${view.away.name}</span></p>
  ${view.controls && !isPast() && html`<button class="begin" onClick=${playAgain} title="another game, with the next seed">again?</button>`}</div>`

export function MatchView() {
  if (past.session?.ready === 1 && !past.session.live) prepareReview(past.session.file)
  const { view } = match
  if (isReviewing()) return html`<main class="reviewing"><${ReviewPanel} close=${closeReview} many /></main>`
  if (!view) return html`<main class="page"><p class="empty">No match here: start one with touchline demo --match.</p></main>`
  return html`<main class="match"><section class="panel match-main" aria-label="Field"><${MatchField} view=${view} /><${FullTime} view=${view} />
    <${Possession} view=${view} /></section><${Sides} view=${view} /></main>`
}
