import { randomBytes } from "node:crypto";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { FROM_SOURCE, inPackage } from "../../runtime/package.ts";
import { wallNow } from "../../world/clock.ts";
import type { Gate, Line, Passage, Unit } from "./line.ts";
import { isBegin, isCommit, isRollback, plainStatement } from "./point.ts";

const PRELOAD = inPackage(FROM_SOURCE ? "src/trial/statements/sqlite-preload.ts" : "dist/sqlite-preload.js");

/** The answers that the preload knows, a byte each: a process has no connection to lose. */
const ANSWERS: Record<Exclude<Passage, "disconnect">, number> = { pass: 1, refuse: 2, conflict: 3 };

/** What stands before the SQLite databases of a server's Node processes: each of their threads has a line. */
export interface SqliteLines {
  /** Loads what reports statements into a Node process. */
  env: Record<string, string>;
  /** How many there have been. */
  readonly connections: number;
  /** Nothing passes any more on the present lines. */
  freeze(): void;
  close(): Promise<void>;
}

/** @param options of Node that the server gets in any case */
export async function openSqliteLines(gate: Gate, options: string | undefined): Promise<SqliteLines> {
  const token = randomBytes(12).toString("hex");
  const lines = new Set<Socket>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    let answer: ReturnType<typeof openLine> | undefined;
    lines.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      lines.delete(socket);
      answer?.close();
    });
    createInterface({ input: socket }).on("line", (text) => {
      if (answer) return answer.take(JSON.parse(text));
      if (text !== token) return void socket.destroy();
      connections += 1;
      answer = openLine(gate, (byte) => socket.write(Uint8Array.of(byte)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // It lives as long as the run, and holds no process.
  server.unref();
  const freeze = () => {
    for (const socket of lines) socket.pause();
  };
  return {
    env: {
      SANDGLASS_STATEMENTS: `${(server.address() as AddressInfo).port} ${token}`,
      NODE_OPTIONS: [options, `--import ${pathToFileURL(PRELOAD).href}`].filter(Boolean).join(" "),
    },
    get connections() {
      return connections;
    },
    freeze,
    async close() {
      for (const socket of lines) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A thread that runs one statement at a time, and waits for an answer before and after each. */
function openLine(gate: Gate, send: (byte: number) => void) {
  const line: Line = { of: "sqlite", pid: 0, inTransaction: false, isClosed: false };
  let current: Unit | undefined;
  let isHeld = false;
  let isWaiting = false;

  function unitOf(sql: string): Unit {
    return {
      ...{ line, text: plainStatement(sql), inTransaction: line.inTransaction },
      ...{ sentAt: undefined, result: null, isDone: false },
      holdAnswer() {
        isHeld = true;
      },
      releaseAnswer() {
        isHeld = false;
        if (isWaiting) send(ANSWERS.pass);
        isWaiting = false;
      },
    };
  }

  function leave(unit: Unit, result: string | null): void {
    current = undefined;
    unit.result = result;
    unit.isDone = true;
    gate.leave(unit);
  }

  return {
    take({ sql, result = null }: { sql?: string; result?: string | null }): void {
      if (sql !== undefined) {
        const unit = unitOf(sql);
        const carry = (how: Passage) => {
          if (line.isClosed || how === "disconnect") return;
          unit.sentAt = wallNow();
          send(ANSWERS[how]);
          if (how === "pass") current = unit;
          else leave(unit, how === "refuse" ? "SQLITE_FULL" : "SQLITE_BUSY");
        };
        const passage = gate.arrive(unit);
        if (passage) void passage.then(carry);
        else carry("pass");
        return;
      }
      const unit = current!;
      const { text } = unit;
      if (!/^(?:SQLITE|ERR)_/.test(result ?? "")) {
        if (isBegin(text)) line.inTransaction = true;
        else if (isCommit(text) || isRollback(text)) line.inTransaction = false;
      }
      leave(unit, result);
      isWaiting = true;
      if (!isHeld) unit.releaseAnswer();
    },
    close(): void {
      line.isClosed = true;
      if (current) leave(current, null);
    },
  };
}
