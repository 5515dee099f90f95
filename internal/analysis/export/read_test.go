package export

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/soccer"
)

// The readers of this file read what export writes by the descriptions of the formats, and fail on anything else.

// shown is a frame as a reader of tracking sees it, in m.
type shown struct {
	id     int
	period string // of a format that has it in each frame
	robots map[autoref.Player]soccer.Vec
	ball   *soccer.Vec3
	owner  game.Side
	alive  bool
}

// span is a half as metadata tell it.
type span struct {
	first, last int
	right       bool // home attacks +x
}

// document is what a reader of tracking gets.
type document struct {
	rate          int
	length, width float64
	frames        []shown
	halves        map[int]span
	players       map[autoref.Player]bool
}

// strict decodes JSON, and fails on members that the type does not have.
func strict(t *testing.T, data []byte, v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%v: %.300s", err, data)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("more than one value: %v", err)
	}
}

func content(t *testing.T, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func lines(t *testing.T, path ...string) []string {
	t.Helper()
	text := string(content(t, path...))
	if text != "" && !strings.HasSuffix(text, "\n") {
		t.Fatalf("%v: the last line is not whole", path)
	}
	return slices.Collect(strings.Lines(text))
}

var (
	tracabTarget = regexp.MustCompile(`^([01]),([12]\d{3}),(\d{1,3}),(-?\d{1,4}),(-?\d{1,4}),(\d{1,2}\.\d\d)$`)
	tracabBall   = regexp.MustCompile(`^(?:(-?\d{1,4}),(-?\d{1,4}),(-?\d{1,3}),(\d{1,2}\.\d\d)|nan,nan,nan,nan),([HA]),(Alive|Dead)$`)
)

func number64(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// readTRACAB reads TRACAB.
func readTRACAB(t *testing.T, dir string) (d document) {
	t.Helper()
	var meta struct {
		GameID                                                            string
		CompetitionID, SeasonID, FrameRate, PitchLongSide, PitchShortSide int
		Kickoff                                                           string
		HomeTeam, AwayTeam                                                tracabTeam
	}
	var all map[string]any
	if err := json.Unmarshal(content(t, dir, "tracab.json"), &all); err != nil {
		t.Fatal(err)
	}
	data, _ := json.Marshal(all)
	if err := json.Unmarshal(data, &meta); err != nil {
		t.Fatal(err)
	}
	d = document{
		rate: meta.FrameRate, length: float64(meta.PitchLongSide) / 100, width: float64(meta.PitchShortSide) / 100,
		halves: map[int]span{}, players: map[autoref.Player]bool{},
	}
	for n := 1; n <= 5; n++ {
		first, last := int(all[fmt.Sprintf("Phase%dStartFrame", n)].(float64)), int(all[fmt.Sprintf("Phase%dEndFrame", n)].(float64))
		right, known := all[fmt.Sprintf("Phase%dHomeGKLeft", n)].(bool)
		if (first != 0) != known || (last != 0) != known || first > last {
			t.Fatalf("phase %d: %d to %d, sides known: %t", n, first, last, known)
		}
		if known {
			d.halves[n] = span{first, last, right}
		}
	}
	for side, team := range map[game.Side]tracabTeam{game.Home: meta.HomeTeam, game.Away: meta.AwayTeam} {
		for _, p := range team.Players {
			d.players[autoref.Player{Side: side, Number: p.JerseyNo}] = true
			if p.StartFrameCount > p.EndFrameCount || !slices.Contains([]string{"G", "D", "M", "A"}, p.StartingPosition) {
				t.Fatalf("player %+v", p)
			}
		}
	}
	for _, line := range lines(t, dir, "tracab.dat") {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), ":")
		if len(parts) != 4 || parts[3] != "" || !strings.HasSuffix(parts[1], ";") || !strings.HasSuffix(parts[2], ";") {
			t.Fatalf("line %q", line)
		}
		f := shown{id: int(number64(t, parts[0])), robots: map[autoref.Player]soccer.Vec{}}
		for _, text := range strings.Split(strings.TrimSuffix(parts[1], ";"), ";") {
			m := tracabTarget.FindStringSubmatch(text)
			if m == nil {
				t.Fatalf("target %q", text)
			}
			p := autoref.Player{Side: game.Home, Number: uint8(number64(t, m[3]))}
			if m[1] == "0" {
				p.Side = game.Away
			}
			if !d.players[p] {
				t.Fatalf("%v is no player of the metadata", p)
			}
			f.robots[p] = soccer.Vec{X: number64(t, m[4]) / 100, Y: number64(t, m[5]) / 100}
		}
		m := tracabBall.FindStringSubmatch(strings.TrimSuffix(parts[2], ";"))
		if m == nil {
			t.Fatalf("ball %q", parts[2])
		}
		if m[1] != "" {
			f.ball = &soccer.Vec3{X: number64(t, m[1]) / 100, Y: number64(t, m[2]) / 100, Z: number64(t, m[3]) / 100}
		}
		f.owner, f.alive = map[string]game.Side{"H": game.Home, "A": game.Away}[m[5]], m[6] == "Alive"
		d.frames = append(d.frames, f)
	}
	return d
}

