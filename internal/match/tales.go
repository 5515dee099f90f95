package match

import (
	"fmt"
	"strings"
	"time"

	"touchline/soccer"
	"touchline/transport/traffic"
)

const (
	near    = 1.3                     // m from the ball, where the booker is when the ball is pushed
	nearer  = 1.6                     // m from the ball, where a robot has visibly gone to it
	pushed  = 0.4                     // m that the ball has rolled after a push
	ignored = 0.5                     // m by which the ball of a mate is wrong at most that ignores the liar
	spell   = 6 * time.Second         // for which the bookings of a bad network are counted
	stir    = 1300 * time.Millisecond // between two pushes meanwhile
	liar    = 4                       // robot
)

// tales returns the stories.
func tales() []tale { return []tale{paper(), lie(), network()} }

// paper is the experiment of the TeamChaos paper (section 5, figures 6 to 10): robot 1 books the ball and goes to it, the
// ball is pushed away, and robot 3 takes over.
func paper() tale {
	push := soccer.Vec3{X: 1.6, Y: -1.2} // m/s, towards robot 3
	return tale{
		name: "booking", heading: "TeamChaos paper, section 5",
		starts: []soccer.Vec{{X: -2.8, Y: 0.8}, {X: -8.5, Y: -5}, {X: 3.2, Y: -2.4}}, // robot 2 is too far away to see the ball
		scenes: []scene{
			{
				number: 6, title: "Two robots see the ball",
				caption: "Robots 1 and 3 see the ball. Robot 2 is too far away, and hears from them where it is. The referee " +
					"still holds all three back; then it lets them play. One of them must go to the ball, and only one.",
				reached:  (*Story).heard,
				expected: "all robots know the ball, and none has booked it",
			},
			{
				number: 7, title: "Robot 1 books the ball and goes to it",
				caption: "Robot 1 is nearest, so it was first to claim the ball. Robots 2 and 3 received the claim and stand " +
					"still. The story drives robot 1; all robots decide on the booking by themselves.",
				begin:    func(s *Story) error { return s.holdBack(false) },
				booker:   1,
				reached:  func(s *Story) bool { return s.distance(1) < near },
				expected: "all robots agree on robot 1, and it is near the ball",
			},
			{
				number: 8, title: "Someone pushes the ball away",
				caption: "An external hand has pushed the ball from robot 1 towards robot 3. Robot 1 has the ball booked until " +
					"its teammates know better.",
				begin:    func(s *Story) error { return s.session.Kick(push) },
				reached:  func(s *Story) bool { return s.ball().Len() > pushed },
				expected: "the ball rolls",
			},
			{
				number: 9, title: "Robot 3 takes over",
				caption: "The ball is lost for robot 1: robots 2 and 3 know that it is farther from it now than robot 3. Robot 3 " +
					"claimed the ball with the next epoch, and robot 1 gave it up at once. In the paper robot 1 loses sight of " +
					"the ball; here teammates tell it where the ball is.",
				booker:   3,
				reached:  always,
				expected: "all robots agree on robot 3",
			},
			{
				number: 10, title: "Robot 3 controls the ball",
				caption: "Robot 3 has reached the ball and still has it booked. The others stay away. The session runs on: " +
					"the robot that has booked the ball drives to it. Try it: drag the ball, or crash the booker.",
				booker:   3,
				reached:  func(s *Story) bool { return s.distance(3) < storyReach },
				expected: "robot 3 is at the ball",
			},
		},
	}
}

