package managernet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image/jpeg"
	"sync"

	"touchline/internal/camera"
	"touchline/internal/manager"
	"touchline/soccer"
	"touchline/wire"
)

// shot is a picture of a robot as it arrived.
type shot struct {
	Picture  camera.Picture
	Captured soccer.Time // on the clock of this program
	X, Y     int         // of its top left pixel in the camera's picture, px of the camera
	Divisor  int         // pixels of the camera to one of the picture, both ways
	Missing  int         // slices that did not arrive
	Classes  bool        // it shows classes in the place of colours: its pixels are of no use
}

// whole reports whether it is the camera's whole picture in full size, and the robot is asked for no region.
func (s *shot) whole(v *manager.View) bool {
	return s.Divisor == 1 && s.X == 0 && s.Y == 0 && v.Pictures.Width == 0
}

// holds reports whether a page of this computer holds the control of a robot.
func holds(v *manager.View, page uint32) bool {
	return v != nil && v.Holder != nil && v.Holder.Here && v.Holder.Page == page
}

// room is where the operators of one computer calibrate robots, from their pictures and parameters. Its methods may be
// called from any goroutine; its fields are set before.
type room struct {
	Field soccer.Field                                  // on which cameras are calibrated
	Robot func(robot uint8) *manager.View               // what is known of a robot; nil: nothing
	Shot  func(robot uint8) (*shot, bool)               // its newest picture; false: none arrived
	Self  func(robot uint8) (pose soccer.Pose, ok bool) // where it believes to stand; false: unknown
	// Truth returns what the camera's whole picture of a time shows, row by row, and its width, where a simulator drew
	// it; no things: a camera took the picture, or it is forgotten. Default nil: no simulator
	Truth func(robot uint8, captured soccer.Time) (things []camera.Thing, width int)

	mu     sync.Mutex
	robots map[uint8]*robot
}

// robot is what the room holds of a robot.
type robot struct {
	held       *shot
	number     uint32 // of held
	jpeg       []byte // of it
	remembered *camera.Patch
	patch      *PatchView
	pose       *calibrationPose // nil: none was begun
	colors     colors           // of the held picture
}

// View is the topic "calibration/ID": what the operators of a robot calibrate.
type View struct {
	Robot      uint8       `json:"robot"`
	Picture    *HeldView   `json:"picture"`    // null: none is held
	Remembered bool        `json:"remembered"` // a patch is, as it should look
	Patch      *PatchView  `json:"patch"`      // the newest one that was measured; null: none
	Pose       *PoseView   `json:"pose"`       // null: none was begun
	Colors     *ColorsView `json:"colors"`     // null: no picture is held
}

// HeldView is a picture that is held to be worked on.
type HeldView struct {
	Number uint32 `json:"number"` // another one for each picture
	Data   []byte `json:"data"`   // a JPEG in base64
	Width  int    `json:"width"`  // pixels
	Height int    `json:"height"`
}

// PatchView is a patch of a held picture and what it made of the camera.
type PatchView struct {
	X      int             `json:"x"` // pixels of the held picture
	Y      int             `json:"y"`
	Width  int             `json:"width"`
	Height int             `json:"height"`
	Seen   []float64       `json:"seen"`   // red, green and blue, linear in the light, 0 to 1
	Want   []float64       `json:"want"`   // null: it was remembered
	Like   string          `json:"like"`   // "grey", "carpet" or "remembered"
	Values []manager.Value `json:"values"` // that were asked of the robot
}

