package team_test

import (
	"testing"

	"touchline/wire"
	"touchline/wire/team"
	"touchline/wire/wiretest"
)

// check returns Check for one type of message.
func check(dataType uint16) func([]byte) []wire.Issue {
	return func(b []byte) []wire.Issue { return team.Check(dataType, b) }
}

func TestMotor(t *testing.T) {
	wiretest.Run(t, check(team.TypeMotor), []wiretest.Case[team.Motor]{
		{
			Name: "drive, kick and look",
			Msg: team.Motor{
				Sequence: 258, VX: 1.5, VY: -0.25, VHeading: 2, Dribbler: 0.5,
				Kick: 7, KickSpeed: 8, KickElevation: 0.5, HasHead: true, HeadPan: -1, HeadTilt: 0.25,
			},
			Hex: `01 01 # version, flags: head
				02 01 00 00 # sequence 258
				00 00 c0 3f 00 00 80 be 00 00 00 40 # vx 1.5, vy -0.25, vheading 2
				00 00 00 3f # dribbler 0.5
				07 00 00 00 00 00 00 41 00 00 00 3f # kick 7, speed 8, elevation 0.5
				00 00 80 bf 00 00 80 3e # pan -1, tilt 0.25`,
		},
		{
			Name: "stand still",
			Msg:  team.Motor{Sequence: 1},
			Hex: `01 00 01 00 00 00
				00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
				00 00 00 00 00 00 00 00 00 00 00 00
				00 00 00 00 00 00 00 00`,
		},
	})
}

func TestReferee(t *testing.T) {
	wiretest.Run(t, check(team.TypeReferee), []wiretest.Case[team.Referee]{{
		Name: "corner",
		Msg: team.Referee{
			State: team.Waiting, Part: team.SecondHalf, SetPiece: team.Corner, Side: team.Theirs,
			Goals: 2, Conceded: 1, Sequence: 77, Out: 1<<3 | 1<<5, Command: "CORNER",
		},
		Hex: `01 02 03 05 02 # version, waiting, second half, corner, theirs
			02 01 4d 00 00 00 # goals, conceded, sequence
			28 00 00 00 00 00 00 00 # out: robots 3 and 5
			06 43 4f 52 4e 45 52 # CORNER`,
	}})
}

func TestDirectory(t *testing.T) {
	wiretest.RunOpen(t, check(team.TypeDirectory), []wiretest.Case[team.Directory]{
		{Name: "request", Hex: "01"},
		{Name: "text", Msg: team.Directory{Text: "[team]\n"}, Hex: "01 5b 74 65 61 6d 5d 0a"},
	})
}
