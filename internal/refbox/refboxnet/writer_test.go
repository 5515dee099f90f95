package refboxnet

import (
	"net"
	"slices"
	"testing"

	"touchline/internal/refbox"
)

const stop, start = "{\"command\":\"STOP\"}\x00", "{\"command\":\"START\"}\x00"

// departures runs a writer on a connection whose other end is peer, and returns what became of the messages.
func departures(t *testing.T, peer func(net.Conn), bursts ...string) (all []departure) {
	t.Helper()
	end, other := net.Pipe()
	go peer(other)
	queue := make(chan *burst, len(bursts))
	for i, b := range bursts {
		queue <- &burst{Send: refbox.Send{To: refbox.ConnID(i), Data: []byte(b)}}
	}
	close(queue)
	<-startWriter(end, queue, func(d departure) { all = append(all, d) })
	return all
}

// Everything leaves before its end, STOP first.
func TestStart(t *testing.T) {
	got := make(chan string, 1)
	all := departures(t, func(c net.Conn) {
		text, b := "", make([]byte, 512)
		for range 3 {
			n, _ := c.Read(b)
			text += string(b[:n])
		}
		got <- text
	}, `{"command":"GOAL"}`+"\x00", start, stop, start)
	if text := <-got; text != stop+`{"command":"GOAL"}`+"\x00"+start {
		t.Errorf("read %q", text)
	}
	var texts []string
	for _, d := range all {
		texts = append(texts, d.Message+d.Why)
	}
	if want := []string{"START" + overtaken, "STOP", "GOAL", "START"}; !slices.Equal(texts, want) {
		t.Errorf("departures %q, want %q", texts, want)
	}
	if all[0].of.To != 1 || !all[0].last || all[1].of.To != 2 || all[3].of.To != 3 {
		t.Errorf("departures %+v", all)
	}
}

// After the end of the connection all messages are reported as not sent.
func TestConnectionFails(t *testing.T) {
	all := departures(t, func(c net.Conn) { c.Close() }, start+start, start)
	if len(all) != 3 || slices.ContainsFunc(all, func(d departure) bool { return d.Why != connectionEnded }) {
		t.Errorf("departures %+v", all)
	}
}
