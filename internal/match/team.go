package match

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"touchline/game"
	"touchline/internal/robot/hfsm"
	"touchline/internal/robot/play"
)

// Team describes a team.
type Team struct {
	Name    string // of its software, in results: for example "touchline"
	Title   string // that pages, results and reports show; see CheckTitle. Default "": Name
	Robots  int    // 1..5, with the jersey numbers from 1. Default 5
	Booking string // protocol that books the ball; see robot.Config. Default "lease"
	Still   bool   // its robots never move
	// Machine decides what its robots do. nil: play.Default()
	Machine *hfsm.Machine
	// External: programs outside drive its robots; see Tap.Sense and Drive. The match then has to run in real time, unless
	// they play in lockstep.
	External bool
	// Program is the command of an external team that plays in lockstep, see Tap.Turn: a program and its arguments. Default nil
	Program []string
}

// Live reports whether programs outside play the team in real time.
func (t *Team) Live() bool { return t.External && t.Program == nil }

// MostTitle is the length of the longest title of a team, in characters: a page shows it in full.
const MostTitle = 20

// CheckTitle returns an error for a title that a page cannot show in full.
func CheckTitle(title string) error {
	printable := !strings.ContainsFunc(title, func(r rune) bool { return !unicode.IsPrint(r) })
	if n := utf8.RuneCountInString(title); n < 1 || n > MostTitle || !printable || !utf8.ValidString(title) ||
		strings.TrimSpace(title) != title {
		return fmt.Errorf("%.60q: want 1 to %d printable characters without a space at an end", title, MostTitle)
	}
	return nil
}

// Shown returns the name of the team that results show.
func (t *Team) Shown() string { return cmp.Or(t.Title, t.Name) }

// Titles returns the names of both teams as pages show them: home and away for teams of one name.
func (c *MatchConfig) Titles() (home, away string) {
	home, away = c.Home.Shown(), c.Away.Shown()
	if home == away {
		return string(game.Home), string(game.Away)
	}
	return home, away
}

// Teams returns the built-in teams. Their robots differ in how they book the ball.
func Teams() []Team {
	return []Team{
		{Name: "touchline", Robots: MostRobots, Booking: "lease"},
		{Name: "touchline-nobooking", Robots: MostRobots, Booking: "none"},
		{Name: "touchline-literal", Robots: MostRobots, Booking: "literal"},
		{Name: "touchline-nearest", Robots: MostRobots, Booking: "nearest"},
		{Name: "still", Robots: MostRobots, Booking: "none", Still: true},
		{Name: "external", Robots: MostRobots, Booking: "none", External: true},
	}
}

// MachinePrefix begins the name of a team whose robots play by the state machine in a file.
const MachinePrefix = "play:"

// ProgramPrefix begins the name of a team that a program plays in lockstep.
const ProgramPrefix = "program:"

// mostWords is the most words that the command of a program has.
const mostWords = 64

// FindTeam returns the built-in team of a name, or for "play:FILE" the team touchline whose robots play by the state
// machine in a file, as docs/robot.md writes it, or for "program:COMMAND" the team of a program. read reads the file. The
// error lists the names, or says what is wrong with file or command.
func FindTeam(name string, read func(path string) ([]byte, error)) (Team, error) {
	if path, ok := strings.CutPrefix(name, MachinePrefix); ok {
		return machineTeam(name, path, read)
	}
	if command, ok := strings.CutPrefix(name, ProgramPrefix); ok {
		return programTeam(name, command)
	}
	var names []string
	for _, t := range Teams() {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return Team{}, fmt.Errorf("%.40q: want %s, %sFILE for a state machine, or %sCOMMAND for your program", name,
		strings.Join(names, ", "), MachinePrefix, ProgramPrefix)
}

// programTeam returns the team of a program. White space separates the words of its command, and nothing quotes it.
func programTeam(name, command string) (Team, error) {
	words := strings.Fields(command)
	if len(words) < 1 || len(words) > mostWords || strings.ContainsFunc(command, unicode.IsControl) {
		return Team{}, fmt.Errorf("%.60q: want a program and its arguments, 1 to %d words, for example %spython3 mine.py {team}",
			name, mostWords, ProgramPrefix)
	}
	return Team{Name: name, Robots: MostRobots, Booking: "none", External: true, Program: words}, nil
}

// machineTeam returns the team touchline with the state machine of a file.
func machineTeam(name, path string, read func(path string) ([]byte, error)) (Team, error) {
	t := Teams()[0]
	data, err := read(path)
	if err != nil {
		return t, fmt.Errorf("%s: %w", name, err)
	}
	t.Name = name
	if t.Machine, err = hfsm.Parse(data); err == nil {
		err = t.Machine.Check(play.Conditions(), play.Behaviours())
	}
	if err != nil {
		return t, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}
