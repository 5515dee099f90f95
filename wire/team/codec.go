package team

import "touchline/wire/internal/coder"

func encode[T any](b []byte, m *T, layout func(*T, *coder.Coder)) ([]byte, error) {
	return coder.Append(&protocol, b, m, layout)
}

func decode[T any](b []byte, m *T, layout func(*T, *coder.Coder)) error {
	return coder.Unmarshal(&protocol, b, m, layout)
}

// DataType returns TypeBelief.
func (m *Belief) DataType() uint16 { return TypeBelief }

// AppendBinary appends m to b. It refuses a message for which Check returns a violation.
func (m *Belief) AppendBinary(b []byte) ([]byte, error) { return encode(b, m, (*Belief).layout) }

// UnmarshalBinary decodes b. The error is ErrVersion, wraps wire.ErrShort, or names the field that cannot be used.
func (m *Belief) UnmarshalBinary(b []byte) error { return decode(b, m, (*Belief).layout) }

// DataType returns TypeMeasurements.
func (m *Measurements) DataType() uint16 { return TypeMeasurements }

// AppendBinary appends m to b, like that of Belief.
func (m *Measurements) AppendBinary(b []byte) ([]byte, error) {
	return encode(b, m, (*Measurements).layout)
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Measurements) UnmarshalBinary(b []byte) error { return decode(b, m, (*Measurements).layout) }

// DataType returns TypeStatus.
func (m *Status) DataType() uint16 { return TypeStatus }

// AppendBinary appends m to b, like that of Belief.
func (m *Status) AppendBinary(b []byte) ([]byte, error) { return encode(b, m, (*Status).layout) }

// UnmarshalBinary decodes b, like that of Belief.
func (m *Status) UnmarshalBinary(b []byte) error { return decode(b, m, (*Status).layout) }

// DataType returns TypeDebug.
func (m *Debug) DataType() uint16 { return TypeDebug }

// AppendBinary appends m to b, like that of Belief.
func (m *Debug) AppendBinary(b []byte) ([]byte, error) { return encode(b, m, (*Debug).layout) }

// UnmarshalBinary decodes b, like that of Belief.
func (m *Debug) UnmarshalBinary(b []byte) error { return decode(b, m, (*Debug).layout) }

// DataType returns TypeReferee.
func (m *Referee) DataType() uint16 { return TypeReferee }

// AppendBinary appends m to b, like that of Belief.
func (m *Referee) AppendBinary(b []byte) ([]byte, error) { return encode(b, m, (*Referee).layout) }

// UnmarshalBinary decodes b, like that of Belief.
func (m *Referee) UnmarshalBinary(b []byte) error { return decode(b, m, (*Referee).layout) }

// DataType returns TypeSense.
func (m *Sense) DataType() uint16 { return TypeSense }

// AppendBinary appends m to b, like that of Belief.
func (m *Sense) AppendBinary(b []byte) ([]byte, error) { return encode(b, m, (*Sense).layout) }

// UnmarshalBinary decodes b, like that of Belief.
func (m *Sense) UnmarshalBinary(b []byte) error { return decode(b, m, (*Sense).layout) }

// DataType returns TypeMotor.
func (m *Motor) DataType() uint16 { return TypeMotor }

// AppendBinary appends m to b, like that of Belief.
func (m *Motor) AppendBinary(b []byte) ([]byte, error) { return encode(b, m, (*Motor).layout) }

// UnmarshalBinary decodes b, like that of Belief.
func (m *Motor) UnmarshalBinary(b []byte) error { return decode(b, m, (*Motor).layout) }

// DataType returns TypeDirectory.
func (m *Directory) DataType() uint16 { return TypeDirectory }

// AppendBinary appends m to b, like that of Belief.
func (m *Directory) AppendBinary(b []byte) ([]byte, error) { return encode(b, m, (*Directory).layout) }

// UnmarshalBinary decodes b, like that of Belief.
func (m *Directory) UnmarshalBinary(b []byte) error { return decode(b, m, (*Directory).layout) }

// DataType returns TypeFile.
func (m *File) DataType() uint16 { return TypeFile }

// AppendBinary appends m to b, like that of Belief.
func (m *File) AppendBinary(b []byte) ([]byte, error) { return encode(b, m, (*File).layout) }

// UnmarshalBinary decodes b, like that of Belief. A chunk outside the bounds of its file is an error.
func (m *File) UnmarshalBinary(b []byte) error { return decode(b, m, (*File).layout) }

// DataType returns TypeImage.
func (m *Image) DataType() uint16 { return TypeImage }

// AppendBinary appends m to b, like that of Belief.
func (m *Image) AppendBinary(b []byte) ([]byte, error) { return encode(b, m, (*Image).layout) }

// UnmarshalBinary decodes b, like that of Belief.
func (m *Image) UnmarshalBinary(b []byte) error { return decode(b, m, (*Image).layout) }