// readCDF reads the tracking of the Common Data Format.
func readCDF(t *testing.T, dir string) (d document) {
	t.Helper()
	var meta struct {
		Competition, Season struct{ ID string }
		Match               struct {
			ID       string       `json:"id"`
			Kickoff  string       `json:"kickoff_time"`
			Periods  []cdfHalf    `json:"periods"`
			Whistles []cdfWhistle `json:"whistles"`
		}
		Teams   map[string]cdfTeam
		Stadium struct {
			ID     string
			Length float64 `json:"pitch_length"`
			Width  float64 `json:"pitch_width"`
		}
		Meta struct {
			Video, Landmarks, Ball *struct{}
			Event                  map[string]string
			Tracking               struct {
				Version, Name string
				FPS           int
				Timing        string `json:"collection_timing"`
			}
			Meta, CDF map[string]string
		}
	}
	strict(t, content(t, dir, "meta.json"), &meta)
	d = document{
		rate: meta.Meta.Tracking.FPS, length: meta.Stadium.Length, width: meta.Stadium.Width, halves: map[int]span{},
		players: map[autoref.Player]bool{},
	}
	for _, p := range meta.Match.Periods {
		n := slices.Index(cdfPeriods[:], p.Period)
		right := p.Direction == "left_right"
		if n < 1 || !right && p.Direction != "right_left" || right != (p.Left == "home") || right != (p.Right == "away") {
			t.Fatalf("period %+v", p)
		}
		d.halves[n] = span{int(p.First), int(p.Last), right}
	}
	if len(meta.Match.Whistles) != 2*len(d.halves) {
		t.Fatalf("%d whistles of %d halves", len(meta.Match.Whistles), len(d.halves))
	}
	for _, side := range game.Sides {
		for _, p := range meta.Teams[string(side)].Players {
			d.players[autoref.Player{Side: side, Number: p.Jersey}] = true
		}
	}
	type robot struct {
		ID       string `json:"id"`
		X, Y     float64
		Velocity *float64 `json:"vel"`
	}
	type team struct {
		ID      string
		Players []robot
	}
	for _, line := range lines(t, dir, "tracking.jsonl") {
		var f struct {
			Frame     int    `json:"frame_id"`
			Timestamp string `json:"timestamp"`
			Period    string `json:"period"`
			Match     struct{ ID string }
			Status    bool   `json:"ball_status"`
			Owner     string `json:"ball_poss_team_id"`
			Teams     struct{ Home, Away team }
			Ball      struct{ X, Y, Z *float64 }
		}
		strict(t, []byte(line), &f)
		if f.Match.ID != meta.Match.ID || f.Teams.Home.ID != "home" || f.Teams.Away.ID != "away" {
			t.Fatalf("ids of %s", line)
		}
		out := shown{id: f.Frame, period: f.Period, robots: map[autoref.Player]soccer.Vec{}, owner: game.Side(f.Owner), alive: f.Status}
		for i, of := range []team{f.Teams.Home, f.Teams.Away} {
			for _, r := range of.Players {
				side, text, _ := strings.Cut(r.ID, "_")
				p := autoref.Player{Side: game.Side(side), Number: uint8(number64(t, text))}
				if p.Side != game.Sides[i] || !d.players[p] || math.Abs(r.X) > 65 || math.Abs(r.Y) > 42.5 {
					t.Fatalf("player %+v", r)
				}
				out.robots[p] = soccer.Vec{X: r.X, Y: r.Y}
			}
		}
		if f.Ball.X != nil {
			out.ball = &soccer.Vec3{X: *f.Ball.X, Y: *f.Ball.Y, Z: *f.Ball.Z}
		}
		d.frames = append(d.frames, out)
	}
	return d
}

