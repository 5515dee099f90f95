// Package robotnet runs the software of one robot (package robot) in a process of its own, beside a field that simulates
// its body (docs/teamcom.md, "Drive a robot"). The robot asks the field for the team's directory, gets its senses and
// sends its motor commands over the TCM. It exchanges mixed team packages with all robots, and measurements and beliefs
// with its teammates.
package robotnet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/internal/camera"
	"touchline/internal/manager"
	"touchline/internal/manager/managernet"
	"touchline/internal/robot"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/transport"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// Config describes a robot in a process of its own.
type Config struct {
	Robot  robot.Config   // Default robot.DefaultConfig
	Name   string         // of its node, for the page. Default ""
	Team   uint8          // number of its team in the TCM. Default 1
	Field  netip.AddrPort // address and base port of the field
	Entity tcm.Entity     // of the field. Default computer:200
	Secret []byte         // key with which the team and the field sign. Default nil: they do not
	// Network carries the mixed team packages. Without a Group the robot neither sends nor receives any. Default the mixed
	// teams' group on the loopback interface
	Network transport.Config
	// Camera is the robot's. Default camera.Perspective
	Camera camera.Camera
	// PictureFolder plays in its place, for the robot's managers. Default nil: it draws what the field says that it sees
	PictureFolder *managernet.PictureFolder
	// Tap receives each datagram of the TCM that arrives at the robot. It keeps nothing of it, and is called from several
	// goroutines. Default nil
	Tap func(*soccer.Packet)
	// OnReport is called with the report of the robot's node, twice a second and when a link goes up or down. Default nil
	OnReport func(teamcom.Report)
}

// period is the control period.
const period = 20 * time.Millisecond

// ErrCrash is the cause with which a robot's context ends for a crash: Run returns without a word to the teammates.
var ErrCrash = errors.New("robot: crash")

// Robot is a robot in a process of its own.
type Robot struct {
	cfg       Config
	log       *slog.Logger
	rhythm    *rhythm
	endpoint  *teamcomnet.Endpoint
	inbox     *transport.Inbox
	receiver  *transport.Receiver // nil without packages
	sender    *transport.Sender   // nil without packages
	reception reception
	directory *teamcom.Directory
	agent     *Agent      // of the managers
	answered  atomic.Bool // the field did

	mu      sync.Mutex // of what follows; handlers run on goroutines of the endpoint
	core    *robot.Robot
	link    *robot.Link
	motor   team.Motor
	buf     []byte
	sense   soccer.Sense // scratch
	failing bool         // sending packages fails
}

// New returns a robot. It opens no socket.
func New(cfg Config, log *slog.Logger) (*Robot, error) {
	if !cfg.Field.IsValid() {
		return nil, errors.New("robot: no address of the field: give the one that touchline demo prints")
	}
	r := &Robot{cfg: cfg, log: log, inbox: transport.NewInbox(), rhythm: newRhythm(period)}
	r.reception.seed, r.reception.robot = cfg.Robot.Seed, cfg.Robot.Number
	return r, nil
}

// Timing returns how well the robot's loop keeps its control period.
func (r *Robot) Timing() Timing { return r.rhythm.timing() }

// Answered reports whether the field has answered. Run returns no error if it never did.
func (r *Robot) Answered() bool { return r.answered.Load() }

// Run runs the robot until ctx ends: it waits for the answer of the field, then it opens its sockets.
func (r *Robot) Run(ctx context.Context) error {
	text, err := r.askDirectory(ctx)
	r.answered.Store(text != "")
	if err != nil || ctx.Err() != nil {
		return err
	}
	defer r.close()
	if err := r.open(text); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	node, end := context.WithCancel(context.WithoutCancel(ctx)) // it sends the robot's last message, too
	group.Go(func() error { return r.endpoint.Run(node) })
	if r.receiver != nil {
		guard := traffic.NewGuard(traffic.GuardRate, traffic.GuardBurst)
		group.Go(func() error { return r.inbox.Receive(ctx, r.cfg.Robot.Number, r.receiver, guard) })
	}
	group.Go(func() error {
		managernet.Manage(ctx, r.endpoint, r.agent.Robot)
		return nil
	})
	group.Go(func() error { r.film(ctx); return nil })
	group.Go(func() error { r.watchLinks(ctx); return nil })
	group.Go(func() error {
		defer end()
		return r.loop(ctx)
	})
	return group.Wait()
}

