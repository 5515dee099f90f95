package bounded_test

import (
	"slices"
	"testing"
	"time"

	"touchline/internal/bounded"
	"touchline/soccer"
)

// keys returns the keys of a table in its order.
func keys(t *bounded.Table[string, int, soccer.Time]) (all []string) {
	for _, e := range t.All() {
		all = append(all, e.Key)
	}
	return all
}

func TestTableForgetsTheIdlest(t *testing.T) {
	var table bounded.Table[string, int, soccer.Time]
	for i, key := range []string{"a", "b", "c"} {
		e, forgot := table.Add(key, soccer.Time(i), 3, 0)
		if e == nil || forgot || e.Key != key || e.Used != soccer.Time(i) || e.Value != 0 {
			t.Fatalf("Add(%q) returned %+v, forgot %t", key, e, forgot)
		}
		e.Value = 10 + i
	}
	if table.Find("d") != nil {
		t.Error("the table has a key that was never added")
	}
	if e := table.Find("a"); e == nil || e.Value != 10 || e.Used != 0 {
		t.Fatalf("Find returned %+v", e)
	}
	table.Find("a").Used = 5
	table.Find("b") // no use
	e, forgot := table.Add("d", 6, 3, 0)
	if !forgot || e.Value != 11 || e.Key != "d" || e.Used != 6 {
		t.Errorf("the fourth key got %+v, forgot %t: want the place and the value of b", e, forgot)
	}
	if got := keys(&table); !slices.Equal(got, []string{"a", "d", "c"}) {
		t.Errorf("the table has %q", got)
	}
	table.Find("a").Used, table.Find("c").Used = 6, 6
	if table.Add("e", 7, 3, 0); !slices.Equal(keys(&table), []string{"e", "d", "c"}) {
		t.Errorf("of keys that were used at one time, the first makes room: the table has %q", keys(&table))
	}
}

func TestTableKeepsActiveEntries(t *testing.T) {
	var table bounded.Table[string, int, soccer.Time]
	table.Add("a", 0, 2, time.Second)
	table.Add("b", soccer.Time(time.Second), 2, time.Second)
	if e, forgot := table.Add("c", soccer.Time(time.Second)-1, 2, time.Second); e != nil || forgot {
		t.Errorf("Add returned %+v, forgot %t although a was used within the second", e, forgot)
	}
	if e, forgot := table.Add("c", soccer.Time(time.Second), 2, time.Second); e == nil || !forgot {
		t.Errorf("Add returned %+v, forgot %t although a was idle for a second", e, forgot)
	}
	if e, forgot := table.Add("d", 0, 2, 0); e == nil || !forgot {
		t.Error("without an idle time a key must find room, even if the clock was set back")
	}
	if e, _ := table.Add("e", 1<<62, 2, bounded.Forever); e != nil {
		t.Error("a full table forgot an entry that it was to keep forever")
	}
	if e, _ := new(bounded.Table[string, int, soccer.Time]).Add("a", 0, 0, 0); e != nil {
		t.Error("a table without room has an entry")
	}
}

func TestTableOfGroups(t *testing.T) {
	var table bounded.Table[string, int, soccer.Time]
	add := func(key string, now soccer.Time) (forgot bool) {
		e, forgot := table.AddToGroup(key, now, 4, time.Hour, 2, func(other string) bool { return other[0] == key[0] })
		if e == nil {
			t.Fatalf("no room for %q", key)
		}
		return forgot
	}
	for i, key := range []string{"a1", "b1", "b2"} {
		if add(key, soccer.Time(i)) {
			t.Fatalf("%q took the place of another key", key)
		}
	}
	if !add("b3", 3) || !slices.Equal(keys(&table), []string{"a1", "b3", "b2"}) {
		t.Errorf("a third key of group b must take the place of b1: the table has %q", keys(&table))
	}
	if add("c1", 4) || !add("b4", 5) || !slices.Equal(keys(&table), []string{"a1", "b3", "b4", "c1"}) {
		t.Errorf("the table has %q", keys(&table))
	}
	if e, _ := table.AddToGroup("d1", 6, 4, time.Hour, 2, func(string) bool { return false }); e != nil {
		t.Error("a new group took the place of an active entry")
	}
}