// DataType returns TypeParameters.
func (m *Parameters) DataType() uint16 { return TypeParameters }

// AppendBinary appends m to b, like that of Belief.
func (m *Parameters) AppendBinary(b []byte) ([]byte, error) {
	return encode(b, m, (*Parameters).layout)
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Parameters) UnmarshalBinary(b []byte) error { return decode(b, m, (*Parameters).layout) }

// DataType returns TypeDrive.
func (m *Drive) DataType() uint16 { return TypeDrive }

// AppendBinary appends m to b, like that of Belief.
func (m *Drive) AppendBinary(b []byte) ([]byte, error) { return encode(b, m, (*Drive).layout) }

// UnmarshalBinary decodes b, like that of Belief.
func (m *Drive) UnmarshalBinary(b []byte) error { return decode(b, m, (*Drive).layout) }

// DataType returns TypeKickCheck.
func (m *KickCheck) DataType() uint16 { return TypeKickCheck }

// AppendBinary appends m to b, like that of Belief.
func (m *KickCheck) AppendBinary(b []byte) ([]byte, error) { return encode(b, m, (*KickCheck).layout) }

// UnmarshalBinary decodes b, like that of Belief.
func (m *KickCheck) UnmarshalBinary(b []byte) error { return decode(b, m, (*KickCheck).layout) }

// DataType returns TypeLocomotionCheck.
func (m *LocomotionCheck) DataType() uint16 { return TypeLocomotionCheck }

// AppendBinary appends m to b, like that of Belief.
func (m *LocomotionCheck) AppendBinary(b []byte) ([]byte, error) {
	return encode(b, m, (*LocomotionCheck).layout)
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *LocomotionCheck) UnmarshalBinary(b []byte) error {
	return decode(b, m, (*LocomotionCheck).layout)
}

// DataType returns TypeAttend.
func (m *Attend) DataType() uint16 { return TypeAttend }

// AppendBinary appends m to b, like that of Belief.
func (m *Attend) AppendBinary(b []byte) ([]byte, error) { return encode(b, m, (*Attend).layout) }

// UnmarshalBinary decodes b, like that of Belief.
func (m *Attend) UnmarshalBinary(b []byte) error { return decode(b, m, (*Attend).layout) }

// DataType returns TypeManagement.
func (m *Management) DataType() uint16 { return TypeManagement }

// AppendBinary appends m to b, like that of Belief.
func (m *Management) AppendBinary(b []byte) ([]byte, error) {
	return encode(b, m, (*Management).layout)
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Management) UnmarshalBinary(b []byte) error { return decode(b, m, (*Management).layout) }

// DataType returns TypeChallenge.
func (m *Challenge) DataType() uint16 { return TypeChallenge }

// AppendBinary appends m to b, like that of Belief.
func (m *Challenge) AppendBinary(b []byte) ([]byte, error) { return encode(b, m, (*Challenge).layout) }

// UnmarshalBinary decodes b, like that of Belief.
func (m *Challenge) UnmarshalBinary(b []byte) error { return decode(b, m, (*Challenge).layout) }

// DataType returns TypeRequest.
func (m *Request) DataType() uint16 { return TypeRequest }

// AppendBinary appends m to b, like that of Belief.
func (m *Request) AppendBinary(b []byte) ([]byte, error) { return encode(b, m, (*Request).layout) }

// UnmarshalBinary decodes b, like that of Belief.
func (m *Request) UnmarshalBinary(b []byte) error { return decode(b, m, (*Request).layout) }

// DataType returns TypeAnswer.
func (m *Answer) DataType() uint16 { return TypeAnswer }

// AppendBinary appends m to b, like that of Belief.
func (m *Answer) AppendBinary(b []byte) ([]byte, error) { return encode(b, m, (*Answer).layout) }

// UnmarshalBinary decodes b, like that of Belief.
func (m *Answer) UnmarshalBinary(b []byte) error { return decode(b, m, (*Answer).layout) }

// DataType returns TypeOverlay.
func (m *Overlay) DataType() uint16 { return TypeOverlay }

// AppendBinary appends m to b, like that of Belief.
func (m *Overlay) AppendBinary(b []byte) ([]byte, error) { return encode(b, m, (*Overlay).layout) }

// UnmarshalBinary decodes b, like that of Belief.
func (m *Overlay) UnmarshalBinary(b []byte) error { return decode(b, m, (*Overlay).layout) }

// DataType returns TypeScene.
func (m *Scene) DataType() uint16 { return TypeScene }

// AppendBinary appends m to b, like that of Belief.
func (m *Scene) AppendBinary(b []byte) ([]byte, error) { return encode(b, m, (*Scene).layout) }

// UnmarshalBinary decodes b, like that of Belief.
func (m *Scene) UnmarshalBinary(b []byte) error { return decode(b, m, (*Scene).layout) }
