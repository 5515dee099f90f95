-- FIRASim, VSSReferee, SSL-Vision and grSim: one protobuf message a datagram. The port tells which; grSim shares one.

do
  local ENVIRONMENT, PACKET, REFEREE, PLACEMENT, SSL, GRSIM = 0, 1, 2, 3, 4, 5
  local MAX_VISION, MAX_ID, MAX_COMMANDS = 1024, 4, 32768

  local function is_heading(v) return v > -math.pi and v <= math.pi end

  local function degrees(d, m, name)
    local v = of(m, name)
    if v ~= 0 and math.abs(v) <= 2 * math.pi then issue(d, m, "radians", name, shortest(v, 8)) end
  end

  local function ascending(d, m, list)
    for i = 0, elements(m, list) - 1 do
      local path = list .. "[" .. i .. "]"
      local o = of(m, path .. ".orientation")
      if finite(o) and not is_heading(o) then issue(d, m, "heading", path .. ".orientation", shortest(o, 8)) end
      if i > 0 then
        local id, before = of(m, path .. ".robot_id"), of(m, list .. "[" .. (i - 1) .. "].robot_id")
        if id <= before then issue(d, m, "ascending", path .. ".robot_id", id, before) end
      end
    end
  end

  local function seen_rules(d, m, path)
    local confidence = of(m, path .. ".confidence")
    if not (confidence >= 0 and confidence <= 1) then return end
    if confidence == 0 then issue(d, m, "confidence", path .. ".confidence")
    elseif of(m, path .. ".pixel_x") == 0 and of(m, path .. ".pixel_y") == 0 then issue(d, m, "pixel", path .. ".pixel_x") end
  end

  local rules = {}

  local function sized(d, m)
    if m.size > MAX_VISION then d:fault("size", MAX_VISION, m.size, MAX_VISION) end
  end

  rules[ENVIRONMENT] = function(d, m)
    sized(d, m)
    if not m.present.frame then issue(d, m, "frame", "frame")
    elseif not m.present["frame.ball"] then issue(d, m, "ball", "frame.ball") end
    if m.dropped > 0 then issue(d, m, "robots", "frame", m.dropped, MAX_OBJECTS) end
    ascending(d, m, "frame.robots_yellow")
    ascending(d, m, "frame.robots_blue")
    if not m.present.field then issue(d, m, "field", "field") end
  end

  rules[PACKET] = function(d, m)
    if not m.present.cmd and not m.present.replace then issue(d, m, "idle", "") end
    if m.dropped > 0 then issue(d, m, "many", "", m.dropped, MAX_COMMANDS, MAX_OBJECTS) end
    if m.present["replace.ball"] then
      local zero = true
      for _, name in ipairs({ "x", "y", "vx", "vy" }) do zero = zero and of(m, "replace.ball." .. name) == 0 end
      if zero then issue(d, m, "ball-reset", "replace.ball") end
    end
    for i = 0, elements(m, "replace.robots") - 1 do
      local path = "replace.robots[" .. i .. "]"
      local position = path .. ".position"
      if not m.present[position] then issue(d, m, "position", position) end
      if of(m, path .. ".turnon") == 0 then issue(d, m, "turnon", path .. ".turnon") end
      if of(m, position .. ".vx") ~= 0 or of(m, position .. ".vy") ~= 0 or of(m, position .. ".vorientation") ~= 0 then
        issue(d, m, "velocities", position)
      end
      degrees(d, m, position .. ".orientation")
    end
  end

  rules[REFEREE] = function() end

  rules[PLACEMENT] = function(d, m)
    if not m.present.world then issue(d, m, "world", "world") end
    if m.dropped > 0 then issue(d, m, "places", "world", m.dropped, MAX_OBJECTS) end
    local ids = {}
    for i = 0, elements(m, "world.robots") - 1 do
      local path = "world.robots[" .. i .. "]"
      local id = of(m, path .. ".robot_id")
      if id <= MAX_ID and ids[id] then issue(d, m, "twice", path .. ".robot_id", id) end
      ids[id] = true
      degrees(d, m, path .. ".orientation")
    end
  end

  rules[SSL] = function(d, m)
    sized(d, m)
    vision_rules(d, m)
    for _, list in ipairs({ "detection.balls", "detection.robots_yellow", "detection.robots_blue" }) do
      for i = 0, elements(m, list) - 1 do seen_rules(d, m, list .. "[" .. i .. "]") end
    end
  end

  rules[GRSIM] = function(d, m)
    if not m.present.commands and not m.present.replacement then issue(d, m, "idle-grsim", "") end
    if m.dropped > 0 then issue(d, m, "commands", "", MAX_COMMANDS, MAX_OBJECTS) end
    for i = 0, elements(m, "commands.robot_commands", MAX_COMMANDS) - 1 do
      local path = "commands.robot_commands[" .. i .. "]"
      local normal = of(m, path .. ".velnormal")
      if of(m, path .. ".wheelsspeed") ~= 0 then issue(d, m, "wheels", path .. ".wheelsspeed")
      elseif normal ~= 0 then issue(d, m, "normal", path .. ".velnormal", shortest(normal, 4)) end
    end
    for i = 0, elements(m, "replacement.robots") - 1 do
      local path = "replacement.robots[" .. i .. "]"
      degrees(d, m, path .. ".dir")
      if m.values[path .. ".turnon"] == 0 then issue(d, m, "off", path .. ".turnon") end
    end
  end

  -- replaces says whether a replacement places a robot as grSim does: with its x first, not with a message.
  local function replaces(raw, at, stop)
    return search(raw, at, stop, function(f)
      if f.num == 2 and f.typ == BYTES then return f.length > 0 and byte(raw, f.at + 1) == 9 end
    end)
  end

  local function is_grsim(raw, n)
    return search(raw, 0, n, function(f)
      if f.num == 1 and f.typ == BYTES and f.length > 0 then
        local first = byte(raw, f.at + 1)
        return first == 9 or first == 16 or first == 26
      end
      if f.num == 2 and f.typ == BYTES and replaces(raw, f.at, f.at + f.length) then return true end
    end)
  end

  by_kinds("firasim", "Very Small Size messages", "FIRASim", DATA.firasim, {
    rules = rules,
    essential = {
      [ENVIRONMENT] = { "frame", "field" }, [PACKET] = { "cmd", "replace" }, [REFEREE] = { "timestamp" },
      [PLACEMENT] = { "world" }, [SSL] = { "detection", "geometry" }, [GRSIM] = { "commands", "replacement" },
    },
    several = { [REFEREE] = true },
    kind = function(type, raw, n) return type == PACKET and is_grsim(raw, n) and GRSIM or type end,
  })
end
