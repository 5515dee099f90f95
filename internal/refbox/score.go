package refbox

import (
	"bytes"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"touchline/game"
	"touchline/soccer"
)

// maxDatagram is the size limit of a score datagram, in bytes: RefBox 2.1 stops sending beyond 64 kB.
const maxDatagram = 60000

// Score returns the datagram for score clients, with its NUL: the keys of RefBox 2.1 in its order. RefBox 2.1 sends it
// 20 times a second. worldState is a team's last worldstate as received, {} if a number in it exceeds a float64; if the
// datagram would exceed 60,000 bytes, the longer of the two is {}, then both.
func (b *Box) Score(now soccer.Time) []byte {
	s := b.at(now)
	home, away := b.seats[0].rawWorld, b.seats[1].rawWorld
	d := b.scoreWith(&s, home, away)
	if len(d) > maxDatagram {
		if len(home) >= len(away) {
			home = nil
		} else {
			away = nil
		}
		d = b.scoreWith(&s, home, away)
	}
	if len(d) > maxDatagram {
		d = b.scoreWith(&s, nil, nil)
	}
	return d
}

func (b *Box) scoreWith(s *game.State, home, away []byte) []byte {
	p := s.Phase()
	d := append([]byte(nil), `{"type": "teams","version": "2.1","gameState": `...)
	d = strconv.AppendInt(d, int64(p.Number), 10)
	d = append(append(append(d, `,"gameStateString": "`...), p.Name...), `","gameTime": "`...)
	d = append(append(append(d, FormatClock(s.Total)...), `","gameRunTime": "`...), FormatClock(s.Effective)...)
	d = append(d, `","teamA": `...)
	d = b.scoreTeam(d, &b.seats[0], "007BA7", s, home)
	d = append(d, `,"teamB": `...)
	d = b.scoreTeam(d, &b.seats[1], "C240BC", s, away)
	return append(d, '}', 0)
}

func (b *Box) scoreTeam(d []byte, seat *seat, colour string, s *game.State, world []byte) []byte {
	t := s.Team(seat.side)
	short := seat.name()
	if seat.taken {
		short = seat.Short
	}
	d = append(append(append(d, `{"color": "`...), colour...), `","shortName": `...)
	d = append(append(append(d, quoted(short)...), `,"longName": `...), quoted(seat.name())...)
	d = strconv.AppendInt(append(d, `,"score": "`...), int64(t.Goals), 10)
	d = append(d, `","robotState": [`...)
	slots := slots(t, s.Played)
	for i := range slots {
		if i > 0 {
			d = append(d, ',')
		}
		d = append(append(append(d, '"'), slots[i].state...), '"')
	}
	d = append(d, `],"robotWaitTime": [`...)
	for i := range slots {
		if i > 0 {
			d = append(d, ',')
		}
		d = strconv.AppendInt(d, slots[i].wait, 10)
	}
	d = append(d, `],"worldState": `...)
	if len(world) == 0 {
		world = []byte("{}")
	}
	return append(append(d, world...), '}')
}

// slot is one of the five robots of a team, which RefBox 2.1 shows by place, not by number.
type slot struct {
	state string
	wait  int64 // s
}

// slots assigns a team's penalties to slots as RefBox 2.1 does: repairs from the first slot up, cards that send a robot
// off from the fourth slot down, a yellow card to the fifth slot. Penalties beyond five are not shown.
func slots(t *game.Team, played time.Duration) [5]slot {
	var all [5]slot
	for i := range all {
		all[i].state = "play"
	}
	put := func(state string, wait time.Duration, places ...int) {
		for _, i := range places {
			if all[i].state == "play" {
				all[i] = slot{state, max(0, int64((wait+time.Second-1)/time.Second))}
				return
			}
		}
	}
	for i := range t.Penalties {
		p := &t.Penalties[i]
		if !p.Sent || p.Over {
			continue
		}
		left := p.Until - played
		switch p.Command {
		case game.Repair:
			put("repair", left, 0, 1, 2, 3, 4)
		case game.RedCard:
			put("red", 0, 3, 2, 1, 0, 4)
		case game.DoubleYellow:
			put("doubleyellow", left, 3, 2, 1, 0, 4)
		case game.YellowCard:
			put("yellow", 0, 4, 3, 2, 1, 0)
		}
	}
	return all
}

// scoreEvent returns the datagram about a message for score clients, with its NUL.
func (b *Box) scoreEvent(m *game.Message) []byte {
	desc := words[m.Command].score
	if desc == "" {
		desc = words[m.Command].eventLine
	}
	team := ""
	if m.Side != game.Both {
		team = b.seat(m.Side).name()
	}
	d := append([]byte(nil), `{"type": "event","eventCode": "`...)
	d = append(append(append(d, m.Command...), `","eventDesc": "`...), desc...)
	d = append(append(d, `","team": `...), quoted(team)...)
	if m.RobotID != 0 {
		d = strconv.AppendInt(append(d, `,"robotID": `...), int64(m.RobotID), 10)
	}
	return append(d, '}', 0)
}

// quoted returns a text as JSON.
func quoted(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		return `"?"` // not UTF-8, which names of the table are
	}
	return string(b)
}

// numbersFit reports whether each number of valid JSON fits a float64. Many readers of the score refuse the whole datagram
// for one that does not.
func numbersFit(message []byte) bool {
	const most = 300 // digits without an exponent, which always fit
	digits := 0
	for _, c := range message {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c|' ' == 'e' && digits > 0:
			return eachFits(message)
		default:
			digits = 0
		}
		if digits > most {
			return eachFits(message)
		}
	}
	return true
}

// eachFits parses each number.
func eachFits(message []byte) bool {
	d := jsontext.NewDecoder(bytes.NewReader(message), jsontext.AllowDuplicateNames(true))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return false
		}
		if token.Kind() == '0' {
			if _, err := strconv.ParseFloat(token.String(), 64); err != nil {
				return false
			}
		}
		if d.StackDepth() == 0 {
			return true
		}
	}
}
