import { join } from "node:path";

/** The purpose of a user folder: cached files or the current state. */
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

/** Sandglass's folder for this user on this machine. */
export function userFolder(purpose: Purpose): string {
  const { variable, linux, mac, windows } = FOLDERS[purpose];
  const { platform, env } = process;
  // A static import would load this module at every start.
  const { homedir } = process.getBuiltinModule("node:os");
  if (platform === "win32") return join(env.LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), windows);
  if (platform === "darwin") return join(homedir(), "Library", mac);
  return join(env[variable] || join(homedir(), linux), "sandglass");
}
