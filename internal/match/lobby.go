package match

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"touchline/game"
	"touchline/soccer"
)

// Bounds of a lobby.
const (
	MostTeams    = 64  // of LobbyConfig.Teams
	mostName     = 24  // letters of a team's name
	mostNonce    = 64  // letters
	keptFixtures = 200 // the newest ones; the table counts them all

	presentFor   = 5 * time.Second // a team that was silent for longer is away
	forgottenFor = time.Minute     // and makes room if it has not played
)

// Points of a match, and goals of the team that was there against one that was not.
const (
	pointsForWin  = 3
	pointsForDraw = 1
	walkover      = 3
)

// LobbyConfig describes a Lobby.
type LobbyConfig struct {
	Seed       uint64 // of the draw. Default 1
	Teams      int    // that the lobby admits at most, 2..64. Default 30
	PerAddress int    // of them from one address. Default 8
	Wait       int    // teams that must be there before the first match, 2..Teams. Default 2
	Matches    int    // after which the lobby is over; 0: never. Default 0
}

// DefaultLobbyConfig returns the configuration of a lobby for a class of thirty.
func DefaultLobbyConfig() LobbyConfig {
	return LobbyConfig{Seed: 1, Teams: 30, PerAddress: 8, Wait: 2}
}

// Validate returns an error that names the first value out of range and the range.
func (c *LobbyConfig) Validate() error {
	switch {
	case c.Teams < 2 || c.Teams > MostTeams:
		return fmt.Errorf("teams %d: want 2 to %d", c.Teams, MostTeams)
	case c.Wait < 2 || c.Wait > c.Teams:
		return fmt.Errorf("wait-for %d: want 2 to %d, the lobby's limit", c.Wait, c.Teams)
	case c.PerAddress < 1:
		return fmt.Errorf("teams per address %d: want 1 or more", c.PerAddress)
	case c.Matches < 0 || c.Matches > 1_000_000:
		return fmt.Errorf("matches %d: want 0 to 1000000; 0: no limit", c.Matches)
	}
	return nil
}

// Lobby pairs teams for matches that are played one after the other, and keeps the table. Of the teams that are there, the
// one with the fewest matches plays next, against one that it has met least often. It is not safe for concurrent use.
type Lobby struct {
	cfg      LobbyConfig
	random   *rand.Rand
	teams    []*LobbyTeam // in the order in which they joined
	met      map[[2]*LobbyTeam]int
	fixtures []Fixture // oldest first
	number   int       // of the newest one
	ended    int       // fixtures
}

// LobbyTeam is a team of a lobby. Only the lobby changes it.
type LobbyTeam struct {
	Name   string
	Nonce  string           // of its program, from which its key is made
	Robots []netip.AddrPort // where they listen; empty: the field learns it
	addr   netip.Addr
	count  uint64 // of its newest request
	heard  soccer.Time
	free   soccer.Time // when its newest match ended, or when it joined
	lot    uint64      // decides where nothing else does
	row    LobbyRow
}

// LobbyRequest is what the program of a team sends again and again: the team is there.
type LobbyRequest struct {
	Lobby  string           `json:"lobby"`  // run of the lobby
	Name   string           `json:"name"`   // of the team
	Nonce  string           `json:"nonce"`  // random text, the same in all requests of one start of the program
	Count  uint64           `json:"count"`  // greater in each request of the team
	Robots []netip.AddrPort `json:"robots"` // address and base port of robots 1, 2, ...; may be missing
}

// Fixture is a match of a lobby.
type Fixture struct {
	Number int    `json:"number"` // 1, 2, ...
	Home   string `json:"home"`
	Away   string `json:"away"`
	Goals  [2]int `json:"goals"`  // home, away
	Over   bool   `json:"over"`   // it counts in the table
	Reason string `json:"reason"` // why it was not played to its end; "": it was

	teams [2]*LobbyTeam
}

// LobbyRow is a team in the table of a lobby.
type LobbyRow struct {
	Name    string `json:"name"`
	Here    bool   `json:"here"` // its program answers
	Played  int    `json:"played"`
	Won     int    `json:"won"`
	Drawn   int    `json:"drawn"`
	Lost    int    `json:"lost"`
	For     int    `json:"for"`     // goals
	Against int    `json:"against"` // goals
	Points  int    `json:"points"`
}

// NewLobby returns a lobby without teams.
func NewLobby(cfg LobbyConfig) (*Lobby, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	return &Lobby{cfg: cfg, random: rand.New(rand.NewPCG(cfg.Seed, 0x10bb1)), met: map[[2]*LobbyTeam]int{}}, nil
}

// Reasons for which a lobby refuses a request.
var (
	ErrLobbyName = errors.New("a team name has 1 to 24 letters, without line breaks or spaces at its ends")
	ErrReplayed  = errors.New("the request's count is not greater than in the team's last request: keep counting up, for " +
		"example in milliseconds")
)

