import type { Socket } from "node:net";
import { wallNow } from "../../world/clock.ts";
import { forward } from "./forward.ts";
import {
  type CallFailure,
  createUnit,
  endUnit,
  type Gate,
  type Line,
  type Passage,
  type Unit,
} from "./gate.ts";
import { isCleanup, isControl } from "./point.ts";
import type { Entrance, Part, Reader, Ready, Stretch, Wire } from "./wire.ts";

/** What can happen to a statement. */
type StatementPassage = Exclude<Passage, CallFailure>;

/** How many statements are cached with their text: creating the text takes longer than all other work of the proxy. */
const MOST_TEXTS = 500;

interface Enclosed<P> {
  part: P;
  isCommitting: boolean;
  /** The response to the commit. */
  ending: Buffer[];
}

/** A connection to a database. Only one unit at a time is sent to the database; the others wait. */
export class DatabaseLine<P extends Part> implements Line {
  readonly of: Line["of"];
  readonly form: Line["form"];
  readonly pid: number;
  isClosed = false;
  owner: Line["owner"];
  readonly #client: Socket;
  readonly #database: Socket;
  readonly #gate: Gate;
  readonly #wire: Wire<P>;
  readonly #reader: Reader<P>;
  readonly #texts = new Map<string, { text: string; isReadWrite: boolean; isCleanup: boolean }>();
  readonly #queue: P[] = [];
  #ready: Ready;
  /** The work that the database has not responded to yet: a unit, or a part that executes nothing. */
  #current: { unit: Unit | undefined; isReplaced?: boolean } | undefined;
  /** The chunks of the response that is being held. */
  readonly #held: Buffer[] = [];
  /** Set while the unit runs in one of the proxy's own transactions. */
  #enclosed: Enclosed<P> | undefined;
  /** How many of the database's responses the client never asked for. */
  #unasked = 0;
  #hasEnded = false;

