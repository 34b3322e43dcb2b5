-- Requests for wrk, by the environment: WORKLOAD (floor, read, code, search or create), TOKEN, and IDS, a file with an id of a Patient on each line.
local workload = os.getenv("WORKLOAD")
local ids = {}
for line in io.lines(os.getenv("IDS")) do ids[#ids + 1] = line end

wrk.headers["Authorization"] = "Bearer " .. os.getenv("TOKEN")
wrk.headers["Accept"] = "application/fhir+json"

local observation = [[{"resourceType":"Observation","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"8867-4"}]},]]
    .. [["subject":{"reference":"Patient/%s"},"effectiveDateTime":"2026-01-02T03:04:05Z",]]
    .. [["valueQuantity":{"value":%d,"unit":"/min","system":"http://unitsofmeasure.org","code":"/min"}}]]

function request()
    local id = ids[math.random(#ids)]
    if workload == "floor" then return wrk.format("OPTIONS", "/fhir/Patient/" .. id) end
    if workload == "read" then return wrk.format("GET", "/fhir/Patient/" .. id) end
    if workload == "code" then
        return wrk.format("GET", "/fhir/Observation?code=http://example.org/codes%7Cc" .. id:sub(2) .. "&_count=10&_total=none")
    end
    if workload == "search" then
        return wrk.format("GET", "/fhir/Observation?code=http://loinc.org%7C8867-4&patient=" .. id .. "&_count=1&_total=none")
    end
    wrk.headers["Content-Type"] = "application/fhir+json"
    return wrk.format("POST", "/fhir/Observation", nil, observation:format(id, math.random(50, 150)))
end

local failures = 0
function response(status) if status >= 300 then failures = failures + 1 end end

function done(summary, latency)
    io.write(string.format("%s: %.0f a second, 50 %% in %.1f ms, 99 %% in %.1f ms, %d refused, %d broken\n", workload,
        summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
        summary.errors.status, summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
