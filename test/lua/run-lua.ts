import { type LuaState, lauxlib, lua, lualib, to_luastring } from 'fengari';

export interface LuaHealth {
  readonly status: string | undefined;
  readonly message: string | undefined;
}

/**
 * Runs a health script on an object as Argo CD does with one from its config map: global `obj`, and of the standard
 * libraries only base, package and table (no string library); what the script returns is the verdict.
 */
export function runHealthScript(script: string, object: unknown): LuaHealth {
  const state = lauxlib.luaL_newstate();
  openLibraries(state);
  limitInstructions(state);
  push(state, object);
  lua.lua_setglobal(state, to_luastring('obj'));
  const chunk = to_luastring(script);
  check(state, lauxlib.luaL_loadbuffer(state, chunk, chunk.length, to_luastring('health.lua')));
  check(state, lua.lua_pcall(state, 0, 1, 0));
  if (lua.lua_type(state, -1) !== lua.LUA_TTABLE) throw new Error('the script returned no table');
  return { status: field(state, 'status'), message: field(state, 'message') };
}

function openLibraries(state: LuaState): void {
  const libraries = { _G: lualib.luaopen_base, package: lualib.luaopen_package, table: lualib.luaopen_table };
  for (const [name, open] of Object.entries(libraries)) {
    lauxlib.luaL_requiref(state, to_luastring(name), open, 1);
    if (name === 'table') addGetn(state);
    lua.lua_pop(state, 1);
  }
}

/** Argo CD's Lua is 5.1 and has `table.getn`; this one is 5.3. The table library is on top of the stack. */
function addGetn(state: LuaState): void {
  lua.lua_pushcfunction(state, (inner) => {
    lua.lua_pushinteger(inner, lua.lua_rawlen(inner, 1));
    return 1;
  });
  lua.lua_setfield(state, -2, to_luastring('getn'));
}

/** Argo CD gives a script one second; a count of instructions says the same on every machine. */
function limitInstructions(state: LuaState): void {
  const stop = (inner: LuaState): void => {
    lauxlib.luaL_error(inner, to_luastring(`more than ${instructionLimit} instructions`));
  };
  lua.lua_sethook(state, stop, lua.LUA_MASKCOUNT, instructionLimit);
}

const instructionLimit = 100_000;

function check(state: LuaState, result: number): void {
  if (result === lua.LUA_OK) return;
  throw new Error(lua.lua_tojsstring(state, -1) ?? 'Lua failed without a message');
}

function push(state: LuaState, value: unknown): void {
  if (typeof value === 'string') lua.lua_pushstring(state, to_luastring(value));
  else if (typeof value === 'number') pushNumber(state, value);
  else if (typeof value === 'boolean') lua.lua_pushboolean(state, value);
  else if (Array.isArray(value)) pushArray(state, value);
  else if (typeof value === 'object' && value !== null) pushFields(state, value);
  else lua.lua_pushnil(state);
}

function pushNumber(state: LuaState, value: number): void {
  if (Number.isSafeInteger(value) && Math.abs(value) < 2 ** 31) lua.lua_pushinteger(state, value);
  else lua.lua_pushnumber(state, value);
}

function pushArray(state: LuaState, values: readonly unknown[]): void {
  lua.lua_createtable(state, values.length, 0);
  for (const [index, value] of values.entries()) {
    push(state, value);
    lua.lua_rawseti(state, -2, index + 1);
  }
}

function pushFields(state: LuaState, fields: object): void {
  lua.lua_createtable(state, 0, 0);
  for (const [key, value] of Object.entries(fields)) {
    lua.lua_pushstring(state, to_luastring(key));
    push(state, value);
    lua.lua_rawset(state, -3);
  }
}

function field(state: LuaState, name: string): string | undefined {
  lua.lua_getfield(state, -1, to_luastring(name));
  const value = lua.lua_tojsstring(state, -1) ?? undefined;
  lua.lua_pop(state, 1);
  return value;
}
