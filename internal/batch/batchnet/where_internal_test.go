package batchnet

import (
	"runtime/debug"
	"strings"
	"testing"
)

// A panic is reported with its place.
func TestWhere(t *testing.T) {
	defer func() {
		if p := recover(); p == nil {
			t.Error("no panic")
		}
		if at := where(debug.Stack()); !strings.Contains(at, "internal/batch/batchnet/where_internal_test.go:") {
			t.Errorf("got %q", at)
		}
	}()
	var f *Folder
	f.Path += "x" // panics
}
