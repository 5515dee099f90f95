package hsl

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"touchline/wire"
)

// Sources of issues.
const (
	sourceHeader  = "HSL GameController, RoboCupGameControlData.h"
	sourceReaders = "HSL GameController, game_controller_msgs"
	sourceReadme  = "HSL GameController, README"
	sourceCore    = "HSL GameController, game_controller_core"
	sourceRules   = "HSL Rules 2026"
)

// Bounds of the values of a return message.
const (
	maxAway    = 20_000      // mm, from the centre of the field or from the robot
	metresAway = 20          // a value below is in metres, or within 20 mm
	maxBallAge = 2 * 60 * 60 // s, longer than a game with breaks, extra time and timeouts
	maxShots   = 16          // bits of singleShots
	neverSeen  = -1          // BallAge of a robot that has not seen the ball
	fullTurn   = 2*math.Pi + 0.001
)

// Check returns all that is wrong with b as a message of this kind, by offset.
func Check(kind Kind, b []byte) []wire.Issue {
	if kind >= kinds {
		return []wire.Issue{{Source: sourceHeader, Note: true, Text: kind.String() + " is no message of the league"}}
	}
	return rules(kind, b, true)
}

// rules returns the faults of a message, with or without notes. Check and AppendBinary share them.
func rules(kind Kind, b []byte, notes bool) (issues []wire.Issue) {
	if kind == KindTeam {
		return teamRules(b)
	}
	t := kind.table()
	if issue := frameRule(kind, b); issue.Text != "" {
		return []wire.Issue{issue}
	}
	for i := range t.rows {
		if text := t.rows[i].rule(b); text != "" {
			issues = append(issues, wire.Issue{Offset: t.rows[i].at, Field: t.rows[i].name, Source: sourceHeader, Text: text})
		}
	}
	switch kind {
	case KindControl, KindTrueState:
		issues = append(issues, controlRules(b, notes)...)
	case KindReturn, KindForward:
		issues = append(issues, returnRules(t, b, notes)...)
	}
	if len(b) > t.size {
		text := "readers drop the message"
		if kind == KindReturn || kind == KindRequest {
			text = "the GameController reads the first ones alone"
		}
		issues = append(issues, wire.Issue{Offset: t.size, Field: "trailing", Source: sourceReaders,
			Text: fmt.Sprintf("%d bytes instead of %d: %s", len(b), t.size, text)})
	}
	slices.SortStableFunc(issues, func(a, b wire.Issue) int { return cmp.Compare(a.Offset, b.Offset) })
	return issues
}

// teamRules returns the faults of a team message.
func teamRules(b []byte) []wire.Issue {
	if len(b) <= MaxTeamMessage {
		return nil
	}
	return []wire.Issue{{Offset: MaxTeamMessage, Field: "team message", Source: sourceReadme,
		Text: fmt.Sprintf("%d bytes: the GameController sets the team's score to 0 at a message of more than %d: send less",
			len(b), MaxTeamMessage)}}
}

// frameRule returns the fault that hides the contents of a message: header, version or size.
func frameRule(kind Kind, b []byte) wire.Issue {
	t := kind.table()
	at := t.versionAt()
	switch {
	case len(b) >= at && !hasHeader(b[t.start:], t.header):
		return wire.Issue{Offset: t.start, Field: "header", Source: sourceHeader,
			Text: fmt.Sprintf("%q: a %v has %s", b[t.start:at], kind, t.header)}
	case len(b) > at && b[at] != t.version:
		return wire.Issue{Offset: at, Field: "version", Source: sourceHeader, Text: versionText(kind, b)}
	case len(b) < t.size:
		return wire.Issue{Offset: len(b), Source: sourceHeader,
			Text: fmt.Sprintf("a truncated %v: %d bytes of %d", kind, len(b), t.size)}
	}
	return wire.Issue{}
}

// versionText says what the version of a message means that touchline does not read.
func versionText(kind Kind, b []byte) string {
	t := kind.table()
	v := b[t.versionAt()]
	switch {
	case v > t.version:
		return fmt.Sprintf("%d: newer than version %d, which touchline reads, so its fields are unknown: update touchline, "+
			"and the header in the programs of your robots", v, t.version)
	case kind == KindReturn || kind == KindForward:
		return fmt.Sprintf("%d: an older struct, which the GameController drops: want %d, with the header of HSL "+
			"GameController 6.0.1", v, t.version)
	}
	return fmt.Sprintf("%d: an older struct of a GameController before March 2026 (15 to 18 have 118 bytes; this one has "+
		"%d): robots with version %d ignore it: update the GameController", v, len(b), t.version)
}

