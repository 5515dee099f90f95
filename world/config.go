// Package world is one robot's world model: observations in, one stable World out.
//
// Each robot fuses raw percepts, its own and those that its teammates send, in one Kalman filter a thing; fused tracks
// are never sent on, so nothing is counted twice. A measurement counts at its capture time, however late it arrives. A
// track must be confirmed by several hits before it exists: without that, false detections restart the filter and its
// error is metres, whatever the filter (facts teamchaos 3.3). The model is a pure core: the same calls give the same
// World on every processor.
package world

import (
	"time"

	"touchline/soccer"
)

// Config says how a Model weighs what it hears.
type Config struct {
	Robot uint8        // own jersey number
	Color soccer.Color // own side: packets of the other are not fused

	// Latency is the least age of a package's contents on arrival: v1 has no time at all, and the least delay of v2 cannot
	// be told from a clock offset. Default 60 ms.
	Latency time.Duration

	SigmaBase    float64 // m, noise of a seen position at no distance. Default 0.03
	SigmaAlong   float64 // growth along the line of sight, m per m. Default 0.04
	SigmaAcross  float64 // rad, noise across it. Default 0.02
	PoseSigma    float64 // m, self-localisation error of whoever saw it. Default 0.08 (facts teamchaos 3.3)
	PoseHeading  float64 // rad, its heading error. Default 0.02
	PeerScale    float64 // variance factor for what teammates report: above 1 trusts own eyes more. Default 1
	UnknownScale float64 // variance factor for confidence 0 in v2. Default 9

	Gate float64 // squared Mahalanobis distance within which a measurement belongs to a track. Default 13.8 (99.9 %)

	// BallNoise is the white acceleration of the ball in m^2/s^3: low enough to smooth, high enough to follow bounces; with
	// the default of 3 the covariance is honest (NEES 2.2 in the practical session).
	BallNoise        float64
	BallDeceleration float64       // m/s^2, rolling friction. Default 0.5
	BallSpeed        float64       // m/s, sigma of a new ball's unknown velocity. Default 3
	BallHits         int           // hits that confirm a ball. Default 3
	BallTimeout      time.Duration // a ball unseen for longer is no longer known. Default 1 s
	BallMemory       time.Duration // time constant with which a robot's sight of a ball loses weight when two tracks compete. Default 80 ms

	ObstacleNoise   float64       // m^2/s^3. Default 0.02
	ObstacleSpeed   float64       // m/s, sigma of a new obstacle's velocity. Default 0.3
	ObstacleHits    int           // hits that confirm an obstacle. Default 5
	ObstacleTimeout time.Duration // Default 1 s (facts teamchaos 3.2)

	TentativeTimeout time.Duration // an unconfirmed track without a hit for longer goes. Default 300 ms

	PeerRadius  float64       // m, an obstacle this near to where a teammate says it stands is that teammate. Default 0.5
	PeerTimeout time.Duration // a peer unheard for longer goes. Default 2 s
}

// DefaultConfig returns the defaults for one robot of one side.
func DefaultConfig(robot uint8, color soccer.Color) Config {
	return Config{
		Robot: robot, Color: color, Latency: 60 * time.Millisecond,
		SigmaBase: 0.03, SigmaAlong: 0.04, SigmaAcross: 0.02, PoseSigma: 0.08, PoseHeading: 0.02,
		PeerScale: 1, UnknownScale: 9,
		Gate:      13.8,
		BallNoise: 3, BallDeceleration: 0.5, BallSpeed: 3, BallHits: 3,
		BallTimeout: time.Second, BallMemory: 80 * time.Millisecond,
		ObstacleNoise: 0.02, ObstacleSpeed: 0.3, ObstacleHits: 5, ObstacleTimeout: time.Second,
		TentativeTimeout: 300 * time.Millisecond,
		PeerRadius:       0.5, PeerTimeout: 2 * time.Second,
	}
}

// Bounds on what one Model remembers.
const (
	maxPeers     = 64
	maxBalls     = 8
	maxObstacles = 32
)
