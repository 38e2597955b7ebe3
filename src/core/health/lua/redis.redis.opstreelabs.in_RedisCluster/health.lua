-- RedisCluster of OT-Container-Kit, of which Argo CD has no check: Ready with every leader. Its status knows no generation, so that the
-- count of leaders is what shows that a change of size has not been carried out yet.
local function field(value, key)
  if type(value) == "table" then return value[key] end
  return nil
end

local function text(value)
  if type(value) == "string" then return value end
  return ""
end

local function count(value)
  if type(value) == "number" then return value end
  return nil
end

local function verdict(status, message)
  return { status = status, message = message }
end

local function because(what, reason)
  if reason == "" then return what end
  return what .. ": " .. reason
end

if text(field(obj.metadata, "deletionTimestamp")) ~= "" then
  return verdict("Progressing", "being deleted")
end

local state = text(field(obj.status, "state"))
local reason = text(field(obj.status, "reason"))

if state == "" then return verdict("Progressing", "no status yet") end
if state == "Failed" then return verdict("Degraded", because(state, reason)) end
if state == "Initializing" or state == "Bootstrap" then return verdict("Progressing", because(state, reason)) end
if state ~= "Ready" then return verdict("Unknown", because("its operator says " .. state, reason)) end

local desired = count(field(field(obj.spec, "redisLeader"), "replicas")) or count(field(obj.spec, "clusterSize"))
local ready = count(field(obj.status, "readyLeaderReplicas"))
if desired == nil or ready == nil then return verdict("Healthy", "Ready") end

local message = "Ready, " .. ready .. " of " .. desired .. " leaders ready"
if ready >= desired then return verdict("Healthy", message) end
return verdict("Progressing", message)
