import type { Refusal } from "./gateway.ts";
import { isOwnHost, type Place, placeText } from "./hosts.ts";
import type { TakenMail } from "./mail.ts";

/**
 * What happened to the connections to a place: handled here (as a file describes, or with the response {}), forwarded,
 * or refused.
 */
export type Treatment = "described" | "answered" | "mail" | "telemetry" | "allowed" | Refusal;

/** A place outside this machine, and how the server's connections to it ended. */
export interface OutsideCalls {
  /** A host, with its port unless it is the default for HTTP or HTTPS; or what the preload refused, such as a datagram. */
  host: string;
  treatment: Treatment;
  count: number;
}

/** What a trial's server did outside this machine. */
export interface OutsideReport {
  calls: OutsideCalls[];
  /** The first e-mails, without duplicates. */
  mails: TakenMail[];
  /** Whether the server's process was observed to redirect all of its connections to the gateway. */
  isHeld: boolean;
  /** Why the server did not get its own network; null if it did. */
  withoutNetwork: string | null;
  /** Variables with the address of a store that the server has not called. */
  uncalled: string[];
}

/** How many e-mails a report shows. */
const MOST_MAILS = 20;

const distinct = (mails: readonly TakenMail[]): TakenMail[] =>
  [...new Map(mails.map((mail) => [JSON.stringify(mail), mail])).values()].slice(0, MOST_MAILS);

/** Counts calls by place and treatment. */
export function createCallCounter() {
  const counts = new Map<string, OutsideCalls>();
  let mails: TakenMail[] = [];
  return {
    addMail(mail: TakenMail): void {
      mails = distinct([...mails, mail]);
    },
    mails: (): TakenMail[] => mails,
    /** Calls within this machine and its private networks are not counted. */
    count(what: string | Place, treatment: Treatment): void {
      if (typeof what !== "string" && isOwnHost(what.host)) return;
      const host = typeof what === "string" ? what : placeText(what);
      const key = `${treatment} ${host}`;
      const calls = counts.get(key) ?? { host, treatment, count: 0 };
      counts.set(key, calls);
      calls.count += 1;
    },
    list: (): OutsideCalls[] => [...counts.values()].map((calls) => ({ ...calls })),
  };
}

/** Merges the reports of a trial's servers. */
export function joinOutside(reports: readonly OutsideReport[]): OutsideReport | null {
  if (reports.length === 0) return null;
  const groups = Map.groupBy(
    reports.flatMap(({ calls }) => calls),
    ({ host, treatment }) => `${treatment} ${host}`,
  );
  return {
    calls: [...groups.values()].map((same) => ({
      ...same[0]!,
      count: same.reduce((sum, { count }) => sum + count, 0),
    })),
    mails: distinct(reports.flatMap(({ mails }) => mails)),
    isHeld: reports.every(({ isHeld }) => isHeld),
    withoutNetwork: reports.find((one) => one.withoutNetwork !== null)?.withoutNetwork ?? null,
    uncalled: [...new Set(reports.flatMap(({ uncalled }) => uncalled))],
  };
}
