package queue

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Stored is a batch that the servers keep.
type Stored struct {
	Key     string    `json:"batch"` // hash of its plan
	Name    string    `json:"name"`  // of the plan; "": the plan cannot be read
	Jobs    int       `json:"jobs"`  // matches in the plan
	Waiting int       `json:"waiting"`
	Results int       `json:"results"`
	Newest  time.Time `json:"newest"` // when a plan or a result was stored last
}

// Batches returns the batches that the servers keep, the newest first.
func (q *Queue) Batches(ctx context.Context) ([]Stored, error) {
	plans, err := q.js.Stream(ctx, plansStream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	info, err := plans.Info(ctx, jetstream.WithSubjectFilter(plansSubject+">"))
	if err != nil {
		return nil, err
	}
	var stored []Stored
	for subject := range info.State.Subjects {
		s := Stored{Key: strings.TrimPrefix(subject, plansSubject)}
		if p, err := q.Plan(ctx, s.Key); err == nil && p != nil {
			s.Name, s.Jobs = p.Matrix.Name, p.Matrix.Count()
		}
		if s.Waiting, err = q.count(ctx, jobsStream, jobsSubject+"*."+s.Key+".*", false); err != nil {
			return nil, err
		}
		if s.Results, err = q.count(ctx, resultsStream, resultsSubject+s.Key+".*", true); err != nil {
			return nil, err
		}
		for stream, subject := range map[string]string{plansStream: subject, resultsStream: resultsSubject + s.Key + ".*"} {
			m, err := q.last(ctx, stream, subject)
			if err != nil {
				return nil, err
			}
			if m != nil && m.Time.After(s.Newest) {
				s.Newest = m.Time
			}
		}
		stored = append(stored, s)
	}
	slices.SortFunc(stored, func(a, b Stored) int {
		if c := b.Newest.Compare(a.Newest); c != 0 {
			return c
		}
		return strings.Compare(a.Key, b.Key)
	})
	return stored, nil
}

// count returns the number of messages of a subject. A work queue accepts no second consumer: there the subjects are
// counted.
func (q *Queue) count(ctx context.Context, stream, subject string, consume bool) (int, error) {
	s, err := q.js.Stream(ctx, stream)
	if err != nil {
		return 0, err
	}
	if !consume {
		info, err := s.Info(ctx, jetstream.WithSubjectFilter(subject))
		if err != nil {
			return 0, err
		}
		return len(info.State.Subjects), nil
	}
	c, err := s.CreateConsumer(ctx, jetstream.ConsumerConfig{
		FilterSubject: subject, AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, Replicas: 1, InactiveThreshold: time.Second,
	})
	if err != nil {
		return 0, err
	}
	return int(c.CachedInfo().NumPending), nil
}

// Remove removes a batch: its jobs that wait, its results and its plan.
func (q *Queue) Remove(ctx context.Context, key string) error {
	for _, of := range [][2]string{
		{jobsStream, jobsSubject + "*." + key + ".*"}, {resultsStream, resultsSubject + key + ".*"}, {plansStream, plansSubject + key},
	} {
		s, err := q.js.Stream(ctx, of[0])
		if err == nil {
			err = s.Purge(ctx, jetstream.WithPurgeSubject(of[1]))
		}
		if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return err
		}
	}
	return nil
}
