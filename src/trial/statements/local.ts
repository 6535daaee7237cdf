import { randomBytes } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { listenAt } from "../../runtime/listen.ts";
import { preloading } from "../../runtime/package.ts";
import { wallNow } from "../../world/clock.ts";
import {
  type CallFailure,
  createUnit,
  endUnit,
  type Gate,
  type Line,
  type Passage,
  type Unit,
} from "./gate.ts";
import type { Parameter } from "./parameters.ts";
import { isBegin, isCommit, isRollback, plainStatement } from "./point.ts";
import { STANDARD } from "./sql-form.ts";
import type { Statements } from "./statements.ts";
import { createWatcher } from "./watcher.ts";

const PRELOAD = { source: "src/trial/statements/sqlite-preload.ts", built: "dist/sqlite-preload.js" };

/** What can happen only to a connection to a database server, or to a call. */
type Remote = "disconnect" | "hold-commit" | CallFailure;
/** The replies that the preload understands, one byte each. */
const ANSWERS: Record<Exclude<Passage, Remote>, number> = { pass: 1, refuse: 2, conflict: 3 };

/**
 * Watches a server whose database cannot be proxied: its API calls and its SQLite statements.
 * @param hasSqlite whether its state is in SQLite
 * @param options NODE_OPTIONS that its process always gets
 */
export async function openLocalStatements(
  hasSqlite: boolean,
  options: string | undefined,
): Promise<Statements> {
  const watcher = createWatcher();
  const lines = hasSqlite ? await openLines(watcher, options) : undefined;
  watcher.use({ freeze: () => lines?.freeze(), pids: () => [], isOpening: () => false });
  return {
    ...{ ...watcher, gate: watcher, env: lines?.env ?? {} },
    get seesAll() {
      return lines?.hasOpened() ?? false;
    },
    close: async () => lines?.close(),
  };
}

/** Connects to the Node processes that use SQLite databases, with one line per thread. */
async function openLines(gate: Gate, options: string | undefined) {
  const token = randomBytes(12).toString("hex");
  const lines = new Set<Socket>();
  let hasOpened = false;
  const server = createServer({ noDelay: true }, (socket) => {
    let answer: ReturnType<typeof openLine> | undefined;
    lines.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      lines.delete(socket);
      answer?.close();
    });
    const texts = createInterface({ input: socket });
    // The reader also emits an error when the process is killed.
    texts.on("error", () => undefined);
    texts.on("line", (text) => {
      if (answer) return answer.take(JSON.parse(text));
      if (text !== token) return void socket.destroy();
      hasOpened = true;
      answer = openLine(gate, (byte) => socket.write(Uint8Array.of(byte)));
    });
  });
  // The server lives as long as the run, but does not keep the process alive.
  const port = await listenAt(server.unref(), { port: 0, host: "127.0.0.1" });
  return {
    env: {
      SANDGLASS_STATEMENTS: `${port} ${token}`,
      NODE_OPTIONS: preloading(PRELOAD, options),
    },
    hasOpened: () => hasOpened,
    /** Blocks the threads that are currently connected. */
    freeze() {
      for (const socket of lines) socket.pause();
    },
    async close() {
      for (const socket of lines) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A message from the preload: a statement's SQL, then its result, with the statement's values if it matched no row. */
interface Told {
  sql?: string;
  result?: string | null;
  values?: readonly Parameter[];
}

/** A thread that runs one statement at a time, and waits for a reply before and after each. */
function openLine(gate: Gate, send: (byte: number) => void) {
  const line: Line = { of: "sqlite", form: STANDARD, pid: 0, inTransaction: false, isClosed: false };
  let current: Unit | undefined;

  function begin(sql: string): void {
    const unit = createUnit(line, plainStatement(sql), () => unit.isDone && send(ANSWERS.pass), { sql });
    const carry = (how: Passage) => {
      if (line.isClosed || !(how in ANSWERS)) return;
      unit.sentAt = wallNow();
      send(ANSWERS[how as keyof typeof ANSWERS]);
      if (how === "pass") current = unit;
      else endUnit(gate, unit, how === "refuse" ? "SQLITE_FULL" : "SQLITE_BUSY");
    };
    const passage = gate.arrive(unit);
    if (passage) void passage.then(carry);
    else carry("pass");
  }

  function end(unit: Unit, result: string | null, values: readonly Parameter[]): void {
    current = undefined;
    unit.values = () => values;
    if (!/^(?:SQLITE|ERR)_/.test(result ?? "")) {
      if (isBegin(unit.text)) line.inTransaction = true;
      else if (isCommit(unit.text) || isRollback(unit.text)) line.inTransaction = false;
    }
    endUnit(gate, unit, result);
    if (!unit.isHeld) send(ANSWERS.pass);
  }

  return {
    take({ sql, result = null, values = [] }: Told): void {
      if (sql !== undefined) begin(sql);
      else end(current!, result, values);
    },
    close(): void {
      line.isClosed = true;
      if (current) endUnit(gate, current, null);
    },
  };
}
