package matchnet

import (
	"encoding/json"
	"fmt"

	"touchline/game"
	"touchline/internal/camera"
	"touchline/internal/manager"
	"touchline/internal/manager/managernet"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// lookout is where a team's computer looks through the cameras of its robots. It asks nothing else of them.
type lookout struct {
	desk     *manager.Desk
	pictures managernet.Pictures
}

// openLookout opens the lookout at the station.
func (c *club) openLookout() {
	c.lookout.desk = manager.NewDesk(manager.DeskConfig{Computer: c.node.Self().ID, Seed: managernet.Seed(), Start: c.node.Now()})
	c.lookout.pictures.Receive(c.node)
}

// onScene says what lies before the camera of a robot of touchline. A program of another team is told nothing.
func (c *club) onScene(from teamcom.From, m *team.Scene) {
	if m.Known || c.external || from.Entity.Kind != tcm.Robot {
		return
	}
	var seen camera.Scene
	c.live.mu.Lock()
	known := c.live.show.Scene(c.side, from.Entity.ID, &seen)
	c.live.mu.Unlock()
	if known {
		managernet.SetScene(m, &seen, c.live.cfg.Match.Seed)
		c.field.send(from.Entity, 0, m)
	}
}

// ownClub returns a team whose robots have touchline's software.
func (l *Live) ownClub(side game.Side) (*club, error) {
	c := l.clubs[side.Index()]
	if c.external {
		return nil, fmt.Errorf("fiveasidenet: the robots of %s are another program's: nobody looks through their cameras here", side)
	}
	return c, nil
}

// Attend executes the command robot-attend of a page (package manager), which looks at a robot of a side.
func (l *Live) Attend(side game.Side, body json.RawMessage) error {
	c, err := l.ownClub(side)
	if err != nil {
		return err
	}
	return c.lookout.desk.Command(c.node.Now(), "robot-attend", body, managernet.Send(c.node))
}

// Robot returns what is known of a robot that a page looks at, or nil.
func (l *Live) Robot(side game.Side, number uint8) *manager.View {
	c, err := l.ownClub(side)
	if err != nil {
		return nil
	}
	return c.lookout.desk.View(number, c.node.Now())
}

// Picture returns the picture of a robot that arrived since the last call, or nil.
func (l *Live) Picture(side game.Side, number uint8) *managernet.PictureView {
	c, err := l.ownClub(side)
	if err != nil {
		return nil
	}
	return c.lookout.pictures.View(number, c.node.Now())
}
