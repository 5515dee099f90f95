package booking

import (
	"fmt"
	"testing"

	"touchline/soccer"
	"touchline/wire/b3p"
)

// The rules of CBBA, table I: what receiver i = 1 does when sender k = 2 thinks that the winner is one robot and i thinks
// that it is another. m = 3, n = 4. Distances are bids: the smaller one wins.
func TestAuctionDecides(t *testing.T) {
	const i, k, m, n = 1, 2, 3, 4
	cases := []struct {
		sender, receiver uint8
		news             string // "m": the sender knows newer news of m, "n": of n, "-m": older ones of m
		better           bool   // the sender's bid
		want             decision
	}{
		{k, i, "", true, update}, {k, i, "", false, leave}, {k, k, "", false, update},
		{k, m, "", false, leave}, {k, m, "m", false, update}, {k, m, "", true, update}, {k, 0, "", false, update},

		{i, i, "", true, leave}, {i, k, "", true, reset}, {i, m, "", true, leave}, {i, m, "m", false, reset},
		{i, 0, "", true, leave},

		{m, i, "m", true, update}, {m, i, "m", false, leave}, {m, i, "", true, leave}, {m, k, "m", false, update},
		{m, k, "", true, reset}, {m, m, "m", false, update}, {m, m, "", true, leave}, {m, n, "mn", false, update},
		{m, n, "m", true, update}, {m, n, "m", false, leave}, {m, n, "n-m", true, reset}, {m, n, "", true, leave},
		{m, 0, "m", false, update}, {m, 0, "", true, leave},

		{0, i, "", false, leave}, {0, k, "", false, update}, {0, m, "m", false, update}, {0, m, "", false, leave},
		{0, 0, "", false, leave},
	}
	cfg := DefaultConfig(i, 0b11110)
	for _, c := range cases {
		a := Auction{Winner: c.receiver, Distance: 1000, began: true, OwnDistance: OwnDistance{Own: b3p.Unknown}}
		b := Bid{Winner: c.sender, Distance: 2000}
		if c.better {
			b.Distance = 500
		}
		for robot := uint8(1); robot <= n; robot++ {
			a.Stamps[cfg.Index(robot)] = Stamp{Millis: 100, At: soccer.Epoch}
			b.Millis[cfg.Index(robot)] = 100
		}
		b.Millis[cfg.Index(k)] = 200
		switch c.news {
		case "m":
			b.Millis[cfg.Index(m)] = 200
		case "mn":
			b.Millis[cfg.Index(m)], b.Millis[cfg.Index(n)] = 200, 200
		case "n-m":
			b.Millis[cfg.Index(m)], b.Millis[cfg.Index(n)] = 50, 200
		}
		if got := a.decide(&cfg, k, &b); got != c.want {
			t.Errorf("%s: decision %d, want %d", fmt.Sprintf("%+v", c), got, c.want)
		}
		if a.merge(&cfg, soccer.Epoch, k, &b); a.decide(&cfg, k, &b) != leave {
			t.Errorf("%+v: the message counts a second time", c)
		}
	}
}
