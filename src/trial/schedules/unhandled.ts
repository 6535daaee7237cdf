import { SandboxError } from "../../errors/errors.ts";
import { count } from "../../timeline/text.ts";
import type { Diagnosis } from "../../webhooks/diagnosis/diagnose.ts";
import { kindOf } from "../database/source.ts";
import { causeWords } from "../outside/words.ts";
import { missedWords } from "../stories/sender-story.ts";
import { type Answered, answeredWords, unmetWords } from "../subject/answered.ts";
import { diagnosisWords } from "../subject/diagnosis.ts";
import { outputWords } from "../subject/output.ts";
import { isOk, type SentAttempt } from "./attempt.ts";
import type { ExploreOptions } from "./options.ts";

/** What was tried and had no effect. */
export type Tried = Pick<ExploreOptions, "subject" | "story" | "ignore">;

/** A story's events have no comparable effect: the server rejects one, or the state stays the same. */
export class Unhandled extends SandboxError {
  readonly attempts: readonly SentAttempt[];
  readonly isRefused: boolean;
  /** Describes the lookups that found no row; empty if there are none. */
  readonly unmet: string;

  /**
   * @param attempts the attempts in the calm runs of one story, or of several stories if none had an effect
   * @param why the result of experiments with the signature
   */
  constructor(attempts: readonly SentAttempt[], tried: Tried, why?: Diagnosis) {
    const isRefused = attempts.some(({ failed }) => failed);
    super(isRefused ? "unreachable" : "invalid_state", ...wordsOf(attempts, tried, why));
    this.attempts = attempts;
    this.isRefused = isRefused;
    this.unmet = unmetWords(attempts.map((sent) => answeredIn(sent, tried)));
  }
}

function wordsOf(
  attempts: readonly SentAttempt[],
  tried: Tried,
  why?: Diagnosis,
): [message: string, hint: string] {
  const { subject } = tried;
  const all = attempts
    .toSorted((one, other) => Number(other.failed) - Number(one.failed))
    .map((sent) => answeredIn(sent, tried));
  const said = `our ${subject.handler ? "handler" : "server"} ${answeredWords(all)}.`;
  // After a rejection, the state was not read.
  const isUnread = attempts.some(({ failed }) => failed);
  const message = isUnread ? `Y${said}` : `Nothing changed ${placeOf(tried)}: y${said}`;
  const isExplained = why?.verdict === "found" || why?.verdict === "by-chance";
  // If another event was accepted, a rejection that no variant explains is not about the signature.
  const unexplained = attempts.every(({ failed }) => failed) ? why : undefined;
  return [message, isExplained ? diagnosisWords(why) : hintFor(attempts, all, tried, unexplained)];
}

function answeredIn(sent: SentAttempt, { subject, story }: Tried): Answered {
  const { event, status, detail, answer, printed, headers, body } = sent;
  const made = sent.statements.filter(({ of }) => of !== "api");
  return {
    ...{
      event,
      isAccepted: isOk(status),
      detail: detail ?? `returned ${status}`,
      body: answer ?? "",
      printed,
    },
    sent: { headers, body },
    facts: story.by?.sender.facts,
    statements: made.length > 0 || subject.statements?.seesAll ? made : undefined,
  };
}

function placeOf({ subject: { state }, ignore }: Tried): string {
  const place =
    state.source === null
      ? "in what state() returns"
      : state.tables
        ? `in ${state.source}`
        : `at the state URL ${state.source}`;
  return ignore.length > 0 ? `${place}, apart from what is ignored` : place;
}

function hintFor(
  attempts: readonly SentAttempt[],
  all: readonly Answered[],
  tried: Tried,
  why?: Diagnosis,
): string {
  const { story, subject } = tried;
  const { by } = story;
  const statuses = attempts.filter(({ failed }) => failed).map(({ status }) => status!);
  const unmet = unmetWords(all);
  const printed =
    all.map((one) => one.printed).find((text) => text !== "") ?? subject.server?.output.last() ?? "";
  return [
    why ? diagnosisWords(why) : "",
    unmet || (by && !statuses.includes(401) ? missedWords(by, !areIdle(all)) : ""),
    stateWords(
      tried,
      all.filter(({ isAccepted }) => isAccepted),
    ),
    callsIn(attempts, by?.sender.name) || unservedWords(tried, statuses),
    statuses.length > 0 ? causeWords(subject.outside?.report()) : "",
    statuses.length > 0 && !subject.server
      ? "Check your server's log to find out why it refused the request."
      : "",
    outputWords(printed),
  ]
    .filter(Boolean)
    .join(" ");
}

const areIdle = (all: readonly Answered[]): boolean =>
  all.every(({ statements }) => statements?.length === 0);

/** Possible reasons why a state does not show accepted events, unless their statements already explain it. */
function stateWords({ subject: { state } }: Tried, accepted: readonly Answered[]): string {
  if (accepted.length === 0) return "";
  if (areIdle(accepted)) return "Choose events that your server handles, with --events or --story.";
  if (!state.tables || state.resetBy !== null)
    return "Make the state include what the events change, such as every order with its status.";
  if (accepted.every(({ statements }) => statements)) return "";
  return `Does your server write to this database${kindOf(state.source!).elsewhere}? If so, its rows may already be in the state that these events produce, or it may remember the events of an earlier trial in memory: restart it, or pass a --reset.`;
}

/** Describes the API calls observed before a rejection. */
function callsIn(attempts: readonly SentAttempt[], sender = "the platform"): string {
  const called = attempts.find(({ failed, calls }) => failed && calls > 0);
  return called ? `It made ${count(called.calls, "call")} to ${sender}'s API for ${called.event}.` : "";
}

/** Suggests how to serve API calls, if none are served: only a server with the story's data can answer them. */
function unservedWords({ subject, story: { by } }: Tried, statuses: readonly number[]): string {
  if (subject.api || !statuses.some((status) => status >= 500 || status === 400)) return "";
  if (!by)
    return "If it asks the platform's API for this event, subject.apiPort (apiPort in the library) serves it.";
  const { name, facts } = by.sender;
  return facts.api
    ? `If it asks ${name}'s API for the objects of this event, --start or subject.apiPort (apiPort in the library) serves them from the story.`
    : `If it asks ${name}'s API for the objects of this event, describe those calls under api in the sender's file.`;
}
