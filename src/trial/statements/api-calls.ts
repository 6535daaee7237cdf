import type { IncomingMessage, ServerResponse } from "node:http";
import { wallNow } from "../../world/clock.ts";
import type { Gate, Unit } from "./line.ts";

/** A call of an API, which waits where a statement of the database would. */
export interface CallUnit {
  /** Resolves once it may be answered; never, where the caller has ended meanwhile. */
  passed: Promise<unknown>;
  /** Reports what it was answered, and resolves once its caller may see that. */
  end(status: number): Promise<void>;
}

/** A part of a path that is an id, as far as it can be told from a word. */
const ID = /\/(?=[^/]*\d)[^/]{8,}/g;

/** Lets a call ask a gate whether it may pass. */
export function callUnit(
  gate: Gate,
  { method, url = "/" }: IncomingMessage,
  response: ServerResponse,
): CallUnit {
  let release = (): void => undefined;
  let held: Promise<void> | undefined;
  const unit: Unit = {
    line: { of: "api", pid: 0, inTransaction: false, isClosed: false },
    text: `${method} ${url.replace(/\?.*/, "").replace(ID, "/?")}`,
    ...{ inTransaction: false, sentAt: undefined, result: null, isDone: false },
    holdAnswer() {
      held ??= new Promise((resolve) => {
        release = resolve;
      });
    },
    releaseAnswer: () => release(),
  };
  const leave = (): void => {
    if (unit.isDone) return;
    unit.isDone = true;
    gate.leave(unit);
  };
  response.once("close", () => {
    unit.line.isClosed = true;
    leave();
  });
  const passage = gate.arrive(unit) ?? Promise.resolve();
  return {
    passed: passage.then(() => {
      unit.sentAt = wallNow();
      // Its caller was killed.
      return unit.line.isClosed ? new Promise(() => undefined) : undefined;
    }),
    async end(status) {
      unit.result = String(status);
      leave();
      await held;
    },
  };
}
