package monitor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// ScreenshotConfig describes a picture.
type ScreenshotConfig struct {
	URL    string // of the page
	Width  int    // px. Default 1920
	Height int    // px. Default 1080
	Dark   bool   // the dark theme. Default false
	// Settled is a JavaScript expression: null until the picture is complete, then the time that it shows in s.
	Settled string
	Browser string // path of the browser. Default: $CHROMIUM, or the one that Find finds
}

// DefaultScreenshotConfig returns the configuration of a picture of 1920 x 1080 px.
func DefaultScreenshotConfig() ScreenshotConfig { return ScreenshotConfig{Width: 1920, Height: 1080} }

// patience is the time for the browser to start, and for a page to complete its picture: recordings of hours are read
// first.
const patience = 2 * time.Minute

// Find returns the path of a browser that can draw pages: $CHROMIUM, or the first of Chromium, Chrome and Edge on this
// machine. Its error says what to install.
func Find() (string, error) {
	if path := os.Getenv("CHROMIUM"); path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("the environment variable CHROMIUM names no program: %w", err)
		}
		return found, nil
	}
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"}
	switch runtime.GOOS {
	case "darwin":
		for _, app := range []string{"Chromium", "Google Chrome", "Microsoft Edge"} {
			names = append(names, "/Applications/"+app+".app/Contents/MacOS/"+app)
		}
	case "windows":
		for _, folder := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
			for _, path := range []string{`Google\Chrome\Application\chrome.exe`, `Microsoft\Edge\Application\msedge.exe`} {
				names = append(names, filepath.Join(os.Getenv(folder), path))
			}
		}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	install := map[string]string{"darwin": "brew install --cask google-chrome", "windows": "winget install Google.Chrome"}
	how, ok := install[runtime.GOOS]
	if !ok {
		how = "apt install chromium"
	}
	return "", fmt.Errorf("a picture needs Chromium, Chrome or Edge, and none is on this machine: install one, for "+
		"example with %q, or set the environment variable CHROMIUM to its path", how)
}

// Take opens the page, waits until its picture is complete, and returns it as PNG with the time that it shows.
func Take(ctx context.Context, cfg ScreenshotConfig) (png []byte, shown float64, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	b, err := start(ctx, cfg.Browser)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.open(ctx, cfg); err != nil {
		return nil, 0, err
	}
	if shown, err = b.settle(ctx, cfg.Settled); err != nil {
		return nil, 0, err
	}
	var picture struct{ Data []byte }
	err = b.call(ctx, "Page.captureScreenshot", map[string]any{"format": "png"}, &picture)
	return picture.Data, shown, err
}

// browser is a running browser with one page.
type browser struct {
	cmd     *exec.Cmd
	profile string // a temporary folder
	conn    *websocket.Conn
	session string // of the page; "" for the browser itself
	calls   int
}

var endpoint = regexp.MustCompile(`DevTools listening on (ws://\S+)`)

// start starts the browser at path, "" for the one that Find finds, and connects to it.
func start(ctx context.Context, path string) (_ *browser, err error) {
	if path == "" {
		if path, err = Find(); err != nil {
			return nil, err
		}
	}
	profile, err := os.MkdirTemp("", "touchline-browser-")
	if err != nil {
		return nil, fmt.Errorf("no folder for the browser: %w", err)
	}
	args := []string{"--headless=new", "--remote-debugging-port=0", "--user-data-dir=" + profile, "--disable-gpu",
		"--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--hide-scrollbars", "about:blank"}
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...) // Chromium refuses to run as root with its sandbox
	}
	b := &browser{cmd: exec.Command(path, args...), profile: profile}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	output, err := b.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := b.cmd.Start(); err != nil {
		b.cmd.Process = nil
		return nil, fmt.Errorf("the browser does not start: %w", err)
	}
	address, err := listening(ctx, path, output)
	if err != nil {
		return nil, err
	}
	if b.conn, _, err = websocket.Dial(ctx, address, nil); err != nil {
		return nil, fmt.Errorf("no connection to the browser %s: %w", path, err)
	}
	b.conn.SetReadLimit(256 << 20) // a large picture as base64
	return b, nil
}

