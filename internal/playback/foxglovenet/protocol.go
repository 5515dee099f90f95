package foxglovenet

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"touchline/matchlog"
	"touchline/soccer"
)

// Sub-protocols, the preferred one first. Their messages are the same, except for playback: a client that offers the
// older one, too, may not know it (Foxglove WebSocket protocol).
const (
	sdkProtocol   = "foxglove.sdk.v1"
	olderProtocol = "foxglove.websocket.v1"
)

// Opcodes of binary messages. Numbers are little endian (Foxglove WebSocket protocol).
const (
	opMessage  = 1 // subscription u32, time u64 in ns, payload
	opTime     = 2 // time u64 in ns
	opAnswer   = 3 // service u32, call u32, length of the encoding u32, encoding, payload
	opPlayback = 5 // status u8, time u64 in ns, speed f32, whether it follows a seek u8, length of the id u32, id

	opPublish = 1 // of a client: channel u32, payload
	opCall    = 2 // of a client: like opAnswer
	// opControl of a client: 0 to play or 1 to pause u8, speed f32, whether it seeks u8, time u64, length of the id u32, id
	opControl = 3
)

// Lengths of binary messages in bytes, without what has a length of its own.
const (
	messageHead  = 1 + 4 + 8
	callHead     = 1 + 4 + 4 + 4
	controlHead  = 1 + 1 + 4 + 1 + 8 + 4
	maxIDLength  = 256  // of the ids that clients choose for their requests
	maxRequests  = 1024 // names of parameters, or parameters, in one message
	maxNameBytes = 256
)

// Levels of a status.
const (
	levelWarning = 1
	levelError   = 2
)

// JSON messages of the server.
type (
	serverInfo struct {
		Op           string            `json:"op"`
		Name         string            `json:"name"`
		Capabilities []string          `json:"capabilities"`
		Encodings    []string          `json:"supportedEncodings,omitempty"`
		Metadata     map[string]string `json:"metadata"`
		Session      string            `json:"sessionId"`
		Start        *instant          `json:"dataStartTime,omitempty"`
		End          *instant          `json:"dataEndTime,omitempty"`
	}
	instant struct {
		Sec  int64 `json:"sec"`
		Nsec int64 `json:"nsec"`
	}
	status struct {
		Op      string `json:"op"`
		Level   int    `json:"level"`
		Message string `json:"message"`
		ID      string `json:"id,omitempty"`
	}
	removeStatus struct {
		Op  string   `json:"op"`
		IDs []string `json:"statusIds"`
	}
	advertise struct {
		Op       string        `json:"op"`
		Channels []description `json:"channels"`
	}
	description struct {
		ID             uint32 `json:"id"`
		Topic          string `json:"topic"`
		Encoding       string `json:"encoding"`
		SchemaName     string `json:"schemaName"`
		Schema         string `json:"schema"`
		SchemaEncoding string `json:"schemaEncoding,omitempty"`
	}
	advertiseServices struct {
		Op       string               `json:"op"`
		Services []serviceDescription `json:"services"`
	}
	serviceDescription struct {
		ID       uint32     `json:"id"`
		Name     string     `json:"name"`
		Type     string     `json:"type"`
		Request  definition `json:"request"`
		Response definition `json:"response"`
	}
	definition struct {
		Encoding       string `json:"encoding"`
		SchemaName     string `json:"schemaName"`
		SchemaEncoding string `json:"schemaEncoding"`
		Schema         string `json:"schema"`
	}
	callFailure struct {
		Op      string `json:"op"`
		Service uint32 `json:"serviceId"`
		Call    uint32 `json:"callId"`
		Message string `json:"message"`
	}
	parameterValues struct {
		Op         string      `json:"op"`
		Parameters []Parameter `json:"parameters"`
		ID         string      `json:"id,omitempty"`
	}
)

// request is a message of a client.
type request struct {
	Op            string         `json:"op"` // "publish", "call" and "control" for binary messages
	Subscriptions []subscription `json:"subscriptions"`
	Unsubscribed  []uint32       `json:"subscriptionIds"`
	Names         []string       `json:"parameterNames"`
	Parameters    []asked        `json:"parameters"`
	ID            string         `json:"id"`

	service, call uint32 // of a call
	encoding      string
	payload       []byte
	control       Control
}

// subscription is a client's number for a channel that it wants.
type subscription struct {
	ID      uint32 `json:"id"`
	Channel uint32 `json:"channelId"`
}

// asked is a value that a client asks for.
type asked struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

// Control is what a client wants of the playback of a recording.
type Control struct {
	Paused bool
	Speed  float64     // times real time
	Seeks  bool        // to Time
	Time   soccer.Time // of the record
	ID     string      // of the request
}

// Status is what playback does.
type Status uint8

// The values of Status.
const (
	Playing Status = iota
	Paused
	Buffering // the record is not read yet
	Ended
)

// Playback is the state of the playback of a recording.
type Playback struct {
	Status Status
	Time   soccer.Time // of the record
	Speed  float64     // times real time
	Sought bool        // the state follows a seek
	ID     string      // of the request that it answers; "" for none
}

