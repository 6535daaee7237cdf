import { formatDuration } from "../../timeline/duration.ts";
import { listed } from "../../timeline/text.ts";
import type { Answer, Hazard, Judgement } from "../hazards/hazard.ts";
import type { Statements } from "../statements/statements.ts";
import { type Answered, answeredWords, eventNames, unmetWords } from "../subject/answered.ts";
import type { OwnedServer } from "../subject/instances.ts";
import { outputWords } from "../subject/output.ts";
import type { CheckRequest } from "./craft.ts";
import { createExchange, type Exchange } from "./exchange.ts";
import { ONLY_ANSWER, steady, took } from "./judge.ts";
import { possibleKeys } from "./leaves.ts";
import { isOwn, type OwnData } from "./material.ts";
import type { Shown, StateProbe } from "./probe.ts";
import type { Recovery } from "./recovery.ts";
import type { Sender } from "./send.ts";
import type { Supply } from "./supply.ts";
import type { Terms } from "./terms.ts";

export interface Beginning {
  hazard: Hazard;
  supply: Supply;
  sender: Sender;
  probe: StateProbe | undefined;
  terms: Terms;
  recovery: Pick<Recovery, "reset">;
  own: OwnData | undefined;
  statements: Statements | undefined;
  output: OwnedServer["output"] | undefined;
  /** Called with the response to the first event of each type. */
  onFirst?: ((answered: Answered) => void) | undefined;
}

export interface Baseline {
  judged: Judgement;
  exchange: Exchange;
  all: Answer[];
  /** The material for later requests. */
  supply: Supply;
  /** How the state reflects an event; undefined if there is no state, or if it reflects only the first event. */
  shown: Shown | undefined;
  /** The status with which the server rejects every event after the first; null if it accepts them. */
  refusedWith: number | null;
  /** Whether to restore the state before each hazard, because the server handles only one event per object. */
  resets: boolean;
}

/**
 * Sends the first valid event (trying other types if it does not change the state), and then a second one as a control: a
 * server that treats two different events as one would fail hazard after hazard for that reason alone.
 */
export async function tryFirstEvents(beginning: Beginning): Promise<Baseline> {
  const { hazard, probe, terms } = beginning;
  const { supply, exchange, shown, others, answered } = await findVisible(beginning);
  const { answers, flakes } = exchange;
  const tries: Answer[] = [];
  const accepts = (all: Answer[]) => hazard.judge({ answers: all, state: null, accepted: [] });
  const judge = () =>
    steady(hazard.judge({ answers: answers.slice(0, 2), state: null, accepted: [] }), flakes);
  const outcome = (judged: Judgement, rest: Partial<Baseline> = {}): Baseline => ({
    ...{ exchange, supply, shown, refusedWith: null, resets: false, judged, ...rest },
    all: [...others.flatMap((one) => one.allAnswers()), ...exchange.allAnswers(), ...tries],
  });
  const seenAs = (judged: Judgement) => withState(judged, shown, answered, supply.making.event);
  if (judge().verdict === "fail") return outcome(refusedBy(judge(), answered, beginning.output));

  const seen = shown?.how === "in time" ? await probe!.watch("effect", exchange.rest) : null;
  await exchange.rest();
  const control = answers[1]!;
  const isIgnored = control.error === null && seen === "same";
  if (control.status === null || (control.error === null && !isIgnored)) return outcome(seenAs(judge()));

  const isTaken = async (request: CheckRequest): Promise<boolean> => {
    const send = () => beginning.sender.send(request).then((answer) => tries.push(answer));
    const effect = isIgnored ? await probe!.watch("all", send) : await send();
    return tries.at(-1)!.error === null && (!isIgnored || effect === "changed");
  };
  const isLimited = control.status === 429;
  const isSearched = !terms.isPlatform && !isLimited;
  const { about } = terms.facts;
  if (isSearched && about.length > 0 && supply.making.about.length === 0) {
    const other = await findKey([about], supply, isTaken);
    if (other)
      return outcome(seenAs(accepts([answers[0]!, ...tries.filter(took).slice(0, 1)])), {
        supply: other.supply,
      });
  }
  if (isSearched && (await beginning.recovery.reset())) {
    const request = supply.kit.request("an event after a reset", supply.kit.fresh("after-reset"));
    if (await isTaken(request))
      return outcome(seenAs(accepts([answers[0]!, tries.at(-1)!])), { resets: true });
  }
  const own = beginning.own?.get(supply.making.event);
  const keys = possibleKeys(answers[0]!.request.body!, terms.facts, (path) => isOwn(own, path));
  const groups = keys.map((key) => [key]);
  const found = isSearched && (await findKey(groups, supply, isTaken));
  const did = isIgnored
    ? `returned ${control.status} to a second event and did nothing visible`
    : `${control.detail} to a second event, though it accepted the first`;
  if (found) {
    const place = found.places[0]!;
    return outcome(
      {
        verdict: "warn",
        summary: `It ${did}, but handled one with another ${place}: it recognizes events by that field, which is not listed under about in ${terms.name}'s sender file. Later events have different values there.`,
        fix: `If ${place} identifies what an event is about, add it to about in the sender's file. Otherwise several events may have the same value: recognize them by ${terms.key}.`,
      },
      { supply: found.supply },
    );
  }
  return outcome(
    {
      verdict: isIgnored ? "warn" : "fail",
      summary: `It ${did}. ${isIgnored ? "The other verdicts do not use the state" : "Such responses prove nothing"}.`,
      fix: isLimited
        ? judge().fix!
        : "Look for the second event in your server's log: it was about a different object. If your server recognizes events by a field that both have, add that field to `about` in the sender's file.",
    },
    { shown: undefined, refusedWith: isIgnored ? null : control.status },
  );
}

