import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileError } from "../../errors/file-error.ts";
import { refuseLinks } from "../../runtime/private-files.ts";
import { exchangeKey, readDefinitions } from "../providers/recordings.ts";
import type { Recordings } from "./record.ts";

export interface WrittenFile {
  path: string;
  exchanges: number;
}

/**
 * Writes recordings into a folder, one exchange per line. Existing exchanges stay unless a new one has an equal request.
 * @throws SandboxError `invalid_config` if an existing file is not a recording, `bad_request` if writing fails
 */
export function writeRecordings(folder: string, recordings: Recordings): WrittenFile[] {
  return [...recordings].map(([name, fresh]) => {
    const path = join(folder, name);
    const exchanges = new Map(
      [...(existsSync(path) ? readDefinitions(path) : []), ...fresh].map((one) => [exchangeKey(one), one]),
    );
    const lines = [...exchanges.values()].map((one) => JSON.stringify(one));
    try {
      refuseLinks(path);
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, `[\n${lines.join(",\n")}\n]\n`);
    } catch (error) {
      throw fileError("write", path, error, "Choose another folder with --out.");
    }
    return { path, exchanges: exchanges.size };
  });
}
