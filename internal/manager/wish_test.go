package manager_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"touchline/internal/manager"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
)

// Two pages look at one robot: the operator who chose last decides what it sends, a page that just opens does not, and
// the greatest rate counts. A recording asks for pictures when nobody looks.
func TestTwoPagesLook(t *testing.T) {
	b := newBench(t, drivable(5), 1, traffic.Link{})
	attend := func(page int, wish string) {
		t.Helper()
		b.must(0, "robot-attend", map[string]any{
			"robot": 3, "page": page, "name": fmt.Sprint("page ", page), "picture": json.RawMessage(wish),
		})
	}
	sees := func(pages int, by string, format string, rate uint8, divisor uint8) {
		t.Helper()
		b.run(300 * time.Millisecond)
		v := b.desks[0].View(3, b.now).Pictures
		if v.Pages != pages || v.By != by || v.Format != format || v.Rate != rate || v.Divisor != divisor {
			t.Errorf("the program asks for %+v, want %s of %q at %d for %d pages", v, format, by, rate, pages)
		}
		if w := b.robot.Wish(b.now, func(to tcm.Entity) {}); w.Format.String() != format || w.Rate != rate || w.Divisor != divisor {
			t.Errorf("the robot sends %+v, want %s at %d", w, format, rate)
		}
	}
	attend(1, `{"rate": 10, "format": "classes", "divisor": 2}`)
	sees(1, "page 1", "classes", 10, 2)
	attend(2, `{"rate": 25}`)
	sees(2, "page 1", "classes", 25, 2)
	attend(2, `{"rate": 25, "choice": 7, "quality": 40, "overlay": true}`)
	sees(2, "page 2", "jpeg", 25, 1)
	if w := b.robot.Wish(b.now, func(tcm.Entity) {}); w.Quality != 40 || !w.Overlay {
		t.Errorf("the robot sends %+v", w)
	}
	attend(1, `{"rate": 10, "format": "ycbcr", "choice": 1}`)
	attend(2, `{"rate": 25, "choice": 7, "quality": 40}`)
	sees(2, "page 1", "ycbcr", 25, 1)
	attend(1, "null")
	sees(1, "page 2", "jpeg", 25, 1)
	b.run(2 * manager.PageFor)
	if v := b.desks[0].View(3, b.now).Pictures; v.Rate != 0 || v.Pages != 0 {
		t.Errorf("nobody looks, and the program asks for %+v", v)
	}
	b.desks[0].Record(5, 3)
	sees(0, "", "jpeg", 5, 1)
	if w := b.robot.Wish(b.now, func(tcm.Entity) {}); !w.Overlay {
		t.Error("pictures are recorded without overlays")
	}
	attend(1, `{"rate": 2, "format": "classes"}`)
	sees(1, "page 1", "classes", 5, 1)
	b.desks[0].Record(0, 3)
	b.run(2 * manager.PageFor)
	if v := b.desks[0].View(3, b.now).Pictures; v.Rate != 0 || v.Record != 0 {
		t.Errorf("after the recording the program asks for %+v", v)
	}
}
