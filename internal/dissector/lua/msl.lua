-- Worldstates, events and RefBox commands of the Middle Size League: JSON objects over TCP, each closed by a NUL.

do
  local p = protocol("msl", "Middle Size League messages", "MSL", DATA.msl)
  local WORLDSTATE, EVENT, COMMAND = 1, 2, 3
  local MAX_MESSAGE, MAX_FIELDS, MAX_FINDINGS, MAX_DEPTH, MAX_ROBOTS = 1048576, 5000, 1000, 10000, 16
  local MAX_AGE, MAX_NUMBER = 60000, 99
  local parts, known = {}, {}
  for _, m in ipairs(p.book.messages) do
    parts[m.type] = m.rows
    for _, r in ipairs(m.rows) do
      known[r.name] = true
      for _, s in ipairs(r.other or {}) do known[s.name] = true end
    end
  end

  -- Syntax. check returns nil for valid JSON, else where it fails. It is as strict as the codec: no duplicate keys, no
  -- broken UTF-8. Positions are from 1.

  local ESCAPES = { ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

  local function utf8_char(v)
    if v < 0x80 then return string.char(v) end
    if v < 0x800 then return string.char(0xc0 + floor(v / 64), 0x80 + v % 64) end
    if v < 0x10000 then return string.char(0xe0 + floor(v / 4096), 0x80 + floor(v / 64) % 64, 0x80 + v % 64) end
    return string.char(0xf0 + floor(v / 262144), 0x80 + floor(v / 4096) % 64, 0x80 + floor(v / 64) % 64, 0x80 + v % 64)
  end

  -- unquote returns the contents of a string with its quotes; nil if an escape is broken.
  local function unquote(quoted)
    local inner = sub(quoted, 2, -2)
    if not string.find(inner, "\\", 1, true) then return inner end
    local out, i = {}, 1
    while i <= #inner do
      local c = sub(inner, i, i)
      if c ~= "\\" then
        insert(out, c)
        i = i + 1
      elseif sub(inner, i + 1, i + 1) ~= "u" then
        local e = ESCAPES[sub(inner, i + 1, i + 1)]
        if not e then return nil end
        insert(out, e)
        i = i + 2
      else
        local v = tonumber(string.match(inner, "^%x%x%x%x", i + 2) or "", 16)
        i = i + 6
        if v and v >= 0xd800 and v < 0xdc00 then
          local low = tonumber(string.match(inner, "^\\u(%x%x%x%x)", i) or "", 16)
          v = low and low >= 0xdc00 and low < 0xe000 and 0x10000 + (v - 0xd800) * 1024 + low - 0xdc00 or nil
          i = i + 6
        elseif v and v >= 0xdc00 and v < 0xe000 then
          v = nil
        end
        if not v then return nil end
        insert(out, utf8_char(v))
      end
    end
    return concat(out)
  end

  -- string_end returns the position behind the string at i; nil if it is broken.
  local function string_end(s, i)
    local at = i + 1
    while true do
      at = string.find(s, '["\\%c]', at)
      if not at then return nil end
      local c = sub(s, at, at)
      if c == '"' then break end
      if c == "\\" then at = at + 2
      elseif c == "\127" then at = at + 1
      else return nil end
    end
    local quoted = sub(s, i, at)
    if string.find(quoted, "[\128-\255]") and not is_utf8(quoted) or not unquote(quoted) then return nil end
    return at + 1
  end

  local function blanks(s, i) return string.find(s, "[^ \t\r\n]", i) or #s + 1 end

  local function number_end(s, i)
    local _, stop = string.find(s, "^-?%d+", i)
    if not stop or string.find(s, "^-?0%d", i) then return nil end
    local _, point = string.find(s, "^%.%d+", stop + 1)
    stop = point or stop
    local _, exponent = string.find(s, "^[eE][-+]?%d+", stop + 1)
    return (exponent or stop) + 1
  end

  local function value_end(s, i, depth)
    local c = sub(s, i, i)
    if c == '"' then return string_end(s, i) end
    if c ~= "{" and c ~= "[" then
      for _, word in ipairs({ "true", "false", "null" }) do
        if sub(s, i, i + #word - 1) == word then return i + #word end
      end
      return number_end(s, i)
    end
    if depth > MAX_DEPTH then return nil end
    local close, keys = c == "{" and "}" or "]", {}
    i = blanks(s, i + 1)
    if sub(s, i, i) == close then return i + 1 end
    while true do
      if c == "{" then
        if sub(s, i, i) ~= '"' then return nil end
        local stop = string_end(s, i)
        if not stop then return nil end
        local name = unquote(sub(s, i, stop - 1))
        if keys[name] then return nil end
        keys[name] = true
        i = blanks(s, stop)
        if sub(s, i, i) ~= ":" then return nil end
        i = blanks(s, i + 1)
      end
      i = value_end(s, i, depth + 1)
      if not i then return nil end
      i = blanks(s, i)
      local after = sub(s, i, i)
      if after == close then return i + 1 end
      if after ~= "," then return nil end
      i = blanks(s, i + 1)
    end
  end

  local function is_object(s)
    local i = blanks(s, 1)
    if sub(s, i, i) ~= "{" or #s > MAX_MESSAGE then return false end
    local stop = value_end(s, i, 1)
    return stop ~= nil and blanks(s, stop) > #s
  end

  -- Walking over valid JSON: v.i is the position of the next byte, from 1.

  local function peek(v)
    v.i = string.find(v.s, "[^ \t\r\n,:]", v.i)
    return sub(v.s, v.i, v.i)
  end

  local function more(v)
    local c = peek(v)
    if c ~= "}" and c ~= "]" then return true end
    v.i = v.i + 1
    return false
  end

  local function token(v)
    local start = v.i
    if peek(v) == '"' then
      start = v.i
      v.i = string_end(v.s, v.i)
    else
      start = v.i
      v.i = string.find(v.s, "[%z\1-\32,:%]}]", v.i) or #v.s + 1
    end
    return sub(v.s, start, v.i - 1)
  end

  local function skip(v)
    local depth = 0
    repeat
      local c = peek(v)
      if c == "{" or c == "[" then
        depth = depth + 1
        v.i = v.i + 1
      elseif c == "}" or c == "]" then
        depth = depth - 1
        v.i = v.i + 1
      else
        token(v)
      end
    until depth == 0
  end

  local function kind_of(s)
    local v, found = { s = s, i = blanks(s, 1) + 1 }, WORLDSTATE
    while more(v) do
      local name = unquote(token(v))
      if name == "type" then
        if peek(v) ~= '"' then return WORLDSTATE end
        local text = unquote(token(v))
        return text == "event" and EVENT or WORLDSTATE, text == "worldstate" or text == "event"
      end
      if name == "command" then found = COMMAND end
      skip(v)
    end
    return found, found == COMMAND
  end

  -- shortened returns the first 40 bytes of a text.
  local function shortened(text)
    if #text <= 40 then return text end
    local n = 40
    while n > 0 and byte(text, n + 1) >= 0x80 and byte(text, n + 1) < 0xc0 do n = n - 1 end
    return sub(text, 1, n) .. "..."
  end

  local function find(v, rule, at, raw, extra)
    if v.found >= (rule.note and MAX_FINDINGS / 2 or MAX_FINDINGS) then return end
    v.found = v.found + 1
    local text = rule.text .. (extra or "")
    if raw and raw ~= "" then text = shortened(raw) .. " " .. text end
    v.d:say_text(rule, at - 1, text)
  end

  local function list(v, f, at, raw, unit, number)
    if v.fields >= MAX_FIELDS then return end
    v.fields = v.fields + 1
    v.d:field(f, at - 1, #raw, v.path[1] .. v.path[2], raw, unit, true, number)
  end

  local rules = p.rules

  -- judge applies the rule of a name to a number.
  local function judge(v, name, at, n, raw)
    local function fault(key) find(v, rules[key], at, raw) end
    if name == "heading" and (n < 0 or n >= 2 * math.pi) then fault("heading")
    elseif (name == "confidence" or name == "ranked") and (n < 0 or n > 1) then fault("confidence")
    elseif name == "battery" and (n < 0 or n > 100) then fault("battery")
    elseif name == "engaged" and n ~= 0 and n ~= 1 then fault("engaged")
    elseif name == "id" and n ~= floor(n) then fault("whole")
    elseif name == "id" and (n < 1 or n > MAX_NUMBER) then fault("shirt-note")
    elseif name == "shirt" and (n ~= floor(n) or n < 1 or n > MAX_NUMBER) then fault("shirt")
    elseif name == "radius" and n < 0 then fault("radius")
    elseif name == "age" and n < 0 then fault("age")
    elseif name == "age" and n > MAX_AGE then fault("clock") end
    if name == "id" then
      for i = 1, #v.ids do
        if v.ids[i] == n then find(v, rules.same, at, raw) break end
      end
      if #v.ids < MAX_ROBOTS then insert(v.ids, n) end
    elseif name == "ranked" then
      if n > v.confidence then find(v, rules.order, at, raw) end
      v.confidence = n
    end
  end

  local function judge_text(v, name, at, raw)
    local text = unquote(raw)
    local word = string.match(text, "^%s*(.-)%s*$")
    local function fault(key) find(v, rules[key], at, raw) end
    if name == "type" then
      if text ~= "worldstate" and text ~= "event" then fault("type") end
    elseif word == "" then fault("no-command")
    elseif word ~= text then fault("blanks")
    elseif word == "GAME_OVER" then fault("game-over")
    elseif not p.book.words[word] then fault("word") end
  end

  local function wrong_type(v, rule)
    local at = v.i
    local null = sub(v.s, at, at) == "n"
    skip(v)
    local raw = sub(v.s, at, v.i - 1)
    list(v, p.unknown, at, raw)
    if null then find(v, rules.null, at) else find(v, rule, at, raw) end
  end

  local function number(v, r, i, component)
    local c = peek(v)
    if c == '"' or c == "[" or c == "{" or c == "t" or c == "f" or c == "n" and not component then
      return wrong_type(v, rules.number)
    end
    local at = v.i
    local raw = token(v)
    local n = tonumber(raw)
    list(v, n and r.f or p.unknown, at, raw, i and r.rows[i].unit or r.unit, n)
    if c == "n" then return end
    if n == math.huge or n == -math.huge then return find(v, rules.large, at, raw) end
    if component and i < 3 then return end
    judge(v, r.range and r.range.key, at, n, raw)
  end

  local object

  local function vector(v, r, depth)
    local at, n, name = v.i, 0, v.path[depth]
    v.i = v.i + 1
    while more(v) do
      v.path[depth] = name .. "[" .. n .. "]"
      n = n + 1
      if n <= 3 then
        number(v, r, n, true)
      else
        local start = v.i
        skip(v)
        list(v, p.unknown, start, sub(v.s, start, v.i - 1))
      end
    end
    v.path[depth] = name
    if n < r.least or n > r.most then find(v, r.least == 2 and rules.two or rules.three, at, tostring(n))
    elseif n > r.least then find(v, rules.may, at) end
  end

  local function elements(v, r, depth)
    v.ids, v.confidence = {}, math.huge
    local n, at, name = 0, 0, v.path[depth]
    v.i = v.i + 1
    while more(v) do
      v.path[depth] = name .. "[" .. n .. "]"
      if n == r.most then at = v.i end
      n = n + 1
      if sub(v.s, v.i, v.i) == "{" then
        v.path[depth] = v.path[depth] .. "."
        object(v, r.rows, depth + 1)
      else
        wrong_type(v, rules.object)
      end
    end
    v.path[depth] = name
    if n > r.most then find(v, r.over, at, tostring(n)) end
  end

  local function value(v, r, depth)
    local c = peek(v)
    if r.kind == "string" and c == '"' then
      local at = v.i
      local raw = token(v)
      list(v, r.f, at, raw)
      if r.range then judge_text(v, r.range.key, at, raw) end
    elseif r.kind == "number" then number(v, r)
    elseif r.kind == "vector" and c == "[" then vector(v, r, depth)
    elseif r.kind == "records" and c == "[" then elements(v, r, depth)
    else wrong_type(v, r.kind == "string" and rules.string or r.kind == "vector" and rules.vector or rules.list) end
  end

  local function part_of(rows, name)
    for i, r in ipairs(rows) do
      if r.name == name then return i, r end
    end
    for i, r in ipairs(rows) do
      for _, s in ipairs(r.other or {}) do
        if s.name == name then return i, r, s end
      end
    end
  end

  function object(v, rows, depth)
    local start, seen = v.i, {}
    v.i = v.i + 1
    while more(v) do
      local at = v.i
      local name = unquote(token(v))
      local i, r, spelt = part_of(rows, name)
      if not i then
        v.path[depth] = name == "" and '""' or shortened(name)
        find(v, rules["extra-key"], at)
        peek(v)
        local from = v.i
        skip(v)
        list(v, p.unknown, from, sub(v.s, from, v.i - 1))
      else
        v.path[depth] = name
        if spelt then
          if spelt.note then find(v, rules.spelling, at) else find(v, rules.key, at, nil, r.name) end
        end
        if seen[i] then find(v, rules.twice, at) end
        seen[i] = true
        value(v, r, depth)
      end
    end
    for i, r in ipairs(rows) do
      if not seen[i] and r.lack then find(v, r.lack, start) end
    end
    v.path[depth] = ""
  end

  -- message dissects the bytes from at to stop of a buffer.
  local function show_message(tvb, pinfo, tree, at, stop)
    local s = tvb(at, stop - at):raw()
    s = sub(s, 1, stop - at)
    local d = begin(p, tvb, pinfo, tree, at, stop - at)
    if not is_object(s) then
      d:fault("syntax", 0)
      d:field(p.unreadable, 0, #s, "unreadable", s, nil, true)
      return "broken message"
    end
    local kind = kind_of(s)
    local v = { s = s, i = blanks(s, 1), d = d, path = { "", "" }, found = 0, fields = 0, ids = {}, confidence = math.huge }
    object(v, parts[kind], 1)
    local word = kind == COMMAND and string.match(s, '"command"%s*:%s*"([^"]*)"')
    return word or kind == EVENT and "event" or "worldstate"
  end

  -- begins says whether text is the beginning of a message: a brace, and one of the keys.
  local function begins(raw)
    local name = string.match(raw, '^%z*[ \t\r\n]*{[ \t\r\n]*"([^"]*)"')
    return name ~= nil and known[name] == true
  end

  local function dissect(tvb, pinfo, tree, always)
    local raw, n = tvb:raw(), tvb:len()
    raw = sub(raw, 1, n)
    if not always and not string.find(raw, "^%z*[ \t\r\n]*{") then return 0 end
    pinfo.cols.protocol = p.column
    local at, shown_as = 0, {}
    while at < n do
      local stop = string.find(raw, "\0", at + 1, true)
      if not stop then
        if n - at > MAX_MESSAGE then return n end
        pinfo.desegment_offset = at
        pinfo.desegment_len = DESEGMENT_ONE_MORE_SEGMENT
        break
      end
      if stop - 1 > at then insert(shown_as, show_message(tvb, pinfo, tree, at, stop - 1)) end
      at = stop
    end
    if #shown_as > 0 then pinfo.cols.info = printable(concat(shown_as, ", ")) end
    return n
  end

  finish(p, "tcp", dissect, function(tvb)
    return begins(sub(tvb:raw(), 1, math.min(tvb:len(), 1000)))
  end)
end
