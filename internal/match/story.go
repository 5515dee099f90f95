package match

import (
	"fmt"
	"strings"
	"time"

	"touchline/internal/exact"
	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/wire/team"
)

// StoryConfig returns the configuration of a session for the story: three robots on an empty field, whose ball nobody else
// kicks.
func StoryConfig(cfg Config) Config {
	cfg.Robots, cfg.Obstacles = robots, 0
	cfg.Kick, cfg.Substitute = [2]time.Duration{}, [2]time.Duration{}
	return cfg
}

const (
	robots     = 3
	patience   = 20 * time.Second       // of the session, for a figure
	storyReach = 0.5                    // m from a robot's centre to the ball that it controls
	near       = 1.3                    // m from the ball, where the booker is when the ball is pushed
	pushed     = 0.4                    // m that the ball has rolled in figure 8
	hold       = 200 * time.Millisecond // for which robots agree at a figure: the debug records of all have been sent
	settle     = 2 * time.Second        // for which the referee holds the robots back: they learn where they are
)

// Where everything stands: robots 1 and 3 see the ball in the middle, robot 2 is too far away.
var (
	middle = soccer.Vec{}
	starts = [robots + 1]soccer.Vec{{}, {X: -2.8, Y: 0.8}, {X: -8.5, Y: -5}, {X: 3.2, Y: -2.4}}
	push   = soccer.Vec3{X: 1.6, Y: -1.2} // m/s, towards robot 3
)

// Story plays the experiment of the TeamChaos paper (section 5, figures 6 to 10) in a session: robot 1 books the ball and
// goes to it, the ball is pushed away, and robot 3 takes over. The robots book the ball by themselves. The story places
// ball and robots, pushes the ball, and drives the robot that has booked it. It is not safe for concurrent use.
type Story struct {
	session *Session
	scene   int // index into scenes
	begun   soccer.Time
	started bool        // the scene's first action is done
	differs soccer.Time // when the robots last believed in another booker than the scene's
	waits   bool        // the figure is reached
	failed  string
	world   soccer.World // scratch
}

// scene is what leads to a figure of the paper.
type scene struct {
	number         int
	title, caption string
	begin          func(*Story) error
	booker         uint8 // in which all robots believe for a while; 0: that does not matter
	reached        func(*Story) bool
	expected       string // what the figure shows, for the error
}

var scenes = []scene{
	{
		number: 6, title: "Two robots see the ball",
		caption: "Robots 1 and 3 see the ball; robot 2 is too far away to see it itself. The referee has just let them play. One " +
			"of them must go to the ball, and only one: now they begin to book it.",
		begin:    func(s *Story) error { return s.holdBack(false) },
		reached:  func(s *Story) bool { return s.agree(0) },
		expected: "no robot has booked the ball",
	},
	{
		number: 7, title: "Robot 1 books the ball and goes to it",
		caption: "Robot 1 is nearest, so it was first to claim the ball. Robots 2 and 3 received the claim and stand still. " +
			"The story drives robot 1; all robots decide on the booking by themselves.",
		booker:   1,
		reached:  func(s *Story) bool { return s.distance(1) < near },
		expected: "all robots agree on robot 1, and it is near the ball",
	},
	{
		number: 8, title: "Someone pushes the ball away",
		caption: "An external hand has pushed the ball from robot 1 towards robot 3. Robot 1 has the ball booked until its " +
			"teammates know better.",
		begin:    func(s *Story) error { return s.session.Kick(push) },
		reached:  func(s *Story) bool { return s.ball().Sub(middle).Len() > pushed },
		expected: "the ball rolls",
	},
	{
		number: 9, title: "Robot 3 takes over",
		caption: "The ball is lost for robot 1: robots 2 and 3 know that it is farther from it now than robot 3. Robot 3 claimed " +
			"the ball with the next epoch, and robot 1 gave it up at once. In the paper robot 1 loses sight of the ball; here " +
			"teammates tell it where the ball is.",
		booker:   3,
		reached:  func(s *Story) bool { return true },
		expected: "all robots agree on robot 3",
	},
	{
		number: 10, title: "Robot 3 controls the ball",
		caption: "Robot 3 has reached the ball and still has it booked. The others stay away. Now try it yourself: drag the " +
			"ball, or crash the booker.",
		booker:   3,
		reached:  func(s *Story) bool { return s.distance(3) < storyReach },
		expected: "robot 3 is at the ball",
	},
}

// NewStory returns the story in a session with the Config of this package, and places the robots.
func NewStory(session *Session) (*Story, error) {
	s := &Story{session: session, begun: session.Now()}
	if err := session.PlaceBall(middle); err != nil {
		return nil, fmt.Errorf("story: %w", err)
	}
	for n := uint8(1); n <= robots; n++ {
		at := starts[n]
		facing := middle.Sub(at).Angle()
		if err := session.MoveRobot(n, soccer.Pose{X: at.X, Y: at.Y, Theta: facing}); err != nil {
			return nil, fmt.Errorf("story: %w", err)
		}
	}
	return s, s.holdBack(true)
}

