// The wall's page: the belief of every robot, and in its second view the network.

/** @import {Wall} from '../types' */
import { extent } from '../shared/field.js'
import { clock } from '../shared/format.js'
import { Header, Waiting } from '../shared/header.js'
import { html } from '../htm/preact/standalone.module.js'
import { NetworkPanel, NetworkView, ROWS } from '../network/network.js'
import { PacketDrawer } from '../network/packets.js'
import { followAccuracy } from '../robot/accuracy.js'
import { isOpen as isReviewing } from '../review/state.js'
import { RobotView } from '../robot/robot.js'
import { NotesPanel, probeNotes } from '../shared/notes.js'
import { start } from '../shared/page.js'
import { list, state } from '../shared/state.js'
import { subscribe } from '../shared/stream.js'
import { readStyle, scrolls } from '../shared/theme.js'
import { Explain } from '../shared/words.js'
import { applySession, followTime, followView, forgetPast, isPast, keepPresent, probePast,
  offerClock, sessionTimes, settledTime } from '../session/past.js'
import { followNotes } from '../session/notes.js'
import { alarmsOfBooking, BookingView } from '../booking/booking.js'
import { applyBooking, booking } from '../booking/state.js'
import { applyBehaviour } from '../behaviour/state.js'
import { MatchHeader } from '../match/header.js'
import { MatchView } from '../match/match.js'
import { applyMatch, match, ofTeam } from '../match/state.js'
import { Beliefs } from './beliefs.js'
import { keepPlace, loadPlace, waitsForPages } from './address.js'
import { keyGroups, onKey, turnField } from './keys.js'
import { isCrowd, layout, parts, sharing } from './layout.js'
import { GameRow, gameHeight } from './game.js'
import { canConnect, Connect, ConnectDrawer, showConnect } from './connect.js'
import { Legend } from './legend.js'
import { Silence } from './silence.js'
import { applyNetwork, applyWall, live, shown, tileOf, watchedSender } from './state.js'
import { Strip } from '../session/strip.js'
import { MessageDrawer } from '../tcm/inspector.js'
import { applyTcm, applyTraffic, messagesTopic, tcm } from '../tcm/state.js'
import { alarmsOfTCM, TcmView } from '../tcm/tcm.js'
import { TilePanel } from './tile.js'
import { Truth } from './truth.js'

/** The topics of every view; in a match those of the shown team. */
const topics = () => ['wall', 'network', ofTeam('teamcom'), ofTeam('booking'), 'behaviour', 'match', 'session']

/** How many values a second each view needs of the topics that it shows in part: a class of thirty shares one network.
 * @returns {Record<string, number>} */
function rates() {
  const few = { [ofTeam('teamcom')]: 0.5, [ofTeam('booking')]: 1, behaviour: 0.5, match: 1, wall: 5 }
  /** @type {Record<typeof live.view, string[]>} */
  const shown = { match: ['match', 'behaviour', ofTeam('booking')], network: [], tcm: [ofTeam('teamcom')],
    booking: ['wall', ofTeam('booking')], robot: ['wall', 'behaviour'], wall: ['wall', ofTeam('booking')],
    projector: ['wall', ofTeam('booking')] }
  return Object.fromEntries(Object.entries(few).filter(([topic]) => !shown[live.view].includes(topic)))
}

/** Where the packets travel. @param {{wall: Wall}} props */
function Transport({ wall }) {
  const { group, interface: name, loopback, trouble } = wall.link
  if (name === 'memory') return html`<span class="warn" title=${trouble}>in memory: no multicast on this machine</span>`
  return loopback ? html`<span title="no packet leaves this machine">loopback only</span>`
    : html`<span class="mono">${name} ${group}</span>`
}

/** How many alarms there are, as one link to the next page that has some: the header has no room for one a page. */
function Alarms() {
  const pages = [
    { view: 'network', name: 'network', n: list(live.network?.alarms).length },
    { view: 'tcm', name: 'TCM', n: alarmsOfTCM().length },
    { view: 'booking', name: 'booking', n: alarmsOfBooking().length },
  ].filter((p) => p.n > 0)
  if (!pages.length) return null
  const all = pages.reduce((sum, p) => sum + p.n, 0), shown = pages.findIndex((p) => p.view === live.view)
  return html`<a class="alarms-on" href=${'#' + pages[(shown + 1) % pages.length].view}
    title=${pages.map((p) => `${p.name}: ${p.n}`).join(', ')}>${all} alarm${all > 1 ? 's' : ''}</a>`
}

