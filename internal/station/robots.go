package station

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"touchline/soccer"
	"touchline/wire/msl"
	"touchline/wire/team"
)

// RefereePeriod is the time after which a station repeats the message of Referee: nothing is acknowledged, and robots
// stop when they hear none for a second.
const RefereePeriod = 200 * time.Millisecond

// doubleYellow is the playing time that a robot loses by a second yellow card (RefBox 2.1). No command ends it.
const doubleYellow = 90 * time.Second

// statusFor is the time for which a robot's status counts.
const statusFor = 2 * time.Second

// absence is a robot that must stay off the field. REPAIR and cards name none on the wire: the station chooses it.
type absence struct {
	robot uint8         // 0: none was known yet
	why   string        // msl.Repair, msl.DoubleYellow or msl.RedCard
	until time.Duration // playing time at which it ends; 0: a command ends it
}

// squad is what a station knows of its robots and told them.
type squad struct {
	status [msl.MaxNumber + 1]status // newest status of each jersey number
	absent []absence                 // ordered by the commands
	played time.Duration             // playing time up to since
	since  soccer.Time
	told   team.Referee // the newest message of Referee
}

// status is the newest status of a robot, and when it arrived; 0: it sent none.
type status struct {
	at soccer.Time
	team.Status
}

// isRecent reports whether a robot reported its status within the last two seconds.
func (st *status) isRecent(now soccer.Time) bool { return st.at != 0 && now.Sub(st.at) <= statusFor }

// ReceiveStatus notes the status that a robot sent over the TCM, for worldstates, too. Numbers outside 1..99 are ignored;
// of a status with NaN or values that are on no field only the mode counts.
func (s *Station) ReceiveStatus(robot uint8, at soccer.Time, m *team.Status) {
	if robot < 1 || robot > msl.MaxNumber {
		return
	}
	noted := status{at, *m}
	if !plausible(m) {
		noted.Status = team.Status{Mode: m.Mode, Battery: team.Unknown}
	}
	s.squad.status[robot] = noted
}

// plausible reports whether the numbers of a status are those of a robot on a field.
func plausible(m *team.Status) bool {
	self := m.Self.Localisation()
	target, _ := m.Target()
	return isNear(self.Pose.X, self.Pose.Y, self.Pose.Theta, self.Twist.X, self.Twist.Y, self.Twist.Theta, target.X, target.Y,
		target.Theta)
}

// addStatuses adds to the worldstate what robots report over the TCM: robots that send no packages, and of all robots
// target, intention, battery and ball contact.
func (s *Station) addStatuses() {
	for n := range s.squad.status {
		st, id := &s.squad.status[n], msl.Num(float64(n))
		if !st.isRecent(s.world.Time) {
			continue
		}
		i := slices.IndexFunc(s.out.Robots, func(r msl.Robot) bool { return r.ID == id })
		switch {
		case i < 0 && len(s.out.Robots) == maxRobots:
			continue
		case i < 0:
			i = len(s.out.Robots)
			s.out.Robots = append(s.out.Robots, msl.Robot{ID: id})
			s.out.Robots[i].SetLocalisation(st.Self.Localisation())
		}
		st.describe(&s.out.Robots[i])
	}
}

// describe sets what only a status tells of a robot.
func (st *status) describe(r *msl.Robot) {
	r.Intention = strings.ToValidUTF8(st.Intention, "")
	if target, ok := st.Target(); ok {
		r.SetTarget(target)
	}
	if st.Battery != team.Unknown {
		r.BatteryLevel = msl.Num(float64(st.Battery))
	}
	r.BallEngaged = msl.Num(0)
	if st.BallEngaged {
		r.BallEngaged = msl.Num(1)
	}
}

