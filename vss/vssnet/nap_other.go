//go:build !linux

package vssnet

import "time"

// nap waits for d.
func nap(d time.Duration) { time.Sleep(d) }
