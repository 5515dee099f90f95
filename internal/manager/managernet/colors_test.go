package managernet

import (
	"slices"
	"testing"

	"touchline/internal/camera"

	"touchline/soccer"
)

// class returns what the segmented picture shows of a class.
func (b *bench) class(name string) ClassView {
	b.t.Helper()
	all := b.room.view(3).Colors.Classes
	i := slices.IndexFunc(all, func(c ClassView) bool { return c.Name == name })
	if i < 0 {
		b.t.Fatalf("no class %s in %+v", name, all)
	}
	return all[i]
}

// Colours that are painted get their class, undo takes it back, the field's model starts a table, and what is sent is the
// table that the picture was segmented with.
func TestColors(t *testing.T) {
	b := newBench(t)
	b.refused("robot-paint", map[string]any{"pixels": []int{1}, "class": "blue"}, "no picture is held")
	b.must("robot-hold", nil)
	green, white := b.class("green"), b.class("white")
	if green.True < 5000 || green.Recall < 0.95 || white.True < 100 || white.Recall < 0.5 || b.room.view(3).Colors.Undo {
		t.Fatalf("by the default table %+v, %+v", green, white)
	}
	var pixels []int
	for y := 130; y < 150; y++ {
		for x := 80; x < 120; x++ {
			pixels = append(pixels, 208*y+x)
		}
	}
	b.must("robot-paint", map[string]any{"pixels": pixels, "class": "blue", "spread": 1})
	if c := b.class("blue"); c.Pixels < 500 || b.class("green").Recall > 0.9*green.Recall || !b.room.view(3).Colors.Undo {
		t.Errorf("carpet painted blue: %+v", c)
	}
	b.must("robot-unpaint", nil)
	if c := b.class("green"); c != green || b.room.view(3).Colors.Undo {
		t.Errorf("undo: %+v, want %+v", c, green)
	}
	b.must("robot-paint", map[string]any{"pixels": pixels, "class": "none"})
	b.must("robot-learn", nil)
	if g, w := b.class("green"), b.class("white"); g.Recall < green.Recall-0.01 || w.Recall < 0.7 {
		t.Errorf("learned: %+v, %+v", g, w)
	}
	want := b.class("green").Pixels
	b.must("robot-send-colors", nil)
	var table camera.Table
	if err := table.UnmarshalBinary(b.colors); err != nil || !b.room.view(3).Colors.Sent {
		t.Fatal(err)
	}
	b.must("robot-unpaint", nil)
	if b.room.view(3).Colors.Sent {
		t.Error("a changed table counts as sent")
	}
	shot, _ := b.take()
	n := 0
	for i := range shot.Picture.Y {
		if table.At(shot.Picture.Y[i], shot.Picture.Cb[i], shot.Picture.Cr[i]) == camera.Green {
			n++
		}
	}
	if n < want*9/10 || n > want*11/10 {
		t.Errorf("the table that was sent shows %d green pixels, want %d", n, want)
	}
}

// Painting that makes no sense is refused; without the robot's pose the field's model labels nothing, and says why.
func TestColorsRefuse(t *testing.T) {
	b := newBench(t)
	b.lost = true
	b.must("robot-hold", nil)
	b.refused("robot-learn", nil, "no pose of itself")
	if c := b.class("green"); c.True != 0 || b.room.view(3).Colors.Learned == "" {
		t.Errorf("%+v", c)
	}
	b.refused("robot-unpaint", nil, "no change")
	for why, bad := range map[string]map[string]any{
		"class":       {"pixels": []int{1}, "class": "gold"},
		"0 pixels":    {"class": "blue"},
		"8193 pixels": {"pixels": make([]int, 8193), "class": "blue"},
		"spread 5":    {"pixels": []int{1}, "class": "blue", "spread": 5},
		"pixel -1":    {"pixels": []int{-1}, "class": "blue"},
		"of 33280":    {"pixels": []int{33280}, "class": "blue"},
	} {
		b.refused("robot-paint", bad, why)
	}
}

// A picture that the simulator drew is compared with what it knows, in any part and size; another picture is not.
func TestTruth(t *testing.T) {
	b := newBench(t)
	b.must("robot-hold", nil)
	if truth := b.room.view(3).Colors.Truth; truth != nil {
		t.Errorf("a camera's picture has the truth %+v", truth)
	}
	scene := camera.Scene{Self: soccer.Pose{X: 4, Y: 0.5}, Light: 1}
	b.things = b.renderer.Label(&scene, &b.params, nil)
	green := func() (of ThingView, given int) {
		t.Helper()
		b.must("robot-hold", nil)
		v := b.room.view(3).Colors
		i := slices.IndexFunc(v.Truth, func(v ThingView) bool { return v.Name == "carpet" })
		if i < 0 {
			t.Fatalf("no carpet in %+v", v.Truth)
		}
		sum := 0
		for _, thing := range v.Truth {
			for _, n := range thing.Given {
				sum += n
			}
		}
		if sum != sumOf(v.Classes) {
			t.Errorf("the table has %d pixels", sum)
		}
		return v.Truth[i], v.Truth[i].Given[camera.Green]
	}
	carpet, given := green()
	if carpet.Class != "green" || carpet.Pixels < 10000 || given*100 < carpet.Pixels*95 {
		t.Errorf("%d of %+v are green", given, carpet)
	}
	half := smaller(b, 2)
	b.shot = &half
	if quarter, n := green(); quarter.Pixels*5 < carpet.Pixels || quarter.Pixels*3 > carpet.Pixels || n*100 < quarter.Pixels*93 {
		t.Errorf("of half the size %d of %+v are green", n, quarter)
	}
	half.X = 150
	b.must("robot-hold", nil)
	if truth := b.room.view(3).Colors.Truth; truth != nil {
		t.Errorf("a picture beyond the camera's has the truth %+v", truth)
	}
}

func sumOf(classes []ClassView) (n int) {
	for _, c := range classes {
		n += c.Pixels
	}
	return n
}

// smaller returns a picture with each n-th pixel.
func smaller(b *bench, n int) shot {
	full, _ := b.take()
	shot := shot{Divisor: n}
	p := &shot.Picture
	p.Resize(full.Picture.Width/n, full.Picture.Height/n)
	for i := range p.Y {
		at := (i/p.Width*n+n/2)*full.Picture.Width + i%p.Width*n + n/2
		p.Y[i], p.Cb[i], p.Cr[i] = full.Picture.Y[at], full.Picture.Cb[at], full.Picture.Cr[at]
	}
	return shot
}