// Referee returns what the robots are told of the game at now: it is repeated each RefereePeriod while the RefBox is
// connected. Its sequence grows with each change. The message is valid until the next call.
func (s *Station) Referee(now soccer.Time) *team.Referee {
	s.squad.play(now, s.state.Running)
	st, told := &s.state, &s.squad.told
	m := team.Referee{
		State: s.mayMove(), Part: partOf[st.Part], SetPiece: setPieceOf[st.SetPiece], Sequence: told.Sequence,
		Goals: uint8(min(st.Goals, 255)), Conceded: uint8(min(st.Conceded, 255)),
	}
	if name := st.Last.Name; len(name) <= team.MaxText && utf8.ValidString(name) {
		m.Command = name
	}
	switch st.For {
	case Ours:
		m.Side = team.Ours
	case Theirs:
		m.Side = team.Theirs
	}
	for i := range s.squad.absent {
		a := &s.squad.absent[i]
		if a.robot == 0 {
			a.robot = s.squad.choose(now)
		}
		m.Out |= uint64(soccer.RobotSet(0).With(a.robot) &^ 1)
	}
	if m != *told || m.Sequence == 0 {
		m.Sequence++
		*told = m
	}
	return told
}

// mayMove returns whether robots may move.
func (s *Station) mayMove() team.State {
	st := &s.state
	switch {
	case st.Running:
		return team.Running
	case st.SetPiece != "":
		return team.Waiting
	case st.Last.Name == msl.Park:
		return team.Parking
	case st.Part == "" || st.Part == msl.GameOver || st.Part == msl.EndGame:
		return team.Halted
	}
	return team.Stop
}

var partOf = map[string]team.Part{
	msl.FirstHalf: team.FirstHalf, msl.HalfTime: team.HalfTime, msl.SecondHalf: team.SecondHalf,
	msl.FirstHalfOvertime: team.FirstOvertime, msl.SecondHalfOvertime: team.SecondOvertime,
	msl.EndGame: team.GameOver, msl.GameOver: team.GameOver,
}

var setPieceOf = map[string]team.SetPiece{
	msl.KickOff: team.KickOff, msl.FreeKick: team.FreeKick, msl.GoalKick: team.GoalKick, msl.ThrowIn: team.ThrowIn,
	msl.Corner: team.Corner, msl.Penalty: team.Penalty, msl.DropBall: team.DroppedBall,
}

// play counts the playing time up to now, and lets the robots return whose second yellow card is served.
func (q *squad) play(now soccer.Time, running bool) {
	if running && q.since > 0 {
		q.played += max(now.Sub(q.since), 0)
	}
	q.since = now
	q.absent = slices.DeleteFunc(q.absent, func(a absence) bool { return a.until > 0 && a.until <= q.played })
}

// punish applies a command of the referee to the team's robots.
func (s *Station) punish(c *Command) {
	q := &s.squad
	q.play(c.Time, s.state.Running)
	if c.Name == msl.Reset {
		q.absent, q.played = nil, 0
	}
	if c.Side != Ours {
		return
	}
	switch c.Name {
	case msl.Repair, msl.RedCard, msl.DoubleYellow:
		a := absence{robot: q.choose(c.Time), why: c.Name}
		if c.Name == msl.DoubleYellow {
			a.until = q.played + doubleYellow
		}
		const most = 2 * msl.MaxNumber // contradictory commands do not fill the memory
		if len(q.absent) < most {
			q.absent = append(q.absent, a)
		}
	case msl.RepairEnd:
		if i := slices.IndexFunc(q.absent, func(a absence) bool { return a.why == msl.Repair }); i >= 0 {
			q.absent = slices.Delete(q.absent, i, i+1)
		}
	}
}

// choose returns the robot that leaves the field next: a faulty one, or else the greatest number, which spares the
// goalkeeper, number 1. It considers robots on the field with a recent status, and returns 0 without one.
func (q *squad) choose(now soccer.Time) (robot uint8) {
	for n := uint8(1); n <= msl.MaxNumber; n++ {
		st := &q.status[n]
		if !st.isRecent(now) || slices.ContainsFunc(q.absent, func(a absence) bool { return a.robot == n }) {
			continue
		}
		if st.Mode == team.Faulty {
			return n
		}
		if n < 64 { // the message names robots up to 63
			robot = n
		}
	}
	return robot
}