// rule returns what is wrong with the value of the row in b, "" if it is right.
func (r *row) rule(b []byte) string {
	v := r.value(b)
	switch {
	case r.kind == f32 && !finite(float32(v)):
		return fmt.Sprintf("%v is no number: the GameController drops messages with NaN, and monitors cannot draw Inf", v)
	case r.names != nil && int(v) >= len(r.names):
		return fmt.Sprintf("%v has no meaning: want 0 to %d", v, len(r.names)-1)
	case r.least == 0 && r.most == 0 || v >= r.least && v <= r.most:
		return ""
	case r.unit != "":
		return fmt.Sprintf("%v %s: want %s", v, r.unit, r.want)
	}
	return fmt.Sprintf("%v: want %s", v, r.want)
}

// controlRules returns the faults between the fields of a control message.
func controlRules(b []byte, notes bool) (issues []wire.Issue) {
	violation := func(at int, field, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		issues = append(issues, wire.Issue{Offset: at, Field: field, Source: sourceHeader, Text: text})
	}
	const left, right = offsetTeams, offsetTeams + sizeTeam
	if kicking := b[13]; kicking != NoTeam && kicking != b[left] && kicking != b[right] {
		violation(13, "kickingTeam", "team %d does not play: want %d, %d or 255 for none", kicking, b[left], b[right])
	}
	issues = append(issues, phaseRules(b, notes)...)
	if b[left] == b[right] {
		violation(right, "teams[1].teamNumber", "both teams have number %d", b[right])
	}
	for _, c := range [...]struct {
		at, other   int
		field, text string
	}{
		{right + 1, left + 1, "teams[1].fieldPlayerColour", "both teams wear one colour"},
		{right + 1, left + 2, "teams[1].fieldPlayerColour", "the field players wear the colour of the other goalkeeper"},
		{right + 2, left + 1, "teams[1].goalkeeperColour", "the goalkeeper wears the colour of the other field players"},
	} {
		if b[c.at] == b[c.other] {
			violation(c.at, c.field, "%v: %s: robots cannot tell them apart", Color(b[c.at]), c.text)
		}
	}
	for i := range 2 {
		if at := offsetTeams + i*sizeTeam + 2; notes && b[at] == b[at-1] { // the launcher of the program allows it
			issues = append(issues, wire.Issue{Offset: at, Field: fmt.Sprintf("teams[%d].goalkeeperColour", i),
				Source: sourceRules, Note: true, Text: fmt.Sprintf("%v: the goalkeeper wears the colour of its field players", Color(b[at]))})
		}
		at := offsetTeams + i*sizeTeam + 8
		if notes && b[at] == 0 && b[at+1] == 0 {
			field := fmt.Sprintf("teams[%d].messageBudget", i)
			issues = append(issues, wire.Issue{Offset: at, Field: field, Source: sourceReadme, Note: true,
				Text: "0: the team has used up its messages; with the next one its score is 0"})
		}
	}
	return issues
}

// phaseRules returns the faults between the phase of a control message and its other fields.
func phaseRules(b []byte, notes bool) (issues []wire.Issue) {
	add := func(at int, field string, note bool, format string, args ...any) {
		if notes || !note {
			text := fmt.Sprintf(format, args...)
			issues = append(issues, wire.Issue{Offset: at, Field: field, Source: sourceCore, Note: note, Text: text})
		}
	}
	phase, state, set := Phase(b[9]), State(b[10]), SetPlay(b[11])
	second := int16(binary.LittleEndian.Uint16(b[16:]))
	switch {
	case phase == Timeout && state != Initial:
		add(10, "state", false, "%v in a timeout: want initial", state)
	case phase == PenaltyShootOut && state == Ready:
		add(10, "state", false, "ready in a penalty shoot-out, in which set begins a shot")
	}
	if phase == Timeout && set != NoSetPlay {
		add(11, "setPlay", false, "%v in a timeout: want none", set)
	}
	if phase == PenaltyShootOut && b[12] == 1 {
		add(12, "firstHalf", false, "1 in a penalty shoot-out: want 0")
	}
	if phase == PenaltyShootOut && b[13] == NoTeam {
		add(13, "kickingTeam", false, "255: in a penalty shoot-out one of the teams shoots")
	}
	switch {
	case second >= 0:
	case phase == Timeout:
		add(16, "secondaryTime", true, "%d s: the timeout should have ended %d s ago", second, -int(second))
	case state == Initial || state == Finished:
		add(16, "secondaryTime", true, "%d s: the break should have ended %d s ago", second, -int(second))
	default:
		add(16, "secondaryTime", false, "%d s: ready time and the time for a set play end at 0", second)
	}
	return append(issues, shotRules(b, notes)...)
}

