// Package managed is the robot's side of the manager (docs/manager.md): a robot that is managed declares its parameters
// and kicks, and executes what the operator who holds its control asks for. A Robot is a pure core: messages go in,
// messages and motor commands come out. Package managernet runs it beside a node of the TCM.

package manager

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// Times of a managed robot (docs/manager.md).
const (
	Lease           = 300 * time.Millisecond // from the departure of a nonce, for which a command with it drives the robot
	NonceFor        = 2 * time.Second        // a request may echo a nonce of this age
	AttendFor       = 2 * time.Second        // a computer that is silent for longer gets no reports
	HoldFor         = 3 * time.Second        // a page that is silent for longer loses the control
	reportPeriod    = 200 * time.Millisecond
	challengePeriod = 20 * time.Millisecond
	pagePeriod      = 20 * time.Millisecond // between two parts of the table for one computer
	kickFor         = 300 * time.Millisecond
)

// Bounds of a robot's memory.
const (
	MaxTable        = 1000    // parameters
	MaxFile         = 1 << 20 // bytes of a file
	maxComputers    = 16
	managedMaxPages = 16 // operators whose newest request the robot remembers
)

// ManagedConfig describes a managed robot.
type ManagedConfig struct {
	// Seed makes the nonces. It must be random in each run (crypto/rand): with the seed of an earlier run, a log of that
	// run would control the robot.
	Seed       uint64
	Parameters []team.Parameter // at most MaxTable; Revision and By are set by the robot. Default none
	Kicks      []team.Kick      // at most team.MaxKicks. Default none
	// Greatest velocities in m/s and rad/s, and angles of the head in rad, of an operator's commands. Default 0: it cannot
	// be driven
	MaxAhead, MaxSide, MaxTurn, MaxPan, MaxTilt float32
	// Field has the lines that a check of kicks or of the walk keeps inside. Default none: the robot executes no checks
	Field soccer.Field
	// Set changes a parameter to a value inside its range, and returns the value that the robot took: what it reads back
	// from the device. Its error is shown to the operator. Default nil: every value is taken
	Set func(name string, value float32) (float32, error)
	// Adopt takes a complete file of at most MaxFile bytes, for example a state machine. It and Set may not call the Robot.
	// Default nil: files are refused
	Adopt func(name string, contents []byte) error
	// Fetch returns a file of the robot of at most MaxFile bytes, for every computer that asks: for example the sheet of its
	// state machine (hfsm.SheetFile). It may not call the Robot. Default nil: refused
	Fetch func(name string) ([]byte, error)
	// Holds says that the robot obeys Hold. Default false: refused
	Holds bool
	// RollBack undoes the newest Adopt. Default nil: refused
	RollBack func() error
}

// DefaultConfig returns the configuration of a robot of touchline's field: three kicks, and limits with which an operator
// can follow it by eye. It declares no parameters.
func DefaultConfig(seed uint64) ManagedConfig {
	return ManagedConfig{
		Seed: seed, MaxAhead: 1.5, MaxSide: 1.5, MaxTurn: 2.5,
		Kicks: []team.Kick{{Name: "pass", Speed: 3}, {Name: "flat", Speed: 6}, {Name: "lob", Speed: 7, Elevation: 0.7}},
	}
}

// Playing reports whether a refereed game plays: robots play or wait for the start of a set piece. Before a game, as in
// the practical session, operators may drive.
func Playing(m *team.Referee) bool {
	return m.Part != team.BeforeGame && (m.State == team.Running || m.State == team.Waiting)
}

// Robot is the manager's agent in a robot. Its methods may be called from any goroutine.
type Robot struct {
	mu        sync.Mutex
	cfg       ManagedConfig
	rng       *rand.Rand
	id        uint32 // of the table
	nonces    nonces
	table     table
	computers []computer
	pages     []managedPage
	control   control
	playing   bool
	holds     uint32 // number of the newest Hold
	machine   Machines
	upload    managedUpload
	outgoing  outgoing
	check     check

	// scratch memory
	management team.Management
	challenge  team.Challenge
	part       team.Parameters
}

// computer is a computer that attends the robot.
type computer struct {
	id     uint8
	heard  soccer.Time
	attend team.Attend
	report soccer.Time // when it gets the next one
	sent   uint32      // revision up to which its part of the table was sent
	page   soccer.Time // when it gets the next part
}

// Machines are the checksums of a robot's state machines; 0: none.
type Machines struct{ Running, Previous, Waiting uint32 }

// NewManaged returns a robot. It refuses parameters and kicks that no message can carry.
func NewManaged(cfg ManagedConfig) (*Robot, error) {
	if len(cfg.Kicks) > team.MaxKicks {
		return nil, fmt.Errorf("managed: %d kicks: give at most %d", len(cfg.Kicks), team.MaxKicks)
	}
	r := &Robot{cfg: cfg, rng: rand.New(rand.NewPCG(cfg.Seed, 0x3a4a6ed))}
	r.id = max(1, r.rng.Uint32())
	parameters := cfg.Parameters
	if cfg.Field.Length > 0 {
		parameters = append(slices.Clone(parameters), odometryParameters()...)
	}
	if err := r.table.declare(parameters); err != nil {
		return nil, err
	}
	r.management.Kicks = cfg.Kicks
	r.management.MaxAhead, r.management.MaxSide, r.management.MaxTurn = cfg.MaxAhead, cfg.MaxSide, cfg.MaxTurn
	r.management.MaxPan, r.management.MaxTilt = cfg.MaxPan, cfg.MaxTilt
	if _, err := r.management.AppendBinary(nil); err != nil {
		return nil, fmt.Errorf("managed: %w", err)
	}
	return r, nil
}