// lie is about a robot that takes one half of the field for the other, and believes it.
func lie() tale {
	return tale{
		name: "liar", heading: "A robot lies, and its mates notice", ball: soccer.Vec{X: 1, Y: 1}, says: (*Story).naming,
		starts: []soccer.Vec{{X: -4, Y: 2}, {X: -2, Y: -3}, {X: 3.6, Y: -1}, {X: 3, Y: 2}, {X: -6}},
		scenes: []scene{
			{
				number: 1, title: "All robots tell the truth",
				caption: "Five robots tell each other where they are and where they see the ball. Robot 4 is nearest. Then it " +
					"mistakes one half of the field for the other.",
				reached:  (*Story).heard,
				expected: "all robots know the ball, and none has booked it",
			},
			{
				number: 2, title: "Robot 4 books the ball and goes to it",
				caption: "Nobody doubts robot 4: what it says agrees with what its mates see.",
				begin:   func(s *Story) error { return s.holdBack(false) },
				booker:  liar, reached: func(s *Story) bool { return s.distance(liar) < nearer },
				expected: "all robots agree on robot 4, and it comes nearer",
			},
			{
				number: 3, title: "Robot 4 lies, and its mates name it",
				caption: "Both halves of a field look alike, and robot 4 has taken one for the other. It reports itself and the " +
					"ball on the wrong side, and believes that itself. Each mate has found alone that robot 4 contradicts all " +
					"others: no robot is in the other half a tenth of a second later. No camera above the field told them.",
				begin:    func(s *Story) error { return s.session.SetFault(Fault{What: Mirror, Robot: liar}, true) },
				reached:  func(s *Story) bool { return len(s.namers()) == len(s.tale.starts)-1 },
				expected: "all mates say that robot 4 disagrees",
			},
			{
				number: 4, title: "Its mates ignore it",
				caption: "The mates leave out what robot 4 says of the ball, and still know where the ball is. Robot 4 believes " +
					"that it is far from the ball, so robot 3 has claimed it.",
				booker: 3, reached: func(s *Story) bool { return s.ignores() && s.distance(3) < nearer }, speed: 0.5,
				expected: "the mates know the ball without robot 4, and robot 3 has booked it and comes nearer",
			},
			{
				number: 5, title: "Robot 4 is believed again",
				caption: "Robot 4 has found its half. Its mates name it no more, but still doubt it a little. The session runs " +
					"on: make a robot lie with the buttons of “Make trouble”, and watch who names it.",
				begin:   func(s *Story) error { return s.session.SetFault(Fault{What: Mirror, Robot: liar}, false) },
				reached: func(s *Story) bool { return len(s.namers()) == 0 }, speed: 0.5,
				expected: "no mate says that robot 4 disagrees",
			},
		},
	}
}

// network is about a bad network.
func network() tale {
	bad := func(loss float64, delay time.Duration) func(*Story) error {
		return func(s *Story) error { return s.impair(traffic.Link{Loss: loss, Delay: delay}) }
	}
	counted := func(s *Story) bool { return s.count.all >= spell }
	return tale{
		name: "network", heading: "Who goes to the ball on a bad network?", says: (*Story).counts,
		starts: []soccer.Vec{{X: -2.8, Y: 0.8}, {X: -1, Y: -3.5}, {X: 3.2, Y: -2.4}},
		scenes: []scene{
			{
				number: 1, title: "All robots hear each other",
				caption: "Three robots know the ball. Each hears the others within a few milliseconds. The referee holds them " +
					"back; then it lets them play.",
				reached:  (*Story).heard,
				expected: "all robots know the ball, and none has booked it",
			},
			{
				number: 2, title: "A good network: one robot goes",
				caption: "The ball is pushed from robot to robot. The nearest one takes it over from the one before, and at " +
					"any time one robot goes to the ball.",
				begin: func(s *Story) error { return s.holdBack(false) },
				each:  (*Story).stir, reached: counted, speed: 1,
				expected: "the booking was counted for a while",
			},
			{
				number: 3, title: "Every third message is lost",
				caption: "A booker renews its claim 20 times a second, and a lease lasts 300 ms. So it survives a few lost " +
					"messages, and still one robot goes.",
				begin: bad(0.33, 0), each: (*Story).stir, reached: counted, speed: 1,
				expected: "the booking was counted for a while",
			},
			{
				number: 4, title: "Packets are 100 ms late, too",
				caption: "Robots now act on what was true a tenth of a second ago. When the ball changes hands, two may go to " +
					"it for that long, or none.",
				begin: bad(0.33, 100*time.Millisecond), each: (*Story).stir, reached: counted, speed: 1,
				expected: "the booking was counted for a while",
			},
			{
				number: 5, title: "Robot 3 is cut off",
				caption: "Nothing passes between robot 3 and the others. No protocol can help here: each side books the ball " +
					"for itself, and two robots go.",
				begin: (*Story).cut,
				reached: func(s *Story) bool {
					other, _, _ := s.booker(1)
					own, _, _ := s.booker(3)
					return own == 3 && other != 0 && other != 3
				},
				expected: "robot 3 has booked the ball, and so has one of the others",
			},
			{
				number: 6, title: "All hear each other again",
				caption: "With the first message that gets through, one of the two gives the ball up. The session runs on: " +
					"move the sliders for loss and delay, cut a robot off, drag the ball.",
				begin: func(s *Story) error { return s.session.SetFault(Fault{What: Partition}, true) },
				reached: func(s *Story) bool {
					b, _, _ := s.booker(1)
					return b != 0 && s.agree(b)
				},
				expected: "all robots agree on a booker",
			},
		},
	}
}

