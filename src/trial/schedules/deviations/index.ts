import type { SentAttempt } from "../attempt.ts";
import { answerLost } from "./answer-lost.ts";
import { api429, api500, apiLost, apiRefused, apiSlow } from "./api.ts";
import { crash, crashAfter } from "./crash.ts";
import { dbError, dbErrorConflict, dbErrorLost } from "./db-error.ts";
import type { Deviation } from "./deviation.ts";
import { interleave, interleaveNext, interleaveSlow } from "./interleave.ts";
import { lost, timeout } from "./lost.ts";
import { manualResend } from "./manual-resend.ts";
import { manualRetry } from "./manual-retry.ts";
import { outage } from "./outage.ts";
import { overlap, overlap5, overlap30, overlap100 } from "./overlap.ts";
import { resend } from "./resend.ts";
import { restart } from "./restart.ts";
import { secondEndpoint } from "./second-endpoint.ts";
import { secretRotated } from "./secret-rotated.ts";
import { slow } from "./slow.ts";
import { swap } from "./swap.ts";
import { testDelivery } from "./test-delivery.ts";

/**
 * All deviations (docs/explore-reference.md, "Deviations") in the order they are tried, so that the simplest explanation of
 * a bug comes first.
 */
const ALL: readonly Deviation[] = [
  ...[lost, answerLost, resend, swap, overlap, slow, timeout, restart, crash, api429, api500, apiSlow],
  ...[apiRefused, apiLost],
  ...[crashAfter, dbError, dbErrorLost, dbErrorConflict, interleave, interleaveNext, interleaveSlow],
  ...[overlap5, overlap30, overlap100, manualRetry, manualResend, testDelivery, outage, secretRotated],
  ...[secondEndpoint],
];

/** The names of all deviations, in the order they are tried. */
export const DEVIATIONS: readonly string[] = ALL.map(({ name }) => name);

const BY_NAME = new Map(ALL.map((one) => [one.name, one]));

export const deviationOf = (kind: string): Deviation => BY_NAME.get(kind)!;

export const deviationIn = ({ deviation }: Pick<SentAttempt, "deviation">): Deviation | undefined =>
  deviation === null ? undefined : deviationOf(deviation);
