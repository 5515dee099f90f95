package managernet

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"

	"touchline/internal/camera"
)

// maxPixels is how many pixels a stroke paints.
const maxPixels = 8192

// ColorsView is the colour table that operators edit, on the held picture.
type ColorsView struct {
	Number  uint32      `json:"number"`  // another one for each change
	Data    []byte      `json:"data"`    // the segmented picture: a PNG in base64
	Classes []ClassView `json:"classes"` // by their number
	Undo    bool        `json:"undo"`    // there is a change to take back
	Learned string      `json:"learned"` // why the field's model labels nothing here; "": it does
	Sent    bool        `json:"sent"`    // the newest table was sent to the robot
	Theirs  bool        `json:"theirs"`  // it began with the table that the robot sees by; false: with that of touchline's halls

	Compared bool        `json:"compared"` // with the table that the robot sees by
	Truth    []ThingView `json:"truth"`    // by the simulator that drew the picture; null: it did not, or does not know any more
}

// ThingView is what the table makes of the pixels of a thing of the simulator.
type ThingView struct {
	Name   string `json:"name"`
	Class  string `json:"class"`  // that they should get
	Pixels int    `json:"pixels"` // of the held picture
	Given  []int  `json:"given"`  // pixels of each class, in the order of ColorsView.Classes
}

// ClassView is a class of colours.
type ClassView struct {
	Name   string  `json:"name"`
	Color  string  `json:"color"`  // of the segmented picture, as #rrggbb
	Pixels int     `json:"pixels"` // of the held picture that have it
	True   int     `json:"true"`   // pixels that have it by the field's model; 0: it says nothing of this class
	Recall float64 `json:"recall"` // the share of these that the table gives it

	Added   int `json:"added"`   // cells of the table that have it, and have another class in the robot's
	Removed int `json:"removed"` // cells that have it in the robot's table alone
}

// colors is a colour table under way.
type colors struct {
	editor  *camera.Editor // nil: nobody needed a table yet
	began   *byte          // the newest table of the robot that it looked at; nil: none
	theirs  bool           // it began with it
	touched bool           // an operator changed it
	labels  []camera.Class
	learned string         // why there are no labels
	truth   []camera.Thing // of each pixel; nil: unknown
	shown   *ColorsView
	number  uint32
	against against
}

// used returns the table.
func (c *colors) used() *camera.Table {
	if c.editor == nil {
		c.editor = &camera.Editor{Table: camera.DefaultTable()}
	}
	return c.editor.Table
}

// begin begins with the table that the robot sees by, if no operator changed the table. runs is its file; nil: not known.
func (c *colors) begin(runs []byte, held *shot) {
	if len(runs) == 0 || c.touched || c.began == &runs[0] {
		return
	}
	c.began = &runs[0]
	table := new(camera.Table)
	if table.UnmarshalBinary(runs) != nil {
		return
	}
	c.editor, c.theirs = &camera.Editor{Table: table}, true
	if held != nil {
		c.segment(held)
	}
}

// hold labels the picture that the command holds, as far as the field's model and the robot's pose allow.
func (c *colors) hold(of *call) {
	c.labels, c.learned = nil, ""
	if err := c.label(of); err != nil {
		c.learned = err.Error()
	}
	c.truth = of.truth()
	c.segment(of.robot.held)
}

// truth returns what the simulator knows of each pixel of the held picture, or nil.
func (c *call) truth() []camera.Thing {
	if c.room.Truth == nil {
		return nil
	}
	held := c.robot.held
	things, width := c.room.Truth(c.body.Robot, held.Captured)
	if len(things) == 0 {
		return nil
	}
	p, d := &held.Picture, held.Divisor
	at := make([]camera.Thing, 0, len(p.Y))
	for y := range p.Height {
		for x := range p.Width {
			u, v := held.X+x*d+d/2, held.Y+y*d+d/2
			if u >= width || v*width+u >= len(things) {
				return nil // the camera is another one by now
			}
			at = append(at, things[v*width+u])
		}
	}
	return at
}

// label labels the held picture.
func (c *colors) label(of *call) error {
	cam, head, err := of.camera()
	if err != nil {
		return err
	}
	held := of.robot.held
	if !held.whole(of.view) {
		return errPart
	}
	at, ok := of.room.Self(of.body.Robot)
	if !ok {
		return errNoPose
	}
	p := &held.Picture
	sized(&cam, p)
	eye := cam.EyeAt(at, head[0], head[1])
	c.labels = camera.FieldLabels(&eye, p.Width, p.Height, &of.room.Field, nil)
	return nil
}

