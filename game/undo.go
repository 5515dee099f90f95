package game

import (
	"cmp"
	"fmt"
	"slices"
)

// Target returns the number of the decision that an UNDO or REDO applies to, or the reason why there is none.
func (g *Game) Target(d Decision) (int, string) { return g.target(d, false) }

// target is Target. In a replayed journal a REDO is not too late: it was accepted when it was made.
func (g *Game) target(d Decision, replayed bool) (int, string) {
	if d.Ref == 0 {
		return g.last(d.Command)
	}
	if d.Ref > len(g.log) {
		return 0, fmt.Sprintf("there is no decision %d yet", d.Ref)
	}
	e := &g.log[d.Ref-1]
	switch {
	case e.Decision.Command == Undo || e.Decision.Command == Redo:
		return 0, fmt.Sprintf("decision %d is itself %s of decision %d: give that number", d.Ref, e.Decision.Command,
			e.Decision.Ref)
	case d.Command == Undo && e.Undone:
		return 0, fmt.Sprintf("decision %d is undone already", d.Ref)
	case d.Command == Redo && !e.Undone:
		return 0, fmt.Sprintf("decision %d is not undone", d.Ref)
	case e.Why != "" && d.Command == Undo:
		return 0, fmt.Sprintf("decision %d is void: %s", d.Ref, e.Why)
	case d.Command == Redo && !replayed:
		if n := g.newest(); n > g.undoneBy(d.Ref) {
			return 0, fmt.Sprintf("decision %d was undone before decision %d, %s: a new decision ends the "+
				"possibility to redo; make it again", d.Ref, n, g.log[n-1].Decision.Command)
		}
	}
	return d.Ref, ""
}

// newest returns the number of the newest decision that is neither UNDO nor REDO nor a STOP that changed nothing; 0:
// there is none.
func (g *Game) newest() int {
	for i := len(g.log) - 1; i >= 0; i-- {
		if e := &g.log[i]; e.Decision.Ref == 0 && !e.Decision.Idle(e.before) {
			return i + 1
		}
	}
	return 0
}

// undoneBy returns the number of the last UNDO of a decision; 0: there is none.
func (g *Game) undoneBy(number int) int {
	for i := len(g.log) - 1; i >= number; i-- {
		if d := &g.log[i].Decision; d.Command == Undo && d.Ref == number {
			return i + 1
		}
	}
	return 0
}

// Idle reports whether a decision in this state is a STOP that changes nothing.
func (d *Decision) Idle(s *State) bool {
	return d.Command == Stop && !s.Running && s.SetPiece.Command == ""
}

// last returns the decision that UNDO or REDO without a number applies to: the last one in effect, or the last one that
// was undone since the newest decision.
func (g *Game) last(c Command) (int, string) {
	first := 0
	if c == Redo {
		first = g.newest()
	}
	for i := len(g.log) - 1; i >= first; i-- {
		e := &g.log[i]
		switch ref := e.Decision.Ref; {
		case c == Undo && ref == 0 && e.InEffect():
			return i + 1, ""
		case c == Redo && e.Decision.Command == Undo && g.log[ref-1].Undone:
			return ref, ""
		}
	}
	if c == Undo {
		return 0, "there is no decision to undo"
	}
	return 0, "no decision is undone since the last new one"
}

// revise undoes or redoes a decision and sends the difference to the teams. If the decision does not fit any more it
// returns the reason and changes nothing. now is the state at the time of d.
func (g *Game) revise(d Decision, now *State, out *Outcome) string {
	changed, s, why := g.judge(d, out)
	if why != "" {
		return why
	}
	s.Home.TakenBack, s.Away.TakenBack = nil, nil
	if s.Resets <= now.Resets { // otherwise RESET is sent, and the teams forget the cards
		s.Home.TakenBack, s.Away.TakenBack = now.Home.TakenBack, now.Away.TakenBack
	}
	s.announce(now, out)
	copy(g.log[d.Ref-1:], changed)
	g.state = s
	return ""
}

// judge judges the decisions again, from the one that is undone or redone. It returns them with the state that they
// lead to at the time of d, or the reason why the redone decision does not fit any more. It changes nothing.
func (g *Game) judge(d Decision, out *Outcome) ([]Entry, State, string) {
	changed := slices.Clone(g.log[d.Ref-1:])
	changed[0].Undone = d.Command == Undo
	s := *changed[0].before
	for i := range changed {
		e := &changed[i]
		s.advance(e.Decision.Time, &Outcome{})
		before := s
		e.before = &before // also of an undone decision: it may be redone
		if e.Decision.Ref != 0 || e.Undone {
			continue
		}
		held := e.InEffect()
		if e.Why = s.refusal(&g.rules, &e.Decision, true); e.Why == "" {
			s.step(&g.rules, &e.Decision, d.Ref+i, &Outcome{})
		}
		switch {
		case i == 0 && e.Why != "":
			return nil, s, "it does not fit any more: " + e.Why
		case i > 0 && held && e.Why != "":
			out.Dropped = append(out.Dropped, Change{d.Ref + i, e.Why})
		case i > 0 && !held && e.Why == "":
			out.Restored = append(out.Restored, Change{Number: d.Ref + i})
		}
	}
	s.advance(d.Time, &Outcome{})
	return changed, s, ""
}

