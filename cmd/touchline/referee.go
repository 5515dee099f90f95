package main

import (
	"net/http"
	"time"

	"touchline/monitor"
	"touchline/refbox/refboxnet"
)

const errReferee = monitor.Forbidden("only the referee may do this: open the page with the link that was printed at the " +
	"start; it carries the token")

// refereeBox is a referee box or its standby, as its page needs it.
type refereeBox interface {
	Command(name string, body []byte, received time.Time) (any, error)
	Handlers(authorised func(*http.Request) bool) map[string]http.Handler
	Snapshot(topic string) any
}

// refereePage returns the page of a referee box or its standby, whose commands and private topics need the token.
func refereePage(box refereeBox, token string) monitor.Config {
	cfg := monitor.DefaultConfig()
	cfg.Pages, cfg.Token, cfg.Private = matchPages, token, refboxnet.Private
	cfg.Handlers = box.Handlers(func(r *http.Request) bool { return monitor.Authorised(r, token) })
	cfg.Command = func(r monitor.Request) (any, error) {
		if !r.Authorised {
			return nil, errReferee
		}
		return box.Command(r.Name, r.Body, r.Received)
	}
	return cfg
}

// refereeTopics returns the topics of the pages of a referee box or its standby.
func refereeTopics(box refereeBox) []topic {
	var topics []topic
	for name, period := range refboxnet.Topics() {
		topics = append(topics, topic{name, period, box.Snapshot})
	}
	return topics
}

// refreshReferee shows a decision on the pages at once.
func refreshReferee(page *monitor.Server) func() {
	return func() {
		page.Refresh("refbox")
		page.Refresh("referee")
	}
}
