// Where the boxes and the arrows of a state machine are drawn. States stand in layers by their distance from the initial
// state, inside the box of the state that contains them; arrows take the way that crosses the fewest boxes.

/** @import {HfsmMachine, HfsmTransition} from '../types' */
import { list } from '../shared/state.js'

/** A drawn state. @typedef {{name: string, x: number, y: number, w: number, h: number, leaf: boolean, parents: string[]}} Box
 * parents: the states that contain it, outermost first */
/** A drawn transition: a curve with one control point. @typedef {{transition: HfsmTransition, from: Point, by: Point,
 * to: Point}} Arrow */
/** @typedef {{x: number, y: number}} Point
 * @typedef {{boxes: Box[], arrows: Arrow[], w: number, h: number}} Picture */

/** A state with its children, before it has a place.
 * @typedef {{name: string, children: Node[], parents: string[], w: number, h: number, x: number, y: number}} Node */

/** How the layers stand: beside each other or below each other, in every second container the other way, and how many
 * states one layer has at most. @typedef {{across: boolean, turns: boolean, most: number}} Style */

const LEAF = 46 // px, height of a box without children
const TITLE = 28 // px, above the children
const PAD = 12
const BETWEEN = { layers: 38, states: 16 } // px
const LEAST = 74 // px, width of a box

/** All ways to arrange a machine. @type {Style[]} */
const STYLES = [true, false].flatMap((across) => [false, true].flatMap((turns) => [2, 3, 4, 5, 99].map((most) =>
  ({ across, turns, most }))))

/** Arranges a machine so that it is as large as possible in w x h px.
 * @param {HfsmMachine} machine @param {number} w @param {number} h @param {(text: string) => number} measure width of a
 * name in px @returns {Picture} */
export function layoutMachine(machine, w, h, measure) {
  /** @type {{node: Node, scale: number} | null} */
  let best = null
  for (const style of STYLES) {
    const node = treeOf(machine)
    arrange(node, list(machine.transitions), style, measure)
    const scale = Math.min(w / node.w, h / node.h)
    if (!best || scale > best.scale * 1.02) best = { node, scale }
  }
  const root = /** @type {{node: Node}} */ (best).node
  /** @type {Box[]} */
  const boxes = []
  for (const child of root.children) collect(child, 0, 0, boxes)
  return { boxes, arrows: route(boxes, list(machine.transitions)), w: root.w, h: root.h }
}

/** The states as a tree below a node without a name. A state inside an unknown one, or inside itself, stands outside.
 * @param {HfsmMachine} machine @returns {Node} */
function treeOf(machine) {
  const states = list(machine.states), outer = new Map(states.map((s) => [s.name, s.in ?? '']))
  const parents = (/** @type {string} */ name) => {
    const found = /** @type {string[]} */ ([])
    for (let at = outer.get(name); at && outer.has(at); at = outer.get(at)) {
      if (at === name || found.includes(at)) return []
      found.unshift(at)
    }
    return found
  }
  /** @param {string[]} above @returns {Node[]} */
  const inside = (above) => states.filter((s) => parents(s.name).join('\n') === above.join('\n')).map((s) =>
    ({ name: s.name, parents: above, children: inside([...above, s.name]), w: 0, h: 0, x: 0, y: 0 }))
  return { name: '', parents: [], children: inside([]), w: 0, h: 0, x: 0, y: 0 }
}

/** Gives a node its size, and its children their places in it. @param {Node} node @param {HfsmTransition[]} transitions
 * @param {Style} style @param {(text: string) => number} measure */
function arrange(node, transitions, style, measure) {
  const name = node.name ? measure(node.name) + 2 * PAD : 0
  if (!node.children.length) {
    node.w = Math.max(LEAST, name)
    node.h = LEAF
    return
  }
  for (const child of node.children) arrange(child, transitions, style, measure)
  const depth = node.name ? node.parents.length + 1 : 0, across = style.across !== (style.turns && depth % 2 === 1)
  const layers = layersOf(node.children, linksBetween(node.children, transitions), style.most)
  const pad = node.name ? PAD : 2, title = node.name ? TITLE : 2
  const [length, thick, along, over] = across ? /** @type {const} */ (['h', 'w', 'y', 'x'])
    : /** @type {const} */ (['w', 'h', 'x', 'y'])
  const lengths = layers.map((layer) => layer.reduce((sum, n) => sum + n[length] + BETWEEN.states, -BETWEEN.states))
  const longest = Math.max(...lengths)
  const first = { x: pad, y: title }
  let at = first[over]
  layers.forEach((layer, i) => {
    const wide = Math.max(...layer.map((n) => n[thick]))
    let place = first[along] + (longest - lengths[i]) / 2
    for (const n of layer) {
      n[along] = place
      n[over] = at + (wide - n[thick]) / 2
      place += n[length] + BETWEEN.states
    }
    at += wide + BETWEEN.layers
  })
  at -= BETWEEN.layers
  node.w = Math.max(across ? at + pad : longest + 2 * pad, name)
  node.h = across ? longest + title + pad : at + pad
}

