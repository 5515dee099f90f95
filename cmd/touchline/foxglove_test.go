package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"touchline/internal/control"
	"touchline/internal/manager"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/internal/monitor"
	"touchline/internal/playback"
	"touchline/internal/playback/foxglovenet"
	"touchline/internal/vss"
	"touchline/internal/vss/vssnet"
	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/teamcom"
)

// Each service is a command of its program, and its schema has the members of the command's body.
func TestFoxgloveServices(t *testing.T) {
	m, err := matchnet.VirtualMatch(match.DefaultMatchConfig(), match.Tap{})
	if err != nil {
		t.Fatal(err)
	}
	sim, err := vssnet.New(vssnet.DefaultConfig(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range []struct {
		services, commands []string
	}{
		{sessionServices, matchnet.SessionCommands()}, {matchServices, m.Commands().Names()},
		{virtualServices, m.Commands().Names()}, {vssServices, sim.Commands().Names()},
	} {
		cfg := foxglovenet.DefaultConfig()
		offer(&cfg, nil, program.services)
		for _, s := range cfg.Services {
			if !slices.Contains(program.commands, s.Name) {
				t.Errorf("%s is none of %q", s.Name, program.commands)
			}
			var schema struct{ Properties map[string]any }
			if err := json.Unmarshal([]byte(s.Schema), &schema); err != nil {
				t.Errorf("%s: %v", s.Schema, err)
			}
			if _, known := serviceSchemas[s.Name]; !known {
				t.Errorf("%s has no schema", s.Name)
			}
		}
	}
}

// The page of the address shows it, with a view-only page too, and the Host is checked as for the other pages.
func TestFoxglovePage(t *testing.T) {
	for _, viewOnly := range []bool{false, true} {
		f := pageFlags{http: "127.0.0.1:0", viewOnly: viewOnly}
		tape := playback.New(playback.Config{}, slog.New(slog.DiscardHandler))
		p, err := f.open(f.foxglove(f.withTape(monitor.DefaultConfig(), tape), tape, shownLive{session: graphSession{}}))
		if err != nil {
			t.Fatal(err)
		}
		p.listener.Close()
		get := func(host string) *httptest.ResponseRecorder {
			answer, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/foxglove", nil)
			r.Host = host
			p.server.ServeHTTP(answer, r)
			return answer
		}
		if text := get("127.0.0.1:80").Body.String(); !strings.Contains(text, p.clients.Address("127.0.0.1:80")) {
			t.Errorf("the page is %s", text)
		}
		if text := get("evil.example"); text.Code != 403 || strings.Contains(text.Body.String(), "token=") {
			t.Errorf("another Host gets %d %s", text.Code, text.Body)
		}
		if !strings.HasPrefix(p.foxglove(), "ws://127.0.0.1:") || !strings.Contains(p.foxglove(), "/foxglove?token=") {
			t.Errorf("the address is %s", p.foxglove())
		}
	}
}

// graphSession is a session with two senders, and a node that receives two types.
type graphSession struct{}

func (graphSession) Wall(string) any { return &watch.Wall{} }

func (graphSession) Network(string) any {
	return watch.Network{Senders: []watch.SenderRow{
		{Addr: "127.0.0.1:4000", Number: 3, Team: "Falcons"}, {Addr: "127.0.0.1:4001", Foreign: true},
		{Addr: "127.0.0.1:4000", Number: 3, Team: "Falcons", Color: soccer.Magenta},
	}}
}

func (graphSession) Nodes(topic string) any {
	if topic != "teamcom" {
		return nil
	}
	return teamcom.View{Nodes: []teamcom.Report{{
		Entity: "robot:1", Links: []teamcom.LinkReport{{Peer: "computer:1"}, {Peer: "robot:3"}, {Peer: "robot:2"}},
		Types: []teamcom.TypeReport{
			{Type: "belief", Peer: "robot:3"}, {Type: "belief", Peer: "robot:2"}, {Type: "status", Peer: "robot:2"},
		},
	}}}
}

// The graph has the senders of packages, and the types that robots receive.
func TestFoxgloveGraph(t *testing.T) {
	g := graphOf(graphSession{}, "mixed team packages")
	want := "map[mixed team packages:[127.0.0.1:4001 Falcons 3 at 127.0.0.1:4000] tcm belief:[robot:2 robot:3] " +
		"tcm status:[robot:2]] map[mixed team packages:[touchline] tcm belief:[robot:1] tcm status:[robot:1]]"
	if got := fmt.Sprint(g.Published, " ", g.Subscribed); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := robotsOf(graphSession{}); !slices.Equal(got, []uint8{1, 2, 3}) {
		t.Errorf("the robots are %d", got)
	}
}

// The graph of a VSS simulator has its teams and the receivers of vision.
func TestFoxgloveGraphVSS(t *testing.T) {
	g := graphOfVSS(&vss.Show{
		Vision: []string{"224.0.0.1:10020", "224.0.0.1:10002"}, Clients: []vss.ShowClient{{Address: "127.0.0.1:4000"}},
	})
	want := "map[commands:[127.0.0.1:4000] vision:[touchline]] " +
		"map[commands:[touchline] vision:[224.0.0.1:10002 224.0.0.1:10020]]"
	if got := fmt.Sprint(g.Published, " ", g.Subscribed); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Parameters of a robot have their kinds, and are set by its commands: with the control, which is given back.
func TestFoxgloveParameters(t *testing.T) {
	refused := ""
	view := func() *manager.View {
		result := "done"
		if refused != "" {
			result = "refused"
		}
		return &manager.View{Seen: true, Parameters: []manager.ParameterView{
			{Name: "tilt", Kind: "number", Value: 0.1, Result: result, Text: refused}, {Name: "rate", Kind: "integer", Value: 25},
			{Name: "on", Kind: "switch", Value: 1}, {Name: "mode", Kind: "choice", Value: 1, Choices: []string{"day", "night"}},
			{Name: "other", Kind: "choice", Value: 9, Choices: []string{"day"}},
		}}
	}
	var asked []string
	picture := ""
	commands := control.Table{}
	for _, name := range []string{"robot-attend", "robot-take", "robot-set-all", "robot-release"} {
		commands[name] = control.Command{Do: func(r control.Request) (any, error) {
			var body struct {
				Page    uint32
				Values  json.RawMessage
				Picture json.RawMessage
			}
			if err := json.Unmarshal(r.Body, &body); err != nil || body.Page == 0 {
				return nil, fmt.Errorf("%s: %w", r.Body, err)
			}
			asked = append(asked, strings.TrimSpace(name+" "+string(body.Values)))
			picture += string(body.Picture)
			return nil, nil
		}}
	}
	silent := 6000.0 // robot 4 reports no longer
	robots := func() []uint8 { return []uint8{3, 4} }
	m := managedParameters{commands: commands, robots: robots, topic: func(topic string) any {
		switch topic {
		case "robot/3": // it reports to those that attend
			if slices.Contains(asked, "robot-attend") {
				return view()
			}
		case "robot/4":
			return &manager.View{SilentMillis: silent, Parameters: []manager.ParameterView{{Name: "tilt"}}}
		}
		return nil
	}}
	want := "[{robot/3/tilt 0.1 float64} {robot/3/rate 25 } {robot/3/on true } {robot/3/mode night } {robot/3/other 9 float64}]"
	if got := fmt.Sprint(m.list(false)); got != want || !slices.Equal(asked, []string{"robot-attend", "robot-attend"}) {
		t.Errorf("got\n%s\nwant\n%s\nasked %q", got, want, asked)
	}
	silent = 2000
	if got := len(m.list(false)); got != 6 {
		t.Errorf("%d parameters with a robot whose report is late, want 6", got)
	}
	silent, asked = 0, []string{"robot-attend"}
	err := m.set("client", false, []foxglovenet.Parameter{
		{Name: "robot/3/tilt", Value: 0.25}, {Name: "robot/3/on", Value: false}, {Name: "robot/3/mode", Value: "night"},
	})
	steps := []string{"robot-attend", "robot-attend", "robot-take", `robot-set-all [{"name":"tilt","value":0.25},{"name":"on","value":0},` +
		`{"name":"mode","value":1}]`, "robot-release"}
	if err != nil || !slices.Equal(asked, steps) {
		t.Errorf("%v, asked\n%q\nwant\n%q", err, asked, steps)
	}
	for name, value := range map[string]any{
		"robot/3/none": 1.0, "robot/4/tilt": 1.0, "robot/x/tilt": 1.0, "tilt": 1.0, "robot/3/mode": "dusk", "robot/3/tilt": nil,
		"robot/3/rate": []any{1.0},
	} {
		if err := m.set("client", false, []foxglovenet.Parameter{{Name: name, Value: value}}); err == nil {
			t.Errorf("%s was set to %v", name, value)
		}
	}
	if picture != "" {
		t.Errorf("parameters ask for the pictures %s", picture)
	}
	channels := slices.Concat(playback.PictureChannels(3), playback.PictureChannels(4))
	got := m.pictures(append(playback.PictureChannels(5), "topic/wall"), false)
	if !slices.Equal(got, channels) || picture != "" {
		t.Errorf("there are %q, and %s is asked for", got, picture)
	}
	if m.pictures(channels[:1], false); picture != `{"overlay":true,"rate":5}` {
		t.Errorf("the picture %s is asked for", picture)
	}
	refused = "robot 1 has the control"
	err = m.set("client", false, []foxglovenet.Parameter{{Name: "robot/3/tilt", Value: 1.0}})
	if err == nil || !strings.Contains(err.Error(), "robot 3: tilt: robot 1 has the control") {
		t.Errorf("got %v", err)
	}
}
