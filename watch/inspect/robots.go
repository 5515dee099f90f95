package inspect

import (
	"touchline/soccer"
	"touchline/watch/behaviour"
	"touchline/watch/bookings"
)

// Booking returns the topic "booking".
func (i *Inspector) Booking(now soccer.Time) bookings.View { return i.booking.View(i.sessionTime(now)) }

// Behaviour returns the topic "behaviour".
func (i *Inspector) Behaviour(now soccer.Time) behaviour.View {
	return i.behaviour.View(i.sessionTime(now))
}

// Doing returns what a robot does now; see behaviour.Timeline.
func (i *Inspector) Doing(group, robot uint8, now soccer.Time) (behaviour.Doing, bool) {
	return i.behaviour.Doing(group, robot, i.sessionTime(now))
}

func (i *Inspector) sessionTime(now soccer.Time) soccer.Time {
	if i.Clock == nil {
		return now
	}
	return i.start.Add(i.Clock())
}