// checkName checks the name of a team.
func checkName(name string) error {
	if !utf8.ValidString(name) || name == "" || utf8.RuneCountInString(name) > mostName || strings.TrimSpace(name) != name ||
		strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return ErrLobbyName
	}
	return nil
}

// Enter notes that the program of a team is there. The first request of a name makes a team. A refused one changes nothing.
func (l *Lobby) Enter(now soccer.Time, from netip.Addr, r *LobbyRequest) (*LobbyTeam, error) {
	if err := checkName(r.Name); err != nil {
		return nil, err
	}
	if r.Nonce == "" || len(r.Nonce) > mostNonce || len(r.Robots) > MostRobots {
		return nil, fmt.Errorf("want a nonce of 1 to %d letters, and at most %d robots", mostNonce, MostRobots)
	}
	if slices.ContainsFunc(r.Robots, func(a netip.AddrPort) bool { return !a.IsValid() || a.Port() == 0 || a.Port() > 65532 }) {
		return nil, errors.New("a robot has an address and a base port from 1 to 65532, for example 192.0.2.7:24000")
	}
	t := l.find(r.Name)
	switch {
	case t == nil:
		var err error
		if t, err = l.add(now, from, r.Name); err != nil {
			return nil, err
		}
	case r.Count <= t.count:
		return nil, ErrReplayed
	case t.Nonce != r.Nonce && l.here(t, now):
		return nil, fmt.Errorf("another program already plays as team %s: choose another name, or wait for %v after that program ends",
			r.Name, presentFor)
	}
	t.Nonce, t.Robots, t.addr, t.count, t.heard = r.Nonce, slices.Clone(r.Robots), from, r.Count, now
	return t, nil
}

// add adds a team. One that went away without a match makes room.
func (l *Lobby) add(now soccer.Time, from netip.Addr, name string) (*LobbyTeam, error) {
	l.teams = slices.DeleteFunc(l.teams, func(t *LobbyTeam) bool {
		return t.row.Played == 0 && !l.plays(t) && now.Sub(t.heard) > forgottenFor
	})
	near := 0
	for _, t := range l.teams {
		if t.addr == from {
			near++
		}
	}
	switch {
	case len(l.teams) >= l.cfg.Teams:
		return nil, fmt.Errorf("the lobby is full: it has %d teams", len(l.teams))
	case near >= l.cfg.PerAddress:
		return nil, fmt.Errorf("%d teams have already joined from your address, which is the limit (--per-address)", near)
	}
	t := &LobbyTeam{Name: name, free: now, lot: l.random.Uint64(), row: LobbyRow{Name: name}}
	l.teams = append(l.teams, t)
	return t, nil
}

