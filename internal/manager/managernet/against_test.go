package managernet

import (
	"testing"

	"touchline/internal/camera"
)

// The cells that a table changes of the robot's are counted by class, and counted again when either table changes.
func TestCompareColors(t *testing.T) {
	b := newBench(t)
	b.must("robot-hold", nil)
	file := func(edit func(*camera.Table)) []byte {
		t.Helper()
		table := camera.DefaultTable()
		edit(table)
		text, err := table.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	expect := func(what string, runs []byte, compared bool, name string, added, removed int) {
		t.Helper()
		v := b.room.view(3)
		b.room.compare(v, runs)
		if v.Colors.Compared != compared {
			t.Errorf("%s: compared %t", what, v.Colors.Compared)
		}
		for _, c := range v.Colors.Classes {
			if c.Name == name && (c.Added != added || c.Removed != removed) {
				t.Errorf("%s: %s +%d -%d, want +%d -%d", what, name, c.Added, c.Removed, added, removed)
			}
		}
	}
	same := file(func(*camera.Table) {})
	expect("not known", nil, false, "green", 0, 0)
	expect("no table", same[:len(same)-1], false, "green", 0, 0)
	expect("the same", same, true, "green", 0, 0)
	magenta := 0
	for _, class := range camera.DefaultTable() {
		if class == camera.Magenta {
			magenta++
		}
	}
	without := file(func(table *camera.Table) {
		for i, class := range table {
			if class == camera.Magenta {
				table[i] = camera.Black
			}
		}
	})
	expect("a robot without magenta", without, true, "magenta", magenta, 0)
	expect("a robot without magenta", without, true, "black", 0, magenta)
	b.must("robot-paint", map[string]any{"pixels": []int{208*150 + 100}, "class": "blue"})
	expect("a painted colour", same, true, "blue", 1, 0)
	expect("a painted colour", same, true, "green", 0, 1)
	b.must("robot-unpaint", nil)
	expect("taken back", same, true, "blue", 0, 0)
}

// The table begins as the robot's, also when that arrives after the picture, and follows it until an operator changes it.
func TestBeginWithRobotsTable(t *testing.T) {
	b := newBench(t)
	theirs := func(class camera.Class) func(uint8) []byte {
		table := camera.DefaultTable()
		for i := range table {
			table[i] = class
		}
		text, err := table.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		return func(uint8) []byte { return text }
	}
	b.must("robot-hold", nil)
	b.room.step(b.now, func(uint8) []byte { return nil })
	if v := b.room.view(3).Colors; v.Theirs || b.class("magenta").Pixels > 1000 {
		t.Errorf("a robot that tells none: %+v", v)
	}
	for _, class := range []camera.Class{camera.Magenta, camera.Yellow} {
		b.room.step(b.now, theirs(class))
		if v := b.room.view(3).Colors; !v.Theirs || v.Undo || b.class(class.String()).Pixels != 208*160 {
			t.Errorf("%v: %+v", class, b.class(class.String()))
		}
	}
	b.must("robot-paint", map[string]any{"pixels": []int{1, 2}, "class": "blue"})
	b.room.step(b.now, theirs(camera.Magenta))
	b.must("robot-hold", nil)
	if c := b.class("yellow"); c.Pixels == 0 || b.class("magenta").Pixels > 0 || b.class("blue").Pixels == 0 {
		t.Errorf("what an operator changed is lost: %+v", c)
	}
}
