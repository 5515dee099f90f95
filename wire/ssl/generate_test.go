package ssl

import (
	"testing"

	"touchline/wire/internal/protobuf"
	"touchline/wire/wiretest"
)

// TestGenerated checks that generated.go agrees with the tables.
func TestGenerated(t *testing.T) {
	var tables []*protobuf.Table
	for i := range datagrams {
		tables = append(tables, datagrams[i].table)
	}
	wiretest.Generated(t, protobuf.Generate("ssl", tables...))
}