// SetMachines tells the robot which state machines it has, for its reports.
func (r *Robot) SetMachines(m Machines) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.machine = m
}

// Attend receives that a computer manages the robot.
func (r *Robot) Attend(from tcm.Entity, now soccer.Time, m *team.Attend) {
	if from.Kind != tcm.Computer {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.computer(from.ID, now)
	if c == nil {
		return
	}
	c.heard, c.attend = now, *m
	if c.sent = m.Since; m.Table != r.id || m.Since > r.table.revision {
		c.sent = 0
	}
	if h := r.control.holder; h.Computer == from.ID && m.Holder == h.Page {
		r.control.heard = now
	}
}

// computer returns the record of a computer. It returns nil if too many others attend.
func (r *Robot) computer(id uint8, now soccer.Time) *computer {
	for i := range r.computers {
		if r.computers[i].id == id {
			return &r.computers[i]
		}
	}
	if len(r.computers) == maxComputers {
		return nil
	}
	r.computers = append(r.computers, computer{id: id, report: now, page: now})
	return &r.computers[len(r.computers)-1]
}

// Wish returns the fastest wish for pictures of the computers that attend, with an overlay if one of them wants it, and
// hands each of these computers to to. A Rate of 0 means that nobody looks.
func (r *Robot) Wish(now soccer.Time, to func(tcm.Entity)) (wish team.PictureWish) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.computers {
		c := &r.computers[i]
		if p := c.attend.Picture; p.Rate > 0 && now.Sub(c.heard) <= AttendFor {
			overlay := wish.Overlay || p.Overlay
			if p.Rate > wish.Rate {
				wish = p
			}
			wish.Overlay = overlay
			to(tcm.Entity{Kind: tcm.Computer, ID: c.id})
		}
	}
	return wish
}

// Step passes to send each message that is due at now. The data is valid during the call. It is to be called at least
// every 20 ms.
func (r *Robot) Step(now soccer.Time, send func(to tcm.Entity, data teamcom.Data)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire(now)
	r.watchCheck(now)
	r.checkReport(now, send)
	for i := range r.computers {
		c := &r.computers[i]
		to := tcm.Entity{Kind: tcm.Computer, ID: c.id}
		if c.report <= now {
			c.report = next(c.report, now, reportPeriod)
			send(to, r.report(now))
		}
		if c.page <= now && c.sent < r.table.revision {
			c.page = next(c.page, now, pagePeriod)
			r.table.part(r.id, c.sent, &r.part)
			c.sent = r.part.Upto
			send(to, &r.part)
		}
	}
	if h := r.control.holder; h.Computer != 0 && r.control.challenge <= now {
		r.control.challenge = next(r.control.challenge, now, challengePeriod)
		r.challenge = team.Challenge{Nonce: r.nonce(now), Drive: r.state(now), Kick: r.control.kicked}
		send(tcm.Entity{Kind: tcm.Computer, ID: h.Computer}, &r.challenge)
	}
}

// expire forgets computers that are silent, and takes the control from a page that is.
func (r *Robot) expire(now soccer.Time) {
	kept := r.computers[:0]
	for _, c := range r.computers {
		if now.Sub(c.heard) <= AttendFor {
			kept = append(kept, c)
		}
	}
	r.computers = kept
	if c := &r.control; c.holder.Computer != 0 && now.Sub(c.heard) > HoldFor {
		*c = control{number: c.number}
	}
}

// report returns what the robot can do and who controls it.
func (r *Robot) report(now soccer.Time) *team.Management {
	m := &r.management
	m.Table, m.Revision, m.Parameters = r.id, r.table.revision, uint32(len(r.table.list))
	m.Nonce, m.Holder, m.HolderName = r.nonce(now), r.control.holder, r.control.name
	m.Drive, m.Kick = r.state(now), r.control.kicked
	m.Machine, m.Previous, m.Waiting = r.machine.Running, r.machine.Previous, r.machine.Waiting
	return m
}

// nonce issues a nonce.
func (r *Robot) nonce(now soccer.Time) uint64 {
	n := r.rng.Uint64()
	r.nonces.issue(n, now)
	return n
}

// next returns when what was due is due again. Periods that have passed are skipped.
func next(due, now soccer.Time, period time.Duration) soccer.Time {
	if due = due.Add(period); due > now {
		return due
	}
	return now.Add(period)
}

// nonces are the newest nonces of a robot with the times of their departure.
type nonces struct {
	list [512]struct {
		nonce uint64
		at    soccer.Time
	}
	n int
}

func (n *nonces) issue(nonce uint64, at soccer.Time) {
	i := n.n % len(n.list)
	n.list[i].nonce, n.list[i].at = nonce, at
	n.n++
}

// issued returns when a nonce left, if the robot remembers it.
func (n *nonces) issued(nonce uint64) (soccer.Time, bool) {
	for i := range min(n.n, len(n.list)) {
		if n.list[i].nonce == nonce {
			return n.list[i].at, true
		}
	}
	return 0, false
}

// errControl is the text of a request of an operator who does not hold the control.
var errControl = errors.New("take the control first")
