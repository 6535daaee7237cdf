import type { Socket } from "node:net";
import { wallNow } from "../../world/clock.ts";
import { createAnswerReader, createPartReader, type Part, type Stretch } from "./frames.ts";
import {
  type CallFailure,
  createUnit,
  endUnit,
  type Gate,
  type Line,
  type Passage,
  type Unit,
} from "./gate.ts";
import { answerOutside, controlMessage, preparedIn, queryMessage } from "./messages.ts";
import { isCommit, isControl, plainStatement } from "./point.ts";

/** What a statement can meet besides. */
type StatementPassage = Exclude<Passage, CallFailure>;

const REFUSED = {
  refuse:
    "do $$ begin raise exception 'canceling statement due to statement timeout' using errcode = '57014'; end $$",
  conflict:
    "do $$ begin raise exception 'could not serialize access due to concurrent update' using errcode = '40001'; end $$",
};
const [BEGIN, COMMIT, ROLLBACK] = ["begin", "commit", "rollback"].map((sql) => controlMessage(sql)) as [
  Buffer,
  Buffer,
  Buffer,
];
/** Errors of a statement that cannot run in a transaction, such as a procedure that commits. */
const NEEDS_NO_TRANSACTION = ["25001", "2D000"];
/** How many statements are cached with their text: creating the text takes longer than all other work of the proxy. */
const MOST_TEXTS = 500;

interface Enclosed {
  part: Part;
  isCommitting: boolean;
  /** The answer to the commit. */
  ending: Buffer[];
}

/** A connection to Postgres. One unit at a time is at the database; the next ones wait. */
export class PostgresLine implements Line {
  readonly of = "postgres";
  pid = 0;
  inTransaction = false;
  isClosed = false;
  owner: Line["owner"];
  readonly #client: Socket;
  readonly #database: Socket;
  readonly #gate: Gate;
  readonly #isReadWrite: (sql: string) => boolean;
  readonly #readParts = createPartReader();
  readonly #readAnswer = createAnswerReader();
  readonly #texts = new Map<string, { text: string; isReadWrite: boolean }>();
  readonly #queue: Part[] = [];
  /** The work that the database has not answered yet: a unit, or messages that execute nothing. */
  #current: { unit: Unit | undefined } | undefined;
  /** The chunks of an answer that is held. */
  readonly #held: Buffer[] = [];
  /** Set while the unit runs in a transaction of the proxy. */
  #enclosed: Enclosed | undefined;
  /** How many answers of the database the client never asked for. */
  #unasked = 0;
  /** Whether the client has logged in. */
  #isReady = false;
  #hasEnded = false;