// holdBack lets the referee send all robots off, or lets them play.
func (s *Story) holdBack(on bool) error {
	for n := uint8(1); n <= robots; n++ {
		if err := s.session.SetFault(Fault{What: Penalise, Robot: n}, on); err != nil {
			return fmt.Errorf("story: %w", err)
		}
	}
	return nil
}

// Step goes on with the story at the session's time. It reports true when a figure is reached: then the session should
// pause until Next. Call it at least each 100 ms of the session.
func (s *Story) Step() bool {
	now := s.session.Now()
	switch {
	case s.failed != "" || s.waits && s.scene == len(scenes)-1:
		return false
	case s.scene == 0 && now.Sub(s.begun) < settle:
		return false
	}
	s.drive()
	if s.waits {
		return false // a user has resumed the session before Next
	}
	scene := &scenes[s.scene]
	if !s.started {
		s.started, s.begun, s.differs = true, now, now
		if scene.begin != nil {
			if err := scene.begin(s); err != nil {
				s.failed = err.Error()
				return true
			}
		}
	}
	if !s.agree(scene.booker) {
		s.differs = now
	}
	s.waits = (scene.booker == 0 || now.Sub(s.differs) >= hold) && scene.reached(s)
	if !s.waits && now.Sub(s.begun) > patience {
		s.failed = fmt.Sprintf("Figure %d was not reached within %.0f s: %s was expected. %s", scene.number,
			patience.Seconds(), scene.expected, s.booking())
	}
	return s.waits || s.failed != ""
}

// Next goes on from a figure to the next one. It reports false before a figure is reached, and at the last one.
func (s *Story) Next() bool {
	if !s.waits || s.failed != "" || s.scene == len(scenes)-1 {
		return false
	}
	s.scene, s.waits, s.started = s.scene+1, false, false
	return true
}

// Show returns the story as the page shows it.
func (s *Story) Show() *watch.Story {
	scene := &scenes[s.scene]
	v := &watch.Story{
		Figure: scene.number, First: scenes[0].number, Last: scenes[len(scenes)-1].number, Title: scene.title,
		Caption: scene.caption, Reached: s.waits, Failed: s.failed,
	}
	if s.waits {
		v.Booking = s.booking()
	}
	return v
}

// booker returns the robot that a robot believes to have booked the ball, and the epoch; 0 for none.
func (s *Story) booker(number uint8) (uint8, uint32) {
	if !s.session.World(number, &s.world) {
		return 0, 0
	}
	return s.world.Booking.Booker, s.world.Booking.Epoch
}

// agree reports whether all robots believe in a booker.
func (s *Story) agree(booker uint8) bool {
	for n := uint8(1); n <= robots; n++ {
		if b, _ := s.booker(n); b != booker {
			return false
		}
	}
	return true
}

// booking returns what the robots believe, in words.
func (s *Story) booking() string {
	first, epoch := s.booker(1)
	switch {
	case s.agree(0):
		return "No robot has booked the ball."
	case s.agree(first):
		return fmt.Sprintf("All robots believe that robot %d has booked the ball, in epoch %d.", first, epoch)
	}
	var all []string
	for n := uint8(1); n <= robots; n++ {
		b, epoch := s.booker(n)
		if b == 0 {
			all = append(all, fmt.Sprintf("robot %d believes in no booker", n))
			continue
		}
		all = append(all, fmt.Sprintf("robot %d believes in robot %d, epoch %d", n, b, epoch))
	}
	return "The robots do not agree: " + strings.Join(all, "; ") + "."
}

func (s *Story) ball() soccer.Vec {
	ball := s.session.Truth().Ball
	return soccer.Vec{X: ball.X, Y: ball.Y}
}

// pose returns where a robot really is.
func (s *Story) pose(number uint8) soccer.Pose {
	for _, r := range s.session.Truth().Robots {
		if r.Number == number {
			return r.Pose
		}
	}
	return soccer.Pose{}
}

// distance returns the distance from a robot to the ball.
func (s *Story) distance(number uint8) float64 { return s.ball().Sub(s.pose(number).XY()).Len() }

// drive drives the robot that has booked the ball by its own belief to the ball, at most at 1 m/s. A robot that gets no
// command stops.
func (s *Story) drive() {
	const speed, gain, slowly = 1.0, 2.0, 0.3
	for n := uint8(1); n <= robots; n++ {
		pose := s.pose(n)
		to := s.ball().Sub(pose.XY())
		d := to.Len()
		if b, _ := s.booker(n); b != n || d < 0.9*storyReach || s.waits {
			continue
		}
		turn := soccer.WrapAngle(to.Angle() - pose.Theta)
		v := min(speed, max(gain*(d-0.8*storyReach), slowly))
		sin, cos := exact.Sincos(turn)
		s.session.Drive(n, &team.Motor{VX: float32(v * cos), VY: float32(v * sin), VHeading: float32(gain * turn)})
	}
}
