package playback

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire"
)

// fieldPeriod is the number of samples between the field's lines in a recording, so that a part that is cut from it has
// them too.
const fieldPeriod = 100

// The numbers of samples between those of the network, of the TCM, of the booking, of the behaviour and of its machines.
const (
	networkPeriod = int(watch.NetworkPeriod / SamplePeriod)
	tcmPeriod     = int(teamcom.OverviewPeriod / SamplePeriod)
	bookingPeriod = int(watch.BookingPeriod / SamplePeriod)

	behaviourPeriod = 5 // half a second: a View holds a minute

	machinePeriod = 10 // a second
)

// declare sets the schemas of the recorded channels.
func declare(w *matchlog.Writer) {
	for channel, s := range allSchemas() {
		w.Declare(channel, s)
	}
}

var allSchemas = sync.OnceValue(func() map[string]matchlog.Schema {
	robots := []uint8{}
	for id := uint8(1); id <= mostManaged; id++ {
		robots = append(robots, id)
	}
	return schemas(robots...)
})

// mostManaged is the greatest id of a robot whose pictures have a schema: a program manages 32 robots.
const mostManaged = 32

// Schema returns the schema of a recorded channel; one without a name for none.
func Schema(channel string) matchlog.Schema { return allSchemas()[channel] }

// sampleSession calls put with what the n-th sample of a session keeps, one each SamplePeriod: the page's topics and the
// scene for Foxglove. Message encodes it, also later and on another goroutine. logged is the time of the newest event in the
// record, in s of the session.
func sampleSession(n int, now soccer.Time, wall *watch.Wall, session Session, logged *float64, put func(channel string, v any)) {
	samplePage(n, wall, session, put)
	sampleScene(n, now, wall, logged, put)
}

// message returns the message of a channel with a value that SampleSession passed to put, with the digits that a picture
// shows.
func message(now soccer.Time, channel string, v any) (matchlog.Message, error) {
	if later, ok := v.(func() any); ok {
		v = later()
	}
	data, err := json.Marshal(v)
	if err != nil {
		return matchlog.Message{}, fmt.Errorf("playback: %w", err)
	}
	return withoutNulls(matchlog.Message{Time: now, Channel: channel, Data: wire.RoundNumbers(data)}), nil
}

// withoutNulls returns a message of a channel with a schema as the schema wants it. It changes m.Data.
func withoutNulls(m matchlog.Message) matchlog.Message {
	topic := strings.HasPrefix(m.Channel, matchlog.TopicPrefix) && !strings.HasPrefix(m.Channel, picturePrefix)
	if topic || m.Channel == matchlog.Truth || m.Channel == matchlog.States {
		m.Data = dropNulls(m.Data)
	}
	return m
}

// samplePage puts the page's topics.
func samplePage(n int, wall *watch.Wall, session Session, put func(channel string, v any)) {
	put(WallChannel, wall)
	if n%networkPeriod == 0 {
		put(NetworkChannel, session.Network("network"))
	}
	if game, ok := session.(twoTeams); ok {
		put(matchChannel, game.Match("match"))
		sampleTeam(n, game, "."+away, put)
	}
	if team, ok := session.(team); ok {
		sampleTeam(n, team, "", put)
		if n%behaviourPeriod == 0 {
			sampleBehaviour(n, team.Behaviour("behaviour"), put)
		}
	}
}

// sampleTeam puts the topics with a suffix that each team has. Without a TCM they are nil.
func sampleTeam(n int, team team, suffix string, put func(channel string, v any)) {
	if n%bookingPeriod == 0 {
		if v := team.Booking("booking" + suffix); v != nil {
			put(BookingChannel+suffix, v)
		}
	}
	if n%tcmPeriod == 0 {
		if v := team.Nodes("teamcom" + suffix); v != nil {
			put(TCMChannel+suffix, v)
		}
	}
}

// sampleBehaviour puts what the robots decide, and once a second their state machines, each in a channel of its own: a
// program that replays the recording, or a part of it, may not know them.
func sampleBehaviour(n int, topic any, put func(channel string, v any)) {
	v, ok := topic.(watch.BehaviourView)
	if !ok {
		return
	}
	if n%machinePeriod == 0 {
		for _, m := range v.Machines {
			put(machineChannel(m.Checksum), m.Machine)
		}
	}
	v.Machines = []watch.BehaviourMachine{}
	put(BehaviourChannel, v)
}

// sampleScene puts the scene, and the events that are newer than logged.
func sampleScene(n int, now soccer.Time, wall *watch.Wall, logged *float64, put func(channel string, v any)) {
	if n%fieldPeriod == 0 {
		put(FieldChannel, func() any { return field(now, wall.Field) })
	}
	put(SceneChannel, func() any { return Scene(now, wall) })
	put(TransformsChannel, func() any { return transforms(now, wall) })
	newest := *logged
	for _, m := range wall.Marks {
		if m.Time > *logged {
			at := now.Add(seconds(min(m.Time-wall.Time, 0)))
			put(LogChannel, logEntry{Timestamp: timeOf(at), Level: infoLevel, Message: m.Text, Name: m.Kind})
			newest = max(newest, m.Time)
		}
	}
	*logged = newest
}
