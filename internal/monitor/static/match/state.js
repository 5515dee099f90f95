// The data of the match's page: the match, the team whose booking and links are shown, and the selected robot.

/** @import {BehaviourRobot, MatchRobot, MatchShowTeam, MatchShowView} from '../types' */
import { behaviourOf } from '../behaviour/state.js'
import { change, keepSample, list } from '../shared/state.js'

export const match = {
  view: /** @type {MatchShowView | null} */ (null),
  away: false, // the away team's booking and links are shown
  trail: /** @type {{t: number, x: number, y: number}[]} */ ([]), // of the ball, oldest first
  shots: false, // the shots are shown
  heat: false, // it is shown where the teams had the ball
  sel: '', // key of the robot whose state machine is open, such as away/3; '' for none
}

export const AWAY = 10 // pages of robots: home's have their numbers, away's this much more

export const TRAIL = 1.5 // s of the ball's way that are shown
const CARRIED = 1.5 // m in one step: the ball was carried there

/** Shows a view of the match, with the ball's way up to it. @param {MatchShowView} view */
export function applyMatch(view) {
  match.view = view
  const { trail } = match, last = trail.at(-1), { x, y } = view.ball
  if (last && (view.time < last.t || Math.hypot(x - last.x, y - last.y) > CARRIED)) trail.length = 0
  keepSample(trail, { t: view.time, x, y }, TRAIL)
}

/** Forgets another run of the program. */
export const forgetMatch = () => change(match, { view: null, trail: [] })

/** Shows the shots, or hides them. */
export const toggleShots = () => change(match, { shots: !match.shots })

/** Shows where the teams had the ball, or hides it. */
export const toggleHeat = () => change(match, { heat: !match.heat })

/** Whether a robot of a match talks over the TCM only, so that it sends no packages. @param {{sender: string}} tile */
export const sendsNone = (tile) => !!match.view && !tile.sender

/** The topic of the shown team. @param {string} topic */
export const ofTeam = (topic) => match.away ? topic + '.away' : topic

/** The query that names the shown team in requests for the past. */
export const teamKey = () => match.away ? 'key=away&' : ''

/** The side of a robot in commands and keys. @param {{color: number}} r */
export const sideOf = (r) => r.color ? 'away' : 'home'

/** @param {MatchRobot} r */
export const keyOf = (r) => `${sideOf(r)}/${r.number}`

/** The robots of one team. @param {MatchShowView} view @param {boolean} away @returns {MatchRobot[]} */
export const robotsOf = (view, away) => list(view.robots).filter((r) => (r.color === 1) === away)

/** The team of a robot. @param {MatchShowView} view @param {{color: number}} r @returns {MatchShowTeam} */
export const teamOf = (view, r) => r.color ? view.away : view.home

/** The content of a robot's debug records. @param {MatchShowView} view @param {MatchRobot} r @returns {BehaviourRobot | undefined} */
export const decides = (view, r) => behaviourOf(r.number, teamOf(view, r).group)

/** A robot's state in a word or two. @param {MatchRobot} r */
export const doing = (r) => !r.running ? 'crashed' : !r.on ? 'off the field' : r.state || '–'

/** Shows the other team's booking and links. */
export const otherTeam = () => change(match, { away: !match.away })

/** Opens the state machine of a robot; that of the open one is closed. @param {string} key */
export const openDecisions = (key) => change(match, { sel: match.sel === key ? '' : key })
