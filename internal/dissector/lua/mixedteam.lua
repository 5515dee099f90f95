-- Mixed Team Package: neither flag nor size tells the variant. Each reading is scored, in bits, by how well its fields
-- fit it, and the best one counts, with the numbers of package wire/mixedteam.

do
  local p = protocol("mixedteam", "Mixed Team Package", "MixedTeam", DATA.mixedteam)
  local UNUSED, FLAG = -32768, 123
  local IMPOSSIBLE, FLOOR = -2 ^ 20, -20
  local MAX_THETA, MAX_TIME, NEVER_SET = 6283, 2 ^ 27, 0xFFFF8000

  -- layouts: offsets of the variants, from their rows.
  local layouts = {}
  for _, m in ipairs(p.book.messages) do
    local l = { variant = m.type, name = m.name, rows = m.rows, records = {}, fields = {}, size = 0 }
    local function add(r, index)
      local at = l.size
      l.size = l.size + r.size
      insert(l.fields, { r = r, at = at, name = label(r, index) })
      local record, field = string.match(r.name, "^(.*)%.([a-z]+)$")
      if not record then
        if r.name ~= "padding" then l[r.name] = at end
        return
      end
      record = label({ name = record }, index)
      local last = l.records[#l.records]
      if not last or last.name ~= record then
        last = { name = record, kind = string.match(record, "^[a-z]+"), at = at, ints = 0, fields = {} }
        insert(l.records, last)
      end
      if field == "confidence" then last.confidence = at
      else
        last.ints = last.ints + 1
        last.fields[last.ints] = record .. "." .. field
      end
    end
    for _, r in ipairs(m.rows) do
      if r.kind == "each" then
        for i = 0, r.size - 1 do for _, inner in ipairs(r.rows) do add(inner, i) end end
      else
        add(r)
      end
    end
    l.robot = l.robot_id or l.mixed_team_robot_id
    layouts[m.type] = l
  end

  -- repeats counts the bytes of b[from, to) that equal the byte one period before.
  local function repeats(b, from, to, period)
    local n = 0
    for i = from + period, to - 1 do if b[i] == b[i - period] then n = n + 1 end end
    return n
  end

  -- other scores bytes as other traffic: text, 32-bit integers, or memory with repeating bytes.
  local function other(b, from, to)
    local n = to - from
    if n <= 0 then return 0 end
    local text, wide = 0, { [0] = 0, 0, 0, 0 }
    for i = from, to - 1 do
      local c = b[i]
      if (c >= 32 and c <= 126) or c == 10 or c == 9 then text = text + 1 end
      if i > from and c == b[i - 1] and (c == 0 or c == 255) then
        local k = (i - from) % 4
        wide[k] = wide[k] + 1
      end
    end
    local r = math.max(repeats(b, from, to, 1), repeats(b, from, to, 2), repeats(b, from, to, 4))
    local nine = (31 * r - 13 * (n - r)) / 4
    nine = nine < 0 and math.ceil(nine) or floor(nine)
    return math.max(0, 7 * r - (n - r) - 2, nine - 2,
      14 * math.max(wide[0], wide[1], wide[2], wide[3]) - n,
      floor(text * 3 / 2) - 6 * (n - text) - 2)
  end

  local function u32(b, at) return b[at] + 256 * b[at + 1] + 65536 * b[at + 2] + 16777216 * b[at + 3] end
  local function i16(b, at)
    local v = b[at] + 256 * b[at + 1]
    return v >= 32768 and v - 65536 or v
  end

  local function header_score(l, b, n)
    if n < l.records[1].at then return IMPOSSIBLE end
    local robot = b[l.robot]
    local score = robot >= 1 and robot <= 6 and 5 or -4
    if l.variant == 1 then return score - 10 end
    local version = b[1]
    if version ~= 1 and version ~= 2 then return IMPOSSIBLE end
    if version == 1 and l.variant == 2 then score = score + 3 else score = score + 7 end
    local t = u32(b, l.timestamp)
    if t < 2 ^ 22 then score = score + 9
    elseif t <= MAX_TIME then score = score + 3
    elseif t == NEVER_SET and l.variant == 3 then return score + 28
    else score = score - 6 end
    score = score + (b[l.team_color] <= 1 and 6 or -5)
    return score + (p.teams[b[l.original_team_id]] and 4 or -3)
  end

  local function between(v, low, high) return v >= low and v <= high end
  local function place(x, y)
    if between(x, -9000, 9000) and between(y, -13000, 13000) then return 2 end
    if between(x, -20000, 20000) and between(y, -20000, 20000) then return -4 end
    return -10
  end
  local function single(v, low, high)
    if v == UNUSED then return 5 end
    return between(v, low, high) and 3 or -9
  end
  local function velocity(x, y, limit)
    if x == UNUSED and y == UNUSED then return 28 end
    if x == UNUSED or y == UNUSED then return -16 end
    if x == 0 and y == 0 then return 25 end
    return between(x, -limit, limit) and between(y, -limit, limit) and 3 or -9
  end
  local function turn(v)
    if v == UNUSED or v == 0 then return 12 end
    return between(v, -15000, 15000) and 1 or -9
  end

  local function record_score(l, b, r)
    local c, at = b[r.confidence], r.at
    local x, y = i16(b, at), i16(b, at + 2)
    if x == UNUSED and y == UNUSED then
      local score = c == 0 and 7 or -6
      for i = 0, r.ints - 1 do score = score + (i16(b, at + 2 * i) == UNUSED and 15 or -6) end
      return score
    end
    if l.variant == 1 and r.kind ~= "self" and c == 0 then return 3 + other(b, at, r.confidence) end
    if x == UNUSED or y == UNUSED then return -16 end
    local score = place(x, y) + (c == 0 and 2 or 0)
    if r.kind == "ball" then
      return score + single(i16(b, at + 4), -200, 4000) + velocity(i16(b, at + 6), i16(b, at + 8), 15000) + turn(i16(b, at + 10))
    elseif r.ints == 4 then
      return score + velocity(i16(b, at + 4), i16(b, at + 6), 8000)
    elseif r.ints == 6 then
      return score + single(i16(b, at + 4), -MAX_THETA, MAX_THETA) + velocity(i16(b, at + 6), i16(b, at + 8), 8000) +
        turn(i16(b, at + 10))
    end
    return score
  end

  local function is_zero(b, from, to)
    for i = from, to do if b[i] ~= 0 then return false end end
    return true
  end

  local ORDERS = { [0] = 0, 0, 1, 2, 4, 7, 9, 12, 15, 18, 21 }

  local function body_score(l, b, n)
    local score, cleared, ordered = 0, 0, true
    local counts, last = { ball = 0, obstacles = 0, self = 0 }, { ball = 255, obstacles = 255, self = 255 }
    for _, r in ipairs(l.records) do
      if r.confidence >= n then
        score = score + other(b, math.min(r.at, n), n)
        break
      end
      if is_zero(b, r.at, r.confidence) then
        cleared = -10
        score = score + 8 * (2 * r.ints + 1) - 3
        local at = r.confidence + 1
        if l.variant == 3 and at < n and b[at] == 0 then score = score + 8 end
      else
        score = score + record_score(l, b, r)
        local c = b[r.confidence]
        ordered = ordered and c <= last[r.kind]
        last[r.kind] = c
        if c > 0 then counts[r.kind] = counts[r.kind] + 1 end
      end
    end
    score = score + cleared
    if l.variant ~= 1 then return score end
    if not ordered then return score - 6 end
    return score + ORDERS[counts.ball] + ORDERS[counts.obstacles]
  end

  -- swapped returns the package with the bytes of each field in the other order.
  local function swapped(l, b)
    local c = {}
    for i = 0, l.size - 1 do c[i] = b[i] end
    for _, f in ipairs(l.fields) do
      if f.r.kind ~= "bytes" then
        for i = 0, f.r.size - 1 do c[f.at + i] = b[f.at + f.r.size - 1 - i] end
      end
    end
    return c
  end

  -- identify returns {variant, sure, big, cut, best, second}.
  local function identify(b, n)
    local ends = { [0] = 1, layouts[1].size, layouts[2].size, layouts[3].size, n }
    local tail = { [4] = 0 }
    for v = 3, 0, -1 do tail[v] = tail[v + 1] + other(b, math.min(ends[v], n), math.min(ends[v + 1], n)) end
    local scores = { [0] = tail[0], IMPOSSIBLE, IMPOSSIBLE, IMPOSSIBLE }
    local cut = 0
    for v = 1, 3 do
      local l = layouts[v]
      local score = header_score(l, b, n)
      -- A reading that its header excludes needs no closer look: its records cannot make up for it.
      if score > IMPOSSIBLE / 2 then score = score + math.max(body_score(l, b, n), FLOOR) end
      if n == l.size then scores[v] = score + 6
      elseif n > l.size then scores[v] = score + tail[v]
      elseif score - 8 > scores[0] then
        scores[0], cut = score - 8, v
      end
    end
    local best, second = 0, 1
    for v = 1, 3 do
      if scores[v] > scores[best] then best, second = v, best
      elseif scores[v] > scores[second] then second = v end
    end
    local lead = floor((scores[best] - scores[second]) / 4)
    local confidence = 1 - 0.5 / 2 ^ math.min(lead, 50)
    local id = { variant = best, best = best, second = second, cut = best == 0 and cut or 0, sure = confidence >= 0.9 }
    if best == 0 or not id.sure then
      for v = 1, 3 do
        local l = layouts[v]
        if n >= l.size then
          local c = swapped(l, b)
          if header_score(l, c, l.size) + body_score(l, c, l.size) + tail[v] > scores[best] + 100 then
            return { variant = v, sure = true, big = true, cut = 0, bytes = c }
          end
        end
      end
    end
    return id
  end

  local function bytes_of(tvb)
    local raw, b = tvb:raw(), {}
    local n = tvb:len()
    for i = 1, n, 100 do
      local part = { byte(raw, i, math.min(i + 99, n)) }
      for k = 1, #part do b[i + k - 2] = part[k] end
    end
    return b, n
  end

  local function header_rules(d, l, b)
    if l.variant ~= 1 then
      local t = u32(b, l.timestamp)
      if t == NEVER_SET and l.variant == 3 then d:fault("unset", l.timestamp)
      elseif t > MAX_TIME then d:fault("time", l.timestamp, t) end
      if b[l.team_color] > 1 then d:fault("color", l.team_color, b[l.team_color]) end
      local team = b[l.original_team_id]
      if not p.teams[team] then d:fault("team", l.original_team_id, team) end
    end
    local robot = b[l.robot]
    if robot < 1 or robot > 6 then d:fault("robot", l.robot, robot) end
  end

  -- record_rule adds the first fault of a record. Further faults mostly follow from it.
  local function record_rule(d, l, b, r)
    local v, c = {}, b[r.confidence]
    for i = 0, r.ints - 1 do v[i] = i16(b, r.at + 2 * i) end
    if v[0] == UNUSED or v[1] == UNUSED then
      for i = 0, r.ints - 1 do
        if v[i] ~= UNUSED then return d:fault("unused", r.at + 2 * i, v[i]) end
      end
      if c ~= 0 then d:fault("confidence", r.confidence, c) end
      return
    end
    if l.variant == 1 and r.kind ~= "self" and c == 0 then return d:fault("absent", r.at) end
    if r.ints == 2 then return end
    local first, last = 3, 5
    if r.kind == "obstacles" then first, last = 2, 3 end
    local unused = 0
    for i = first, last do if v[i] == UNUSED then unused = unused + 1 end end
    if unused > 0 and unused <= last - first and not (r.kind == "ball" and unused == 1 and v[last] == UNUSED) then
      return d:fault("velocity", r.at + 2 * first)
    end
    if r.kind ~= "self" then return end
    if v[2] == UNUSED then d:fault("heading", r.at + 4)
    elseif v[2] < 0 or v[2] > MAX_THETA then d:fault("theta", r.at + 4, v[2]) end
  end

  local function rules(d, l, b)
    header_rules(d, l, b)
    local last = { ball = 255, obstacles = 255, self = 255 }
    for _, r in ipairs(l.records) do
      record_rule(d, l, b, r)
      local c = b[r.confidence]
      if l.variant == 1 and c > last[r.kind] then d:fault("order", r.confidence, c, last[r.kind]) end
      last[r.kind] = c
    end
  end

  local function dissect(tvb, pinfo, tree, always, id, b, n)
    if not id then
      if tvb(0, 1):uint() ~= FLAG then return 0 end
      b, n = bytes_of(tvb)
      id = identify(b, n)
    end
    local l = layouts[id.variant]
    if not l and not always then return 0 end
    local d = begin(p, tvb, pinfo, tree)
    pinfo.cols.protocol = p.column
    if not l then
      if id.cut > 0 then d:fault("truncated", n, layouts[id.cut].name, n, layouts[id.cut].size)
      else d:fault("foreign", 0) end
      d:field(p.data, 0, n, "data", n .. " bytes", nil, true)
      return n
    end
    if not id.sure then d:fault("uncertain", 0, p.book.words[id.best .. id.second]) end
    if l.variant ~= 1 and b[1] ~= 2 then d:fault("version", 1, b[1]) end
    if l.variant == 3 then d:fault("padded", 2) end
    if id.big then d:fault("swapped", l.records[1].at, l.name) end
    b = id.bytes or b
    rules(d, l, b)
    if n > l.size then d:fault("trailing", l.size, n - l.size) end
    for _, f in ipairs(d.any and l.fields or {}) do
      local r = f.r
      if d:wanted(r.f) then
        local v, text, alone = nil, nil, true
        if r.kind == "bytes" then text = r.style.fixed
        else
          v = b[f.at]
          if r.kind == "int" then v = i16(b, f.at) elseif r.size == 4 then v = u32(b, f.at) end
          text, alone = value(r, v)
        end
        d:field(r.f, f.at, r.size, f.name, text, not alone and r.unit, true, v)
      end
    end
    if n > l.size then
      d:field(p.trailing, l.size, n - l.size, "trailing", (n - l.size) .. " of the team's own", "bytes", true)
    end
    local team = l.original_team_id and p.teams[b[l.original_team_id]]
    pinfo.cols.info = "Mixed Team Package " .. l.name .. ", robot " .. b[l.robot] .. (team and ", " .. team or "")
    return n
  end

  for _, r in ipairs(layouts[2].rows) do
    if r.name == "original_team_id" then p.teams = r.style.names end
  end
    finish(p, "udp", dissect, function(tvb, pinfo)
    if tvb:len() < layouts[1].size or tvb(0, 1):uint() ~= FLAG then return false end
    local b, n = bytes_of(tvb)
    local id = identify(b, n)
    return id.variant ~= 0 and id.sure
  end)
end
