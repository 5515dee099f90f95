package managernet

import (
	"touchline/soccer"
	"touchline/wire/team"
)

// PoseView is the calibration of a camera's pose and lens.
type PoseView struct {
	// State is "collecting", "collected", "computing", "determined", "refused": the pictures do not determine the camera, or
	// "ended": collecting did, before its end
	State   string       `json:"state"`
	Text    string       `json:"text"`   // why it was refused, or ended
	Mirror  bool         `json:"mirror"` // the robot has no head: its operator drives it to each place
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
	X        float64 `json:"x"` // m, where the robot believed to stand
	Y        float64 `json:"y"`
	Heading  float64 `json:"heading"`  // rad
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

// found returns what was found of the camera.
func (p *calibrationPose) found() (list []FoundView) {
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
		Before: lines(fieldLines(p.problem.Camera, p.problem.Field, p.poseOf(index), s.Pan, s.Tilt)),
	}
	if p.result != nil {
		at := p.result.Pose
		if s.Self != nil {
			at = p.result.Fits[index].Pose
		}
		p.shown.After = lines(fieldLines(p.result.Camera, p.problem.Field, at, s.Pan, s.Tilt))
	}
	return nil
}

// poseOf returns where the robot believed to stand for a sample.
func (p *calibrationPose) poseOf(index int) soccer.Pose {
	if self := p.problem.Samples[index].Self; self != nil {
		return *self
	}
	return p.problem.Pose
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
func (p *calibrationPose) view() *PoseView {
	v := &PoseView{State: p.state, Text: p.text, Mirror: p.down(), Wanted: len(p.targets), Samples: []SampleView{},
		Found: p.found(), HoldOut: p.rms, Shown: p.shown}
	for i := range p.problem.Samples {
		s := &p.problem.Samples[i]
		at := p.poseOf(i)
		sample := SampleView{
			Pan: s.Pan, Tilt: s.Tilt, X: at.X, Y: at.Y, Heading: at.Theta, Points: len(s.Points), Held: p.held[i],
			Rejected: s.Rejected,
		}
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