/** Which children have a transition between them, or between states inside them. @param {Node[]} children
 * @param {HfsmTransition[]} transitions @returns {Map<Node, Set<Node>>} to, by from */
function linksBetween(children, transitions) {
  const holder = (/** @type {string} */ name) => children.find((c) => c.name === name || holds(c, name))
  const links = new Map(children.map((c) => [c, new Set()]))
  for (const { from, to } of transitions) {
    const a = holder(from), b = holder(to)
    if (a && b && a !== b) links.get(a)?.add(b)
  }
  return links
}

/** @param {Node} node @param {string} name @returns {boolean} */
const holds = (node, name) => node.children.some((c) => c.name === name || holds(c, name))

/** Sorts children into layers by their distance from the first one, at most most in each, and orders each layer so that
 * linked states are near each other. @param {Node[]} children @param {Map<Node, Set<Node>>} links @param {number} most
 * @returns {Node[][]} */
function layersOf(children, links, most) {
  /** @type {Node[][]} */
  const ranks = []
  const placed = new Set()
  for (const start of children) {
    for (let layer = placed.has(start) ? [] : [start], rank = 0; layer.length; rank++) {
      for (const n of layer) placed.add(n)
      ranks[rank] = [...ranks[rank] ?? [], ...layer]
      layer = children.filter((c) => !placed.has(c) && ranks[rank].some((n) => links.get(n)?.has(c)))
    }
  }
  const layers = ranks.flatMap((rank) => {
    const parts = Math.ceil(rank.length / most), size = Math.ceil(rank.length / parts)
    return Array.from({ length: parts }, (_, i) => rank.slice(i * size, (i + 1) * size))
  })
  for (let sweep = 0; sweep < 4; sweep++) {
    const place = new Map(layers.flatMap((layer) => layer.map((n, i) => [n, (i + 0.5) / layer.length])))
    const pull = (/** @type {Node} */ n) => {
      const near = children.filter((c) => c !== n && (links.get(n)?.has(c) || links.get(c)?.has(n)))
      return near.length ? near.reduce((sum, c) => sum + (place.get(c) ?? 0), 0) / near.length : place.get(n) ?? 0
    }
    for (const layer of layers) {
      const pulls = new Map(layer.map((n) => [n, pull(n)]))
      layer.sort((a, b) => (pulls.get(a) ?? 0) - (pulls.get(b) ?? 0))
      layer.forEach((n, i) => place.set(n, (i + 0.5) / layer.length))
    }
  }
  return layers
}

/** Collects the boxes of a node, outer ones first. @param {Node} node @param {number} x @param {number} y
 * @param {Box[]} boxes */
function collect(node, x, y, boxes) {
  const { name, parents, w, h } = node
  boxes.push({ name, parents, w, h, x: x + node.x, y: y + node.y, leaf: !node.children.length })
  for (const child of node.children) collect(child, x + node.x, y + node.y, boxes)
}

const BENDS = [0.16, -0.16, 0.32, -0.32, 0.5, -0.5] // of the distance, that an arrow may bend aside

/** Finds the way of each arrow. @param {Box[]} boxes @param {HfsmTransition[]} transitions @returns {Arrow[]} */
function route(boxes, transitions) {
  const boxOf = new Map(boxes.map((b) => [b.name, b]))
  return transitions.flatMap((transition) => {
    const a = boxOf.get(transition.from), b = boxOf.get(transition.to)
    if (!a || !b || a === b || a.parents.includes(b.name)) return [] // never taken: it is active
    if (b.parents.includes(a.name)) return [enter(a, b, transition)]
    const others = boxes.filter((o) => o.leaf && o !== a && o !== b && !o.parents.includes(a.name)
      && !o.parents.includes(b.name))
    const ways = BENDS.map((bend) => way(a, b, bend, transition))
    const costs = ways.map((w, i) => cost(w, others) + 0.1 * Math.abs(BENDS[i]))
    return [ways[costs.indexOf(Math.min(...costs))]]
  })
}

