import { hash } from "node:crypto";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { FROM_SOURCE } from "./package.ts";
import { userFolder } from "./user-folder.ts";

/** The environment variable with the path of the cache folder; "off" disables the cache. */
const VARIABLE = "SANDGLASS_CACHE";

const EXTENSION = ".bytes";
const MOST_FILES = 32;
const MOST_BYTES = 256 * 1024 * 1024;
const HASH_BYTES = 32;

/** A cache that stores bytes by key. It never throws. */
export interface BytesCache {
  read(key: string): Buffer | undefined;
  write(key: string, bytes: Buffer): void;
}

/**
 * Caches bytes by key in files shared by several processes. Each file starts with a hash of its bytes, so damaged or
 * foreign files are ignored. If the cache fails, its contents are simply recomputed.
 * @param folder if undefined, nothing is cached
 * @param mostBytes the maximum total size, unless the newest file alone is larger
 */
export function createBytesCache(
  folder: string | undefined = cacheFolder(),
  mostBytes = MOST_BYTES,
): BytesCache {
  const fileOf = (key: string) => join(folder!, sha256(key).toString("hex") + EXTENSION);
  let written = 0;

  return {
    read(key) {
      if (folder === undefined) return undefined;
      try {
        const content = readFileSync(fileOf(key));
        const bytes = content.subarray(HASH_BYTES);
        return sha256(bytes).equals(content.subarray(0, HASH_BYTES)) ? bytes : undefined;
      } catch {
        return undefined;
      }
    },

    write(key, bytes) {
      if (folder === undefined) return;
      written += 1;
      const file = fileOf(key);
      const part = `${file}.${process.pid}-${written}.part`;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        // Two processes may write the same key at once. Each writes its own file, and the last rename wins.
        writeFileSync(part, sha256(bytes), { mode: 0o600 });
        appendFileSync(part, bytes);
        renameSync(part, file);
        makeRoom(folder, mostBytes);
      } catch {
        removeIfThere(part);
      }
    },
  };
}

function removeIfThere(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // A file may exist at the folder's path.
  }
}

/** Removes the oldest files until the limits are met. The newest one always stays. */
function makeRoom(folder: string, mostBytes: number): void {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(EXTENSION) || name.endsWith(".part"))
    .map((name) => {
      const { mtimeMs, size } = statSync(join(folder, name));
      return { name, mtimeMs, size };
    })
    .sort((a, b) => b.mtimeMs - a.mtimeMs);
  let bytes = 0;
  for (const [index, { name, size }] of files.entries()) {
    bytes += size;
    if (index > 0 && (index >= MOST_FILES || bytes > mostBytes)) rmSync(join(folder, name), { force: true });
  }
}

/** The user's cache folder; undefined when running from source, because the source changes. */
function cacheFolder(): string | undefined {
  const named = process.env[VARIABLE];
  if (named !== undefined && named !== "") return named === "off" ? undefined : named;
  return FROM_SOURCE ? undefined : userFolder("cache");
}

const sha256 = (content: string | Buffer): Buffer => hash("sha256", content, "buffer");
