package station

import (
	"time"

	"touchline/soccer"
	"touchline/wire/msl"
)

// unlisted counts what arrives since a time, but names no robot that a worldstate can list.
type unlisted struct {
	start                          soccer.Time
	otherSide, foreign, unnumbered uint64
}

// Silence is why worldstates list no robot.
type Silence string

// The reasons. The one with the most datagrams applies.
const (
	NotSilent  Silence = ""
	NoDatagram Silence = "no datagram"
	OtherSide  Silence = "packages of the other side"
	Foreign    Silence = "datagrams that are not mixed team packages"
	Unnumbered Silence = "packages without a number from 1 to 99" // mixed_team_robot_id
)

// silentAfter is the time without a listed robot after which Silence gives the reason.
const silentAfter = 5 * time.Second

// Silence returns why worldstates have listed no robot for at least five seconds, and the number of these datagrams in
// this time. The time starts with the first call.
func (s *Station) Silence(now soccer.Time) (Silence, uint64) {
	u := &s.since
	if u.start == 0 {
		u.start = now
	}
	if now.Sub(u.start) < silentAfter {
		return NotSilent, 0
	}
	why, most := NoDatagram, uint64(0)
	for _, c := range []struct {
		why Silence
		n   uint64
	}{{OtherSide, u.otherSide}, {Unnumbered, u.unnumbered}, {Foreign, u.foreign}} {
		if c.n > most {
			why, most = c.why, c.n
		}
	}
	return why, most
}

// hasNumber reports whether a worldstate can list a robot by its number.
func hasNumber(from soccer.Sender) bool { return from.Robot >= 1 && from.Robot <= msl.MaxNumber }
