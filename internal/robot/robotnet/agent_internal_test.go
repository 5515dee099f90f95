package robotnet

import (
	"bytes"
	"errors"
	"testing"

	"touchline/internal/camera"
	"touchline/internal/manager"
)

// A colour table that a robot takes is the one that it sees by; a bad one is refused with a reason, and changes nothing.
func TestAdoptColors(t *testing.T) {
	table := camera.DefaultTable()
	table[7] = camera.Magenta
	file, _ := table.AppendBinary(nil)
	var a Agent
	if before, err := a.fetch(manager.ColorsFile); err != nil || bytes.Equal(before, file) || len(before) == 0 {
		t.Fatalf("the robot's own table: %d bytes, %v", len(before), err)
	}
	if err := a.adopt(manager.ColorsFile, file); err != nil || *a.colors != *table {
		t.Fatal(err)
	}
	if now, err := a.fetch(manager.ColorsFile); err != nil || !bytes.Equal(now, file) {
		t.Errorf("the table that was sent: %d bytes, %v", len(now), err)
	}
	if _, err := a.fetch("passwd"); err == nil {
		t.Error("the robot gives any file")
	}
	if err := a.adopt(manager.ColorsFile, file[:len(file)-3]); !errors.Is(err, camera.ErrTable) || *a.colors != *table {
		t.Errorf("half a table: %v", err)
	}
}
