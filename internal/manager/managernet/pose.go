package managernet

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"touchline/internal/camera"
	"touchline/internal/manager"
	"touchline/soccer"
)

// Bounds of a calibration of pose and lens.
const (
	least    = 4
	most     = 48                     // pictures
	holdOut  = 4                      // each fourth picture checks the result, and is not used for it
	settle   = 300 * time.Millisecond // after the head has arrived
	patience = 10 * time.Second       // for the head and a picture
	degree   = math.Pi / 180
)

// calibrationPose is the calibration of a camera's calibrationPose and lens under way.
type calibrationPose struct {
	state, text string
	page        uint32 // that collects
	targets     [][2]float64
	home        [2]float64 // of the head at the start
	since       soccer.Time
	arrived     soccer.Time // of the head at the newest target, or of the robot at its place; 0: not yet
	place       soccer.Pose // of a robot without a head, where it has been since it arrived

	problem camera.Problem // all samples
	finder  *camera.Finder
	held    []bool
	shots   []*shot
	result  *camera.Result
	rms     float64 // of the hold-out
	shown   *ShownView
}

// optics are the parameters that a calibration needs, and those that it finds first.
var optics = []string{"focal", "radial", "camera_height", "camera_tilt", "camera_roll", "camera_ahead", "pan", "tilt"}

// mirror is the parameter of a camera that looks into a mirror: it has no head.
const mirror = "mirror"

// value returns a parameter of a robot.
func value(v *manager.View, name string) (*manager.ParameterView, bool) {
	i := slices.IndexFunc(v.Parameters, func(p manager.ParameterView) bool { return p.Name == name })
	if i < 0 {
		return nil, false
	}
	return &v.Parameters[i], true
}

// collect begins to take pictures from several poses of the head.
func (c *call) collect() error {
	if c.Count < least || c.Count > most {
		return fmt.Errorf("calibration: %d pictures: want %d to %d", c.Count, least, most)
	}
	if p := c.robot.pose; p != nil && (p.state == "collecting" || p.state == "computing") {
		return fmt.Errorf("calibration: it is %s already: wait, or stop it", p.state)
	}
	cam, head, err := c.camera()
	if err != nil {
		return err
	}
	at, ok := c.room.Self(c.body.Robot)
	if !ok {
		return errNoPose
	}
	shot, err := c.whole()
	if err != nil {
		return err
	}
	sized(&cam, &shot.Picture)
	cfg := camera.DefaultConfig()
	cfg.Field, cfg.Uncalibrated = c.room.Field, true
	p := &calibrationPose{
		state: "collecting", page: c.body.Page, home: head, since: c.now,
		problem: camera.NewProblem(cam, c.room.Field, at), finder: camera.NewFinder(cam, cfg, c.robot.colors.used()),
	}
	if cam.Mount.Down {
		p.targets, c.robot.pose = make([][2]float64, c.Count), p
		return nil
	}
	pan, _ := value(c.view, "pan")
	tilt, _ := value(c.view, "tilt")
	within := func(v float64, p *manager.ParameterView) float64 { return min(max(v, float64(p.Min)), float64(p.Max)) }
	for i := range c.Count {
		turn := math.Mod(float64(i)*0.618, 1) // spreads the pans evenly for any number
		down := 4 + 28*(float64(i)+0.5)/float64(c.Count)
		p.targets = append(p.targets, [2]float64{within((turn-0.5)*100*degree, pan), within(-down*degree, tilt)})
	}
	c.robot.pose, c.Values = p, look(p.targets[0])
	return nil
}