function WallHeader() {
  const { wall } = live, extra = html`<${Alarms} />`
  if (live.view === 'match') return html`<${MatchHeader} extra=${extra} />`
  return html`<${Header} here=${['network', 'tcm', 'booking'].includes(live.view) ? live.view : 'wall'} extra=${extra}>
    ${wall && html`${wall.session && html`<span class="session">${wall.session}</span>`}
    ${wall.seed && html`<span class="seed">seed ${wall.seed}</span>`}<${Transport} wall=${wall} />
    <button class="quiet" onClick=${turnField} title="turn the field">
      ${live.frame === 'msl' ? 'Y points to goal' : 'x points to goal'} <kbd>F</kbd></button><${Explain} of="axes" />`}
    ${wall && !wall.paused && (wall.speed || 1) !== 1 && html`<span class="paused">slow motion, ${wall.speed} ×</span>`}
    ${wall && canConnect(wall) && html`<button class="quiet" aria-expanded=${live.connect} onClick=${() => showConnect(!live.connect)}
      title="how to connect your robot">connect <kbd>C</kbd></button>`}
    ${wall?.paused && html`<span class="paused">paused</span>`}
    <span class="clock" aria-label="session time">${wall ? clock(live.at ?? wall.time) : '--:--'}</span><//>`
}

/** Whether nothing but the field is shown: cameras see the robots of another league, which send nothing themselves.
 * @param {Wall} wall */
const isSeen = (wall) => !!(wall.game && wall.truth) && !shown(wall).length

/** Class and sizes of the wall's grid. @param {Wall} wall */
function arrange(wall) {
  const tiles = shown(wall), senders = list(live.network?.senders).length, p = parts()
  const table = live.view === 'projector' ? 3 * p.row : p.head + p.row * (1 + Math.min(ROWS, Math.max(6, senders)))
    + (senders > ROWS ? 28 : 0) + (wall.truth && !wall.game ? p.controls : 0) + 6
  const size = extent(wall.field, live.frame)
  const shape = layout(innerWidth - 3 * p.gap,
    innerHeight - p.bar - p.strip - 2 * p.gap - (wall.silence && tiles.length ? 132 : 0) - gameHeight(wall.game, p),
    sharing(tiles.length, !!wall.game), size,
    table, p)
  if (isSeen(wall)) shape.left = Math.round(Math.min(0.7 * innerWidth,
    size.w / size.h * (innerHeight - p.bar - p.strip - 2 * p.gap - gameHeight(wall.game, p) - p.head - p.row)))
  return {
    class: `wall ${scrolls.matches ? 'flow below' : 'fixed ' + shape.figures} ${tiles.length ? '' : 'bare'}`,
    style: { '--left': shape.left + 'px', '--columns': shape.columns, '--rows': shape.rows,
      '--aspect': size.w / size.h },
  }
}

/** @param {{wall: Wall}} props */
function WallView({ wall }) {
  const tiles = shown(wall), large = live.view === 'projector'
  return html`${wall.game && html`<${GameRow} game=${wall.game} />`}<main ...${arrange(wall)}><div class="left"><${Truth} wall=${wall} />
    ${isSeen(wall) ? null : large ? tiles.length > 0 && html`<${Legend} wall=${wall} />`
    : html`<${NetworkPanel} net=${live.network} wall=${wall} />`}</div>
    <div class="right-side">${wall.silence && html`<${Silence} wall=${wall} />`}
    ${tiles.length > 0 ? html`<div class="grid">
      ${tiles.map((t) => html`<${TilePanel} key=${t.key} tile=${t} wall=${wall} />`)}${
        !isCrowd(tiles.length, !!wall.game) && html`<${Beliefs} wall=${wall} />`}</div>
      ${!large && html`<${Legend} wall=${wall} />`}`
    : isSeen(wall) ? !large && html`<${NetworkPanel} net=${live.network} wall=${wall} />`
    : wall.game ? html`<section class="panel first-robot" aria-label="No robot yet"><div class="head"><h2>No robot yet</h2></div>
      <p class="empty">${wall.game.league === 'HSL'
    ? 'The GameController forwards only what the robots send: it needs their return messages, on UDP port 3939.'
    : 'Robots and ball come from a tracker or from SSL-Vision, but neither is sending.'}</p></section>`
    : html`<section class="panel first-robot" aria-label="Connect your robot">
      <div class="head"><h2>No robot yet: connect yours</h2></div><${Connect} wall=${wall} /></section>`}
      </div></main>`
}

const prompts = { '': '', switch: 'switch off or on: press the robot’s number',
  substitute: 'substitute: press the robot’s number' }

/** The page's subject, and its program. @returns {[string, string]} */
function title() {
  const { wall, view } = live, robot = tileOf(live.sel)
  const page = view === 'robot' && robot ? `robot ${robot.number}` : view === 'tcm' ? 'TCM' : view
  const of = wall?.story?.heading || (wall?.game?.part && `${wall.game.home.name} ${wall.game.home.score}:${wall.game.away.score} ${
    wall.game.away.name}`) || (match.view ? `${match.view.home.name} ${match.view.home.tally.goals}:${match.view.away.tally.goals} ${
    match.view.away.name}` : wall?.session)
  return [page, of ?? '']
}