// parse decodes a message of a client. The error tells the client what is wrong with it.
func parse(kind websocket.MessageType, msg []byte) (request, error) {
	if kind == websocket.MessageText {
		return parseText(msg)
	}
	var r request
	if len(msg) == 0 {
		return r, errors.New("an empty binary message has no opcode")
	}
	tooShort := func(want int) error {
		return fmt.Errorf("a binary message with opcode %d has %d bytes: want %d or more", msg[0], len(msg), want)
	}
	switch op := msg[0]; op {
	case opPublish:
		r.Op = "publish"
	case opCall:
		if len(msg) < callHead {
			return r, tooShort(callHead)
		}
		length := binary.LittleEndian.Uint32(msg[9:])
		if uint64(length) > uint64(len(msg)-callHead) {
			return r, fmt.Errorf("the encoding of a service call has %d bytes, and %d follow", length, len(msg)-callHead)
		}
		r.Op, r.service, r.call = "call", binary.LittleEndian.Uint32(msg[1:]), binary.LittleEndian.Uint32(msg[5:])
		r.encoding, r.payload = string(msg[callHead:callHead+length]), msg[callHead+length:]
	case opControl:
		if len(msg) < controlHead {
			return r, tooShort(controlHead)
		}
		r.Op = "control"
		return r, r.control.parse(msg)
	default:
		return r, fmt.Errorf("binary messages with opcode %d are not known: want %d for a service call, or %d for playback",
			op, opCall, opControl)
	}
	return r, nil
}

func parseText(msg []byte) (r request, err error) {
	if err := json.Unmarshal(msg, &r); err != nil {
		return request{}, fmt.Errorf("a message is no JSON of this protocol: %w", err)
	}
	switch r.Op {
	case "subscribe", "unsubscribe", "advertise", "unadvertise", "getParameters", "setParameters",
		"subscribeParameterUpdates", "unsubscribeParameterUpdates", "subscribeConnectionGraph",
		"unsubscribeConnectionGraph", "fetchAsset":
	default:
		return request{}, fmt.Errorf("the operation %.40q is not known", r.Op)
	}
	if n := max(len(r.Names), len(r.Parameters)); n > maxRequests {
		return request{}, fmt.Errorf("%s: %d parameters are too many: at most %d", r.Op, n, maxRequests)
	}
	if len(r.ID) > maxIDLength {
		return request{}, fmt.Errorf("%s: an id of %d bytes is too long: at most %d", r.Op, len(r.ID), maxIDLength)
	}
	for _, name := range r.Names {
		if len(name) > maxNameBytes {
			return request{}, fmt.Errorf("%s: the name of a parameter has %d bytes: at most %d", r.Op, len(name),
				maxNameBytes)
		}
	}
	return r, nil
}

// parse decodes a message with opControl, which is long enough.
func (c *Control) parse(msg []byte) error {
	if msg[1] > 1 {
		return fmt.Errorf("playback: command %d: want 0 to play, or 1 to pause", msg[1])
	}
	id := msg[controlHead:]
	length := binary.LittleEndian.Uint32(msg[controlHead-4:])
	if uint64(length) > uint64(len(id)) || length > maxIDLength || !utf8.Valid(id[:length]) {
		return fmt.Errorf("playback: the request's id has %d bytes, and %d follow: want text of at most %d bytes", length,
			len(id), maxIDLength)
	}
	speed := float64(math.Float32frombits(binary.LittleEndian.Uint32(msg[2:])))
	at := binary.LittleEndian.Uint64(msg[7:])
	if !(speed >= slowest && speed <= fastest) {
		return fmt.Errorf("playback: speed %v: want a factor from %v to %v", speed, slowest, fastest)
	}
	if at > math.MaxInt64 {
		return fmt.Errorf("playback: the time %d ns is after the year 2262", at)
	}
	*c = Control{Paused: msg[1] == 1, Speed: speed, Seeks: msg[6] != 0, Time: soccer.Time(at), ID: string(id[:length])}
	return nil
}

// Bounds of the speed of playback.
const slowest, fastest = 0.01, 100

// appendMessage appends a message of a subscription.
func appendMessage(b []byte, id uint32, at soccer.Time, payload []byte) []byte {
	b = binary.LittleEndian.AppendUint32(append(b, opMessage), id)
	return append(binary.LittleEndian.AppendUint64(b, uint64(at)), payload...)
}

func appendTime(b []byte, at soccer.Time) []byte {
	return binary.LittleEndian.AppendUint64(append(b, opTime), uint64(at))
}

// appendAnswer appends the answer of a service.
func appendAnswer(b []byte, service, call uint32, encoding string, payload []byte) []byte {
	b = binary.LittleEndian.AppendUint32(append(b, opAnswer), service)
	b = binary.LittleEndian.AppendUint32(b, call)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(encoding)))
	return append(append(b, encoding...), payload...)
}

func appendPlayback(b []byte, p *Playback) []byte {
	b = binary.LittleEndian.AppendUint64(append(b, opPlayback, byte(p.Status)), uint64(p.Time))
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(p.Speed)))
	sought := byte(0)
	if p.Sought {
		sought = 1
	}
	b = binary.LittleEndian.AppendUint32(append(b, sought), uint32(len(p.ID)))
	return append(b, p.ID...)
}

// describe describes a channel for clients.
func describe(id uint32, name string, schema matchlog.Schema) description {
	d := description{ID: id, Topic: name, SchemaName: schema.Name}
	encoding, own := matchlog.Encoding(name)
	if d.Encoding = encoding; own.Name != "" {
		d.SchemaName, d.SchemaEncoding, d.Schema = own.Name, own.Encoding, base64.StdEncoding.EncodeToString(own.Data)
	} else if len(schema.Data) > 0 {
		d.SchemaEncoding, d.Schema = "jsonschema", string(schema.Data)
	}
	return d
}

func instantOf(t soccer.Time) *instant {
	return &instant{int64(t) / int64(time.Second), int64(t) % int64(time.Second)}
}
