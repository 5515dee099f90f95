package match

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"touchline/internal/exact"
	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/transport/traffic"
	"touchline/wire/team"
)

const (
	patience   = 20 * time.Second       // of the session, for a figure
	storyReach = 0.5                    // m from a robot's centre to the ball that it controls
	hold       = 200 * time.Millisecond // for which robots agree at a figure: the debug records of all have been sent
	settle     = time.Second            // for which the referee holds the robots back at least: they learn where they are
	lost       = 2.0                    // m from where a robot is to where it believes to be, if its half is the wrong one
	slowly     = 0.25                   // of real time: the speed at which a figure plays
)

// Story plays a story in a session, a figure after the other. It places ball and robots, pushes the ball, makes trouble,
// and drives the robot that has booked the ball; what the robots believe is their own. It is not safe for concurrent use.
type Story struct {
	session *Session
	tale    *tale
	link    traffic.Link // as at the begin
	scene   int          // index into the tale's scenes
	target  int          // index of the scene up to which the story does not stop
	begun   soccer.Time
	started bool        // the scene's first action is done
	differs soccer.Time // when the robots last believed in another booker than the scene's
	waits   bool        // the figure is reached
	failed  string
	count   count        // of the scene
	stirred soccer.Time  // when the ball was last pushed
	world   soccer.World // scratch
}

// count is how long how many robots had booked the ball.
type count struct {
	last           soccer.Time
	all, two, none time.Duration
}

// tale is what a story tells: where everything stands at its begin, and its scenes.
type tale struct {
	name, heading string
	ball          soccer.Vec
	starts        []soccer.Vec        // of robots 1, 2, ...
	says          func(*Story) string // what a figure shows besides the booking; "" for nothing. Default nil: nothing
	scenes        []scene
}

// scene is what leads to a figure.
type scene struct {
	number         int
	title, caption string
	begin          func(*Story) error // default nil: nothing
	each           func(*Story) error // before each step. Default nil: nothing
	booker         uint8              // in which all robots believe for a while; 0: that does not matter
	reached        func(*Story) bool
	expected       string  // what the figure shows, for the error
	speed          float64 // of the session, 1 is real time. Default slowly
}

// Stories returns the names of the stories.
func Stories() (names []string) {
	for _, t := range tales() {
		names = append(names, t.name)
	}
	return names
}

