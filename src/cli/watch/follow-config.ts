import { resolve } from "node:path";
import type { Settings } from "../../config/config.ts";
import { applyLive, fieldsOf } from "../../config/live.ts";
import { loadConfig } from "../../config/load-config.ts";
import { SandboxError } from "../../errors/errors.ts";
import type { SandglassConfig } from "../../library/config.ts";
import type { Served } from "../../server/serve.ts";
import { note, paintError } from "../output.ts";
import { followFiles } from "./file-watcher.ts";

interface Followed {
  /** The configuration's file, as it was read at the start. */
  file: string;
  /** What it had at the start. */
  config: SandglassConfig;
  served: Served;
  /** What the sandbox runs with. */
  settings: Settings;
  /** Makes settings of a configuration, as at the start: flags win. */
  settle: (config: SandglassConfig) => Settings;
}

/**
 * Reads the configuration again each time that its file changes, and takes over what a running sandbox can. A line says
 * what is in effect and what needs a restart; a mistake changes nothing.
 * @returns the end of it
 */
export function followConfig({ file, config: firstConfig, served, settings, settle }: Followed): () => void {
  const path = resolve(file);
  const running = { fields: fieldsOf(firstConfig), settings };

  async function readAgain(): Promise<void> {
    const { config } = await loadConfig({ cwd: process.cwd(), file: path, reread: true });
    const next = settle(config);
    const { applied, restart } = applyLive(running, { fields: fieldsOf(config), settings: next });
    if (applied.length > 0) {
      served.worlds.reconfigured();
      note(`${file} was read again. In effect now: ${applied.join(", ")}.`);
    }
    if (restart.length > 0) note(`${file}: restart the sandbox to apply ${restart.join(", ")}.`);
  }

  return followFiles([path], [], async (changed) => {
    if (!changed.includes(path)) return;
    try {
      await readAgain();
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      process.stderr.write(paintError(`${error.message}\nNothing was changed.`, error.hintFor("command")));
    }
  });
}
