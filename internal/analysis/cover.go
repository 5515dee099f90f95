package analysis

import (
	"touchline/game/autoref"
	"touchline/soccer"
)

const (
	covers = 3.0 // m, to which a robot covers the field
	period = 0.2 // s in play between two samples of the coverage
)

// cells samples how much of the field each team covers: the share of the middles of its squares of 1 m that lie within
// 3 m of a robot.
type cells struct {
	nx, ny  int
	reach   float64    // m
	field   soccer.Vec // its size in m
	middles []soccer.Vec
	wait    float64 // s until the next sample
	samples int
	sum     [2]float64
}

func (c *cells) lay(f *soccer.Field) {
	scale := scaleOf(f)
	nx, ny := int(min(f.Length/scale, 100)), int(min(f.Width/scale, 100))
	c.reach = covers * scale
	c.nx, c.ny, c.field = nx, ny, soccer.Vec{X: f.Length, Y: f.Width}
	for i := range nx {
		for k := range ny {
			c.middles = append(c.middles, soccer.Vec{
				X: float64((float64(i)+0.5)/float64(nx)*f.Length) - float64(f.Length*0.5),
				Y: float64((float64(k)+0.5)/float64(ny)*f.Width) - float64(f.Width*0.5),
			})
		}
	}
}

// at returns the square of a point; -1 beside the field.
func (c *cells) at(p soccer.Vec) int {
	x, y := (p.X/c.field.X+0.5)*float64(c.nx), (p.Y/c.field.Y+0.5)*float64(c.ny)
	if !(x >= 0 && x < float64(c.nx) && y >= 0 && y < float64(c.ny)) {
		return -1
	}
	return int(x)*c.ny + int(y)
}

// step takes a sample when it is time.
func (c *cells) step(dt float64, s *autoref.Scene) {
	if c.wait -= dt; c.wait > 0 || len(c.middles) == 0 {
		return
	}
	c.wait = max(c.wait+period, 0)
	c.samples++
	var covered [2]int
	for i := range c.middles {
		m := &c.middles[i]
		var by [3]bool
		for k := range s.Robots {
			r := &s.Robots[k]
			t := index(r.Side)
			if by[t] || !r.On {
				continue
			}
			off := r.Pose.XY().Sub(*m)
			by[t] = off.Dot(off) <= c.reach*c.reach
		}
		for t := range covered {
			if by[t] {
				covered[t]++
			}
		}
	}
	for t := range covered {
		c.sum[t] += float64(covered[t]) / float64(len(c.middles))
	}
}

func (c *cells) mean(team int) float64 { return share(c.sum[team], float64(c.samples)) }
