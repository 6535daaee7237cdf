import { createHash } from "node:crypto";
import fs, { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import Database from "better-sqlite3";
import { folderOf } from "./cli.ts";

/** File operations around which a kill may happen. */
const FILE_OPERATIONS = ["renameSync", "rmSync", "copyFileSync", "writeFileSync", "mkdirSync"] as const;

/**
 * What a killed process leaves in a folder, at any possible moment: copies of the folder, made before each SQLite
 * statement and each file operation during `work`, and after it. Identical copies are included only once.
 */
export async function killPoints(folder: string, work: () => Promise<unknown>): Promise<string[]> {
  const root = folderOf();
  const images = new Map<string, string>();
  let copying = false;
  const copy = () => {
    if (copying) return;
    copying = true;
    const hash = contentHash(folder);
    if (!images.has(hash)) {
      const image = join(root, `image-${images.size}`);
      if (existsSync(folder)) cpSync(folder, image, { recursive: true });
      images.set(hash, image);
    }
    copying = false;
  };
  const restore = callBefore(copy);
  try {
    await work();
  } finally {
    restore();
  }
  copy();
  return [...images.values()];
}

/**
 * Calls `look` before each statement and each file operation.
 * @returns a function that reverts this
 */
function callBefore(look: () => void): () => void {
  const database = new Database(":memory:");
  const statement = Object.getPrototypeOf(database.prepare("select 1"));
  database.close();
  const undo: (() => void)[] = [];
  const wrap = (target: Record<string, unknown>, name: string) => {
    const original = target[name] as (...values: unknown[]) => unknown;
    target[name] = function (this: unknown, ...values: unknown[]) {
      look();
      return original.apply(this, values);
    };
    undo.push(() => {
      target[name] = original;
    });
  };
  wrap(statement, "run");
  for (const name of ["exec", "pragma", "close"]) wrap(Database.prototype as never, name);
  for (const name of FILE_OPERATIONS) wrap(fs as never, name);
  syncBuiltinESMExports();
  return () => {
    for (const back of undo) back();
    syncBuiltinESMExports();
  };
}

function contentHash(folder: string): string {
  const hash = createHash("sha256");
  const files = existsSync(folder) ? (readdirSync(folder, { recursive: true }) as string[]) : [];
  for (const file of files.sort()) {
    const path = join(folder, file);
    hash.update(`${file}\n`);
    if (fs.statSync(path).isFile()) hash.update(readFileSync(path));
  }
  return hash.digest("hex");
}
