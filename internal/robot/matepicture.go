package robot

import (
	"touchline/soccer"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// matePicture is what a teammate saw in a picture, in the team frame. It decodes itself from team.Measurements.
type matePicture struct {
	percepts     soccer.Percepts // without a time
	measurements team.Measurements
	sense        soccer.Sense
}

// UnmarshalBinary decodes b, like that of team.Measurements.
func (p *matePicture) UnmarshalBinary(b []byte) error {
	if err := p.measurements.UnmarshalBinary(b); err != nil {
		return err
	}
	p.set(&p.measurements)
	return nil
}

// DataType returns that of team.Measurements.
func (p *matePicture) DataType() uint16 { return p.measurements.DataType() }

func (p *matePicture) set(m *team.Measurements) {
	m.Sense(0, &p.sense)
	anchor(&p.sense, &p.percepts)
}

// receiveMeasurements fuses what a teammate saw in a picture, taken at a time of this robot's clock. They count in place
// of its packages. Those of a computer are ignored.
func (r *Robot) receiveMeasurements(from tcm.Entity, captured, arrival soccer.Time, m *team.Measurements) {
	r.mate.set(m)
	r.receivePicture(from, captured, arrival, &r.mate)
}

// receivePicture is ReceiveMeasurements for a picture that is decoded, and does not change it.
func (r *Robot) receivePicture(from tcm.Entity, captured, arrival soccer.Time, p *matePicture) {
	if from.Kind != tcm.Robot {
		return
	}
	percepts := p.percepts
	percepts.Time = captured
	r.team.Measure(soccer.Sender{Color: r.cfg.Color, Robot: from.ID}, arrival, &percepts)
}
