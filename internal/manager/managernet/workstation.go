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

// Periods of a Workstation's topics.
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

// WorkstationConfig describes a Workstation.
type WorkstationConfig struct {
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

// Workstation is all that a computer needs to manage robots from its pages: a desk, the pictures, calibrations and profiles. Its
// methods may be called from any goroutine.
type Workstation struct {
	cfg      WorkstationConfig
	node     Computer
	desk     *manager.Desk
	pictures Pictures
	room     room
	folder   profileFolder
	logged   logged // the desk's lock guards it
}

// logged counts the changes of a second.
type logged struct {
	second      int64
	lines, left int
}

// NewWorkstation returns the workstation of a computer. Run runs it.
func NewWorkstation(node Computer, cfg WorkstationConfig) *Workstation {
	w := &Workstation{cfg: cfg, node: node, folder: profileFolder{Dir: cfg.Profiles, cache: new(profileCache)}}
	w.desk = manager.NewDesk(manager.DeskConfig{
		Computer: node.Self().ID, Seed: Seed(), Start: node.Now(), Course: cfg.Course, Changed: w.changed,
	})
	w.room.Field, w.room.Shot, w.room.Self, w.room.Truth = cfg.Field, w.pictures.shot, cfg.Self, cfg.Truth
	w.room.Robot = func(robot uint8) *manager.View { return w.desk.View(robot, node.Now()) }
	if cfg.Self == nil {
		w.room.Self = func(uint8) (soccer.Pose, bool) { return soccer.Pose{}, false }
	}
	w.pictures.Recorded, w.pictures.Arrived = cfg.Picture, w.arrived
	w.pictures.Receive(node)
	return w
}

// maxLogged is how many changes a second the log has, one a line: any page may ask for them.
const maxLogged = 5

// changed logs a change. Those beyond maxLogged a second are counted.
func (w *Workstation) changed(c manager.Change) {
	l := &w.logged
	if second := int64(w.node.Now()) / int64(time.Second); second != l.second {
		if l.left > 0 {
			w.cfg.Log.Info("more changes of robots' operators", "not logged", l.left)
		}
		*l = logged{second: second}
	}
	if l.lines == maxLogged {
		l.left++
		return
	}
	l.lines++
	w.cfg.Log.Info("a robot's operator", "robot", c.Robot, "operator", c.Operator, "change", c.What, "from", c.From,
		"asked", c.Asked, "to", c.To, "result", c.Result, "why", c.Text)
}

// Run manages robots until ctx ends.
func (w *Workstation) Run(ctx context.Context) {
	w.desk.Handle(w.node.Module(tcm.Manager))
	run(ctx, w.node, func(now soccer.Time, send manager.Send) {
		w.desk.Step(now, send)
		w.room.step(now, w.desk.Colors)
	})
}

// Record asks robots for rate pictures a second, which go to WorkstationConfig.Picture; 0: none. It is to be called a few times
// a second.
func (w *Workstation) Record(rate uint8, robots ...uint8) {
	for _, r := range robots {
		w.desk.Record(rate, r)
	}
	w.pictures.Record(rate)
}

// Params returns the parameters of a robot's camera that its operators know. One that no robot has declared has its
// default.
func (w *Workstation) Params(robot uint8, cam camera.Camera) camera.Params {
	params := camera.DefaultParams()
	if v := w.desk.View(robot, w.node.Now()); v != nil {
		for i := range v.Parameters {
			_, _ = cam.Set(&params, v.Parameters[i].Name, float64(v.Parameters[i].Value)) // not all are the camera's
		}
	}
	return params
}

// Checks returns the checks that robots execute.
func (w *Workstation) Checks() []manager.Running { return w.desk.Checks(w.node.Now()) }

// Commands returns the names of the commands of a Workstation.
func Commands() []string {
	return slices.Concat(manager.Commands(), slices.Collect(maps.Keys(commands)))
}

// Commands returns the commands of pages about robots (docs/manager.md).
func (w *Workstation) Commands() control.Table {
	t := control.Table{}
	for _, name := range Commands() {
		t[name] = control.Command{Do: func(r control.Request) (any, error) { return w.command(name, r.Body) }}
	}
	for _, name := range []string{"robot-machine", manager.CheckMachine} {
		t[name] = control.Command{Do: t[name].Do, Max: manager.MaxBody}
	}
	return t
}

func (w *Workstation) command(name string, body json.RawMessage) (any, error) {
	switch {
	case name == manager.SaveProfile, name == manager.LoadProfile:
		return nil, w.profile(name, body)
	case name == manager.CheckMachine:
		return w.desk.Check(body)
	case commands[name] != nil:
		return nil, w.calibrate(name, body)
	}
	return nil, w.ask(name, body)
}

// ask asks the desk for what a page asks.
func (w *Workstation) ask(name string, body []byte) error {
	return w.desk.Command(w.node.Now(), name, body, Send(w.node))
}

// calibrate executes a command of the calibration, and asks the robot for what it sets.
func (w *Workstation) calibrate(name string, body json.RawMessage) error {
	asked, err := w.room.command(w.node.Now(), name, body)
	if err != nil {
		return err
	}
	if name == "robot-hold" || name == "robot-collect" { // colours begin with this table. It fails while another file arrives
		_ = w.ask("robot-fetch", fmt.Appendf(nil, `{"robot": %d, "page": %d, "file": %q}`, asked.Robot, asked.Page, manager.ColorsFile))
	}
	if len(asked.Colors) > 0 {
		return w.desk.SendFile(asked.Robot, asked.Page, manager.ColorsFile, asked.Colors)
	}
	return w.setAll(asked)
}

// arrived gives a picture of a robot to its calibration, where that collects them.
func (w *Workstation) arrived(robot uint8) {
	if err := w.setAll(w.room.arrived(w.node.Now(), robot)); err != nil {
		w.cfg.Log.Warn("a robot's head cannot be turned for its calibration", "robot", robot, "err", err)
	}
}

// setAll asks for values of a robot's parameters as a page does.
func (w *Workstation) setAll(asked asked) error {
	if len(asked.Values) == 0 {
		return nil
	}
	set, err := json.Marshal(map[string]any{"robot": asked.Robot, "page": asked.Page, "values": asked.Values})
	if err != nil {
		return fmt.Errorf("manager: %w", err)
	}
	return w.ask("robot-set-all", set)
}

// profile saves a robot's parameters and its colour table, or sets them to those of a profile.
func (w *Workstation) profile(command string, body json.RawMessage) error {
	var of struct {
		Robot uint8  `json:"robot"`
		Page  uint32 `json:"page"`
		Name  string `json:"name"`
	}
	if err := wire.DecodeJSON(body, command, &of); err != nil {
		return fmt.Errorf("manager: %w", err)
	}
	view := w.desk.View(of.Robot, w.node.Now())
	if view == nil || len(view.Parameters) == 0 {
		return fmt.Errorf("manager: robot %d has declared no parameters", of.Robot)
	}
	folder, runs := w.folder, w.desk.Colors(of.Robot)
	if command == manager.SaveProfile {
		return folder.save(of.Name, profileOf(view), runs)
	}
	p, err := folder.load(of.Name)
	if err != nil {
		return err
	}
	colors, err := folder.colors(of.Name)
	if err != nil {
		return err
	}
	if colors != nil && !bytes.Equal(colors, runs) {
		if err := w.desk.SendFile(of.Robot, of.Page, manager.ColorsFile, colors); err != nil {
			return err
		}
	}
	changes, _ := p.compare(view)
	asked := asked{Robot: of.Robot, Page: of.Page}
	for _, c := range changes {
		asked.Values = append(asked.Values, manager.Value{Name: c.Name, Value: c.Want})
	}
	return w.setAll(asked)
}

// Topic returns the topics "robot/ID", "drive/ID", "checks/ID", "machine/ID", "calibration/ID", "picture/ID" and
// "profiles/ID", or nil.
func (w *Workstation) Topic(topic string) any {
	kind, id, _ := strings.Cut(topic, "/")
	number, err := strconv.ParseUint(id, 10, 8)
	if err != nil {
		return nil
	}
	robot, now := uint8(number), w.node.Now()
	switch kind {
	case "robot":
		return topicOf(w.desk.View(robot, now))
	case "drive":
		return topicOf(w.desk.DriveView(robot))
	case "checks":
		return topicOf(w.desk.CheckView(robot))
	case "machine":
		return topicOf(w.desk.SheetView(robot))
	case "profiles":
		if v := w.desk.View(robot, now); v != nil {
			return w.folder.rows(v, w.desk.Colors(robot))
		}
	case "calibration":
		if v := w.room.view(robot); v != nil {
			w.room.compare(v, w.desk.Colors(robot))
			return v
		}
	case "picture":
		return topicOf(w.pictures.View(robot, now))
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
