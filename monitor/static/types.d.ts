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

export interface GameChange {
  number: number
  why: string
}

export interface GameKey {
  command: string
  side: string
  why: string
}

export interface GameMessage {
  command: string
  side: string
  robotID: number
}

export interface GameOutcome {
  messages: GameMessage[] | null
  dropped: GameChange[] | null
  restored: GameChange[] | null
  notes: string[] | null
}

export interface GameSetPiece {
  command: string
  side: string
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

export interface MatchlogEvent {
  t: number
  kind: string
  side: string
  text: string
  robot: number
}

export interface MatchlogFrame {
  t: number
  clock: number
  effective: number
  part: string
  running: boolean
  goalsHome: number
  goalsAway: number
  home: MatchlogView | null
  away: MatchlogView | null
  truth: any
}

export interface MatchlogRow {
  name: string
  start: number
  end: number
  home: string
  away: string
  bytes: number
  zip: string
  running: boolean
}

export interface MatchlogSummary {
  name: string
  start: number
  end: number
  ready: number
  home: string
  away: string
  field: SoccerField
  events: MatchlogEvent[] | null
  rates: { home: number[] | null; away: number[] | null }
  torn: string
  notes: string[] | null
}

export interface MatchlogView {
  age: number
  intention: string
  robots: MatchlogViewRobot[] | null
  balls: MatchlogViewBall[] | null
  obstacles: MatchlogViewObstacle[] | null
}

export interface MatchlogViewBall {
  x: number | null
  y: number | null
  z: number | null
  confidence: number | null
}

export interface MatchlogViewObstacle {
  x: number | null
  y: number | null
  radius: number | null
}

export interface MatchlogViewRobot {
  number: number
  x: number | null
  y: number | null
  theta: number | null
  tx: number | null
  ty: number | null
  vx: number | null
  vy: number | null
  intention: string
  battery: number | null
  engaged: boolean | null
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

export interface RefboxCardShow {
  rule: string
  note: boolean
  count: number
  text: string
  fix: string
  excerpt: string
  at: number
}

export interface RefboxCountdown {
  kind: string
  side: string
  robot: number
  left: number
  length: number
  playing: boolean
}

export interface RefboxDecided extends GameOutcome {
  number: number
  millis: number | null
  disk: number
  kept: boolean
  missed: boolean
}

export interface RefboxEntryShow {
  number: number
  clock: number
  part: string
  text: string
  of: number
  state: string
  why: string
  millis: number | null
  sent: string[] | null
}

export interface RefboxReceived {
  last: string
  ago: number | null
  rate: number
  level: string
  text: string
  rates: number[] | null
}

export interface RefboxRefereeShow {
  keys: GameKey[] | null
  entries: RefboxEntryShow[] | null
  undo: string
  redo: string
  pending: string[] | null
  waiting: RefboxWaiting[] | null
  refused: RefboxRefusal[] | null
  home: RefboxReceived
  away: RefboxReceived
}

export interface RefboxRefusal {
  addr: string
  ago: number
  why: string
}

export interface RefboxRobotShow {
  number: number
  state: string
  waits: boolean
  left: number | null
}

export interface RefboxShow {
  name: string
  game: string
  time: number
  part: string
  play: boolean
  running: boolean
  total: number
  effective: number
  length: number
  setPiece: GameSetPiece
  taking: GameSetPiece
  countdowns: RefboxCountdown[] | null
  home: RefboxTeamShow
  away: RefboxTeamShow
  last: string
  trouble: string[] | null
  follows: string
  lag: number
}

export interface RefboxTeamHealth {
  side: string
  id: number
  name: string
  connected: boolean
  rate: number
  level: string
  rates: number[] | null
  gap: number | null
  silent: number | null
  age: number | null
  messages: number
  events: number
  broken: number
  bytes: number
  windows: number
  empty: number
  unclosed: number
  lost: number
  lastEvent: string
  findings: RefboxCardShow[] | null
}

export interface RefboxTeamShow {
  side: string
  id: number
  name: string
  short: string
  group: string
  connected: boolean
  goals: number
  substitutions: number
  most: number
  robots: RefboxRobotShow[] | null
  takenBack: string[] | null
}

export interface RefboxTeamsShow {
  teams: RefboxTeamHealth[] | null
  open: boolean
}

export interface RefboxWaiting {
  conn: number
  addr: string
  id: number
  name: string
  since: number
  sides: string[] | null
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

export interface SoccerTwist {
  x: number
  y: number
  theta: number
}

export interface SoccerVec3 {
  x: number
  y: number
  z: number
}

export interface SoccerWheels {
  left: number
  right: number
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

export interface VssShow {
  field: SoccerField
  robots: number
  physics: string
  seed: string
  time: number
  paused: boolean
  speed: number
  rate: number
  lockstep: boolean
  waiting: string[] | null
  ball: VssShowBall
  blue: VssShowRobot[] | null
  yellow: VssShowRobot[] | null
  goalsBlue: number
  goalsYellow: number
  referee: VssShowReferee | null
  vision: string[] | null
  commands: string
  in: number
  out: number
  clients: VssShowClient[] | null
  refused: VssShowCount[] | null
  marks: VssShowMark[] | null
  trouble: string
}

export interface VssShowBall {
  position: SoccerVec3
  velocity: SoccerVec3
}

export interface VssShowClient {
  address: string
  rate: number
  blue: number[] | null
  yellow: number[] | null
}

export interface VssShowCount {
  reason: string
  count: number
  last: string
}

export interface VssShowMark {
  time: number
  kind: string
  text: string
}

export interface VssShowPacket {
  address: string
  time: number
  len: number
  hex: string
  fields: WireField[] | null
  issues: WireIssue[] | null
}

export interface VssShowReferee {
  source: string
  foul: string
  team: string
  half: string
  clock: number
  left: number
}

export interface VssShowRobot {
  id: number
  on: boolean
  pose: SoccerPose
  twist: SoccerTwist
  wheels: SoccerWheels
  age: number | null
  from: string
}

export interface Wall {
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
  source: string
  text: string
  note: boolean
}
