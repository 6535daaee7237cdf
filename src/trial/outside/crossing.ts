import type { Effect } from "./services.ts";

/** What happens to a call where it would leave the machine. */
export type CrossingPassage =
  | "pass"
  /** It is answered 500, or 429; without HTTP, as temporarily unavailable. */
  | "fail"
  | "limit"
  /** Its connection is closed without an answer, before anything has happened. */
  | "disconnect";

/** One call on its way out: of the sender's API, of a service, or a mail. It is a point, as a statement is. */
export interface Crossing {
  /** Resolves once the call may go on; never if its caller was killed meanwhile. */
  passed: Promise<CrossingPassage>;
  /** Records an effect, at the moment at which the service would have done it. */
  happen(effect: Effect): void;
  /** Reports the answer, such as `200`, and resolves once the caller may see it. */
  end(result: string): Promise<void>;
}

/** Where everything that the server does outside passes. */
export interface Crossings {
  /**
   * @param text without ids: `POST api.acme.io/charges` or `MAIL smtp.acme.io:587`
   * @param closed settles when the caller has closed its connection
   */
  begin(text: string, closed: Promise<unknown>): Crossing;
}
