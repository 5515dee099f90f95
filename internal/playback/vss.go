package playback

import (
	"context"
	"fmt"
	"time"

	"touchline/internal/playback/foxglovenet"
	"touchline/internal/vss"
	"touchline/matchlog"
	"touchline/soccer"
)

// ServeVSS shows the field of a VSS simulator to clients of Foxglove, ten times a second until ctx ends.
func ServeVSS(ctx context.Context, clients *foxglovenet.Server, show func() *vss.Show) error {
	ticker, clock := time.NewTicker(SamplePeriod), soccer.NewClock(time.Now())
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case tick := <-ticker.C:
			now, v := clock.At(tick), show()
			for _, part := range []struct {
				channel string
				value   func() any
			}{
				{matchlog.VSS, func() any { return v }},
				{SceneChannel, func() any { return sceneOfVSS(now, v) }},
				{TransformsChannel, func() any { return framesOfVSS(now, v) }},
				{FieldChannel, func() any { return field(now, v.Field) }},
			} {
				if !clients.Wants(part.channel) {
					continue
				}
				m, err := message(now, part.channel, part.value)
				if err != nil {
					return err
				}
				clients.Put(m)
			}
		}
	}
}

// Colours of the teams of VSS.
var (
	blue   = color{0.1, 0.35, 0.85, 1}
	yellow = color{0.95, 0.8, 0.1, 1}
)

// eachOfVSS calls do with the robots that are on, the names of their frames, and their colours.
func eachOfVSS(v *vss.Show, do func(name string, r *vss.ShowRobot, c color)) {
	for _, team := range []struct {
		name   string
		robots []vss.ShowRobot
		color  color
	}{{"blue", v.Blue, blue}, {"yellow", v.Yellow, yellow}} {
		for i := range team.robots {
			if r := &team.robots[i]; r.On {
				do(fmt.Sprintf("%s/%d", team.name, r.ID), r, team.color)
			}
		}
	}
}

// sceneOfVSS returns the ball and the robots.
func sceneOfVSS(now soccer.Time, v *vss.Show) sceneUpdate {
	const d, edge = 2 * soccer.VSSBallRadius, soccer.VSSRobotEdge
	e, p := newEntity("truth", now), v.Ball.Position
	e.Spheres = append(e.Spheres, solid{at(p.X, p.Y, max(p.Z, soccer.VSSBallRadius), 0), size(d, d, d), orange})
	eachOfVSS(v, func(_ string, r *vss.ShowRobot, c color) {
		e.Cubes = append(e.Cubes, solid{at(r.Pose.X, r.Pose.Y, edge/2, r.Pose.Theta), size(edge, edge, edge), c})
		e.Arrows = append(e.Arrows, arrow{
			Pose: at(r.Pose.X, r.Pose.Y, edge, r.Pose.Theta), ShaftLength: 0.03, ShaftDiameter: 0.008, HeadLength: 0.02,
			HeadDiameter: 0.02, Color: ink,
		})
		e.Texts = append(e.Texts, text{
			Pose: at(r.Pose.X, r.Pose.Y, 2*edge, 0), Billboard: true, FontSize: 0.06, Color: c, Text: fmt.Sprint(r.ID),
		})
	})
	return sceneUpdate{Deletions: []deletion{}, Entities: []entity{e}}
}

// framesOfVSS returns the frames of the robots within the frame "field": blue/0, yellow/2.
func framesOfVSS(now soccer.Time, v *vss.Show) frameTransforms {
	frames := []frameTransform{}
	eachOfVSS(v, func(name string, r *vss.ShowRobot, _ color) {
		frames = append(frames, frameTransform{
			Timestamp: timeOf(now), ParentFrameID: fieldFrame, ChildFrameID: name, Translation: size(r.Pose.X, r.Pose.Y, 0),
			Rotation: turn(r.Pose.Theta),
		})
	})
	return frameTransforms{frames}
}
