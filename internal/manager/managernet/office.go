package managernet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"touchline/internal/camera"
	"touchline/internal/control"
	"touchline/internal/manager"
	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/tcm"
)

// Periods of an Office's topics.
const (
	RobotPeriod       = 100 * time.Millisecond // robot/ID
	DrivePeriod       = 20 * time.Millisecond  // drive/ID
	ChecksPeriod      = 200 * time.Millisecond // checks/ID
	MachinePeriod     = 500 * time.Millisecond // machine/ID
	ProfilesPeriod    = time.Second            // profiles/ID
	CalibrationPeriod = 200 * time.Millisecond // calibration/ID
	PicturePeriod     = 10 * time.Millisecond  // picture/ID; at most one a picture
)

// Computer is the node of a computer that manages robots, for example a teamcomnet.Endpoint.
type Computer interface {
	Node
	Self() tcm.Entity
}

// OfficeConfig describes an Office.
type OfficeConfig struct {
	// Field is the one on which cameras are calibrated
	Field soccer.Field
	// Self returns where a robot believes to stand, in the team frame. Default nil: not known
	Self func(robot uint8) (soccer.Pose, bool)
	// Course is where the robots and the ball of a simulated field truly are. Default nil: not known
	Course *manager.Course
	// Truth returns what each pixel of a simulated picture shows, row by row, and its width. Default nil: not known
	Truth func(robot uint8, captured soccer.Time) ([]camera.Thing, int)
	// Profiles is the folder of the profiles of robots' parameters. Default "": they are not kept
	Profiles string
	// Picture receives pictures that arrive: five a second of each robot, or as many as Record asks for. Default nil
	Picture func(*PictureView)
	// Log receives a line for each change that an operator makes
	Log *slog.Logger
}

// Office is all that a computer needs to manage robots from its pages: a desk, the pictures, calibrations and profiles. Its
// methods may be called from any goroutine.
type Office struct {
	cfg      OfficeConfig
	node     Computer
	desk     *manager.Desk
	pictures Pictures
	room     Room
}

// NewOffice returns the office of a computer. Run runs it.
func NewOffice(node Computer, cfg OfficeConfig) *Office {
	o := &Office{cfg: cfg, node: node}
	o.desk = manager.New(manager.Config{
		Computer: node.Self().ID, Seed: Seed(), Start: node.Now(), Course: cfg.Course, Changed: func(c manager.Change) {
			cfg.Log.Info("a robot's operator", "robot", c.Robot, "operator", c.Operator, "change", c.What, "from", c.From,
				"asked", c.Asked, "to", c.To, "result", c.Result, "why", c.Text)
		},
	})
	o.pictures.Recorded, o.pictures.Arrived = cfg.Picture, o.arrived
	o.pictures.Receive(node)
	return o
}

// Run manages robots until ctx ends.
func (o *Office) Run(ctx context.Context) {
	manager.Handle(o.node.Module(tcm.Manager), o.desk)
	run(ctx, o.node, func(now soccer.Time, send manager.Send) {
		o.desk.Step(now, send)
		o.room.Step(now, o.desk.Colors)
	})
}

// Record asks robots for rate pictures a second, which go to OfficeConfig.Picture; 0: none. It is to be called a few times
// a second.
func (o *Office) Record(rate uint8, robots ...uint8) {
	for _, r := range robots {
		o.desk.Record(rate, r)
	}
	o.pictures.Record(rate)
}

// Params returns the parameters of a robot's camera that its operators know. One that no robot has declared has its
// default.
func (o *Office) Params(robot uint8, cam camera.Camera) camera.Params {
	params := camera.DefaultParams()
	if v := o.desk.View(robot, o.node.Now()); v != nil {
		for i := range v.Parameters {
			_, _ = cam.Set(&params, v.Parameters[i].Name, float64(v.Parameters[i].Value)) // not all are the camera's
		}
	}
	return params
}

// Checks returns the checks that robots execute.
func (o *Office) Checks() []manager.Running { return o.desk.Checks(o.node.Now()) }

// Commands returns the names of the commands of an Office.
func Commands() []string {
	return slices.Concat(manager.Commands(), slices.Collect(maps.Keys(commands)))
}

// Commands returns the commands of pages about robots (docs/manager.md).
func (o *Office) Commands() control.Table {
	t := control.Table{}
	for _, name := range Commands() {
		t[name] = control.Command{Do: func(r control.Request) (any, error) { return o.command(name, r.Body) }}
	}
	for _, name := range []string{"robot-machine", manager.CheckMachine} {
		t[name] = control.Command{Do: t[name].Do, Max: manager.MaxBody}
	}
	return t
}

func (o *Office) command(name string, body json.RawMessage) (any, error) {
	switch {
	case name == manager.SaveProfile, name == manager.LoadProfile:
		return nil, o.profile(name, body)
	case name == manager.CheckMachine:
		return o.desk.Check(body)
	case commands[name] != nil:
		return nil, o.calibrate(name, body)
	}
	return nil, o.ask(name, body)
}

// ask asks the desk for what a page asks.
func (o *Office) ask(name string, body []byte) error {
	return o.desk.Command(o.node.Now(), name, body, Send(o.node))
}

