package watch

import (
	"fmt"
	"slices"
	"strings"
)

// Times after which something is an alarm, in ms: longer than a healthy team needs.
const (
	twoFor  = 300.0
	noneFor = 600.0
)

// bookingAlarms returns what is wrong, the most urgent first.
func bookingAlarms(v *BookingView) []string {
	var found []string
	if v.Two.NowMs >= twoFor {
		found = append(found, fmt.Sprintf("%s have booked the ball at the same time for %s: they do not receive each "+
			"other's claims.",
			robotsText(v, func(r *BookingRobot) bool { return r.Booker == r.Number }), seconds(v.Two.NowMs)))
	}
	if v.None.NowMs >= noneFor {
		sees := robotsText(v, func(r *BookingRobot) bool { return r.Own != nil })
		found = append(found, fmt.Sprintf("No robot has booked the ball for %s, but it is seen by %s.", seconds(v.None.NowMs),
			strings.ToLower(sees[:1])+sees[1:]))
	}
	found = append(found, liars(v)...)
	return append(found, protocols(v)...)
}

// liars returns an alarm for each robot whose claims others ignore.
func liars(v *BookingView) (found []string) {
	var named []uint8
	for i := range v.Robots {
		for _, ignored := range v.Robots[i].Ignores {
			if slices.Contains(named, ignored.Robot) {
				continue
			}
			named = append(named, ignored.Robot)
			by := robotsText(v, func(r *BookingRobot) bool {
				return slices.ContainsFunc(r.Ignores, func(o Ignored) bool { return o.Robot == ignored.Robot })
			})
			why := "makes claims that contradict the others, or sends no belief with its pose"
			if ignored.Claims != nil && ignored.Seen != nil {
				why = fmt.Sprintf("claims %.1f m to the ball but is seen at %.1f m", *ignored.Claims, *ignored.Seen)
			}
			found = append(found, fmt.Sprintf("Robot %d %s: its claims are ignored by %s.", ignored.Robot, why,
				strings.ToLower(by[:1])+by[1:]))
		}
	}
	return found
}

// protocols returns an alarm for each robot that books by another protocol than the first one.
func protocols(v *BookingView) (found []string) {
	common := ""
	for i := range v.Robots {
		r := &v.Robots[i]
		switch {
		case r.Protocol == "":
		case common == "":
			common = r.Protocol
		case r.Protocol != common:
			found = append(found, fmt.Sprintf("Robot %d books by the protocol %s, the others by %s: give all the same one.",
				r.Number, r.Protocol, common))
		}
	}
	return found
}

// robotsText returns the numbers of some robots as the subject of a sentence: "Robots 1, 2 and 3".
func robotsText(v *BookingView, which func(*BookingRobot) bool) string {
	var numbers []string
	for i := range v.Robots {
		if r := &v.Robots[i]; r.Live && which(r) {
			numbers = append(numbers, fmt.Sprint(r.Number))
		}
	}
	switch n := len(numbers); n {
	case 0:
		return "No robot"
	case 1:
		return "Robot " + numbers[0]
	default:
		return "Robots " + strings.Join(numbers[:n-1], ", ") + " and " + numbers[n-1]
	}
}

func seconds(ms float64) string { return fmt.Sprintf("%.1f s", ms/1e3) }
