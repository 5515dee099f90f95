package world_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"math"
	"net/netip"
	"time"

	"touchline/internal/capture"
	"touchline/internal/match"
	"touchline/soccer"
	"touchline/wire/mixedteam"
	"touchline/world"
)

// A robot sees the ball in three pictures: two confirm it.
func Example() {
	model := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch
	for range 3 {
		model.Observe(&soccer.Percepts{
			Time:  now,
			Self:  soccer.Localisation{Known: true, HasHeading: true, Confidence: 0.9},
			Balls: []soccer.Observation{{Position: soccer.Vec3{X: 2, Y: 1}, Confidence: 0.8}},
		})
		now = now.Add(40 * time.Millisecond)
	}
	var w soccer.World
	model.World(now, &w)
	fmt.Printf("ball known: %t, at (%.1f, %.1f) m\n", w.Ball.Known, w.Ball.Position.X, w.Ball.Position.Y)
	// Output:
	// ball known: true, at (2.0, 1.0) m
}

// Robot 1 sees nothing itself. It decodes the packages v2 of two teammates, and believes the ball and the obstacle that
// they report.
func ExampleModel_Receive() {
	model := world.New(world.DefaultConfig(1, soccer.Cyan))
	var header mixedteam.Header // reused, like percepts and w: nothing is allocated
	var percepts soccer.Percepts
	now := soccer.Epoch
	for range 10 {
		for robot := uint8(2); robot <= 3; robot++ {
			datagram, from := sendPackage(robot, now)
			arrival := now.Add(70 * time.Millisecond) // in a program: when the socket received it
			if _, err := mixedteam.Decode(datagram, &header, &percepts); err != nil {
				continue // other traffic on the channel
			}
			model.Receive(&world.Message{
				From:     soccer.Sender{Addr: from, Color: header.Color, Robot: header.Robot},
				Arrival:  arrival,
				HasStamp: header.HasTimestamp, Stamp: header.TimestampMillis,
				Percepts: &percepts,
			})
		}
		now = now.Add(40 * time.Millisecond)
	}

	var w soccer.World
	model.World(now, &w)
	ball := &w.Ball
	fmt.Printf("ball at (%.1f, %.1f) m, expected error %.1f m\n", ball.Position.X, ball.Position.Y,
		expectedError(ball.Cov))
	fmt.Println("seen by robot 2:", ball.SeenBy.Has(2), "by robot 3:", ball.SeenBy.Has(3))
	for _, o := range w.Obstacles {
		at := o.Position
		fmt.Printf("obstacle %d at (%.1f, %.1f) m, expected error %.1f m\n", o.ID, at.X, at.Y, expectedError(o.Cov))
	}
	for _, p := range w.Peers {
		fmt.Printf("robot %d at (%.1f, %.1f) m\n", p.Sender.Robot, p.Self.Pose.X, p.Self.Pose.Y)
	}
	fmt.Println("all fused:", model.Counts() == world.Counts{})
	// Output:
	// ball at (2.0, 1.0) m, expected error 0.1 m
	// seen by robot 2: true by robot 3: true
	// obstacle 1 at (3.0, 2.0) m, expected error 0.1 m
	// robot 2 at (-1.0, 0.0) m
	// robot 3 at (-1.0, 3.0) m
	// all fused: true
}

// expectedError returns the root mean square distance between a believed and the true position.
func expectedError(c soccer.Cov) float64 { return math.Sqrt(c.XX + c.YY) }

// sendPackage returns the package v2 of a teammate with a picture taken at a time, and its address.
func sendPackage(robot uint8, taken soccer.Time) ([]byte, netip.AddrPort) {
	seen := soccer.Percepts{ // in m, x to the opponents' goal, y to its left
		Self: soccer.Localisation{
			Known: true, HasHeading: true, Confidence: 0.9, Pose: soccer.Pose{X: -1, Y: 3 * float64(robot-2)},
		},
		Balls:     []soccer.Observation{{Position: soccer.Vec3{X: 2, Y: 1, Z: soccer.BallRadius}, Confidence: 0.8}},
		Obstacles: []soccer.Observation{{Position: soccer.Vec3{X: 3, Y: 2}, Confidence: 0.7}},
	}
	halfStarted := soccer.Epoch.Add(-time.Minute)
	datagram, err := mixedteam.Append(nil, &mixedteam.Header{
		Variant: mixedteam.V2, Color: soccer.Cyan, TeamID: 39, Robot: robot,
		HasTimestamp: true, TimestampMillis: uint32(taken.Sub(halfStarted) / time.Millisecond),
	}, &seen)
	if err != nil {
		log.Fatal(err)
	}
	return datagram, netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, robot}), 2005)
}

// A capture of the team's channel, as tcpdump writes it, goes through a model that has no camera of its own. Times and
// senders are those of the capture.
func Example_recording() {
	var file io.Reader = recordSession(2, 8*time.Second) // in a program: os.Open("venue.pcap")
	packets, err := capture.NewReader(file, nil)
	if err != nil {
		log.Fatal(err)
	}
	model := world.New(world.DefaultConfig(0, soccer.Cyan)) // number 0: no robot
	var header mixedteam.Header
	var percepts soccer.Percepts
	var w soccer.World
	var next soccer.Time
	for {
		p, err := packets.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			log.Fatal(err)
		}
		if next == 0 {
			next = p.Time.Add(time.Second)
		}
		if p.Time >= next {
			model.World(next, &w)
			fmt.Printf("%d robots, ball at (%d, %d) m\n", len(w.Peers), int(math.Round(w.Ball.Position.X)),
				int(math.Round(w.Ball.Position.Y)))
			next = next.Add(time.Second)
		}
		if _, err := mixedteam.Decode(p.Data, &header, &percepts); err != nil {
			continue
		}
		model.Receive(&world.Message{
			From: soccer.Sender{Addr: p.From, Color: header.Color, Robot: header.Robot}, Arrival: p.Time,
			HasStamp: header.HasTimestamp, Stamp: header.TimestampMillis, Percepts: &percepts,
		})
	}
	// Output:
	// 5 robots, ball at (0, 0) m
	// 5 robots, ball at (0, 1) m
	// 5 robots, ball at (0, 4) m
	// 5 robots, ball at (0, 6) m
	// 5 robots, ball at (-1, 3) m
	// 5 robots, ball at (-2, -1) m
	// 5 robots, ball at (-2, -4) m
}

// recordSession returns a capture of a session in virtual time: the packages of five robots that see one ball.
func recordSession(seed uint64, length time.Duration) io.Reader {
	file := new(bytes.Buffer)
	record, err := capture.NewPcapWriter(file)
	if err != nil {
		log.Fatal(err)
	}
	cfg := match.DefaultConfig()
	cfg.Seed, cfg.NoTCM = seed, true
	cfg.Kick = [2]time.Duration{time.Second, 2 * time.Second} // a helper kicks the ball this often
	to := netip.MustParseAddrPort(mixedteam.Group)
	session, err := match.Virtual(cfg, func(p *soccer.Packet) {
		if err := record.WritePacket(p, to); err != nil {
			log.Fatal(err)
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	session.Advance(soccer.Epoch.Add(length))
	return file
}
