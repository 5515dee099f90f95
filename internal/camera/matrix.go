package camera

import "math"

// factor replaces the lower triangle of a symmetric n x n matrix by its Cholesky factor. It reports false for a matrix
// that is not positive definite.
func factor(a []float64, n int) bool {
	for j := range n {
		sum := a[j*n+j]
		for k := range j {
			sum -= float64(a[j*n+k] * a[j*n+k])
		}
		if !(sum > 0) {
			return false
		}
		root := math.Sqrt(sum)
		a[j*n+j] = root
		for i := j + 1; i < n; i++ {
			sum := a[i*n+j]
			for k := range j {
				sum -= float64(a[i*n+k] * a[j*n+k])
			}
			a[i*n+j] = sum / root
		}
	}
	return true
}

// solve replaces b by the solution of the factored system.
func solve(a, b []float64, n int) {
	for i := range n {
		for k := range i {
			b[i] -= float64(a[i*n+k] * b[k])
		}
		b[i] /= a[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			b[i] -= float64(a[k*n+i] * b[k])
		}
		b[i] /= a[i*n+i]
	}
}