func always(*Story) bool { return true }

// heard reports whether the robots were held back for long enough, all know the ball and each other, and none has booked it.
func (s *Story) heard() bool {
	now := s.session.Now()
	if now.Sub(s.begun) < settle || !s.agree(0) {
		return false
	}
	for n := range s.robots() {
		if !s.session.World(n, &s.world) || !s.world.Ball.Known || now.Sub(s.world.Ball.LastSeen) > hold {
			return false
		}
		if len(s.world.Peers) < len(s.tale.starts)-1 {
			return false
		}
	}
	return true
}

// namers returns the mates by whose world model the liar contradicts the others.
func (s *Story) namers() (all []uint8) {
	for n := range s.robots() {
		if n == liar || !s.session.World(n, &s.world) {
			continue
		}
		for i := range s.world.Peers {
			if p := &s.world.Peers[i]; p.Sender.Robot == liar && p.Disagrees.Since != 0 {
				all = append(all, n)
			}
		}
	}
	return all
}

// naming returns who names the liar, in words.
func (s *Story) naming() string {
	all := s.namers()
	switch len(all) {
	case 0:
		return "No robot names another."
	case 1:
		return fmt.Sprintf("Robot %d names robot %d.", all[0], liar)
	}
	last := len(all) - 1
	names := strings.Trim(strings.ReplaceAll(fmt.Sprint(all[:last]), " ", ", "), "[]")
	return fmt.Sprintf("Robots %s and %d name robot %d.", names, all[last], liar)
}

// ignores reports whether the mates of the liar know the ball without it.
func (s *Story) ignores() bool {
	ball := s.ball()
	for n := range s.robots() {
		if n == liar {
			continue
		}
		if !s.session.World(n, &s.world) || s.world.Ball.SeenBy.Has(liar) || s.world.Ball.Position.XY().Sub(ball).Len() > ignored {
			return false
		}
	}
	return true
}

// stir pushes the ball now and then to the robot that is farthest from it.
func (s *Story) stir() error {
	now := s.session.Now()
	if now.Sub(s.stirred) < stir {
		return nil
	}
	s.stirred = now
	ball, to, farthest := s.ball(), soccer.Vec{}, 0.0
	for n := range s.robots() {
		if d := s.distance(n); d > farthest {
			farthest, to = d, s.pose(n).XY().Sub(ball)
		}
	}
	const speed = 2.4 // m/s
	push := to.Unit().Scale(speed)
	return s.session.Kick(soccer.Vec3{X: push.X, Y: push.Y})
}

// cut heals loss and delay, and cuts robot 3 off from the others.
func (s *Story) cut() error {
	if err := s.impair(s.link); err != nil {
		return err
	}
	return s.session.SetFault(Fault{What: Partition, Robots: soccer.RobotSet(0).With(3)}, true)
}

// counts returns how long two robots had booked the ball in this figure, and how long none.
func (s *Story) counts() string {
	if s.count.all < time.Second {
		return ""
	}
	share := func(d time.Duration) float64 { return 100 * d.Seconds() / s.count.all.Seconds() }
	return fmt.Sprintf("In %.0f s two robots had booked the ball for %.1f %%, none for %.1f %%.", s.count.all.Seconds(),
		share(s.count.two), share(s.count.none))
}
