// Package hsl is the codec of the Humanoid Soccer League: what its GameController sends to robots and monitors, and
// what robots send back. All integers and floats are little-endian; the structs have no padding.
//
//	message          header  version  bytes  UDP port  sender to receivers
//	control          RGme    19       198    3838      GameController to all, broadcast, 2 Hz; 5 Hz after a stop
//	true state       RGTD    19       198    3838      GameController to a monitor, 2 Hz: never delayed
//	return           RGrt    4        32     3939      robot to GameController, 0.5 to 2 Hz
//	forwarded return         4        36     3940      GameController to a monitor: IPv4 address, return message
//	monitor request  RGTr    0        5      3636      monitor to GameController
//	team message                      0-512  10000 + n robot of team n to its team, broadcast, in the team's own format
//
//	control message, true state   team, 90 bytes each, from 18      player, 4 bytes each, from 10 of its team
//	 0  4  header                  0  1  teamNumber                 0  1  penalty
//	 4  1  version                 1  1  fieldPlayerColour          1  1  secsTillUnpenalised  s
//	 5  1  packetNumber            2  1  goalkeeperColour           2  1  warnings
//	 6  1  playersPerTeam          3  1  goalkeeper, 0: none        3  1  cautions
//	 7  1  competitionType         4  1  score
//	 8  1  stopped                 5  1  penaltyShot                return message
//	 9  1  gamePhase               6  2  singleShots                 0  4  header
//	10  1  state                   8  2  messageBudget               4  1  version
//	11  1  setPlay                10 80  players, 20                 5  1  playerNum, 1 to 20
//	12  1  firstHalf                                                 6  1  teamNum
//	13  1  kickingTeam, 255: none                                    7  1  fallen
//	14  2  secsRemaining, s, signed                                  8  4  pose.x      mm   20  4  ballAge  s, -1: never
//	16  2  secondaryTime, s, signed                                 12  4  pose.y      mm   24  4  ball.x   mm
//	18  180  teams, 2                                               16  4  pose.theta  rad  28  4  ball.y   mm
//
// The pose is in the team frame: x leads to the goal that the team attacks, y to its left. The ball is in the robot's
// frame, x ahead and y to its left. All names and numbers are those of HSL GameController 6.0.1.
//
// Robots get the state of play with a delay of up to 10 s after play has started, so that they listen for the whistle;
// the true state has no delay.
//
// AppendBinary refuses what Check reports as a violation. UnmarshalBinary refuses other headers, other versions,
// messages that are too short, and floats that are NaN or infinite: the GameController drops them or they mean nothing.
package hsl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"net/netip"

	"touchline/wire"
)

// Versions of the structs.
const (
	ControlVersion = 19
	ReturnVersion  = 4
)

// Sizes of the messages in bytes.
const (
	ControlSize    = 198
	ReturnSize     = 32
	ForwardSize    = 4 + ReturnSize
	RequestSize    = 5
	MaxTeamMessage = 512 // a longer team message costs the team its goals
)

// UDP ports.
const (
	RequestPort = 3636
	ControlPort = 3838
	ReturnPort  = 3939
	ForwardPort = 3940
	TeamPort    = 10000 // plus the team's number
)

// MaxPlayers is the number of players in a team's table, and the highest number of a player.
const MaxPlayers = 20

// Budget of team messages, in all divisions of 2026. Messages count while the state is ready, set or playing, and not
// in the penalty shoot-out.
const (
	Budget          = 12_000 // messages of a team in a game
	BudgetPerMinute = 600    // more for each minute of additional or extra time
)

// Penalty shots of a team in a shoot-out, in all divisions of 2026.
const (
	RegularShots = 3
	SuddenShots  = 3 // more in sudden death, before a coin is tossed
)

// NoTeam is the KickingTeam of a message in which no team has the ball to play.
const NoTeam = 255

// Errors of UnmarshalBinary beside wire.ErrShort.
var (
	ErrHeader  = errors.New("hsl: another message")
	ErrVersion = errors.New("hsl: unknown version")
)

// Player is the state of a player.
type Player struct {
	Penalty     Penalty
	SecondsLeft uint8 // s, estimate of the time until it may play
	Warnings    uint8
	Cautions    uint8 // yellow cards
}

// Team is the state of a team.
type Team struct {
	Number          uint8
	FieldColor      Color
	GoalkeeperColor Color
	Goalkeeper      uint8 // number of the player; 0: none
	Score           uint8
	PenaltyShot     uint8  // penalty shots so far
	SingleShots     uint16 // bit n: shot n was a goal
	MessageBudget   uint16 // team messages left for the rest of the game
	Players         [MaxPlayers]Player
}