// segment draws the held picture with the table, and counts its pixels.
func (c *colors) segment(held *shot) {
	p, table := &held.Picture, c.used()
	img := image.NewPaletted(image.Rect(0, 0, p.Width, p.Height), Palette)
	classes := make([]camera.Class, len(p.Y))
	var pixels [camera.Classes]int
	for i := range p.Y {
		class := table.At(p.Y[i], p.Cb[i], p.Cr[i])
		classes[i], img.Pix[i] = class, uint8(class)
		pixels[class]++
	}
	var confusion camera.Confusion
	if c.labels != nil {
		confusion.Count(c.labels, classes)
	}
	var file bytes.Buffer
	_ = png.Encode(&file, img) // a buffer takes all
	c.number++
	c.shown = &ColorsView{Number: c.number, Data: file.Bytes(), Undo: c.editor.CanUndo(), Learned: c.learned, Theirs: c.theirs}
	for class := range camera.Classes {
		r, g, b, _ := Palette[class].RGBA()
		v := ClassView{Name: class.String(), Color: fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8), Pixels: pixels[class]}
		if class != camera.None {
			v.Recall, v.True = confusion.Recall(class)
		}
		c.shown.Classes = append(c.shown.Classes, v)
	}
	c.shown.Truth = compare(c.truth, classes)
}

// compare returns what became of the pixels of each thing that the picture shows.
func compare(truth []camera.Thing, classes []camera.Class) (list []ThingView) {
	var sorted camera.Sorted
	sorted.Count(truth, classes)
	for thing := range camera.Things {
		v := ThingView{Name: thing.String(), Class: camera.ClassOf(thing).String(), Given: sorted[thing][:]}
		for _, n := range v.Given {
			v.Pixels += n
		}
		if v.Pixels > 0 {
			list = append(list, v)
		}
	}
	return list
}

// editing returns the colours of the command, on a picture that is held.
func (c *call) editing() (*colors, error) {
	if c.robot.held == nil {
		return nil, errors.New("calibration: no picture is held: take one, and drag over a colour in it")
	}
	c.robot.colors.used()
	return &c.robot.colors, nil
}

// paint gives the colours of pixels a class.
func (c *call) paint() error {
	k, err := c.editing()
	if err != nil {
		return err
	}
	class := camera.None
	for class < camera.Classes && class.String() != c.Class {
		class++
	}
	n := len(c.robot.held.Picture.Y)
	switch {
	case class == camera.Classes:
		return fmt.Errorf("calibration: class %.40q: want one of those that the page shows", c.Class)
	case len(c.Pixels) == 0 || len(c.Pixels) > maxPixels:
		return fmt.Errorf("calibration: %d pixels: want 1 to %d", len(c.Pixels), maxPixels)
	case c.Spread < 0 || c.Spread > 4:
		return fmt.Errorf("calibration: spread %d: want 0 to 4", c.Spread)
	}
	for _, i := range c.Pixels {
		if i < 0 || i >= n {
			return fmt.Errorf("calibration: pixel %d of %d", i, n)
		}
	}
	if k.editor.Add(&c.robot.held.Picture, c.Pixels, class, c.Spread) > 0 {
		k.touched = true
		k.segment(c.robot.held)
	}
	return nil
}

// unpaint takes the newest change back.
func (c *call) unpaint() error {
	k, err := c.editing()
	if err != nil {
		return err
	}
	if !k.editor.Undo() {
		return errors.New("calibration: no change of the colours to take back")
	}
	k.segment(c.robot.held)
	return nil
}

// learn gives the colours of carpet and lines their classes, by the field's model.
func (c *call) learn() error {
	k, err := c.editing()
	if err != nil {
		return err
	}
	if k.labels == nil {
		return fmt.Errorf("calibration: the field's model labels nothing in this picture: %s", k.learned)
	}
	k.touched = true
	k.editor.Learn([]camera.Picture{c.robot.held.Picture}, [][]camera.Class{k.labels})
	k.segment(c.robot.held)
	return nil
}

// sendColors sends the table to the robot.
func (c *call) sendColors() error {
	k, err := c.editing()
	if err != nil {
		return err
	}
	if c.Colors, err = k.editor.Table.AppendBinary(nil); err != nil {
		return err
	}
	shown := *k.shown
	shown.Sent = true
	k.shown = &shown
	return nil
}
