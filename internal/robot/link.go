package robot

import (
	"touchline/booking"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// Link is a robot on its node of the team's TCM: it hands the messages of teammates and of the station to the robot's
// software, and sends what the software sends. No other code wires the two. A robot in virtual time, one in a session on
// sockets and one in a process of its own differ in their LinkConfig.
type Link struct {
	robot *Robot
	node  *teamcom.Node
	cfg   LinkConfig
}

// LinkConfig says how a robot's software and its node fit together. The zero LinkConfig suits a robot that shares clock
// and goroutine with its node.
type LinkConfig struct {
	// Lock guards the robot. A handler holds it while it calls the robot. nil: handlers run on the robot's goroutine
	Lock interface {
		Lock()
		Unlock()
	}
	// FromNode converts a time of the node's clock to the robot's clock, with Lock held; ToNode converts one back. nil:
	// both have one clock
	FromNode, ToNode func(soccer.Time) soccer.Time
	// Paused reports, with Lock held, that the robot's clock stands still. The robot then receives neither measurements
	// nor messages of the booking. nil: its clock never stands still
	Paused func() bool
	// Referee gets each message of the referee before the robot does, without Lock, with its arrival on the node's clock.
	// nil: only the robot gets it
	Referee func(arrival soccer.Time, m *team.Referee)
	// Sent is called after each message that the robot sent. nil: not called
	Sent func()
	// Shared spares the robots of one team on one goroutine from decoding a message that a teammate has decoded. nil: the
	// robot decodes all messages itself
	Shared *Decoded
}

// Decoded holds the newest messages of a team's robots as one of their teammates decoded them. The zero value is ready.
type Decoded struct {
	beliefs  teamcom.Shared[team.Belief, *team.Belief]
	pictures teamcom.Shared[matePicture, *matePicture]
}

type noLock struct{}

func (noLock) Lock()   {}
func (noLock) Unlock() {}

// NewLink links a robot and its node, before the node receives anything.
func NewLink(r *Robot, node *teamcom.Node, cfg LinkConfig) *Link {
	l := &Link{robot: r, node: node, cfg: cfg}
	if l.cfg.Lock == nil {
		l.cfg.Lock = noLock{}
	}
	if l.cfg.Shared == nil {
		l.cfg.Shared = new(Decoded)
	}
	gm := node.Module(tcm.GM)
	teamcom.HandleShared(gm, &l.cfg.Shared.beliefs, l.receiveBelief)
	teamcom.HandleShared(gm, &l.cfg.Shared.pictures, l.receivePicture)
	teamcom.Handle(gm, l.receiveReferee)
	handleBooking(gm, l.receiveBooking)
	return l
}

// Send sends a message of the robot. The node counts a message that it drops.
func (l *Link) Send(m *Message) {
	captured := m.Captured
	if l.cfg.ToNode != nil {
		captured = l.cfg.ToNode(captured)
	}
	_ = l.node.Module(m.Module).Client().Send(captured, m.To, m.Data...) // the node counts what it drops
	if l.cfg.Sent != nil {
		l.cfg.Sent()
	}
}

// at converts a time of the node's clock to the robot's clock.
func (l *Link) at(t soccer.Time) soccer.Time {
	if l.cfg.FromNode != nil {
		return l.cfg.FromNode(t)
	}
	return t
}

func (l *Link) paused() bool { return l.cfg.Paused != nil && l.cfg.Paused() }

func (l *Link) receiveBelief(from teamcom.From, b *team.Belief) {
	l.cfg.Lock.Lock()
	defer l.cfg.Lock.Unlock()
	l.robot.receiveBelief(from.Entity.ID, l.at(from.Received), b)
}

func (l *Link) receivePicture(from teamcom.From, p *matePicture) {
	l.cfg.Lock.Lock()
	defer l.cfg.Lock.Unlock()
	if !l.paused() {
		l.robot.receivePicture(from.Entity, l.at(from.Captured), l.at(from.Received), p)
	}
}

func (l *Link) receiveReferee(from teamcom.From, m *team.Referee) {
	if l.cfg.Referee != nil {
		l.cfg.Referee(from.Received, m)
	}
	l.cfg.Lock.Lock()
	defer l.cfg.Lock.Unlock()
	l.robot.ReceiveReferee(l.at(from.Received), m)
}

func (l *Link) receiveBooking(from teamcom.From, m booking.Message) {
	l.cfg.Lock.Lock()
	defer l.cfg.Lock.Unlock()
	if !l.paused() {
		l.robot.receiveBooking(from.Entity, l.at(from.Received), m, l.Send)
	}
}
