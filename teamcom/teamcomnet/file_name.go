package teamcomnet

import (
	"path/filepath"
	"strings"
	"unicode/utf8"

	"touchline/wire"
)

// maxName is the longest name of a received file in bytes: temporary names add to it, and systems accept 255.
const maxName = 200

// safeName returns the name under which a file that is called name is stored. It is one component of a path: no folder,
// no hidden file, no device, and without the characters that Windows refuses.
func safeName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || wire.IsControl(r) || strings.ContainsRune(`<>:"|?*`, r) {
			return '_'
		}
		return r
	}, name)
	for len(name) > maxName {
		_, last := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-last]
	}
	name = strings.TrimRight(name, ". ")
	if hidden := strings.TrimLeft(name, ". "); hidden != name {
		name = "_" + hidden
	}
	if name == "" || !filepath.IsLocal(name) {
		return "_" + name
	}
	return name
}