// findTale returns the tale of a name, nil for an unknown one.
func findTale(name string) *tale {
	all := tales()
	if i := slices.IndexFunc(all, func(t tale) bool { return t.name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// StoryConfig returns the configuration of a session for a story: its robots on an empty field, whose ball nobody else
// kicks.
func StoryConfig(name string, cfg Config) (Config, error) {
	t := findTale(name)
	if t == nil {
		return cfg, fmt.Errorf("match: story %.40q: want one of %s", name, strings.Join(Stories(), ", "))
	}
	cfg.Robots, cfg.Obstacles = len(t.starts), 0
	cfg.Kick, cfg.Substitute = [2]time.Duration{}, [2]time.Duration{}
	return cfg, nil
}

// NewStory returns a story in a session with the StoryConfig of its name, and places the robots.
func NewStory(name string, session *Session) (*Story, error) {
	s := &Story{session: session, tale: findTale(name), link: session.Link()}
	if s.tale == nil || session.cfg.Robots != len(s.tale.starts) {
		return nil, fmt.Errorf("match: story %.40q needs a session with its StoryConfig", name)
	}
	return s, s.restart()
}

// restart places ball and robots as at the begin, ends all trouble, and lets the referee hold the robots back.
func (s *Story) restart() error {
	s.scene, s.started, s.waits, s.failed, s.begun = 0, false, false, "", s.session.Now()
	if err := s.restore(); err != nil {
		return fmt.Errorf("story: %w", err)
	}
	return s.holdBack(true)
}

func (s *Story) restore() error {
	if err := s.session.SetFault(Fault{What: Partition}, true); err != nil {
		return err
	}
	if err := s.impair(s.link); err != nil {
		return err
	}
	for n := range s.robots() {
		if err := s.session.Switch(n, true); err != nil {
			return err
		}
		if err := s.session.SetFault(Fault{What: Mirror, Robot: n}, false); err != nil {
			return err
		}
	}
	return s.place()
}

// place moves robots and ball to where they stand at the beginning. One may stand where another one belongs: then that moves
// first.
func (s *Story) place() error {
	field := s.session.cfg.Field
	corner := soccer.Vec{X: float64(field.Length/2) - 1, Y: float64(field.Width/2) - 1}
	if s.session.PlaceBall(corner) != nil { // out of the way
		_ = s.session.PlaceBall(corner.Turned())
	}
	var err error
	for range s.tale.starts {
		err = nil
		for i, at := range s.tale.starts {
			pose := soccer.Pose{X: at.X, Y: at.Y, Theta: s.tale.ball.Sub(at).Angle()}
			if blocked := s.session.MoveRobot(uint8(i+1), pose); blocked != nil {
				err = blocked
			}
		}
	}
	if err != nil {
		return err
	}
	return s.session.PlaceBall(s.tale.ball)
}

// holdBack lets the referee send all robots off, or lets them play.
func (s *Story) holdBack(on bool) error {
	for n := range s.robots() {
		if err := s.session.SetFault(Fault{What: Penalise, Robot: n}, on); err != nil {
			return fmt.Errorf("story: %w", err)
		}
	}
	return nil
}

// Step goes on with the story at the session's time. It reports true when a figure is reached, or when the story fails:
// then the session should pause until Next, unless Over. Call it at least each 100 ms of the session.
func (s *Story) Step() bool {
	now := s.session.Now()
	s.drive()
	s.count.add(now, s.bookers())
	if s.failed != "" || s.waits { // a user has resumed the session before Next, or the story is over
		return false
	}
	scene := &s.tale.scenes[s.scene]
	if err := s.play(scene, now); err != nil {
		s.failed = err.Error()
		return true
	}
	if !s.agree(scene.booker) {
		s.differs = now
	}
	s.waits = (scene.booker == 0 || now.Sub(s.differs) >= hold) && scene.reached(s)
	if !s.waits && now.Sub(s.begun) > patience {
		s.failed = fmt.Sprintf("Figure %d was not reached within %.0f s: %s was expected. %s", scene.number,
			patience.Seconds(), scene.expected, s.says())
	}
	if s.waits && s.scene < s.target {
		s.Next()
		return false
	}
	return s.waits || s.failed != ""
}

// play does what a scene does to the session.
func (s *Story) play(scene *scene, now soccer.Time) error {
	if !s.started {
		s.started, s.begun, s.differs, s.stirred, s.count = true, now, now, now, count{last: now}
		if scene.begin != nil {
			if err := scene.begin(s); err != nil {
				return err
			}
		}
	}
	if scene.each != nil {
		return scene.each(s)
	}
	return nil
}

// Over reports whether the story waits for nothing more: it has reached its last figure, or failed.
func (s *Story) Over() bool { return s.failed != "" || s.waits && s.scene == len(s.tale.scenes)-1 }

// Next goes on from a figure to the next one. It reports false before a figure is reached, and at the last one.
func (s *Story) Next() bool {
	if !s.waits || s.Over() {
		return false
	}
	s.scene, s.waits, s.started = s.scene+1, false, false
	return true
}

// Go plays up to the figure of a number without a stop: on from the present one, or from the begin.
func (s *Story) Go(number int) error {
	at := slices.IndexFunc(s.tale.scenes, func(c scene) bool { return c.number == number })
	if at < 0 {
		first, last := s.tale.scenes[0].number, s.tale.scenes[len(s.tale.scenes)-1].number
		return fmt.Errorf("match: the story has no figure %d: want %d to %d", number, first, last)
	}
	s.target = at
	if at > s.scene && s.failed == "" {
		s.Next()
		return nil
	}
	return s.restart()
}

// Speed returns the speed at which the session should play now: 1 is real time.
func (s *Story) Speed() float64 {
	scene := &s.tale.scenes[s.scene]
	switch {
	case s.Over() || s.scene < s.target || s.scene == 0:
		return 1
	case scene.speed > 0:
		return scene.speed
	}
	return slowly
}

// Show returns the story as the page shows it.
func (s *Story) Show() *watch.Story {
	t := s.tale
	scene := &t.scenes[s.scene]
	v := &watch.Story{
		Name: t.name, Heading: t.heading, Figure: scene.number, First: t.scenes[0].number, Titles: []string{},
		Last: t.scenes[len(t.scenes)-1].number, Title: scene.title, Caption: scene.caption, Reached: s.waits, Over: s.Over(),
		Failed: s.failed,
	}
	for i := range t.scenes {
		v.Titles = append(v.Titles, t.scenes[i].title)
	}
	if s.waits {
		v.Booking = s.says()
	}
	return v
}

// robots yields the numbers of the story's robots.
func (s *Story) robots() func(yield func(uint8) bool) {
	return func(yield func(uint8) bool) {
		for i := range s.tale.starts {
			if !yield(uint8(i + 1)) {
				return
			}
		}
	}
}

// booker returns the robot that a robot believes to have booked the ball, and the epoch; 0 for none. It reports false for
// one whose software does not run.
func (s *Story) booker(number uint8) (booker uint8, epoch uint32, runs bool) {
	if !s.session.World(number, &s.world) {
		return 0, 0, false
	}
	return s.world.Booking.Booker, s.world.Booking.Epoch, true
}

// bookers returns how many robots have booked the ball by their own belief.
func (s *Story) bookers() (n int) {
	for number := range s.robots() {
		if b, _, _ := s.booker(number); b == number {
			n++
		}
	}
	return n
}

// add counts the time since the last step.
func (c *count) add(now soccer.Time, bookers int) {
	d := now.Sub(c.last)
	c.last = now
	c.all += d
	switch {
	case bookers == 0:
		c.none += d
	case bookers > 1:
		c.two += d
	}
}

// agree reports whether all robots believe in a booker.
func (s *Story) agree(booker uint8) bool {
	for n := range s.robots() {
		if b, _, _ := s.booker(n); b != booker {
			return false
		}
	}
	return true
}

// says returns what a figure shows, in words.
func (s *Story) says() string {
	text := s.booking()
	if s.tale.says != nil {
		if more := s.tale.says(s); more != "" {
			text = more + " " + text
		}
	}
	return text
}

// booking returns which booker the robots believe in, in words. Robots whose software does not run believe nothing.
func (s *Story) booking() string {
	var all, off []string
	common, same := "", true
	for n := range s.robots() {
		b, epoch, runs := s.booker(n)
		belief := fmt.Sprintf("robot %d has booked the ball, in epoch %d", b, epoch)
		if b == 0 {
			belief = "no robot has booked the ball"
		}
		switch {
		case !runs:
			off = append(off, fmt.Sprintf("Robot %d is off. ", n))
			continue
		case len(all) == 0:
			common = belief
		}
		same = same && belief == common
		all = append(all, fmt.Sprintf("robot %d believes that %s", n, belief))
	}
	text := strings.Join(off, "")
	switch {
	case len(all) == 0:
		return text + "No robot runs."
	case !same:
		return text + "The robots do not agree: " + strings.Join(all, "; ") + "."
	case strings.HasPrefix(common, "no "):
		return text + "No robot has booked the ball."
	case len(off) > 0:
		return text + "All others believe that " + common + "."
	}
	return "All robots believe that " + common + "."
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

// drive drives each robot that has booked the ball by its own belief to the ball, at most at 1 m/s. A robot that takes
// one half of the field for the other drives to the ball in its half. One that gets no command stops.
func (s *Story) drive() {
	const speed, gain, least = 1.0, 2.0, 0.3
	for n := range s.robots() {
		if b, _, _ := s.booker(n); b != n || s.waits && !s.Over() {
			continue
		}
		pose, ball := s.pose(n), s.ball()
		if self := s.world.Self.Pose.XY(); self.Sub(pose.XY()).Len() > lost {
			ball = ball.Scale(-1)
		}
		to := ball.Sub(pose.XY())
		d := to.Len()
		if d < 0.9*storyReach {
			continue
		}
		turn := soccer.WrapAngle(to.Angle() - pose.Theta)
		v := min(speed, max(gain*(d-0.8*storyReach), least))
		sin, cos := exact.Sincos(turn)
		s.session.Drive(n, &team.Motor{VX: float32(v * cos), VY: float32(v * sin), VHeading: float32(gain * turn)})
	}
}

// impair changes the links between the robots.
func (s *Story) impair(link traffic.Link) error {
	if link == s.session.Link() {
		return nil
	}
	return s.session.SetLink(link)
}
