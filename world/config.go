// Package world is one robot's world model: it fuses observations into one stable soccer.World.
//
// Each robot fuses raw percepts, its own and those that its teammates send, in one Kalman filter per object. Robots
// never send fused tracks, so no measurement is counted twice. A measurement is applied at its capture time, however
// late it arrives. A track exists only after several hits confirm it: without this rule false detections restart the
// filter, and every kind of filter errs by metres (Fusion baselines). The model is a pure core: the same calls give the
// same World on every processor.
package world

import (
	"time"

	"touchline/soccer"
)

// Config holds the parameters of a Model.
type Config struct {
	Robot uint8        // own jersey number
	Color soccer.Color // own side; packets of the other side are not fused

	// Latency is the minimum age of a package's contents on arrival. It cannot be measured: v1 has no timestamp, and in v2
	// the minimum delay looks like a clock offset. Default 60 ms.
	Latency time.Duration

	SigmaBase    float64 // m, noise of an observed position at distance 0. Default 0.03
	SigmaAlong   float64 // m per m, growth of the noise along the line of sight. Default 0.04
	SigmaAcross  float64 // rad, growth of the noise across it. Default 0.02
	PoseSigma    float64 // m, self-localisation error of the observer. Default 0.08 (Fusion baselines)
	PoseHeading  float64 // rad, heading error of the observer. Default 0.02
	PeerScale    float64 // variance factor for observations of teammates; above 1 the own camera counts more. Default 1
	UnknownScale float64 // variance factor for observations of unknown confidence. Default 9

	Gate float64 // squared Mahalanobis distance within which a measurement may belong to a track. Default 13.8 (99.9 %)

	// BallNoise is the spectral density of the ball's white acceleration noise in m^2/s^3: low enough to smooth, high
	// enough to follow bounces. With the default of 3 the covariance is consistent (NEES 2.2 in package match).
	BallNoise        float64
	BallDeceleration float64       // m/s^2, by rolling friction. Default 0.5
	BallSpeed        float64       // m/s, sigma of a new ball's unknown velocity. Default 3
	BallHits         int           // hits that confirm a ball. Default 3
	BallTimeout      time.Duration // after which an unseen ball is unknown. Default 1 s
	BallMemory       time.Duration // time constant of a sighting's weight when tracks compete. Default 80 ms

	ObstacleNoise   float64       // m^2/s^3. Default 0.02
	ObstacleSpeed   float64       // m/s, sigma of a new obstacle's velocity. Default 0.3
	ObstacleHits    int           // hits that confirm an obstacle. Default 5
	ObstacleTimeout time.Duration // after which an unseen obstacle is dropped. Default 1 s (Fusion baselines)

	TentativeTimeout time.Duration // after which an unconfirmed track without a hit is dropped. Default 300 ms

	PeerRadius  float64       // m, from a teammate's position: nearer obstacles are that teammate. Default 0.5
	PeerTimeout time.Duration // after which a silent peer is dropped; teams use 1 to 7 s (TeamChaos code). Default 2 s
}

// DefaultConfig returns the defaults for the robot with this jersey number on this side.
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

// Bounds on the memory of one Model.
const (
	maxPeers     = 64
	maxBalls     = 8
	maxObstacles = 32
)
