import { randomBytes, timingSafeEqual } from "node:crypto";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { wallNow } from "../../world/clock.ts";
import {
  createAnswerReader,
  createPartReader,
  type Part,
  queryMessage,
  readFirst,
  startupMessage,
} from "./frames.ts";
import { type Answering, isCommit, plainStatement } from "./point.ts";

/** A round trip to the database. */
export interface Unit {
  readonly line: Line;
  /** Its statement, without literals. */
  readonly text: string;
  /** Whether a transaction was open before it. */
  readonly inTransaction: boolean;
  /** When the database got it, real milliseconds; undefined before. */
  sentAt: number | undefined;
  /** What the database answered; null for nothing yet. */
  result: string | null;
  /** Whether the database is done with it. */
  isDone: boolean;
  /** Lets its answer wait until `releaseAnswer`. */
  holdAnswer(): void;
  releaseAnswer(): void;
}

/** A connection of the server to its database. */
export interface Line {
  of: Answering;
  /** The process of the database. */
  pid: number;
  /** Whether a transaction is open. */
  inTransaction: boolean;
  isClosed: boolean;
}

/** What becomes of a statement on its way. */
export type Passage = "pass" | "refuse" | "conflict" | "disconnect";

/** Decides about statements. */
export interface Gate {
  /** A statement is about to go out. @returns undefined lets it pass at once */
  arrive(unit: Unit): Promise<Passage> | undefined;
  /** The database is done with a statement, or its connection was closed. */
  leave(unit: Unit): void;
}

export interface ProxyTarget {
  /** Where the database listens: a port of a host, or a socket. */
  place: { host: string; port: number } | { path: string };
  database: string;
}

/** Stands between a server and its database, on loopback, for as long as this process lives. */
export interface StatementProxy {
  port: number;
  /** Connections have to name it: it carries the token of this run. */
  database: string;
  /** How many there have been. */
  readonly connections: number;
  /** The processes of the database that serve connections now. */
  pids(): number[];
  /** Nothing passes any more on the present connections, which are closed without another word. */
  freeze(): void;
  close(): Promise<void>;
}

const REFUSED = {
  refuse:
    "do $$ begin raise exception 'canceling statement due to statement timeout' using errcode = '57014'; end $$",
  conflict:
    "do $$ begin raise exception 'could not serialize access due to concurrent update' using errcode = '40001'; end $$",
};
const ROLLBACK = queryMessage("rollback");

