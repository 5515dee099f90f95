package teamcom_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
)

// note is a message of a team's own type: a text.
type note struct{ text string }

func (n *note) DataType() uint16                      { return uint16(tcm.FirstOwnType) }
func (n *note) AppendBinary(b []byte) ([]byte, error) { return append(b, n.text...), nil }
func (n *note) UnmarshalBinary(b []byte) error {
	if len(b) == 0 {
		return errors.New("an empty note")
	}
	n.text = string(b)
	return nil
}

// The handlers of a module run in the order of arrival. One that panics is counted, and neither the other handlers of
// the message nor later messages miss it. Messages that do not decode are counted.
func TestHandlers(t *testing.T) {
	w := newNetwork(t, traffic.Link{Delay: time.Millisecond}, 1)
	client := w.add(robot(1), nil).Module(tcm.PAM).Client()
	receiver := w.add(robot(2), nil)
	m := w.module(receiver, tcm.GM)
	var log []string
	teamcom.Handle(m, func(from teamcom.From, n *note) {
		if n.text == "bad" {
			panic(fmt.Errorf("a bad note of %v", from.Entity))
		}
		log = append(log, n.text)
	})
	teamcom.Handle(m, func(from teamcom.From, n *note) { log = append(log, n.text+"!") })
	for _, text := range []string{"one", "bad", "", "two"} {
		if err := client.Send(w.now, robots, &note{text}); err != nil {
			t.Fatal(err)
		}
	}
	w.run(time.Second)
	if want := []string{"one", "one!", "bad!", "two", "two!"}; !slices.Equal(log, want) {
		t.Errorf("the handlers ran for %q, want %q", log, want)
	}
	got := receiver.Report(w.now).Handlers[0]
	if got.Calls != 8 || got.Panics != 1 || got.Undecodable != 2 || got.LastPanic != "a bad note of robot:1" {
		t.Errorf("got %+v, want 8 calls, 1 panic and 2 undecodable messages", got)
	}
}

// A handler that blocks fills its own module's queue, which drops and counts; the other module receives everything, and
// the messages of the blocked one wait in order.
func TestBlockedHandler(t *testing.T) {
	w := newNetwork(t, traffic.Link{Delay: time.Millisecond}, 1)
	client := w.add(robot(1), nil).Module(tcm.PAM).Client()
	receiver := w.add(robot(2), func(cfg *teamcom.Config) { cfg.Modules.Messages = 10 })
	blocked, running := receiver.Module(tcm.GM), w.module(receiver, tcm.HFSM)
	entered, leave := make(chan bool), make(chan bool)
	var first, second []string
	teamcom.Handle(blocked, func(_ teamcom.From, n *note) {
		entered <- true
		<-leave
		first = append(first, n.text)
	})
	teamcom.Handle(running, func(_ teamcom.From, n *note) { second = append(second, n.text) })
	send := func(i int) {
		if err := client.Send(w.now, robot(2), &note{fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
		w.run(10 * time.Millisecond)
	}
	clock := func() soccer.Time { return soccer.Epoch }
	send(0)
	done := make(chan int)
	go func() { done <- blocked.Run(clock, 1) }()
	<-entered
	for i := range 19 {
		send(i + 1)
	}
	if n := blocked.Run(clock, 1); n != 0 {
		t.Error("a second call of Run ran a handler beside the first one")
	}
	report := receiver.Report(soccer.Epoch.Add(time.Second)).Handlers[0]
	if report.Pending != 10 || report.Dropped != 9 || report.BusyMillis != 1000 {
		t.Errorf("got %+v while the handler blocks, want 10 pending, 9 dropped and 1000 ms busy", report)
	}
	if len(second) != 20 {
		t.Errorf("the other module received %d messages, want 20", len(second))
	}
	go func() {
		leave <- true
		for range 10 {
			<-entered
			leave <- true
		}
	}()
	<-done
	blocked.Run(clock, 100)
	if want := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}; !slices.Equal(first, want) {
		t.Errorf("the blocked module received %q, want %q", first, want)
	}
}

// A handler may send, also to the robot whose message it handles.
func TestHandlerAnswers(t *testing.T) {
	w := newNetwork(t, traffic.Link{Delay: time.Millisecond}, 1)
	var log []string
	for id := range uint8(2) {
		n := w.add(robot(id+1), nil)
		m := w.module(n, tcm.GM)
		client := m.Client()
		teamcom.Handle(m, func(from teamcom.From, n *note) {
			log = append(log, n.text)
			if len(n.text) < 4 {
				if err := client.Send(from.Now, from.Entity, &note{n.text + "."}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	if err := w.nodes[0].Module(tcm.GM).Client().Send(w.now, robot(2), &note{"."}); err != nil {
		t.Fatal(err)
	}
	w.run(time.Second)
	if want := []string{".", "..", "...", "...."}; !slices.Equal(log, want) {
		t.Errorf("got %q, want %q", log, want)
	}
}

// A handler that is slower than its messages arrive works on recent ones: of a latest-wins type, those that waited for
// 100 ms give way to newer ones of the same source.
func TestSlowHandler(t *testing.T) {
	w := newNetwork(t, traffic.Link{Delay: time.Millisecond}, 1)
	for id := range uint8(2) {
		w.add(robot(id+1), nil)
	}
	receiver := w.add(robot(3), nil)
	m := receiver.Module(tcm.GM)
	var got []string
	var oldest time.Duration
	for _, typ := range []tcm.Type{tcm.Belief, tcm.BookingClaim} {
		teamcom.HandleBytes(m, typ, func(from teamcom.From, b []byte) {
			oldest = max(oldest, from.Now.Sub(from.Received))
			got = append(got, fmt.Sprintf("%v %v %d", from.Entity, from.Type, b[0]))
		})
	}
	send := func(typ tcm.Type, i byte) {
		for _, n := range w.nodes[:2] {
			if err := n.Module(tcm.PAM).Client().SendBytes(w.now, robot(3), typ, []byte{i}); err != nil {
				t.Fatal(err)
			}
		}
	}
	send(tcm.BookingClaim, 0)
	for i := range byte(20) {
		send(tcm.Belief, i)
		w.run(50 * time.Millisecond)
	}
	if n := m.Pending(); n != 2+2*2 {
		t.Errorf("%d messages wait, want the 2 claims and the beliefs of the last 100 ms", n)
	}
	m.Run(func() soccer.Time { return w.now }, 100)
	want := []string{
		"robot:1 booking claim 0", "robot:2 booking claim 0",
		"robot:1 belief 18", "robot:2 belief 18", "robot:1 belief 19", "robot:2 belief 19",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the handlers received %q, want %q", got, want)
	}
	if r := receiver.Report(w.now).Handlers[0]; r.Superseded != 2*18 || r.Dropped != 0 {
		t.Errorf("got %+v, want 36 superseded messages", r)
	}
}
