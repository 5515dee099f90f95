package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"rsc.io/qr"
)

// quietEdge is the width of the white edge of a square code (ISO/IEC 18004), in its squares.
const quietEdge = 4

// codeText returns the square code of an address for a terminal: black on white, two rows a line.
func codeText(address string) string {
	code, err := qr.Encode(address, qr.M)
	if err != nil {
		return "" // an address that is too long: the text has it
	}
	var b strings.Builder
	for y := -quietEdge; y < code.Size+quietEdge; y += 2 {
		b.WriteString("\x1b[30;107m")
		for x := -quietEdge; x < code.Size+quietEdge; x++ {
			upper, lower := code.Black(x, y), code.Black(x, y+1)
			switch {
			case upper && lower:
				b.WriteString("█")
			case upper:
				b.WriteString("▀")
			case lower:
				b.WriteString("▄")
			default:
				b.WriteString(" ")
			}
		}
		b.WriteString("\x1b[0m\n")
	}
	return b.String()
}

// codePicture returns a handler that answers with the square code of an address as a picture.
func codePicture(address string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		code, err := qr.Encode(address, qr.M)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		var path strings.Builder
		for y := range code.Size {
			for x := range code.Size {
				if code.Black(x, y) {
					fmt.Fprintf(&path, "M%d %dh1v1h-1z", x, y)
				}
			}
		}
		w.Header().Set("Content-Type", "image/svg+xml")
		size := code.Size + 2*quietEdge
		_, _ = io.WriteString(w, fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="%d %d %d %d">`+
			`<path fill="#fff" d="M%d %dh%dv%dh-%dz"/><path d="%s"/></svg>`, -quietEdge, -quietEdge, size, size, -quietEdge, -quietEdge,
			size, size, size, path.String())) // after a failed write the client is gone
	})
}
