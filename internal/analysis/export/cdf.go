package export

import (
	"encoding/json"
	"math"
	"strconv"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
)

// cdfVersion is the version of the Common Data Format whose schemas the files keep.
const cdfVersion = "0.2.3"

// cdf writes the Common Data Format: a line of JSON a frame, and the metadata. In it the teams change ends, and the metadata
// say in which direction home plays.
type cdf struct {
	e    *Export
	data *file
	line []byte
}

func (e *Export) openCDF() (writer, error) {
	e.analyst = analysis.NewAnalyst(e.match.Field)
	f, err := e.create("tracking.jsonl")
	return &cdf{e: e, data: f}, err
}

// cdfPeriods are the names of the halves, by their numbers from 1.
var cdfPeriods = [...]string{"", "first_half", "second_half", "first_half_extratime", "second_half_extratime", "shootout"}

func (c *cdf) frame(f *frame) error {
	b := append(c.line[:0], `{"frame_id":`...)
	b = strconv.AppendInt(b, int64(f.id), 10)
	b = append(b, `,"timestamp":"`...)
	b = utc(f.at).AppendFormat(b, cdfTime)
	b = append(append(append(b, `","period":"`...), cdfPeriods[f.period]...), `","match":{"id":`...)
	b = appendText(b, c.e.options.ID)
	b = append(b, `},"ball_status":`...)
	b = strconv.AppendBool(b, f.alive)
	if f.owner != game.Both {
		b = append(append(append(b, `,"ball_poss_team_id":"`...), f.owner...), '"')
	}
	b = append(b, `,"teams":{`...)
	for i, side := range game.Sides {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(append(append(b, '"'), side...), `":{"id":"`...), side...), `","players":[`...)
		for k := range f.robots {
			r := &f.robots[k]
			if r.Side != side {
				continue
			}
			if b[len(b)-1] != '[' {
				b = append(b, ',')
			}
			x, y := r.actual(f)
			b = strconv.AppendInt(append(append(append(b, `{"id":"`...), side...), '_'), int64(r.Number), 10)
			b = appendMM(append(b, `","x":`...), x)
			b = appendMM(append(b, `,"y":`...), y)
			if r.moves {
				b = appendMM(append(b, `,"vel":`...), r.speed())
			}
			b = append(b, '}')
		}
		b = append(b, "]}"...)
	}
	if f.known {
		x, y := f.ball.actual(f)
		b = appendMM(append(b, `},"ball":{"x":`...), x)
		b = appendMM(append(b, `,"y":`...), y)
		b = appendMM(append(b, `,"z":`...), f.ball.z)
	} else {
		b = append(b, `},"ball":{"x":null,"y":null,"z":null`...)
	}
	c.line = append(b, "}}\n"...)
	return c.data.row(c.line)
}

// cdfTime is the format of times.
const cdfTime = "2006-01-02T15:04:05.000Z"

// appendMM appends a number with three decimals, without zeros at its end.
func appendMM(b []byte, v float64) []byte {
	return strconv.AppendFloat(b, millis(v), 'f', -1, 64)
}

func appendText(b []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		return append(b, `""`...)
	}
	return append(b, quoted...)
}

type cdfPlayer struct {
	ID        string `json:"id"`
	TeamID    string `json:"team_id"`
	Jersey    uint8  `json:"jersey_number"`
	IsStarter bool   `json:"is_starter"`
}

type cdfTeam struct {
	ID      string      `json:"id"`
	Name    string      `json:"name"`
	Players []cdfPlayer `json:"players"`
}

type cdfHalf struct {
	Period    string `json:"period"`
	Direction string `json:"play_direction"` // of home
	TimeStart string `json:"time_start"`
	TimeEnd   string `json:"time_end"`
	First     int32  `json:"frame_id_start"`
	Last      int32  `json:"frame_id_end"`
	Left      string `json:"left_team_id"`
	Right     string `json:"right_team_id"`
}

type cdfWhistle struct {
	Type    string `json:"type"`
	SubType string `json:"sub_type"`
	Time    string `json:"time"`
}

// cdfEvent is an event in the file of events. Positions are as in the file of frames.
type cdfEvent struct {
	ID         string    `json:"id"`
	Time       string    `json:"time"`
	Period     string    `json:"period"`
	Type       string    `json:"type"`
	SubType    *string   `json:"sub_type"`
	Successful bool      `json:"is_successful"`
	Outcome    string    `json:"outcome_type"`
	Player     string    `json:"player_id"`
	Team       string    `json:"team_id"`
	Receiver   *string   `json:"receiver_id"`
	Received   *string   `json:"receiver_time"`
	X          float64   `json:"x"`
	Y          float64   `json:"y"`
	XEnd       float64   `json:"x_end"`
	YEnd       float64   `json:"y_end"`
	BodyPart   string    `json:"body_part"` // "other": robots have no feet
	Related    *[]string `json:"related_event_ids"`
	Metrics    *cdfXG    `json:"metrics"`
}

