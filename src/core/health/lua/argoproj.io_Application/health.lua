-- A nested Application: restores what Argo CD stopped passing on to the parent in 1.8.
-- Healthy alone can be the verdict on an older state, so it has to be Synced with nothing running as well.
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

if text(field(obj.metadata, "deletionTimestamp")) ~= "" then
  return verdict("Progressing", "being deleted")
end

local operation = field(obj.status, "operationState")
local phase = text(field(operation, "phase"))
local operationMessage = text(field(operation, "message"))

if phase == "Running" or phase == "Terminating" then
  return verdict("Progressing", because("a sync is running", operationMessage))
end
if type(obj.operation) == "table" then return verdict("Progressing", "a sync is requested") end

-- With one of these Argo CD could not compare, and what it shows is old.
local blinding = { ComparisonError = true, InvalidSpecError = true, UnknownError = true }
local conditions = field(obj.status, "conditions")
if type(conditions) == "table" then
  for _, condition in pairs(conditions) do
    local kind = text(field(condition, "type"))
    if blinding[kind] then return verdict("Unknown", because(kind, text(field(condition, "message")))) end
  end
end

local sync = text(field(field(obj.status, "sync"), "status"))
if (phase == "Failed" or phase == "Error") and sync ~= "Synced" then
  return verdict("Degraded", because("the last sync ended " .. phase, operationMessage))
end

local health = text(field(field(obj.status, "health"), "status"))
if health == "" then return verdict("Progressing", "Argo CD has not looked at it yet") end

local shown = sync
if shown == "" then shown = "never compared" end
local message = because(health .. ", " .. shown, text(field(field(obj.status, "health"), "message")))
if health == "Healthy" and sync ~= "Synced" then return verdict("Progressing", message) end

local known = { Healthy = true, Progressing = true, Degraded = true, Suspended = true, Missing = true }
if known[health] then return verdict(health, message) end
return verdict("Unknown", message)
