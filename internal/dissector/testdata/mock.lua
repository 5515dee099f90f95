-- The part of Wireshark's Lua interface that the dissector uses, for a plain Lua 5.4. It reads lines "protocol group port
-- source hex", and prints what the dissector shows of each packet: "name pos size bytes label", then "end".

local protos, shown = {}, {}
function set_plugin_info() end
function get_version() return "4.4.0" end
local any = setmetatable({}, { __index = function(_, name) return name end })
ftypes, base = any, any
expert = { group = any, severity = any }
DESEGMENT_ONE_MORE_SEGMENT = -1
local function field(name) return function(abbr) return { abbr = abbr, kind = name } end end
ProtoField = setmetatable({ new = function(_, abbr, kind) return { abbr = abbr, kind = kind } end },
  { __index = function(_, name) return field(name) end })
ProtoExpert = { new = function(abbr) return { abbr = abbr } end }
Pref = { bool = function(_, v) return v end, range = function(_, v) return v end, enum = function(_, v) return v end }
TreeItem = {}
DissectorTable = { get = function() return { add = function() end, remove = function() end, add_for_decode_as = function() end } end }
Dissector = { get = function() return {} end }
Struct = { pack = string.pack, unpack = string.unpack }
function Proto(name)
  protos[name] = { abbr = name, prefs = {}, register_heuristic = function() end }
  return protos[name]
end

local Wide = {}
Wide.__index = Wide
Wide.__eq = function(a, b) return a.v == b.v end
Wide.__tostring = function(w)
  if w.v >= 0 then return tostring(w.v) end
  local high = (w.v >> 1) // 5
  return tostring(high) .. tostring(w.v - high * 10)
end
function Wide:tonumber() return self.v >= 0 and self.v + 0.0 or (self.v >> 1) * 2.0 + (self.v & 1) end
local function joined(low, high) return math.tointeger(low) | math.tointeger(high or 0) << 32 end
function UInt64(low, high) return setmetatable({ v = joined(low, high) }, Wide) end
function Int64(low, high) return setmetatable({ v = joined(low, high) }, { __tostring = function(w) return tostring(w.v) end }) end

local function new_range(data, at, len)
  assert(at >= 0 and len >= 0 and at + len <= #data, "a range outside the buffer")
  local r, s = { at = at, n = len }, data:sub(at + 1, at + len)
  function r:len() return len end
  function r:uint() return (string.unpack(">I" .. len, s)) end
  function r:le_uint() return (string.unpack("<I" .. len, s)) end
  function r:le_int() return (string.unpack("<i" .. len, s)) end
  function r:le_uint64() return UInt64((string.unpack("<i8", s))) end
  function r:le_float() return (string.unpack(len == 4 and "<f" or "<d", s)) end
  function r:string() return s end
  function r:raw() return s end
  function r:bytes()
    return { tohex = function() return (s:gsub(".", function(c) return ("%02X"):format(c:byte()) end)) end,
      get_index = function(_, i) return s:byte(i + 1) end }
  end
  r.hex = r:bytes().tohex()
  return r
end

local function new_tvb(data)
  return setmetatable({ len = function() return #data end, raw = function() return data end },
    { __call = function(_, at, len) return new_range(data, at, len or #data - at) end })
end

local function new_item()
  local item = { visible = true }
  function item:referenced() return true end
  function item:add_proto_expert_info(e) assert(e.abbr) end
  function item:add(f, r)
    local child = new_item()
    if f.kind then -- a field, not a protocol
      local row = { f.abbr, r.at, r.n, r.hex:lower() }
      shown[#shown + 1] = row
      function child:set_text(text) row[5] = text end
    end
    return child
  end
  item.add_le = item.add
  return item
end

dofile(arg[1])
for _, p in pairs(protos) do p.prefs.always = true end
for line in io.lines() do
  local name, group, port, source, hex = line:match("^(%S+) (%S+) (%d+) (%d+) (%x+)$")
  shown = {}
  local data = hex:gsub("%x%x", function(c) return string.char(tonumber(c, 16)) end)
  protos[name].dissector(new_tvb(data), { cols = {}, dst = group, dst_port = tonumber(port), src_port = tonumber(source) }, new_item())
  for _, row in ipairs(shown) do
    row[4] = row[4] == "" and "-" or row[4]
    io.write(table.concat(row, " "), "\n")
  end
  io.write("end\n")
end
