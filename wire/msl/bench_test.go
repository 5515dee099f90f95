package msl_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	. "touchline/wire/msl"
)

// varied returns n different worldstates of five robots, three balls and ten obstacles, in the form of the example of
// MSL World Model 2015.
func varied(n int) (all [][]byte) {
	for i := range n {
		w := Worldstate{TeamName: "MYTEAM", Intention: fmt.Sprintf("attack over side %d", i%7),
			AgeMillis: Num(float64(i % 90))}
		at := func(k int) float64 { return float64((i*7919+k*104729)%180000)/10000 - 9 }
		for k := range 5 {
			w.Robots = append(w.Robots, Robot{
				ID: Num(float64(k + 1)), Pose: Vec3(at(k), at(k+9), at(k+20)), TargetPose: Vec3(at(k+30), at(k+40), at(k+50)),
				Velocity: Vec3(at(k+60)/3, at(k+70)/3, at(k+80)/3), Intention: "pass the ball",
				BatteryLevel: Num(float64((i + 13*k) % 101)), BallEngaged: Num(float64((i + k) % 2)),
			})
		}
		for k := range 3 {
			w.Balls = append(w.Balls, Ball{Position: Vec3(at(k+5), at(k+15), 0.11), Velocity: Vec3(at(k+25)/2, at(k+35)/2, 0),
				Confidence: Num(0.9 - float64(k)*0.25)})
		}
		for k := range 10 {
			o := Obstacle{Position: Vec2(at(k+45), at(k+55)), Velocity: Vec2(at(k+65)/5, at(k+75)/5), Radius: Num(0.25),
				Confidence: Num(float64((i+k)%1000) / 1000)}
			if k == 9 {
				o.Velocity.At[1] = Number{}
			}
			w.Obstacles = append(w.Obstacles, o)
		}
		b, err := w.AppendBinary(nil)
		if err != nil {
			panic(err)
		}
		all = append(all, b)
	}
	return all
}

// plain is a worldstate for encoding/json, with fixed arrays, and without nulls, other spellings and bounds.
type plain struct {
	Type      string `json:"type"`
	TeamName  string `json:"teamName"`
	Intention string `json:"intention"`
	Robots    []struct {
		ID           float64    `json:"id"`
		Pose         [3]float64 `json:"pose"`
		TargetPose   [3]float64 `json:"targetPose"`
		Velocity     [3]float64 `json:"velocity"`
		Intention    string     `json:"intention"`
		BatteryLevel float64    `json:"batteryLevel"`
		BallEngaged  float64    `json:"ballEngaged"`
	} `json:"robots"`
	Balls []struct {
		Position   [3]float64 `json:"position"`
		Velocity   [3]float64 `json:"velocity"`
		Confidence float64    `json:"confidence"`
	} `json:"balls"`
	Obstacles []struct {
		Position   [3]float64 `json:"position"`
		Velocity   [3]float64 `json:"velocity"`
		Radius     float64    `json:"radius"`
		Confidence float64    `json:"confidence"`
	} `json:"obstacles"`
	AgeMs float64 `json:"ageMs"`
}

func BenchmarkUnmarshalWorldstate(b *testing.B) { benchmarkUnmarshal(b, varied(256)) }

// BenchmarkUnmarshalLogs decodes the logs of real teams.
func BenchmarkUnmarshalLogs(b *testing.B) {
	for _, l := range logs {
		b.Run(l.team, func(b *testing.B) {
			var all [][]byte
			for _, r := range records(b, l.zip, l.file) {
				all = append(all, r.Worldstate)
			}
			benchmarkUnmarshal(b, all)
		})
	}
}

func benchmarkUnmarshal(b *testing.B, all [][]byte) {
	size := 0
	for _, m := range all {
		size += len(m)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	var w Worldstate
	for b.Loop() {
		for _, m := range all {
			if err := w.UnmarshalBinary(m); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.StopTimer()
	ours := float64(b.Elapsed()) / float64(b.N)
	const rounds = 20
	var p plain
	start := time.Now()
	for range rounds {
		for _, m := range all {
			if err := json.Unmarshal(m, &p); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(time.Since(start))/rounds/ours, "encoding/json/ours")
}

func BenchmarkAppendWorldstate(b *testing.B) {
	data := varied(1)[0]
	var w Worldstate
	if err := w.UnmarshalBinary(data); err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 0, len(data))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buf, err = w.AppendBinary(buf[:0]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFindingsLogs finds the faults in the logs of real teams.
func BenchmarkFindingsLogs(b *testing.B) {
	for _, l := range logs {
		b.Run(l.team, func(b *testing.B) {
			all := records(b, l.zip, l.file)
			size := 0
			for _, r := range all {
				size += len(r.Worldstate)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			var found []Finding
			for b.Loop() {
				for i := range all {
					found = AppendFindings(found[:0], all[i].Worldstate)
				}
			}
		})
	}
}

// BenchmarkRecordsLogs splits the logs of real teams into records and decodes what precedes each worldstate.
func BenchmarkRecordsLogs(b *testing.B) {
	for _, l := range logs {
		b.Run(l.team, func(b *testing.B) {
			log := unzipped(b, l.zip, l.file)
			b.SetBytes(int64(len(log)))
			b.ReportAllocs()
			var r Record
			for b.Loop() {
				s := bufio.NewScanner(bytes.NewReader(log))
				s.Buffer(nil, MaxMessage)
				s.Split(SplitRecords)
				for s.Scan() {
					if err := r.UnmarshalBinary(s.Bytes()); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