// listening returns the address that the browser prints. Its later output is discarded.
func listening(ctx context.Context, path string, output io.Reader) (string, error) {
	found, ended := make(chan string, 1), make(chan string, 1)
	go func() {
		last := "without a message"
		for lines := bufio.NewScanner(output); lines.Scan(); {
			if m := endpoint.FindStringSubmatch(lines.Text()); m != nil {
				found <- m[1]
				break
			}
			if text := strings.TrimSpace(lines.Text()); text != "" {
				last = text
			}
		}
		ended <- last
		io.Copy(io.Discard, output) // its messages are of no use any more
	}()
	select {
	case address := <-found:
		return address, nil
	case last := <-ended:
		select {
		case address := <-found:
			return address, nil
		default:
			return "", fmt.Errorf("the browser %s ended: %.300s", path, last)
		}
	case <-ctx.Done():
		return "", fmt.Errorf("the browser %s does not start within %v: %w", path, patience, ctx.Err())
	}
}

// close ends the browser and deletes its folder.
func (b *browser) close() error {
	if b.conn != nil {
		b.conn.CloseNow()
	}
	if b.cmd.Process != nil {
		b.cmd.Process.Kill()
		b.cmd.Wait() // killed: its state is of no interest
	}
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		err := os.RemoveAll(b.profile)
		if err == nil || time.Now().After(deadline) { // its helper processes write until they notice its end
			return err
		}
	}
}

// open opens the page in a window of the picture's size.
func (b *browser) open(ctx context.Context, cfg ScreenshotConfig) error {
	var target struct{ TargetID string }
	if err := b.call(ctx, "Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return err
	}
	var attached struct{ SessionID string }
	attach := map[string]any{"targetId": target.TargetID, "flatten": true}
	if err := b.call(ctx, "Target.attachToTarget", attach, &attached); err != nil {
		return err
	}
	b.session = attached.SessionID
	theme := map[bool]string{false: "light", true: "dark"}[cfg.Dark]
	media := map[string]any{"features": []any{map[string]string{"name": "prefers-color-scheme", "value": theme}}}
	size := map[string]any{"width": cfg.Width, "height": cfg.Height, "deviceScaleFactor": 1, "mobile": false}
	if err := b.call(ctx, "Emulation.setDeviceMetricsOverride", size, nil); err != nil {
		return err
	}
	if err := b.call(ctx, "Emulation.setEmulatedMedia", media, nil); err != nil {
		return err
	}
	var opened struct{ ErrorText string }
	if err := b.call(ctx, "Page.navigate", map[string]any{"url": cfg.URL}, &opened); err != nil {
		return err
	}
	if opened.ErrorText != "" {
		return fmt.Errorf("the browser cannot open %s: %s", cfg.URL, opened.ErrorText)
	}
	return nil
}

// settle waits until the picture is complete.
func (b *browser) settle(ctx context.Context, settled string) (float64, error) {
	// Figures change four times a second, and each change is drawn with the next frame.
	const script = `(async () => {
		const shown = %s, alert = document.querySelector('[role=alert]')?.textContent ?? ''
		if (shown == null) return { shown, alert }
		await new Promise((ok) => setTimeout(ok, 400))
		await new Promise((ok) => requestAnimationFrame(() => requestAnimationFrame(ok)))
		return { shown, alert }
	})()`
	params := map[string]any{"expression": fmt.Sprintf(script, settled), "awaitPromise": true, "returnByValue": true}
	alert := ""
	for {
		var answer struct {
			Result struct {
				Value struct {
					Shown *float64
					Alert string
				}
			}
		}
		if err := b.call(ctx, "Runtime.evaluate", params, &answer); err != nil {
			return 0, err
		}
		if value := answer.Result.Value; value.Shown != nil {
			return *value.Shown, nil
		} else if value.Alert != "" {
			alert = ": it shows " + strconv.Quote(value.Alert)
		}
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("the page did not complete its picture within %v%s", patience, alert)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// call calls a method of the Chrome DevTools Protocol and decodes its result.
func (b *browser) call(ctx context.Context, method string, params map[string]any, result any) error {
	b.calls++
	request := map[string]any{"id": b.calls, "method": method, "params": params}
	if b.session != "" {
		request["sessionId"] = b.session
	}
	text, err := json.Marshal(request)
	if err != nil {
		return err
	}
	if err := b.conn.Write(ctx, websocket.MessageText, text); err != nil {
		return fmt.Errorf("the browser is gone: %w", err)
	}
	for {
		_, text, err := b.conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("the browser does not answer: %w", err)
		}
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			return fmt.Errorf("the browser's answer: %w", err)
		}
		switch {
		case answer.ID != b.calls: // an event
		case answer.Error != nil:
			return fmt.Errorf("the browser refuses %s: %s", method, answer.Error.Message)
		case result == nil:
			return nil
		default:
			return json.Unmarshal(answer.Result, result)
		}
	}
}
