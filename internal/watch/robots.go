package watch

import (
	"touchline/soccer"
)

// Booking returns the topic "booking".
func (i *Inspector) Booking(now soccer.Time) BookingsView { return i.booking.View(i.sessionTime(now)) }

// Behaviour returns the topic "behaviour".
func (i *Inspector) Behaviour(now soccer.Time) BehaviourView {
	return i.behaviour.View(i.sessionTime(now))
}

// Doing returns what a robot does now; see BehaviourTimeline.
func (i *Inspector) Doing(group, robot uint8, now soccer.Time) (Doing, bool) {
	return i.behaviour.Doing(group, robot, i.sessionTime(now))
}

func (i *Inspector) sessionTime(now soccer.Time) soccer.Time {
	if i.Clock == nil {
		return now
	}
	return i.start.Add(i.Clock())
}
