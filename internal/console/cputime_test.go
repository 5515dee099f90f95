package console_test

import (
	"testing"
	"time"

	"touchline/internal/console"
)

// The processor time grows while the process works.
func TestCPUTime(t *testing.T) {
	before := console.CPUTime()
	for deadline := time.Now().Add(time.Minute); console.CPUTime() <= before; {
		if time.Now().After(deadline) {
			t.Fatal("no processor time passes")
		}
	}
}
