package matchlognet

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"touchline/matchlog"
)

// TestServeExport checks that logs are exported one at a time, that no temporary file stays, and that a running game is
// exported again instead of serving an outdated zip.
func TestServeExport(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	w, err := matchlog.Create(filepath.Join(dir, "20260703_155014.mcap"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Write(matchlog.Message{Time: 1e18, Channel: matchlog.Home, Data: []byte(`{"type":"worldstate"}`)}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "20260703_155014.A-B.zip"), []byte("PK old"), 0o644); err != nil {
		t.Fatal(err)
	}
	over := true
	s := &Logs{Dir: dir, Over: func(string) bool { return over }}
	defer s.Close()
	get := func(path string) *httptest.ResponseRecorder {
		a := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/api/logs/20260703_155014.mcap/"+path, nil)
		r.SetPathValue("name", "20260703_155014.mcap")
		s.Handlers()["GET /api/logs/{name}/zip"].ServeHTTP(a, r)
		return a
	}
	s.exporting.Lock()
	if a := get("zip?grid=1"); a.Code != http.StatusServiceUnavailable || a.Header().Get("Retry-After") == "" {
		t.Errorf("while another is exported: %d %s", a.Code, a.Body)
	}
	if a := get("zip"); a.Code != http.StatusOK || a.Body.String() != "PK old" {
		t.Errorf("the zip that is there: %d %.40q", a.Code, a.Body)
	}
	s.exporting.Unlock()
	over = false
	for _, path := range []string{"zip?grid=1", "zip"} {
		if a := get(path); a.Code != http.StatusOK || !bytes.HasPrefix(a.Body.Bytes(), []byte("PK\x03\x04")) {
			t.Errorf("%s: %d %.40q", path, a.Code, a.Body)
		}
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