func (l *Lobby) find(name string) *LobbyTeam {
	i := slices.IndexFunc(l.teams, func(t *LobbyTeam) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return l.teams[i]
}

func (l *Lobby) here(t *LobbyTeam, now soccer.Time) bool { return now.Sub(t.heard) <= presentFor }

// plays reports whether a team is in the match that is being played.
func (l *Lobby) plays(t *LobbyTeam) bool {
	f := l.Current()
	return f != nil && slices.Contains(f.teams[:], t)
}

// Current returns the match that is being played; nil without one.
func (l *Lobby) Current() *Fixture {
	if n := len(l.fixtures); n > 0 && !l.fixtures[n-1].Over {
		return &l.fixtures[n-1]
	}
	return nil
}

// Side returns the team of a side in a match.
func (f *Fixture) Side(side game.Side) *LobbyTeam { return f.teams[side.Index()] }

// Over reports whether all matches have been played.
func (l *Lobby) Over() bool { return l.cfg.Matches > 0 && l.ended >= l.cfg.Matches }

// Draw begins the next match and returns it; nil while one is being played, after the last one, and while too few teams are
// there.
func (l *Lobby) Draw(now soccer.Time) *Fixture {
	if l.Current() != nil || l.Over() {
		return nil
	}
	var free []*LobbyTeam
	for _, t := range l.teams {
		if l.here(t, now) {
			free = append(free, t)
		}
	}
	least := 2
	if l.number == 0 {
		least = l.cfg.Wait
	}
	if len(free) < least {
		return nil
	}
	slices.SortFunc(free, longerWaiting)
	first, others := free[0], free[1:]
	slices.SortStableFunc(others, func(a, b *LobbyTeam) int { return cmp.Compare(l.met[pair(first, a)], l.met[pair(first, b)]) })
	second := others[0]
	if l.random.Uint64()&1 == 1 {
		first, second = second, first
	}
	l.met[pair(first, second)]++
	l.number++
	if len(l.fixtures) >= keptFixtures {
		l.fixtures = slices.Delete(l.fixtures, 0, 1)
	}
	l.fixtures = append(l.fixtures, Fixture{
		Number: l.number, Home: first.Name, Away: second.Name, teams: [2]*LobbyTeam{first, second},
	})
	return l.Current()
}

// longerWaiting orders teams: the one with the fewest matches first, then the one that has waited for longest.
func longerWaiting(a, b *LobbyTeam) int {
	return cmp.Or(cmp.Compare(a.row.Played, b.row.Played), cmp.Compare(a.free, b.free), cmp.Compare(a.lot, b.lot))
}

// pair returns the key of two teams, in whatever order they are given.
func pair(a, b *LobbyTeam) [2]*LobbyTeam {
	if a.Name > b.Name {
		a, b = b, a
	}
	return [2]*LobbyTeam{a, b}
}

// Finish ends the match that is being played. Teams that did not play it to its end lose 0:3, or as the score stands if
// that is worse; both of them lose without a goal for anyone.
func (l *Lobby) Finish(now soccer.Time, goals [2]int, quit [2]bool, reason string) {
	f := l.Current()
	if f == nil {
		return
	}
	switch {
	case quit[0] && quit[1]:
		goals = [2]int{}
	case quit[0] && goals[1]-goals[0] < walkover:
		goals = [2]int{0, walkover}
	case quit[1] && goals[0]-goals[1] < walkover:
		goals = [2]int{walkover, 0}
	}
	f.Goals, f.Reason, f.Over = goals, reason, true
	l.ended++
	for i, t := range f.teams {
		t.free = now
		t.row.count(goals[i], goals[1-i], quit[0] && quit[1])
	}
}

// count counts a match.
func (r *LobbyRow) count(own, other int, quit bool) {
	r.Played++
	r.For, r.Against = r.For+own, r.Against+other
	switch {
	case quit || own < other:
		r.Lost++
	case own == other:
		r.Drawn++
		r.Points += pointsForDraw
	default:
		r.Won++
		r.Points += pointsForWin
	}
}

// Waits returns how many teams that are there play before a team, if nobody comes or goes.
func (l *Lobby) Waits(t *LobbyTeam, now soccer.Time) (before int) {
	for _, o := range l.teams {
		if o != t && l.here(o, now) && !l.plays(o) && longerWaiting(o, t) < 0 {
			before++
		}
	}
	return before
}

// Table returns the teams, the best first: by points, the difference of goals, goals, and names.
func (l *Lobby) Table(now soccer.Time) []LobbyRow {
	rows := make([]LobbyRow, 0, len(l.teams))
	for _, t := range l.teams {
		row := t.row
		row.Here = l.here(t, now)
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b LobbyRow) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(b.For-b.Against, a.For-a.Against), cmp.Compare(b.For, a.For),
			strings.Compare(a.Name, b.Name))
	})
	return rows
}

// LobbyView is the topic "lobby". Its JSON is stable.
type LobbyView struct {
	Lobby   string       `json:"lobby"`  // run of the lobby, for requests
	Robots  int          `json:"robots"` // of each team
	Half    float64      `json:"half"`   // s
	Table   []LobbyRow   `json:"table"`
	Matches []Fixture    `json:"matches"` // the newest ones, oldest first; the last one may be played now
	Ended   int          `json:"ended"`   // matches
	Of      int          `json:"of"`      // matches until the lobby is over; 0: it has no end
	Phase   string       `json:"phase"`   // what goes on
	Refused LobbyRefused `json:"refused"`
}

// LobbyRefused counts what a lobby refused.
type LobbyRefused struct {
	Unsigned  uint64 `json:"unsigned"`  // requests without a signature
	Forged    uint64 `json:"forged"`    // requests that are signed with another key
	Invalid   uint64 `json:"invalid"`   // requests with the key: replays, names in use, full lobby
	TooMany   uint64 `json:"tooMany"`   // requests with the key, beyond the rate of one address
	Datagrams uint64 `json:"datagrams"` // to the fields, without the key of the team
}

// View returns what the lobby is like at now. The caller fills in what it does not know.
func (l *Lobby) View(now soccer.Time) *LobbyView {
	v := &LobbyView{Table: l.Table(now), Matches: append([]Fixture{}, l.fixtures...), Ended: l.ended, Of: l.cfg.Matches}
	here := 0
	for _, r := range v.Table {
		if r.Here {
			here++
		}
	}
	switch {
	case l.Over():
		v.Phase = "all matches are played"
	case l.Current() != nil:
	case l.number == 0:
		v.Phase = fmt.Sprintf("the first match begins when %d teams are here: %d are", l.cfg.Wait, here)
	case here < 2:
		v.Phase = "the next match begins when two teams are here"
	default:
		v.Phase = "the next match begins soon"
	}
	return v
}

// Result returns the newest match of a team that is over; nil without one.
func (l *Lobby) Result(t *LobbyTeam) *Fixture {
	for i := range slices.Backward(l.fixtures) {
		if f := &l.fixtures[i]; f.Over && slices.Contains(f.teams[:], t) {
			return f
		}
	}
	return nil
}
