package programnet

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/match"
	"touchline/internal/robot"
	"touchline/soccer"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// TestMain plays a team where a test starts this program for it.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "play" {
		play(os.Args[2], os.Args[3:])
		return
	}
	os.Exit(m.Run())
}

// play is a program that plays a team, well or badly.
func play(how string, args []string) {
	r, w := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	x := [match.MostRobots + 1]float32{}
	for turn := uint32(1); ; turn++ {
		for {
			datagram := readFrame(r)
			if datagram == nil {
				return
			}
			if len(datagram) == 0 {
				break
			}
			see(datagram, &x)
		}
		switch {
		case how == "exit" && turn == 50:
			fmt.Fprintln(os.Stderr, "no policy")
			os.Exit(3)
		case how == "leave" && turn == 50:
			return
		case how == "hang" && turn == 50:
			select {}
		case how == "stubborn":
			time.Sleep(time.Minute) // it ignores the end of its input
		case how == "print" && turn == 50:
			fmt.Fprint(w, "robot 3 has the ball\n")
		case how == "long" && turn == 50:
			writeFrame(w, make([]byte, tcm.MaxDatagram+1))
		case how == "flood" && turn == 50:
			for range mostFrames + 1 {
				writeFrame(w, []byte("TCM"))
			}
		case how == "torn" && turn == 50:
			_, _ = w.Write([]byte{9, 0, 0, 0, 'T', 'C', 'M'})
			w.Flush()
			return
		case how == "parent" && turn == 1:
			child := exec.Command(os.Args[0], "play", "stubborn")
			if err := child.Start(); err != nil {
				panic(err)
			}
			fmt.Fprintln(os.Stderr, child.Process.Pid)
		case how == "malformed" && turn == 50:
			writeFrame(w, []byte("TCM, but nothing behind it"))
			fmt.Fprint(os.Stderr, strings.Repeat("x", 2*mostLine)+"\nand done")
		case how == "lost" && turn == 50:
			drive(w, turn, 2, 9, 1) // no such robot
			drive(w, turn, 3, 1, 1) // of another team
			x[1] = 1e9
		}
		for n := uint8(1); n <= match.MostRobots; n++ {
			drive(w, turn, args[0][0]-'0', n, 1+x[n]/100)
		}
		writeFrame(w, nil)
		w.Flush()
	}
}

// see sets where a robot is.
func see(datagram []byte, x *[match.MostRobots + 1]float32) {
	var d tcm.Datagram
	if err := d.UnmarshalBinary(datagram); err != nil {
		panic(err)
	}
	for i := range d.Pieces {
		var s team.Sense
		if p := &d.Pieces[i]; p.Type == tcm.Type(team.TypeSense) && s.UnmarshalBinary(p.Data) == nil {
			x[d.To.ID] = s.Percepts.Self.X
		}
	}
}

// drive writes a motor command.
func drive(w io.Writer, turn uint32, side, number uint8, speed float32) {
	motor, err := (&team.Motor{Sequence: turn}).AppendBinary(nil)
	if err != nil {
		panic(err)
	}
	binary.LittleEndian.PutUint32(motor[6:], math.Float32bits(speed)) // whatever it is
	d := tcm.Datagram{
		Header: tcm.Header{Team: side, From: tcm.Entity{Kind: tcm.Robot, ID: number}, To: robot.Field, Socket: tcm.Telemetry,
			Boot: 1, Sequence: uint64(turn), Sent: uint64(turn) * uint64(match.TurnPeriod)},
		Pieces: []tcm.Piece{{Module: tcm.Cmd, Type: tcm.Type(team.TypeMotor), Number: turn, Data: motor}},
	}
	b, err := d.AppendBinary(nil)
	if err != nil {
		panic(err)
	}
	writeFrame(w, b)
}

// readFrame returns nil at the end of the input.
func readFrame(r io.Reader) []byte {
	var length uint32
	if binary.Read(r, binary.LittleEndian, &length) != nil {
		return nil
	}
	b := make([]byte, length)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil
	}
	return b
}

func writeFrame(w io.Writer, b []byte) { // an error means that the match is over
	_ = binary.Write(w, binary.LittleEndian, uint32(len(b)))
	_, _ = w.Write(b)
}

// played is what became of a match with a program.
type played struct {
	match *match.Match
	truth uint64      // hash of where everything was
	way   [10]float64 // m that each robot drove, home 1.., away 1..
	told  []string
	took  time.Duration
}

// playMatch plays a match of 2 x 2 s with programs that play like this; "": touchline.
func playMatch(t *testing.T, ctx context.Context, home, away string) played {
	t.Helper()
	cfg := match.DefaultMatchConfig()
	cfg.Half = 2 * time.Second
	for side, how := range map[game.Side]string{game.Home: home, game.Away: away} {
		if how == "" {
			continue
		}
		found, err := match.FindTeam("program:PROGRAM play "+how+" {team}", nil)
		if err != nil {
			t.Fatal(err)
		}
		found.Program[0] = os.Args[0]
		*cfg.Team(side) = found
	}
	var p played
	later := time.Minute // longer than a busy machine needs
	if away == "hang" {
		later = 500 * time.Millisecond
	}
	programs, err := Start(ctx, Config{
		Tell: func(line string) { p.told = append(p.told, line) }, first: time.Minute, later: later,
	}, &cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		begin := time.Now()
		programs.Close()
		p.took = time.Since(begin)
	}()
	h := fnv.New64a()
	tap := match.Tap{Sample: func(_ soccer.Time, s *autoref.Scene, _ *game.State) {
		fmt.Fprintln(h, s.Ball)
		for i := range s.Robots {
			fmt.Fprintln(h, s.Robots[i].Pose)
			p.way[i] += s.Robots[i].Velocity.Len() / 10
		}
	}}
	programs.Tap(&tap)
	if p.match, err = match.NewMatch(cfg, tap); err != nil {
		t.Fatal(err)
	}
	for !p.match.Over() && p.match.Err() == nil && ctx.Err() == nil {
		p.match.Advance(p.match.Now().Add(200 * time.Millisecond))
	}
	p.truth = h.Sum64()
	programs.Close()
	return p
}

