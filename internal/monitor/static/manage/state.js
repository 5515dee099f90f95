// The data of a robot's page: what its manager knows of it, the newest picture, and what this page asks for.

/** @import {Still} from '../shared/picture.js' */
/** @import {ManagernetView, ManagerCheckView as CheckView, ManagerDriveView as DriveView, ManagernetPictureView as PictureView, ManagerSheetView as SheetView, ManagerView, ManagernetRow} from '../types' */
import { readPlace, storePlace } from '../shared/address.js'
import { decode, free } from '../shared/picture.js'
import { AWAY } from '../match/state.js'
import { refresh } from '../shared/page.js'
import { change, list, state } from '../shared/state.js'
import { store, stored } from '../shared/stored.js'
import { command, errorText, request, subscribe } from '../shared/stream.js'

const ATTEND = 500 // ms between messages that this page shows the robot: after 1.5 s it counts as closed
const MOST = 8 // numbers of robots in the header

/** Sizes of pictures: pixels of the camera to one of the picture, and its name. @type {[number, string][]} */
export const sizes = [[1, 'full'], [2, '½'], [4, '¼']]

/** Formats of pictures and their names. @type {[string, string][]} */
export const formats = [['jpeg', 'picture'], ['ycbcr', 'raw'], ['classes', 'classes']]

export const manage = {
  robot: 0, // id of the shown robot
  page: 1 + Math.floor(Math.random() * 0xfffffffe), // identifies this page to the robot
  name: '', // of the operator
  view: /** @type {ManagerView | null} */ (null),
  nonce: /** @type {DriveView | null} */ (null),
  checks: /** @type {CheckView | null} */ (null),
  calibration: /** @type {ManagernetView | null} */ (null),
  panel: /** @type {'parameters' | 'checks' | 'calibration' | 'machine'} */ ('parameters'), // at the right, or in place of all but the drive
  sheet: /** @type {SheetView | null} */ (null), // its state machine, for the editor
  fetching: false, // the editor waits for it
  profiles: /** @type {ManagernetRow[] | null} */ (null), // that are kept; null: they are not shown
  picture: /** @type {PictureView | null} */ (null),
  image: /** @type {Still | null} */ (null), // of the picture,
  frozen: false, // new pictures are not shown
  recorded: /** @type {boolean | null} */ (null), // the page shows the past: a recording, or it looks back; null: not known yet
  shown: 0, // pictures that were shown
  trouble: '', // why the program does not accept this page
  wish: { rate: 25, format: 'jpeg', quality: 75, divisor: 1, x: 0, y: 0, width: 0, height: 0, choice: 0 },
  layers: { percepts: true, horizon: true, lines: true }, // of the overlay that are drawn
}

/** Whether this page holds the control of the robot. */
export const holds = () => manage.view?.holder?.here === true && manage.view.holder.page === manage.page

/** The operators of other pages that show the robot. */
export const others = () => list(manage.view?.operators).filter((o) => o.page !== manage.page)

/** This page among the operators. */
export const me = () => list(manage.view?.operators).find((o) => o.page === manage.page)

/** A parameter of the robot. @param {string} name */
export const parameter = (name) => list(manage.view?.parameters).find((p) => p.name === name)

/** Whether this is a match, in which operators look and ask nothing of robots. */
export const onlyLooks = () => state.pages.includes('match') && manage.recorded === false

/** The robots that can be chosen: in a match those of home, and from AWAY on those of away. */
export const numbers = () => onlyLooks() ? [1, 2, 3, 4, 5].flatMap((n) => [n, AWAY + n]).sort((a, b) => a - b)
  : Array.from({ length: MOST }, (_, i) => i + 1)

/** The name of a robot. @param {number} robot */
export const called = (robot) => onlyLooks() ? `${robot > AWAY ? 'away' : 'home'} ${robot % AWAY}` : String(robot)

/** The name that this browser's operator chose, or one to begin with. */
const storedName = () => stored('operator', '') || `operator ${manage.page % 1000}`

/** Changes the operator's name. @param {string} name */
export function rename(name) {
  const short = name.trim().slice(0, 24) || storedName()
  change(manage, { name: short })
  store('operator', short)
  void attend()
}

let attended = -Infinity // when the program last accepted that this page shows the robot

/** Sends a command about the robot, which the program must know to be shown here. A failure appears as a toast.
 * @param {string} name @param {object} [more] */
export async function ask(name, more) {
  if (performance.now() - attended > 2 * ATTEND) await attend()
  await command('robot-' + name, { robot: manage.robot, page: manage.page, ...more })
}

