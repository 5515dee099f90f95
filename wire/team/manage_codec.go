package team

// DataType returns TypeImage.
func (m *Image) DataType() uint16 { return TypeImage }

// AppendBinary appends m to b, like that of Belief.
func (m *Image) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Image) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}

// DataType returns TypeParameters.
func (m *Parameters) DataType() uint16 { return TypeParameters }

// AppendBinary appends m to b, like that of Belief.
func (m *Parameters) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Parameters) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}

// DataType returns TypeDrive.
func (m *Drive) DataType() uint16 { return TypeDrive }

// AppendBinary appends m to b, like that of Belief.
func (m *Drive) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Drive) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}

// DataType returns TypeKickCheck.
func (m *KickCheck) DataType() uint16 { return TypeKickCheck }

// AppendBinary appends m to b, like that of Belief.
func (m *KickCheck) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *KickCheck) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}

// DataType returns TypeLocomotionCheck.
func (m *LocomotionCheck) DataType() uint16 { return TypeLocomotionCheck }

// AppendBinary appends m to b, like that of Belief.
func (m *LocomotionCheck) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *LocomotionCheck) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}

// DataType returns TypeAttend.
func (m *Attend) DataType() uint16 { return TypeAttend }

// AppendBinary appends m to b, like that of Belief.
func (m *Attend) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Attend) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}

// DataType returns TypeManagement.
func (m *Management) DataType() uint16 { return TypeManagement }

// AppendBinary appends m to b, like that of Belief.
func (m *Management) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Management) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}

// DataType returns TypeChallenge.
func (m *Challenge) DataType() uint16 { return TypeChallenge }

// AppendBinary appends m to b, like that of Belief.
func (m *Challenge) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Challenge) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}

// DataType returns TypeRequest.
func (m *Request) DataType() uint16 { return TypeRequest }

// AppendBinary appends m to b, like that of Belief.
func (m *Request) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Request) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}

// DataType returns TypeAnswer.
func (m *Answer) DataType() uint16 { return TypeAnswer }

// AppendBinary appends m to b, like that of Belief.
func (m *Answer) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Answer) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}