// A program drives all robots of its team, and plays the same match again. Two programs may play each other.
func TestProgramPlays(t *testing.T) {
	t.Parallel()
	for _, home := range []string{"", "well"} {
		a, b := playMatch(t, t.Context(), home, "well"), playMatch(t, t.Context(), home, "well")
		if err := a.match.Err(); err != nil || a.truth != b.truth || a.match.Now() != b.match.Now() {
			t.Errorf("%v; two matches of one seed differ: %x and %x", err, a.truth, b.truth)
		}
		if slices.Min(a.way[:]) < 0.5 {
			t.Errorf("the robots drove %.2f m", a.way)
		}
		if len(a.told) > 0 {
			t.Errorf("told %q", a.told)
		}
	}
}

// The error of a program that fails names the team, the program, the time of the match and what to do.
func TestProgramFails(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{
		"exit":  "at 980ms: the away team, program:PROGRAM play exit {team}: it ended before the match was over: exit status 3; its standard error ends with \"no policy\"",
		"leave": "must play until its standard input ends",
		"hang":  "no answer for 500ms of wall time: it must answer the empty frame of each turn",
		"print": `it wrote "robot 3 has the ball" where a frame begins`,
		"long":  "length would be 1473, and a datagram has at most 1472 bytes",
		"flood": "it wrote more than 250 frames in one turn",
		"torn":  "it ended or closed its standard output",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			p := playMatch(t, t.Context(), "", how)
			if err := p.match.Err(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v; want %q", err, want)
			}
			if at := p.match.Now().Sub(soccer.Epoch); at > 2*time.Second {
				t.Errorf("the match went on for %v", at)
			}
		})
	}
}

// A program whose datagrams are wrong plays on, and the user is told.
func TestProgramIsCorrected(t *testing.T) {
	t.Parallel()
	for how, want := range map[string][]string{
		"malformed": {"away: " + strings.Repeat("x", mostLine), "away: and done", "away: malformed datagrams: 1, the first at 0.98 s: "},
		"lost":      {"away: refused motor commands: 1, the first at 0.98 s: ", "messages that did not decode", "refused: otherTeam 1 "},
	} {
		p := playMatch(t, t.Context(), "", how)
		if told := strings.Join(p.told, "\n"); p.match.Err() != nil || !p.match.Over() || strings.Contains(told, strings.Repeat("x", mostLine+1)) {
			t.Errorf("%s: %v, told %s", how, p.match.Err(), told)
		}
		for _, text := range want {
			if told := strings.Join(p.told, "\n"); !strings.Contains(told, text) {
				t.Errorf("%s: told %s, want %s", how, told, text)
			}
		}
	}
}

// A program that does not start is an error at once, and Ctrl-C ends one that hangs.
func TestProgramStartsAndEnds(t *testing.T) {
	t.Parallel()
	cfg := match.DefaultMatchConfig()
	cfg.Home.External, cfg.Home.Name, cfg.Home.Program = true, "program:./gone", []string{"./gone"}
	if _, err := Start(t.Context(), Config{}, &cfg); err == nil || !strings.Contains(err.Error(), "program:./gone: it does not start") {
		t.Error(err)
	}
	if _, err := match.NewMatch(cfg, match.Tap{}); err == nil {
		t.Error("a match plays without its program")
	}
	ctx, interrupt := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer interrupt()
	if p := playMatch(t, ctx, "", "stubborn"); p.match.Err() != nil || p.took > 30*time.Second {
		t.Errorf("%v; it ended within %v", p.match.Err(), p.took)
	}
}

// FuzzFrames: what is read is what was written, whatever it is; nothing is longer than a datagram.
func FuzzFrames(f *testing.F) {
	f.Add([]byte{3, 0, 0, 0, 'T', 'C', 'M', 0, 0, 0, 0})
	f.Add([]byte("Traceback (most recent call last):\n"))
	f.Add([]byte{0xc1, 5, 0, 0})
	f.Add([]byte{5, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, again := newFrames(bytes.NewReader(b)), []byte{}
		for {
			datagram, err := r.next()
			if err != nil {
				break
			}
			if len(datagram) > tcm.MaxDatagram {
				t.Fatalf("a frame of %d bytes", len(datagram))
			}
			again = appendFrame(again, datagram)
		}
		if !bytes.HasPrefix(b, again) {
			t.Errorf("%x is read as %x", b, again)
		}
		if rest := b[len(again):]; len(rest) >= frameHead {
			if length := binary.LittleEndian.Uint32(rest); length <= tcm.MaxDatagram && len(rest) >= frameHead+int(length) {
				t.Errorf("%x: a whole frame is not read", rest)
			}
		}
	})
}
