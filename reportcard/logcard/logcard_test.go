package reportcard_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	. "touchline/reportcard"
	"touchline/soccer"
	"touchline/wire/msl"
)

// data returns the path of a file of the data folder, or skips.
func data(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("TOUCHLINE_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the data folder is absent: %v", err)
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// logged returns what a team said by its log.
func logged(t testing.TB, name, file string) (all []Message) {
	t.Helper()
	z, err := zip.OpenReader(data(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	err = ReadTeamLog(f, func(s *Message, _ string) {
		kept := *s
		kept.Data = bytes.Clone(s.Data)
		all = append(all, kept)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestCardLogs reads what real teams sent: the deviations that were counted by hand (facts msl 4.1) are found, and no
// others.
func TestCardLogs(t *testing.T) {
	const of2016, of2026 = "refbox-2016-excerpt/test_log2.zip", "refbox-2.1-capture/20261120_152324.Falcons-Water.zip"
	for _, l := range []struct {
		team, zip, file string
		rules           []string
	}{
		{"Tech United 2016", of2016, "20160703_155014.A.msl", []string{
			RuleRate, RuleBackwards, msl.RuleKey, RuleFrozen, msl.RuleConfidence, msl.RuleBattery, "note " + RuleResolution}},
		{"Water 2016", of2016, "20160703_155014.B.msl", []string{
			RuleBurst, RuleConstant, msl.RuleHeading, RuleTarget, "note " + msl.RuleVectorSize, "note " + RuleResolution}},
		{"Tech United", of2026, "20261120_152324.A.msl", []string{
			RuleRate, RuleBackwards, msl.RuleKey, msl.RuleCount, RuleFrozen, msl.RuleConfidence, msl.RuleHeading, msl.RuleBattery, "note " + RuleResolution}},
		{"Water", of2026, "20261120_152324.B.msl", []string{
			RuleBurst, RuleConstant, msl.RuleHeading, RuleTarget, "note " + msl.RuleVectorSize, "note " + RuleResolution}},
	} {
		c := New(l.team, soccer.Field{})
		for _, s := range logged(t, l.zip, l.file) {
			c.Add(&s)
		}
		if got := rules(c.Findings()); !slices.Equal(got, l.rules) {
			t.Errorf("%s:\n got %q\nwant %q", l.team, got, l.rules)
		}
	}
}
