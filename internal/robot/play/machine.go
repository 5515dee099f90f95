package play

import (
	"slices"
	"time"

	"touchline/internal/robot/hfsm"
	"touchline/wire/team"
)

// condition is a condition of state machines by name.
type condition struct {
	name  string
	holds func(*scene) bool
}

var conditions = [...]condition{
	{"halted", (*scene).halted},
	{"sent off", (*scene).sentOff},
	{"localised", func(s *scene) bool { return s.located }},
	{"goalkeeper", func(s *scene) bool { return s.isKeeper }},
	{"ball known", func(s *scene) bool { return s.knows }},
	{"on the ball", (*scene).onBall},
	{"has ball", func(s *scene) bool { return s.has }},
	{"shot is on", (*scene).shotIsOn},
	{"pass is on", (*scene).passIsOn},
	{"space is on", (*scene).spaceIsOn},
	{"must release", (*scene).mustRelease},
	{"duel", (*scene).duels},
	{"ball comes", (*scene).comes},
	{"their ball", (*scene).theirBall},
	{"defender", func(s *scene) bool { return s.job == defender }},
	{"supporter", func(s *scene) bool { return s.job == supporter }},
	{"wide", func(s *scene) bool { return s.job == wide }},
	{"cover", func(s *scene) bool { return s.job == cover }},
	{"set piece", func(s *scene) bool { return s.memory.piece.active }},
	{"ours", (*scene).ours},
	{"taker", (*scene).takes},
	{"running", func(s *scene) bool { return s.Heard && s.Referee.State == team.Running }},
}

// behaviour is a behaviour by name.
type behaviour struct {
	name string
	move func(*scene) Action
}

var behaviours = [...]behaviour{
	{"stand", stand},
	{"leave", leave},
	{"search", search},
	{"approach", approach},
	{"duel", duel},
	{"dribble", dribble},
	{"shoot", shoot},
	{"pass", pass},
	{"release", release},
	{"clear", clearance},
	{"receive", receive},
	{"goalkeep", goalkeep},
	{"defend", defend},
	{"support", support},
	{"wide", holdWide},
	{"cover", coverUp},
	{"mark", mark},
	{"prepare", prepare},
	{"take", execute},
	{"offer", offer},
	{"keep distance", yield},
}

// Conditions returns the names of the conditions of state machines.
func Conditions() []string {
	names := make([]string, len(conditions))
	for i := range conditions {
		names[i] = conditions[i].name
	}
	return names
}

// Behaviours returns the names of the behaviours.
func Behaviours() []string {
	names := make([]string, len(behaviours))
	for i := range behaviours {
		names[i] = behaviours[i].name
	}
	return names
}

// Default returns the state machine of touchline's robots. docs/robot.md draws it.
func Default() *hfsm.Machine {
	return &hfsm.Machine{Name: "touchline", States: slices.Clone(states[:]), Transitions: slices.Clone(transitions[:])}
}

var states = [...]hfsm.State{
	{Name: "off"},
	{Name: "stopped", In: "off", Behaviour: "stand"},
	{Name: "lost", In: "off", Behaviour: "stand"},
	{Name: "leaving", In: "off", Behaviour: "leave"},

	{Name: "active"},
	{Name: "play", In: "active"},
	{Name: "search", In: "play", Behaviour: "search"},
	{Name: "attack", In: "play"},
	{Name: "approach", In: "attack", Behaviour: "approach"},
	{Name: "duel", In: "attack", Behaviour: "duel"},
	{Name: "dribble", In: "attack", Behaviour: "dribble"},
	{Name: "shoot", In: "attack", Behaviour: "shoot"},
	{Name: "pass", In: "attack", Behaviour: "pass"},
	{Name: "release", In: "attack", Behaviour: "release"},
	{Name: "team", In: "play"},
	{Name: "defend", In: "team", Behaviour: "defend"},
	{Name: "support", In: "team", Behaviour: "support"},
	{Name: "wide", In: "team", Behaviour: "wide"},
	{Name: "cover", In: "team", Behaviour: "cover"},
	{Name: "mark", In: "team", Behaviour: "mark"},
	{Name: "receive", In: "team", Behaviour: "receive"},

	{Name: "set piece", In: "active"},
	{Name: "keep distance", In: "set piece", Behaviour: "keep distance"},
	{Name: "offer", In: "set piece", Behaviour: "offer"},
	{Name: "prepare", In: "set piece", Behaviour: "prepare"},
	{Name: "take", In: "set piece", Behaviour: "take"},

	{Name: "goalkeeper", In: "active"},
	{Name: "guard", In: "goalkeeper", Behaviour: "goalkeep"},
	{Name: "fetch", In: "goalkeeper", Behaviour: "approach"},
	{Name: "clear", In: "goalkeeper", Behaviour: "clear"},
}