// calibrate executes a command of the calibration, and asks the robot for what it sets.
func (o *Office) calibrate(name string, body json.RawMessage) error {
	var of struct {
		Robot uint8  `json:"robot"`
		Page  uint32 `json:"page"`
	}
	if err := json.Unmarshal(body, &of); err != nil {
		return fmt.Errorf("manager: %s: %w", name, err)
	}
	now := o.node.Now()
	asked, err := o.room.Command(Call{
		Name: name, Body: body, View: o.desk.View(of.Robot, now), Now: now, Field: o.cfg.Field,
		Shot:  func() (*Shot, bool) { return o.pictures.Shot(of.Robot) },
		Self:  func() (soccer.Pose, bool) { return o.self(of.Robot) },
		Truth: func(captured soccer.Time) ([]camera.Thing, int) { return o.truth(of.Robot, captured) },
	})
	if err != nil {
		return err
	}
	if name == "robot-hold" || name == "robot-collect" { // colours begin with this table. It fails while another file arrives
		_ = o.ask("robot-fetch", fmt.Appendf(nil, `{"robot": %d, "page": %d, "file": %q}`, of.Robot, of.Page, manager.ColorsFile))
	}
	if len(asked.Colors) > 0 {
		return o.desk.SendFile(of.Robot, of.Page, manager.ColorsFile, asked.Colors)
	}
	return o.setAll(of.Robot, of.Page, asked.Values)
}

func (o *Office) self(robot uint8) (soccer.Pose, bool) {
	if o.cfg.Self == nil {
		return soccer.Pose{}, false
	}
	return o.cfg.Self(robot)
}

func (o *Office) truth(robot uint8, captured soccer.Time) ([]camera.Thing, int) {
	if o.cfg.Truth == nil {
		return nil, 0
	}
	return o.cfg.Truth(robot, captured)
}

// arrived gives a picture of a robot to its calibration, where that collects them.
func (o *Office) arrived(robot uint8) {
	if !o.room.Collecting(robot) {
		return
	}
	shot, ok := o.pictures.Shot(robot)
	if !ok {
		return
	}
	now := o.node.Now()
	page, values := o.room.Arrived(now, robot, o.desk.View(robot, now), shot, func() (soccer.Pose, bool) { return o.self(robot) })
	if err := o.setAll(robot, page, values); err != nil {
		o.cfg.Log.Warn("a robot's head cannot be turned for its calibration", "robot", robot, "err", err)
	}
}

// setAll asks for values of a robot's parameters as a page does.
func (o *Office) setAll(robot uint8, page uint32, values []manager.Value) error {
	if len(values) == 0 {
		return nil
	}
	set, err := json.Marshal(map[string]any{"robot": robot, "page": page, "values": values})
	if err != nil {
		return fmt.Errorf("manager: %w", err)
	}
	return o.ask("robot-set-all", set)
}

// profile saves a robot's parameters and its colour table, or sets them to those of a profile.
func (o *Office) profile(command string, body json.RawMessage) error {
	var of struct {
		Robot uint8  `json:"robot"`
		Page  uint32 `json:"page"`
		Name  string `json:"name"`
	}
	if err := wire.DecodeJSON(body, command, &of); err != nil {
		return fmt.Errorf("manager: %w", err)
	}
	view := o.desk.View(of.Robot, o.node.Now())
	if view == nil || len(view.Parameters) == 0 {
		return fmt.Errorf("manager: robot %d has declared no parameters", of.Robot)
	}
	shelf, runs := Shelf{Dir: o.cfg.Profiles}, o.desk.Colors(of.Robot)
	if command == manager.SaveProfile {
		return shelf.Save(of.Name, Of(view), runs)
	}
	p, err := shelf.Load(of.Name)
	if err != nil {
		return err
	}
	colors, err := shelf.Colors(of.Name)
	if err != nil {
		return err
	}
	if colors != nil && !bytes.Equal(colors, runs) {
		if err := o.desk.SendFile(of.Robot, of.Page, manager.ColorsFile, colors); err != nil {
			return err
		}
	}
	changes, _ := p.Compare(view)
	values := make([]manager.Value, 0, len(changes))
	for _, c := range changes {
		values = append(values, manager.Value{Name: c.Name, Value: c.Want})
	}
	return o.setAll(of.Robot, of.Page, values)
}

// Topic returns the topics "robot/ID", "drive/ID", "checks/ID", "machine/ID", "calibration/ID", "picture/ID" and
// "profiles/ID", or nil.
func (o *Office) Topic(topic string) any {
	kind, id, _ := strings.Cut(topic, "/")
	number, err := strconv.ParseUint(id, 10, 8)
	if err != nil {
		return nil
	}
	robot, now := uint8(number), o.node.Now()
	switch kind {
	case "robot":
		return topicOf(o.desk.View(robot, now))
	case "drive":
		return topicOf(o.desk.DriveView(robot))
	case "checks":
		return topicOf(o.desk.CheckView(robot))
	case "machine":
		return topicOf(o.desk.SheetView(robot))
	case "profiles":
		if v := o.desk.View(robot, now); v != nil {
			return Shelf{Dir: o.cfg.Profiles}.Rows(v, o.desk.Colors(robot))
		}
	case "calibration":
		if v := o.room.View(robot); v != nil {
			o.room.Compare(v, o.desk.Colors(robot))
			return v
		}
	case "picture":
		return topicOf(o.pictures.View(robot, now))
	}
	return nil
}

// topicOf returns a view, or nil without a type: pages are sent nothing then.
func topicOf[View any](v *View) any {
	if v == nil {
		return nil
	}
	return v
}
