package calibration

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"touchline/camera"
	"touchline/camera/calib"
	"touchline/camera/percept"
	"touchline/manager"
	"touchline/manager/film"
	"touchline/soccer"
	"touchline/wire/team"
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

// PoseView is the calibration of a camera's pose and lens.
type PoseView struct {
	// State is "collecting", "collected", "computing", "determined", "refused": the pictures do not determine the camera, or
	// "ended": collecting did, before its end
	State   string       `json:"state"`
	Text    string       `json:"text"` // why it was refused, or ended
	Wanted  int          `json:"wanted"`
	Samples []SampleView `json:"samples"`
	Found   []FoundView  `json:"found"`   // null: nothing is found yet
	RMS     float64      `json:"rms"`     // px, of the points that lie on lines
	HoldOut float64      `json:"holdOut"` // px, of pictures that were not used; 0: none
	Shown   *ShownView   `json:"shown"`   // null: no sample is shown
}

// SampleView is a picture from one pose of the head.
type SampleView struct {
	Pan      float64 `json:"pan"` // rad
	Tilt     float64 `json:"tilt"`
	Points   int     `json:"points"`   // edges of lines
	Used     int     `json:"used"`     // of these, on lines of the field
	RMS      float64 `json:"rms"`      // px, of these
	Held     bool    `json:"held"`     // it checks the result
	Rejected bool    `json:"rejected"` // by the operator
}

// FoundView is a parameter that was found.
type FoundView struct {
	Name  string  `json:"name"` // of the robot's parameter
	Unit  string  `json:"unit"`
	Was   float64 `json:"was"`
	Is    float64 `json:"is"`
	Sigma float64 `json:"sigma"` // its predicted standard deviation
}

// ShownView is the picture of a sample with the field's lines.
type ShownView struct {
	Index  int        `json:"index"`
	Number uint32     `json:"number"` // another one for each picture
	Data   []byte     `json:"data"`   // a JPEG in base64
	Width  int        `json:"width"`  // pixels
	Height int        `json:"height"`
	Before []LineView `json:"before"` // as the robot's software assumes its camera
	After  []LineView `json:"after"`  // as the result has it; null: none yet
}

// LineView is a line of the field in a picture.
type LineView struct {
	Points []float64 `json:"points"` // x, y, x, y ... in pixels
}

// pose is the calibration of a camera's pose and lens under way.
type pose struct {
	state, text string
	page        uint32 // that collects
	targets     [][2]float64
	home        [2]float64 // of the head at the start
	since       soccer.Time
	arrived     soccer.Time // of the head at the newest target; 0: not yet

	problem calib.Problem // all samples
	finder  *percept.Finder
	held    []bool
	shots   []*Shot
	result  *calib.Result
	rms     float64 // of the hold-out
	shown   *ShownView
}

// optics are the parameters that a calibration needs, and those that it finds first.
var optics = []string{"focal", "radial", "camera_height", "camera_tilt", "camera_roll", "camera_ahead", "pan", "tilt"}

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
	var values [8]float64
	for i, name := range optics {
		p, ok := value(c.View, name)
		if !ok {
			return fmt.Errorf("calibration: the robot declares no parameter %s: the pose of its camera cannot be calibrated", name)
		}
		values[i] = float64(p.Value)
	}
	at, ok := c.Self()
	if !ok {
		return errors.New("calibration: the robot tells no pose of itself: put it where it knows its place")
	}
	shot, err := c.whole()
	if err != nil {
		return err
	}
	w, h := shot.Picture.Width, shot.Picture.Height
	cam := camera.Camera{
		Name: fmt.Sprintf("camera of robot %d", c.Robot), Width: w, Height: h,
		Lens:  camera.Lens{Focal: values[0], CX: float64(w-1) / 2, CY: float64(h-1) / 2, Radial: values[1]},
		Mount: camera.Mount{Height: values[2], Tilt: values[3], Roll: values[4], Ahead: values[5]},
	}
	cfg := percept.DefaultConfig()
	cfg.Field, cfg.Uncalibrated = c.Field, true
	p := &pose{
		state: "collecting", page: c.Page, home: [2]float64{values[6], values[7]}, since: c.Now,
		problem: calib.NewProblem(cam, c.Field, at), finder: percept.NewFinder(cam, cfg, percept.DefaultTable()),
	}
	pan, _ := value(c.View, "pan")
	tilt, _ := value(c.View, "tilt")
	within := func(v float64, p *manager.ParameterView) float64 { return min(max(v, float64(p.Min)), float64(p.Max)) }
	for i := range c.Count {
		turn := math.Mod(float64(i)*0.618, 1) // spreads the pans evenly for any number
		down := 4 + 28*(float64(i)+0.5)/float64(c.Count)
		p.targets = append(p.targets, [2]float64{within((turn-0.5)*100*degree, pan), within(-down*degree, tilt)})
	}
	c.robot.pose, c.values = p, look(p.targets[0])
	return nil
}