// moment is a time in a state before another decision: a robot that changes its mind in each control period does nothing.
const moment = 300 * time.Millisecond

var transitions = [...]hfsm.Transition{
	// The referee first.
	{From: "active", To: "stopped", When: "halted"},
	{From: "active", To: "lost", When: "!halted & !localised"},
	{From: "active", To: "leaving", When: "!halted & localised & sent off"},
	{From: "off", To: "stopped", When: "halted"},
	{From: "off", To: "lost", When: "!halted & !localised"},
	{From: "off", To: "leaving", When: "!halted & localised & sent off"},
	{From: "off", To: "active", When: "!halted & localised & !sent off"},

	{From: "play", To: "goalkeeper", When: "goalkeeper & !taker"},
	{From: "set piece", To: "goalkeeper", When: "goalkeeper & !taker"},
	{From: "goalkeeper", To: "play", When: "!goalkeeper"},
	{From: "goalkeeper", To: "set piece", When: "set piece & taker"},
	{From: "play", To: "set piece", When: "set piece"},
	{From: "set piece", To: "play", When: "!set piece"},

	{From: "keep distance", To: "prepare", When: "ours & taker & !running"},
	{From: "keep distance", To: "take", When: "ours & taker & running"},
	{From: "keep distance", To: "offer", When: "ours & !taker"},
	{From: "offer", To: "keep distance", When: "!ours"},
	{From: "offer", To: "prepare", When: "ours & taker & !running"},
	{From: "offer", To: "take", When: "ours & taker & running"},
	{From: "prepare", To: "keep distance", When: "!ours"},
	{From: "prepare", To: "take", When: "running & taker"},
	{From: "prepare", To: "offer", When: "ours & !taker"},
	{From: "take", To: "keep distance", When: "!ours"},
	{From: "take", To: "offer", When: "ours & !taker"},

	{From: "guard", To: "fetch", When: "on the ball & !has ball"},
	{From: "guard", To: "clear", When: "has ball"},
	{From: "fetch", To: "clear", When: "has ball"},
	{From: "fetch", To: "guard", When: "!on the ball & !has ball"},
	{From: "clear", To: "guard", When: "!has ball"},

	{From: "search", To: "attack", When: "on the ball"},
	{From: "search", To: "team", When: "ball known & !on the ball", After: 100 * time.Millisecond},
	{From: "attack", To: "search", When: "!ball known & !has ball", After: moment},
	{From: "attack", To: "team", When: "ball known & !on the ball & !has ball"},
	{From: "team", To: "attack", When: "on the ball"},
	{From: "team", To: "search", When: "!ball known", After: moment},

	{From: "attack", To: "duel", When: "duel"},
	{From: "duel", To: "approach", When: "!duel", After: moment},
	{From: "attack", To: "approach", When: "!has ball & !duel"},
	{From: "approach", To: "shoot", When: "has ball & !duel & shot is on"},
	{From: "approach", To: "pass", When: "has ball & !duel & !shot is on & pass is on"},
	{From: "approach", To: "release", When: "has ball & !duel & !shot is on & !pass is on & space is on"},
	{From: "approach", To: "dribble", When: "has ball & !duel & !shot is on & !pass is on & !space is on"},
	{From: "dribble", To: "shoot", When: "shot is on"},
	{From: "dribble", To: "pass", When: "pass is on & !shot is on", After: moment},
	{From: "dribble", To: "release", When: "space is on & !shot is on & !pass is on"},
	{From: "pass", To: "shoot", When: "shot is on", After: moment},
	{From: "pass", To: "release", When: "space is on & !shot is on & !pass is on"},
	{From: "shoot", To: "release", When: "space is on & !shot is on & !pass is on"},
	{From: "release", To: "shoot", When: "shot is on", After: moment},
	{From: "release", To: "pass", When: "pass is on & !shot is on", After: moment},
	{From: "release", To: "dribble", When: "!space is on & !pass is on & !shot is on", After: moment},
	{From: "pass", To: "dribble", When: "!pass is on & !shot is on & !must release", After: moment},
	{From: "shoot", To: "pass", When: "pass is on & !shot is on", After: moment},
	{From: "shoot", To: "dribble", When: "!shot is on & !pass is on & !must release", After: moment},

	{From: "team", To: "receive", When: "ball comes"},
	{From: "receive", To: "defend", When: "!ball comes", After: moment},
	{From: "team", To: "defend", When: "defender & !ball comes", After: moment},
	{From: "team", To: "support", When: "supporter & !ball comes", After: moment},
	{From: "team", To: "mark", When: "wide & their ball & !ball comes", After: moment},
	{From: "team", To: "wide", When: "wide & !their ball & !ball comes", After: moment},
	{From: "team", To: "cover", When: "cover & !ball comes", After: moment},
}
