package export

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"sort"
	"strconv"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/soccer"
)

// statsBomb writes the events in the layout of StatsBomb: a file of events and one of lineups. In it the team that acts
// attacks +x, on a field of 120 x 80 whose y runs to the right.
type statsBomb struct {
	e          *Export
	events     *file
	lineups    *file
	number     string // the files' name: a number, as mplsoccer wants it
	frames     []snapshot
	places     []place
	list       []map[string]any
	possession int
	possessor  game.Side
	before     time.Duration // length of the halves before
	bookings   []booking
	final      game.State // of the newest frame
}

// snapshot is a frame: places from first on, until the first one of the next snapshot.
type snapshot struct {
	at    soccer.Time
	first int32
}

// place is where a robot was.
type place struct {
	autoref.Player
	x, y float32
}

func (e *Export) openStatsBomb() (writer, error) {
	e.analyst = analysis.NewAnalyst(e.match.Field)
	s := &statsBomb{e: e, number: fmt.Sprint(crc32.ChecksumIEEE([]byte(e.options.ID)))}
	var err error
	if s.events, err = e.create("events/" + s.number + ".json"); err != nil {
		return nil, err
	}
	s.lineups, err = e.create("lineups/" + s.number + ".json")
	return s, err
}

// frame keeps where the robots are, for the frames of shots, and when cards were given.
func (s *statsBomb) frame(f *frame) error {
	s.book(f)
	s.frames = append(s.frames, snapshot{f.at, int32(len(s.places))})
	for i := range f.robots {
		r := &f.robots[i]
		s.places = append(s.places, place{r.Player, float32(r.x), float32(r.y)})
	}
	return nil
}

// named is an entry of one of StatsBomb's lists.
type named struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// decimal is a number that is written with a fraction: kloppy needs one.
type decimal float64

// MarshalJSON implements json.Marshaler.
func (d decimal) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(d)+0, 'f', 3, 64), nil
}

// location returns a point of the frame in which home attacks +x as a location for a side that acts.
func (s *statsBomb) location(side game.Side, x, y float64) [2]decimal {
	f := &s.e.match.Field
	if side == game.Away {
		x, y = -x, -y
	}
	return [2]decimal{decimal((x/f.Length + 0.5) * 120), decimal((0.5 - y/f.Width) * 80)}
}

func (s *statsBomb) team(side game.Side) named { return named{side.Index() + 1, s.e.team(side)} }

func (s *statsBomb) player(p autoref.Player) named {
	return named{playerID(p.Side, p.Number), fmt.Sprintf("%s %d", s.e.team(p.Side), p.Number)}
}

// position is that of a goalkeeper, or of any other robot: robots have no fixed ones.
func position(p autoref.Player) named {
	if p.Number == soccer.Goalkeeper {
		return named{1, "Goalkeeper"}
	}
	return named{14, "Center Midfield"}
}

