import { wallNow } from "../../world/clock.ts";
import { createUnit, endUnit, type Gate, type Line } from "../statements/gate.ts";
import { STANDARD } from "../statements/sql-form.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import type { Effect } from "./services.ts";

/** What happens to a call at the point where it would leave the machine. */
export type CrossingPassage =
  | "pass"
  /** The response is a 500 or a 429; outside HTTP, it says that the service is temporarily unavailable. */
  | "fail"
  | "limit"
  /** The call's connection is closed without a response, before the call has any effect. */
  | "disconnect";

/**
 * An outgoing call: to the sender's API, to a service, or an e-mail. Like a statement, it is a point where a deviation
 * can happen.
 */
export interface Crossing {
  /** Resolves once the call may proceed; never if its caller has been killed. */
  passed: Promise<CrossingPassage>;
  /** Records an effect at the moment when the service would have caused it. */
  happen(effect: Effect): void;
  /** Records an effect that another source has on the state. */
  note(effect: Effect): void;
  /**
   * Reports the response, such as `200`, and resolves once the caller may see it.
   * @returns false if the response is lost: the connection is closed instead
   */
  end(result: string): Promise<boolean>;
}

/** Every outgoing call of the server passes through here. */
export interface Crossings {
  /** What happened outside this machine during the current run. */
  readonly ledger: Ledger;
  /** Makes each call wait for a gate's permission first, just as database statements do. */
  ask(gate: Gate): void;
  /**
   * @param text without ids: `POST api.acme.io/charges` or `MAIL smtp.acme.io:587`
   * @param closed settles when the caller has closed its connection
   * @param of the call's target: a service, or a store with the server's own rows
   */
  begin(text: string, closed: Promise<unknown>, of?: "api" | "store"): Crossing;
}

/** A path segment that looks like an id rather than a word. */
const ID = /\/(?=[^/]*\d)[^/]{8,}/g;

/** A path without its query and ids. */
export const plainPath = (path: string): string => path.replace(/\?.*/s, "").replace(ID, "/?");

/** The text of an HTTP call, without its query and ids. */
export const callText = (method: string, path: string, host = ""): string =>
  `${method} ${host}${plainPath(path)}`;

export function createCrossings(): Crossings {
  const ledger = createLedger();
  let gate: Gate | undefined;

  function begin(text: string, closed: Promise<unknown>, of: "api" | "store" = "api"): Crossing {
    if (!gate)
      return {
        passed: Promise.resolve("pass"),
        happen: ledger.add,
        note: () => undefined,
        end: () => Promise.resolve(true),
      };
    const asked = gate;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const line: Line = { of, form: STANDARD, pid: 0, inTransaction: false, isClosed: false };
    const unit = createUnit(line, text, release);
    let isLost = false;
    const leave = () => {
      line.isClosed = true;
      endUnit(asked, unit);
    };
    void closed.then(leave, leave);
    return {
      passed: (asked.arrive(unit) ?? Promise.resolve("pass" as const)).then((how) => {
        unit.sentAt = wallNow();
        // The caller was killed.
        if (line.isClosed) return new Promise<never>(() => undefined);
        isLost = how === "lose";
        if (how === "disconnect") leave();
        return how === "fail" || how === "limit" || how === "disconnect" ? how : "pass";
      }),
      happen(effect) {
        if (ledger.add(effect)) unit.effects.push(effect);
      },
      note: (effect) => void unit.effects.push(effect),
      async end(result) {
        endUnit(asked, unit, isLost ? null : result);
        if (unit.isHeld) await released;
        return !isLost;
      },
    };
  }

  return {
    ledger,
    ask(by) {
      gate = by;
    },
    begin,
  };
}
