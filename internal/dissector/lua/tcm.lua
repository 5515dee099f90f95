-- TCM datagrams with the messages in them: those of teams, and those of the ball booking.

do
  local t = protocol("tcm", "Team Communication Module", "TCM", DATA.tcm)
  local booking = protocol("b3p", "Ball Booking", "B3P", DATA.b3p)
  local team = { rules = DATA.team.rules, fault = t.fault, unreadable = t.unreadable, trailing = t.trailing, name = "team" }
  for _, m in ipairs(DATA.team.messages) do
    local prefix = "tcm." .. string.gsub(m.title, "[^a-z0-9]", "_")
    register_fields(t, prefix, m.rows)
    register_ranges(t, prefix, m.rows)
    if m.rows[1].name ~= "version" then -- an image and others of their own kind
      t.byname[prefix .. ".data"] = t.byname[prefix .. ".data"] or ProtoField.bytes(prefix .. ".data", "data")
    end
  end
  for key, rule in pairs(team.rules) do rule.expert = t:expert_for("message-" .. key, rule) end

  local HEADER, SUM, TAG, PIECE, FRAGMENT, MOST_PIECE, MOST_DATAGRAM = 48, 4, 16, 18, 32, 1200, 1472
  local MAX_PIECES = floor(4 * 2 ^ 20 / MOST_PIECE)
  local parts = {}
  for _, m in ipairs(t.book.messages) do parts[m.name] = m.rows end
  local rest = {}
  for _, r in ipairs(parts.rest) do rest[string.match(r.name, "[a-z]+$")] = r end

  -- contents are the messages by type: rows, title, and the protocol whose rules and fields they have.
  local contents = {}
  for _, m in ipairs(DATA.team.messages) do
    contents[m.type] = { rows = m.rows, title = m.title, what = m.name .. " message", proto = team }
  end
  for _, m in ipairs(DATA.b3p.messages) do
    contents[m.type] = { rows = m.rows, title = m.title, what = "message", proto = booking }
  end

  local CRC = {}
  for i = 0, 255 do
    local v = i
    for _ = 1, 8 do
      if v % 2 == 1 then v = bxor(floor(v / 2), 0x82f63b78) else v = floor(v / 2) end
    end
    CRC[i] = v
  end

  -- crc returns the CRC-32C of the first n bytes of a text.
  local function crc(raw, n)
    local v = 0xffffffff
    for i = 1, n, 64 do
      local part = { byte(raw, i, math.min(i + 63, n)) }
      for k = 1, #part do
        local low = v % 256
        v = bxor((v - low) / 256, CRC[bxor(low, part[k])])
      end
    end
    return bxor(v, 0xffffffff)
  end

  -- Special layouts of messages.

  function special.directory(d, m)
    local n = m.stop - m.at
    if m.judged and not is_utf8(sub(d.tvb(d.at + m.at, n):raw(), 1, n)) then d:fault("directory", m.at) end
    local f = t.byname["tcm.directory.text"]
    if n > 65536 then
      m.error = fill("team: text: %d: want at most %d", n, 65536)
      if m.judged then d:fault("most", m.at - 1, n, 65536) end
      return false
    end
    if n > 0 then d:field(f, m.at, n, "text", "TCM.ini") end
    m.at = m.stop
    return true
  end

  local MAX_FILE, MIN_CHUNK, MAX_CHUNK = 2 ^ 40, 2 ^ 10, 2 ^ 20
  special["file bounds"] = function(d, m)
    local size = d.tvb(d.at + m.start + 9, 8):le_uint64():tonumber()
    local chunk, index = m.values.chunk_size, m.values.index
    local chunks = size == 0 and 1 or chunk == 0 and 1 or floor((size - 1) / chunk) + 1
    m.file = { size = size, chunk = chunk, index = index }
    if size > MAX_FILE then
      if m.judged then d:fault("file-size", m.at - 48, tostring(d.tvb(d.at + m.start + 9, 8):le_uint64()), MAX_FILE) end
    elseif chunk < MIN_CHUNK or chunk > MAX_CHUNK then
      if m.judged then d:fault("file-chunk", m.at - 8, chunk, MIN_CHUNK, MAX_CHUNK) end
    elseif index >= chunks then
      if m.judged then d:fault("file-index", m.at - 4, index, chunks) end
    else
      return true
    end
    m.error = fill("team: a chunk outside its file: index %d, chunks of %d bytes, file of %s bytes", index, chunk,
      tostring(d.tvb(d.at + m.start + 9, 8):le_uint64()))
    return false
  end

  special["file data"] = function(d, m)
    local f = m.file
    local n = floor(math.min(math.max(0, f.size - f.index * f.chunk), f.chunk))
    if short(d, m, n) then return false end
    if n > 0 then d:field(t.byname["tcm.file.data"], m.at, n, "data", format("%d bytes", n), nil, true) end
    m.at = m.at + n
    return true
  end

  -- image_rules checks a picture in one piece, and returns false where it ends within a slice.
  local function image_rules(d, m, u8, u16)
    local start, n = m.at, m.stop - m.at
    local width, height, rows = u16(4), u16(6), u16(8)
    local form, quality, wrong = u8(1), u8(2), false
    local function fault(...)
      wrong = true
      d:fault(...)
    end
    for _, f in ipairs({ { form, 1, 0, 2 }, { quality, 2, 0, 100 }, { u8(3), 3, 1, 8 }, { width, 4, 1, 2048 },
      { height, 6, 1, 2048 }, { rows, 8, 1, 2048 } }) do
      if f[1] < f[3] or f[1] > f[4] then fault("image-geometry", start + f[2], f[1], f[3], f[4]) end
    end
    if form == 0 and rows ~= 16 then fault("image-jpeg", start + 8, rows)
    elseif form == 1 and rows % 2 ~= 0 then fault("image-ycbcr", start + 8, rows)
    elseif form == 0 and quality == 0 then fault("image-quality", start + 2) end
    if wrong then return true end
    local count, index, at = floor((height + rows - 1) / rows), u16(14), u16(16)
    local slices = {}
    if index ~= 0xffff then
      if at < 18 then
        d:fault("image-at", start, at, 18)
        return true
      end
      while at + 2 <= n do
        local size = u16(at)
        at = at + 2
        if size == 0 then break end
        if index >= count then
          d:fault("image-slice", start, index, count)
          return true
        end
        slices[index] = at + size <= n and { at - 2, size + 2 } or nil
        at, index = at + size, index + 1
      end
    end
    local raw = d.tvb(d.at + start, n):raw()
    local again = sub(raw, 1, 14) .. "\0\0\18\0"
    for i = 0, count - 1 do
      if not slices[i] then return false end
      again = again .. sub(raw, slices[i][1] + 1, slices[i][1] + slices[i][2])
    end
    raw = sub(raw, 1, n)
    if again == raw then return true end
    local same = 0
    while same < math.min(#again, n) and byte(again, same + 1) == byte(raw, same + 1) do same = same + 1 end
    d:fault("image-pieces", start + same)
    return true
  end

  -- image reads a picture: its pieces of 1,200 bytes have a header of 18 bytes each, and only one is in a datagram.
  function special.image(d, m)
    local n, head = m.stop - m.at, 18
    local function u8(at) return d.tvb(d.at + m.at + at, 1):uint() end
    local function u16(at) return d.tvb(d.at + m.at + at, 2):le_uint() end
    if short(d, m, head) then return false end
    local formats = { [0] = "jpeg", "ycbcr", "classes" }
    for i, field in ipairs({ "version", "format", "quality", "divisor" }) do
      local v = u8(i - 1)
      d:field(t.byname["tcm.image.byte"], m.at + i - 1, 1, "pieces[0]." .. field, field == "format" and formats[v] or format("%d", v))
    end
    for i, field in ipairs({ "width", "height", "rows", "x", "y", "first", "at" }) do
      d:field(t.byname["tcm.image.number"], m.at + 2 + 2 * i, 2, "pieces[0]." .. field, format("%d", u16(2 + 2 * i)), i <= 5 and "px")
    end
    if n > head then
      d:field(t.byname["tcm.image.data"], m.at + head, n - head, "pieces[0].data", format("%d bytes", n - head), nil, true)
    end
    if m.judged and not image_rules(d, m, u8, u16) then m.truncated = true end
    m.at = m.stop
    return true
  end

  for _, name in ipairs({ "directory.text", "file.data", "image.data" }) do
    t.byname["tcm." .. name] = ProtoField.bytes("tcm." .. name, string.match(name, "[a-z]+$"))
  end
  t.byname["tcm.image.byte"] = ProtoField.uint8("tcm.image.byte", "byte")
  t.byname["tcm.image.number"] = ProtoField.uint16("tcm.image.number", "number")

  function special.below(d, m)
    if m.judged and m.values.claimed > m.values.advertised then
      d:fault("below", m.at - 2, m.values.advertised, m.values.claimed)
    end
    return true
  end
  function special.released(d, m)
    if m.judged and m.values.flags % 2 == 1 and m.values.booker == 0 then d:fault("released", m.at - 1) end
    return true
  end

  -- content dissects a message of a type in the bytes from at to stop, and reports whether its layout is known.
  local function content(d, dtype, at, stop)
    local c = contents[dtype]
    if not c then return false end
    local version = d.tvb(d.at + at, 1):uint()
    if version ~= 1 then
      d:say(c.proto.rules.version, at, version, 1)
      return false
    end
    local root, names, path, tree = d.root, d.names, d.path, d.tree
    d.names, d.path = c.proto, c.title .. "."
    if c.proto == booking then
      d.tree = d.tree:add(booking.proto, d.tvb(d.at + at, stop - at))
    end
    message(d, c.rows, c.proto, at, stop, true, c.what)
    d.root, d.names, d.path, d.tree = root, names, path, tree
    return true
  end

  local function header_rules(d, v)
    local function kind(at, k) if k ~= 1 and k ~= 2 then d:fault("kind", at, k) end end
    if v.flags > 1 then d:fault("flags", 4, v.flags) end
    if v.team == 0 then d:fault("team", 5) end
    kind(6, v["from.kind"])
    if v["from.id"] == 0 then d:fault("from", 7) end
    kind(8, v["to.kind"])
    if v.socket > 3 then d:fault("socket", 10, v.socket) end
    local echo = v["echo.kind"]
    if echo ~= 0 then kind(11, echo) end
    if v.sequence == 0 then d:fault("sequence", 16) end
    if echo ~= 0 and v["echo.id"] == 0 then d:fault("echo-all", 32)
    elseif echo == 0 and v["echo.id"] ~= 0 then d:fault("echo-kind", 32, v["echo.id"]) end
    for i = 33, 35 do
      local zero = d.tvb(d.at + i, 1):uint()
      if zero ~= 0 then d:fault("zero", i, zero) break end
    end
    if echo == 0 and v["echo.held"] ~= 0 then d:fault("echo-held", 36, v["echo.held"]) end
    if echo == 0 and v["echo.sent"] ~= 0 then
      d:fault("echo-sent", 40, tostring(d.tvb(d.at + 40, 8):le_uint64()))
    end
  end

  -- fragment_rules checks the sizes of a fragment against each other, and returns whether they agree.
  local function fragment_rules(d, at, p)
    local count, total, parity = p.count, p.total, has_bit(p.flags, 1)
    local least, most = (count - 1) * MOST_PIECE + 1, count * MOST_PIECE
    local fits = count >= 2 and total >= least and total <= most
    local groups = p.every == 0 and 0 or floor((count + p.every - 1) / p.every)
    local last = not parity and (p.index + 1) % 65536 == count
    local want = MOST_PIECE
    if last and fits then want = total - (count - 1) * MOST_PIECE end
    local words = t.book.words
    if p.length ~= want and (fits or not last) then
      local role = words.inner
      if parity then role = words.parity elseif last then role = fill(words.last, total) end
      d:fault("length", at + 16, p.length, role, want)
    end
    if parity and p.every > 0 and p.index >= groups then
      d:fault("group", at + 18, p.index, count, p.every, groups, groups - 1)
    elseif not parity and p.index >= count then
      d:fault("index", at + 18, p.index, count)
    end
    if count < 2 then d:fault("count", at + 20, count)
    elseif not fits then
      d:fault("total", at + 22, total, count, least, most, math.max(1, floor((total + MOST_PIECE - 1) / MOST_PIECE)))
    elseif count + groups > MAX_PIECES then d:fault("many", at + 20, count, groups, MAX_PIECES) end
    if parity and p.every == 0 then d:fault("every", at + 30) end
    if p.zero ~= 0 then d:fault("piece-zero", at + 31, p.zero) end
    if not fits then return false end
    if parity then return p.index < groups and p.length == MOST_PIECE end
    return p.index < count and p.length == want
  end

  local function piece_rules(d, at, p, known)
    if p.flags > 3 then d:fault("piece-flags", at, p.flags) end
    local fragment, parity = has_bit(p.flags, 0), has_bit(p.flags, 1)
    if parity and not fragment then d:fault("parity", at) end
    if p.module == 0 then d:fault("module", at + 1)
    elseif p.module < 64 and not t.modules[p.module] then d:fault("module-reserved", at + 1, p.module) end
    if p.type == 0 then d:fault("type", at + 2)
    elseif p.type < 1000 and not t.types[p.type] then d:fault("type-reserved", at + 2, p.type) end
    if fragment then return fragment_rules(d, at, p) end
    if p.length > MOST_PIECE then d:fault("whole", at + 16, p.length) end
    return not parity and p.length <= MOST_PIECE
  end
  for _, r in ipairs(parts.piece) do
    if r.name == "piece[#].module" then t.modules = r.style.names end
    if r.name == "piece[#].type" then t.types = r.style.names end
  end

  -- rows_of shows rows of a fixed size.
  local function rows_of(d, rows, at, index)
    run(d, { at = at, start = at, stop = d.len, values = {}, recent = {}, counts = {}, proto = t }, rows, index)
  end

  for _, rows in pairs(parts) do
    for _, r in ipairs(rows) do r.key = string.gsub(r.name, "^piece%[#%]%.", "") end
  end

  -- numbers returns the values of rows, without showing them. That of 8 bytes is 0, or 1 where it is not 0.
  local function numbers(d, rows, at, values)
    for _, r in ipairs(rows) do
      if r.kind == "uint" then
        local a, b, c, e = byte(d.raw, at + 1, at + r.size)
        if r.size == 1 then values[r.key] = a
        elseif r.size == 2 then values[r.key] = a + 256 * b
        elseif r.size == 4 then values[r.key] = a + 256 * b + 65536 * c + 16777216 * e
        else values[r.key] = (string.find(d.raw, "[^%z]", at + 1) or math.huge) <= at + 8 and 1 or 0 end
      end
      at = at + r.size
    end
  end

  -- pieces dissects the pieces up to stop. It returns whether they agree with themselves, and the names of their types.
  local function pieces(d, at, stop, shown)
    local index, sound, types = 0, true, {}
    while at < stop do
      local left = stop - at
      local fragment = has_bit(d.tvb(d.at + at, 1):uint(), 0)
      local head = fragment and FRAGMENT or PIECE
      if left < head then
        if not shown then d:fault("piece-header", at, left, head) end
        return false, types, at
      end
      local p = {}
      numbers(d, parts.piece, at, p)
      if fragment then numbers(d, parts.fragment, at + PIECE, p) end
      if not shown then sound = piece_rules(d, at, p) and sound end
      if head + p.length > left then
        if not shown then d:fault("piece-length", at + 16, p.length, left - head, head + p.length - left) end
        return false, types, at
      end
      insert(types, t.types[p.type] or "type " .. p.type)
      if shown then
        if d.any then
          rows_of(d, parts.piece, at, index)
          if fragment then rows_of(d, parts.fragment, at + PIECE, index) end
        end
        local from, to = at + head, at + head + p.length
        if to > from and not (shown == "sound" and not fragment and content(d, p.type, from, to)) then
          read.bytes(d, { at = from, stop = to, proto = t }, rest.payload, index)
        end
      end
      at, index = at + head + p.length, index + 1
    end
    return sound, types, at
  end

  local function unreadable(d, at, stop)
    if at < stop then read.bytes(d, { at = at, stop = stop, proto = t }, rest.unreadable) end
  end

  local function dissect(tvb, pinfo, tree, always)
    local n = tvb:len()
    if n < 3 and not always then return 0 end
    if tvb(0, math.min(n, 3)):string() ~= sub("TCM", 1, n) then
      if not always then return 0 end
      local d = begin(t, tvb, pinfo, tree)
      d:fault("magic", 0)
      unreadable(d, 0, n)
      return n
    end
    pinfo.cols.protocol = t.column
    local d = begin(t, tvb, pinfo, tree)
    local signed = n > 4 and has_bit(tvb(4, 1):uint(), 0)
    local least = HEADER + SUM + (signed and TAG or 0)
    local version = n > 3 and tvb(3, 1):uint()
    if n < least or version ~= 1 then
      if n < least then d:fault("truncated", n, n, least) else d:fault("version", 3, version, 1) end
      unreadable(d, 0, n)
      pinfo.cols.info = "TCM datagram that cannot be read"
      return n
    end
    local v, raw, stop = {}, tvb:raw(), n - least + HEADER
    d.raw = raw
    numbers(d, parts.header, 0, v)
    if d.any then rows_of(d, parts.header, 0, nil) end
    header_rules(d, v)
    local sound, types, at = pieces(d, HEADER, stop, nil)
    if n > MOST_DATAGRAM then d:fault("size", MOST_DATAGRAM, n, MOST_DATAGRAM) end
    local got, want = tvb(n - SUM, SUM):le_uint(), crc(raw, n - SUM)
    if got ~= want then d:fault("crc", n - SUM, got, want, n - SUM - 1) end
    sound = sound and got == want and n <= MOST_DATAGRAM
    pieces(d, HEADER, at, sound and "sound" or "bytes")
    unreadable(d, at, stop)
    if signed then read.bytes(d, { at = stop, stop = stop + TAG, proto = t }, rest.tag) end
    rows_of(d, { rest.crc }, n - SUM, nil)
    pinfo.cols.info = format("team %d, %s", v.team, #types == 0 and "no messages" or concat(types, ", "))
    return n
  end

  finish(t, "udp", dissect, function(tvb)
    if tvb:len() < HEADER + SUM or tvb(0, 3):string() ~= "TCM" or tvb(3, 1):uint() ~= 1 then return false end
    local from, to = tvb(6, 1):uint(), tvb(8, 1):uint()
    return from >= 1 and from <= 2 and to >= 1 and to <= 2 and tvb(10, 1):uint() <= 3
  end)
  local fields, experts = {}, {}
  for _, f in pairs(booking.byname) do insert(fields, f) end
  for _, e in pairs(booking.experts) do insert(experts, e) end
  booking.proto.fields, booking.proto.experts = fields, experts
end
