package manager

import (
	"fmt"

	"touchline/soccer"
	"touchline/wire/team"
)

// View is the topic "robot/ID": a robot as its operators see it. All numbers come from the robot; what an operator asked
// for and the robot has not answered is in Asked.
type View struct {
	Robot        uint8           `json:"robot"`
	Seen         bool            `json:"seen"`         // a report of the robot arrived in the last second
	SilentMillis float64         `json:"silentMillis"` // since the newest report; 0 while seen, and if none arrived
	Holder       *HolderView     `json:"holder"`       // null: nobody holds the control
	Operators    []OperatorView  `json:"operators"`    // pages of this program that show the robot
	Drive        string          `json:"drive"`        // "free", "ready", "driving", "lapsed", "refused" or "held"
	Most         Most            `json:"most"`
	Kicks        []KickView      `json:"kicks"`
	Parameters   []ParameterView `json:"parameters"` // in the robot's order
	Declared     uint32          `json:"declared"`   // how many the robot has; more than MaxParameters are not shown
	Revision     uint32          `json:"revision"`   // of the parameters shown
	Behind       bool            `json:"behind"`     // the robot has a newer revision, which is on its way
	Changes      []Change        `json:"changes"`    // newest first, at most 50
	Machine      MachineView     `json:"machine"`
	Pictures     PicturesView    `json:"pictures"`
}

// HolderView is the operator who holds the control.
type HolderView struct {
	Computer uint8  `json:"computer"`
	Page     uint32 `json:"page"`
	Name     string `json:"name"`
	Here     bool   `json:"here"` // a page of this program
}

// OperatorView is a page that shows the robot.
type OperatorView struct {
	Page uint32 `json:"page"`
	Name string `json:"name"`
	Undo string `json:"undo"` // what undo would do, in words; "": nothing
	Redo string `json:"redo"`
}

// Most holds the robot's limits, 0 where it cannot move at all.
type Most struct {
	Ahead float32 `json:"ahead"` // m/s
	Side  float32 `json:"side"`  // m/s
	Turn  float32 `json:"turn"`  // rad/s
	Pan   float32 `json:"pan"`   // rad
	Tilt  float32 `json:"tilt"`  // rad
}

// KickView is a kick of the robot's list.
type KickView struct {
	Name      string  `json:"name"`
	Speed     float32 `json:"speed"`     // m/s
	Elevation float32 `json:"elevation"` // rad
}

// ParameterView is a parameter.
type ParameterView struct {
	Name     string   `json:"name"`
	Group    string   `json:"group"`
	Unit     string   `json:"unit"`
	Kind     string   `json:"kind"` // "number", "integer", "switch" or "choice"
	ReadOnly bool     `json:"readOnly"`
	Source   string   `json:"source"` // "default", "file", "operator" or "robot"
	By       string   `json:"by"`     // operator of the newest change
	Value    float32  `json:"value"`  // that the robot has
	Default  float32  `json:"default"`
	Min      float32  `json:"min"`
	Max      float32  `json:"max"`
	Step     float32  `json:"step"` // 0: any
	Choices  []string `json:"choices"`
	Asked    *float32 `json:"asked"` // that an operator here asked for and the robot has not answered; null: none
	Result   string   `json:"result"`
	Text     string   `json:"text"` // of the newest answer about this parameter: why it was adjusted or refused
}

// Change is a line of the audit log.
type Change struct {
	Millis   float64 `json:"millis"` // since the start of the program
	Robot    uint8   `json:"robot"`
	Operator string  `json:"operator"`
	What     string  `json:"what"` // a parameter's name, or "control", "state machine"
	From     float32 `json:"from"`
	Asked    float32 `json:"asked"`
	To       float32 `json:"to"`     // that the robot took
	Result   string  `json:"result"` // "done", "adjusted", "refused", or "no answer"
	Text     string  `json:"text"`
	Delay    float64 `json:"delay"` // ms from the request to the answer
}

// MachineView holds the checksums of the robot's state machines, 0 for none, and what became of an upload.
type MachineView struct {
	Running  uint32 `json:"running"`
	Previous uint32 `json:"previous"` // to which the robot can roll back
	Waiting  uint32 `json:"waiting"`  // for a safe moment
	Upload   string `json:"upload"`   // progress of an upload of this program, in words; "": none
}

// DriveView is the topic "drive/ID", for the page that drives: each of its commands contains the newest nonce.
type DriveView struct {
	Nonce string `json:"nonce"` // decimal: it exceeds a number of JavaScript; "": none
	State string `json:"state"` // as View.Drive
	Kick  uint32 `json:"kick"`  // id of the newest kick that the robot executed
}

// view returns the robot's View.
func (r *record) view(now soccer.Time) *View {
	v := &View{
		Robot: r.id, Seen: r.seen(now),
		Operators: []OperatorView{}, Kicks: []KickView{}, Parameters: []ParameterView{}, Changes: []Change{},
		Declared: r.report.Parameters, Revision: r.since, Behind: r.since < r.report.Revision,
		Drive:    r.report.Drive.String(),
		Most:     Most{r.report.MaxAhead, r.report.MaxSide, r.report.MaxTurn, r.report.MaxPan, r.report.MaxTilt},
		Machine:  MachineView{r.report.Machine, r.report.Previous, r.report.Waiting, r.upload.words()},
		Pictures: r.picturesView(now),
	}
	if !v.Seen && r.arrived != 0 {
		v.SilentMillis = now.Sub(r.arrived).Seconds() * 1e3
	}
	if h := r.report.Holder; h.Computer != 0 {
		v.Holder = &HolderView{h.Computer, h.Page, r.report.HolderName, h.Computer == r.self}
	}
	for _, p := range r.pages {
		v.Operators = append(v.Operators, OperatorView{p.id, p.name, p.undo.words(), p.redo.words()})
	}
	for _, k := range r.report.Kicks {
		v.Kicks = append(v.Kicks, KickView{k.Name, k.Speed, k.Elevation})
	}
	for i := range r.parameters {
		v.Parameters = append(v.Parameters, r.parameterView(&r.parameters[i]))
	}
	for i := range r.changes {
		v.Changes = append(v.Changes, r.changes[len(r.changes)-1-i])
	}
	return v
}

// parameterView returns a parameter with what operators here asked for.
func (r *record) parameterView(p *parameter) ParameterView {
	v := ParameterView{
		Name: p.Name, Group: p.Group, Unit: p.Unit, Kind: p.Kind.String(), ReadOnly: p.ReadOnly,
		Source: p.Source.String(), By: p.By, Value: p.Value, Default: p.Default, Min: p.Min, Max: p.Max, Step: p.Step,
		Choices: append([]string{}, p.Choices...), Result: p.result, Text: p.text,
	}
	for _, page := range r.pages {
		for i := range page.queue {
			if q := &page.queue[i]; q.Operation == team.Set && q.Text == p.Name {
				asked := q.Value
				v.Asked = &asked
			}
		}
	}
	return v
}

// words returns what the newest step would do, "" for an empty list.
func (l steps) words() string {
	if len(l) == 0 {
		return ""
	}
	s := l[len(l)-1]
	words := fmt.Sprintf("%s %v → %v", s.name, s.from, s.to)
	more := 0
	for i := len(l) - 2; i >= 0 && s.group != 0 && l[i].group == s.group; i-- {
		more++
	}
	if more > 0 {
		words += fmt.Sprintf(" and %d more", more)
	}
	return words
}