/** @param {Box} b @returns {Point} */
const centre = (b) => ({ x: b.x + b.w / 2, y: b.y + b.h / 2 })

/** Where an arrow starts or ends: in the middle of a leaf, on the border of another box at the point next to the other
 * end. @param {Box} b @param {Point} p @returns {Point} */
function anchor(b, p) {
  if (b.leaf) return centre(b)
  const x = Math.min(b.x + b.w, Math.max(b.x, p.x)), y = Math.min(b.y + b.h, Math.max(b.y, p.y))
  return x === p.x && y === p.y ? edge(b, p) : { x, y }
}

/** An arrow that bends aside. @param {Box} a @param {Box} b @param {number} bend @param {HfsmTransition} transition
 * @returns {Arrow} */
function way(a, b, bend, transition) {
  const from = anchor(a, centre(b)), to = anchor(b, from), dx = to.x - from.x, dy = to.y - from.y
  const by = { x: (from.x + to.x) / 2 - bend * dy, y: (from.y + to.y) / 2 + bend * dx }
  return { transition, from: a.leaf ? edge(a, by) : from, by, to: b.leaf ? edge(b, by) : to }
}

/** The arrow from the title of a state to one inside it. @param {Box} a @param {Box} b
 * @param {HfsmTransition} transition @returns {Arrow} */
function enter(a, b, transition) {
  const to = edge(b, { x: b.x + b.w / 2, y: a.y }), from = { x: to.x + 12, y: a.y + TITLE - 4 }
  return { transition, from, by: { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 }, to }
}

/** Where the line from a box's centre to a point leaves the box. @param {Box} b @param {Point} p @returns {Point} */
function edge(b, p) {
  const c = centre(b), dx = p.x - c.x, dy = p.y - c.y
  const part = Math.min(dx ? b.w / 2 / Math.abs(dx) : Infinity, dy ? b.h / 2 / Math.abs(dy) : Infinity)
  return Number.isFinite(part) ? { x: c.x + part * dx, y: c.y + part * dy } : c
}

/** A point on an arrow. @param {Arrow} a @param {number} t 0 at its start, 1 at its end @returns {Point} */
export function along({ from, by, to }, t) {
  const s = 1 - t
  return { x: s * s * from.x + 2 * s * t * by.x + t * t * to.x, y: s * s * from.y + 2 * s * t * by.y + t * t * to.y }
}

/** How many points of an arrow other boxes cover. @param {Arrow} a @param {Box[]} others */
function cost(a, others) {
  let covered = 0
  for (let i = 1; i < 16; i++) {
    const { x, y } = along(a, i / 16)
    if (others.some((b) => x > b.x - 3 && x < b.x + b.w + 3 && y > b.y - 3 && y < b.y + b.h + 3)) covered++
  }
  return covered
}

/** A text beside an arrow. @typedef {{x: number, y: number, w: number, text: string, arrow: Arrow}} Label */

const TEXT = 17 // px, height of a label

/** Places the conditions of arrows where they cover neither boxes nor each other; those without room are left out.
 * @param {Arrow[]} arrows @param {Box[]} boxes @param {(text: string) => number} measure @param {number} w of the picture
 * @param {(t: HfsmTransition) => string} textOf @returns {Label[]} */
export function placeLabels(arrows, boxes, measure, w, textOf) {
  /** @type {{x: number, y: number, w: number, h: number}[]} */
  const taken = boxes.map((b) => b.leaf ? b : { x: b.x, y: b.y, w: b.w, h: TITLE })
  return arrows.flatMap((arrow) => {
    const text = textOf(arrow.transition), wide = measure(text) + 8
    if (!text) return []
    for (const t of [0.5, 0.4, 0.6, 0.3, 0.7]) {
      const p = along(arrow, t), left = Math.max(0, Math.min(w - wide, p.x - wide / 2)), top = p.y - TEXT / 2
      if (taken.some((o) => left < o.x + o.w && left + wide > o.x && top < o.y + o.h && top + TEXT > o.y)) continue
      taken.push({ x: left, y: top, w: wide, h: TEXT })
      return [{ x: left + wide / 2, y: p.y, w: wide, text, arrow }]
    }
    return []
  })
}