// camera returns what the robot assumes of its camera, without its size, and the pan and tilt of its head, if it has one.
func (c *call) camera() (cam camera.Camera, head [2]float64, err error) {
	var values [8]float64
	names := optics
	curve, down := value(c.view, mirror)
	if down {
		names = optics[:6]
	}
	for i, name := range names {
		p, ok := value(c.view, name)
		if !ok {
			return cam, head, fmt.Errorf("calibration: the robot declares no parameter %s, which is needed of its camera", name)
		}
		values[i] = float64(p.Value)
	}
	cam = camera.Camera{
		Name: fmt.Sprintf("camera of robot %d", c.body.Robot), Lens: camera.Lens{Focal: values[0], Radial: values[1]},
		Mount: camera.Mount{Height: values[2], Tilt: values[3], Roll: values[4], Ahead: values[5], Down: down},
	}
	if down {
		cam.Lens.Mirror = float64(curve.Value)
	}
	return cam, [2]float64{values[6], values[7]}, nil
}

// sized gives a camera the size of its whole picture, with the optical axis in the middle. The image of a mirror nearly
// touches the borders.
func sized(cam *camera.Camera, p *camera.Picture) {
	if cam.Mount.Down {
		cam.Lens.Circle = 0.4875 * float64(min(p.Width, p.Height))
	}
	cam.Width, cam.Height = p.Width, p.Height
	cam.Lens.CX, cam.Lens.CY = float64(p.Width-1)/2, float64(p.Height-1)/2
}

// look returns the values that turn a head.
func look(at [2]float64) []manager.Value {
	return []manager.Value{{Name: "pan", Value: float32(at[0])}, {Name: "tilt", Value: float32(at[1])}}
}

// whole returns the newest picture, if it is the whole one.
func (c *call) whole() (*shot, error) {
	shot, ok := c.room.Shot(c.body.Robot)
	if !ok {
		return nil, errNoPicture
	}
	switch {
	case shot.Classes:
		return nil, errClasses
	case !shot.whole(c.view):
		return nil, errPart
	}
	return shot, nil
}

// collecting reports whether pictures of a robot are collected.
func (r *room) collecting(id uint8) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.robots[id]
	return at != nil && at.pose != nil && at.pose.state == "collecting"
}

// arrived takes a new picture of a robot, if its pictures are collected. It returns what the page that collects them asks
// of the robot.
func (r *room) arrived(now soccer.Time, id uint8) asked {
	if !r.collecting(id) {
		return asked{}
	}
	shot, ok := r.Shot(id)
	if !ok {
		return asked{}
	}
	v := r.Robot(id)
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.robots[id]
	p := at.pose
	if p == nil || p.state != "collecting" { // it ended meanwhile
		return asked{}
	}
	ask := func(values []manager.Value) asked { return asked{Robot: id, Page: p.page, Values: values} }
	end := func(state, text string) asked {
		p.state, p.text = state, text
		return ask(p.back())
	}
	switch n := len(p.problem.Samples); {
	case !holds(v, p.page):
		p.state, p.text = "ended", "another operator has the control"
		return asked{}
	case now.Sub(p.since) > p.patience():
		return end("ended", p.late())
	case p.down() && !p.stands(now, func() (soccer.Pose, bool) { return r.Self(id) }):
		return asked{}
	case !p.down() && !p.there(v, p.targets[n]):
		p.arrived = 0
		return asked{}
	case p.arrived == 0:
		p.arrived = now
		return asked{}
	case shot.Captured.Sub(p.arrived) < settle || shot.Missing > 0:
		return asked{}
	}
	if err := p.add(shot, v); err != nil {
		return end("ended", err.Error())
	}
	p.since, p.arrived = now, 0
	switch n := len(p.problem.Samples); {
	case n < len(p.targets) && p.down():
		return asked{}
	case n < len(p.targets):
		return ask(look(p.targets[n]))
	}
	best := 0 // with the most points: there the lines tell most
	for i := range p.problem.Samples {
		if len(p.problem.Samples[i].Points) > len(p.problem.Samples[best].Points) {
			best = i
		}
	}
	if err := at.show(best); err != nil {
		return end("ended", err.Error())
	}
	return end("collected", "")
}

// there reports whether the head has arrived.
func (p *calibrationPose) there(v *manager.View, at [2]float64) bool {
	for i, name := range []string{"pan", "tilt"} {
		if q, ok := value(v, name); !ok || q.Asked != nil || math.Abs(float64(q.Value)-at[i]) > 0.01 {
			return false
		}
	}
	return true
}