  /**
   * @param startup the first bytes to send to the database
   * @param isReadWrite whether SQL reads and writes in one step
   */
  constructor(
    client: Socket,
    database: Socket,
    gate: Gate,
    startup: readonly Buffer[],
    isReadWrite: (sql: string) => boolean,
  ) {
    this.#client = client;
    this.#database = database;
    this.#gate = gate;
    this.#isReadWrite = isReadWrite;
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
      const { text, isReadWrite } = this.#textOf(part.sql);
      const hasOwnCommit = isReadWrite && part.isAnswered && !this.inTransaction;
      const { sql, values } = part;
      const unit = createUnit(this, text, () => this.#release(unit), { sql, hasOwnCommit, values });
      this.#current = { unit };
      const passage = this.#gate.arrive(unit);
      if (passage) void passage.then((how) => this.#carry(part, unit, how as StatementPassage));
      else this.#carry(part, unit, "pass");
    }
    // Everything that the client sent before it left is done.
    if (this.#hasEnded && !this.#current && this.#queue.length === 0) this.#database.end();
  }

  #textOf(sql: string): { text: string; isReadWrite: boolean } {
    const known = this.#texts.get(sql);
    if (known !== undefined) return known;
    if (this.#texts.size >= MOST_TEXTS) this.#texts.clear();
    const made = { text: plainStatement(sql), isReadWrite: this.#isReadWrite(sql) };
    this.#texts.set(sql, made);
    return made;
  }

  #carry(part: Part, unit: Unit, how: StatementPassage): void {
    if (this.isClosed) return;
    if (how === "disconnect") {
      this.#client.resetAndDestroy();
      this.end();
      return;
    }
    unit.sentAt = wallNow();
    if (how === "hold-commit") {
      this.#enclosed = { part, ending: [], isCommitting: false };
      this.#ask(BEGIN);
    }
    if (how === "pass" || how === "hold-commit") {
      this.#write(part);
      return;
    }
    // A commit that is refused must also undo its transaction.
    if (isCommit(unit.text)) this.#ask(ROLLBACK);
    this.#database.write(queryMessage(REFUSED[how]));
  }

  /** Sends a message of the proxy, whose answer the client does not get. */
  #ask(message: Buffer): void {
    this.#unasked += 1;
    this.#database.write(message);
  }

  #write({ bytes }: Part): void {
    forward(this.#database, bytes, this.#client);
  }

  #answer(chunk: Buffer): void {
    // The client gets bytes that are forwarded unchanged without waiting until they are read.
    const isSent = this.#isReady && this.#unasked === 0 && !this.#enclosed && !this.#current?.unit?.isHeld;
    if (isSent) forward(this.#client, [chunk], this.#database);
    for (const stretch of this.#readAnswer(chunk)) this.#take(stretch, isSent);
  }

  #take({ bytes, ready, result, pid }: Stretch, isSent: boolean): void {
    const unit = this.#current?.unit;
    const enclosed = this.#enclosed;
    if (pid !== undefined) this.pid = pid;
    if (this.#unasked === 0) {
      if (enclosed?.isCommitting) enclosed.ending.push(bytes);
      else if (unit?.isHeld || enclosed) this.#held.push(bytes);
      else if (!isSent) forward(this.#client, [bytes], this.#database);
      if (unit && result !== undefined && !(enclosed?.isCommitting && isControl(result)))
        unit.result = result;
    }
    if (ready === undefined) return;
    this.#isReady = true;
    this.inTransaction = ready !== "I";
    if (this.#unasked > 0) this.#unasked -= 1;
    else if (unit && enclosed) this.#goOn(unit, enclosed);
    else {
      if (unit) endUnit(this.#gate, unit);
      if (!unit?.isHeld) this.#current = undefined;
    }
    this.#pump();
  }

  /** Continues once the database has answered the enclosed statement, or its commit. */
  #goOn(unit: Unit, { part, ending, isCommitting }: Enclosed): void {
    if (isCommitting) {
      this.#enclosed = undefined;
      const answer = answerOutside(Buffer.concat(this.#held.splice(0)), Buffer.concat(ending));
      forward(this.#client, [answer], this.#database);
      this.#current = undefined;
    } else if (NEEDS_NO_TRANSACTION.includes(unit.result ?? "")) {
      this.#enclosed = undefined;
      this.#held.length = 0;
      Object.assign(unit, { isHeld: false, result: null });
      this.#ask(controlMessage("rollback", preparedIn(Buffer.concat(part.bytes))));
      this.#write(part);
    } else {
      endUnit(this.#gate, unit);
      if (!unit.isHeld) this.#release(unit);
    }
  }

  #release(unit: Unit): void {
    if (this.#enclosed) {
      if (!unit.isDone) return;
      this.#enclosed.isCommitting = true;
      this.#database.write(COMMIT);
      return;
    }
    forward(this.#client, this.#held.splice(0), this.#database);
    if (!unit.isDone || this.#current?.unit !== unit) return;
    this.#current = undefined;
    this.#pump();
  }
}

/** Writes one side's bytes to the other side, which may be slower. */
function forward(to: Socket, chunks: readonly Buffer[], from: Socket): void {
  if (chunks.length > 1) to.cork();
  const isSlower = chunks.map((bytes) => to.write(bytes)).includes(false);
  if (chunks.length > 1) to.uncork();
  if (!isSlower || from.isPaused()) return;
  from.pause();
  to.once("drain", () => from.resume());
}