type cdfXG struct {
	XG float64 `json:"xg"`
}

// events writes the passes and shots, a line of JSON each.
func (c *cdf) events() error {
	f, err := c.e.create("event.jsonl")
	if err != nil {
		return err
	}
	for i := range c.e.report.Events {
		v := &c.e.report.Events[i]
		h := c.e.walk.half(c.e.walk.period(v.Part))
		if v.Kind != analysis.Passed && v.Kind != analysis.Shot || h == nil || v.By.Side == game.Both {
			continue
		}
		e := cdfEvent{
			ID: "event_" + strconv.Itoa(i+1), Time: utc(v.At).Format(cdfTime), Period: cdfPeriods[h.period], Type: string(v.Kind),
			Successful: v.Success, Outcome: identifier(v.Result), Player: cdfID(v.By), Team: string(v.By.Side), BodyPart: "other",
			X: millis(v.From.X * h.attack), Y: millis(v.From.Y * h.attack), XEnd: millis(v.End.X * h.attack), YEnd: millis(v.End.Y * h.attack),
		}
		if v.Kind == analysis.Passed && v.Success {
			id := cdfID(v.To)
			e.Receiver = &id
		}
		if v.Kind == analysis.Shot {
			e.Metrics = &cdfXG{millis(v.XG)}
		}
		line, err := json.Marshal(map[string]any{
			"match": map[string]any{"id": c.e.options.ID}, "meta": map[string]any{"is_synced": true}, "event": e,
		})
		if err != nil {
			return err
		}
		if err := f.row(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// cdfID names a robot.
func cdfID(p autoref.Player) string { return string(p.Side) + "_" + strconv.Itoa(int(p.Number)) }

func millis(v float64) float64 { return math.Round(v*1000)/1000 + 0 }

// finish writes the events and the metadata.
func (c *cdf) finish() error {
	if err := c.events(); err != nil {
		return err
	}
	f, err := c.e.create("meta.json")
	if err != nil {
		return err
	}
	w, teams := &c.e.walk, map[string]cdfTeam{}
	for _, side := range game.Sides {
		team := cdfTeam{ID: string(side), Name: c.e.team(side), Players: []cdfPlayer{}}
		for _, p := range w.players {
			if p.Side == side {
				team.Players = append(team.Players, cdfPlayer{cdfID(p.Player), string(side), p.Number, p.first == w.halves[0].first})
			}
		}
		teams[string(side)] = team
	}
	var halves []cdfHalf
	var whistles []cdfWhistle
	for _, h := range w.halves {
		begin, end, name := utc(h.from).Format(cdfTime), utc(h.to).Format(cdfTime), cdfPeriods[h.period]
		row := cdfHalf{name, "left_right", begin, end, h.first, h.last, string(game.Home), string(game.Away)}
		if h.attack < 0 {
			row.Direction, row.Left, row.Right = "right_left", row.Right, row.Left
		}
		halves, whistles = append(halves, row), append(whistles, cdfWhistle{name, "start", begin}, cdfWhistle{name, "end", end})
	}
	source := map[string]any{"version": cdfVersion, "name": "touchline", "fps": c.e.options.Rate, "collection_timing": "live"}
	text, err := json.MarshalIndent(map[string]any{
		"competition": map[string]any{"id": "unknown"}, "season": map[string]any{"id": utc(w.halves[0].from).Format("2006")},
		"match": map[string]any{
			"id": c.e.options.ID, "kickoff_time": utc(w.halves[0].from).Format(cdfTime), "periods": halves, "whistles": whistles,
		},
		"teams":   teams,
		"stadium": map[string]any{"id": "unknown", "pitch_length": c.e.match.Field.Length, "pitch_width": c.e.match.Field.Width},
		"meta": map[string]any{
			"video": nil, "event": map[string]any{"collection_timing": "live"}, "landmarks": nil, "ball": nil, "tracking": source,
			"meta": map[string]any{"version": cdfVersion, "name": "touchline"}, "cdf": map[string]any{"version": cdfVersion},
		},
	}, "", "  ")
	if err != nil {
		return err
	}
	return f.row(append(text, '\n'))
}
