import type { IncomingMessage, ServerResponse } from "node:http";
import { wallNow } from "../../world/clock.ts";
import { createUnit, endUnit, type Gate, type Line } from "./gate.ts";

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
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const line: Line = { of: "api", pid: 0, inTransaction: false, isClosed: false };
  const unit = createUnit(line, `${method} ${url.replace(/\?.*/, "").replace(ID, "/?")}`, release);
  response.once("close", () => {
    line.isClosed = true;
    endUnit(gate, unit);
  });
  const passage = gate.arrive(unit) ?? Promise.resolve();
  return {
    passed: passage.then(() => {
      unit.sentAt = wallNow();
      // Its caller was killed.
      return line.isClosed ? new Promise(() => undefined) : undefined;
    }),
    async end(status) {
      endUnit(gate, unit, String(status));
      if (unit.isHeld) await released;
    },
  };
}