export async function openProxy({ place, database }: ProxyTarget, gate: Gate): Promise<StatementProxy> {
  const token = `sandglass_${randomBytes(12).toString("hex")}`;
  const lines = new Set<OpenLine>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (client) => {
    client.on("error", () => undefined);
    let first = Buffer.alloc(0);
    client.on("data", function greet(chunk: Buffer) {
      first = Buffer.concat([first, chunk]);
      try {
        const found = readFirst(first);
        if (!found) return;
        const { message, length } = found;
        const bytes = first.subarray(0, length);
        first = first.subarray(length);
        // The address that the server has says that there is no encryption; clients that prefer it go on without.
        if (message.kind === "encryption") {
          client.write("N");
          if (first.length > 0) client.emit("data", Buffer.alloc(0));
          return;
        }
        client.off("data", greet);
        if (message.kind === "cancel") {
          const known = [...lines].some(({ pid }) => pid === message.pid);
          if (!known) return void client.destroy();
          return void connect(place)
            .on("error", () => undefined)
            .on("close", () => client.destroy())
            .end(bytes);
        }
        const { parameters, version } = message;
        if (!isEqual(parameters.get("database") ?? "", token)) return void client.destroy();
        connections += 1;
        parameters.set("database", database);
        const line = openLine(client, connect({ ...place, noDelay: true }), gate);
        lines.add(line);
        client.on("close", () => lines.delete(line));
        line.begin(startupMessage(version, parameters), first);
      } catch {
        client.destroy();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // It lives as long as the run, and holds no process.
  server.unref();
  const freeze = () => {
    for (const line of lines) line.end();
    lines.clear();
  };
  return {
    port: (server.address() as AddressInfo).port,
    database: token,
    get connections() {
      return connections;
    },
    pids: () => [...lines].map(({ pid }) => pid),
    freeze,
    async close() {
      freeze();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

interface OpenLine extends Line {
  begin(startup: Buffer, rest: Buffer): void;
  /** Closes both sides. */
  end(): void;
}

/** A connection: one unit of it is at the database at a time, and the next ones wait. */
function openLine(client: Socket, database: Socket, gate: Gate): OpenLine {
  const readParts = createPartReader();
  const readAnswer = createAnswerReader();
  const queue: Part[] = [];
  /** What the database has not answered yet: a unit, or something that executes nothing. */
  let current: { unit: Unit | undefined } | undefined;
  /** An answer that waits. */
  let held: Buffer[] | undefined;
  /** Answers of the database that the client never asked for. */
  let unasked = 0;
  let isReady = false;

  const line: OpenLine = {
    ...{ of: "postgres", pid: 0, inTransaction: false, isClosed: false },
    begin(startup, rest) {
      database.write(startup);
      if (rest.length > 0) database.write(rest);
      client.on("data", (chunk: Buffer) => (isReady ? receive(chunk) : forward(database, chunk, client)));
    },
    end() {
      line.isClosed = true;
      client.destroy();
      database.destroy();
      leave();
    },
  };

  function leave(): void {
    const unit = current?.unit;
    current = undefined;
    if (unit && !unit.isDone) {
      unit.isDone = true;
      gate.leave(unit);
    }
  }

  function receive(chunk: Buffer): void {
    for (const part of readParts(chunk)) {
      if (part.isMore) write(part);
      else queue.push(part);
    }
    pump();
  }

  function pump(): void {
    while (!current && queue.length > 0 && !line.isClosed) {
      const part = queue.shift()!;
      if (part.sql === undefined) {
        if (part.isAnswered) current = { unit: undefined };
        write(part);
        continue;
      }
      const unit = unitOf(part.sql);
      current = { unit };
      const passage = gate.arrive(unit);
      if (passage) void passage.then((how) => carry(part, unit, how));
      else carry(part, unit, "pass");
    }
  }

  function unitOf(sql: string): Unit {
    return {
      ...{ line, text: plainStatement(sql), inTransaction: line.inTransaction },
      ...{ sentAt: undefined, result: null, isDone: false },
      holdAnswer() {
        if (current?.unit === this) held ??= [];
      },
      releaseAnswer() {
        const waiting = held;
        held = undefined;
        for (const bytes of waiting ?? []) forward(client, bytes, database);
        if (this.isDone && current?.unit === this) {
          current = undefined;
          pump();
        }
      },
    };
  }

  function carry(part: Part, unit: Unit, how: Passage): void {
    if (line.isClosed) return;
    if (how === "disconnect") {
      client.resetAndDestroy();
      line.end();
      return;
    }
    unit.sentAt = wallNow();
    if (how === "pass") {
      write(part);
      return;
    }
    // A commit that fails has undone what it was to keep.
    if (isCommit(unit.text)) {
      unasked += 1;
      database.write(ROLLBACK);
    }
    database.write(queryMessage(REFUSED[how]));
  }

  function write({ frames }: Part): void {
    database.cork();
    for (const frame of frames) forward(database, frame, client);
    database.uncork();
  }

  database.on("data", (chunk: Buffer) => {
    for (const { bytes, ready, result, pid } of readAnswer(chunk)) {
      if (pid !== undefined) line.pid = pid;
      const unit = current?.unit;
      if (unit && result !== undefined && unasked === 0) unit.result = result;
      if (unasked === 0) {
        if (held) held.push(bytes);
        else forward(client, bytes, database);
      }
      if (ready === undefined) continue;
      isReady = true;
      line.inTransaction = ready !== "I";
      if (unasked > 0) unasked -= 1;
      else {
        if (unit) {
          unit.isDone = true;
          gate.leave(unit);
        }
        if (!held) current = undefined;
      }
      pump();
    }
  });
  for (const [socket, other] of [
    [client, database],
    [database, client],
  ] as const) {
    socket.on("error", () => undefined);
    socket.on("end", () => other.end());
    socket.on("close", () => {
      line.isClosed = true;
      leave();
      other.destroySoon();
    });
  }
  return line;
}

/** Writes what one side sends to the other, which may be slower. */
function forward(to: Socket, bytes: Buffer, from: Socket): void {
  if (to.write(bytes) || from.isPaused()) return;
  from.pause();
  to.once("drain", () => from.resume());
}
