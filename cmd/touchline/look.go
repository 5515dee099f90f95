package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"touchline/game"
)

// awayFrom is the page of robot 0 of away: those of its robots follow those of home.
const awayFrom = 10

// playerOf returns the robot of a page.
func playerOf(page uint8) (game.Side, uint8) {
	if page > awayFrom {
		return game.Away, page - awayFrom
	}
	return game.Home, page
}

// attend lets a page look through the camera of a robot.
func (g *Game) attend(body json.RawMessage) error {
	var of map[string]json.RawMessage
	var page uint8
	err := json.Unmarshal(body, &of)
	if err == nil {
		err = json.Unmarshal(of["robot"], &page)
	}
	if err != nil {
		return fmt.Errorf("match: robot-attend: want an object with the number of a robot: %w", err)
	}
	side, number := playerOf(page)
	of["robot"] = json.RawMessage(strconv.Itoa(int(number)))
	if body, err = json.Marshal(of); err != nil {
		return fmt.Errorf("match: robot-attend: %w", err)
	}
	return g.live.Attend(side, body)
}

// Robot returns the topics "robot/PAGE" and "picture/PAGE" of a match in real time, or nil: robots of home have the pages
// 1 to 5, those of away 11 to 15.
func (g *Game) Robot(topic string) any {
	kind, id, _ := strings.Cut(topic, "/")
	page, err := strconv.ParseUint(id, 10, 8)
	if err != nil {
		return nil
	}
	side, number := playerOf(uint8(page))
	switch kind {
	case "robot":
		if v := g.live.Robot(side, number); v != nil {
			v.Robot = uint8(page)
			return v
		}
	case "picture":
		if v := g.live.Picture(side, number); v != nil {
			v.Robot = uint8(page)
			return v
		}
	}
	return nil
}
