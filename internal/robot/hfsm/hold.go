package hfsm

// Hold is what an operator wants of the state machine of a robot that is not in a game.
type Hold struct {
	On     bool   // it takes no transition
	At     string // state that must be active first; "": at once
	Step   bool   // it takes one transition more: the next one whose condition holds
	Number uint32 // number of the operator's wish: each has its own
}
