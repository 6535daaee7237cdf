import type { Socket } from "node:net";
import { wallNow } from "../../world/clock.ts";
import { createAnswerReader, createPartReader, type Part, queryMessage } from "./frames.ts";
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

const REFUSED = {
  refuse:
    "do $$ begin raise exception 'canceling statement due to statement timeout' using errcode = '57014'; end $$",
  conflict:
    "do $$ begin raise exception 'could not serialize access due to concurrent update' using errcode = '40001'; end $$",
};
const ROLLBACK = queryMessage("rollback");

export interface OpenLine extends Line {
  begin(startup: Buffer, rest: Buffer): void;
  /** Closes both sides. */
  end(): void;
}

/** A connection: one unit of it is at the database at a time, and the next ones wait. */
export function openLine(client: Socket, database: Socket, gate: Gate): OpenLine {
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
  let hasEnded = false;

  const line: OpenLine = {
    ...{ of: "postgres", pid: 0, inTransaction: false, isClosed: false },
    begin(startup, rest) {
      database.write(startup);
      if (rest.length > 0) database.write(rest);
      client.resume();
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
    // What it sent before it left is done.
    if (hasEnded && !current && queue.length === 0) database.end();
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

  function write({ bytes }: Part): void {
    database.cork();
    for (const one of bytes) forward(database, one, client);
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
  database.on("end", () => client.end());
  client.on("end", () => {
    hasEnded = true;
    pump();
  });
  for (const [socket, other] of [
    [client, database],
    [database, client],
  ] as const) {
    socket.on("error", () => undefined);
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
