package manager

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"touchline/internal/bounded"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// Times of a managed robot (docs/manager.md).
const (
	Lease           = 300 * time.Millisecond // from the departure of a nonce, for which a command with it drives the robot
	NonceFor        = 2 * time.Second        // a request may echo a nonce of this age
	attendFor       = 2 * time.Second        // a computer that is silent for longer gets no reports
	HoldFor         = 3 * time.Second        // a page that is silent for longer loses the control
	reportPeriod    = 200 * time.Millisecond
	challengePeriod = 20 * time.Millisecond
	pagePeriod      = 20 * time.Millisecond // between two parts of the table for one computer
	kickFor         = 300 * time.Millisecond
)

// Bounds of a robot's memory.
const (
	maxComputers = 16
	maxOperators = 16 // whose newest request the robot remembers
	maxNonces    = 512
)

// RobotConfig describes a managed robot.
type RobotConfig struct {
	// Seed makes the nonces. It must be random in each run (crypto/rand): with the seed of an earlier run, a log of that
	// run would control the robot.
	Seed       uint64
	Parameters []team.Parameter // at most MaxParameters; Revision and By are set by the robot. Default none
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

// DefaultRobotConfig returns the configuration of a robot of touchline's field: three kicks, and limits with which an
// operator can follow it by eye. It declares no parameters.
func DefaultRobotConfig(seed uint64) RobotConfig {
	return RobotConfig{
		Seed: seed, MaxAhead: 1.5, MaxSide: 1.5, MaxTurn: 2.5,
		Kicks: []team.Kick{{Name: "pass", Speed: 3}, {Name: "flat", Speed: 6}, {Name: "lob", Speed: 7, Elevation: 0.7}},
	}
}

// playing reports whether a refereed game plays: robots play or wait for the start of a set piece. Before a game, as in
// the practical session, operators may drive.
func playing(m *team.Referee) bool {
	return m.Part != team.BeforeGame && (m.State == team.Running || m.State == team.Waiting)
}

// Robot is the robot's side of the manager: it declares the robot's parameters and kicks, and executes what the operator
// who holds the control asks for. It is a pure core: messages go in, messages and motor commands come out. Its methods may
// be called from any goroutine.
type Robot struct {
	mu        sync.Mutex
	cfg       RobotConfig
	rng       *rand.Rand
	id        uint32 // of the table
	nonces    bounded.Ring[nonce]
	table     table
	computers bounded.Table[uint8, computer, soccer.Time]
	operators bounded.Table[team.Operator, team.Answer, soccer.Time] // with the answer to the newest request
	control   control
	playing   bool
	holds     uint32 // number of the newest Hold
	machine   Machines
	upload    incoming
	check     check

	// scratch memory
	management team.Management
	challenge  team.Challenge
	part       team.Parameters
}

// nonce is a number that the robot sent, with the time of its departure.
type nonce struct {
	number uint64
	at     soccer.Time
}

// computer is a computer that attends the robot.
type computer struct {
	attend team.Attend
	report soccer.Time // when it gets the next one
	sent   uint32      // revision up to which its part of the table was sent
	page   soccer.Time // when it gets the next part
}

// Machines are the checksums of a robot's state machines; 0: none.
type Machines struct{ Running, Previous, Waiting uint32 }

// NewRobot returns a robot. It refuses parameters and kicks that no message can carry.
func NewRobot(cfg RobotConfig) (*Robot, error) {
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

// Handle lets a module of a node receive what managers send to the robot. Answers leave through the module's client.
func (r *Robot) Handle(m *teamcom.Module) {
	client := m.Client()
	receive := func(from teamcom.From, data teamcom.Data) {
		r.Receive(from.Entity, from.Received, data, func(to tcm.Entity, answer teamcom.Data) {
			_ = client.Send(from.Received, to, answer) // the node counts what it drops
		})
	}
	teamcom.Handle(m, func(from teamcom.From, a *team.Attend) { receive(from, a) })
	teamcom.Handle(m, func(from teamcom.From, d *team.Drive) { receive(from, d) })
	teamcom.Handle(m, func(from teamcom.From, f *team.File) { receive(from, f) })
	teamcom.Handle(m, func(from teamcom.From, q *team.Request) { receive(from, q) })
}

// Receive receives a message of a computer that manages the robot: a *team.Attend, *team.Drive, *team.File or
// *team.Request. Answers to requests go to send.
func (r *Robot) Receive(from tcm.Entity, now soccer.Time, data teamcom.Data, send Send) {
	if from.Kind != tcm.Computer {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch m := data.(type) {
	case *team.Attend:
		r.attend(from.ID, now, m)
	case *team.Drive:
		r.receiveDrive(from.ID, now, m)
	case *team.File:
		r.receiveFile(from.ID, m)
	case *team.Request:
		r.request(from, now, m, send)
	}
}

// attend notes that a computer manages the robot, unless too many others do.
func (r *Robot) attend(id uint8, now soccer.Time, m *team.Attend) {
	e := r.computers.Find(id)
	if e == nil {
		if e, _ = r.computers.Add(id, now, maxComputers, bounded.Forever); e == nil {
			return
		}
		e.Value = computer{report: now, page: now}
	}
	c := &e.Value
	e.Used, c.attend = now, *m
	if c.sent = m.Since; m.Table != r.id || m.Since > r.table.revision {
		c.sent = 0
	}
	if h := r.control.holder; h.Computer == id && m.Holder == h.Page {
		r.control.heard = now
	}
}

// Wish returns the fastest wish for pictures of the computers that attend, with an overlay if one of them wants it, and
// hands each of these computers to to. A Rate of 0 means that nobody looks.
func (r *Robot) Wish(now soccer.Time, to func(tcm.Entity)) (wish team.PictureWish) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.computers.All() {
		if p := e.Value.attend.Picture; p.Rate > 0 && now.Sub(e.Used) <= attendFor {
			overlay := wish.Overlay || p.Overlay
			if p.Rate > wish.Rate {
				wish = p
			}
			wish.Overlay = overlay
			to(tcm.Entity{Kind: tcm.Computer, ID: e.Key})
		}
	}
	return wish
}

// Step passes to send each message that is due at now. The data is valid during the call. It is to be called at least
// every 20 ms.
func (r *Robot) Step(now soccer.Time, send Send) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire(now)
	r.watchCheck(now)
	r.checkReport(now, send)
	all := r.computers.All()
	for i := range all {
		c, to := &all[i].Value, tcm.Entity{Kind: tcm.Computer, ID: all[i].Key}
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
	r.computers.Delete(func(e bounded.Entry[uint8, computer, soccer.Time]) bool { return now.Sub(e.Used) > attendFor })
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
	n := nonce{r.rng.Uint64(), now}
	*r.nonces.Push(maxNonces) = n
	return n.number
}

// issued returns when a nonce left, if the robot remembers it.
func (r *Robot) issued(number uint64) (soccer.Time, bool) {
	for i := range r.nonces.Len() {
		if n := r.nonces.At(i); n.number == number {
			return n.at, true
		}
	}
	return 0, false
}

// next returns when what was due is due again. Periods that have passed are skipped.
func next(due, now soccer.Time, period time.Duration) soccer.Time {
	if due = due.Add(period); due > now {
		return due
	}
	return now.Add(period)
}

// errControl is the text of a request of an operator who does not hold the control.
var errControl = errors.New("take the control first")
