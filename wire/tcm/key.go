package tcm

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
)

// minSecret is the least length of a secret in bytes: 128 bits, as many as a tag has.
const minSecret = 16

// Key signs and verifies the datagrams of a team. It is not safe for concurrent use.
type Key struct {
	mac hash.Hash
	sum [sha256.Size]byte
}

// NewKey returns the key of a secret, the contents of a key file. Line breaks at the end do not belong to the secret.
func NewKey(secret []byte) (*Key, error) {
	secret = bytes.TrimRight(secret, "\r\n")
	if len(secret) < minSecret {
		return nil, fmt.Errorf("the team key has %d bytes: it needs at least %d; make one with: openssl rand -hex 32",
			len(secret), minSecret)
	}
	return &Key{mac: hmac.New(sha256.New, secret)}, nil
}

// Append appends the tag of b to b.
func (k *Key) Append(b []byte) []byte { return append(b, k.tag(b)...) }

// Valid reports whether a datagram that UnmarshalBinary accepted is signed with k. Its time does not depend on the tag.
func (k *Key) Valid(datagram []byte) bool {
	end := len(datagram) - SumSize - TagSize
	if end < HeaderSize || datagram[4]&flagSigned == 0 {
		return false
	}
	return hmac.Equal(k.tag(datagram[:end]), datagram[end:end+TagSize])
}

// tag returns the tag of b in memory that the next call reuses.
func (k *Key) tag(b []byte) []byte {
	k.mac.Reset()
	k.mac.Write(b)
	return k.mac.Sum(k.sum[:0])[:TagSize]
}

// Seal completes a datagram of header and pieces: it appends the tag, unless key is nil, and the checksum, and writes
// the signature's flag into the header.
func Seal(datagram []byte, key *Key) []byte {
	datagram[4] &^= flagSigned
	if key != nil {
		datagram[4] |= flagSigned
		datagram = key.Append(datagram)
	}
	return binary.LittleEndian.AppendUint32(datagram, Sum(datagram))
}
