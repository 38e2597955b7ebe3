-- TemporalCluster of the community operator (github.com/alexandrevilain/temporal-operator).
-- Each condition carries the generation it speaks of; the status as a whole does not.
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

local ready = condition("Ready")
local isCurrent = ready ~= nil and not older(field(ready, "observedGeneration"))

-- ReconcileError is not looked at here: the operator never takes it back after an error that has passed.
if isCurrent and isTrue(ready) then return verdict("Healthy", "Ready") end

local message = "no status yet"
if isCurrent then
  local detail = text(field(ready, "message"))
  if detail == "" then detail = text(field(ready, "reason")) end
  message = because("not Ready", detail)
elseif ready ~= nil then
  message = "its operator has not seen the newest spec yet"
end

local failure = condition("ReconcileError")
if not isTrue(failure) or older(field(failure, "observedGeneration")) then return verdict("Progressing", message) end

-- A refused spec cannot mend itself. Other errors are retried, and on a first start (no database yet) they are usual.
local reason = text(field(failure, "reason"))
local failureMessage = because(reason, text(field(failure, "message")))
if reason == "TemporalClusterValidationFailed" or reason == "SpecValidationFailed" then
  return verdict("Degraded", failureMessage)
end
return verdict("Progressing", message .. "; last error: " .. failureMessage)