let styled = '' // the view whose style was read

function App() {
  const { wall, network, sel, view } = live
  document.body.classList.toggle('projector', view === 'projector')
  document.body.classList.toggle('match-page', view === 'match')
  if (styled !== view) {
    styled = view
    readStyle()
  }
  return html`<${WallHeader} />
    ${wall?.link.trouble && html`<p class="trouble" role="alert">${wall.link.trouble}</p>`}
    ${!wall || waitsForPages() ? html`<${Waiting} />`
    : view === 'network' ? html`<${NetworkView} net=${network} wall=${wall} />`
    : view === 'tcm' ? html`<${TcmView} /><${Strip} />`
    : view === 'match' ? html`<${MatchView} />${isPast() && !isReviewing() && html`<${Strip} />`}`
    : view === 'booking' ? html`<${BookingView} wall=${wall} />${(!wall.story || isPast()) && html`<${Strip} />`}`
    : view === 'robot' ? html`<${RobotView} wall=${wall} /><${Strip} />`
      : html`<${WallView} wall=${wall} /><${Strip} />`}
    ${wall && live.connect && canConnect(wall) && html`<${ConnectDrawer} wall=${wall} />`}
    <${NotesPanel} />
    ${live.bytes && html`<${PacketDrawer} name=${sel} view=${live.packets} />`}
    ${view === 'tcm' && tcm.open && html`<${MessageDrawer} />`}
    ${live.chord && html`<p class="toast" role="status">${prompts[live.chord]}</p>`}`
}

let followed = '' // the subscription for the open view and drawer

/** Subscribes to the packets or the messages of the open drawer. */
function followSelection() {
  followView()
  const watched = watchedSender()
  const now = !live.wall || isPast() ? [] : live.view === 'tcm' ? ['messages', messagesTopic()]
    : [watched && 'packets/' + watched]
  const all = [...topics(), ...now.filter((topic) => topic)]
  const asked = JSON.stringify([all, rates()])
  if (asked !== followed) {
    followed = asked
    if (!isPast()) live.packets = null
    subscribe(all, rates())
  }
}

/** The text whose changes are rendered at once. */
function outline() {
  const w = live.wall
  return w ? [state.run, isPast(), match.away, match.sel, match.view?.phase, match.view?.paused, match.view?.speed, w.paused, w.controls, w.story?.figure, w.story?.reached, w.story?.over, w.story?.booking, w.link.trouble, !!w.silence, !!w.truth, JSON.stringify(w.game),
    live.packets?.packets?.[0]?.time, tcm.messages?.messages?.[0]?.time,
    ...list(booking.view?.robots).map((r) => r.booker),
    ...list(w.tiles).flatMap((t) => [t.key, t.state, t.number, t.sender])].join() : ''
}

/** Shows a topic of one team, unless the page shows the other one by now. @param {string} topic @param {any} value */
function receiveOfTeam(topic, value) {
  if (topic === ofTeam('teamcom')) applyTcm(value)
  else if (topic === ofTeam('booking')) applyBooking(value)
}

/** @param {string} topic @param {any} value */
function receive(topic, value) {
  if (topic === 'session') {
    applySession(value)
    followNotes(value)
  } else if (isPast()) keepPresent(topic, value)
  else if (topic === 'match') applyMatch(value)
  else if (/^(teamcom|booking)/.test(topic)) receiveOfTeam(topic, value)
  else if (topic === 'behaviour') applyBehaviour(value)
  else if (topic === 'messages') applyTraffic(value)
  else if (topic.startsWith('messages/')) tcm.messages = value
  else if (topic === 'wall') applyWall(value)
  else if (topic === 'network') applyNetwork(value)
  else live.packets = value
}

function help() {
  const controls = live.wall?.controls ?? false
  const has = { '': true, controls, group: !!live.wall && canConnect(live.wall), match: !!match.view, story: !!live.wall?.story, tcm: state.pages.includes('tcm') }
  return {
    groups: keyGroups.map(([name, rows]) => /** @type {const} */ ([name, rows.filter(([, , needs]) => has[needs])])),
    note: controls ? '' : 'View only: this page has no session to control.',
  }
}

start({
  token: true,
  place: () => {
    loadPlace()
    followTime()
  },
  App: () => {
    keepPlace()
    followSelection()
    followAccuracy()
    return html`<${App} />`
  },
  title, help, onKey, topics, receive, restart: forgetPast, outline, times: sessionTimes,
    probe: () => ({ frame: live.frame, match: match.view?.time ?? 0, time: live.wall?.time ?? 0, past: probePast(),
      ...probeNotes(),
      settled: settledTime() }),
})
offerClock()