// look returns the values that turn a head.
func look(at [2]float64) []manager.Value {
	return []manager.Value{{Name: "pan", Value: float32(at[0])}, {Name: "tilt", Value: float32(at[1])}}
}

// whole returns the newest picture, if it is the whole one.
func (c *call) whole() (*Shot, error) {
	shot, ok := c.Shot()
	if !ok {
		return nil, errNoPicture
	}
	switch w := &c.View.Pictures; {
	case shot.Classes:
		return nil, errClasses
	case shot.Divisor != 1 || shot.X != 0 || shot.Y != 0 || w.Width != 0:
		return nil, errors.New("calibration: the camera sends a part of its picture or a smaller one: choose full and the whole picture")
	}
	return shot, nil
}

// Collecting reports whether pictures of a robot are collected: then each is to be given to Arrived.
func (r *Room) Collecting(id uint8) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.robots[id]
	return at != nil && at.pose != nil && at.pose.state == "collecting"
}

// Arrived takes a new picture of a robot whose pictures are collected. It returns the page that collects, and what it
// asks of the robot.
func (r *Room) Arrived(now soccer.Time, id uint8, v *manager.View, shot *Shot) (page uint32, values []manager.Value) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.robots[id]
	if at == nil || at.pose == nil || at.pose.state != "collecting" {
		return 0, nil
	}
	p := at.pose
	end := func(state, text string) (uint32, []manager.Value) {
		p.state, p.text = state, text
		return p.page, look(p.home)
	}
	switch n := len(p.problem.Samples); {
	case v == nil || v.Holder == nil || !v.Holder.Here || v.Holder.Page != p.page:
		p.state, p.text = "ended", "another operator has the control"
		return 0, nil
	case now.Sub(p.since) > patience:
		return end("ended", fmt.Sprintf("the head, or a whole picture, did not come within %v", patience))
	case !p.there(v, p.targets[n]):
		p.arrived = 0
		return 0, nil
	case p.arrived == 0:
		p.arrived = now
		return 0, nil
	case shot.Captured.Sub(p.arrived) < settle || shot.Missing > 0:
		return 0, nil
	}
	if err := p.add(shot, v); err != nil {
		return end("ended", err.Error())
	}
	n := len(p.problem.Samples)
	p.since, p.arrived = now, 0
	if n < len(p.targets) {
		return p.page, look(p.targets[n])
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
func (p *pose) there(v *manager.View, at [2]float64) bool {
	for i, name := range []string{"pan", "tilt"} {
		if q, ok := value(v, name); !ok || q.Asked != nil || math.Abs(float64(q.Value)-at[i]) > 0.01 {
			return false
		}
	}
	return true
}

// add adds a picture to the samples.
func (p *pose) add(shot *Shot, v *manager.View) error {
	pan, _ := value(v, "pan")
	tilt, _ := value(v, "tilt")
	s := calib.Sample{Pan: float64(pan.Value), Tilt: float64(tilt.Value)}
	var found percept.Percepts
	if err := p.finder.Find(&shot.Picture, &percept.View{Pan: s.Pan, Tilt: s.Tilt}, &found); err != nil {
		return fmt.Errorf("the size of the pictures changed: %w", err)
	}
	s.Points = calib.Collect(&shot.Picture, found.Lines, nil)
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
		p.state, p.text, c.values = "ended", "you stopped it", look(p.home)
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
func (c *call) settled() (*pose, error) {
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
		c.values = append(c.values, manager.Value{Name: f.Name, Value: float32(f.Is)})
	}
	return nil
}

// solve computes the camera from the samples. It unlocks the room meanwhile: that takes seconds.
func (c *call) solve() error {
	p, err := c.settled()
	if err != nil {
		return err
	}
	problem, check := p.problem, []calib.Sample(nil)
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
	result, err := calib.Calibrate(&problem)
	var rms float64
	if err == nil {
		rms, _, _ = calib.HoldOut(&result, problem.Field, check) // of the same pictures
	}
	c.room.mu.Lock()
	p.state = "determined"
	switch {
	case errors.Is(err, calib.ErrUndetermined):
		p.state, p.text = "refused", err.Error()
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

// found returns what was found of the camera.
func (p *pose) found() (list []FoundView) {
	if p.result == nil {
		return nil
	}
	was, is, s := &p.problem.Camera, &p.result.Camera, &p.result.Sigma
	return []FoundView{
		{optics[0], "px", was.Lens.Focal, is.Lens.Focal, s.Focal * is.Lens.Focal},
		{optics[1], "", was.Lens.Radial, is.Lens.Radial, s.Radial},
		{optics[2], "m", was.Mount.Height, is.Mount.Height, s.Height},
		{optics[3], "rad", was.Mount.Tilt, is.Mount.Tilt, s.Tilt},
		{optics[4], "rad", was.Mount.Roll, is.Mount.Roll, s.Roll},
	}
}

// show shows a sample with the field's lines before and after.
func (r *robot) show(index int) error {
	p := r.pose
	shot, s := p.shots[index], &p.problem.Samples[index]
	file, err := encode(&shot.Picture)
	if err != nil {
		return err
	}
	r.number++
	p.shown = &ShownView{
		Index: index, Number: r.number, Data: file, Width: shot.Picture.Width, Height: shot.Picture.Height,
		Before: lines(film.FieldLines(p.problem.Camera, p.problem.Field, p.problem.Pose, s.Pan, s.Tilt)),
	}
	if p.result != nil {
		p.shown.After = lines(film.FieldLines(p.result.Camera, p.problem.Field, p.result.Pose, s.Pan, s.Tilt))
	}
	return nil
}

// lines returns shapes as pixels.
func lines(shapes []team.Shape) (list []LineView) {
	for i := range shapes {
		var line LineView
		for _, at := range shapes[i].Points {
			line.Points = append(line.Points, float64(at.X)/team.PixelScale, float64(at.Y)/team.PixelScale)
		}
		list = append(list, line)
	}
	return list
}

// view returns the topic's part.
func (p *pose) view() *PoseView {
	v := &PoseView{State: p.state, Text: p.text, Wanted: len(p.targets), Samples: []SampleView{}, Found: p.found(),
		HoldOut: p.rms, Shown: p.shown}
	for i := range p.problem.Samples {
		s := &p.problem.Samples[i]
		sample := SampleView{Pan: s.Pan, Tilt: s.Tilt, Points: len(s.Points), Held: p.held[i], Rejected: s.Rejected}
		if p.result != nil {
			sample.Used, sample.RMS = p.result.Fits[i].Used, p.result.Fits[i].RMS
		}
		v.Samples = append(v.Samples, sample)
	}
	if p.result != nil {
		v.RMS = p.result.RMS
	}
	return v
}
