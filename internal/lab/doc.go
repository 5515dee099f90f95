// Package lab measures what takes too long for a test. The program touchline-lab prints its reports; the same seeds give
// the same figures, and the pages in docs explain them.
//
//   - kill.go, takeover.go, flood.go: a referee box is killed, followed or flooded, and nothing may be lost
//   - matches.go: many matches of five against five in virtual time compare two teams, which change their sides with each
//     seed (docs/match.md)
//   - rivals.go: the ball booking beside other protocols, on a lossy network and with a booker that crashes every 15 s
//     (docs/booking.md)
//   - scenario.go: a robot's world model against the truth. Games come from a generator (trials_game.go, camera.go,
//     link.go) or from the practical session (session.go, players.go); the published fusion rules see the same
//     observations (ballrules.go, obstaclerules.go). The scenarios are our own: no league has published common ones
//     (docs/world.md)
//   - sights.go: what percepts make of the pixels of drawn pictures, against the truth (docs/camera.md)
//   - xg.go: shots of a built-in robot at the built-in goalkeeper, from which the table of expected goals comes
//     (docs/analysis.md)
//   - walks.go: how well a robot knows its own pose while it drives among others, beside the error minimisation of Tribots
//     and the odometry alone (docs/world.md)
package lab
