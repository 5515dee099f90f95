package main

import (
	"encoding/json"
	"strings"
	"testing"

	"touchline/internal/doctor"
)

// The report on loopback is complete, and its exit code agrees with it.
func TestDoctor(t *testing.T) {
	out, errs, code := touchline(t, "doctor", "--json", "--group", "239.255.75.76:47123")
	var r doctor.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || r.OK != (code == 0) || r.OK != (len(r.Findings) == 0) ||
		code > 1 ||
		r.Interface == "" || r.Findings == nil || r.Notes == nil {
		t.Errorf("exit %d, %v: %s%s", code, err, out, errs)
	}
}

func TestDoctorUsage(t *testing.T) {
	for args, want := range map[string]string{
		"--group 10.0.0.1:2005":                "want a group",
		"--group 224.16.32.75":                 "want a group",
		"--interface no-such0":                 "choose one of this machine's",
		"--serve --peer 127.0.0.1":             "remove one of them",
		"--serve --json":                       "--serve prints no report",
		"--serve --interface no-such0":         "choose one of this machine's",
		"--snooping":                           "--snooping needs --peer",
		"--peer 127.0.0.1 --snooping=1s":       "from 5s to 10m",
		"--port 0":                             "from 1 to 65535",
		"--peer 127.0.0.1 --snooping 20s":      "equals sign",
		"--group 224.16.32.75:2005 --peer ::1": "neither an IPv4 address nor a known host",
	} {
		_, errs, code := touchline(t, append([]string{"doctor"}, strings.Fields(args)...)...)
		if code != 2 || !strings.Contains(errs, want) {
			t.Errorf("doctor %s: exit %d, %s", args, code, errs)
		}
	}
}
