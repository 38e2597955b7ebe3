-- Strimzi's Kafka: Ready for the generation that is there, which Argo CD's own check does not ask.
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

local function condition(kind)
  local conditions = field(obj.status, "conditions")
  if type(conditions) ~= "table" then return nil end
  for _, candidate in pairs(conditions) do
    if field(candidate, "type") == kind then return candidate end
  end
  return nil
end

local function isTrue(candidate)
  return field(candidate, "status") == "True"
end

if text(field(obj.metadata, "deletionTimestamp")) ~= "" then
  return verdict("Progressing", "being deleted")
end

if isTrue(condition("ReconciliationPaused")) then
  return verdict("Suspended", "reconciliation is paused by the annotation strimzi.io/pause-reconciliation")
end

if older(field(obj.status, "observedGeneration")) then
  return verdict("Progressing", "its operator has not seen the newest spec yet")
end

if isTrue(condition("Ready")) then return verdict("Healthy", "Ready") end

local notReady = condition("NotReady")
if not isTrue(notReady) then return verdict("Progressing", "no Ready condition yet") end

local reason = text(field(notReady, "reason"))
local message = because("NotReady " .. reason, text(field(notReady, "message")))
if reason == "Creating" then return verdict("Progressing", message) end
return verdict("Degraded", message)