// add adds a picture to the samples.
func (p *calibrationPose) add(shot *shot, v *manager.View) error {
	var s camera.Sample
	if p.down() {
		at := p.place
		s.Self = &at
	} else {
		pan, _ := value(v, "pan")
		tilt, _ := value(v, "tilt")
		s.Pan, s.Tilt = float64(pan.Value), float64(tilt.Value)
	}
	var found camera.Percepts
	if err := p.finder.Find(&shot.Picture, &camera.View{Pan: s.Pan, Tilt: s.Tilt}, &found); err != nil {
		return fmt.Errorf("the size of the pictures changed: %w", err)
	}
	s.Points = camera.Collect(&shot.Picture, found.Lines, nil)
	p.problem.Samples = append(p.problem.Samples, s)
	p.held = append(p.held, len(p.held)%holdOut == holdOut-1)
	p.shots = append(p.shots, shot)
	return nil
}

var errNoSamples = errors.New("calibration: no pictures are collected: collect some first")

// stopCollecting ends the collection, or forgets it.
func (c *call) stopCollecting() error {
	p := c.robot.pose
	if p == nil {
		return errNoSamples
	}
	if p.state == "collecting" {
		p.state, p.text, c.Values = "ended", "you stopped it", p.back()
	}
	return nil
}

// reject leaves a sample out, or takes it in again.
func (c *call) reject() error {
	p, err := c.settled()
	if err != nil {
		return err
	}
	p.problem.Samples[c.Index].Rejected = c.Rejected
	return nil
}

// showSample shows a sample.
func (c *call) showSample() error {
	if _, err := c.settled(); err != nil {
		return err
	}
	return c.robot.show(c.Index)
}

// settled returns the calibration of the command, whose index is one of a sample.
func (c *call) settled() (*calibrationPose, error) {
	p := c.robot.pose
	switch {
	case p == nil || len(p.problem.Samples) == 0:
		return nil, errNoSamples
	case p.state == "collecting" || p.state == "computing":
		return nil, fmt.Errorf("calibration: it is %s: wait", p.state)
	case c.Index < 0 || c.Index >= len(p.problem.Samples):
		return nil, fmt.Errorf("calibration: sample %d of %d", c.Index, len(p.problem.Samples))
	}
	return p, nil
}

// commit sets what was found at the robot.
func (c *call) commit() error {
	p, err := c.settled()
	if err != nil {
		return err
	}
	if p.state != "determined" {
		return errors.New("calibration: the pictures have not determined the camera: nothing is to be set")
	}
	for _, f := range p.found() {
		c.Values = append(c.Values, manager.Value{Name: f.Name, Value: float32(f.Is)})
	}
	return nil
}

// solve computes the camera from the samples. It unlocks the room meanwhile: that takes seconds.
func (c *call) solve() error {
	p, err := c.settled()
	if err != nil {
		return err
	}
	problem, check := p.problem, []camera.Sample(nil)
	problem.Samples = nil
	for i, s := range p.problem.Samples {
		if p.held[i] {
			check = append(check, s)
			s.Rejected = true
		}
		problem.Samples = append(problem.Samples, s)
	}
	p.state, p.text, p.result, p.rms = "computing", "", nil, 0
	c.room.mu.Unlock()
	result, err := camera.Calibrate(&problem)
	var rms float64
	if err == nil {
		rms, _, _ = camera.HoldOut(&result, problem.Field, check) // of the same pictures
	}
	c.room.mu.Lock()
	p.state = "determined"
	switch {
	case errors.Is(err, camera.ErrUndetermined):
		p.state, p.text = "refused", strings.TrimPrefix(err.Error(), "calib: ")
	case err != nil:
		p.state = "collected"
		return err
	}
	if len(result.Fits) > 0 {
		p.result, p.rms = &result, rms
	}
	if p.shown != nil {
		return c.robot.show(p.shown.Index)
	}
	return nil
}
