// Written by `go test ./monitor -run Types -update` from the Go types that travel as JSON. An empty list may be null.

export interface Belief {
  ball: Thing | null
  seesBall: boolean
  by: number[]
  robots: Figure[] | null
  unplaced: number[]
  obstacles: Thing[] | null
}

export interface Figure {
  number: number
  color: number
  shape: string
  pose: SoccerPose
  facing: boolean
  self: boolean
  age: number | null
}

export interface Interface {
  name: string
  addrs: string[] | null
  up: boolean
}

export interface Left {
  unplaced: number
  repeated: number
  stale: number
  otherColor: number
  foreign: number
}

export interface Link {
  group: string
  interface: string
  loopback: boolean
  trouble: string
}

export interface Mark {
  time: number
  kind: string
  number: number
  text: string
}

export interface Member {
  number: number
  team: string
}

export interface Network {
  group: string
  bitsPerS: number
  budgetBits: number
  overBudget: boolean
  drops: number
  senders: SenderRow[] | null
  alarms: string[] | null
}

export interface PacketEntry {
  time: number
  variant: string
  sure: number
  why: string
  len: number
  hex: string
  fields: WireField[] | null
  issues: WireIssue[] | null
}

export interface PacketView {
  key: string
  packets: PacketEntry[] | null
}

export interface Scene {
  ball: Thing
  robots: Figure[] | null
  obstacles: Thing[] | null
}

export interface SenderRow {
  key: string
  addr: string
  number: number
  color: number
  team: string
  foreign: boolean
  variant: string
  sure: number
  trailing: number
  rate: number
  gapP99: number | null
  jitter: number | null
  bytesPerS: number
  packets: number
  missing: number | null
  duplicates: number
  clockJumps: number
  issues: number
  lastIssue: string
  note: string
  age: number
}

export interface Silence {
  seconds: number
  interfaces: Interface[] | null
  command: string
}

export interface SoccerCov {
  xx: number
  xy: number
  yy: number
}

export interface SoccerField {
  name: string
  length: number
  width: number
  border: number
  lineWidth: number
  goalWidth: number
  goalHeight: number
  goalDepth: number
  goalAreaLength: number
  goalAreaWidth: number
  penaltyAreaLength: number
  penaltyAreaWidth: number
  penaltySpot: number
  circleRadius: number
  cornerRadius: number
  cornerCut: number
}

export interface SoccerPose {
  x: number
  y: number
  theta: number
}

export interface Thing {
  x: number
  y: number
  z: number
  vx: number
  vy: number
  cov: SoccerCov | null
  age: number | null
}

export interface Tile {
  key: string
  sender: string
  number: number
  color: number
  team: string
  shape: string
  real: boolean
  state: string
  rate: number
  belief: Belief
  ballError: number | null
  found: number | null
  false: number | null
  left: Left | null
}

export interface Wall {
  run: string
  session: string
  seed: string
  time: number
  paused: boolean
  controls: boolean
  link: Link
  field: SoccerField
  truth: Scene | null
  fused: Belief | null
  waiting: Member[] | null
  tiles: Tile[] | null
  spread: number | null
  marks: Mark[] | null
  silence: Silence | null
}

export interface WireField {
  offset: number
  len: number
  name: string
  value: string
  unit: string
}

export interface WireIssue {
  offset: number
  field: string
  clause: string
  text: string
  note: boolean
}