// Control is a control message, or the true state that monitors get.
type Control struct {
	True             bool // the true state, with header RGTD
	PacketNumber     uint8
	PlayersPerTeam   uint8 // who play at a time
	Competition      Competition
	Stopped          bool // play is stopped
	Phase            Phase
	State            State
	SetPlay          SetPlay
	FirstHalf        bool
	KickingTeam      uint8   // number of the team that kicks off or takes the set play; NoTeam: none
	SecondsRemaining int16   // s, left in the half; negative when it lasts longer
	SecondaryTime    int16   // s, the second clock: ready time, time for the set play, timeout
	Teams            [2]Team // the team that defends the left goal of the GameController's operator first
}

// Return is what a robot tells the GameController.
type Return struct {
	Player       uint8 // 1 to MaxPlayers
	Team         uint8
	Fallen       bool
	X, Y         float32 // mm, team frame
	Theta        float32 // rad, team frame
	BallAge      float32 // s since the robot saw the ball; -1: never
	BallX, BallY float32 // mm, robot frame; without meaning if BallAge is -1
}

// Forward is a return message that the GameController forwards to a monitor. It does not check the message.
type Forward struct {
	Robot  netip.Addr // IPv4 address that sent the message
	Return Return
}

// Request asks the GameController for the true state. It ignores requests of addresses that sent return messages.
type Request struct{}

// Headers of the messages.
const (
	headerControl = "RGme"
	headerTrue    = "RGTD"
	headerReturn  = "RGrt"
	headerRequest = "RGTr"
)

// AppendBinary appends m to b. It refuses messages that Check would complain about.
func (m *Control) AppendBinary(b []byte) ([]byte, error) {
	at, kind := len(b), KindControl
	if m.True {
		kind = KindTrueState
	}
	b = append(b, kind.table().header...)
	b = append(b, ControlVersion, m.PacketNumber, m.PlayersPerTeam, uint8(m.Competition), bit(m.Stopped), uint8(m.Phase),
		uint8(m.State), uint8(m.SetPlay), bit(m.FirstHalf), m.KickingTeam)
	b = binary.LittleEndian.AppendUint16(b, uint16(m.SecondsRemaining))
	b = binary.LittleEndian.AppendUint16(b, uint16(m.SecondaryTime))
	for i := range m.Teams {
		t := &m.Teams[i]
		b = append(b, t.Number, uint8(t.FieldColor), uint8(t.GoalkeeperColor), t.Goalkeeper, t.Score, t.PenaltyShot)
		b = binary.LittleEndian.AppendUint16(b, t.SingleShots)
		b = binary.LittleEndian.AppendUint16(b, t.MessageBudget)
		for k := range t.Players {
			p := &t.Players[k]
			b = append(b, uint8(p.Penalty), p.SecondsLeft, p.Warnings, p.Cautions)
		}
	}
	return checked(kind, b, at)
}

// UnmarshalBinary decodes b. Errors: ErrHeader, ErrVersion, wire.ErrShort. It keeps nothing of b.
func (m *Control) UnmarshalBinary(b []byte) error {
	kind := KindControl
	if m.True = hasHeader(b, headerTrue); m.True {
		kind = KindTrueState
	}
	if err := readable(kind, b); err != nil {
		return err
	}
	m.PacketNumber, m.PlayersPerTeam, m.Competition = b[5], b[6], Competition(b[7])
	m.Stopped, m.Phase, m.State, m.SetPlay = b[8] != 0, Phase(b[9]), State(b[10]), SetPlay(b[11])
	m.FirstHalf, m.KickingTeam = b[12] != 0, b[13]
	m.SecondsRemaining = int16(binary.LittleEndian.Uint16(b[14:]))
	m.SecondaryTime = int16(binary.LittleEndian.Uint16(b[16:]))
	for i := range m.Teams {
		m.Teams[i].read(b[offsetTeams+i*sizeTeam:])
	}
	return nil
}

func (t *Team) read(b []byte) {
	t.Number, t.FieldColor, t.GoalkeeperColor, t.Goalkeeper = b[0], Color(b[1]), Color(b[2]), b[3]
	t.Score, t.PenaltyShot = b[4], b[5]
	t.SingleShots, t.MessageBudget = binary.LittleEndian.Uint16(b[6:]), binary.LittleEndian.Uint16(b[8:])
	for k := range t.Players {
		p := b[offsetPlayers+k*sizePlayer:]
		t.Players[k] = Player{Penalty(p[0]), p[1], p[2], p[3]}
	}
}

