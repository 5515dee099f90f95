package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"touchline/internal/control"
	"touchline/internal/manager"
	"touchline/internal/monitor"
	"touchline/internal/playback"
	"touchline/internal/playback/foxglovenet"
	"touchline/internal/vss"
	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/teamcom"
)

// foxglovePath is where a page serves Foxglove.
const foxglovePath = "GET /foxglove"

// serviceSchemas are the bodies of the commands that Foxglove may call, as the members of an object.
var serviceSchemas = map[string]string{
	"kick":       `"vx":{"type":"number"},"vy":{"type":"number"},"vz":{"type":"number"}`,
	"ball":       `"x":{"type":"number"},"y":{"type":"number"},"vx":{"type":"number"},"vy":{"type":"number"}`,
	"reset":      ``,
	"place-ball": `"x":{"type":"number"},"y":{"type":"number"}`,
	"move-robot": `"number":{"type":"integer"},"x":{"type":"number"},"y":{"type":"number"},"theta":{"type":"number"}`,
	"substitute": `"number":{"type":"integer"}`,
	"switch":     `"number":{"type":"integer"},"on":{"type":"boolean"}`,
	"pause":      `"paused":{"type":"boolean"}`,
	"speed":      `"factor":{"type":"number"}`,
	"step":       `"ms":{"type":"number"}`,
	"again":      ``,
	"record":     `"on":{"type":"boolean"}`,
}

// Services of the programs. Those with a tape have record, too.
var (
	sessionServices = []string{"kick", "place-ball", "move-robot", "substitute", "switch", "pause", "speed"}
	matchServices   = []string{"pause", "again"}
	virtualServices = []string{"pause", "again", "step", "speed"}
	vssServices     = []string{"ball", "pause", "speed", "reset"} // without record
)

// shownLive is what Foxglove shows of a live session besides what its tape has.
type shownLive struct {
	session  playback.Session
	services []string
	managed  func(topic string) any // topics of robots that are managed; nil for none
	packets  string                 // what the senders send; "" for mixed team packages
}

// foxglove adds the address for Foxglove to the configuration of a page.
func (p *pageFlags) foxglove(cfg monitor.Config, tape *playback.Recorder, live shownLive) monitor.Config {
	f := foxglovenet.DefaultConfig()
	f.Private = privateChannel
	f.Schema, f.First = playback.Schema, tape.First
	f.Graph = func() foxglovenet.Graph { return graphOf(live.session, cmp.Or(live.packets, "mixed team packages")) }
	if !p.viewOnly {
		offer(&f, cfg.Commands, append(slices.Clone(live.services), "record"))
		if live.managed != nil {
			params := managedParameters{
				topic: live.managed, robots: func() []uint8 { return robotsOf(live.session) }, commands: cfg.Commands,
				page: rand.Uint32(),
			}
			f.Parameters, f.SetParameters, f.Ask = params.list, params.set, params.pictures
		}
	}
	cfg = p.withFoxglove(cfg, f)
	tape.Serve(p.clients)
	return cfg
}

// privateChannel reports whether a live channel needs the token: the teams' messages to the referee box, which its pages
// show to the referee alone, and what the box notes about the teams.
func privateChannel(name string) bool {
	team, _, _ := strings.Cut(name, "/")
	return slices.Contains([]string{
		matchlog.Home, matchlog.Away, matchlog.Admissions, matchlog.Lines, matchlog.Sent, matchlog.Omitted,
	}, team)
}

// offer offers commands as services.
func offer(f *foxglovenet.Config, commands control.Table, names []string) {
	f.Commands = commands
	for _, name := range names {
		f.Services = append(f.Services, foxglovenet.Service{
			Name: name, Schema: fmt.Sprintf(`{"type":"object","properties":{%s}}`, serviceSchemas[name]),
		})
	}
}

// foxgloveVSS adds the address for Foxglove to the configuration of the page of a VSS simulator.
func (p *pageFlags) foxgloveVSS(cfg monitor.Config, show func() *vss.Show) monitor.Config {
	f := foxglovenet.DefaultConfig()
	f.Schema = playback.Schema
	f.Graph = func() foxglovenet.Graph { return graphOfVSS(show()) } // Lichtblick has the list of services from it
	offer(&f, cfg.Commands, vssServices)
	return p.withFoxglove(cfg, f)
}

// foxgloveOf adds the address for Foxglove to the configuration of the page of a recording.
func (p *pageFlags) foxgloveOf(cfg monitor.Config, replay *playback.Replay) monitor.Config {
	f := foxglovenet.DefaultConfig()
	p.reel = playback.NewReel(replay)
	p.reel.Configure(&f)
	return p.withFoxglove(cfg, f)
}

// withFoxglove adds the address for Foxglove to the configuration of a page.
func (p *pageFlags) withFoxglove(cfg monitor.Config, f foxglovenet.Config) monitor.Config {
	if cfg.Guard != nil {
		f.Authorised = cfg.Guard.Authorised
	}
	f.Metadata = map[string]string{"program": "touchline", "version": currentVersion().Version}
	p.clients = foxglovenet.New(f)
	if cfg.Handlers == nil {
		cfg.Handlers = map[string]http.Handler{}
	}
	cfg.Handlers[foxglovePath] = p.clients
	return cfg
}

