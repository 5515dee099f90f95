package playbacknet

import (
	"encoding/json"
	"fmt"

	"touchline/matchlog"
	"touchline/playback"
	"touchline/playback/foxglove"
	"touchline/soccer"
	"touchline/teamcom/overview"
	"touchline/watch"
)

// fieldPeriod is the number of samples between the field's lines in a recording, so that a part that is cut from it has
// them too.
const fieldPeriod = 100

// networkPeriod is the number of samples between those of the network, tcmPeriod between those of the TCM.
const (
	networkPeriod = int(watch.NetworkPeriod / playback.SamplePeriod)
	tcmPeriod     = int(overview.Period / playback.SamplePeriod)
)

// Declare sets the schemas of the recorded channels.
func Declare(w *matchlog.Writer) {
	for channel, s := range foxglove.Schemas() {
		w.Declare(channel, matchlog.Schema{Name: s.Name, Data: s.Data})
	}
}

// Sample calls write with the messages of the n-th sample of a session that is recorded, one each
// playback.SamplePeriod: the page's topics and the scene for Foxglove.
func Sample(n int, now soccer.Time, wall *watch.Wall, session Session, write func(matchlog.Message)) error {
	if err := samplePage(n, now, wall, session, write); err != nil {
		return err
	}
	return sampleScene(n, now, wall, write)
}

// samplePage writes the page's topics.
func samplePage(n int, now soccer.Time, wall *watch.Wall, session Session, write func(matchlog.Message)) error {
	err := encode(now, playback.WallChannel, wall, write)
	if err != nil || n%networkPeriod != 0 {
		return err
	}
	if err := encode(now, playback.NetworkChannel, session.Network("network"), write); err != nil {
		return err
	}
	team, ok := session.(Team)
	if !ok || n%tcmPeriod != 0 {
		return nil
	}
	nodes := team.Nodes("teamcom")
	if nodes == nil {
		return nil
	}
	return encode(now, playback.TCMChannel, nodes, write)
}

// sampleScene writes the scene.
func sampleScene(n int, now soccer.Time, wall *watch.Wall, write func(matchlog.Message)) error {
	if n%fieldPeriod == 0 {
		if err := encode(now, foxglove.FieldChannel, foxglove.Field(now, wall.Field), write); err != nil {
			return err
		}
	}
	if err := encode(now, foxglove.SceneChannel, foxglove.Scene(now, wall), write); err != nil {
		return err
	}
	return encode(now, foxglove.TransformsChannel, foxglove.Transforms(now, wall), write)
}

func encode(now soccer.Time, channel string, v any, write func(matchlog.Message)) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("playback: %w", err)
	}
	write(matchlog.Message{Time: now, Channel: channel, Data: data})
	return nil
}
