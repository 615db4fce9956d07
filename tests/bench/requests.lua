-- Sends the requests of a file, one after the other, and counts what is answered.
-- A line is a request: method, path, body, then headers as name and value, parted by tabs.
local threads, requests, at = {}, {}, 0

function setup(thread)
  table.insert(threads, thread)
end

local function split(line)
  local parts = {}
  for part in (line .. "\t"):gmatch("([^\t]*)\t") do table.insert(parts, part) end
  return parts
end

function init(args)
  statuses = {}
  for line in io.lines(args[1]) do
    local parts, headers = split(line), {}
    for index = 4, #parts, 2 do headers[parts[index]] = parts[index + 1] end
    local body = parts[3] ~= "" and parts[3] or nil
    table.insert(requests, wrk.format(parts[1], parts[2], headers, body))
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function response(status)
  local name = tostring(status)
  statuses[name] = (statuses[name] or 0) + 1
end

function done(summary, latency)
  local counted, errors = {}, summary.errors
  for _, thread in ipairs(threads) do
    for name, count in pairs(thread:get("statuses")) do
      table.insert(counted, string.format('"%s":%d', name, count))
    end
  end
  io.write(string.format(
    'RESULT {"seconds":%f,"p50_ms":%f,"p99_ms":%f,"failures":%d,"statuses":{%s}}\n',
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.timeout, table.concat(counted, ",")
  ))
end
