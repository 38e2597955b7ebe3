-- Zalando's postgresql. Its status is one word and does not count ready replicas; those are in the StatefulSet of the
-- same name, which a script cannot see: Tiphys looks there itself before it opens a gate.
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

local function older(observed)
  local generation = field(obj.metadata, "generation")
  if type(generation) ~= "number" or type(observed) ~= "number" then return false end
  return observed < generation
end

if text(field(obj.metadata, "deletionTimestamp")) ~= "" then
  return verdict("Progressing", "being deleted")
end

if older(field(obj.status, "observedGeneration")) then
  return verdict("Progressing", "its operator has not seen the newest spec yet")
end

-- Operators before 1.0 wrote the bare word.
local state = text(obj.status)
if state == "" then state = text(field(obj.status, "PostgresClusterStatus")) end

local failed = { CreateFailed = true, UpdateFailed = true, SyncFailed = true, Invalid = true }

if state == "" then return verdict("Progressing", "no status yet") end
if state == "Running" then return verdict("Healthy", "Running") end
if state == "Creating" or state == "Updating" then return verdict("Progressing", state) end
if failed[state] then return verdict("Degraded", state .. ": see the operator's log and the object's events") end
return verdict("Unknown", "its operator says " .. state)
