-- The Small Size League: vision, tracker, game controller, and the simulation protocol. To Wireshark "ssl" is TLS.

do
  local VISION, TRACKER, REFEREE, COMMAND, RESPONSE = 0, 1, 2, 3, 4
  local CONTROL, CONTROL_RESPONSE, SYNC, SYNC_RESPONSE = 5, 6, 7, 8
  local MAX_CAMERAS, MAX_KICK = 16, 6.5
  local PLACEMENTS, OLD = { [16] = true, [17] = true }, { [10] = true, [11] = true, [14] = true, [15] = true }

  local function many(d, m)
    if m.dropped > 0 then issue(d, m, "many", "", MAX_OBJECTS) end
  end

  local function place_rules(d, m, path, orientation)
    for _, axis in ipairs({ ".x", ".y" }) do
      local v = of(m, path .. axis)
      if math.abs(v) > 20 then issue(d, m, "metres", path .. axis, shortest(v, 4)) end
    end
    local v = orientation and of(m, orientation) or 0
    if math.abs(v) > 2 * math.pi then issue(d, m, "degrees", orientation, shortest(v, 4)) end
  end

  local function teleport_rules(d, m, path)
    place_rules(d, m, path .. ".teleport_ball")
    for i = 0, elements(m, path .. ".teleport_robot") - 1 do
      local robot = path .. ".teleport_robot[" .. i .. "]"
      place_rules(d, m, robot, robot .. ".orientation")
    end
  end

  local function command_rules(d, m, path)
    for i = 0, elements(m, path .. "robot_commands") - 1 do
      local c, ways = path .. "robot_commands[" .. i .. "]", 0
      for _, way in ipairs({ "wheel_velocity", "local_velocity", "global_velocity" }) do
        if m.present[c .. ".move_command." .. way] then ways = ways + 1 end
      end
      if ways > 1 then issue(d, m, "one-move", c .. ".move_command") end
      local speed = of(m, c .. ".kick_speed")
      if speed > MAX_KICK then issue(d, m, "kick", c .. ".kick_speed", shortest(speed, 4)) end
    end
  end

  local rules = { [VISION] = vision_rules, [RESPONSE] = many, [CONTROL_RESPONSE] = many }

  rules[TRACKER] = function(d, m)
    many(d, m)
    if not m.present.tracked_frame then issue(d, m, "no-frame", "tracked_frame") end
    for i = 0, elements(m, "tracked_frame.balls") - 1 do place_rules(d, m, "tracked_frame.balls[" .. i .. "].pos") end
    local robots = {}
    for i = 0, elements(m, "tracked_frame.robots") - 1 do
      local path = "tracked_frame.robots[" .. i .. "]"
      place_rules(d, m, path .. ".pos", path .. ".orientation")
      local id, team = of(m, path .. ".robot_id.id"), of(m, path .. ".robot_id.team")
      local row = m.rows[path .. ".robot_id.team"]
      local name = format("%.0f", int32(team))
      if not row then name = "UNKNOWN" elseif row.style.names[team] then name = row.style.names[team] end
      local robot = format("%.0f %.0f", team, id)
      if robots[robot] then issue(d, m, "twice", path .. ".robot_id", name, id) end
      robots[robot] = true
    end
  end

  rules[REFEREE] = function(d, m)
    many(d, m)
    local command = of(m, "command")
    if OLD[command] then issue(d, m, "old", "command", m.rows.command.style.names[command]) end
    if PLACEMENTS[command] and not m.present.designated_position then issue(d, m, "place", "designated_position") end
    local time = m.whole.packet_timestamp or 0
    if time < 1e15 or time > 1e17 then issue(d, m, "micros", "packet_timestamp", of(m, "packet_timestamp")) end
  end

  rules[COMMAND] = function(d, m)
    many(d, m)
    if not m.present.control and not m.present.config then issue(d, m, "idle", "") end
    teleport_rules(d, m, "control")
  end

  rules[CONTROL] = function(d, m)
    many(d, m)
    if not m.count.robot_commands then issue(d, m, "idle", "") end
    command_rules(d, m, "")
  end

  rules[SYNC] = function(d, m)
    many(d, m)
    if not m.values.sim_step and not m.present.simulator_command and not m.present.robot_control then issue(d, m, "idle", "") end
    teleport_rules(d, m, "simulator_command.control")
    command_rules(d, m, "robot_control.")
  end

  rules[SYNC_RESPONSE] = function(d, m)
    many(d, m)
    for i = 0, elements(m, "detection", MAX_CAMERAS) - 1 do detection_rules(d, m, "detection[" .. i .. "]") end
  end

  -- is_sync says whether a packet to a simulator is a SimulationSyncRequest with a step or with commands for robots.
  local function is_sync(raw, n)
    return search(raw, 0, n, function(f)
      if f.num == 1 and f.typ == FIXED32 or f.num == 3 and f.typ == BYTES then return true end
    end)
  end

  by_kinds("smallsize", "RoboCup Small Size League", "Small Size", DATA.ssl, {
    rules = rules,
    essential = {
      [VISION] = { "detection", "geometry" }, [TRACKER] = { "tracked_frame", "uuid" }, [REFEREE] = { "yellow", "blue" },
      [COMMAND] = { "control", "config" }, [RESPONSE] = { "errors[0]" }, [CONTROL] = { "robot_commands[0]" },
      [CONTROL_RESPONSE] = { "errors[0]", "feedback[0]" }, [SYNC] = { "sim_step", "robot_control" },
      [SYNC_RESPONSE] = { "detection[0]", "robot_control_response" },
    },
    several = {},
    kind = function(type, raw, n) return (type == COMMAND or type == CONTROL) and is_sync(raw, n) and SYNC or type end,
    answers = { [COMMAND] = { RESPONSE, SYNC_RESPONSE }, [CONTROL] = { CONTROL_RESPONSE, SYNC_RESPONSE } },
  })
end
