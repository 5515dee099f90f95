// Package world is one robot's world model: it fuses observations into one stable soccer.World.
//
// Each robot fuses raw percepts, its own and those that its teammates send. Robots never send fused tracks, so no
// measurement is counted twice. A measurement counts at its capture time, however late it arrives.
//
// The ball is a mixture of hypotheses: it rolled on, it was kicked just now, it was placed elsewhere. Their weights say
// how well each explains what was seen (hypotheses.go), and a late sight is put in its place (replay.go). Of each
// observer the model learns how its pose is off, and how often its sights are false (observer.go). An obstacle is a
// Kalman filter with the odds that it exists (obstacles.go). Nothing is believed before several hits confirm it. The
// model is a pure core: the same calls give the same World on every processor. docs/world.md has figures.
package world

import (
	"math"
	"time"

	"touchline/soccer"
)

// Config holds the parameters of a Model.
type Config struct {
	Robot uint8        // own jersey number
	Color soccer.Color // own side; packets of the other side are not fused

	// Latency is the least age of a package's contents on arrival. It cannot be measured: v1 has no stamp, and in v2 the
	// least delay looks like a clock offset. Default 60 ms.
	Latency time.Duration

	// Field has the boards and goals that the ball bounces off; zero: nothing. Default soccer.MSL18x12.
	Field soccer.Field

	// Errors of observations and poses that come without a covariance.
	SigmaBase    float64 // m, noise of an observed position at distance 0. Default 0.03
	SigmaAlong   float64 // m per m, growth of the noise along the line of sight. Default 0.04
	SigmaAcross  float64 // rad, growth of the noise across it. Default 0.02
	PoseSigma    float64 // m, self-localisation error of the observer. Default 0.08 (Fusion baselines)
	PoseHeading  float64 // rad, heading error of the observer. Default 0.02
	PeerScale    float64 // variance factor for observations of teammates; above 1 the own camera counts more. Default 1
	UnknownScale float64 // variance factor for observations of unknown confidence. Default 9

	Gate float64 // squared Mahalanobis distance within which a measurement may belong to a track. Default 13.8 (99.9 %)

	// BallNoise is the spectral density of the ball's white acceleration noise in m^2/s^3 between kicks. With the default
	// of 0.15 the covariance is consistent (docs/world.md).
	BallNoise        float64
	BallDeceleration float64       // m/s^2, by rolling friction. Default 0.5
	BallBounce       float64       // vertical speed after a bounce off the floor relative to before. Default 0.6
	WallBounce       float64       // speed after a bounce off boards and robots relative to before. Default 0.6
	CameraHeight     float64       // m, of cameras that measure no heights: they see a flying ball too far away. Default 0.7
	BallSpeed        float64       // m/s, sigma of the velocity after a kick, before the game shows faster ones. Default 3
	BallHits         int           // sights of one robot that confirm a ball. Default 2
	BallTimeout      time.Duration // after which an unseen ball is unknown. Default 1 s
	BallSigma        float64       // m, uncertainty of the position from which the ball is unknown. Default 1.5
	KickRate         float64       // kicks and bounces a second. Default 1
	PlacementRate    float64       // a second, of a ball that is somewhere else at once, before the game shows it. Default 0.05
	PlacedSpeed      float64       // m/s, sigma of the velocity of a ball that is new. Default 1
	Doubt            float64       // probability that a sight of an unknown robot is no ball. Default 0.03
	PoseTau          float64       // s, for which the error of a pose lasts. Default 4

	ObstacleNoise   float64       // m^2/s^3. Default 0.8
	ObstacleSpeed   float64       // m/s, sigma of a new obstacle's velocity. Default 1
	ObstacleHits    int           // hits that confirm an obstacle. Default 5
	ObstacleTimeout time.Duration // after which an unseen obstacle is believed no longer. Default 300 ms
	ObstacleMemory  time.Duration // after which it is another obstacle when it is seen again. Default 1.5 s

	TentativeTimeout time.Duration // after which an unconfirmed track without a hit is dropped. Default 300 ms

	PeerTimeout time.Duration // after which a silent peer is dropped; teams use 1 to 7 s (TeamChaos code). Default 2 s
}

// DefaultConfig returns the defaults for the robot with this jersey number on this side.
func DefaultConfig(robot uint8, color soccer.Color) Config {
	return Config{
		Robot: robot, Color: color, Latency: 60 * time.Millisecond, Field: soccer.MSL18x12(),
		SigmaBase: 0.03, SigmaAlong: 0.04, SigmaAcross: 0.02, PoseSigma: 0.08, PoseHeading: 0.02,
		PeerScale: 1, UnknownScale: 9,
		Gate:      13.8,
		BallNoise: 0.15, BallDeceleration: 0.5, BallBounce: 0.6, WallBounce: 0.6, CameraHeight: 0.7, BallSpeed: 3, BallHits: 2,
		BallTimeout: time.Second, BallSigma: 1.5,
		KickRate: 1, PlacementRate: 0.05, PlacedSpeed: 1, Doubt: 0.03, PoseTau: 4,
		ObstacleNoise: 0.8, ObstacleSpeed: 1, ObstacleHits: 5,
		ObstacleTimeout: 300 * time.Millisecond, ObstacleMemory: 1500 * time.Millisecond,
		TentativeTimeout: 300 * time.Millisecond,
		PeerTimeout:      2 * time.Second,
	}
}

// Bounds on the memory of one Model.
const (
	maxPeers     = 64
	maxObstacles = 32
)

// onField reports whether a place is on the field or near it. Without a field every place is.
func (c *Config) onField(x, y float64) bool {
	const margin = 0.5 // m
	f := &c.Field
	return f.Length == 0 || math.Abs(x) < float64(f.Length/2)+margin && math.Abs(y) < float64(f.Width/2)+margin
}
