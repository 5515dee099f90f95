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
	"touchline/watch/bookings"
)

// fieldPeriod is the number of samples between the field's lines in a recording, so that a part that is cut from it has
// them too.
const fieldPeriod = 100

// The numbers of samples between those of the network, of the TCM, of the booking and of the behaviour.
const (
	networkPeriod = int(watch.NetworkPeriod / playback.SamplePeriod)
	tcmPeriod     = int(overview.Period / playback.SamplePeriod)
	bookingPeriod = int(bookings.Period / playback.SamplePeriod)

	behaviourPeriod = 5 // half a second: a View holds a minute
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
	if err := encode(now, playback.WallChannel, wall, write); err != nil {
		return err
	}
	if n%networkPeriod == 0 {
		if err := encode(now, playback.NetworkChannel, session.Network("network"), write); err != nil {
			return err
		}
	}
	if game, ok := session.(Game); ok {
		if err := sampleGame(n, now, game, write); err != nil {
			return err
		}
	}
	team, ok := session.(Team)
	if !ok {
		return nil
	}
	if n%bookingPeriod == 0 {
		if err := encodeTopic(now, playback.BookingChannel, team.Booking("booking"), write); err != nil {
			return err
		}
	}
	if n%behaviourPeriod == 0 {
		if err := encodeTopic(now, playback.BehaviourChannel, team.Behaviour("behaviour"), write); err != nil {
			return err
		}
	}
	if n%tcmPeriod == 0 {
		return encodeTopic(now, playback.TCMChannel, team.Nodes("teamcom"), write)
	}
	return nil
}

// sampleGame writes the topics that only a match has.
func sampleGame(n int, now soccer.Time, game Game, write func(matchlog.Message)) error {
	const away = "." + playback.Away
	if err := encode(now, playback.MatchChannel, game.Match("match"), write); err != nil {
		return err
	}
	if n%bookingPeriod == 0 {
		if err := encodeTopic(now, playback.BookingChannel+away, game.Booking("booking"+away), write); err != nil {
			return err
		}
	}
	if n%tcmPeriod == 0 {
		return encodeTopic(now, playback.TCMChannel+away, game.Nodes("teamcom"+away), write)
	}
	return nil
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

// encodeTopic writes a topic that a session without a TCM does not have: nil.
func encodeTopic(now soccer.Time, channel string, v any, write func(matchlog.Message)) error {
	if v == nil {
		return nil
	}
	return encode(now, channel, v, write)
}

func encode(now soccer.Time, channel string, v any, write func(matchlog.Message)) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("playback: %w", err)
	}
	write(matchlog.Message{Time: now, Channel: channel, Data: data})
	return nil
}