// readTable reads a table of CSV or Parquet into rows.
func readTable[T any](t *testing.T, dir, name string, as Format) []T {
	t.Helper()
	path := filepath.Join(dir, name+"."+string(as))
	if as == Parquet {
		rows, err := parquet.ReadFile[T](path)
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(bufio.NewReader(f)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(records[0], columns[T]()) {
		t.Fatalf("%s has the columns %q", name, records[0])
	}
	rows := make([]T, len(records)-1)
	for i, record := range records[1:] {
		row := reflect.ValueOf(&rows[i]).Elem()
		for k, text := range record {
			if err := parseField(row.Field(k), text); err != nil {
				t.Fatalf("%s, row %d, column %s: %v", name, i, records[0][k], err)
			}
		}
	}
	return rows
}

// parseField parses a field of CSV.
func parseField(v reflect.Value, text string) (err error) {
	if v.Kind() == reflect.Pointer {
		if text == "" {
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		var b bool
		b, err = strconv.ParseBool(text)
		v.SetBool(b)
	case reflect.Uint64:
		var n uint64
		n, err = strconv.ParseUint(text, 10, 64)
		v.SetUint(n)
	case reflect.Float32, reflect.Float64:
		var f float64
		f, err = strconv.ParseFloat(text, v.Type().Bits())
		v.SetFloat(f)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			err = fmt.Errorf("%s is no number", text)
		}
	default:
		var n int64
		n, err = strconv.ParseInt(text, 10, v.Type().Bits())
		v.SetInt(n)
	}
	return err
}

// sbEvent is an event of StatsBomb, with the members that are checked.
type sbEvent struct {
	ID         string `json:"id"`
	Index      int    `json:"index"`
	Period     int    `json:"period"`
	Timestamp  string `json:"timestamp"`
	Minute     int    `json:"minute"`
	Second     int    `json:"second"`
	Type       named  `json:"type"`
	Possession int    `json:"possession"`
	Possessor  named  `json:"possession_team"`
	Pattern    named  `json:"play_pattern"`
	Team       named  `json:"team"`
	Duration   json.Number
	Player     *named        `json:"player"`
	Position   *named        `json:"position"`
	Location   []json.Number `json:"location"`
	Related    []string      `json:"related_events"`
	Tactics    *struct {
		Formation int
		Lineup    []struct {
			Player, Position named
			Jersey           int `json:"jersey_number"`
		}
	}
	Pass *struct {
		Recipient     *named
		Length, Angle json.Number
		Height        named
		End           []json.Number `json:"end_location"`
		Body          named         `json:"body_part"`
		Outcome       *named
	}
	Shot *struct {
		XG            json.Number   `json:"statsbomb_xg"`
		End           []json.Number `json:"end_location"`
		Outcome, Type named
		Body          named `json:"body_part"`
		Technique     named
		Freeze        []struct {
			Location         []json.Number
			Player, Position named
			Teammate         bool
		} `json:"freeze_frame"`
	}
	Interception *struct{ Outcome named }
	Foul         *struct {
		Card    *named
		Penalty bool
	} `json:"foul_committed"`
	Bad          *struct{ Card named }                 `json:"bad_behaviour"`
	Substitution *struct{ Outcome, Replacement named } `json:"substitution"`
}

var (
	sbID   = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	sbTime = regexp.MustCompile(`^\d\d:[0-5]\d:[0-5]\d\.\d{3}$`)
)

// readStatsBomb reads the events, and returns the robots of the lineups by their ids.
func readStatsBomb(t *testing.T, dir string) (events []sbEvent, robots map[int]bool) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "events", "*.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	name := filepath.Base(found[0])
	if _, err := strconv.Atoi(strings.TrimSuffix(name, ".json")); err != nil {
		t.Fatalf("the name %s is no number", name)
	}
	strict(t, content(t, found[0]), &events)
	var lineups []struct {
		Team   int    `json:"team_id"`
		Name   string `json:"team_name"`
		Lineup []struct {
			Player    int     `json:"player_id"`
			Name      string  `json:"player_name"`
			Nick      *string `json:"player_nickname"`
			Jersey    int     `json:"jersey_number"`
			Country   named
			Cards     []any
			Positions []any
		}
	}
	strict(t, content(t, dir, "lineups", name), &lineups)
	robots = map[int]bool{}
	for _, team := range lineups {
		for _, p := range team.Lineup {
			robots[p.Player] = true
		}
	}
	ids := map[string]bool{}
	for i := range events {
		e := &events[i]
		if ids[e.ID] || !sbID.MatchString(e.ID) || e.Index != i+1 || !sbTime.MatchString(e.Timestamp) {
			t.Fatalf("event %d: %+v", i, e)
		}
		ids[e.ID] = true
		if e.Player != nil && !robots[e.Player.ID] {
			t.Fatalf("event %d: no player %v", i, e.Player)
		}
		if e.Substitution != nil && (e.Player == nil || !robots[e.Substitution.Replacement.ID]) {
			t.Fatalf("event %d: substitution %+v", i, e.Substitution)
		}
		for _, list := range [][]json.Number{e.Location} {
			for _, v := range list {
				if !strings.Contains(string(v), ".") {
					t.Fatalf("event %d: the location %v has no fraction", i, list)
				}
			}
		}
	}
	return events, robots
}
