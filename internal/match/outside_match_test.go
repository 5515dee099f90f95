package match

import (
	"math"
	"testing"
	"time"

	"touchline/game"

	"touchline/wire/team"
)

// A program outside drives the robots of an external team: it gets their senses in the team's frame and the referee's
// messages, and nothing else moves them.
func TestExternalRobots(t *testing.T) {
	cfg := short()
	cfg.Half = 30 * time.Second
	cfg.Away.External = true
	senses, referees := map[uint8]int{}, 0
	var last team.Sense
	m := open(t, cfg, Tap{
		Sense: func(side game.Side, number uint8, age time.Duration, s *team.Sense) {
			if side != game.Away || age < 0 || age > 200*time.Millisecond {
				t.Errorf("a sense of %s %d, %v old", side, number, age)
			}
			senses[number]++
			if number == 2 {
				last = *s
			}
		},
		Referee: func(side game.Side, message *team.Referee) { referees++ },
	})
	for range 100 {
		for n := uint8(1); n <= 5; n++ {
			if err := m.Drive(game.Away, n, &team.Motor{Sequence: 7}); err != nil {
				t.Fatal(err)
			}
		}
		matchAdvance(m, 20*time.Millisecond)
	}
	if len(senses) != 5 || senses[1] < 30 || referees < 8 {
		t.Errorf("after 2 s %v senses by robot and %d messages of the referee", senses, referees)
	}
	if self := last.Percepts.Self; !self.Known || self.X > 0 || last.Motor != 7 {
		t.Errorf("robot 2 senses %+v of motor command %d: want the own half, and 7", self, last.Motor)
	}
	x := last.TravelX
	for range 50 {
		if err := m.Drive(game.Away, 2, &team.Motor{Sequence: 8, VX: 1}); err != nil {
			t.Fatal(err)
		}
		matchAdvance(m, 20*time.Millisecond)
	}
	if way := last.TravelX - x; way < 0.5 || way > 1 {
		t.Errorf("after 1 s at 1 m/s robot 2 travelled %.2f m", way)
	}
}

func TestDriveRefuses(t *testing.T) {
	cfg := short()
	cfg.Home.External = true
	m := open(t, cfg, Tap{})
	for what, err := range map[string]error{
		"a robot of the match":   m.Drive(game.Away, 1, &team.Motor{}),
		"a robot without a body": m.Drive(game.Home, 6, &team.Motor{}),
		"NaN":                    m.Drive(game.Home, 1, &team.Motor{VX: float32(math.NaN())}),
	} {
		if err == nil {
			t.Errorf("%s is driven", what)
		}
	}
	matchAdvance(m, 2*time.Second)
}
