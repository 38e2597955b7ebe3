-- Rook's CephCluster: phase Ready (an external one: Connected) and HEALTH_OK.
-- HEALTH_WARN is Progressing, not Degraded as in Argo CD's own check: a warning waits, and fails only when time runs out.
local function field(value, key)
  if type(value) == "table" then return value[key] end
  return nil
end

local function text(value)
  if type(value) == "string" then return value end
  return ""
end

local function verdict(status, message)
  return { status = status, message = message }
end

local function because(what, reason)
  if reason == "" then return what end
  return what .. ": " .. reason
end

local function older(observed)
  local generation = field(obj.metadata, "generation")
  if type(generation) ~= "number" or type(observed) ~= "number" then return false end
  return observed < generation
end

local function warnings(details)
  if type(details) ~= "table" then return "" end
  local lines = {}
  for code, detail in pairs(details) do
    table.insert(lines, tostring(code) .. " " .. text(field(detail, "message")))
  end
  table.sort(lines)
  return table.concat(lines, "; ")
end

if text(field(obj.metadata, "deletionTimestamp")) ~= "" then
  return verdict("Progressing", "being deleted")
end

if older(field(obj.status, "observedGeneration")) then
  return verdict("Progressing", "its operator has not seen the newest spec yet")
end

local phase = text(field(obj.status, "phase"))
local message = text(field(obj.status, "message"))
local ceph = field(obj.status, "ceph")
local health = text(field(ceph, "health"))

if health == "HEALTH_ERR" then
  return verdict("Degraded", because("HEALTH_ERR", warnings(field(ceph, "details"))))
end
if phase == "Failure" then return verdict("Degraded", because("phase Failure", message)) end
if phase == "" then return verdict("Progressing", because("no status yet", message)) end

local wanted = "Ready"
if field(field(obj.spec, "external"), "enable") == true then wanted = "Connected" end
if phase ~= wanted then return verdict("Progressing", because("phase " .. phase, message)) end

if health == "HEALTH_OK" then return verdict("Healthy", phase .. ", HEALTH_OK") end
if health == "HEALTH_WARN" then
  return verdict("Progressing", because(phase .. ", HEALTH_WARN", warnings(field(ceph, "details"))))
end
if health == "" then return verdict("Progressing", phase .. ", but Ceph has not reported its health yet") end
return verdict("Unknown", phase .. ", and Ceph says " .. health)