// foxglove returns the address to which clients of Foxglove connect.
func (p *page) foxglove() string {
	host, _, _ := strings.Cut(strings.TrimPrefix(p.url, "http://"), "/")
	return p.clients.Address(host)
}

// graphOf returns who talks to whom: the senders of packets, and the types of the TCM that nodes receive from each other.
func graphOf(s playback.Session, packets string) foxglovenet.Graph {
	g := foxglovenet.Graph{Published: map[string][]string{}, Subscribed: map[string][]string{}}
	if network, ok := s.Network("network").(watch.Network); ok {
		for i := range network.Senders {
			add(g.Published, packets, senderName(&network.Senders[i]))
		}
		if len(network.Senders) > 0 {
			add(g.Subscribed, packets, "touchline")
		}
	}
	for suffix, prefix := range map[string]string{"": "", ".away": "away "} {
		if suffix != "" {
			if _, ok := s.(interface{ Match(topic string) any }); !ok {
				continue
			}
		}
		for _, node := range nodesOf(s, suffix) {
			for _, t := range node.Types {
				topic := "tcm " + prefix + t.Type
				add(g.Published, topic, prefix+t.Peer)
				add(g.Subscribed, topic, prefix+node.Entity)
			}
		}
	}
	return g
}

// graphOfVSS returns who talks to a VSS simulator: the senders of commands, and where vision goes.
func graphOfVSS(v *vss.Show) foxglovenet.Graph {
	g := foxglovenet.Graph{
		Published:  map[string][]string{"vision": {"touchline"}},
		Subscribed: map[string][]string{"commands": {"touchline"}},
	}
	for _, address := range v.Vision {
		add(g.Subscribed, "vision", address)
	}
	for i := range v.Clients {
		add(g.Published, "commands", v.Clients[i].Address)
	}
	return g
}

// senderName names a sender of packages.
func senderName(r *watch.SenderRow) string {
	if r.Foreign || r.Number == 0 {
		return r.Addr
	}
	return strings.TrimSpace(fmt.Sprintf("%s %d", r.Team, r.Number)) + " at " + r.Addr
}

// add adds a name to a sorted list of a topic.
func add(to map[string][]string, topic, name string) {
	if at, has := slices.BinarySearch(to[topic], name); !has {
		to[topic] = slices.Insert(to[topic], at, name)
	}
}

// managedParameters are the parameters of the robots that a program manages, with the names robot/ID/NAME.
type managedParameters struct {
	topic    func(topic string) any
	robots   func() []uint8 // that are there
	commands control.Table
	page     uint32 // as which the clients of Foxglove look; each asks for values as another one
}

// nodesOf returns what the nodes of the TCM of a session report; suffix ".away" is for a match's second team.
func nodesOf(s playback.Session, suffix string) []teamcom.Report {
	team, ok := s.(interface{ Nodes(topic string) any })
	if !ok {
		return nil
	}
	view, _ := team.Nodes("teamcom" + suffix).(teamcom.View)
	return view.Nodes
}

// robotsOf returns the ids of the robots that talk over the TCM of a session, sorted.
func robotsOf(s playback.Session) (ids []uint8) {
	found := func(entity string) {
		number, isRobot := strings.CutPrefix(entity, "robot:")
		if id, err := strconv.ParseUint(number, 10, 8); isRobot && err == nil && !slices.Contains(ids, uint8(id)) {
			ids = append(ids, uint8(id))
		}
	}
	for _, node := range nodesOf(s, "") {
		found(node.Entity)
		for _, link := range node.Links {
			found(link.Peer)
		}
	}
	slices.Sort(ids)
	return ids
}

// do carries out a command about a robot for a client.
func (m *managedParameters) do(name, client string, authorised bool, body map[string]any) error {
	page := crc32.Update(m.page, crc32.IEEETable, []byte(client))
	body["page"] = max(page, 1)
	b, err := json.Marshal(body)
	if err == nil {
		_, err = m.commands.Carry(control.Request{Name: name, Body: b, Authorised: authorised})
	}
	return err
}

// attend tells a robot's operators that a client looks: its parameters arrive then.
func (m *managedParameters) attend(robot uint8, client string, authorised bool) error {
	return m.do("robot-attend", client, authorised, map[string]any{"robot": robot, "name": client})
}

// reports is how long the newest report of a robot counts: a client forgets the parameters that are missing in one answer.
const reports = 5 * time.Second

// view returns what is known of a robot; nil without one that reports.
func (m *managedParameters) view(robot uint8) *manager.View {
	v, _ := m.topic(fmt.Sprint("robot/", robot)).(*manager.View)
	if v == nil || !v.Seen && (v.SilentMillis == 0 || v.SilentMillis > reports.Seconds()*1e3) {
		return nil
	}
	return v
}

