/**
 * Loaded into a user's Node process before their code (NODE_OPTIONS of `--start`). Each better-sqlite3 or node:sqlite
 * statement asks the trial at SANDGLASS_STATEMENTS whether it may run, and waits for the reply. Imports nothing from
 * this package.
 */
import { connect } from "node:net";
import { parentPort, Worker, workerData } from "node:worker_threads";

/** The trial's replies, one byte each. */
const [PASS, REFUSE, CONFLICT] = [1, 2, 3];
/** The database's error for a refused statement: the disk is full, or another program is writing. */
const FAILURES = {
  [REFUSE]: { code: "SQLITE_FULL", errcode: 13, message: "database or disk is full" },
  [CONFLICT]: { code: "SQLITE_BUSY", errcode: 5, message: "database is locked" },
};

type Failure = (typeof FAILURES)[keyof typeof FAILURES];
type Method = (this: unknown, ...values: unknown[]) => unknown;
type Methods = Record<string, Method>;
interface Place {
  port: number;
  token: string;
  answer: Int32Array;
}

const { SANDGLASS_STATEMENTS: address } = process.env;
const place: Place | undefined = workerData?.sandglassStatements;
if (place) answerFor(place);
else if (address) watchDatabases(address);

/** A second thread asks the trial, because the statement's thread is blocked in the meantime. */
function answerFor({ port, token, answer }: Place): void {
  const give = (how: number): void => {
    Atomics.store(answer, 0, how);
    Atomics.notify(answer, 0);
  };
  const socket = connect(port, "127.0.0.1");
  let isClosed = false;
  socket.setNoDelay(true).write(`${token}\n`);
  socket.on("data", (bytes) => give(bytes[0]!)).on("error", () => undefined);
  socket.on("close", () => {
    isClosed = true;
    give(PASS);
  });
  parentPort!.on("message", (line: string) => (isClosed ? give(PASS) : socket.write(line)));
}

function watchDatabases(to: string): void {
  const [port, token] = to.split(" ") as [string, string];
  const answer = new Int32Array(new SharedArrayBuffer(4));
  let worker: Worker | undefined;
  const ask = (message: object): number => {
    if (!worker) {
      const sandglassStatements: Place = { port: Number(port), token, answer };
      worker = new Worker(new URL(import.meta.url), {
        ...{ workerData: { sandglassStatements }, env: {}, execArgv: [] },
      });
      worker.unref();
    }
    Atomics.store(answer, 0, 0);
    worker.postMessage(`${JSON.stringify(message)}\n`);
    Atomics.wait(answer, 0, 0);
    return Atomics.load(answer, 0);
  };

  /** Makes a class's methods ask for permission before they run, and report their results. */
  function watch(
    methods: Methods,
    names: readonly string[],
    textOf: (of: unknown, value: unknown) => string,
    errorOf: (of: unknown, failure: Failure) => Error,
  ): void {
    for (const name of names) {
      const method = methods[name]!;
      methods[name] = function (...values) {
        const sql = textOf(this, values[0]);
        if (/^\s*pragma\b/i.test(sql)) return method.apply(this, values);
        const failure = FAILURES[ask({ sql })];
        if (failure) throw errorOf(this, failure);
        let result: string | null = null;
        try {
          const value = method.apply(this, values);
          result = resultOf(sql, name, value);
          return value;
        } catch (error) {
          result = (error as { code?: string }).code ?? null;
          throw error;
        } finally {
          ask({ result, ...(/ 0$/.test(result ?? "") && { values: textsOf(sql, values) }) });
        }
      };
    }
  }

  const load = process.dlopen as Method;
  process.dlopen = function (this: unknown, ...values: unknown[]) {
    const result = load.apply(this, values);
    const { Statement, Database } = (values[0] as { exports: Record<string, { prototype: Methods }> })
      .exports;
    if (Statement?.prototype.run && Database?.prototype.prepare) {
      /** An instance of the error class that the user's library throws. */
      const errorOf = (database: unknown, { code, message }: Failure): Error => {
        try {
          return (database as Methods).prepare!("!", database, false, false) as never;
        } catch (error) {
          return new (error as { constructor: new (...given: string[]) => Error }).constructor(message, code);
        }
      };
      watch(
        Statement.prototype,
        ["run", "get", "all", "iterate"],
        (statement) => (statement as { source: string }).source,
        (statement, failure) => errorOf((statement as { database: unknown }).database, failure),
      );
      watch(Database.prototype, ["exec"], (_database, sql) => String(sql), errorOf);
    }
    return result;
  } as typeof process.dlopen;

  // Importing node:sqlite warns that it is experimental, even if the user does not use it.
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  const sqlite = process.getBuiltinModule?.("node:sqlite");
  process.emitWarning = emitWarning;
  if (!sqlite) return;
  const errorOf = (_of: unknown, { errcode, message }: Failure): Error =>
    Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", errcode, errstr: message });
  watch(
    sqlite.StatementSync.prototype as unknown as Methods,
    ["run", "get", "all", "iterate"],
    (statement) => (statement as { sourceSQL: string }).sourceSQL,
    errorOf,
  );
  watch(
    sqlite.DatabaseSync.prototype as unknown as Methods,
    ["exec"],
    (_database, sql) => String(sql),
    errorOf,
  );
}

/** A statement's bound values as strings, in the order of its placeholders. */
const textsOf = (sql: string, values: readonly unknown[]): (string[] | null)[] =>
  values
    .flatMap((value) => {
      if (Array.isArray(value)) return value;
      if (value?.constructor !== Object) return [value];
      const named = value as Record<string, unknown>;
      const names = sql.replaceAll(/'[^']*'/g, "").matchAll(/[:@$](\w+)/g);
      return [...names].map(([whole, name]) => named[name!] ?? named[whole]);
    })
    .map((value) => (value === null || value === undefined ? null : [String(value)]));

/** A statement's result in Postgres's format. */
function resultOf(sql: string, method: string, value: unknown): string {
  const [verb = ""] = /[a-z]+/i.exec(sql) ?? [];
  const count =
    method === "run"
      ? (value as { changes: number | bigint }).changes
      : Array.isArray(value)
        ? value.length
        : Number(value !== undefined);
  const name = verb.toUpperCase();
  if (method === "exec" || /^(?:begin|commit|rollback|end|savepoint|release)$/i.test(verb)) return name;
  return name === "INSERT" ? `INSERT 0 ${count}` : `${name} ${count}`;
}
