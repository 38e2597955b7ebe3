/** The few functions of fengari that `run-lua.ts` calls; the package ships no types. */
declare module 'fengari' {
  export interface LuaState {
    readonly luaState: unique symbol;
  }
  type LuaFunction = (state: LuaState) => number;

  export const lua: {
    readonly LUA_OK: number;
    readonly LUA_MASKCOUNT: number;
    readonly LUA_TTABLE: number;
    lua_createtable(state: LuaState, array: number, hash: number): void;
    lua_getfield(state: LuaState, index: number, name: Uint8Array): number;
    lua_pcall(state: LuaState, args: number, results: number, handler: number): number;
    lua_pop(state: LuaState, count: number): void;
    lua_pushboolean(state: LuaState, value: boolean): void;
    lua_pushcfunction(state: LuaState, value: LuaFunction): void;
    lua_pushinteger(state: LuaState, value: number): void;
    lua_pushnil(state: LuaState): void;
    lua_pushnumber(state: LuaState, value: number): void;
    lua_pushstring(state: LuaState, value: Uint8Array): void;
    lua_rawlen(state: LuaState, index: number): number;
    lua_rawset(state: LuaState, index: number): void;
    lua_rawseti(state: LuaState, index: number, key: number): void;
    lua_setfield(state: LuaState, index: number, name: Uint8Array): void;
    lua_setglobal(state: LuaState, name: Uint8Array): void;
    lua_sethook(state: LuaState, hook: (state: LuaState) => void, mask: number, count: number): void;
    lua_tojsstring(state: LuaState, index: number): string | null;
    lua_type(state: LuaState, index: number): number;
  };
  export const lauxlib: {
    luaL_error(state: LuaState, message: Uint8Array): never;
    luaL_loadbuffer(state: LuaState, chunk: Uint8Array, size: number, name: Uint8Array): number;
    luaL_newstate(): LuaState;
    luaL_requiref(state: LuaState, name: Uint8Array, open: LuaFunction, asGlobal: number): void;
  };
  export const lualib: {
    luaopen_base: LuaFunction;
    luaopen_package: LuaFunction;
    luaopen_table: LuaFunction;
  };
  export function to_luastring(value: string): Uint8Array;
}