  constructor(client: Socket, { database, pid, reader, ready }: Entrance<P>, gate: Gate, wire: Wire<P>) {
    this.of = wire.of;
    this.form = wire.form;
    this.pid = pid;
    this.#client = client;
    this.#database = database;
    this.#gate = gate;
    this.#wire = wire;
    this.#reader = reader;
    this.#ready = ready;
    client.on("data", (chunk: Buffer) => this.#receive(chunk));
    database.on("data", (chunk: Buffer) => this.#answer(chunk));
    database.on("end", () => client.end());
    client.on("end", () => {
      this.#hasEnded = true;
      this.#pump();
    });
    for (const socket of [client, database]) socket.on("close", () => this.#leave());
    client.resume();
    database.resume();
  }

  get inTransaction(): boolean {
    return this.#ready.inTransaction;
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
    for (const part of this.#reader.readParts(chunk)) {
      if (part.isMore) this.#forward(part);
      else this.#queue.push(part);
    }
    this.#pump();
  }

  #pump(): void {
    while (!this.#current && this.#queue.length > 0 && !this.isClosed) {
      const part = this.#queue.shift()!;
      part.complete?.();
      const { sql } = part;
      if (sql === undefined || this.#textOf(sql).isCleanup) {
        if (part.isAnswered) this.#current = { unit: undefined };
        this.#send(part);
        continue;
      }
      const { text, isReadWrite } = this.#textOf(sql);
      const inTransaction = this.#ready.inTransaction || this.#ready.begins;
      const { canBeEnclosed = part.isAnswered, values } = part;
      const hasOwnCommit = isReadWrite && canBeEnclosed && !inTransaction;
      const go = (): void => this.#release(unit);
      const unit = createUnit(this, text, go, { sql, hasOwnCommit, values, inTransaction });
      this.#current = { unit };
      const passage = this.#gate.arrive(unit);
      if (passage) void passage.then((how) => this.#carry(part, unit, how as StatementPassage));
      else this.#carry(part, unit, "pass");
    }
    // Close the connection only after everything that the client sent before it disconnected is done.
    if (this.#hasEnded && !this.#current && this.#queue.length === 0) this.#database.end();
  }

  #textOf(sql: string) {
    const known = this.#texts.get(sql);
    if (known !== undefined) return known;
    if (this.#texts.size >= MOST_TEXTS) this.#texts.clear();
    const text = this.#wire.textOf(sql);
    const made = { text, isReadWrite: this.#wire.isReadWrite(sql), isCleanup: isCleanup(text) };
    this.#texts.set(sql, made);
    return made;
  }

  #carry(part: P, unit: Unit, how: StatementPassage): void {
    if (this.isClosed) return;
    if (how === "disconnect") {
      this.#client.resetAndDestroy();
      this.end();
      return;
    }
    unit.sentAt = wallNow();
    if (how === "hold-commit") {
      this.#enclosed = { part, ending: [], isCommitting: false };
      this.#ask(this.#wire.begin);
    }
    if (how === "pass" || how === "hold-commit") {
      this.#send(part);
      return;
    }
    const { before, instead } = this.#wire.failure(how, unit.text, part);
    for (const one of before) this.#ask(one);
    this.#current = { unit, isReplaced: true };
    this.#send(instead);
  }

  /** Sends one of the proxy's own parts, whose response the client does not receive. */
  #ask(part: P): void {
    this.#unasked += 1;
    this.#send(part, false);
  }

  #send(part: P, isEnclosed = this.#enclosed !== undefined): void {
    if (part.isAnswered) this.#reader.expect?.(part, isEnclosed);
    this.#forward(part);
  }

  #forward({ bytes }: P): void {
    forward(this.#database, bytes, this.#client);
  }

  #answer(chunk: Buffer): void {
    // Forward unchanged bytes immediately, without waiting for the client to read them.
    const { unit, isReplaced = false } = this.#current ?? {};
    const isSent = this.#unasked === 0 && !this.#enclosed && !unit?.isHeld && !isReplaced;
    if (isSent) forward(this.#client, [chunk], this.#database);
    for (const stretch of this.#reader.readAnswer(chunk)) this.#take(stretch, isSent);
  }

  #take({ bytes, ready, result, isRequest }: Stretch, isSent: boolean): void {
    const unit = this.#current?.unit;
    const enclosed = this.#enclosed;
    if (this.#unasked === 0) {
      if (enclosed?.isCommitting) enclosed.ending.push(bytes);
      else if ((unit?.isHeld || enclosed) && !isRequest) this.#held.push(bytes);
      else if (!isSent) forward(this.#client, [...this.#held.splice(0), bytes], this.#database);
      if (unit && result !== undefined && !(enclosed?.isCommitting && isControl(result)))
        unit.result = result;
    }
    if (ready === undefined) return;
    this.#ready = ready;
    if (this.#unasked > 0) this.#unasked -= 1;
    else if (unit && enclosed) this.#goOn(unit, enclosed);
    else {
      if (unit) endUnit(this.#gate, unit);
      if (!unit?.isHeld) this.#current = undefined;
    }
    this.#pump();
  }

  /** Continues once the database has responded to the enclosed statement or its commit. */
  #goOn(unit: Unit, { part, ending, isCommitting }: Enclosed<P>): void {
    if (isCommitting) {
      this.#enclosed = undefined;
      forward(this.#client, this.#wire.answerOutside(this.#held.splice(0), ending), this.#database);
      this.#current = undefined;
    } else if (this.#wire.needsNoTransaction(unit.result ?? "")) {
      this.#enclosed = undefined;
      this.#held.length = 0;
      Object.assign(unit, { isHeld: false, result: null });
      this.#ask(this.#wire.undo(part));
      this.#send(part);
    } else {
      endUnit(this.#gate, unit);
      if (!unit.isHeld) this.#release(unit);
    }
  }

  #release(unit: Unit): void {
    if (this.#enclosed) {
      if (!unit.isDone) return;
      this.#enclosed.isCommitting = true;
      this.#send(this.#wire.commit, false);
      return;
    }
    forward(this.#client, this.#held.splice(0), this.#database);
    if (!unit.isDone || this.#current?.unit !== unit) return;
    this.#current = undefined;
    this.#pump();
  }
}