/** Tells the program that this page shows the robot, and which pictures it wants. */
async function attend() {
  if (!manage.robot || state.link === 'lost' || manage.recorded !== false) return
  const overlay = Object.values(manage.layers).some((on) => on)
  const picture = manage.frozen || document.hidden ? null : { ...manage.wish, overlay }
  try {
    await request('robot-attend', { robot: manage.robot, page: manage.page, name: manage.name, picture })
    attended = performance.now()
    if (manage.trouble) change(manage, { trouble: '' })
  } catch (e) {
    change(manage, { trouble: errorText(e) })
  }
}

/** Shows a robot. @param {number} robot its id */
export function openRobot(robot) {
  if (manage.robot === robot) return
  if (holds()) void ask('release')
  attended = -Infinity
  clearPicture()
  change(manage, { robot, view: null, nonce: null, checks: null, calibration: null, sheet: null, fetching: false, profiles: null, frozen: false, trouble: '',
    wish: { ...manage.wish, x: 0, y: 0, width: 0, height: 0 } })
  subscribe(topics())
  storePlace({ first: String(robot), values: {} })
  void attend()
}

/** The topics of the shown robot. Only a page that drives needs the nonces. */
export const topics = () => ['session', ...manage.panel === 'machine' ? ['behaviour'] : [], ...['robot', 'checks', 'picture', ...holds() ? ['drive'] : [],
  ...manage.panel === 'calibration' ? ['calibration'] : [], ...manage.fetching ? ['machine'] : [], ...manage.profiles ? ['profiles'] : []].map((kind) => `${kind}/${manage.robot}`)]

/** Shows a panel at the right, or the parameters again. @param {typeof manage.panel} panel */
export function togglePanel(panel) {
  if (onlyLooks()) return
  change(manage, { panel: manage.panel === panel ? 'parameters' : panel })
  subscribe(topics())
}

/** Changes which pictures the page wants: the choice that was made last, on any page, is what the robot sends.
 * @param {Partial<typeof manage.wish>} wish */
export function wishFor(wish) {
  change(manage, { wish: { ...manage.wish, ...wish, choice: manage.wish.choice + 1 } })
  void attend()
}

/** Renders the page and tells the program what it wants. */
export function attendSoon() {
  change(manage, {})
  void attend()
}

/** Keeps the shown picture, or goes on. */
export function freeze() {
  change(manage, { frozen: !manage.frozen })
  void attend()
}

/** Decodes a picture and shows it, unless a newer one is shown already. A picture that the browser cannot read is one that
 * did not arrive. @param {PictureView} p */
export async function show(p) {
  const image = await decode(p.type, p.data).catch(() => null)
  const old = manage.frozen || p.robot !== manage.robot || manage.picture && p.millis < manage.picture.millis && !manage.recorded
  if (!image || old) return free(image)
  free(manage.image)
  Object.assign(manage, { picture: p, image, shown: manage.shown + 1 })
  refresh('camera') // the figures at a readable rate
}

/** Shows no picture. */
export function clearPicture() {
  free(manage.image)
  Object.assign(manage, { picture: null, image: null })
}

/** Where the page keeps a topic. @type {Record<string, 'view' | 'checks' | 'calibration' | 'sheet' | 'profiles'>} */
const places = { robot: 'view', checks: 'checks', calibration: 'calibration', machine: 'sheet', profiles: 'profiles' }

/** Reports false for what is not shown: nonces, which arrive 50 times a second, a picture that is still decoded, and a value
 * that is shown already. @param {string} topic @param {any} value */
export function receive(topic, value) {
  const [kind, id] = topic.split('/')
  if (Number(id) !== manage.robot || !value) return false
  if (kind === 'drive') {
    manage.nonce = value
    return false
  }
  if (kind === 'picture') {
    if (!manage.frozen && !manage.recorded) void show(value)
    return false
  }
  const place = places[kind]
  if (!place || kind === 'profiles' && !manage.profiles) return false
  const again = JSON.stringify(manage[place]) === JSON.stringify(value), held = holds()
  Object.assign(manage, { [place]: value })
  if (holds() !== held) {
    manage.nonce = null
    subscribe(topics())
  }
  return !again
}

/** A new run of the program knows nothing of this page. */
export const restart = () => change(manage, { view: null, nonce: null, checks: null, calibration: null, sheet: null, fetching: false })

/** Shows the robot that the address names. */
export function loadPlace() {
  const robot = Number(readPlace().first)
  openRobot(Number.isInteger(robot) && robot >= 1 && robot <= 250 ? robot : 1)
}

manage.name = storedName()
setInterval(attend, ATTEND)
document.addEventListener('visibilitychange', attend)
