//go:build !linux

package vssnet

import "time"

// nap sleeps for d.
func nap(d time.Duration) { time.Sleep(d) }
