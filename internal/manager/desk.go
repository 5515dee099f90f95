// Package manager is both sides of the manager (docs/manager.md), the ChaosManager of the TeamChaos paper. A Desk is what
// one computer knows of the robots that it manages, and what its operators ask of them: messages of robots and commands of
// pages go in, messages and views for pages come out. A Robot is the side in a robot, and an Agent joins it to the software
// of touchline's robots. The files desk*.go and robot*.go hold one side each; the others are shared, or judge kicks and
// walks. All are pure cores: package managernet runs them beside a node of the TCM.
package manager

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// Bounds of a desk.
const (
	MaxParameters = 1000 // of a robot; further ones are not shown
	maxRobots     = 32
	maxPages      = 16                 // of a robot
	maxQueue      = MaxParameters + 64 // requests of a page that wait: a profile sets all parameters
	maxChanges    = 50                 // that a View shows
	maxSteps      = 200
)

// Times of a desk (docs/manager.md).
const (
	attendPeriod = 250 * time.Millisecond
	attendGap    = 40 * time.Millisecond // at least, between two messages of a desk that knows that it is behind
	retryPeriod  = 100 * time.Millisecond
	answerFor    = 5 * time.Second         // without an answer a request fails
	PageFor      = 1500 * time.Millisecond // a page that is silent for longer is gone
	seenFor      = time.Second
	repeatAfter  = 10 * time.Millisecond // each command leaves twice: one copy may be lost
)

// Send sends a message to a robot. The data is valid during the call.
type Send func(to tcm.Entity, data teamcom.Data)

// DeskConfig describes a desk.
type DeskConfig struct {
	Computer uint8       // id of this computer in the TCM
	Seed     uint64      // of the numbers of transfers. Random in each run
	Start    soccer.Time // of the program, for the times of changes. Default 0
	// Changed is called with each change that a robot answered or that failed, for the audit log. It may not call the
	// desk. Default nil
	Changed func(Change)
	// Course is the truth beside what robots measure. Default nil: not known
	Course *Course
}

// Desk is the manager of one computer. Its methods may be called from any goroutine.
type Desk struct {
	mu     sync.Mutex
	cfg    DeskConfig
	rng    *rand.Rand
	robots []*record // by id

	attend team.Attend // scratch
}

// record is what a desk knows of a robot, and what its pages ask of it.
type record struct {
	desk *Desk
	self uint8 // computer
	id   uint8

	report     team.Management // newest
	arrived    soccer.Time
	nonce      uint64
	challenge  team.Challenge // newest
	challenged soccer.Time

	table    uint32 // whose parameters are known
	since    uint32 // revision up to which they are
	backward int    // reports in a row whose revision is below since

	parameters []parameter

	pages    []*page
	number   uint32   // of the newest request of any page
	groups   uint32   // how many groups of values were set
	changes  []Change // oldest first
	upload   upload
	download download
	checked  checked
	attended soccer.Time
	drive    team.Drive  // newest command
	repeat   soccer.Time // when its copy leaves; 0: it has
	record   uint8       // pictures a second that are recorded
}

// parameter is a parameter with the newest answer about it.
type parameter struct {
	team.Parameter
	result, text string
}

// page is a page that shows a robot.
type page struct {
	id       uint32
	name     string
	seen     soccer.Time
	picture  team.PictureWish
	choice   uint32      // of its operator, see wish
	chose    soccer.Time // when it changed; 0: never
	queue    []request
	undo     steps
	redo     steps
	commands int // drive commands in this second, see flooded
	second   int64
}

// request is a request of a page. The first of a queue is under way.
type request struct {
	team.Request
	kind  kind
	group uint32  // of values that were set together, and are taken back together; 0: by itself
	from  float32 // value before, of a Set
	asked soccer.Time
	sent  soccer.Time
	first soccer.Time // when it left first
}

// kind is why a request was made.
type kind uint8

const (
	fromOperator kind = iota
	fromUndo
	fromRedo
)

// step is a change that can be undone.
type step struct {
	name     string
	from, to float32
	group    uint32
}

type steps []step

// NewDesk returns a desk.
func NewDesk(cfg DeskConfig) *Desk {
	return &Desk{cfg: cfg, rng: rand.New(rand.NewPCG(cfg.Seed, 0xde5c))}
}

// robot returns a robot by its id. It returns nil for one too many.
func (d *Desk) robot(id uint8) *record {
	at, found := d.place(id)
	switch {
	case found:
		return d.robots[at]
	case len(d.robots) == maxRobots || id == 0:
		return nil
	}
	r := &record{desk: d, self: d.cfg.Computer, id: id}
	d.robots = slices.Insert(d.robots, at, r)
	return r
}

// known returns a robot that a page asked for or that reported, or nil.
func (d *Desk) known(id uint8) *record {
	if at, found := d.place(id); found {
		return d.robots[at]
	}
	return nil
}

// place returns where a robot is in the list, or would be.
func (d *Desk) place(id uint8) (at int, found bool) {
	return slices.BinarySearchFunc(d.robots, id, func(r *record, id uint8) int { return int(r.id) - int(id) })
}

// seen reports whether a report arrived in the last second.
func (r *record) seen(now soccer.Time) bool {
	return r.table != 0 && now.Sub(r.arrived) <= seenFor
}

// Step passes to send what is due at now: the attendance of every robot that a page shows, requests without an answer,
// and chunks of files. It is to be called at least every 20 ms.
func (d *Desk) Step(now soccer.Time, send Send) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.robots {
		r.step(now, send)
	}
}

func (r *record) step(now soccer.Time, send Send) {
	r.pages = slices.DeleteFunc(r.pages, func(p *page) bool {
		return now.Sub(p.seen) > PageFor && len(p.queue) == 0 && r.upload.by != p && r.download.by != p
	})
	if len(r.pages) == 0 && r.record == 0 {
		return
	}
	to := tcm.Entity{Kind: tcm.Robot, ID: r.id}
	period := attendPeriod
	if r.behind() {
		period = attendGap
	}
	if r.attended == 0 || now.Sub(r.attended) >= period {
		r.attended = now
		r.setAttend(now)
		send(to, &r.desk.attend)
	}
	for _, p := range r.pages {
		r.retry(now, p, send)
	}
	if r.repeat > 0 && now >= r.repeat {
		r.repeat = 0
		send(to, &r.drive)
	}
	r.sendChunks(now, send)
	r.watchDownload(now)
}

// behind reports whether the robot has a newer revision of the table than this desk.
func (r *record) behind() bool { return r.table != 0 && r.since < r.report.Revision }

// setAttend sets the message that this computer manages the robot.
func (r *record) setAttend(now soccer.Time) {
	a := &r.desk.attend
	*a = team.Attend{Table: r.table, Since: r.since}
	a.Picture, _, _ = r.wish(now)
	for _, p := range r.pages {
		if now.Sub(p.seen) <= PageFor && r.report.Holder == (team.Operator{Computer: r.self, Page: p.id}) {
			a.Holder = p.id
		}
	}
}

// View returns the topic "robot/ID", or nil for a robot that no page asked for and that never reported.
func (d *Desk) View(id uint8, now soccer.Time) *View {
	return of(d, id, func(r *record) *View { return r.view(now) })
}

// DriveView returns the topic "drive/ID", or nil for an unknown robot.
func (d *Desk) DriveView(id uint8) *DriveView { return of(d, id, (*record).driveView) }

// of returns what the desk knows of a robot, and the zero value for an unknown one.
func of[T any](d *Desk, id uint8, what func(*record) T) (v T) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.known(id); r != nil {
		v = what(r)
	}
	return v
}
