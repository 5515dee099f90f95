package export

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"touchline/game"
	"touchline/soccer"
)

// tracab writes TRACAB: a line of text a frame, and a JSON file that describes the match. In it the teams change ends.
type tracab struct {
	e    *Export
	data *file
	line []byte
}

func (e *Export) openTRACAB() (writer, error) {
	f, err := e.create("tracab.dat")
	return &tracab{e: e, data: f}, err
}

// sideNumbers are the numbers of the teams in TRACAB and StatsBomb.
var sideNumbers = map[game.Side]int{game.Home: 1, game.Away: 0}

// frame writes FRAME:TEAM,TARGET,JERSEY,X,Y,SPEED;...:BX,BY,BZ,BSPEED,OWNER,STATE;: with lengths in cm and speeds in m/s.
func (t *tracab) frame(f *frame) error {
	if len(f.robots) == 0 {
		return nil // the format has no empty frame
	}
	b := strconv.AppendInt(t.line[:0], int64(f.id), 10)
	b = append(b, ':')
	for i := range f.robots {
		r := &f.robots[i]
		x, y := r.actual(f)
		b = strconv.AppendInt(b, int64(sideNumbers[r.Side]), 10)
		b = append(b, ',')
		b = strconv.AppendInt(b, int64(playerID(r.Side, r.Number)), 10)
		b = append(b, ',')
		b = strconv.AppendInt(b, int64(r.Number), 10)
		b = appendCM(append(b, ','), x)
		b = appendCM(append(b, ','), y)
		b = strconv.AppendFloat(append(b, ','), r.speed(), 'f', 2, 64)
		b = append(b, ';')
	}
	b = append(b, ':')
	if f.known {
		x, y := f.ball.actual(f)
		b = appendCM(b, x)
		b = appendCM(append(b, ','), y)
		b = appendCM(append(b, ','), f.ball.z)
		b = strconv.AppendFloat(append(b, ','), f.ball.speed(), 'f', 2, 64)
	} else {
		b = append(b, "nan,nan,nan,nan"...)
	}
	owner, state := "H", "Dead"
	if f.owner == game.Away || f.owner == game.Both && f.source.State.Taking.Side == game.Away {
		owner = "A" // the format must name one: before the first touch it is the team that kicks off
	}
	if f.alive {
		state = "Alive"
	}
	b = append(append(append(append(b, ','), owner...), ','), state...)
	t.line = append(b, ";:\n"...)
	return t.data.row(t.line)
}

func appendCM(b []byte, m float64) []byte { return strconv.AppendInt(b, int64(math.Round(m*100)), 10) }

// playerID returns the number of a robot among those of both teams.
func playerID(side game.Side, number uint8) int {
	if side == game.Home {
		return 1000 + int(number)
	}
	return 2000 + int(number)
}

// tracabTeam is a team in the metadata.
type tracabTeam struct {
	TeamID    int
	ShortName string
	LongName  string
	Players   []tracabPlayer
}

type tracabPlayer struct {
	PlayerID         int
	FirstName        string
	LastName         string
	JerseyNo         uint8
	StartFrameCount  int32
	EndFrameCount    int32
	StartingPosition string // G, or M: robots have no fixed positions
}

// finish writes the metadata.
func (t *tracab) finish() error {
	f, err := t.e.create("tracab.json")
	if err != nil {
		return err
	}
	m, w := &t.e.match, &t.e.walk
	meta := map[string]any{
		"GameID": t.e.options.ID, "CompetitionID": 0, "SeasonID": 0, "FrameRate": t.e.options.Rate,
		"PitchLongSide": int(math.Round(m.Field.Length * 100)), "PitchShortSide": int(math.Round(m.Field.Width * 100)),
		"Kickoff": utc(w.halves[0].from).Format(time.DateTime),
	}
	for n := 1; n <= 5; n++ {
		phase := fmt.Sprintf("Phase%d", n)
		meta[phase+"StartFrame"], meta[phase+"EndFrame"], meta[phase+"HomeGKLeft"] = 0, 0, nil
	}
	for _, h := range w.halves {
		phase := fmt.Sprintf("Phase%d", h.period)
		meta[phase+"StartFrame"], meta[phase+"EndFrame"], meta[phase+"HomeGKLeft"] = h.first, h.last, h.attack > 0
	}
	for i, side := range game.Sides {
		team := tracabTeam{TeamID: i + 1, ShortName: t.e.team(side), LongName: t.e.team(side), Players: []tracabPlayer{}}
		for _, p := range w.players {
			if p.Side != side {
				continue
			}
			position := "M"
			if p.Number == soccer.Goalkeeper {
				position = "G"
			}
			team.Players = append(team.Players, tracabPlayer{
				PlayerID: playerID(side, p.Number), FirstName: team.ShortName, LastName: fmt.Sprint(p.Number), JerseyNo: p.Number,
				StartFrameCount: p.first, EndFrameCount: p.last, StartingPosition: position,
			})
		}
		meta[[]string{"HomeTeam", "AwayTeam"}[i]] = team
	}
	text, err := json.MarshalIndent(meta, "", "  ")
	if err != nil {
		return err
	}
	return f.row(append(text, '\n'))
}

// team returns the name of a team, or its side.
func (e *Export) team(side game.Side) string {
	if name := e.match.Names[side.Index()]; name != "" {
		return name
	}
	return string(side)
}

func utc(t soccer.Time) time.Time { return time.Unix(0, int64(t)).UTC() }
