package selfloc

import "touchline/soccer"

// vector is a small change of a pose: x, y and heading.
type vector [3]float64

// moved returns a pose changed by v.
func moved(p soccer.Pose, v vector) soccer.Pose {
	return soccer.Pose{X: p.X + v[0], Y: p.Y + v[1], Theta: soccer.WrapAngle(p.Theta + v[2])}
}

// change returns the change from one pose to another.
func change(from, to soccer.Pose) vector {
	return vector{to.X - from.X, to.Y - from.Y, soccer.WrapAngle(to.Theta - from.Theta)}
}

// matrix is a symmetric matrix of poses: xx, xy, xh, yy, yh, hh.
type matrix = soccer.PoseCov

// inverse returns the inverse of a positive definite matrix, and whether it has one.
func inverse(m *matrix) (matrix, bool) {
	inverse, det := m.Inverse()
	if !(m[0] > 0 && m[3] > 0 && m[5] > 0 && det > 1e-30) {
		return matrix{}, false
	}
	return inverse, true
}

// times returns m v.
func times(m *matrix, v vector) vector {
	return vector{
		float64(m[0]*v[0]) + float64(m[1]*v[1]) + float64(m[2]*v[2]),
		float64(m[1]*v[0]) + float64(m[3]*v[1]) + float64(m[4]*v[2]),
		float64(m[2]*v[0]) + float64(m[4]*v[1]) + float64(m[5]*v[2]),
	}
}

func dot(a, b vector) float64 { return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2]) }

// trace returns the trace of a b.
func trace(a, b *matrix) float64 {
	return float64(a[0]*b[0]) + float64(a[3]*b[3]) + float64(a[5]*b[5]) +
		float64(2*(float64(a[1]*b[1])+float64(a[2]*b[2])+float64(a[4]*b[4])))
}

func plus(a, b matrix) matrix {
	for i := range a {
		a[i] += b[i]
	}
	return a
}

// diagonal returns a matrix with x for both parts of the position and h for the heading.
func diagonal(x, h float64) matrix { return matrix{0: x, 3: x, 5: h} }
