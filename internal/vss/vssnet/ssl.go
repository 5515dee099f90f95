package vssnet

import (
	"touchline/internal/vss"
	"touchline/soccer"
	"touchline/wire/firasim"
)

// translator turns vision packets of FIRASim into SSL-Vision's.
type translator struct {
	env    firasim.Environment
	vision firasim.SSLVision
	bytes  []byte
}

func (t *translator) translate(vision []byte) ([]byte, error) {
	if err := t.env.UnmarshalBinary(vision); err != nil {
		return nil, err
	}
	vss.SSLVision(&t.env, &t.vision)
	var err error
	t.bytes, err = t.vision.AppendBinary(t.bytes[:0])
	return t.bytes, err
}

// sendSSL sends the held vision to a target in SSL-Vision's format, each packet by itself.
func (s *Server) sendSSL(e *visionTarget) error {
	for b := range s.held.all() {
		b, err := e.ssl.translate(b)
		if err == nil {
			err = e.sender.Send(b)
		}
		if err != nil {
			return err
		}
		s.sent.Add(1)
		s.recordSent(e.from, e.address, b)
	}
	return nil
}

// receiveGrSim applies a packet of grSim's clients.
func (s *Server) receiveGrSim(p *soccer.Packet, from *firasim.GrSimPacket, packet *firasim.Packet) {
	if err := from.UnmarshalBinary(p.Data); err != nil {
		s.refusePacket(p)
		return
	}
	s.mu.Lock()
	s.session.FromGrSim(p.From, from, packet)
	s.mu.Unlock()
	s.receive(p, packet)
}

// kindOf returns the message of a client's packet.
func (s *Server) kindOf(b []byte) firasim.Kind {
	if len(s.Config.SSLVision) > 0 && firasim.IsGrSim(b) {
		return firasim.KindGrSim
	}
	return firasim.KindPacket
}
