package fleet_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"touchline/internal/batch/queue"
)

// disk is a file system of its own in a file. Its device holds what a power failure leaves: pages that were
// written and not synchronised are in the memory of the system alone.
type disk struct {
	image string // in memory
	at    string // where it is mounted
}

func (d *disk) run(t testing.TB, program string, args ...string) {
	t.Helper()
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v: %s", program, args, err, out)
	}
}

// newDisk makes and mounts a file system.
func newDisk(t testing.TB, image, at string) *disk {
	t.Helper()
	d := &disk{image, at}
	f, err := os.Create(image)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(192 << 20); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	d.run(t, "mkfs.ext4", "-q", "-F", image)
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	d.mount(t)
	return d
}

// mount mounts it. Nothing but a call of sync writes to the device for five minutes.
func (d *disk) mount(t testing.TB) {
	t.Helper()
	d.run(t, "mount", "-o", "loop,commit=300", d.image, d.at)
}

func (d *disk) unmount() {
	for range 50 {
		if exec.Command("umount", d.at).Run() == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// cut copies the device as it is at this moment.
func (d *disk) cut(t testing.TB) (image string) {
	t.Helper()
	from, err := os.Open(d.image)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.Create(d.image + ".cut")
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	return to.Name()
}

// BenchmarkPowerLoss cuts the power of all nodes b.N times while workers store results, and counts acknowledged results
// that are lost. It needs the right to mount file systems.
func BenchmarkPowerLoss(b *testing.B) {
	if os.Getuid() != 0 {
		b.Fatal("run it as root: it mounts file systems")
	}
	for _, nodes := range []int{1, 3} {
		b.Run(fmt.Sprint("nodes=", nodes), func(b *testing.B) { powerLoss(b, nodes) })
	}
}

func powerLoss(b *testing.B, nodes int) {
	random := rand.New(rand.NewPCG(3, uint64(nodes)))
	dir, memory := b.TempDir(), "/dev/shm"
	plan := newPlan(b, 6000)
	disks := make([]*disk, nodes)
	images, err := os.MkdirTemp(memory, "touchline-disks-")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(images) })
	for i := range disks {
		disks[i] = newDisk(b, filepath.Join(images, fmt.Sprint("disk", i)), nodeDir(dir, i))
		b.Cleanup(disks[i].unmount) // after the nodes' end
	}
	s := newScene(b, nodes, 4, plan, dir, false)
	lost, acknowledged, cuts := 0, 0, 0
	for cuts < b.N && !s.over() {
		time.Sleep(time.Duration(1000+random.IntN(2000)) * time.Millisecond)
		for _, n := range s.nodes {
			_ = n.cmd.Process.Signal(syscall.SIGSTOP)
		}
		time.Sleep(300 * time.Millisecond) // what was acknowledged arrives
		stored := s.told()
		for i, n := range s.nodes {
			cut := disks[i].cut(b)
			n.end(os.Kill)
			disks[i].unmount()
			if err := os.Rename(cut, disks[i].image); err != nil {
				b.Fatal(err)
			}
			disks[i].mount(b)
		}
		for i := range s.nodes {
			s.nodes[i] = s.start(s.nodes[i].part)
		}
		cuts++
		missing := s.lacks(stored)
		lost, acknowledged = lost+missing, len(stored)
	}
	s.wait(10 * time.Minute)
	if lost > 0 {
		b.Errorf("%d acknowledged results are lost after %d cuts", lost, cuts)
	}
	b.ReportMetric(float64(cuts), "cuts")
	b.ReportMetric(float64(acknowledged), "acknowledged")
	b.ReportMetric(float64(lost), "lost")
}

// told returns the jobs whose result a worker knows to be stored.
func (s *scene) told() map[string]bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	told := make(map[string]bool, len(s.stored))
	for id := range s.stored {
		told[id] = true
	}
	return told
}

// lacks waits for the servers, and returns how many of the jobs have no result there.
func (s *scene) lacks(stored map[string]bool) int {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for {
		there, err := s.results(queue.BatchKey(s.plan))
		if err == nil {
			missing := 0
			for id := range stored {
				if !there[id] {
					missing++
				}
			}
			return missing
		}
		if ctx.Err() != nil {
			s.t.Fatalf("the servers do not answer: %v", err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// results returns the jobs of a batch that have a result, as the servers tell.
func (s *scene) results(key string) (map[string]bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second) // nobody may lead at first
	defer cancel()
	stream, done, err := s.stream(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	prefix := "touchline.results." + key + "."
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(prefix+"*"))
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for subject := range info.State.Subjects {
		there[strings.TrimPrefix(subject, prefix)] = true
	}
	return there, nil
}
