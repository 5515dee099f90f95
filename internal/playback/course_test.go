package playback

import (
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"testing"
	"time"

	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/soccer"
)

// coursesOf asks for the course of a field as a page does.
func coursesOf(t testing.TB, p *Player, topic, key, field string, most int) []Series {
	t.Helper()
	c, err := p.course(topic, key, field, 0, math.MaxFloat64, most)
	if err != nil {
		t.Fatalf("%s %s: %v", topic, field, err)
	}
	return c.Series
}

// The course of a field is what the walls of the recording hold, of each robot on its own, whether they were recorded or
// are computed from the packets. The course of a packet's field is that of the packages.
func TestCourse(t *testing.T) {
	l, walls := recording(t, 20*time.Second, all)
	p := open(t, l)
	errors := coursesOf(t, p, "wall", "", "/tiles/*/ballError", 4000)
	if len(errors) != len(walls[0].Tiles) {
		t.Fatalf("%d series for %d robots", len(errors), len(walls[0].Tiles))
	}
	n := 0
	for _, s := range errors {
		for _, point := range s.Points {
			w := walls[int(math.Round(point[0]*10))-1]
			for _, tile := range w.Tiles {
				if elementName(encode(t, tile), 0) != s.Name {
					continue
				}
				if tile.BallError == nil || *tile.BallError != point[1] {
					t.Fatalf("%s at %g s: %g, the wall has %v", s.Name, point[0], point[1], tile.BallError)
				}
				n++
			}
		}
	}
	if n < 900 {
		t.Errorf("%d points of 200 walls with 5 robots", n)
	}
	if few := coursesOf(t, p, "wall", "", "/tiles/*/rate", 50); len(few) == 0 || len(few[0].Points) > 50 || len(few[0].Points) < 40 {
		t.Errorf("50 samples: %d series", len(few))
	}
	spread := coursesOf(t, p, "wall", "", "/spread", 4000)
	if len(spread) != 1 || spread[0].Name != "" || len(spread[0].Points) < 150 {
		t.Errorf("a field that exists once: %+v", spread)
	}
	for _, none := range [][2]string{{"wall", "/tiles/*/team"}, {"wall", "/tiles/x"}, {"none", "/a"}, {"../truth", "/ball/x"}} {
		if s := coursesOf(t, p, none[0], "", none[1], 100); len(s) != 0 {
			t.Errorf("%s %s: %+v", none[0], none[1], s)
		}
	}
	packets, _ := recording(t, 20*time.Second, packetsOnly)
	computed := coursesOf(t, open(t, packets), "wall", "", "/tiles/*/rate", 100)
	if len(computed) != 5 || len(computed[0].Points) < 50 {
		t.Errorf("from packets: %d series", len(computed))
	}
}

// The course of a field of packets is read from the datagrams.
func TestCourseOfPackets(t *testing.T) {
	l, walls := recording(t, 20*time.Second, all)
	series := coursesOf(t, open(t, l), "packets", "", "/self-loc.x", 4000)
	if len(series) != len(walls[0].Tiles) {
		t.Fatalf("%d series for %d robots", len(series), len(walls[0].Tiles))
	}
	at := map[string]int{}
	for i := range series {
		at[series[i].Name] = i
	}
	checked := 0
	for m, err := range l.Messages(0, 0, matchlog.Packets) {
		if err != nil {
			t.Fatal(err)
		}
		packet, err := matchlog.ParsePacket(m)
		if err != nil {
			t.Fatal(err)
		}
		want, ok := watch.PackageNumber(&packet, "self-loc.x")
		i, known := at[watch.SenderKey(&packet)]
		if !ok || !known {
			continue
		}
		for _, point := range series[i].Points {
			if math.Abs(point[0]-packet.Time.Sub(soccer.Epoch).Seconds()) < 1e-6 {
				if point[1] != want {
					t.Fatalf("%s at %g s: %g, the packet has %g", series[i].Name, point[0], point[1], want)
				}
				checked++
			}
		}
	}
	if checked < 500 {
		t.Errorf("%d points of packets were found again", checked)
	}
}

// A request without a field is refused in words, and a session has no more series than a page can show.
func TestCourseIsChecked(t *testing.T) {
	tape := newTape("")
	for query, want := range map[string]int{
		"topic=wall":                      http.StatusBadRequest,
		"topic=wall&field=x":              http.StatusBadRequest,
		"topic=wall&field=/":              http.StatusBadRequest,
		"topic=wall&field=/a&from=x":      http.StatusBadRequest,
		"topic=wall&field=/a&samples=1e9": http.StatusOK,
		"topic=wall&field=/~1/*/~0&from=" + url.QueryEscape("-5"): http.StatusOK,
	} {
		var v map[string]any
		if got := get(t, tape, "/api/session/course?"+query, &v); got != want || want >= 400 && v["error"] == "" {
			t.Errorf("%s: status %d, %v, want %d", query, got, v, want)
		}
	}
	c := collector{at: map[string]int{}}
	c.add(1, json.RawMessage(`{"a":[[1,2,3,4,5,6,7,8,9,10],[1,2,3,4,5,6,7,8,9,10],[1,2,3,4,5,6,7,8,9,10],[1,2,3,4,5,6,7,8,9,10],
		[1,2,3,4,5,6,7,8,9,10],[1,2,3,4,5,6,7,8,9,10],[1,2,3,4,5,6,7,8,9,10]]}`), []string{"a", "*", "*"}, "")
	if len(c.course.Series) != maxSeries || c.course.Series[11].Name != "#2, #2" {
		t.Errorf("%d series", len(c.course.Series))
	}
}

// FuzzCourse: what a recorded message holds never ends the program.
func FuzzCourse(f *testing.F) {
	f.Add([]byte(`{"tiles":[{"number":3,"team":"a","x":1e3},{"key":"k","x":null}]}`), "/tiles/*/x")
	f.Add([]byte(`[[[1]]]`), "/*/*/*")
	f.Fuzz(func(t *testing.T, data []byte, field string) {
		c := collector{at: map[string]int{}}
		path := splitPointer(field)
		c.add(1, data, path, "")
		if len(c.course.Series) > maxSeries {
			t.Errorf("%d series", len(c.course.Series))
		}
	})
}

// BenchmarkCourse measures how long a page waits for the course of a field of all robots, in 600 samples of ten minutes.
func BenchmarkCourse(b *testing.B) {
	l, _ := recording(b, 10*time.Minute, all)
	p := open(b, l)
	for _, of := range [][2]string{{"wall", "/tiles/*/ballError"}, {"packets", "/self-loc.x"}} {
		b.Run(of[0], func(b *testing.B) {
			for b.Loop() {
				if s := coursesOf(b, p, of[0], "", of[1], 600); len(s) == 0 {
					b.Fatal("no series")
				}
			}
		})
	}
}
