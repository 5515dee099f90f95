package vss_test

import (
	"encoding/binary"
	"math"
	"testing"

	"touchline/internal/vss"
	"touchline/soccer"
	"touchline/wire/firasim"
)

// raw is the fuzzer's bytes, from which the numbers of an Environment are taken.
type raw []byte

func (r *raw) bits() uint64 {
	var b [8]byte
	*r = (*r)[copy(b[:], *r):]
	return binary.LittleEndian.Uint64(b[:])
}

func (r *raw) number() float64 { return math.Float64frombits(r.bits()) }

func (r *raw) environment(step uint32) firasim.Environment {
	env := firasim.Environment{Step: step, HasFrame: true}
	what := r.bits()
	env.Frame.HasBall = what&1 == 0
	env.Frame.Ball = firasim.Ball{X: r.number(), Y: r.number(), VX: r.number(), VY: r.number()}
	robots := func(n uint64) (team []firasim.Robot) {
		for i := range n {
			id := uint32(i)
			if what>>(32+i)&1 == 1 {
				id = uint32(r.bits())
			}
			team = append(team, firasim.Robot{ID: id, X: r.number(), Y: r.number(), Orientation: r.number(),
				VX: r.number(), VY: r.number()})
		}
		return team
	}
	env.Frame.Blue, env.Frame.Yellow = robots(what>>8&7), robots(what>>16&7)
	return env
}

func seeds(f *testing.F) {
	f.Add(uint32(16), []byte{})
	words := func(v ...float64) (b []byte) {
		b = binary.LittleEndian.AppendUint64(nil, 5<<8|5<<16)
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
		return b
	}
	f.Add(uint32(100), words(math.NaN(), 1, 2, 3, 0.1, 0.1, math.Inf(1), 1, 1))
	f.Add(uint32(16), words(0.1, 0.1, 1e308, -1e308, -0.2, 0.1, 1e300, 5, 5, 0, 0, 5e-324))
	f.Add(uint32(1<<31), words(-1.2, 0, 0, 0, -1.05, 0, 0, 0, 0, -1.05, 0, 0, 0, 0))
}

// FuzzPlay checks that commands stay finite and within the limits of wheels for any vision.
func FuzzPlay(f *testing.F) {
	seeds(f)
	field, gameOn := soccer.VSS5v5(), firasim.RefereeCommand{Foul: firasim.GameOn, Team: firasim.NoTeam}
	f.Fuzz(func(t *testing.T, step uint32, b []byte) {
		teams := []*vss.Team{vss.NewTeam(false, field, 5, 1), vss.NewTeam(true, field, 3, 1)}
		var out firasim.Packet
		for r, tick := raw(b), uint32(0); tick < 8; tick++ {
			env := r.environment(tick * step)
			for _, own := range teams {
				own.Play(&env, gameOn, &out)
				for _, c := range out.Commands {
					if !(math.Abs(c.Left) <= 100 && math.Abs(c.Right) <= 100) {
						t.Fatalf("tick %d: got command %+v for %+v", tick, c, env)
					}
				}
			}
		}
	})
}

// FuzzWatch checks that the referee places robots and ball only at finite places on the field, for any vision.
func FuzzWatch(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, step uint32, b []byte) {
		cfg := vss.DefaultRefereeConfig(soccer.VSS5v5(), 5)
		ref := vss.NewReferee(cfg)
		for r, tick := raw(b), uint32(0); tick < 2000 && (tick < 1200 || len(r) > 0); tick++ {
			if tick%500 == 10 {
				for _, team := range []firasim.Color{firasim.Blue, firasim.Yellow, firasim.Color(int32(r.bits()))} {
					wish := r.environment(0).Frame
					ref.Place(&firasim.Placement{HasWorld: true, Team: team, Robots: wish.Blue})
				}
			}
			env := r.environment(tick * (step % 64))
			_, _, replace := ref.Watch(&env)
			if replace == nil {
				continue
			}
			ball := replace.Replacement.Ball
			if !(math.Abs(ball.X) <= cfg.Field.Length/2 && math.Abs(ball.Y) <= cfg.Field.Width/2) {
				t.Fatalf("got the ball placed at %+v", ball)
			}
			for _, p := range replace.Replacement.Robots {
				at := p.Position
				if !(math.Abs(at.X) < cfg.Field.Length/2 && math.Abs(at.Y) < cfg.Field.Width/2 &&
					math.Abs(at.Orientation) <= 180.001) || at.ID > 4 {
					t.Fatalf("got a robot placed at %+v", at)
				}
			}
		}
	})
}
