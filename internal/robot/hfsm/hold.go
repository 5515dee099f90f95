package hfsm

// Hold is what an operator wants of the state machine of a robot that is not in a game.
type Hold struct {
	On     bool   // it takes no transition
	At     string // from the moment on at which this state is active; "": at once
	Step   bool   // it takes one transition more: the next one whose condition holds
	Number uint32 // of the operator's wish: each has its own
}
