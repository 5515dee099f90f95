package sslvision

import (
	"testing"

	"touchline/wire/internal/protobuf"
	"touchline/wire/wiretest"
)

// TestGenerated checks that generated.go agrees with the tables.
func TestGenerated(t *testing.T) {
	wiretest.Generated(t, protobuf.Generate("sslvision", Table))
}