// body is the JSON of every command.
type body struct {
	Robot uint8  `json:"robot"`
	Page  uint32 `json:"page"`

	// robot-adjust and robot-remember: a rectangle of the held picture
	X      int    `json:"x"`
	Y      int    `json:"y"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Like   string `json:"like"` // robot-adjust: as PatchView.Like

	// robot-paint: pixels of the held picture, row by row, that get a class, and similar colours without one up to spread
	Pixels []int  `json:"pixels"`
	Class  string `json:"class"`
	Spread int    `json:"spread"` // cells of the table, 0 to 4

	Count    int  `json:"count"` // robot-collect: pictures
	Index    int  `json:"index"` // robot-reject, robot-show-sample: of a sample
	Rejected bool `json:"rejected"`
}

// call is a command under way.
type call struct {
	body
	now   soccer.Time
	view  *manager.View
	room  *room
	robot *robot
	asked
}

// asked is what a page asks of a robot.
type asked struct {
	Robot  uint8
	Page   uint32
	Values []manager.Value // for its parameters
	Colors []byte          // the file of a colour table, manager.ColorsFile
}

// commands are the commands by name.
var commands = map[string]func(*call) error{
	"robot-hold":     (*call).hold,
	"robot-remember": (*call).remember,
	"robot-adjust":   (*call).adjust,

	"robot-paint":       (*call).paint,
	"robot-unpaint":     (*call).unpaint,
	"robot-learn":       (*call).learn,
	"robot-send-colors": (*call).sendColors,

	"robot-collect":         (*call).collect,
	"robot-stop-collecting": (*call).stopCollecting,
	"robot-reject":          (*call).reject,
	"robot-show-sample":     (*call).showSample,
	"robot-solve":           (*call).solve,
	"robot-commit":          (*call).commit,
}

// errNoPicture is the error of a robot that sends none.
var errNoPicture = errors.New("calibration: no picture of the robot has arrived: let its camera send pictures")

var errPart = errors.New("calibration: the camera sends a part of its picture or a smaller one: choose full and the whole picture")

var errNoPose = errors.New("calibration: the robot tells no pose of itself: put it where it knows its place")

var errClasses = errors.New("calibration: the picture shows classes of colours: choose the format picture or raw")

// command executes a command of a page. It returns what the page then asks of the robot.
func (r *room) command(now soccer.Time, name string, text json.RawMessage) (asked, error) {
	run := commands[name]
	if run == nil {
		return asked{}, fmt.Errorf("calibration: unknown command %.40q", name)
	}
	c := call{now: now, room: r}
	if err := wire.DecodeJSON(text, name, &c.body); err != nil {
		return asked{}, fmt.Errorf("calibration: %w", err)
	}
	id := c.body.Robot
	c.asked = asked{Robot: id, Page: c.body.Page}
	switch c.view = r.Robot(id); {
	case c.view == nil || len(c.view.Parameters) == 0:
		return asked{}, fmt.Errorf("calibration: robot %d has declared no parameters", id)
	case !holds(c.view, c.body.Page):
		return asked{}, fmt.Errorf("calibration: take the control of robot %d first", id)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.robot = r.robots[id]; c.robot == nil {
		if r.robots == nil {
			r.robots = map[uint8]*robot{}
		}
		c.robot = &robot{}
		r.robots[id] = c.robot
	}
	if err := run(&c); err != nil {
		return asked{}, err
	}
	return c.asked, nil
}

// step ends collections of pictures of which none arrives, and begins tables of colours with those of the robots, which
// table returns as files; nil: not known. It is to be called a few times a second.
func (r *room) step(now soccer.Time, table func(robot uint8) []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, at := range r.robots {
		p := at.pose
		collecting := p != nil && p.state == "collecting"
		if collecting && now.Sub(p.since) > 2*p.patience() {
			p.state, p.text = "ended", "no pictures arrive: let the camera send them, and keep this page open"
			collecting = false
		}
		at.colors.begin(table(id), at.held)
		if collecting {
			p.finder.Table = at.colors.used()
		}
	}
}

// view returns the topic of a robot, or nil for one without calibration.
func (r *room) view(id uint8) *View {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.robots[id]
	if at == nil {
		return nil
	}
	v := &View{Robot: id, Remembered: at.remembered != nil, Patch: at.patch}
	if at.pose != nil {
		v.Pose = at.pose.view()
	}
	if at.held != nil {
		v.Colors = at.colors.shown
		v.Picture = &HeldView{at.number, at.jpeg, at.held.Picture.Width, at.held.Picture.Height}
	}
	return v
}

// hold keeps the newest picture to be worked on.
func (c *call) hold() error {
	shot, ok := c.room.Shot(c.body.Robot)
	switch {
	case !ok:
		return errNoPicture
	case shot.Classes:
		return errClasses
	case shot.Missing > 0:
		return fmt.Errorf("calibration: %d slices of the picture did not arrive: take another one", shot.Missing)
	}
	file, err := encode(&shot.Picture)
	if err != nil {
		return err
	}
	r := c.robot
	r.held, r.jpeg, r.patch = shot, file, nil
	r.number++
	r.colors.hold(c)
	return nil
}

// encode returns a picture as a JPEG.
func encode(p *camera.Picture) ([]byte, error) {
	var file bytes.Buffer
	if err := jpeg.Encode(&file, frame(p), &jpeg.Options{Quality: 92}); err != nil {
		return nil, fmt.Errorf("calibration: %w", err)
	}
	return file.Bytes(), nil
}