// list asks all robots for their parameters, and returns those of the ones that report. authorised: a client with the token
// looks.
func (m *managedParameters) list(authorised bool) (all []foxglovenet.Parameter) {
	for _, robot := range m.robots() {
		_ = m.attend(robot, "Foxglove", authorised) // without the token only those are listed that a page asked for
		v := m.view(robot)                          // a robot reports to those that attend
		if v == nil {
			continue
		}
		for i := range v.Parameters {
			all = append(all, parameterOf(robot, &v.Parameters[i]))
		}
	}
	return all
}

// pictures asks robots for the pictures of their cameras that clients want, and returns the channels of all robots.
func (m *managedParameters) pictures(wanted []string, authorised bool) (offered []string) {
	for _, robot := range m.robots() {
		channels := playback.PictureChannels(robot)
		offered = append(offered, channels...)
		if slices.ContainsFunc(channels, func(name string) bool { return slices.Contains(wanted, name) }) {
			_ = m.do("robot-attend", "pictures", authorised, map[string]any{ // without the token those come that a page looks at
				"robot": robot, "name": "Foxglove", "picture": map[string]any{"rate": 5, "overlay": true},
			})
		}
	}
	return offered
}

func parameterOf(robot uint8, v *manager.ParameterView) foxglovenet.Parameter {
	p := foxglovenet.Parameter{Name: fmt.Sprintf("robot/%d/%s", robot, v.Name)}
	switch at := int(v.Value); {
	case v.Kind == "switch":
		p.Value = v.Value != 0
	case v.Kind == "choice" && at >= 0 && at < len(v.Choices):
		p.Value = v.Choices[at]
	case v.Kind == "integer":
		p.Value = int64(v.Value)
	default:
		p.Value, p.Type = v.Value, "float64"
	}
	return p
}

// set asks robots for values, and waits for their answers. A robot takes values only from the operator who has its control:
// the client takes it for that long, unless somebody else has it.
func (m *managedParameters) set(client string, authorised bool, values []foxglovenet.Parameter) error {
	asked := map[uint8][]manager.Value{}
	for _, p := range values {
		robot, known := m.find(p.Name)
		if known == nil {
			return fmt.Errorf("%.80q is no parameter of a robot that reports: want a name such as robot/3/NAME", p.Name)
		}
		value, err := valueOf(p.Value, known)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		asked[robot] = append(asked[robot], manager.Value{Name: known.Name, Value: float32(value)})
	}
	for _, robot := range slices.Sorted(maps.Keys(asked)) {
		if err := m.setRobot(robot, client, authorised, asked[robot]); err != nil {
			return fmt.Errorf("robot %d: %w", robot, err)
		}
	}
	return nil
}

// setRobot sets parameters of one robot.
func (m *managedParameters) setRobot(robot uint8, client string, authorised bool, values []manager.Value) error {
	if err := m.attend(robot, client, authorised); err != nil {
		return err
	}
	for _, name := range []string{"robot-take", "robot-set-all", "robot-release"} {
		body := map[string]any{"robot": robot}
		if name == "robot-set-all" {
			body["values"] = values
		}
		if err := m.do(name, client, authorised, body); err != nil {
			return err
		}
	}
	for end := time.Now().Add(patience); ; time.Sleep(patience / 100) {
		if done, err := m.answered(robot, values); done || err != nil {
			return err
		}
		if time.Now().After(end) {
			return errors.New("it does not answer")
		}
	}
}

// patience is how long a client waits for a robot's answer.
const patience = 2 * time.Second

// answered reports whether a robot has answered about values; the error is why it refuses one.
func (m *managedParameters) answered(robot uint8, values []manager.Value) (bool, error) {
	for _, v := range values {
		switch _, p := m.find(fmt.Sprintf("robot/%d/%s", robot, v.Name)); {
		case p == nil || p.Asked != nil:
			return false, nil
		case p.Result == "refused":
			return true, fmt.Errorf("%s: %s", v.Name, p.Text)
		}
	}
	return true, nil
}

// find returns the parameter with a name of Foxglove; nil for none.
func (m *managedParameters) find(name string) (robot uint8, p *manager.ParameterView) {
	rest, _ := strings.CutPrefix(name, "robot/")
	number, name, _ := strings.Cut(rest, "/")
	id, err := strconv.ParseUint(number, 10, 8)
	if err != nil {
		return 0, nil
	}
	v := m.view(uint8(id))
	if v == nil {
		return 0, nil
	}
	at := slices.IndexFunc(v.Parameters, func(p manager.ParameterView) bool { return p.Name == name })
	if at < 0 {
		return 0, nil
	}
	return uint8(id), &v.Parameters[at]
}

// valueOf returns the number of a parameter that a client asks for: true is 1, and a choice its place.
func valueOf(v any, of *manager.ParameterView) (float64, error) {
	switch v := v.(type) {
	case float64:
		return v, nil
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	case string:
		if at := slices.Index(of.Choices, v); at >= 0 {
			return float64(at), nil
		}
		return 0, fmt.Errorf("%.40q: want one of %s", v, strings.Join(of.Choices, ", "))
	}
	return 0, fmt.Errorf("want a number, true, false, or the text of a choice")
}
