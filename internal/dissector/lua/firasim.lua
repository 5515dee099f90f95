-- FIRASim, VSSReferee, SSL-Vision and grSim: one protobuf message a datagram. The port tells which; grSim shares one.

do
  local p = protocol("firasim", "Very Small Size messages", "FIRASim", DATA.firasim)
  local ENVIRONMENT, PACKET, REFEREE, PLACEMENT, SSL, GRSIM = 0, 1, 2, 3, 4, 5
  local EOF, NUMBER, OVERFLOW, RESERVED, END_GROUP = -1, -2, -3, -4, -5
  local VARINT, FIXED64, BYTES, GROUP, FIXED32 = 0, 1, 2, 3, 5
  local MAX_VISION, MAX_ID, MAX_ROBOTS, MAX_COMMANDS = 1024, 4, 64, 32768
  local words = p.book.words

  local wire_types = { varint = VARINT, nested = BYTES, objects = BYTES }
  local function index_rows(rows)
    rows.by_number = {}
    for i, r in ipairs(rows) do
      r.position = i
      r.wire = r.kind == "fixed" and (r.size == 8 and FIXED64 or FIXED32) or wire_types[r.kind]
      rows.by_number[r.num] = r
      if r.rows then index_rows(r.rows) end
    end
  end
  local messages = {}
  for _, m in ipairs(p.book.messages) do
    index_rows(m.rows)
    messages[m.type] = m
  end

  -- varint returns the low 32 bits, the whole as a float, whether any bit is set, and the length; else nil and an error.
  local function varint(raw, at, stop)
    local low, whole, scale, any = 0, 0, 1, false
    for i = 0, 9 do
      if at + i >= stop then return nil, EOF end
      local c = byte(raw, at + i + 1)
      local bits = c % 128
      if i == 9 and c > 1 then return nil, OVERFLOW end
      any = any or bits ~= 0
      if i < 5 then low = low + bits * scale end
      whole = whole + bits * scale
      scale = scale * 128
      if c < 128 then return low % 4294967296, whole, any, i + 1 end
    end
  end

  -- key returns the number and type of a field and the length of its key; else nil and an error.
  local function key(raw, at, stop)
    local low, whole, _, n = varint(raw, at, stop)
    if not low then return nil, whole end
    local num = floor(whole / 8)
    if num < 1 or num > 2147483647 then return nil, NUMBER end
    return num, low % 8, n
  end

  -- skip returns the length of a value of a type, or an error.
  local function skip(raw, at, stop, num, typ)
    if typ == VARINT then
      local low, problem, _, n = varint(raw, at, stop)
      return low and n or problem
    elseif typ == FIXED64 or typ == FIXED32 then
      local n = typ == FIXED64 and 8 or 4
      return at + n <= stop and n or EOF
    elseif typ == BYTES then
      local low, whole, _, n = varint(raw, at, stop)
      if not low then return whole end
      return at + n + whole <= stop and n + whole or EOF
    elseif typ == GROUP then
      local start = at
      while true do
        local inner, kind, n = key(raw, at, stop)
        if not inner then return kind end
        at = at + n
        if kind == 4 then return inner == num and at - start or END_GROUP end
        n = skip(raw, at, stop, inner, kind)
        if n < 0 then return n end
        at = at + n
      end
    end
    return typ == 4 and END_GROUP or RESERVED
  end

  -- next_field returns {num, typ, size, at (of the content), low, any}, or nil and an error.
  local function next_field(raw, at, stop)
    local num, typ, n = key(raw, at, stop)
    if not num then return nil, typ end
    if num > 536870911 then return nil, NUMBER end
    local size = skip(raw, at + n, stop, num, typ)
    if size < 0 then return nil, size end
    local f = { num = num, typ = typ, size = n + size, at = at + n }
    if typ == VARINT then
      local low, _, any = varint(raw, f.at, stop)
      f.low, f.any = low, any
    elseif typ == BYTES then
      local _, whole, _, length = varint(raw, f.at, stop)
      f.at, f.length = f.at + length, whole
    end
    return f
  end

  local function fixed(raw, f, size)
    return (Struct.unpack(size == 8 and "<d" or "<f", sub(raw, f.at + 1, f.at + size)))
  end

  local function int32(v) return v >= 2147483648 and v - 4294967296 or v end

  -- text_of returns the text of a number.
  local function text_of(r, f, v)
    if r.kind == "fixed" then return shortest(v, r.size) end
    if r.style and r.style.other then return f.any and "true" or "false" end
    if not r.style then return format("%.0f", v) end
    local name = r.style.names[int32(v)]
    return format("%.0f", int32(v)) .. (name and " (" .. name .. ")" or "")
  end

  -- parse reads the message from at to stop. m collects: at (offsets by name), values, count, and whether it is broken.
  local function parse(d, m, rows, at, stop, path, kept)
    local start, seen = at, {}
    while at < stop do
      local f, problem = next_field(m.raw, at, stop)
      if not f then
        local text = words[tostring(problem)]
        m.at[path .. "unreadable"], m.broken = at, true
        d:field(p.unreadable, at, stop - at, path .. "unreadable", text, nil, true)
        d:fault("syntax", at, text)
        return
      end
      local r = rows.by_number[f.num]
      if not r then
        local name = path .. format("%d", f.num)
        m.at[name], m.count[name] = at, (m.count[name] or 0) + 1
        m.strange = m.strange + 1
        d:field(p.unknown, at, f.size, name, "unknown: " .. words[tostring(f.typ)], nil, true)
        if m.count[name] == 1 then d:fault("unknown", at, f.num) end
      elseif r.wire ~= f.typ then
        m.at[path .. r.name], m.mistyped = at, true
        d:field(p.unknown, at, f.size, path .. r.name, "skipped: " .. words[tostring(f.typ)], nil, true)
        d:fault("type", at, words[tostring(f.typ)], words[tostring(r.wire)])
      else
        seen[r.num], m.known = true, m.known + 1
        local name, use = path .. r.name, kept
        local i = m.count[name] or 0
        m.count[name] = i + 1
        if r.kind == "objects" then
          use = kept and i < (r.most or 0)
          name = name .. "[" .. i .. "]"
        elseif i == 1 then
          d:fault(f.typ == BYTES and "merged" or "repeated", at)
        end
        m.at[name] = at
        if f.typ ~= BYTES then
          local v = f.typ == VARINT and f.low or fixed(m.raw, f, r.size)
          if use then
            m.values[name] = r.style and r.style.other and (f.any and 1 or 0) or v
            m.rows[name] = r
            if i == 0 or not m.listed[name] then insert(m.order, name) m.listed[name] = true end
          end
          d:field(r.f, at, f.size, name, text_of(r, f, v), r.unit, true, v)
        elseif not r.rows then
          d:field(r.f, at, f.size, name, format("%.0f (not shown)", f.length), "bytes", true)
        else
          if use then m.present[name] = true end
          d:field(r.f, at, f.at - at, name, format("%.0f", f.length), "bytes", true)
          parse(d, m, r.rows, f.at, f.at + f.length, name .. ".", use)
        end
      end
      at = at + f.size
    end
    for _, r in ipairs(rows) do
      if r.must and not seen[r.num] then d:fault("required", start) end
    end
  end

  -- The rules of values. offset returns where an issue of a field belongs: an absent one, to its message.
  local function offset(m, name)
    while name ~= "" do
      if m.at[name] then return m.at[name] end
      name = string.match(name, "^(.*)%.[^.]*$") or ""
    end
    return 0
  end

  local function finite(v) return v - v == 0 end
  local function is_heading(v) return v > -math.pi and v <= math.pi end

  local function value_rules(d, m)
    for _, name in ipairs(m.order) do
      local r, v = m.rows[name], m.values[name]
      local range = r.range
      if range and range.key == "ratio" then
        if not (v >= 0 and v <= 1) then d:fault("ratio", m.at[name], shortest(v, r.size)) end
      elseif range and range.key == "finite" then
        if not finite(v) then d:fault("finite", m.at[name], shortest(v, r.size)) end
      elseif range and v > range.most then
        d:say(range, m.at[name], range.signed and int32(v) or v, 0, range.most)
      end
    end
  end

  local function issue(d, m, key_, name, ...) d:fault(key_, offset(m, name), ...) end

  -- elements returns the number of elements of a list that are kept.
  local function elements(m, name, most) return math.min(m.count[name] or 0, most or MAX_ROBOTS) end
  local function dropped(m, name, most) return math.max(0, (m.count[name] or 0) - (most or MAX_ROBOTS)) end
  local function of(m, name) return m.values[name] or 0 end

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

  rules[ENVIRONMENT] = function(d, m)
    if not m.present.frame then issue(d, m, "frame", "frame")
    elseif not m.present["frame.ball"] then issue(d, m, "ball", "frame.ball") end
    local more = dropped(m, "frame.robots_yellow") + dropped(m, "frame.robots_blue")
    if more > 0 then issue(d, m, "robots", "frame", more, MAX_ROBOTS) end
    ascending(d, m, "frame.robots_yellow")
    ascending(d, m, "frame.robots_blue")
    if not m.present.field then issue(d, m, "field", "field") end
  end

  rules[PACKET] = function(d, m)
    if not m.present.cmd and not m.present.replace then issue(d, m, "idle", "") end
    local more = dropped(m, "cmd.robot_commands", MAX_COMMANDS) + dropped(m, "replace.robots")
    if more > 0 then issue(d, m, "many", "", more, MAX_COMMANDS, MAX_ROBOTS) end
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
    local more = dropped(m, "world.robots")
    if more > 0 then issue(d, m, "places", "world", more, MAX_ROBOTS) end
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
    if not m.present.detection and not m.present.geometry then issue(d, m, "nothing", "") end
    if dropped(m, "detection.balls") + dropped(m, "detection.robots_yellow") + dropped(m, "detection.robots_blue") > 0 then
      issue(d, m, "objects", "detection", MAX_ROBOTS)
    end
    for i = 0, elements(m, "detection.balls") - 1 do seen_rules(d, m, "detection.balls[" .. i .. "]") end
    for _, list in ipairs({ "detection.robots_yellow", "detection.robots_blue" }) do
      for i = 0, elements(m, list) - 1 do
        local path = list .. "[" .. i .. "]"
        seen_rules(d, m, path)
        if not m.values[path .. ".robot_id"] then issue(d, m, "pattern", path .. ".robot_id") end
        local v = m.values[path .. ".orientation"]
        if not v then issue(d, m, "heading-missing", path .. ".orientation")
        elseif math.abs(v) > 2 * math.pi then issue(d, m, "degrees", path .. ".orientation", shortest(v, 4)) end
      end
    end
  end

  rules[GRSIM] = function(d, m)
    if not m.present.commands and not m.present.replacement then issue(d, m, "idle-grsim", "") end
    if dropped(m, "commands.robot_commands", MAX_COMMANDS) + dropped(m, "replacement.robots") > 0 then
      issue(d, m, "commands", "", MAX_COMMANDS, MAX_ROBOTS)
    end
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
    while at < stop do
      local f = next_field(raw, at, stop)
      if not f then return false end
      if f.num == 2 and f.typ == BYTES then return f.length > 0 and byte(raw, f.at + 1) == 9 end
      at = at + f.size
    end
    return false
  end

  local function is_grsim(raw, n)
    local at = 0
    while at < n do
      local f = next_field(raw, at, n)
      if not f then return false end
      if f.num == 1 and f.typ == BYTES and f.length > 0 then
        local first = byte(raw, f.at + 1)
        return first == 9 or first == 16 or first == 26
      end
      if f.num == 2 and f.typ == BYTES and replaces(raw, f.at, f.at + f.length) then return true end
      at = at + f.size
    end
    return false
  end

  p.proto.prefs.kind = Pref.enum("Message on other ports", ENVIRONMENT,
    "The message in packets that Decode As names, on ports that no simulator uses",
    { { 1, "Environment", 0 }, { 2, "Packet", 1 }, { 3, "VSSRef_Command", 2 }, { 4, "VSSRef_Placement", 3 },
      { 5, "SSL_WrapperPacket", 4 }, { 6, "grSim_Packet", 5 } }, false)

  -- kind_of returns the message that a port tells; nil for other groups on it.
  local function kind_of(pinfo, raw, n)
    local to = tostring(pinfo.dst)
    local multicast = string.match(to, "^22[4-9]%.") or string.match(to, "^23%d%.") or string.match(string.lower(to), "^ff%x%x:")
    for _, port in ipairs(p.book.ports) do
      if port.port == pinfo.dst_port then
        if port.group ~= "" and multicast and to ~= port.group then return nil end
        if port.type == PACKET and is_grsim(raw, n) then return GRSIM end
        return port.type
      end
    end
    return nil, true
  end

  -- quiet is a packet that shows nothing.
  local quiet = { field = function() end, fault = function() end, say = function() end }

  local function parsed(raw, n)
    return { raw = raw, at = {}, values = {}, rows = {}, order = {}, listed = {}, count = {}, present = {}, known = 0, strange = 0 }
  end

  -- essential are the fields of which a message has at least one.
  local essential = {
    [ENVIRONMENT] = { "frame", "field" }, [PACKET] = { "cmd", "replace" }, [PLACEMENT] = { "world" },
    [SSL] = { "detection", "geometry" }, [GRSIM] = { "commands", "replacement" },
  }

  -- plausible says whether bytes are a message: all of them are fields, of the right types and with known values.
  local function plausible(raw, n, kind)
    local m = parsed(raw, n)
    parse(quiet, m, messages[kind].rows, 0, n, "", true)
    if m.broken or m.mistyped or m.known == 0 or m.strange > m.known then return false end
    local found = kind == REFEREE and (m.known > 1 or m.values.timestamp ~= nil)
    for _, name in ipairs(essential[kind] or {}) do found = found or m.present[name] end
    if not found then return false end
    for name, r in pairs(m.rows) do
      if r.range and r.range.text and m.values[name] > math.max(r.range.most, 255) then return false end
      if r.style and not r.style.other and not r.style.names[m.values[name]] then return false end
    end
    return true
  end

  local function dissect(tvb, pinfo, tree, always)
    local raw, n = tvb:raw(), tvb:len()
    local kind, unlisted = kind_of(pinfo, raw, n)
    if unlisted then kind = p.proto.prefs.kind end
    if not kind or not always and not plausible(raw, n, kind) then return 0 end
    local d, m = begin(p, tvb, pinfo, tree), parsed(raw, n)
    pinfo.cols.protocol = p.column
    pinfo.cols.info = messages[kind].name
    parse(d, m, messages[kind].rows, 0, n, "", true)
    if not m.broken then
      if (kind == ENVIRONMENT or kind == SSL) and n > MAX_VISION then d:fault("size", MAX_VISION, n, MAX_VISION) end
      value_rules(d, m)
      rules[kind](d, m)
    end
    return n
  end

  finish(p, "udp", dissect, function(tvb, pinfo)
    local raw, n = tvb:raw(), tvb:len()
    local kind = kind_of(pinfo, raw, n)
    return kind ~= nil and plausible(raw, n, kind)
  end)
end
