package agent

import (
	"errors"
	"testing"

	"touchline/camera/percept"
	"touchline/manager"
)

// A colour table that a robot takes is the one that it sees by; a bad one is refused with a reason, and changes nothing.
func TestAdoptColors(t *testing.T) {
	table := percept.DefaultTable()
	table[7] = percept.Magenta
	file, _ := table.AppendBinary(nil)
	var a Agent
	if err := a.adopt(manager.ColorsFile, file); err != nil || *a.colors != *table {
		t.Fatal(err)
	}
	if err := a.adopt(manager.ColorsFile, file[:len(file)-3]); !errors.Is(err, percept.ErrTable) || *a.colors != *table {
		t.Errorf("half a table: %v", err)
	}
}
