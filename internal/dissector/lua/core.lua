-- The part that all protocols share: fields, values, faults, and registration.

if not (set_plugin_info and ProtoExpert and TreeItem and Pref) then
  error("touchline.lua needs Wireshark 4.0 or newer: Help, About Wireshark shows the version", 0)
end
local major = tonumber(string.match(get_version(), "^(%d+)"))
if major and major < 4 then
  error("touchline.lua needs Wireshark 4.0 or newer, and this is " .. get_version() .. ": install a newer one", 0)
end

local floor, format, rep, sub, byte = math.floor, string.format, string.rep, string.sub, string.byte
local insert, concat = table.insert, table.concat

-- xor of two numbers of 32 bits: the versions of Lua in Wireshark spell it differently.
local bxor
if bit32 then
  bxor = bit32.bxor
elseif _VERSION == "Lua 5.1" then
  bxor = function(a, b) return bit.bxor(a, b) % 4294967296 end
else
  bxor = load("return function(a, b) return (a // 1 | 0) ~ (b // 1 | 0) end")()
end

local function has_bit(v, n) return floor(v / 2 ^ n) % 2 == 1 end

-- Text ---------------------------------------------------------------------------------------------------------------

local MOST = 200 -- bytes of a label: Wireshark cuts labels at 240

-- utf8_at returns the code point at byte i of s and its length; nil and 1 for a byte that is not UTF-8.
local function utf8_at(s, i)
  local a = byte(s, i)
  if a < 0x80 then return a, 1 end
  local n, least, v
  if a >= 0xc2 and a < 0xe0 then n, least, v = 2, 0x80, a - 0xc0
  elseif a >= 0xe0 and a < 0xf0 then n, least, v = 3, 0x800, a - 0xe0
  elseif a >= 0xf0 and a < 0xf5 then n, least, v = 4, 0x10000, a - 0xf0
  else return nil, 1 end
  for k = 1, n - 1 do
    local c = byte(s, i + k)
    if not c or c < 0x80 or c > 0xbf then return nil, 1 end
    v = v * 64 + c - 0x80
  end
  if v < least or v > 0x10ffff or (v >= 0xd800 and v < 0xe000) then return nil, 1 end
  return v, n
end

local function is_control(v)
  if v < 0x20 then return true end
  if v < 0x7f then return false end
  for i = 1, #CONTROLS, 2 do
    if v >= CONTROLS[i] and v <= CONTROLS[i + 1] then return true end
  end
  return false
end

-- printable returns a text as one line that is safe to show: control characters become dots.
local function printable(s)
  if not string.find(s, "[^ -~]") then return s end
  local out, i = {}, 1
  while i <= #s do
    local v, n = utf8_at(s, i)
    if not v then insert(out, "\239\191\189")
    elseif is_control(v) then insert(out, ".")
    else insert(out, sub(s, i, i + n - 1)) end
    i = i + n
  end
  return concat(out)
end

-- plain reports whether a text is UTF-8 without control characters.
local function plain(s)
  local i = 1
  while i <= #s do
    local v, n = utf8_at(s, i)
    if not v or is_control(v) then return false end
    i = i + n
  end
  return true
end

local function is_utf8(s)
  local i = 1
  while i <= #s do
    local v, n = utf8_at(s, i)
    if not v then return false end
    i = i + n
  end
  return true
end

-- cut shortens a text at the end of a character.
local function cut(s)
  if #s <= MOST then return s end
  local n = MOST
  while n > 0 and byte(s, n + 1) >= 0x80 and byte(s, n + 1) < 0xc0 do n = n - 1 end
  return sub(s, 1, n) .. "..."
end

-- Numbers ------------------------------------------------------------------------------------------------------------

local function to_float32(v) return (Struct.unpack("<f", Struct.pack("<f", v))) end

-- shortest returns the shortest decimal that is exactly v, a float of 4 or 8 bytes.
local function shortest(v, size)
  if v ~= v then return "NaN" end
  if v == math.huge then return "+Inf" end
  if v == -math.huge then return "-Inf" end
  local text
  local most = size == 4 and 9 or 17
  local function same(text)
    local back = tonumber(text)
    if size == 4 then back = to_float32(back) end
    return back == v
  end
  for digits = 1, most do
    local form = "%." .. (digits - 1) .. "e"
    text = format(form, v)
    if same(text) then break end
    if digits >= most - 2 then -- the float below a power of two is nearer than the one above: there more decimals fit
      local sign, lead, rest, exponent = string.match(text, "^(-?)(%d)%.?(%d*)(e.*)$")
      local above = format("%.0f", tonumber(lead .. rest) + 1)
      if #above == digits and digits < 17 then
        above = sign .. sub(above, 1, 1) .. "." .. sub(above, 2) .. exponent
        if same(above) then
          text = above
          break
        end
      end
    end
  end
  local sign, lead, rest, exponent = string.match(text, "^(-?)(%d)%.?(%d*)e([-+]%d+)$")
  local digits, e = lead .. rest, tonumber(exponent)
  if e < -4 or e >= 6 then
    if #digits > 1 then digits = lead .. "." .. rest end
    return format("%s%se%s%02d", sign, digits, e < 0 and "-" or "+", math.abs(e))
  end
  if e < 0 then return sign .. "0." .. rep("0", -e - 1) .. digits end
  if #digits <= e + 1 then return sign .. digits .. rep("0", e + 1 - #digits) end
  return sign .. sub(digits, 1, e + 1) .. "." .. sub(digits, e + 2)
