//go:build !linux

package vss

import "time"

// nap waits for d.
func nap(d time.Duration) { time.Sleep(d) }
