package fiveaside

import (
	"errors"
	"time"

	"touchline/game"
	"touchline/soccer"
	"touchline/wire/msl"
)

// referee is the referee box of a match.
type referee struct {
	silent bool        // no command leaves
	due    soccer.Time // of START
}

// wireCommand returns a message of the game as it travels.
func wireCommand(message *game.Message) *msl.Command {
	c := msl.Command{Name: string(message.Command), RobotID: message.RobotID}
	if message.Side != game.Both {
		c.TargetTeam = groups[index(message.Side)]
	}
	return &c
}

// decide applies a decision and sends its messages to both stations.
func (m *Match) decide(d game.Decision) error {
	d.Time = m.now
	out, err := m.game.Apply(d)
	if err != nil {
		return err
	}
	if m.tap.Decision != nil {
		m.tap.Decision(&d, &out)
	}
	m.announce(out.Messages)
	return nil
}

// announce sends messages to both stations.
func (m *Match) announce(messages []game.Message) {
	for i := range messages {
		c := wireCommand(&messages[i])
		if m.tap.Command != nil {
			data, err := c.AppendBinary(nil)
			m.fail(err)
			m.tap.Command(m.now, data)
		}
		for k := range m.bases {
			m.bases[k].command(m, c)
		}
		m.note("referee", 0, "%s", phrase(&messages[i]))
	}
}

// phrase returns a message as the timeline shows it.
func phrase(message *game.Message) string {
	if message.Side == game.Both {
		return string(message.Command)
	}
	return string(message.Command) + " " + string(message.Side)
}

// judge lets the referee look at the field.
func (m *Match) judge() {
	if m.referee.silent {
		return
	}
	m.announce(m.game.Tick(m.now))
	state := m.game.State()
	length := m.cfg.Half
	switch {
	case state.Part == game.End:
	case state.Part == game.PreOvertime:
		m.fail(m.decide(game.Decision{Command: game.EndPart}))
	case state.Part.IsInterval() && state.SetPiece.Command == "":
		side := game.Home
		if state.Part == game.HalfTime {
			side = game.Away
		}
		m.fail(errors.Join(m.decide(game.Decision{Command: game.KickOff, Side: side}), m.engine.PlaceBall(soccer.Vec3{})))
		m.referee.due = m.now.Add(3 * time.Second)
	case !state.Running && m.now >= m.referee.due:
		m.fail(m.decide(game.Decision{Command: game.Start}))
	case state.Running && state.Effective >= length:
		m.fail(errors.Join(m.decide(game.Decision{Command: game.Stop}), m.decide(game.Decision{Command: game.EndPart})))
		m.fail(m.changeEnds())
	}
}

// changeEnds lets people carry the robots to the other half and start them anew, as teams do at half-time.
func (m *Match) changeEnds() error {
	for i := range m.players {
		m.engine.RemoveRobot(m.players[i].id)
	}
	var err error
	for i := range m.players {
		p := &m.players[i]
		err = errors.Join(err, m.engine.AddRobot(p.id, m.home(p)))
		if p.robot != nil {
			err = errors.Join(err, m.start(i))
		}
	}
	return err
}