/** The first event. `shown` is also undefined if the check did not wait for an effect. */
type Begun = Pick<Baseline, "supply" | "exchange" | "shown">;

const isTaken = ({ exchange }: Begun): boolean => exchange.answers.every(took);
const isSilent = ({ exchange }: Begun): boolean => exchange.answers.at(-1)?.status === null;

/**
 * Finds the first event type that changes the state or, if there is no state, is accepted. Falls back to the main type.
 */
async function findVisible(beginning: Beginning) {
  const { hazard, supply: main, sender, probe, terms, statements, recovery, onFirst } = beginning;
  const { event: usual, seed } = main.making;
  const answered: Answered[] = [];
  const others: Exchange[] = [];
  let hasChanged = false;

  /** Sends the first event of a type. @param look watches the state during the request */
  async function begin(
    supply: Supply,
    look: (send: () => Promise<boolean>) => Promise<Shown | undefined>,
  ): Promise<Begun> {
    const exchange = createExchange(hazard, supply, sender);
    const watch = statements?.watch();
    const shown = await look(() => {
      const sent = exchange.first();
      watch?.sent(sent);
      return sent.then(() => exchange.answers.every(took));
    });
    const made = (await watch?.end())?.filter(({ of }) => of !== "api") ?? [];
    await probe?.rest();
    const { status, detail, body, printed, request } = exchange.answers.at(-1)!;
    const isSeen = made.length > 0 || statements?.seesAll;
    answered.push({
      ...{ event: supply.making.event, detail, body, printed, isAccepted: took({ status }) },
      ...{ sent: { headers: request.headers, body: request.body ?? "" }, facts: terms.facts },
      statements: isSeen ? made : undefined,
    });
    onFirst?.(answered.at(-1)!);
    return { supply, exchange, shown };
  }

  /** Waits as long as an effect may take to appear. */
  const learn = async (send: () => Promise<boolean>) => (probe ? probe.learn(send) : void (await send()));
  /** Does not wait for effects, because there may be many types. */
  const glance = async (send: () => Promise<boolean>) => {
    if (!probe) await send();
    else if ((await probe.watch("all", send)) === "changed") hasChanged = true;
    return undefined;
  };
  const found = (one: Begun) => ({
    ...one,
    answered,
    others: others.filter((other) => other !== one.exchange),
  });

  const of = (event: string, again = ""): Supply => main.with({ event, seed: `${seed} ${event}${again}` });

  const first = await begin(main, learn);
  others.push(first.exchange);
  if (isSilent(first) || (isTaken(first) && first.shown?.how !== "never")) return found(first);
  // A server that has already handled the known object may still act on a new one.
  const { about } = terms.facts;
  if (isTaken(first) && about.length > 0 && main.making.about.length === 0) {
    const next = await begin(main.with({ about, seed: `${seed} new` }), learn);
    if (next.shown?.how !== "never") return found(next);
    others.push(next.exchange);
  }
  const glanced: Begun[] = [];
  for (const event of terms.types.filter((type) => type !== usual)) {
    const next = await begin(of(event), glance);
    others.push(next.exchange);
    if (isSilent(next)) break;
    if (isTaken(next)) glanced.push(next);
    if (hasChanged || (!probe && isTaken(next))) break;
  }
  const [accepted = first] = isTaken(first) ? [first] : glanced;
  if (probe && !hasChanged && glanced.length > 0)
    hasChanged = (await probe.watch("effect", async () => undefined)) === "changed";
  // An event before the last one may have changed the state. Its object stays changed unless the state is restored.
  for (const { supply } of hasChanged ? glanced.toReversed() : []) {
    const again = of(supply.making.event, " again");
    const next = await begin((await recovery.reset()) ? again : again.with({ about }), learn);
    if (isTaken(next) && next.shown?.how !== "never") return found(next);
    others.push(next.exchange);
  }
  return found(probe && isTaken(accepted) ? { ...accepted, shown: { how: "never" } } : accepted);
}

