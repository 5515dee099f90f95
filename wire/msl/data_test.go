package msl_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"io"
	"testing"

	. "touchline/wire/msl"
	"touchline/wire/wiretest"
)

// logs are logs of real teams: the first 39 to 50 s of a match of 2016 as RefBox 2016 logged them, and the same senders
// later in that match, logged by RefBox 2.1.
var logs = []struct{ team, zip, file string }{
	{"TechUnited2016", "refbox-2016-excerpt/test_log2.zip", "20160703_155014.A.msl"},
	{"Water2016", "refbox-2016-excerpt/test_log2.zip", "20160703_155014.B.msl"},
	{"TechUnited", "refbox-2.1-capture/20261120_152324.Falcons-Water.zip", "20261120_152324.A.msl"},
	{"Water", "refbox-2.1-capture/20261120_152324.Falcons-Water.zip", "20261120_152324.B.msl"},
}

// unzipped returns a file in a zip of recordings.
func unzipped(t testing.TB, name, file string) []byte {
	t.Helper()
	z, err := zip.OpenReader(wiretest.Data(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// records returns the records of a team's log.
func records(t testing.TB, name, file string) (all []Record) {
	t.Helper()
	s := bufio.NewScanner(bytes.NewReader(unzipped(t, name, file)))
	s.Buffer(nil, MaxMessage)
	s.Split(SplitRecords)
	for s.Scan() {
		var r Record
		if err := r.UnmarshalBinary(s.Bytes()); err != nil {
			t.Fatalf("%s, record %d: %v", file, len(all), err)
		}
		all = append(all, r)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