end

-- number returns the text of a number in a text of a rule.
local function show(v, verb)
  if type(v) ~= "number" then return tostring(v) end
  if verb == "v" and v ~= floor(v) then return shortest(v, 8) end
  return format("%.0f", v)
end

-- fill fills the values into a text, a format of Go's package fmt.
local function fill(text, ...)
  local values, at = { ... }, 0
  return (string.gsub(text, "%%(#?0?%d*)(%[?%d*%]?)([dvsx%%])", function(flags, index, verb)
    if verb == "%" then return "%" end
    at = tonumber(string.match(index, "%d+")) or at + 1
    local v = values[at]
    if verb ~= "x" then return show(v, verb) end
    local width = tonumber(string.match(flags, "%d+$"))
    local hex = format("%x", v)
    if string.find(flags, "#") then return "0x" .. rep("0", (width or 0) - #hex) .. hex end
    return rep("0", (width or 0) - #hex) .. hex
  end))
end

-- A packet that is being dissected -----------------------------------------------------------------------------------

local Packet = {}
Packet.__index = Packet

-- begin adds a protocol to the tree. at is the offset of the packet in the frame's buffer.
local function begin(p, tvb, pinfo, tree, at, len)
  local self = setmetatable({ p = p, tvb = tvb, at = at or 0, len = len or tvb:len() - (at or 0) }, Packet)
  self.root = tree:add(p.proto, tvb(self.at, self.len))
  self.tree = self.root
  self.visible = self.root.visible
  self.any = self.visible or not p.dissector or self.root:referenced(p.dissector)
  self.path, self.names = "", p
  return self
end

-- wanted reports whether somebody looks at a field: the tree is shown, or a filter or column needs it.
function Packet:wanted(f) return self.visible or self.any and self.root:referenced(f) end

-- field adds a field with a label. value replaces the one of its bytes.
function Packet:field(f, at, len, name, value, unit, order, number)
  if not self:wanted(f) then return nil end
  local range, item = self.tvb(self.at + at, len), nil
  if number ~= nil then item = self.tree:add(f, range, number)
  elseif order then item = self.tree:add(f, range)
  else item = self.tree:add_le(f, range) end
  if self.visible then
    local label = self.path .. name .. ": " .. value
    if unit and unit ~= "" then label = label .. " " .. unit end
    item:set_text(printable(cut(label)))
  end
  return item
end

-- fault adds the issue that the bytes at an offset break a rule.
function Packet:fault(key, at, ...)
  local rule = self.names.rules[key]
  if rule then self:say(rule, at, ...) end
end

-- say adds an issue with the text of a rule.
function Packet:say(rule, at, ...)
  local where = math.min(at, self.len)
  local text = printable(cut(fill(rule.text, ...)))
  local item = self.root:add(self.names.fault, self.tvb(self.at + where, math.min(1, self.len - where)), text)
  item:set_text("Fault: " .. text)
  item:add_proto_expert_info(rule.expert, text)
end

-- Rows ---------------------------------------------------------------------------------------------------------------

-- bits lists the bits of a number that are set.
local function bits(style, v)
  local set = {}
  for i = 0, 31 do
    if has_bit(v, i) then
      if style.bits[i + 1] then insert(set, style.bits[i + 1])
      elseif style.alone then insert(set, "bit " .. i) end
    end
  end
  if #set == 0 then return style.alone and "none" or "" end
  return concat(set, ", ")
end

-- value returns the text of an integer, and whether it has no unit. v is nil for numbers of 8 bytes.
local function value(r, v, range)
  local style = r.style
  if not style then return v and format("%.0f", v) or tostring(range:le_uint64()), false end
  if style.set then
    local set, bytes = {}, range:bytes()
    for i = 0, range:len() * 8 - 1 do
      if has_bit(bytes:get_index(floor(i / 8)), i % 8) then insert(set, i) end
    end
    return #set == 0 and "none" or concat(set, " "), false
  end
  if style.hex then return format("0x%0" .. 2 * r.size .. "x", v), false end
  if style.divide then return shortest(v / style.divide, 8), false end
  local name = style.names and style.names[v]
  if style.bits then name = bits(style, v)
  elseif not name and style.other then name = fill(style.other, v) end
  if not name or name == "" then return v and format("%.0f", v) or tostring(range:le_uint64()), false end
  if style.alone then return name, true end
  return format("%.0f (%s)", v, name), false
end

local function holds(range, v)
  if v >= range.least and v <= range.most then return true end
  for _, also in ipairs(range.also or {}) do
    if v == also then return true end
  end
  return false
end

local function integer(range, r)
  if r.size > 4 then return nil end
  if r.kind == "int" then return range:le_int() end
  return range:le_uint()
end

-- Reader reads the rows of a message. m has: at, stop (offsets), values (of the fields so far, by name), judged.
local read = {}

-- each row of a kind returns false where the message cannot be read any further.
local function run(d, m, rows, index)
  for _, r in ipairs(rows) do
    if not read[r.kind](d, m, r, index) then return false end
  end
  return true
end

local function label(r, index) return index and (string.gsub(r.name, "#", index, 1)) or r.name end

-- short says whether n bytes more are there.
local function short(d, m, n)
  if m.at + n <= m.stop then return false end
  m.error = m.proto.name .. ": wire: message is too short: " .. (m.stop - m.start) .. " bytes"
  m.truncated = true
  return true
end

function read.uint(d, m, r, index)
  if short(d, m, r.size) then return false end
  local range = d.tvb(d.at + m.at, r.size)
  local v = integer(range, r)
  m.values[r.name] = v or (range:le_uint64() ~= UInt64(0) and 1 or 0)
  if d:wanted(r.f) then
    local text, alone = value(r, v, range)
    d:field(r.f, m.at, r.size, label(r, index), text, not alone and r.unit)
  end
  m.at = m.at + r.size
  if r.range and m.judged and not holds(r.range, v) then
    d:say(r.range, m.at - r.size, v, r.range.least, r.range.most)
  end
  return true
end
read.int = read.uint

local function used(m, r)
  for _, c in ipairs(r.when or {}) do
    local v = m.values[c.name] or 0
    if c.bit < 0 and v == 0 or c.bit >= 0 and not has_bit(v, c.bit) then return false end
  end
  return true
end

function read.float(d, m, r, index)
  if short(d, m, r.size) then return false end
  local v = d.tvb(d.at + m.at, r.size):le_float()
  local use = used(m, r)
  m.recent[#m.recent + 1] = v
  if d:wanted(r.f) then
    local text, unit = "unused", ""
    if use then text, unit = shortest(v, r.size), r.unit end
    d:field(r.f, m.at, r.size, label(r, index), text, unit)
  end
  m.at = m.at + r.size
  m.use, m.wrong = use, m.wrong or 0
  if not m.judged then return true end
  if not use and v ~= 0 then
    d:fault("unused", m.at - r.size, shortest(v, 4))
    m.wrong = #m.recent
  elseif use and r.range and not (v >= r.range.least and v <= r.range.most) then
    d:fault("span", m.at - r.size, shortest(v, 4), shortest(r.range.least, 4), shortest(r.range.most, 4), r.unit or "")
    m.wrong = #m.recent
  end
  return true
end

-- unfit returns the index of an element, from 0, that makes an upper triangle no covariance: a covariance has no
-- negative eigenvalue, so the elimination of Gauss meets only positive pivots, or zero rows.
local function unfit(v, size)
  local function index(i, j) return i * size - floor(i * (i + 1) / 2) + j end
  local m = {}
  for i = 0, size - 1 do
    m[i] = {}
    for j = i, size - 1 do m[i][j] = v[index(i, j) + 1] end
    m[i][i] = m[i][i] * 1.001 -- for numbers that the sender rounded
    if m[i][i] < 0 then return index(i, i) end
  end
  for k = 0, size - 1 do
    local pivot = math.max(0, m[k][k])
    for i = k + 1, size - 1 do
      if pivot == 0 and m[k][i] ~= 0 or m[k][i] * m[k][i] > pivot * m[i][i] then return index(k, i) end
    end
    for i = k + 1, size - 1 do
      if pivot > 0 and m[k][i] ~= 0 then
        for j = i, size - 1 do m[i][j] = m[i][j] - m[k][i] / pivot * m[k][j] end
      end
    end
  end
end

function read.matrix(d, m, r)
  local n = #m.recent
  if not m.judged or not m.use or m.wrong > n - r.size then return true end
  local v = {}
  for i = 1, r.size do v[i] = m.recent[n - r.size + i] end
  local k = unfit(v, r.size == 3 and 2 or r.size == 6 and 3 or 4)
  if k then d:fault("covariance", m.at - 4 * (r.size - k), shortest(v[k + 1], 4)) end
  return true
end

function read.bytes(d, m, r, index)
  local size = r.size > 0 and r.size or m.stop - m.at
  if short(d, m, size) then return false end
  if size > 0 and d:wanted(r.f) then
    local text = r.style and r.style.fixed
    if not text then text = string.lower(d.tvb(d.at + m.at, size):bytes():tohex()) end
    d:field(r.f, m.at, size, label(r, index), text, r.unit, true)
  end
  m.at = m.at + size
  return true
end

-- counted reads a length, and returns nil where it is too large.
local function counted(d, m, r, index, f, name)
  if short(d, m, 1) then return nil end
  local n = d.tvb(d.at + m.at, 1):uint()
  d:field(f, m.at, 1, name, format("%d", n))
  m.at = m.at + 1
  if n > r.most then
    if m.judged then d:fault("most", m.at - 1, n, r.most) end
    m.error = fill("%s: %s: %d: want at most %d", m.proto.name, name, n, r.most)
    return nil
  end
  if r.range and m.judged and not holds(r.range, n) then d:say(r.range, m.at - 1, n, r.range.least, r.range.most) end
  return n
end

function read.text(d, m, r, index)
  local name = label(r, index)
  local n = counted(d, m, r, index, r.length, name .. ".length")
  if not n or short(d, m, n) then return false end
  if n > 0 then
    local text = d.tvb(d.at + m.at, n):raw()
    text = sub(text, 1, n)
    d:field(r.f, m.at, n, name, printable(text))
    if m.judged and not plain(text) then d:fault("text", m.at) end
  end
  m.at = m.at + n
  return true
end

function read.count(d, m, r, index)
  local name = label(r, index)
  m.counts[r.name] = counted(d, m, r, index, r.f, name)
  return m.counts[r.name] ~= nil
end

function read.each(d, m, r)
  for i = 0, (r.size or m.counts[r.name] or 0) - 1 do
    if not run(d, m, r.rows, i) then return false end
  end
  return true
end

function read.again(d, m, r, index)
  for _ = 1, m.counts[r.name] or 0 do
    if not run(d, m, r.rows, index) then return false end
  end
  return true
end

function read.more(d, m) m.ended = m.at >= m.stop return not m.ended end

-- special layouts, by name. They are called with the packet and the message.
local special = {}
function read.special(d, m, r) return special[r.name](d, m) end

-- message dissects the bytes from at to stop as rows of a description. what names the message in texts.
local function message(d, rows, proto, at, stop, judged, what)
  local m = { at = at, start = at, stop = stop, values = {}, recent = {}, counts = {}, wrong = 0, judged = judged, proto = proto }
  local whole = run(d, m, rows)
  local rest = stop - m.at
  if m.truncated and judged and what then
    d:fault("truncated", stop, what)
  elseif (whole or m.ended) and rest > 0 and judged and what then
    d:fault("trailing", m.at)
  end
  if rest > 0 then
    if m.error then d:field(d.names.unreadable, m.at, rest, "unreadable", m.error, nil, true)
    elseif what then d:field(d.names.trailing, m.at, rest, "trailing", "skipped", nil, true) end
  end
  return m
end

-- Registration -------------------------------------------------------------------------------------------------------

local function filter_name(prefix, name)
  return prefix .. "." .. string.gsub(string.gsub(string.lower(name), "%[[#0-9]+%]", ""), "[^a-z0-9_.]", "_")
end

local INTEGERS = { [1] = ftypes.UINT8, [2] = ftypes.UINT16, [3] = ftypes.UINT24, [4] = ftypes.UINT32, [8] = ftypes.UINT64 }

-- register_fields makes a field for each row, one for all rows of a name.
local function register_fields(p, prefix, rows)
  p.kinds = p.kinds or {}
  for _, r in ipairs(rows) do
    if r.rows and (r.kind == "each" or r.kind == "again") then
      register_fields(p, prefix, r.rows)
    elseif r.name ~= "" and r.kind ~= "special" and r.kind ~= "records" then
      local abbr = filter_name(prefix, r.name)
      local short = string.gsub(r.name, "%[[#0-9]+%]", "")
      if not p.byname[abbr] then
        local names = r.style and r.style.names
        if r.kind == "bytes" then p.byname[abbr] = ProtoField.bytes(abbr, short)
        elseif r.kind == "text" then p.byname[abbr] = ProtoField.string(abbr, short)
        elseif r.kind == "float" or r.kind == "fixed" then
          p.byname[abbr] = (r.size == 4 and ProtoField.float or ProtoField.double)(abbr, short)
        elseif r.kind == "int" then p.byname[abbr] = ProtoField.int16(abbr, short, base.DEC, names)
        elseif r.kind == "signed" or r.kind == "zigzag" then p.byname[abbr] = ProtoField.int64(abbr, short)
        elseif r.size == 8 then p.byname[abbr] = ProtoField.uint64(abbr, short)
        elseif r.kind == "varint" or r.kind == "varints" then p.byname[abbr] = ProtoField.uint32(abbr, short, base.DEC, names)
        elseif r.kind == "string" then p.byname[abbr] = ProtoField.string(abbr, short)
        elseif r.kind == "number" or r.kind == "vector" then p.byname[abbr] = ProtoField.double(abbr, short)
        elseif r.kind == "nested" or r.kind == "objects" or r.kind == "packed" then p.byname[abbr] = ProtoField.bytes(abbr, short)
        else
          p.byname[abbr] = ProtoField.new(short, abbr, INTEGERS[r.size or 1], names, base.DEC)
        end
      end
      r.f = p.byname[abbr]
      local raw = r.kind == "bytes" or r.kind == "nested" or r.kind == "objects" or r.kind == "packed"
      local kind = raw and "bytes" or r.kind .. (r.size or "")
      if (p.kinds[abbr] or kind) ~= kind then error("two kinds of fields have the name " .. abbr, 0) end
      p.kinds[abbr] = kind
      if r.kind == "text" then
        local length = abbr .. ".length"
        p.byname[length] = p.byname[length] or ProtoField.uint8(length, short .. ".length")
        r.length = p.byname[length]
      end
    end
    if r.kind == "nested" or r.kind == "objects" or r.kind == "records" then register_fields(p, filter_name(prefix, r.name), r.rows or {}) end
  end
end

-- register_ranges makes an expert item for the rules of single fields.
local function register_ranges(p, prefix, rows)
  for _, r in ipairs(rows) do
    if r.range and r.range.text and not r.range.expert then
      r.range.expert = p:expert_for(filter_name(prefix, r.name), r.range)
    end
    for _, rule in pairs({ lack = r.lack, over = r.over }) do
      rule.expert = p:expert_for(rule.key, rule)
    end
    if r.rows then register_ranges(p, r.kind == "nested" and filter_name(prefix, r.name) or prefix, r.rows) end
  end
end

local Protocol = {}
Protocol.__index = Protocol

-- expert_for returns the expert item of a rule, one for all rules of a key.
function Protocol:expert_for(key, rule)
  key = string.gsub(key, "^" .. self.prefix .. "%.", "")
  local abbr = self.prefix .. ".expert." .. string.gsub(key, "-", "_")
  if not self.experts[abbr] then
    local severity = rule.note and expert.severity.NOTE or expert.severity.WARN
    self.experts[abbr] = ProtoExpert.new(abbr, cut((string.gsub(rule.text, "%%%[?%d*%]?#?0?%d*[a-z]", "..."))),
      expert.group.PROTOCOL, severity)
  end
  return self.experts[abbr]
end

-- protocol makes a protocol from a description of DATA. prefix begins the names of its fields.
local function protocol(prefix, title, column, data)
  local p = setmetatable({ prefix = prefix, column = column, book = data, byname = {}, experts = {}, rules = data.rules },
    Protocol)
  p.name = prefix
  p.proto = Proto(prefix, title)
  p.proto.prefs.always = Pref.bool("Show all packets on these ports", false,
    "Also those that are broken or look like another protocol, with the faults that make them so")
  for _, field in ipairs({ "unreadable", "trailing", "unknown", "data" }) do
    p[field] = ProtoField.bytes(prefix .. "." .. field, field)
    p.byname[prefix .. "." .. field] = p[field]
  end
  p.fault = ProtoField.string(prefix .. ".expert", "Fault")
  p.byname[prefix .. ".expert"] = p.fault
  for _, m in ipairs(data.messages) do
    register_fields(p, m.prefix or prefix, m.rows)
    register_ranges(p, m.prefix or prefix, m.rows)
  end
  for key, rule in pairs(data.rules) do rule.expert = p:expert_for(key, rule) end
  return p
end

-- say_text adds an issue with a text of its own.
function Packet:say_text(rule, at, text)
  self:say({ text = string.gsub(text, "%%", "%%%%"), expert = rule.expert }, at)
end

-- finish registers a protocol: its fields, its ports with a preference, Decode As, and its heuristic. dissect(tvb,
-- pinfo, tree, always) returns the bytes it took, 0 if the packet is none of the protocol.
local function finish(p, transport, dissect, guess)
  local ports = {}
  for _, port in ipairs(p.book.ports) do insert(ports, port.port) end
  ports = concat(ports, ",")
  local fields, experts = {}, {}
  for _, f in pairs(p.byname) do insert(fields, f) end
  for _, e in pairs(p.experts) do insert(experts, e) end
  p.proto.fields, p.proto.experts = fields, experts
  p.proto.prefs.ports = Pref.range("Ports", ports, "Ports (" .. transport .. ") whose packets are tried first", 65535)
  local active
  local dissectors = DissectorTable.get(transport .. ".port")
  function p.proto.dissector(tvb, pinfo, tree)
    if tvb:len() == 0 then return 0 end
    return dissect(tvb, pinfo, tree, p.proto.prefs.always)
  end
  local function apply()
    local now = p.proto.prefs.ports
    if active == now then return end
    if active and active ~= "" then dissectors:remove(active, p.proto) end
    if now ~= "" then dissectors:add(now, p.proto) end
    active = now
  end
  function p.proto.prefs_changed() apply() end
  apply()
  p.dissector = Dissector.get(p.prefix)
  dissectors:add_for_decode_as(p.proto)
  p.proto:register_heuristic(transport, function(tvb, pinfo, tree)
    local always = p.proto.prefs.always -- of a port that another protocol has, too
    if tvb:len() == 0 or not guess(tvb, pinfo, always) then return false end
    if dissect(tvb, pinfo, tree, always) == 0 then return false end
    pinfo.conversation = p.proto
    return true
  end)
end

-- size_of returns the bytes of rows of fixed sizes; of the others it counts those that every message has.
local function size_of(rows)
  local n = 0
  for _, r in ipairs(rows) do
    if r.kind == "each" then n = n + (r.size or 0) * size_of(r.rows) else n = n + (r.size or 0) end
  end
  return n
end

-- by_rows makes a protocol of UDP messages with fixed bytes at their beginning, or behind rows of fixed sizes. A row with a
-- rule whose name is "version" must keep it.
local function by_rows(prefix, title, data)
  local p = protocol(prefix, title, string.upper(prefix), data)
  for _, m in ipairs(data.messages) do
    m.magic_at = 0
    for _, r in ipairs(m.rows) do
      m.magic = r.style and r.style.fixed
      if m.magic then break end
      m.magic_at = m.magic_at + r.size
    end
  end
  local function pick(tvb, short)
    local n = tvb:len()
    for _, m in ipairs(data.messages) do
      local begins = n >= m.magic_at + #m.magic and tvb(m.magic_at, #m.magic):string() == m.magic
      if begins and (short or n >= size_of(m.rows)) then return m end
    end
  end
  local function versions(tvb, m)
    local at = 0
    for _, r in ipairs(m.rows) do
      if r.name == "version" and r.range and not holds(r.range, integer(tvb(at, r.size), r)) then return false end
      if r.kind == "each" then return true end
      at = at + r.size
    end
    return true
  end
  finish(p, "udp", function(tvb, pinfo, tree, always)
    local m = pick(tvb, always)
    if not m then return 0 end
    local d = begin(p, tvb, pinfo, tree)
    pinfo.cols.protocol, pinfo.cols.info = p.column, m.name
    message(d, m.rows, p, 0, tvb:len(), true, m.name)
    return tvb:len()
  end, function(tvb)
    local m = pick(tvb)
    return m ~= nil and versions(tvb, m)
  end)
end

-- Protobuf: one message a datagram -----------------------------------------------------------------------------------

local EOF, NUMBER, OVERFLOW, RESERVED, END_GROUP, DEPTH = -1, -2, -3, -4, -5, -6
local VARINT, FIXED64, BYTES, GROUP, FIXED32 = 0, 1, 2, 3, 5
local MAX_OBJECTS = 64 -- elements of most lists that are kept
local MAX_DEPTH = 10000 -- of groups

local wire_types = {
  varint = VARINT, signed = VARINT, zigzag = VARINT, varints = VARINT, nested = BYTES, objects = BYTES, packed = BYTES,
  string = BYTES, bytes = BYTES,
}
local lists = { objects = true, varints = true }

local function index_rows(rows)
  rows.by_number = {}
  for _, r in ipairs(rows) do
    r.wire = r.kind == "fixed" and (r.size == 8 and FIXED64 or FIXED32) or wire_types[r.kind]
    rows.by_number[r.num] = r
    if r.rows then index_rows(r.rows) end
  end
end

-- varint returns the low 32 bits, the whole as a float, whether any bit is set, the length, and the high 32 bits; else
-- nil and an error.
local function varint(raw, at, stop)
  local low, high, whole, scale, any = 0, 0, 0, 1.0, false
  for i = 0, 9 do
    if at + i >= stop then return nil, EOF end
    local c = byte(raw, at + i + 1)
    local bits = c % 128
    if i == 9 and c > 1 then return nil, OVERFLOW end
    any = any or bits ~= 0
    if i < 5 then low = low + bits * scale end
    if i == 4 then high = floor(bits / 16) elseif i > 4 then high = high + bits * scale / 4294967296 end
    whole = whole + bits * scale
    scale = scale * 128
    if c < 128 then return low % 4294967296, whole, any, i + 1, high end
  end
end

-- tag returns the number and type of a field and the length of its key; else nil and an error.
local function tag(raw, at, stop)
  local low, whole, _, n = varint(raw, at, stop)
  if not low then return nil, whole end
  local num = floor(whole / 8)
  if num < 1 or num > 2147483647 then return nil, NUMBER end
  return num, floor(low % 8), n
end

-- skip returns the length of a value of a type, or an error. depth is that of the groups around it.
local function skip(raw, at, stop, num, typ, depth)
  if typ == VARINT then
    local low, problem, _, n = varint(raw, at, stop)
    return low and n or problem
  elseif typ == FIXED64 or typ == FIXED32 then
    local n = typ == FIXED64 and 8 or 4
    return at + n <= stop and n or EOF
  elseif typ == BYTES then
    local low, whole, _, n = varint(raw, at, stop)
    if not low then return whole end
    return at + n + whole <= stop and floor(n + whole) or EOF
  elseif typ == GROUP then
    if depth > MAX_DEPTH then return DEPTH end
    local start = at
    while true do
      local inner, kind, n = tag(raw, at, stop)
      if not inner then return kind end
      at = at + n
      if kind == 4 then return inner == num and at - start or END_GROUP end
      n = skip(raw, at, stop, inner, kind, depth + 1)
      if n < 0 then return n end
      at = at + n
    end
  end
  return typ == 4 and END_GROUP or RESERVED
end

-- next_field returns {num, typ, size, at and length (of the content), low, high, whole, any}, or nil and an error.
local function next_field(raw, at, stop)
  local num, typ, n = tag(raw, at, stop)
  if not num then return nil, typ end
  if num > 536870911 then return nil, NUMBER end
  local size = skip(raw, at + n, stop, num, typ, 0)
  if size < 0 then return nil, size end
  local f = { num = num, typ = typ, size = n + size, at = at + n }
  if typ == VARINT then
    f.low, f.whole, f.any, f.length, f.high = varint(raw, f.at, stop)
  elseif typ == BYTES then
    local _, whole, _, length = varint(raw, f.at, stop)
    f.at, f.length = f.at + length, floor(whole)
  end
  return f
end

-- search returns what match says of the first field of a message for which it says anything but nil; false without one.
local function search(raw, at, stop, match)
  while at < stop do
    local f = next_field(raw, at, stop)
    if not f then return false end
    local found = match(f)
    if found ~= nil then return found end
    at = at + f.size
  end
  return false
end

local function int32(v) return v >= 2147483648 and v - 4294967296 or v end

-- wide returns the number of 64 bits of a field.
local function wide(r, f)
  local low, high = f.low, f.high
  if r.kind == "varint" then return UInt64(low, high) end
  if r.kind == "zigzag" then
    local odd = low % 2 == 1
    low, high = floor(low / 2) + high % 2 * 2147483648, floor(high / 2)
    if odd then low, high = 4294967295 - low, 4294967295 - high end
  end
  return Int64(low, high)
end

-- number_of returns the text of a number.
local function number_of(r, f, v)
  if r.kind == "fixed" then return shortest(v, r.size) end
  if type(v) ~= "number" then return tostring(v) end
  if r.style and r.style.other then return f.any and "true" or "false" end
  if not r.style then return format("%.0f", v) end
  local name = r.style.names[int32(v)]
  return format("%.0f", int32(v)) .. (name and " (" .. name .. ")" or "")
end

-- number_field reads the number of a field with a name, and keeps it.
local function number_field(d, m, r, f, at, name, use)
  local v = f.low
  if r.kind == "fixed" then v = Struct.unpack(r.size == 8 and "<d" or "<f", sub(m.raw, f.at + 1, f.at + r.size))
  elseif r.size == 8 then v = wide(r, f) end
  if use then
    m.values[name] = r.style and r.style.other and (f.any and 1 or 0) or v
    if r.size == 8 and r.kind ~= "fixed" then m.whole[name] = f.whole end
    if not m.rows[name] then insert(m.order, name) end
    m.rows[name] = r
  end
  if d:wanted(r.f) then d:field(r.f, at, f.size, name, number_of(r, f, v), r.unit, true, v) end
end

-- packed_field reads the list of numbers in a field.
local function packed_field(d, m, r, f, at, name)
  local list, i, stop = {}, f.at, f.at + f.length
  while i < stop do
    local low, whole, _, n = varint(m.raw, i, stop)
    if not low then
      local text = m.words[tostring(whole)]
      m.broken = true
      d:field(r.f, at, f.size, name, text, r.unit, true)
      d:fault("syntax", f.at, text)
      return
    end
    m.numbers[name] = (m.numbers[name] or 0) + 1
    if #list < r.most then insert(list, format("%.0f", low)) end
    i = i + n
  end
  if (m.numbers[name] or 0) > r.most then m.dropped = m.dropped + 1 end
  d:field(r.f, at, f.size, name, "[" .. concat(list, " ") .. "]", r.unit, true)
end

-- parse reads the message from at to stop. m collects: at (offsets by name), values, count, dropped, and whether it is
-- broken.
local function parse(d, m, rows, at, stop, path, kept)
  local start, seen = at, {}
  while at < stop do
    local f, problem = next_field(m.raw, at, stop)
    if not f then
      local text = m.words[tostring(problem)]
      m.at[path .. "unreadable"], m.broken = at, true
      d:field(m.p.unreadable, at, stop - at, path .. "unreadable", text, nil, true)
      d:fault("syntax", at, text)
      return
    end
    local r = rows.by_number[f.num]
    if not r then
      local name = path .. format("%d", f.num)
      m.at[name], m.count[name] = at, (m.count[name] or 0) + 1
      m.strange = m.strange + 1
      d:field(m.p.unknown, at, f.size, name, "unknown: " .. m.words[tostring(f.typ)], nil, true)
      if m.count[name] == 1 then d:fault("unknown", at, f.num) end
    elseif r.wire ~= f.typ then
      m.at[path .. r.name], m.mistyped = at, true
      local is, want = m.words[tostring(f.typ)], m.words[tostring(r.wire)]
      d:field(m.p.unknown, at, f.size, path .. r.name, "skipped: " .. is, nil, true)
      d:fault("type", at, is, want)
    else
      seen[r.num], m.known = true, m.known + 1
      local name, use = path .. r.name, kept
      local i = m.count[name] or 0
      m.count[name] = i + 1
      if lists[r.kind] then
        use = kept and i < (r.most or 0)
        if r.most and i >= r.most then m.dropped = m.dropped + 1 end
        name = name .. "[" .. i .. "]"
      elseif i == 1 and r.kind ~= "packed" then
        d:fault(r.kind == "nested" and "merged" or "repeated", at)
      end
      m.at[name] = at
      if f.typ ~= BYTES then
        number_field(d, m, r, f, at, name, use)
      elseif r.kind == "string" then
        local text = printable(sub(m.raw, f.at + 1, f.at + f.length))
        d:field(r.f, at, f.size, name, text, nil, true, text)
      elseif r.kind == "packed" then
        packed_field(d, m, r, f, at, name)
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

-- issue adds an issue of a field. That of an absent one belongs to its message.
local function issue(d, m, key, name, ...)
  local at, path = m.at[name], name
  while not at and path ~= "" do
    path = string.match(path, "^(.*)%.[^.]*$") or ""
    at = m.at[path]
  end
  d:fault(key, at or 0, ...)
end

local function finite(v) return v - v == 0 end

-- value_rules checks each number that is kept against its own rule.
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

-- elements returns the number of elements of a list that are kept, and of the number of a field, 0 without it.
local function elements(m, name, most) return math.min(m.count[name] or 0, most or MAX_OBJECTS) end
local function of(m, name) return m.values[name] or 0 end

-- detection_rules adds the issues of robots in a detection of SSL-Vision.
local function detection_rules(d, m, path)
  for _, list in ipairs({ path .. ".robots_yellow", path .. ".robots_blue" }) do
    for i = 0, elements(m, list) - 1 do
      local robot = list .. "[" .. i .. "]"
      if not m.values[robot .. ".robot_id"] then issue(d, m, "pattern", robot .. ".robot_id") end
      local v = m.values[robot .. ".orientation"]
      if not v then issue(d, m, "heading-missing", robot .. ".orientation")
      elseif math.abs(v) > 2 * math.pi then issue(d, m, "degrees", robot .. ".orientation", shortest(v, 4)) end
    end
  end
end

-- vision_rules adds the issues of an SSL_WrapperPacket.
local function vision_rules(d, m)
  if not m.present.detection and not m.present.geometry then issue(d, m, "nothing", "") end
  if m.dropped > 0 then issue(d, m, "objects", "detection", MAX_OBJECTS) end
  detection_rules(d, m, "detection")
end

-- quiet is a packet that shows nothing.
local quiet = { field = function() end, fault = function() end, say = function() end, wanted = function() end }

-- by_kinds makes a protocol of UDP messages whose port tells their kind. own has: rules, by kind; essential, the fields
-- of which a message of a kind has at least one; several, the kinds for which two known fields suffice; kind(port's type,
-- raw, n), which tells messages that share a port apart; answers, the kinds of answers by the port's type.
local function by_kinds(prefix, title, column, data, own)
  local p = protocol(prefix, title, column, data)
  local messages, choices = {}, {}
  for i, m in ipairs(data.messages) do
    index_rows(m.rows)
    messages[m.type] = m
    choices[i] = { i, m.name, m.type }
  end
  p.proto.prefs.kind = Pref.enum("Message on other ports", 0,
    "The message in packets that Decode As names, on ports that have no message of their own", choices, false)

  local function kinds_of(pinfo, raw, n)
    local to = tostring(pinfo.dst)
    local multicast = string.match(to, "^22[4-9]%.") or string.match(to, "^23%d%.") or string.match(string.lower(to), "^ff%x%x:")
    for _, port in ipairs(data.ports) do
      if port.port == pinfo.dst_port then
        if port.group ~= "" and multicast and to ~= port.group then return {} end
        return { own.kind(port.type, raw, n) }
      end
    end
    for _, port in ipairs(data.ports) do
      if port.port == pinfo.src_port then return own.answers and own.answers[port.type] or {} end
    end
  end

  local function read_message(d, raw, n, kind)
    local m = { p = p, words = data.words, raw = raw, size = n, at = {}, values = {}, whole = {}, rows = {}, order = {},
      numbers = {}, count = {}, present = {}, known = 0, strange = 0, dropped = 0 }
    parse(d, m, messages[kind].rows, 0, n, "", true)
    return m
  end

  -- plausible says whether bytes are a message: all of them are fields, of the right types and with known values.
  local function plausible(raw, n, kind)
    local m = read_message(quiet, raw, n, kind)
    if m.broken or m.mistyped or m.known == 0 or m.strange > m.known then return false end
    local found = own.several[kind] and m.known > 1
    for _, name in ipairs(own.essential[kind] or {}) do found = found or m.at[name] ~= nil end
    if not found then return false end
    for name, r in pairs(m.rows) do
      if r.range and r.range.text and m.values[name] > math.max(r.range.most, 255) then return false end
      if r.style and not r.style.other and not r.style.names[m.values[name]] then return false end
    end
    return true
  end

  -- kind_of returns the kind of a packet that is plausible; without one, the first that its port allows if all packets
  -- are to be shown. listed says that only the ports of the protocol count.
  local function kind_of(pinfo, raw, n, always, listed)
    local kinds = kinds_of(pinfo, raw, n) or not listed and { p.proto.prefs.kind } or {}
    for _, kind in ipairs(kinds) do
      if plausible(raw, n, kind) then return kind end
    end
    return always and kinds[1] or nil
  end

  finish(p, "udp", function(tvb, pinfo, tree, always)
    local raw, n = tvb:raw(), tvb:len()
    local kind = kind_of(pinfo, raw, n, always)
    if not kind then return 0 end
    local d = begin(p, tvb, pinfo, tree)
    pinfo.cols.protocol, pinfo.cols.info = p.column, messages[kind].name
    local m = read_message(d, raw, n, kind)
    if not m.broken then
      value_rules(d, m)
      own.rules[kind](d, m)
    end
    return n
  end, function(tvb, pinfo, always) return kind_of(pinfo, tvb:raw(), tvb:len(), always, true) ~= nil end)
end