func TestTableDeletes(t *testing.T) {
	var table bounded.Table[string, int, soccer.Time]
	for i, key := range []string{"a", "b", "c"} {
		table.Add(key, soccer.Time(i), 3, 0)
	}
	table.Delete(func(e bounded.Entry[string, int, soccer.Time]) bool { return e.Used == 1 })
	if got := keys(&table); !slices.Equal(got, []string{"a", "c"}) || table.Find("b") != nil {
		t.Errorf("the table has %q", got)
	}
	if e, forgot := table.Add("d", 3, 3, 0); e == nil || forgot {
		t.Error("the deleted entry left no room")
	}
	if table.Clear(); len(table.All()) != 0 || table.Find("a") != nil {
		t.Errorf("the cleared table has %q", keys(&table))
	}
	if e, forgot := table.Add("e", 4, 3, 0); e == nil || forgot || e.Value != 0 {
		t.Errorf("the first entry after Clear is %+v, forgot %t", e, forgot)
	}
}

// A hostile sender that changes its address makes no garbage.
func TestTableDoesNotAllocate(t *testing.T) {
	var table bounded.Table[int, [4]int, soccer.Time]
	table.Add(0, 0, 64, 0)
	n := 1
	allocs := testing.AllocsPerRun(1000, func() {
		n++
		if table.Find(n) == nil {
			table.AddToGroup(n, soccer.Time(n), 64, 0, 8, func(k int) bool { return k%16 == n%16 })
		}
		table.Find(n).Used++
	})
	if allocs != 0 {
		t.Errorf("%v allocations for each key", allocs)
	}
}

func TestRing(t *testing.T) {
	var ring bounded.Ring[int]
	all := func() (values []int) {
		for i := range ring.Len() {
			values = append(values, *ring.At(i))
		}
		return values
	}
	for i := range 5 {
		v := ring.Push(3)
		if want := max(0, i-3); i > 3 && *v != want {
			t.Errorf("push %d returned the memory of %d, want that of %d", i, *v, want)
		}
		*v = i
		if got := ring.Len(); got != min(i+1, 3) {
			t.Errorf("after %d values the length is %d", i+1, got)
		}
	}
	if got := all(); !slices.Equal(got, []int{2, 3, 4}) {
		t.Errorf("the ring has %v", got)
	}
	ring.Drop(2)
	if got := all(); !slices.Equal(got, []int{4}) {
		t.Errorf("after Drop the ring has %v", got)
	}
	*ring.Push(3) = 5
	*ring.Push(3) = 6
	if got := all(); !slices.Equal(got, []int{4, 5, 6}) {
		t.Errorf("the ring has %v", got)
	}
	if ring.Clear(); ring.Len() != 0 {
		t.Errorf("a cleared ring has %v", all())
	}
	if n := testing.AllocsPerRun(100, func() { *ring.Push(3) = 7 }); n != 0 {
		t.Errorf("%v allocations for each value", n)
	}
	for name, call := range map[string]func(){
		"At -1": func() { ring.At(-1) }, "At 3": func() { ring.At(3) }, "Drop 4": func() { ring.Drop(4) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of a ring of 3 values did not panic", name)
				}
			}()
			call()
		}()
	}
}

func TestAppend(t *testing.T) {
	var list []string
	for _, v := range []string{"a", "b", "c", "d"} {
		list = bounded.Append(list, v, 3)
	}
	if !slices.Equal(list, []string{"b", "c", "d"}) {
		t.Errorf("got %q", list)
	}
	if list = bounded.Append(list, "e", 2); !slices.Equal(list, []string{"d", "e"}) || list[:3][2] != "" {
		t.Errorf("with less room got %q, and %q is kept beyond it", list, list[:3][2])
	}
	if n := testing.AllocsPerRun(100, func() { list = bounded.Append(list, "f", 2) }); n != 0 {
		t.Errorf("%v allocations for each value", n)
	}
}