/** Finds the field by which the server recognizes duplicates: with another value there, an event is accepted. */
async function findKey(
  groups: readonly (readonly string[])[],
  supply: Supply,
  isTaken: (request: CheckRequest) => Promise<boolean>,
): Promise<{ places: readonly string[]; supply: Supply } | undefined> {
  const take = ({ kit }: Supply, number: number, what: string) =>
    isTaken(kit.request(what, kit.fresh(`second-event, ${number}`)));
  for (const [index, places] of groups.entries()) {
    const varied = supply.with({ about: [...supply.making.about, ...places] });
    if (!(await take(varied, index, `an event with another ${listed(places)}`))) continue;
    // An event with unchanged fields must still be rejected; otherwise, the result was a coincidence.
    const isChance = await take(supply, groups.length, "an event with the same fields");
    return isChance ? undefined : { places, supply: varied };
  }
  return undefined;
}

const NEEDS =
  "If it needs your own strings, metadata or rows, send those: --events with a file of { type, data }.";

/** Adds the responses to events of all types. A lookup that found no row was observed; other causes are only likely. */
function refusedBy(
  { fix = "", ...judged }: Judgement,
  answered: readonly Answered[],
  output: Beginning["output"],
): Judgement {
  const summary =
    answered.length > 1 || answered[0]!.body !== "" ? `It ${answeredWords(answered)}.` : judged.summary;
  const needs = answered.some(({ detail }) => /^returned (?:400|409|422|5)/.test(detail)) ? NEEDS : "";
  const parts = [unmetWords(answered) || [fix, needs].join(" ").trim(), outputWords(output?.last() ?? "")];
  return { ...judged, summary, fix: parts.filter(Boolean).join(" ") };
}

/** Adds what the state showed for the first events. A state that shows no events, or shows them too late, is unusable. */
function withState(
  judged: Judgement,
  shown: Shown | undefined,
  answered: readonly Answered[],
  event: string,
): Judgement {
  if (judged.verdict !== "pass") return judged;
  const others = answered.filter((one) => one.event !== event);
  const silent = eventNames(others.filter(({ isAccepted }) => isAccepted).map((one) => one.event));
  const refused = others.filter(({ isAccepted }) => !isAccepted);
  const also = refused.length === 0 ? "" : `. It ${answeredWords(refused)}`;
  const { summary } = judged;
  if (shown === undefined) return { ...judged, summary: summary + also, note: ONLY_ANSWER };
  if (shown.how === "in time") {
    const instead = silent === "" ? "" : `. The others are of this type, because ${silent} changed nothing`;
    return { ...judged, summary: `${summary}; its state shows both${instead}${also}` };
  }
  if (shown.how === "late")
    return {
      verdict: "warn",
      summary: `${summary}, but its state still changed ${formatDuration(shown.lastMs)} after it, so the other verdicts do not use it.`,
      fix: "Use a state that shows an event completely within 2 seconds, such as a count of handled events.",
    };
  return {
    verdict: "warn",
    summary: `Nothing changed in the state: your server ${answeredWords(answered)}.`,
    fix: [
      unmetWords(answered),
      "If your handler acts on another type, or needs a field that these events lack, send such events with --events. If it acts on one of these, look for an exception that it catches before it responds with 2xx. The state has to show an event completely within 2 seconds, such as a count of handled events.",
    ]
      .filter(Boolean)
      .join(" "),
  };
}
