package managernet

import (
	"slices"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// An overlay is shown with its own picture alone, in pixels; pictures are recorded at the rate that is asked for.
func TestPairsOverlays(t *testing.T) {
	var recorded []PictureView
	p := Pictures{robots: map[uint8]*stream{}, Recorded: func(v *PictureView) { recorded = append(recorded, *v) }}
	var m team.Image
	if err := Classes(make([]byte, 64), 8, 8, &m); err != nil {
		t.Fatal(err)
	}
	b, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	at, number := soccer.Time(1e9), uint32(0)
	arrive := func(with bool) *PictureView {
		at, number = at.Add(40*time.Millisecond), number+1
		from := teamcom.From{Entity: tcm.Entity{Kind: tcm.Robot, ID: 3}, Captured: at, Received: at.Add(5 * time.Millisecond),
			Number: number}
		if with {
			from.Captured = at.Add(200 * time.Microsecond) // the offset of its clock is measured again
			p.receiveOverlay(from, &team.Overlay{Shapes: []team.Shape{
				{Kind: team.BallShape, Closed: true, Distance: 2, Points: []team.Pixel{{X: 10, Y: -3}, {X: 400, Y: 2}}},
			}})
			from.Captured = at
		}
		if !p.receive(from, b) {
			t.Fatal("the picture is refused")
		}
		if v := p.record(3, from.Received); v != nil {
			p.Recorded(v)
		}
		return p.View(3, from.Received)
	}
	v := arrive(true)
	if len(v.Overlay) != 1 || v.Overlay[0].Kind != "ball" || !slices.Equal(v.Overlay[0].Points, []float64{2.5, -0.75, 100, 0.5}) {
		t.Errorf("overlay %+v", v.Overlay)
	}
	if v := arrive(false); v.Overlay != nil {
		t.Errorf("a picture has the overlay of another one: %+v", v.Overlay)
	}
	for _, rate := range []uint8{0, 5, 12} { // those that somebody looks at are kept, too
		p.Record(rate)
		at, recorded = at.Add(time.Second), nil
		for range 25 { // a second
			arrive(true)
		}
		if want := max(5, int(rate)); len(recorded) < want || len(recorded) > want+1 || len(recorded[0].Data) == 0 ||
			len(recorded[0].Overlay) != 1 {
			t.Errorf("%d pictures of a second at %d Hz", len(recorded), rate)
		}
	}
}