// uuid returns the id of the n-th event: the same for the same match.
func (s *statsBomb) uuid(n int) string {
	h := sha256.Sum256(fmt.Appendf(nil, "%s/%s/%d", s.e.options.ID, s.e.match.Seed, n))
	h[6], h[8] = h[6]&0x0f|0x80, h[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// add adds an event of a team at a time, and returns it for its other members.
func (s *statsBomb) add(kind named, side game.Side, h *half, at time.Duration) map[string]any {
	n := len(s.list) + 1
	at = max(at, 0)
	total := s.before + at
	e := map[string]any{
		"id": s.uuid(n), "index": n, "period": h.period, "type": kind, "team": s.team(side),
		"timestamp": fmt.Sprintf("%02d:%02d:%06.3f", int(at.Hours()), int(at.Minutes())%60, math.Mod(float64(at.Milliseconds())/1000, 60)),
		"minute":    int(total.Minutes()), "second": int(total.Seconds()) % 60, "duration": decimal(0),
		"possession": max(s.possession, 1), "possession_team": s.team(s.possessor), "play_pattern": named{1, "Regular Play"},
	}
	s.list = append(s.list, e)
	return e
}

// act adds an event of a robot at a place.
func (s *statsBomb) act(kind named, by autoref.Player, h *half, v *analysis.Event, at soccer.Vec) map[string]any {
	e := s.add(kind, by.Side, h, v.At.Sub(h.from))
	e["location"] = s.location(by.Side, at.X, at.Y)
	s.name(e, by)
	return e
}

// finish writes the events and the lineups.
func (s *statsBomb) finish() error {
	w := &s.e.walk
	s.possessor = game.Home
	first := &w.halves[0]
	for _, side := range game.Sides {
		lineup := []map[string]any{}
		for _, p := range w.players {
			if p.Side == side && p.first == first.first {
				lineup = append(lineup, map[string]any{
					"player": s.player(p.Player), "position": position(p.Player), "jersey_number": p.Number,
				})
			}
		}
		// kloppy knows only formations of eleven: this one says nothing about the robots.
		s.add(named{35, "Starting XI"}, side, first, 0)["tactics"] = map[string]any{"formation": 442, "lineup": lineup}
	}
	s.assign()
	changes := s.changes()
	events := s.e.report.Events
	for i := range w.halves {
		h := &w.halves[i]
		for _, side := range game.Sides {
			s.add(named{18, "Half Start"}, side, h, 0)
		}
		for k := range events {
			if w.period(events[k].Part) == h.period {
				changes = s.change(changes, h, events[k].At)
				s.event(h, &events[k])
			}
		}
		changes = s.change(changes, h, h.to)
		length := h.to.Sub(h.from)
		for _, side := range game.Sides {
			s.add(named{34, "Half End"}, side, h, length)
		}
		s.before += length
	}
	s.events.rows, s.lineups.rows = len(s.list), len(w.players)
	if err := encode(s.events, s.list); err != nil {
		return err
	}
	return encode(s.lineups, s.lineup())
}

func encode(f *file, v any) error {
	e := json.NewEncoder(f)
	e.SetIndent("", " ")
	return e.Encode(v)
}

// event adds an event of the match with what StatsBomb has for it.
func (s *statsBomb) event(h *half, v *analysis.Event) {
	if v.By.Side == game.Both {
		return
	}
	if isFoul(v) {
		s.foul(h, v)
	}
	if v.Chain > 0 && v.Kind != analysis.Lost && v.Kind != analysis.Carded {
		s.possession, s.possessor = v.Chain, v.By.Side
	}
	switch v.Kind {
	case analysis.Passed:
		s.pass(h, v)
	case analysis.Shot:
		s.shot(h, v)
	case analysis.Scored:
		if !v.Success {
			s.act(named{20, "Own Goal Against"}, v.By, h, v, v.From)
			s.add(named{25, "Own Goal For"}, v.By.Side.Opponent(), h, v.At.Sub(h.from))
		}
	case analysis.Lost:
		switch v.Result {
		case analysis.Tackled:
			s.act(named{3, "Dispossessed"}, v.By, h, v, v.From)
		case analysis.Intercepted:
			if v.To.Side != game.Both {
				s.act(named{10, "Interception"}, v.To, h, v, v.End)["interception"] = map[string]any{"outcome": named{16, "Success In Play"}}
			}
		}
	}
}

// pass adds a pass, and its receipt.
func (s *statsBomb) pass(h *half, v *analysis.Event) {
	way := v.End.Sub(v.From)
	if v.By.Side == game.Away {
		way = way.Scale(-1)
	}
	end := s.location(v.By.Side, v.End.X, v.End.Y)
	pass := map[string]any{
		"length": decimal(way.Len()), "angle": decimal(math.Atan2(-way.Y, way.X)), "height": named{1, "Ground Pass"},
		"end_location": end, "body_part": named{70, "Other"},
	}
	e := s.act(named{30, "Pass"}, v.By, h, v, v.From)
	e["pass"] = pass
	switch {
	case v.Success:
		if s.has(v.To) {
			pass["recipient"] = s.player(v.To)
		}
		receipt := s.act(named{42, "Ball Receipt*"}, v.To, h, v, v.End)
		e["related_events"], receipt["related_events"] = []any{receipt["id"]}, []any{e["id"]}
	case v.Result == analysis.OutOfPlay:
		pass["outcome"] = named{75, "Out"}
	case v.Result == analysis.Intercepted:
		pass["outcome"] = named{9, "Incomplete"}
	default:
		pass["outcome"] = named{77, "Unknown"}
	}
}

// shotOutcomes are StatsBomb's outcomes by the result of a shot.
var shotOutcomes = map[string]named{
	"goal": {97, "Goal"}, "saved": {100, "Saved"}, "wide": {98, "Off T"}, "on target": {96, "Blocked"},
}

// shot adds a shot, with where the robots were.
func (s *statsBomb) shot(h *half, v *analysis.Event) {
	others := []map[string]any{}
	for _, p := range s.at(v.At) {
		if p.Player == v.By {
			continue
		}
		others = append(others, map[string]any{
			"location": s.location(v.By.Side, float64(p.x), float64(p.y)), "player": s.player(p.Player), "position": position(p.Player),
			"teammate": p.Side == v.By.Side,
		})
	}
	s.act(named{16, "Shot"}, v.By, h, v, v.From)["shot"] = map[string]any{
		"statsbomb_xg": decimal(v.XG), "end_location": s.location(v.By.Side, v.End.X, v.End.Y), "outcome": shotOutcomes[v.Result],
		"type": named{87, "Open Play"}, "body_part": named{70, "Other"}, "technique": named{93, "Normal"}, "freeze_frame": others,
	}
}

// at returns where the robots were at a time: in the first frame from then on.
func (s *statsBomb) at(t soccer.Time) []place {
	i := sort.Search(len(s.frames), func(i int) bool { return s.frames[i].at >= t })
	switch {
	case i == len(s.frames):
		return nil
	case i+1 == len(s.frames):
		return s.places[s.frames[i].first:]
	}
	return s.places[s.frames[i].first:s.frames[i+1].first]
}

// lineup returns the robots of both teams.
func (s *statsBomb) lineup() any {
	all := []map[string]any{}
	for _, side := range game.Sides {
		robots := []map[string]any{}
		for _, p := range s.e.walk.players {
			if p.Side == side {
				robots = append(robots, map[string]any{
					"player_id": playerID(p.Side, p.Number), "player_name": s.player(p.Player).Name, "player_nickname": nil,
					"jersey_number": p.Number, "country": named{0, ""}, "cards": []any{}, "positions": []any{},
				})
			}
		}
		team := s.team(side)
		all = append(all, map[string]any{"team_id": team.ID, "team_name": team.Name, "lineup": slices.Clip(robots)})
	}
	return all
}
