import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { makePrivateFolder } from "../../../runtime/private-files.ts";
import { userFolder } from "../../../runtime/user-folder.ts";
import type { AbandonedCopy, MadeCopy } from "../copies.ts";
import { drawName } from "../copy-names.ts";
import { sqliteValue } from "../database-variable.ts";
import { type Dialect, type Fingerprints, unlikeTables, using } from "../dialect.ts";
import { notCopied } from "../words.ts";
import { connectSqlite } from "./dialect.ts";
import { named, openFile } from "./file.ts";
import { takeLock } from "./lock.ts";
import { overlayFor, removeLayers } from "./overlay.ts";

/** The files in a copy's folder: the database from before the trial, the one that the server uses, and metadata. */
const [BEFORE, WORK, ORIGINAL, USED, LOCK] = ["before.db", "work.db", "original", "used", "lock.db"];
/** The files that a server writes next to its database. */
const LAYERS = "layers";
const NAME = /^sandglass_trial_/;

const foldersFolder = (): string => join(userFolder("state"), "trials");

const fileOf = (path: string): string => (existsSync(path) ? realpathSync(path) : resolve(path));

const fingerprintsOf = (file: string, shown: string): Promise<Fingerprints> =>
  using(connectSqlite(file, { shown, readonly: true }), (dialect) => dialect.fingerprints());

/** Copies a database for a server that a trial starts. If it does not exist yet, the server creates it at the copy's path. */
export async function copySqlite(path: string): Promise<MadeCopy> {
  const isThere = existsSync(path);
  const name = drawName();
  const folder = join(foldersFolder(), name);
  const [before, work] = [join(folder, BEFORE), join(folder, WORK)];
  let release: (() => void) | undefined;
  let within: readonly string[];
  const remove = () => removeFolder(folder);
  try {
    makePrivateFolder(foldersFolder(), NAME);
    mkdirSync(folder, { mode: 0o700 });
    release = takeLock(join(folder, LOCK));
  } catch (error) {
    remove();
    throw notCopied(path, folder, (error as Error).message);
  }
  try {
    if (isThere) {
      const db = openFile(path, { readonly: true });
      // A backup copies page by page, so it is identical. Other programs' transactions are copied completely or not at all.
      await db
        .backup(before)
        .catch((error) => {
          throw notCopied(path, folder, (error as Error).message);
        })
        .finally(() => db.close());
      copyFileSync(before, work);
      writeFileSync(join(folder, ORIGINAL), fileOf(path));
    }
    within = overlayFor(fileOf(path), work, join(folder, LAYERS));
  } catch (error) {
    release?.();
    remove();
    throw named(error, path);
  }
  return {
    ...{ source: `sqlite:${work}`, shown: path, original: `sqlite:${path}`, place: `the file ${before}` },
    within,
    valueFor: (variable) => sqliteValue(variable, work),
    connections: async () => [],
    began: async () => (isThere ? fingerprintsOf(before, path) : undefined),
    markUsed: async () => writeFileSync(join(folder, USED), ""),
    restore: () => restoreFrom(folder, path),
    async end(isKept) {
      release?.();
      if (!isKept) remove();
    },
  };
}

function removeFolder(folder: string): void {
  removeLayers(join(folder, LAYERS));
  rmSync(folder, { recursive: true, force: true });
}

/** Restores a database to its state before the trial. */
async function restoreFrom(folder: string, path: string): Promise<void> {
  const shelfAt = join(folder, "rows");
  await using(connectSqlite(join(folder, BEFORE), { shelfAt }), ({ shelf }) => shelf.make());
  await using(connectSqlite(path, { shelfAt }), async ({ shelf }) => {
    await shelf.take();
    await shelf.restore();
    await shelf.drop();
  });
}

/** A database's copies from killed trials. Unneeded copies of other databases are removed, too. */
export async function abandonedSqlite({ source, shown }: Dialect): Promise<readonly AbandonedCopy[]> {
  const path = source.slice("sqlite:".length);
  const all = existsSync(foldersFolder())
    ? readdirSync(foldersFolder()).filter((name) => NAME.test(name))
    : [];
  return all.sort().flatMap((name) => {
    const folder = join(foldersFolder(), name);
    if (!existsSync(join(folder, LOCK))) return [];
    const release = takeLock(join(folder, LOCK));
    if (!release) return [];
    release();
    if (!existsSync(join(folder, ORIGINAL)) || existsSync(join(folder, USED))) {
      removeFolder(folder);
      return [];
    }
    if (readFileSync(join(folder, ORIGINAL), "utf8") !== fileOf(path)) return [];
    return {
      place: `the file ${join(folder, BEFORE)}`,
      remove: async () => removeFolder(folder),
      async changed() {
        return unlikeTables(
          await fingerprintsOf(join(folder, BEFORE), shown),
          await fingerprintsOf(path, shown),
        );
      },
      restore: () => restoreFrom(folder, path),
    };
  });
}
