package game

// The channels of a game's journal: a referee box writes them, and a match log holds them.
const (
	HomeChannel       = "home"       // a team's messages as received, without the NUL
	AwayChannel       = "away"       //
	HomeEmptyChannel  = "home/empty" // the empty worldstate of each 100 ms window without a worldstate
	AwayEmptyChannel  = "away/empty" //
	CommandsChannel   = "commands"   // messages to the teams as sent, without the NUL
	DecisionsChannel  = "decisions"  // Decision as JSON
	AdmissionsChannel = "admissions" // which team has which side, as JSON
	LinesChannel      = "lines"      // lines of the RefBox's log of events, without the line break
	StatesChannel     = "states"     // State as JSON, after each decision and once a second
	NotesChannel      = "notes"      // free text: trouble, lost bytes, reconnections
)
