package manager

import (
	"time"

	"touchline/soccer"
)

// LeaseLeft returns the time after which the robot stands unless another command arrives, 0 without a lease.
func (r *Robot) LeaseLeft(now soccer.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(0, r.control.until.Sub(now))
}
