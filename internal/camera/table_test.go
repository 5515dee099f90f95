package camera

import (
	"bytes"
	"errors"
	"testing"
)

// TestTableFile writes a table and reads it again; what is no table is refused.
func TestTableFile(t *testing.T) {
	table := DefaultTable()
	file, _ := table.AppendBinary(nil)
	t.Logf("%d bytes", len(file))
	var read Table
	if err := read.UnmarshalBinary(file); err != nil || read != *table {
		t.Fatalf("read back: %v", err)
	}
	for name, bad := range map[string][]byte{
		"empty": nil, "another version": {2}, "no cells": {1}, "half a run": file[:len(file)-1], "a run less": file[:len(file)-3],
		"a run more": append(bytes.Clone(file), 0, 1, 0), "an empty run": append([]byte{1, 0, 0, 0}, file[1:]...),
		"an unknown class": append([]byte{1, byte(Classes), 1, 0}, file[1:]...),
	} {
		if err := read.UnmarshalBinary(bad); !errors.Is(err, ErrTable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if read != *table {
		t.Error("a bad file changed the table")
	}
}

// FuzzTable reads any file: it panics never, and a table that it takes is written to a file that reads the same.
func FuzzTable(f *testing.F) {
	file, _ := DefaultTable().AppendBinary(nil)
	f.Add(file)
	f.Add([]byte{1, 0, 255, 255, 1, 255, 255, 0, 255, 255, 2, 255, 255, 3, 4, 0})
	f.Add([]byte{1, 9, 1, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		var table, again Table
		if table.UnmarshalBinary(b) != nil {
			return
		}
		file, _ := table.AppendBinary(nil)
		if err := again.UnmarshalBinary(file); err != nil || again != table || len(file) > len(b) {
			t.Errorf("%v, %d bytes of %d", err, len(file), len(b))
		}
	})
}
