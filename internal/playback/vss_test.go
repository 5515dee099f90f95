package playback

import (
	"encoding/json"
	"testing"

	"touchline/internal/vss"
	"touchline/matchlog"
	"touchline/soccer"
)

// The field of a VSS simulator has its ball and the robots that are on, and its messages fit their schemas.
func TestVSSScene(t *testing.T) {
	v := &vss.Show{Field: soccer.MSL18x12(), Waiting: []string{}, Clients: []vss.ShowClient{{}}, Marks: []vss.ShowMark{{Kind: "goal"}},
		Referee: &vss.ShowReferee{}, Ball: vss.ShowBall{Position: soccer.Vec3{X: 0.3, Y: -0.1}},
		Blue: []vss.ShowRobot{{ID: 0, On: true, Pose: soccer.Pose{X: 0.2, Y: 0.1, Theta: 1}}, {ID: 1}}, Yellow: []vss.ShowRobot{{ID: 2, On: true}},
	}
	scene, frames := sceneOfVSS(soccer.Epoch, v), framesOfVSS(soccer.Epoch, v).Transforms
	e := scene.Entities[0]
	if p := e.Spheres[0].Pose.Position; p != size(0.3, -0.1, soccer.VSSBallRadius) {
		t.Errorf("the ball is at %v", p)
	}
	if len(e.Cubes) != 2 || e.Cubes[0].Pose.Position.X != 0.2 || e.Cubes[0].Color != blue || e.Cubes[1].Color != yellow || e.Texts[1].Text != "2" {
		t.Errorf("the robots are %+v, their numbers %+v", e.Cubes, e.Texts)
	}
	if len(frames) != 2 || frames[0].ChildFrameID != "blue/0" || frames[1].ChildFrameID != "yellow/2" {
		t.Errorf("the frames are %+v", frames)
	}
	for channel, value := range map[string]any{
		matchlog.VSS: v, SceneChannel: scene, TransformsChannel: framesOfVSS(soccer.Epoch, v), FieldChannel: field(soccer.Epoch, v.Field),
	} {
		m, err := message(soccer.Epoch, channel, value)
		if err != nil {
			t.Fatal(err)
		}
		var data any
		var schema map[string]any
		if err := json.Unmarshal(m.Data, &data); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(Schema(channel).Data, &schema); err != nil {
			t.Fatal(err)
		}
		checkSchema(t, channel, schema, data)
	}
}
