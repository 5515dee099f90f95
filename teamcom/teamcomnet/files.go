package teamcomnet

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// filesModule is the module that sends and receives files.
const filesModule = tcm.TCM

// SendFile sends a file to a robot or computer or to all of a kind, as fast as the budget of the bulk class allows, and
// returns when its last datagram has left. Meanwhile it calls progress with the bytes that have left.
func (e *Endpoint) SendFile(ctx context.Context, to tcm.Entity, file *OutgoingFile, progress func(sent uint64)) error {
	client := e.Module(filesModule).Client()
	room := e.cfg.Node.Queues[tcm.Bulk].Bytes / 2
	chunks, queued := 0, 0
	wait := func(bytes int) error {
		return e.awaitQueue(ctx, bytes, func(waiting int) { // the queue's bytes are those of its buffers
			progress(uint64(min(max(chunks-waiting, 0)*ChunkSize, queued)))
		})
	}
	for {
		chunk, err := file.Next()
		switch {
		case err == io.EOF:
			return wait(0)
		case err != nil:
			return err
		}
		if err := wait(room); err != nil {
			return err
		}
		if err := client.Send(e.Now(), to, chunk); err != nil {
			return err
		}
		chunks++
		queued += len(chunk.Data)
	}
}

// awaitQueue waits until at most this many bytes wait in the bulk queue. It calls progress with the messages that wait,
// before each pause.
func (e *Endpoint) awaitQueue(ctx context.Context, most int, progress func(waiting int)) error {
	for {
		messages, bytes := e.Waiting(tcm.Bulk)
		progress(messages)
		if bytes <= most {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("teamcomnet: the file was not sent to its end: %w", ctx.Err())
		case <-time.After(time.Millisecond):
		}
	}
}

// Files receives files.
type Files struct {
	endpoint *Endpoint
	done     func(*FileResult)

	mu       sync.Mutex
	receiver *fileReceiver
}

// ReceiveFiles makes an endpoint receive files. It calls done at the end of each transfer: from the module's goroutine,
// or from Run of the result where chunks are missing. Call ReceiveFiles before the endpoint runs.
func (e *Endpoint) ReceiveFiles(cfg FilesConfig, done func(*FileResult)) (*Files, error) {
	receiver, err := newFileReceiver(cfg)
	if err != nil {
		return nil, err
	}
	f := &Files{endpoint: e, done: done, receiver: receiver}
	teamcom.Handle(e.Module(filesModule), func(from teamcom.From, m *team.File) {
		f.mu.Lock()
		result := f.receiver.receive(e.Now(), from.Entity, m)
		f.mu.Unlock()
		if result != nil {
			done(result)
		}
	})
	return f, nil
}

// Run ends the transfers that wait for chunks for too long, and at the end of the context all that are unfinished.
func (f *Files) Run(ctx context.Context) error {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			f.finish(f.receiver.close)
			return nil
		case <-ticker.C:
			f.finish(f.receiver.expire)
		}
	}
}

// finish reports the transfers that end now.
func (f *Files) finish(end func(soccer.Time) []*FileResult) {
	f.mu.Lock()
	results := end(f.endpoint.Now())
	f.mu.Unlock()
	for _, result := range results {
		f.done(result)
	}
}

// Progress returns the unfinished transfers, the oldest first.
func (f *Files) Progress() []Progress {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.receiver.progress()
}
