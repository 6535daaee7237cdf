import type { Socket } from "node:net";
import { wallNow } from "../../world/clock.ts";
import { createAnswerReader, createPartReader, type Part, queryMessage, type Stretch } from "./frames.ts";
import { createUnit, endUnit, type Gate, type Line, type Passage, type Unit } from "./gate.ts";
import { isCommit, plainStatement } from "./point.ts";

const REFUSED = {
  refuse:
    "do $$ begin raise exception 'canceling statement due to statement timeout' using errcode = '57014'; end $$",
  conflict:
    "do $$ begin raise exception 'could not serialize access due to concurrent update' using errcode = '40001'; end $$",
};
const ROLLBACK = queryMessage("rollback");
/** So many statements are remembered with their text: to make it takes longer than the rest of what the proxy does. */
const MOST_TEXTS = 500;

/** A connection to Postgres: one unit of it is at the database at a time, and the next ones wait. */
export class PostgresLine implements Line {
  readonly of = "postgres";
  pid = 0;
  inTransaction = false;
  isClosed = false;
  owner: Line["owner"];
  readonly #client: Socket;
  readonly #database: Socket;
  readonly #gate: Gate;
  readonly #readParts = createPartReader();
  readonly #readAnswer = createAnswerReader();
  readonly #texts = new Map<string, string>();
  readonly #queue: Part[] = [];
  /** What the database has not answered yet: a unit, or something that executes nothing. */
  #current: { unit: Unit | undefined } | undefined;
  /** An answer that waits. */
  readonly #held: Buffer[] = [];
  /** Answers of the database that the client never asked for. */
  #unasked = 0;
  /** Whether the client has logged in. */
  #isReady = false;
  #hasEnded = false;

  /** @param startup the first bytes for the database */
  constructor(client: Socket, database: Socket, gate: Gate, startup: readonly Buffer[]) {
    this.#client = client;
    this.#database = database;
    this.#gate = gate;
    for (const bytes of startup) database.write(bytes);
    client.on("data", (chunk: Buffer) =>
      this.#isReady ? this.#receive(chunk) : forward(database, [chunk], client),
    );
    database.on("data", (chunk: Buffer) => this.#answer(chunk));
    database.on("end", () => client.end());
    client.on("end", () => {
      this.#hasEnded = true;
      this.#pump();
    });
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.#leave();
        other.destroySoon();
      });
    }
    client.resume();
  }

  /** Closes both sides. */
  end(): void {
    this.#client.destroy();
    this.#database.destroy();
    this.#leave();
  }

  #leave(): void {
    this.isClosed = true;
    const unit = this.#current?.unit;
    this.#current = undefined;
    if (unit) endUnit(this.#gate, unit);
  }

  #receive(chunk: Buffer): void {
    for (const part of this.#readParts(chunk)) {
      if (part.isMore) this.#write(part);
      else this.#queue.push(part);
    }
    this.#pump();
  }

  #pump(): void {
    while (!this.#current && this.#queue.length > 0 && !this.isClosed) {
      const part = this.#queue.shift()!;
      if (part.sql === undefined) {
        if (part.isAnswered) this.#current = { unit: undefined };
        this.#write(part);
        continue;
      }
      const unit = createUnit(this, this.#textOf(part.sql), () => this.#release(unit));
      this.#current = { unit };
      const passage = this.#gate.arrive(unit);
      if (passage) void passage.then((how) => this.#carry(part, unit, how));
      else this.#carry(part, unit, "pass");
    }
    // What it sent before it left is done.
    if (this.#hasEnded && !this.#current && this.#queue.length === 0) this.#database.end();
  }

  #textOf(sql: string): string {
    const known = this.#texts.get(sql);
    if (known !== undefined) return known;
    if (this.#texts.size >= MOST_TEXTS) this.#texts.clear();
    const text = plainStatement(sql);
    this.#texts.set(sql, text);
    return text;
  }

  #carry(part: Part, unit: Unit, how: Passage): void {
    if (this.isClosed) return;
    if (how === "disconnect") {
      this.#client.resetAndDestroy();
      this.end();
      return;
    }
    unit.sentAt = wallNow();
    if (how === "pass") {
      this.#write(part);
      return;
    }
    // A commit that fails has undone what it was to keep.
    if (isCommit(unit.text)) {
      this.#unasked += 1;
      this.#database.write(ROLLBACK);
    }
    this.#database.write(queryMessage(REFUSED[how]));
  }

  #write({ bytes }: Part): void {
    forward(this.#database, bytes, this.#client);
  }

  #answer(chunk: Buffer): void {
    // Of what goes on as it is, the client need not wait until it has been read.
    const isSent = this.#isReady && this.#unasked === 0 && !this.#current?.unit?.isHeld;
    if (isSent) forward(this.#client, [chunk], this.#database);
    for (const stretch of this.#readAnswer(chunk)) this.#take(stretch, isSent);
  }

  #take({ bytes, ready, result, pid }: Stretch, isSent: boolean): void {
    const unit = this.#current?.unit;
    if (pid !== undefined) this.pid = pid;
    if (this.#unasked === 0) {
      if (unit?.isHeld) this.#held.push(bytes);
      else if (!isSent) forward(this.#client, [bytes], this.#database);
      if (unit && result !== undefined) unit.result = result;
    }
    if (ready === undefined) return;
    this.#isReady = true;
    this.inTransaction = ready !== "I";
    if (this.#unasked > 0) this.#unasked -= 1;
    else {
      if (unit) endUnit(this.#gate, unit);
      if (!unit?.isHeld) this.#current = undefined;
    }
    this.#pump();
  }

  /** Lets go on what waited for an answer. */
  #release(unit: Unit): void {
    forward(this.#client, this.#held.splice(0), this.#database);
    if (!unit.isDone || this.#current?.unit !== unit) return;
    this.#current = undefined;
    this.#pump();
  }
}

/** Writes what one side sends to the other, which may be slower. */
function forward(to: Socket, chunks: readonly Buffer[], from: Socket): void {
  if (chunks.length > 1) to.cork();
  const isSlower = chunks.map((bytes) => to.write(bytes)).includes(false);
  if (chunks.length > 1) to.uncork();
  if (!isSlower || from.isPaused()) return;
  from.pause();
  to.once("drain", () => from.resume());
}
