package manager

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"touchline/internal/robot/hfsm"
	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// body is the JSON of every command of a page: the robot and the page, and what the command needs.
type body struct {
	Robot uint8  `json:"robot"`
	Page  uint32 `json:"page"` // random number of the page, 1 or more

	Name    string  `json:"name"`    // attend: the operator's name; set: the parameter's
	Value   float32 `json:"value"`   // set
	Values  []Value `json:"values"`  // set-all
	Picture *wish   `json:"picture"` // attend; null: none

	// drive: the velocity in the robot's frame, the newest nonce, and a number that grows
	Nonce    string   `json:"nonce"`
	Sequence uint32   `json:"sequence"`
	VX       float32  `json:"vx"`
	VY       float32  `json:"vy"`
	Omega    float32  `json:"omega"`
	Dribbler float32  `json:"dribbler"`
	Pan      *float32 `json:"pan"` // rad; null: the head stays
	Tilt     *float32 `json:"tilt"`
	Kick     uint32   `json:"kick"` // id, above the one before; 0: none
	Index    uint8    `json:"index"`
	Check    bool     `json:"check"` // a check of the robot may go on

	// kick-check and walk-check: a kick of the list (Index) Tries times from a place, or a figure from a start
	Tries   uint8   `json:"tries"`
	Figure  string  `json:"figure"` // of CheckView.Figures
	Speed   float32 `json:"speed"`  // m/s, or rad/s of a turn
	Size    float32 `json:"size"`   // m
	Laps    uint8   `json:"laps"`
	X       float32 `json:"x"` // m, team frame
	Y       float32 `json:"y"`
	Heading float32 `json:"heading"` // rad

	Machine json.RawMessage `json:"machine"` // machine
	File    string          `json:"file"`    // fetch: its name
}

// Value is a value for a parameter.
type Value struct {
	Name  string  `json:"name"`
	Value float32 `json:"value"`
}

// command is a command of a page.
type command struct {
	name string
	run  func(*call) error
}

// commands are the commands of pages.
var commands = []command{
	{"robot-attend", (*call).attend},
	{"robot-take", (*call).take},
	{"robot-release", (*call).release},
	{"robot-set", (*call).set},
	{"robot-set-all", (*call).setAll},
	{"robot-undo", (*call).undo},
	{"robot-redo", (*call).redo},
	{"robot-drive", (*call).drive},
	{"robot-machine", (*call).machine},
	{"robot-rollback", (*call).rollBack},
	{"robot-fetch", (*call).fetch},
	{"robot-hold-machine", (*call).hold},
	{"robot-kick-check", (*call).kickCheck},
	{"robot-walk-check", (*call).walkCheck},
	{"robot-stop-check", (*call).stopCheck},
}

// call is a command under way.
type call struct {
	body
	now   soccer.Time
	robot *record
	page  *page
	send  Send
}

// Commands of pages that save and load profiles, for the program that has their folder (package profile): they have the
// keys robot, page, and the profile's name.
const (
	SaveProfile = "robot-save"
	LoadProfile = "robot-load"
)

// MaxBody is the longest body of a command, in bytes: a state machine, and what is around it.
const MaxBody = hfsm.MaxText + 1<<10

// Commands returns the names of the commands about a robot that is managed.
func Commands() []string {
	names := []string{SaveProfile, LoadProfile, CheckMachine}
	for _, c := range commands {
		names = append(names, c.name)
	}
	slices.Sort(names)
	return names
}

// decode reads the body of a command.
func decode(text []byte, name string, v any) error {
	if err := wire.DecodeJSONUpTo(MaxBody, text, name, v); err != nil {
		return fmt.Errorf("manager: %w", err)
	}
	return nil
}

// Command executes a command of a page. A request to a robot is under way when it returns: the result arrives with
// the View.
func (d *Desk) Command(now soccer.Time, name string, text json.RawMessage, send Send) error {
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == name })
	if i < 0 {
		return fmt.Errorf("manager: unknown command %.40q", name)
	}
	c := call{now: now, send: send}
	if err := decode(text, name, &c.body); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if c.Robot == 0 || c.Page == 0 {
		return fmt.Errorf("manager: %s: want the robot's id and the page's number, 1 or more", name)
	}
	if c.robot = d.robot(c.Robot); c.robot == nil {
		return fmt.Errorf("manager: %d robots are managed: robot %d is one too many", maxRobots, c.Robot)
	}
	if err := c.robot.open(&c, name == "robot-attend"); err != nil {
		return err
	}
	if err := commands[i].run(&c); err != nil {
		return err
	}
	c.robot.retry(now, c.page, send)
	return nil
}

var errPage = errors.New("manager: the program does not know this page: it says robot-attend first, once a second")

