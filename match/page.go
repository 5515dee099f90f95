package match

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"touchline/soccer"
	"touchline/transport"
)

// do carries out one of the page's commands; their bodies are JSON objects, in SI units and the field frame.
func (l *Live) do(name string, body json.RawMessage) error {
	var b struct {
		VX, VY, VZ  *float64
		X, Y, Theta float64
		Index       int
		Number      uint8
		On, Paused  bool
	}
	if json.Unmarshal(body, &b) != nil {
		return fmt.Errorf("match: the body of %.40q is not the JSON object that it takes", name)
	}
	s, at := l.session, soccer.Vec{X: b.X, Y: b.Y}
	switch name {
	case "kick":
		if b.VX == nil && b.VY == nil {
			s.kickIn()
			return nil
		}
		if b.VX == nil || b.VY == nil {
			return errors.New("match: a kick needs both vx and vy, or neither for a kick-in")
		}
		v := soccer.Vec3{X: *b.VX, Y: *b.VY}
		if b.VZ != nil {
			v.Z = *b.VZ
		}
		return s.Kick(v)
	case "place-ball":
		return s.PlaceBall(at)
	case "move-obstacle":
		return s.MoveObstacle(b.Index, at)
	case "move-robot":
		return s.MoveRobot(b.Number, soccer.Pose{X: b.X, Y: b.Y, Theta: b.Theta})
	case "switch":
		return s.Switch(b.Number, b.On)
	case "substitute":
		return s.Substitute(b.Number)
	case "pause":
		l.pause(time.Now(), b.Paused)
		return nil
	}
	return fmt.Errorf("match: no command %.40q: there are kick, place-ball, move-obstacle, move-robot, switch, substitute, pause", name)
}

// pause stops the session's clock, or lets it go on.
func (l *Live) pause(now time.Time, stand bool) {
	if l.stands && !stand {
		l.paused += now.Sub(l.since)
	}
	if !l.stands {
		l.since = now
	}
	l.stands = stand
}

// openOne opens a participant's sockets, or the monitor's one: real ones, or on the net in memory.
func (l *Live) openOne(number uint8) error {
	r, conn, err := l.listen()
	if err != nil {
		return err
	}
	l.inbox[number] = r
	switch {
	case number == Monitor:
	case conn != nil:
		l.senders[number] = transport.NewSender(conn, l.Network.Group)
		l.session.Bind(number, conn.LocalAddr().(*net.UDPAddr).AddrPort())
	default:
		sender, err := transport.Dial(l.Network)
		if err != nil {
			return err
		}
		l.senders[number] = sender
		l.session.Bind(number, sender.LocalAddr())
	}
	return nil
}

// listen opens a socket that hears the robots; conn is nil unless it is on the net in memory.
func (l *Live) listen() (r *transport.Receiver, conn *transport.MemoryConn, err error) {
	if l.memory == nil {
		r, err = transport.Listen(l.Network)
		return r, nil, err
	}
	if conn, err = l.memory.Listen(l.Network.Group); err != nil {
		return nil, nil, err
	}
	return transport.NewReceiver(conn, l.Network.Group.String()), conn, nil
}
