import { join } from "node:path";

/** What a folder of this user is for: what can be made again, and what runs at present. */
type Purpose = "cache" | "state";

const FOLDERS: Record<Purpose, { variable: string; linux: string; mac: string; windows: string }> = {
  cache: { variable: "XDG_CACHE_HOME", linux: ".cache", mac: "Caches/sandglass", windows: "sandglass/cache" },
  state: {
    variable: "XDG_STATE_HOME",
    linux: ".local/state",
    mac: "Application Support/sandglass/state",
    windows: "sandglass/state",
  },
};

/** Where this machine keeps Sandglass's own files of this user. */
export function userFolder(purpose: Purpose): string {
  const { variable, linux, mac, windows } = FOLDERS[purpose];
  const { platform, env } = process;
  // An import would be read at every start.
  const { homedir } = process.getBuiltinModule("node:os");
  if (platform === "win32") return join(env.LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), windows);
  if (platform === "darwin") return join(homedir(), "Library", mac);
  return join(env[variable] || join(homedir(), linux), "sandglass");
}
