// The first page of a session: five tiles that move, each with one line, and each opens what it shows.

/** @import {Preview} from '../types' */
/** @import {Pen} from '../shared/canvas.js' */
import { html } from '../htm/preact/standalone.module.js'
import { Canvas } from '../shared/canvas.js'
import { circle, line } from '../shared/draw.js'
import { drawBall, drawField, drawObstacle, drawRobot, project } from '../shared/field.js'
import { Header } from '../shared/header.js'
import { isForPage, keyOf } from '../shared/keyboard.js'
import { start } from '../shared/page.js'
import { list, state } from '../shared/state.js'
import { colors } from '../shared/theme.js'
import { drawGame } from '../vss/figures.js'
import { makeLie } from '../wall/lie.js'

/** A tile: its topic, its title, one line, where it leads, and its key.
 * @typedef {{topic: string, key: string, title: string, line: string, href: string, lies?: boolean}} Tile */

/** @type {Tile[]} */
const tiles = [
  { topic: 'session', key: '1', title: 'The session', href: 'wall#wall',
    line: 'Five robots share one ball over real packets. See what each of them believes.' },
  { topic: 'football', key: '2', title: 'Football', href: 'football/',
    line: 'Five against five, a referee, goals. Pause it, crash robots, lose messages.' },
  { topic: 'story-booking', key: '3', title: 'Who goes to the ball?', href: 'story-booking/',
    line: 'A story in five figures: three robots agree on one of them, without a leader.' },
  { topic: 'simulator', key: '4', title: 'The simulator', href: 'simulator/',
    line: 'The Very Small Size league, in place of FIRASim. With your own team: touchline sim vss' },
  { topic: 'story-liar', key: '5', title: 'Make a robot lie', href: 'wall#wall', lies: true,
    line: 'It mistakes one half of the field for the other. Watch how soon its teammates notice.' },
]

/** The newest value of each topic. @type {Record<string, any>} */
const shown = {}

/** The session, once the page knows it. @returns {Promise<Preview>} */
const session = () => new Promise((ok) => {
  const look = () => shown.session ? ok(shown.session) : setTimeout(look, 50)
  look()
})

/** @param {Pen} pen @param {Preview} value */
function drawPreview(pen, { field, scene, said }) {
  if (!scene) return
  const v = project(field, 'x', pen.w, pen.h)
  drawField(pen, v)
  for (const o of list(scene.obstacles)) drawObstacle(pen, v, o, { least: 4 })
  for (const r of list(scene.robots)) drawRobot(pen, v, r, 'true', 9)
  for (const r of list(said)) {
    const is = list(scene.robots).find((o) => o.number === r.number)
    pen.g.strokeStyle = colors.bad
    pen.g.lineWidth = 1.5
    if (is) line(pen.g, v.at(is.pose.x, is.pose.y), v.at(r.pose.x, r.pose.y))
    circle(pen.g, ...v.at(r.pose.x, r.pose.y), 16)
    pen.g.stroke()
    drawRobot(pen, v, r, 'reported', 9)
  }
  drawBall(pen, v, scene.ball, { least: 5, height: true })
}

/** @param {Pen} pen @param {string} topic */
function draw(pen, topic) {
  const value = shown[topic]
  if (!value) return
  if (topic === 'simulator') drawGame(pen, project(value.field, 'x', pen.w, pen.h), value)
  else drawPreview(pen, value)
}

/** Where a tile leads: on a page that commands nothing, the story shows the lie. @param {Tile} tile */
const hrefOf = (tile) => tile.lies && state.viewOnly ? tile.topic + '/' : tile.href

/** @param {Tile} tile */
async function open(tile) {
  if (tile.lies && !state.viewOnly) {
    const { said, scene } = await session()
    if (!list(said).length && !await makeLie(list(scene?.robots))) return
  }
  location.href = hrefOf(tile)
}

/** @param {{tile: Tile}} props */
function TileLink({ tile }) {
  const text = shown[tile.topic]?.text
  const press = (/** @type {Event} */ e) => {
    if (!tile.lies || state.viewOnly) return
    e.preventDefault()
    void open(tile)
  }
  return html`<a class="panel start-tile ${tile.lies ? 'lies' : ''}" href=${hrefOf(tile)} data-tile=${tile.topic} onClick=${press}>
    <div class="stage"><${Canvas} name=${tile.topic} label=${`${tile.title}: what happens there now`}
      draw=${(/** @type {Pen} */ pen) => draw(pen, tile.topic)} />${text && html`<span class="start-text">${text}</span>`}</div>
    <h2>${tile.lies && state.viewOnly ? 'A robot lies' : tile.title} <kbd>${tile.key}</kbd></h2><p>${tile.line}</p></a>`
}

function App() {
  return html`<${Header} here="start"><span title="no packet leaves this machine">${state.link === 'open' ? 'running' : ''}</span><//>
    <main class="start"><h2 class="asks">A robot-soccer field in one program. Where do you want to look?</h2>
    <div class="start-tiles">${tiles.map((t) => html`<${TileLink} key=${t.topic} tile=${t} />`)}</div>
    <p class="dim">More stories: <a href="story-liar/">a robot lies</a>, <a href="story-network/">a bad network</a>.
      To connect your own robots, open the <a href="wall#wall">session</a> and press <kbd>C</kbd>.</p></main>`
}

/** @param {KeyboardEvent} e */
function onKey(e) {
  const tile = tiles.find((t) => t.key === keyOf(e))
  if (!tile || !isForPage(e)) return
  void open(tile)
  e.preventDefault()
}

// A link to a view of the wall, as other programs of touchline have it at their bare address.
if (location.hash) location.replace('wall' + location.hash)

start({
  App, onKey, title: () => ['start'], help: () => ({ groups: [['Tiles', tiles.map((t) => [t.key, t.title])]] }),
  topics: () => tiles.map((t) => 'preview/' + t.topic),
  receive: (topic, value) => { shown[topic.replace('preview/', '')] = value },
  outline: () => tiles.map((t) => shown[t.topic]?.text ?? '').join(),
})
