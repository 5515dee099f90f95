package gametest

import (
	"time"

	"touchline/game"
	"touchline/soccer"
)

var (
	commands = []game.Command{
		game.Start, game.Stop, game.Start, game.Stop, game.KickOff, game.FreeKick, game.Goal, game.EndPart, game.Repair,
		game.YellowCard, game.RedCard, game.Substitution, game.IsAlive, game.SubGoal, game.DropBall, game.GoalKick,
		game.ThrowIn, game.Corner, game.PenaltyKick, game.Undo, game.Redo, game.Undo, game.SetScore, game.SetClock,
		game.SetPart, game.Park, game.Reset, game.DoubleYellow, "NONSENSE",
	}
	parts = []game.Part{
		game.PreGame, game.FirstHalf, game.HalfTime, game.SecondHalf, game.PreOvertime, game.OvertimeFirst,
		game.OvertimeHalfTime, game.OvertimeSecond, game.ShootOut, game.End, "?",
	}
	sides = []game.Side{game.Home, game.Away, game.Home, game.Away, game.Both}
)

// Decisions turns bytes into decisions, 4 bytes each, many of which a game accepts. The first is at soccer.Epoch or
// later.
func Decisions(b []byte) []game.Decision {
	now := soccer.Epoch
	var all []game.Decision
	for ; len(b) >= 4; b = b[4:] {
		now = now.Add(time.Duration(b[3]) * 50 * time.Millisecond)
		d := game.Decision{Time: now, Command: commands[int(b[0])%len(commands)], Side: sides[int(b[1])%len(sides)]}
		n := int(b[2])
		switch d.Command {
		case game.Start, game.Stop, game.EndPart, game.DropBall, game.Park:
			d.Side = game.Both
		case game.Reset:
			d.Side, d.Force = game.Both, n%16 == 0
		case game.KickOff:
			d.Force = n%2 == 0
		case game.Substitution, game.IsAlive:
			d.Robot = n % 102
		case game.Repair:
			d.Count = n % 5
		case game.YellowCard, game.RedCard:
			d.Robot = n % 3
		case game.SetScore:
			d.Count = n % 4
		case game.SetClock:
			d.Side, d.Total, d.Effective = game.Both, time.Duration(n)*time.Second, time.Duration(b[1])*time.Second
		case game.SetPart:
			d.Side, d.Part = game.Both, parts[n%len(parts)]
		case game.Undo, game.Redo:
			d.Side, d.Ref = game.Both, n%40
		}
		all = append(all, d)
	}
	return all
}
