package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"touchline/matchlog"
	"touchline/matchlog/matchlognet"
	"touchline/wire"
)

// unrecorded are the flags that change nothing of a record, and those that are secret.
var unrecorded = []string{
	"assert", "dir", "duration", "http", "json", "junit", "key", "no-browser", "profiles", "quiet", "record", "seed", "token",
	"view-only",
}

// withOrigin adds to the metadata of a record how it is made: the seed, and the other flags.
func withOrigin(meta map[string]string, c *cobra.Command, seed uint64) map[string]string {
	var given []string
	c.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(unrecorded, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if all, ok := f.Value.(pflag.SliceValue); ok {
			values = all.GetSlice()
		}
		for _, value := range values {
			switch {
			case f.Value.Type() == "bool" && value == "true":
				value = ""
			case strings.ContainsAny(value, " \t"):
				value = " '" + value + "'"
			default:
				value = " " + value
			}
			given = append(given, "--"+f.Name+value)
		}
	})
	meta[matchlog.MetaSeed] = strconv.FormatUint(seed, 10)
	meta[matchlog.MetaFlags] = strings.Join(append([]string{c.CommandPath()}, given...), " ")
	return meta
}

// originOf returns how a record was made in words for a page; "" where its metadata does not tell.
func originOf(meta map[string]string) string {
	seed, flags := meta[matchlog.MetaSeed], meta[matchlog.MetaFlags]
	if seed == "" {
		return ""
	}
	return wire.Printable(fmt.Sprintf("seed %.20s, %.200s", seed, flags))
}

// originRow is a row of a list of logs.
type originRow struct {
	matchlognet.Row
	Origin string `json:"origin"` // seed and flags of the command that made it; "" where its metadata does not tell
}

// listRecords answers the list of logs with the origin of each, by its name.
func listRecords(logs *matchlognet.Logs, origins map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		rows := []originRow{}
		for _, r := range logs.List() {
			rows = append(rows, originRow{r, origins[r.Name]})
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_ = json.NewEncoder(w).Encode(map[string][]originRow{"logs": rows}) // the page has left
	})
}
