import { createHash } from "node:crypto";
import { wallNow } from "../../world/clock.ts";
import { SECOND } from "../../world/duration.ts";
import type { SendRequest, SendResult } from "../exchange.ts";
import { isSuccess } from "../failures.ts";
import { secretsIn } from "../secret.ts";
import { type RefusedEvent, type Variant, variantsOf } from "./variants.ts";

/** A signed request without a URL. */
export type Probe = Pick<SendRequest, "headers"> & { body: string };

export type ProbeAnswer = Pick<SendResult, "responseCode">;

/**
 * What the probes revealed about a refusal.
 * - `found`: the server accepts a variant of the event, and refuses the original.
 * - `by-chance`: it accepted the event when it was resent unchanged.
 * - `unknown`: it refused every variant.
 * - `untried`: variants are impossible, because code in the sender's file signs.
 */
export interface Diagnosis {
  verdict: "found" | "by-chance" | "unknown" | "untried";
  /** What was observed, in a sentence or two. */
  cause: string;
  /** What to do next. */
  fix: string;
  /** The secret that the server verifies with, if that is the cause and the secret is known; else null. */
  secret: string | null;
  /** The probes in order, with the status of each response. */
  tried: { what: string; status: number | null }[];
}

/** The total time limit for all variants, in real milliseconds. */
const MOST_MS = 10 * SECOND;

/**
 * Finds out by experiment why a server refuses a valid event: sends variants of the event until it accepts one. An
 * accepted variant counts only if the server still refuses both the unchanged event and the variant with a forged
 * signature.
 * It may change the server's data, as the event would have.
 * @param send sends a probe to the server
 * @param secretFrom where the secret comes from: `that of --secret`
 */
export async function diagnose(
  event: RefusedEvent,
  send: (probe: Probe) => Promise<ProbeAnswer>,
  secretFrom = "this endpoint's secret",
): Promise<Diagnosis> {
  const version = refusedVersion(event);
  if (version) return { verdict: "found", ...version, secret: null, tried: [] };
  const refused = withOneSecret(event);
  const began = wallNow();
  const variants = variantsOf(refused, began);
  const tried: Diagnosis["tried"] = [];
  async function isAccepted(what: string, variant: Partial<Variant>): Promise<boolean> {
    const { responseCode: status } = await send(probeOf(refused, variant, wallNow())!);
    tried.push({ what, status });
    return status !== null && isSuccess(status);
  }
  const isOver = () => wallNow() - began > MOST_MS || [null, 429].includes(tried.at(-1)!.status);
  const end = (
    verdict: Diagnosis["verdict"],
    cause: string,
    fix: string,
    secret: string | null = null,
  ): Diagnosis => ({ verdict, cause, fix, secret, tried });
  const byChance = () =>
    end(
      "by-chance",
      "It accepted the same event when it was sent again unchanged.",
      "Check your server's log to find out why it refused the first request.",
    );
  if (variants.length === 0)
    return end(
      "untried",
      `The sender file of ${refused.sender.name} signs with code, so there are no signature variants to try.`,
      "Check your server's log.",
    );
  if (await isAccepted("unchanged", {})) return byChance();
  for (const variant of distinct(refused, variants, began)) {
    if (isOver()) break;
    if (!(await isAccepted(variant.what, variant))) continue;
    if (await isAccepted("unchanged, again", {})) return byChance();
    const isForgeable =
      !variant.isOfEvent &&
      (await isAccepted(`${variant.what}, but forged`, withOtherSecret(refused, variant)));
    if (!isForgeable)
      return end(
        "found",
        `${variant.cause} It accepted the event ${variant.what}.`,
        variant.fix,
        variant.isOtherSecret ? variant.signed!.secret! : null,
      );
  }
  return end(
    "unknown",
    `None of ${tried.length} variants of the signature and the times explains the refusal: your server refused all of them.`,
    `If your server verifies ${refused.sender.name}'s signature, its secret differs from ${secretFrom}, or it reads a different header.`,
  );
}

const NAMES_VERSION = /\bversion[\s:='"(]{1,4}$/i;
const REFUSES = /expect|mismatch|support|compatib|different|invalid|unknown|instead/i;
const DATED_VERSION = /\d{4}-\d{2}-\d{2}(?:\.\w+)?/g;

/** The cause, if the server's error message names the event's own API version. */
function refusedVersion({ sender, message, words = "" }: RefusedEvent) {
  const version = sender.versionOf?.(message.body);
  if (version === undefined) return undefined;
  // An echoed body contains the version as `api_version`, and a log may print the version of each event.
  const isRefusal = (line: string) =>
    REFUSES.test(line) &&
    line.split(version).some((before, index, all) => index < all.length - 1 && NAMES_VERSION.test(before));
  const refusal = words.split("\n").find(isRefusal);
  if (refusal === undefined) return undefined;
  const after = refusal.slice(refusal.indexOf(version) + version.length);
  const [expected] = (after.match(DATED_VERSION) ?? []).filter((one) => one !== version);
  return {
    cause: `According to its response, it rejects the API version ${version}.`,
    fix: `Set subject.version in the configuration to ${expected ?? "the version that it expects"}, or let it accept other versions.`,
  };
}

/** The same event signed with just one secret; the address's other secret becomes a known one. */
function withOneSecret({ message, secrets, ...rest }: RefusedEvent): RefusedEvent {
  const secret = rest.sender.secretFor(message.secret, message.body);
  const others = secretsIn(message.secret).map((one) => ({
    secret: one,
    from: "the other secret of this address",
  }));
  const known = secrets.flatMap(({ secret: all, from }) =>
    secretsIn(all).map((one) => ({ secret: one, from })),
  );
  return { ...rest, message: { ...message, secret }, secrets: [...others, ...known] };
}

function withOtherSecret({ sender, message }: RefusedEvent, variant: Variant): Partial<Variant> {
  const { secret = message.secret } = variant.signed ?? {};
  const other = sender.newSecret(createHash("sha256").update(`${secret} forged`).digest());
  return { ...variant, signed: { ...variant.signed, secret: other } };
}

/** A variant's request; undefined if the algorithm cannot use its secret. */
function probeOf(
  { sender, message }: RefusedEvent,
  variant: Partial<Variant>,
  now: number,
): Probe | undefined {
  const { signed, signing, as, body = message.body } = variant;
  const signedAt = sender.signing?.clock === "virtual" ? message.at : now;
  const signedMessage = { ...message, body, signedAt, ...signed };
  try {
    const headers = {
      ...sender.headers(signedMessage, signing),
      ...as?.headers({ ...signedMessage, signedAt: now }),
    };
    return { headers, body };
  } catch {
    return undefined;
  }
}

/** The variants whose requests differ from the unchanged one and from each other. */
function distinct(refused: RefusedEvent, variants: readonly Variant[], now: number): Variant[] {
  const seen = new Set([JSON.stringify(probeOf(refused, {}, now))]);
  return variants.filter((variant) => {
    const probe = JSON.stringify(probeOf(refused, variant, now));
    const isNew = probe !== undefined && !seen.has(probe);
    seen.add(probe);
    return isNew;
  });
}
