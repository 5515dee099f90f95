package teamcom_test

import (
	"encoding/binary"
	"errors"
	"fmt"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
)

// Pass is a message of a team's own type: the sender passes the ball to a robot.
type Pass struct {
	To         uint8
	SpeedMilli uint16 // mm/s
}

// DataType returns the number that the team chose, 1000 or above.
func (p *Pass) DataType() uint16 { return 1001 }

// AppendBinary appends the encoded message.
func (p *Pass) AppendBinary(b []byte) ([]byte, error) {
	return binary.LittleEndian.AppendUint16(append(b, p.To), p.SpeedMilli), nil
}

// UnmarshalBinary decodes the message.
func (p *Pass) UnmarshalBinary(b []byte) error {
	if len(b) != 3 {
		return errors.New("a pass has 3 bytes")
	}
	p.To, p.SpeedMilli = b[0], binary.LittleEndian.Uint16(b[1:])
	return nil
}

// Two robots exchange a message of a team's own type. Here a loop carries the datagrams; on a network, package
// teamcomnet does.
func Example() {
	passer, err := teamcom.New(teamcom.DefaultConfig(tcm.Entity{Kind: tcm.Robot, ID: 2}))
	if err != nil {
		panic(err)
	}
	striker, err := teamcom.New(teamcom.DefaultConfig(tcm.Entity{Kind: tcm.Robot, ID: 5}))
	if err != nil {
		panic(err)
	}
	behaviours := striker.Module(tcm.HBM)
	teamcom.Handle(behaviours, func(from teamcom.From, p *Pass) {
		fmt.Printf("%v passes to robot %d at %.1f m/s\n", from.Entity, p.To, float64(p.SpeedMilli)/1000)
	})

	now := soccer.Epoch
	client := passer.Module(tcm.HBM).Client()
	if err := client.Send(now, tcm.Entity{Kind: tcm.Robot}, &Pass{To: 5, SpeedMilli: 4200}); err != nil {
		panic(err)
	}
	for {
		out, ok := passer.Next(now, nil)
		if !ok {
			break
		}
		striker.Receive(&soccer.Packet{Time: now, Data: out.Data}, out.Socket)
	}
	behaviours.Run(func() soccer.Time { return now }, 10)
	// Output: robot:2 passes to robot 5 at 4.2 m/s
}