// page returns the page with an id, or nil.
func (r *record) page(id uint32) *page {
	for _, p := range r.pages {
		if p.id == id {
			return p
		}
	}
	return nil
}

// open finds the page of a command. A new one begins with its attendance.
func (r *record) open(c *call, create bool) error {
	if p := r.page(c.Page); p != nil {
		p.seen, c.page = c.now, p
		return nil
	}
	switch {
	case !create:
		return errPage
	case len(r.pages) == maxPages:
		return fmt.Errorf("manager: %d pages show this robot: close one", maxPages)
	}
	c.page = &page{id: c.Page, seen: c.now}
	r.pages = append(r.pages, c.page)
	return nil
}

func (c *call) attend() error {
	if n := c.Name; n == "" || len(n) > team.MaxName || !utf8.ValidString(n) || wire.Printable(n) != n {
		return fmt.Errorf("manager: name %.40q: want 1 to %d bytes of text", n, team.MaxName)
	}
	c.page.name = c.Name
	return c.page.setWish(c.now, c.Picture)
}

// ask queues a request of the page.
func (c *call) ask(q team.Request) error { return c.robot.ask(c.now, c.page, request{Request: q}) }

func (c *call) take() error    { return c.ask(team.Request{Operation: team.Take, Text: c.page.name}) }
func (c *call) release() error { return c.ask(team.Request{Operation: team.GiveUp}) }
func (c *call) set() error     { return c.setOne(Value{c.Name, c.Value}, 0) }

// setOne asks for a value, as one of a group.
func (c *call) setOne(v Value, group uint32) error {
	if c.robot.find(v.Name) == nil {
		return fmt.Errorf("manager: robot %d has no parameter %.40q", c.Robot, v.Name)
	}
	return c.robot.ask(c.now, c.page, request{group: group,
		Request: team.Request{Operation: team.Set, Text: v.Name, Value: v.Value}})
}

// setAll asks for several values, which one undo takes back.
func (c *call) setAll() error {
	if n := len(c.Values); n == 0 || n > MaxParameters {
		return fmt.Errorf("manager: %d values: want 1 to %d", n, MaxParameters)
	}
	c.robot.groups++
	for _, v := range c.Values {
		if err := c.setOne(v, c.robot.groups); err != nil {
			return err
		}
	}
	return nil
}
func (c *call) hold() error {
	return c.ask(team.Request{Operation: team.Hold, Text: c.Name, Value: c.Value})
}
func (c *call) undo() error     { return c.robot.takeBack(c.now, c.page, &c.page.undo, fromUndo) }
func (c *call) redo() error     { return c.robot.takeBack(c.now, c.page, &c.page.redo, fromRedo) }
func (c *call) rollBack() error { return c.ask(team.Request{Operation: team.RollBack}) }

// drive passes a command of the page on. The nonce is the page's: this program adds none, and a page that is dead or
// waits sends none.
func (c *call) drive() error {
	nonce, err := strconv.ParseUint(c.Nonce, 10, 64)
	if err != nil {
		return fmt.Errorf("manager: nonce %.40q: want the one of the topic drive/%d", c.Nonce, c.Robot)
	}
	if c.page.flooded(c.now) {
		return errors.New("manager: more than 100 commands in a second: send 25")
	}
	m := team.Drive{
		Operator: c.Page, Nonce: nonce, Sequence: c.Sequence, VX: c.VX, VY: c.VY, VHeading: c.Omega, Dribbler: c.Dribbler,
		Kick: c.Kick, KickIndex: c.Index, Check: c.Check,
	}
	if c.Pan != nil && c.Tilt != nil {
		m.HasHead, m.HeadPan, m.HeadTilt = true, *c.Pan, *c.Tilt
	}
	if _, err := m.AppendBinary(nil); err != nil {
		return fmt.Errorf("manager: %w", err)
	}
	r := c.robot
	r.drive, r.repeat = m, c.now.Add(repeatAfter)
	c.send(tcm.Entity{Kind: tcm.Robot, ID: r.id}, &m)
	return nil
}

// flooded counts the drive commands of a page, and reports whether they are too many.
func (p *page) flooded(now soccer.Time) bool {
	const most = 100
	if second := int64(now) / 1e9; second != p.second {
		p.second, p.commands = second, 0
	}
	p.commands++
	return p.commands > most
}

// machine sends a state machine to the robot, after a check of all that does not depend on the robot's vocabulary.
func (c *call) machine() error {
	m, err := hfsm.Parse(c.Machine)
	if err != nil {
		return fmt.Errorf("manager: %w", err)
	}
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("manager: %w", err)
	}
	return c.robot.startUpload(c.page, MachineFile, text)
}
