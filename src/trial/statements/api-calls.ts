import type { IncomingMessage, ServerResponse } from "node:http";
import { wallNow } from "../../world/clock.ts";
import { createUnit, endUnit, type Gate, type Line } from "./gate.ts";
import { STANDARD } from "./sql-form.ts";

/** An API call, gated the way a database statement is. */
export interface CallUnit {
  /** Resolves once the call may be answered; never if the caller has ended meanwhile. */
  passed: Promise<unknown>;
  /** Reports the answer's status, and resolves once the caller may see the answer. */
  end(status: number): Promise<void>;
}

/** A part of a path that looks like an id rather than a word. */
const ID = /\/(?=[^/]*\d)[^/]{8,}/g;

export function callUnit(
  gate: Gate,
  { method, url = "/" }: IncomingMessage,
  response: ServerResponse,
): CallUnit {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const line: Line = { of: "api", form: STANDARD, pid: 0, inTransaction: false, isClosed: false };
  const unit = createUnit(line, `${method} ${url.replace(/\?.*/, "").replace(ID, "/?")}`, release);
  response.once("close", () => {
    line.isClosed = true;
    endUnit(gate, unit);
  });
  const passage = gate.arrive(unit) ?? Promise.resolve();
  return {
    passed: passage.then(() => {
      unit.sentAt = wallNow();
      // The caller was killed.
      return line.isClosed ? new Promise(() => undefined) : undefined;
    }),
    async end(status) {
      endUnit(gate, unit, String(status));
      if (unit.isHeld) await released;
    },
  };
}