// open opens the robot's sockets at its addresses in TCM.ini.
func (r *Robot) open(text string) error {
	d, err := teamcom.Parse([]byte(text))
	if err != nil {
		return fmt.Errorf("robot: the field's TCM.ini: %w", err)
	}
	if _, ok := d.Entry(r.self()); !ok {
		return fmt.Errorf("robot: the field's TCM.ini does not list %v", r.self())
	}
	d.KeyFile = "" // a file of the field's machine
	r.directory = d
	cfg := teamcomnet.DefaultConfig(r.self())
	cfg.Node.Directory, cfg.Node.Name, cfg.Node.Secret = d, r.cfg.Name, r.cfg.Secret
	if at, err := transport.AddressTo(r.cfg.Field); err == nil { // where TCM.ini gives it none
		cfg.Address = netip.AddrPortFrom(at, 0)
	}
	if r.endpoint, err = OpenNode(cfg, r.log); errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("robot: another program may run %v already: %w", r.self(), err)
	} else if err != nil {
		return err
	}
	r.endpoint.Impair, r.endpoint.Record = r.teamDelays, RecordArrivals(r.endpoint, r.cfg.Tap)
	if r.core, err = robot.New(r.cfg.Robot, r.endpoint.Now()); err != nil {
		return err
	}
	r.agent, err = NewAgent(managernet.Seed(), r.cfg.Camera, r.cfg.Robot.World.Field)
	if err != nil {
		return err
	}
	if err := r.openPackages(); err != nil {
		return err
	}
	teamcom.Handle(r.endpoint.Module(tcm.Cmd), r.onSense)
	r.link = robot.NewLink(r.core, r.endpoint.Node, robot.LinkConfig{
		Lock: &r.mu, Referee: func(_ soccer.Time, m *team.Referee) { r.agent.ReceiveReferee(m) },
	})
	return nil
}

// openPackages opens the sockets of the mixed team packages, if there are any.
func (r *Robot) openPackages() (err error) {
	if !r.cfg.Network.Group.IsValid() {
		return nil
	}
	if r.receiver, err = transport.Listen(r.cfg.Network); err != nil {
		return err
	}
	r.sender, err = transport.Dial(r.cfg.Network)
	return err
}

// close closes what open opened.
func (r *Robot) close() {
	if r.endpoint != nil {
		r.endpoint.Close()
	}
	if r.receiver != nil {
		r.receiver.Close()
	}
	if r.sender != nil {
		r.sender.Close()
	}
}

func (r *Robot) self() tcm.Entity { return tcm.Entity{Kind: tcm.Robot, ID: r.cfg.Robot.Number} }

// onSense fuses what the robot senses, and sends its package and its measurements.
func (r *Robot) onSense(from teamcom.From, m *team.Sense) {
	if from.Entity != r.cfg.Entity {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.core.SenseMessage(from.Captured, m); err != nil {
		r.log.Warn("the field sent a Sense that the robot ignores", "err", err)
		return
	}
	now := r.endpoint.Now()
	if m.HasOdometry { // checks need it
		m.Percepts.Sense(from.Captured, &r.sense)
		r.agent.Observe(now, &manager.Body{Now: now, Sense: &r.sense, Odometry: soccer.Pose{
			X: float64(m.TravelX), Y: float64(m.TravelY), Theta: float64(m.TravelHeading),
		}})
	}
	r.sendPackage()
	r.send(now)
}

// sendPackage sends the package of the newest picture. It requires r.mu.
func (r *Robot) sendPackage() {
	if r.sender == nil {
		return
	}
	b, err := r.core.AppendPacket(r.buf[:0])
	r.buf = b
	if err == nil {
		err = r.sender.Send(b)
	}
	if err != nil && !r.failing {
		r.log.Warn("the robot cannot send a package; later failures are not logged", "err", err)
	}
	r.failing = err != nil
}

// loop receives packages, and sends what is due in each control period and between, until ctx ends.
func (r *Robot) loop(ctx context.Context) error {
	messages, control := time.NewTimer(0), time.NewTimer(period)
	defer messages.Stop()
	defer control.Stop()
	due := time.Now().Add(period)
	for {
		select {
		case <-ctx.Done():
			if !errors.Is(context.Cause(ctx), ErrCrash) {
				r.leave()
			}
			return nil
		case a := <-r.inbox.C:
			r.receive(a)
			r.inbox.Release(a)
		case <-messages.C:
			messages.Reset(r.sendMessages())
		case <-control.C:
			now := time.Now()
			r.rhythm.mark(now)
			r.sendMotor()
			due = due.Add(period)
			if missed := now.Sub(due); missed > 0 {
				due = due.Add(missed.Truncate(period) + period)
			}
			control.Reset(due.Sub(now))
		}
	}
}

// sendMessages sends the messages for the team that are due, and returns the time until the next ones are.
func (r *Robot) sendMessages() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.endpoint.Now()
	r.send(now)
	return max(r.core.MessagesDue().Sub(now), time.Millisecond)
}

// send sends the messages for the team that are due. It requires r.mu.
func (r *Robot) send(now soccer.Time) {
	r.core.Messages(now, r.link.Send)
}

// leave releases the ball if the robot has it booked. Some copies of the release may be lost.
func (r *Robot) leave() {
	const copies, gap = 3, 20 * time.Millisecond
	r.mu.Lock()
	defer r.mu.Unlock()
	r.core.Leave(r.endpoint.Now(), func(m *robot.Message) {
		for range copies {
			r.link.Send(m)
			time.Sleep(gap) // and the node's time to send it
		}
	})
}

// sendMotor executes what operators want, and sends the robot's motor command, or that of an operator who drives it, also
// while it stands: it shows the field that the robot runs.
func (r *Robot) sendMotor() {
	now := r.endpoint.Now()
	r.mu.Lock()
	r.agent.Step(now, r.core)
	command := r.core.Motor(now)
	r.mu.Unlock()
	if driven, ok := r.agent.Motor(now); ok {
		command = driven
	}
	r.motor.SetCommand(&command)
	r.motor.Sequence++
	_ = r.endpoint.Module(tcm.Cmd).Client().Send(now, r.cfg.Entity, &r.motor) // the node counts what it drops
}
