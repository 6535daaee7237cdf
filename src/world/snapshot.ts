import { type Hint, misuse, SandboxError } from "../errors/errors.ts";
import { CLOCK_MODES, MAX_RATE } from "./clock.ts";
import { SCHEMA_VERSION } from "./database.ts";
import { iso, LAST_INSTANT } from "./duration.ts";
import { type RowRules, wrongRows } from "./snapshot-rows.ts";
import { openStore, type Store } from "./store.ts";
import { WORLD_TABLES } from "./world.ts";

export interface SnapshotInfo {
  seed: string;
  /** The virtual instant at which the world continues, ISO 8601. */
  now: string;
}

/** The first bytes of every SQLite database. */
const MAGIC = "SQLite format 3\0";
const HEADER_BYTES = 100;
/**
 * Far more than any world uses. Ids distinguish fired timers from those set in the meantime, so they must be exact as
 * numbers.
 */
const LARGEST_TIMER_ID = 1e15;
const WAY_OUT: Hint = {
  command: "Use a file written by: npx sandglass snapshot save <name> --file <file>",
  library: "Use a snapshot saved by this version of Sandglass.",
  http: "Use a file that GET /_sandbox/snapshots/{name}/download returned.",
  page: "Choose a file saved with Download, under Snapshots.",
};

/** What this version of Sandglass expects in a world. */
export interface WorldForm {
  /** The areas' `create table` statements. */
  tables: readonly string[];
  timerKinds: readonly string[];
  rows: RowRules;
}

/**
 * Checks that foreign bytes are a complete snapshot of a world in this version: exactly its tables, a clock and timers that
 * can continue, and valid rows.
 * @param source the name of the file or snapshot, for messages
 * @throws SandboxError `bad_request` if they are not
 */
export function inspectSnapshot(bytes: Uint8Array, form: WorldForm, source: string): SnapshotInfo {
  const refuse = (why: string, hint = WAY_OUT) => misuse(`Cannot read the snapshot ${source}: ${why}.`, hint);
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (content.toString("latin1", 0, MAGIC.length) !== MAGIC)
    throw refuse(content.length === 0 ? "it is empty" : "it is another kind of file");
  const unreadable = headerProblem(content);
  if (unreadable !== undefined) throw refuse(unreadable);
  let store: Store | undefined;
  try {
    store = openStore({ begins: { bytes: content }, tables: [] });
    // The full check also covers indexes and not-null columns.
    const [damage] = Object.values(store.sql<object>("pragma integrity_check(1)").get()!) as string[];
    if (damage !== "ok") throw refuse(`it is damaged (${damage})`);
    if (schemaOf(store) !== expectedSchema(form.tables))
      throw refuse(`its tables do not match Sandglass's format ${SCHEMA_VERSION}`);
    const wrong = cannotGoOn(store, form.timerKinds) ?? wrongRows(store, form.rows);
    if (wrong !== undefined) throw refuse(wrong);
    const info = infoOf(store);
    if (!info) throw refuse("it contains no world");
    return info;
  } catch (error) {
    if (/malformed|not a database/.test((error as Error).message))
      throw refuse("the file is incomplete or damaged");
    if (error instanceof SandboxError) {
      if (error.code === "bad_request") throw error;
      // The only other error that a store can throw is for another schema version.
      throw refuse(
        lowerFirst(error.message.replace(/\.$/, "")),
        "Open it with the version of Sandglass that wrote it, or save a new one with this version.",
      );
    }
    throw refuse((error as Error).message);
  } finally {
    store?.close();
  }
}

/**
 * Finds problems that SQLite would notice only when reading the last page or on the first write. See
 * https://sqlite.org/fileformat.html, "The Database Header".
 */
function headerProblem(bytes: Buffer): string | undefined {
  if (bytes.length < HEADER_BYTES) return "the file is incomplete or damaged";
  // 1 means 65,536, which does not fit in two bytes.
  const pageSize = bytes.readUInt16BE(16) === 1 ? 65_536 : bytes.readUInt16BE(16);
  const size = pageSize * bytes.readUInt32BE(28);
  if (bytes.length !== size)
    return `the file is incomplete or damaged: it has ${bytes.length} bytes of ${size}`;
  const [writeVersion, readVersion] = [bytes[18]!, bytes[19]!];
  if ([writeVersion, readVersion].some((version) => version !== 1 && version !== 2))
    return `it was written by a later version of SQLite (form ${writeVersion}.${readVersion})`;
  return undefined;
}

function infoOf(store: Store): SnapshotInfo | undefined {
  const world = store.sql<{ seed: string }>("select seed from world").get();
  const clock = store.sql<{ anchor_virtual: number }>("select anchor_virtual from clock").get();
  return world && clock && { seed: world.seed, now: iso(clock.anchor_virtual) };
}

/** Validates the clock and timers of a foreign snapshot. They run without a request, so nothing later can reject them. */
function cannotGoOn(store: Store, timerKinds: readonly string[]): string | undefined {
  const clock = store
    .sql(
      `select 1 from clock where mode not in (${CLOCK_MODES.map(() => "?").join(", ")})
       or typeof(rate) <> 'real' or not (rate > 0 and rate <= ${MAX_RATE}) or typeof(anchor_wall) <> 'integer'
       or typeof(anchor_virtual) <> 'integer' or anchor_virtual not between 0 and ${LAST_INSTANT}`,
    )
    .get(...CLOCK_MODES);
  if (clock) return "its clock is invalid";
  const timer = store
    .sql<{ id: unknown }>(
      `select id from timers where kind not in (${timerKinds.map(() => "?").join(", ")})
       or typeof(due) <> 'integer' or due < 0 or typeof(key) <> 'text'
       or typeof(id) <> 'integer' or id not between 0 and ${LARGEST_TIMER_ID}
       or not json_valid(payload) or json_type(payload) <> 'object' limit 1`,
    )
    .get(...timerKinds);
  return timer && `its timer ${timer.id} has no handler`;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** The schema of a new world, without indexes, because a world gets them when it is opened. */
function expectedSchema(tables: readonly string[]): string {
  const store = openStore({ tables: [...WORLD_TABLES, ...tables] });
  try {
    return schemaOf(store);
  } finally {
    store.close();
  }
}

function schemaOf(store: Store): string {
  return store
    .sql<{ sql: string | null }>("select sql from sqlite_master where type <> 'index' order by type, name")
    .all()
    .map(({ sql }) => sql ?? "")
    .join("\n");
}
