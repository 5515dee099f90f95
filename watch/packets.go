package watch

import (
	"encoding/hex"

	"touchline/conform"
	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/mixedteam"
)

// Packets returns the last packets of the sender whose row has this key, decoded field by field, newest first. It
// reports false when there is no such sender.
func (w *Watcher) Packets(key string) (PacketView, bool) {
	for _, r := range w.slots {
		if r.Key == key {
			return r.view(w.cfg.Start), true
		}
	}
	return PacketView{}, false
}

func (r *row) view(start soccer.Time) PacketView {
	v := PacketView{Key: r.Key, Packets: []PacketEntry{}}
	for i := 1; i <= keptPackets; i++ {
		l := &r.last[(r.next-i+keptPackets)%keptPackets]
		if l.len < 0 {
			break
		}
		id := mixedteam.Identify(l.data)
		v.Packets = append(v.Packets, PacketEntry{
			Time:    l.at.Sub(start).Seconds(),
			Variant: id.Variant.String(),
			Sure:    id.Confidence,
			Why:     id.Reason,
			Len:     l.len,
			Hex:     hex.EncodeToString(l.data),
			Fields:  append([]wire.Field{}, mixedteam.Fields(l.data)...),
			Issues:  append([]wire.Issue{}, conform.Issues(l.data, id.Variant)...),
		})
	}
	return v
}