// announce sends the messages that bring teams from the state was to s, as far as such messages exist.
func (s *State) announce(was *State, out *Outcome) {
	if s.Resets > was.Resets {
		was = &State{Part: PreGame}
		out.send(Reset, Both)
	}
	for _, side := range [2]Side{Home, Away} {
		s.Team(side).announcePenalties(was.Team(side), side, out)
		for n := was.Team(side).Goals; n < s.Team(side).Goals; n++ {
			out.send(Goal, side)
		}
		for n := was.Team(side).Goals; n > s.Team(side).Goals; n-- {
			out.send(SubGoal, side)
		}
	}
	begin := s.Part != was.Part
	if command := parts[s.Part].begin; begin && command != "" {
		out.send(command, Both)
	} else if begin {
		out.note("no message announces that the game has not begun: tell the teams")
	}
	stopped := was.Running || begin && !s.Part.IsInterval() || was.SetPiece.Command != "" && s.SetPiece != was.SetPiece
	switch {
	case s.Running && (begin || !was.Running):
		out.send(Start, Both)
	case !s.Running && stopped:
		out.send(Stop, Both)
	}
	if !s.Running && s.SetPiece.Command != "" && (stopped || begin || s.SetPiece != was.SetPiece) {
		out.send(s.SetPiece.Command, s.SetPiece.Side)
	}
}

// announcePenalties sends the differences in a team's repairs and cards.
func (t *Team) announcePenalties(was *Team, side Side, out *Outcome) {
	for i := range was.Penalties {
		old := &was.Penalties[i]
		p := find(t.Penalties, old)
		switch {
		case !old.Sent:
		case old.Command == Repair:
			if !old.Over && (p == nil || !p.Sent || p.Over) {
				out.send(RepairEnds, side)
			}
		case p == nil || !p.Sent:
			out.note("%s for %s was sent, and no message withdraws it: tell the teams", old.Command, old.whose(side))
			t.takeBack(old)
		case p.Command != old.Command && !t.wasSent(p):
			out.note("%s for %s was sent and is a %s now, and no message announces that: tell the teams", old.Command,
				old.whose(side), p.Command)
			t.takeBack(old)
		}
	}
	for _, c := range burst {
		for i := range t.Penalties {
			p := &t.Penalties[i]
			if p.Command != c || !p.Sent {
				continue
			}
			old := find(was.Penalties, p)
			sent := old != nil && old.Sent && (c != Repair || !old.Over)
			if !sent && !t.wasSent(p) && !p.Over {
				out.send(c, side)
			}
		}
	}
}

// find returns the penalty of the same decision and robot, nil if there is none. Its Command may differ: a first yellow
// card that comes or goes makes it a DOUBLE_YELLOW or a YELLOW_CARD.
func find(all []Penalty, p *Penalty) *Penalty {
	for i := range all {
		if o := &all[i]; o.Number == p.Number && o.Index == p.Index {
			return o
		}
	}
	return nil
}

// takeBack remembers that a void card was sent.
func (t *Team) takeBack(p *Penalty) {
	if find(t.TakenBack, p) == nil {
		t.TakenBack = append(slices.Clone(t.TakenBack), Penalty{Number: p.Number, Command: p.Command, Robot: p.Robot,
			Sent: true})
		slices.SortFunc(t.TakenBack, func(a, b Penalty) int { return cmp.Compare(a.Number, b.Number) })
	}
}

// wasSent reports whether the card was sent before it became void, and forgets that if it was the same card.
func (t *Team) wasSent(p *Penalty) bool {
	o := find(t.TakenBack, p)
	if o != nil && o.Command == p.Command {
		t.TakenBack = slices.DeleteFunc(slices.Clone(t.TakenBack), func(o Penalty) bool { return o.Number == p.Number })
		if len(t.TakenBack) == 0 {
			t.TakenBack = nil // its state before the first void card
		}
	}
	return o != nil
}

// whose returns the team and the robot of a penalty as text.
func (p *Penalty) whose(side Side) string {
	if p.Robot == 0 {
		return side.Text()
	}
	return fmt.Sprintf("robot %d of %s", p.Robot, side.Text())
}