// ShootOut says how a penalty shoot-out stands for one of the two teams and the other one: "2:1 after 3 shots". The shot
// that is about to be taken does not count.
func (m *Control) ShootOut(home, away *Team) string {
	taken := int(home.PenaltyShot) + int(away.PenaltyShot)
	if (m.State == Set || m.State == Playing) && taken > 0 {
		taken--
	}
	text := fmt.Sprintf("%d:%d after %d shots", bits.OnesCount16(home.SingleShots), bits.OnesCount16(away.SingleShots), taken)
	switch {
	case taken == 0:
		return "no shot yet"
	case taken == 1:
		text = text[:len(text)-1]
	}
	if max(home.PenaltyShot, away.PenaltyShot) > RegularShots {
		text += ", sudden death"
	}
	return text
}

// AppendBinary appends m to b, like that of Control.
func (m *Return) AppendBinary(b []byte) ([]byte, error) {
	at := len(b)
	return checked(KindReturn, m.append(b), at)
}

func (m *Return) append(b []byte) []byte {
	b = append(append(b, headerReturn...), ReturnVersion, m.Player, m.Team, bit(m.Fallen))
	for _, v := range [...]float32{m.X, m.Y, m.Theta, m.BallAge, m.BallX, m.BallY} {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// UnmarshalBinary decodes b. Errors: ErrHeader, ErrVersion, wire.ErrShort, or one that names a float that is no number.
func (m *Return) UnmarshalBinary(b []byte) error {
	if err := readable(KindReturn, b); err != nil {
		return err
	}
	return m.read(b)
}

func (m *Return) read(b []byte) error {
	*m = Return{Player: b[5], Team: b[6], Fallen: b[7] != 0}
	for i, v := range [...]*float32{&m.X, &m.Y, &m.Theta, &m.BallAge, &m.BallX, &m.BallY} {
		if *v = float32At(b, offsetFloats+4*i); !finite(*v) {
			return fmt.Errorf("hsl: %s: %v is no number", returnTable.rows[rowFloats+i].name, *v)
		}
	}
	return nil
}

// AppendBinary appends m to b, like that of Control.
func (m *Forward) AppendBinary(b []byte) ([]byte, error) {
	at := len(b)
	if !m.Robot.Is4() {
		return b, fmt.Errorf("hsl: robot: %v: want an IPv4 address", m.Robot)
	}
	address := m.Robot.As4()
	return checked(KindForward, m.Return.append(append(b, address[:]...)), at)
}

// UnmarshalBinary decodes b, like that of Return.
func (m *Forward) UnmarshalBinary(b []byte) error {
	if err := readable(KindForward, b); err != nil {
		return err
	}
	m.Robot = netip.AddrFrom4([4]byte(b))
	return m.Return.read(b[sizeAddress:])
}

// AppendBinary appends m to b. It never fails.
func (m *Request) AppendBinary(b []byte) ([]byte, error) {
	return append(append(b, headerRequest...), 0), nil
}

// UnmarshalBinary decodes b. Errors: ErrHeader, ErrVersion, wire.ErrShort.
func (m *Request) UnmarshalBinary(b []byte) error { return readable(KindRequest, b) }

// readable returns why b cannot be decoded as a message of the kind.
func readable(kind Kind, b []byte) error {
	t := kind.table()
	switch {
	case !hasHeader(b[min(t.start, len(b)):], t.header) && len(b) >= t.start+len(t.header):
		return fmt.Errorf("%w: want header %s", ErrHeader, t.header)
	case len(b) > t.versionAt() && b[t.versionAt()] != t.version:
		return fmt.Errorf("%w: %d instead of %d", ErrVersion, b[t.versionAt()], t.version)
	case len(b) < t.size:
		return fmt.Errorf("hsl: %w: %d bytes of %d", wire.ErrShort, len(b), t.size)
	}
	return nil
}

// checked returns b, whose message from at on was written just now, or b without it and its first violation.
func checked(kind Kind, b []byte, at int) ([]byte, error) {
	if issues := rules(kind, b[at:], false); len(issues) > 0 {
		return b[:at], errors.New("hsl: " + issues[0].String())
	}
	return b, nil
}

func bit(v bool) uint8 {
	if v {
		return 1
	}
	return 0
}

func hasHeader(b []byte, header string) bool {
	return len(b) >= len(header) && string(b[:len(header)]) == header
}

func float32At(b []byte, at int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b[at:]))
}

// finite reports whether v is neither NaN nor infinite.
func finite(v float32) bool { return v-v == 0 }
