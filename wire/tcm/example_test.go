package tcm_test

import (
	"fmt"

	"touchline/wire/tcm"
)

func ExampleDatagram_AppendSigned() {
	key, err := tcm.NewKey([]byte("a secret of the whole team"))
	if err != nil {
		panic(err)
	}
	sent := tcm.Datagram{
		Header: tcm.Header{
			Team: 7, From: tcm.Entity{Kind: tcm.Robot, ID: 3}, To: tcm.Entity{Kind: tcm.Robot}, Socket: tcm.Robots,
			Boot: 1700000000, Sequence: 1, Sent: 5_000_000_000,
		},
		Pieces: []tcm.Piece{{Module: tcm.FirstOwnModule, Type: tcm.FirstOwnType, Data: []byte("pass to me")}},
	}
	packet, err := sent.AppendSigned(nil, key)
	if err != nil {
		panic(err)
	}

	var received tcm.Datagram
	if err := received.UnmarshalBinary(packet); err != nil {
		panic(err)
	}
	fmt.Println(len(packet), "bytes, signed:", key.Valid(packet))
	for _, p := range received.Pieces {
		fmt.Printf("%v to %v, %v: %s\n", received.From, received.To, p.Type, p.Data)
	}
	// Output:
	// 96 bytes, signed: true
	// robot:3 to robots, type 1000: pass to me
}

func ExampleCheck() {
	d := tcm.Datagram{Header: tcm.Header{
		Team: 7, From: tcm.Entity{Kind: tcm.Robot, ID: 3}, To: tcm.Entity{Kind: tcm.Computer, ID: 1},
		Socket: tcm.Telemetry, Boot: 1700000000, Sequence: 1, Sent: 5_000_000_000,
	}}
	packet, err := d.AppendBinary(nil)
	if err != nil {
		panic(err)
	}
	packet[6] = 9
	issues := tcm.Check(packet)
	fmt.Println(len(issues), "issues: this one, and the checksum that no longer fits")
	fmt.Println(issues[0])
	// Output:
	// 2 issues: this one, and the checksum that no longer fits
	// byte 6, from.kind: 9 is no kind of entity: write 1 for a robot, 2 for a computer (TCM datagram, The datagram)
}