// shotRules returns the faults of the penalty shots of both teams.
func shotRules(b []byte, notes bool) (issues []wire.Issue) {
	add := func(at, i int, field string, note bool, format string, args ...any) {
		if notes || !note {
			issues = append(issues, wire.Issue{Offset: offsetTeams + i*sizeTeam + at, Field: fmt.Sprintf("teams[%d].%s", i, field),
				Source: sourceCore, Note: note, Text: fmt.Sprintf(format, args...)})
		}
	}
	phase, state := Phase(b[9]), State(b[10])
	var taken [2]int
	for i := range taken {
		var t Team
		t.read(b[offsetTeams+i*sizeTeam:])
		n := int(t.PenaltyShot)
		taken[i] = n
		switch {
		case n > 0 && (phase == Normal || phase == ExtraTime):
			add(5, i, "penaltyShot", false, "%d, but the phase is %v: shots belong to the penalty shoot-out", n, phase)
		case n > maxShots:
			add(5, i, "penaltyShot", false, "%d: singleShots has a bit for each of %d shots", n, maxShots)
		case n > RegularShots+SuddenShots:
			add(5, i, "penaltyShot", true, "%d: a team has %d shots, and %d more in sudden death", n, RegularShots, SuddenShots)
		}
		if last := bits.Len16(t.SingleShots); last > n { // the number of its last goal
			add(6, i, "singleShots", false, "shot %d was a goal, but the team has had %d", last, n)
		}
		players := 0
		for k := range t.Players {
			if p := t.Players[k].Penalty; p != Substitute && p != SentOff {
				players++
			}
		}
		if phase == PenaltyShootOut && state == Playing && players != 1 {
			add(offsetPlayers, i, "players", false, "%d take part in a penalty shot: want one, the others are substitutes", players)
		}
	}
	if n := taken[0] - taken[1]; n < -1 || n > 1 {
		add(5, 1, "penaltyShot", true, "%d, but the other team has had %d shots: they shoot in turn", taken[1], taken[0])
	}
	return issues
}

// returnRules returns the faults between the fields of a return message, and those of single ones that no range tells.
func returnRules(t *table, b []byte, notes bool) (issues []wire.Issue) {
	first := t.start + offsetFloats
	add := func(i int, field string, note bool, format string, args ...any) {
		issues = append(issues, wire.Issue{Offset: first + 4*i, Field: field, Source: sourceHeader, Note: note,
			Text: fmt.Sprintf(format, args...)})
	}
	var v [6]float32
	for i := range v {
		v[i] = float32At(b, first+4*i)
	}
	x, y, theta, age, ballX, ballY := v[0], v[1], v[2], v[3], v[4], v[5]
	if notes && inMetres(x, y) {
		add(0, "pose.x", true, "suspicion: %v, %v mm is within 20 mm of the centre: write millimetres, not metres", x, y)
	}
	if notes && finite(theta) && (theta > fullTurn || theta < -fullTurn) {
		add(2, "pose.theta", true, "suspicion: %v rad is more than a full turn: write radians, not degrees", theta)
	}
	switch {
	case !finite(age):
	case age < 0 && age != neverSeen:
		add(3, "ballAge", false, "%v s: want the seconds since the robot saw the ball, or -1 if it never saw it", age)
	case age > maxBallAge:
		add(3, "ballAge", false, "%v s is more than two hours: write seconds, not milliseconds or a time of day, and -1 "+
			"for never", age)
	}
	switch {
	case !finite(age) || age < 0 || !finite(ballX) || !finite(ballY): // there is no ball
	case max(ballX, ballY) > maxAway || min(ballX, ballY) < -maxAway:
		add(4, "ball.x", false, "%v, %v mm: want at most 20 m from the robot", ballX, ballY)
	case inMetres(ballX, ballY):
		add(4, "ball.x", false, "%v, %v mm is inside the robot: write millimetres from its centre, not metres", ballX, ballY)
	case notes && ballX == 0 && ballY == 0:
		add(4, "ball.x", true, "the ball is at the robot's centre: set ballAge to -1 while the robot has not seen it")
	}
	return issues
}

// inMetres reports whether a place in mm is so near to 0 that it looks like metres. 0 itself is a place that is not
// set.
func inMetres(x, y float32) bool {
	const near = metresAway
	return (x != 0 || y != 0) && x < near && x > -near && y < near && y > -near
}
