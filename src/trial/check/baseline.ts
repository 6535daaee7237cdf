import { formatDuration } from "../../timeline/duration.ts";
import { listed } from "../../timeline/text.ts";
import type { Answer, Hazard, Judgement } from "../hazards/hazard.ts";
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

/** The most types to try for one that changes the state: each takes 2 seconds. */
const MOST_TYPES = 20;

export interface Beginning {
  hazard: Hazard;
  supply: Supply;
  sender: Sender;
  probe: StateProbe | undefined;
  terms: Terms;
  recovery: Pick<Recovery, "reset">;
  own: OwnData | undefined;
}

export interface Baseline {
  judged: Judgement;
  exchange: Exchange;
  all: Answer[];
  /** What later requests are made from. */
  supply: Supply;
  /** How the state shows an event; undefined without a state, or if it shows only the first event. */
  shown: Shown | undefined;
  /** The status with which the server refuses every event after the first; null if it does not. */
  refusedWith: number | null;
  /** Whether to restore the state before each hazard: the server handles one event for each object. */
  resets: boolean;
}

/**
 * Sends the first valid event, of another type if it changes nothing in the state, and then a second event as a control: a server
 * that takes two events for one would fail hazard after hazard for that.
 */
export async function tryFirstEvents(beginning: Beginning): Promise<Baseline> {
  const { hazard, probe, terms } = beginning;
  const { supply, exchange, shown, others, silent } = await findVisible(beginning);
  const { answers, flakes } = exchange;
  const tries: Answer[] = [];
  const accepts = (all: Answer[]) => hazard.judge({ answers: all, state: null, accepted: [] });
  const judge = () =>
    steady(hazard.judge({ answers: answers.slice(0, 2), state: null, accepted: [] }), flakes);
  const outcome = (judged: Judgement, rest: Partial<Baseline> = {}): Baseline => ({
    ...{ exchange, supply, shown, refusedWith: null, resets: false, judged, ...rest },
    all: [...others.flatMap((one) => one.allAnswers()), ...exchange.allAnswers(), ...tries],
  });
  if (judge().verdict === "fail") return outcome(judge());

  const seen = shown?.how === "in time" ? await probe!.watch("effect", exchange.rest) : null;
  await exchange.rest();
  const control = answers[1]!;
  const isIgnored = control.error === null && seen === "same";
  if (control.status === null || (control.error === null && !isIgnored))
    return outcome(withState(judge(), shown, silent));

  const isTaken = async (request: CheckRequest): Promise<boolean> => {
    const send = () => beginning.sender.send(request).then((answer) => tries.push(answer));
    const effect = isIgnored ? await probe!.watch("all", send) : await send();
    return tries.at(-1)!.error === null && (!isIgnored || effect === "changed");
  };
  const isLimited = control.status === 429;
  const isSearched = !terms.isPlatform && !isLimited;
  if (isSearched && (await beginning.recovery.reset())) {
    const request = supply.kit.request("an event after a reset", supply.kit.fresh("after-reset"));
    if (await isTaken(request))
      return outcome(withState(accepts([answers[0]!, tries.at(-1)!]), shown, silent), { resets: true });
  }
  const { about } = terms.facts;
  const own = beginning.own?.get(supply.making.event);
  const keys = possibleKeys(answers[0]!.request.body!, terms.facts, (path) => isOwn(own, path));
  const groups = [
    ...(about.length > 0 && supply.making.about.length === 0 ? [about] : []),
    ...keys.map((key) => [key]),
  ];
  const found = isSearched && (await findKey(groups, supply, isTaken));
  if (found && found.places === about)
    return outcome(withState(accepts([answers[0]!, ...tries.filter(took).slice(0, 1)]), shown, silent), {
      supply: found.supply,
    });
  const did = isIgnored
    ? `answered ${control.status} to a second event and did nothing that can be seen`
    : `${control.detail} to a second event, though it accepted the first`;
  if (found) {
    const place = found.places[0]!;
    return outcome(
      {
        verdict: "warn",
        summary: `It ${did}, but handled one with another ${place}: it recognizes events by that field, which about in the file of ${terms.name} does not name. The events that follow differ in it.`,
        fix: `If ${place} names what an event is about, add it to about in the sender's file. Otherwise several events may have the same value: recognize them by their id.`,
      },
      { supply: found.supply },
    );
  }
  return outcome(
    {
      verdict: isIgnored ? "warn" : "fail",
      summary: `It ${did}. ${isIgnored ? "The other verdicts do not use the state" : "What it answers like that proves nothing"}.`,
      fix: isLimited
        ? judge().fix!
        : "Look for the second event in your server's log: it had another id and was about another thing. If your server recognizes events by a field that both have, add that field to about in the sender's file.",
    },
    { shown: undefined, refusedWith: isIgnored ? null : control.status },
  );
}

/** The first event type that changes the state; the main type without a state, or if no type does. */
async function findVisible({ hazard, supply: main, sender, probe, terms }: Beginning) {
  const begin = async (supply: Supply) => {
    const exchange = createExchange(hazard, supply, sender);
    const send = () => exchange.first().then(() => exchange.answers.every(took));
    if (probe === undefined) await send();
    const shown = await probe?.learn(send);
    await probe?.rest();
    return { supply, exchange, shown };
  };
  const { event: usual, seed } = main.making;
  const first = await begin(main);
  const silent: string[] = [];
  const others: Exchange[] = [];
  if (first.shown?.how !== "never" || !first.exchange.answers.every(took))
    return { ...first, others, silent };
  // A server that has handled the known object before may act on a new one.
  const { about } = terms.facts;
  if (about.length > 0 && main.making.about.length === 0) {
    const next = await begin(main.with({ about, seed: `${seed} new` }));
    if (next.shown?.how !== "never") return { ...next, others: [first.exchange], silent };
    others.push(next.exchange);
  }
  silent.push(usual);
  for (const event of terms.types.slice(0, MOST_TYPES).filter((type) => type !== usual)) {
    const next = await begin(main.with({ event, seed: `${seed} ${event}` }));
    if (next.shown?.how !== "never") return { ...next, others: [first.exchange, ...others], silent };
    silent.push(event);
    others.push(next.exchange);
  }
  return { ...first, others, silent };
}

/** The field by which the server recognizes events: with another value there, an event is accepted. */
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
    // An event with the same fields must still be refused; otherwise, it was chance.
    const isChance = await take(supply, groups.length, "an event with the same fields");
    return isChance ? undefined : { places, supply: varied };
  }
  return undefined;
}

/** Adds what the state showed of the first events. A state that shows no events, or too late, cannot be used. */
function withState(judged: Judgement, shown: Shown | undefined, silent: readonly string[]): Judgement {
  if (judged.verdict !== "pass") return judged;
  const { summary } = judged;
  if (shown === undefined) return { ...judged, note: ONLY_ANSWER };
  if (shown.how === "in time") {
    const instead = `. The others are of this type, as ${listed(silent)} changed nothing`;
    return { ...judged, summary: `${summary}; its state shows both${silent.length === 0 ? "" : instead}` };
  }
  if (shown.how === "late")
    return {
      verdict: "warn",
      summary: `${summary}, but its state still changed ${formatDuration(shown.lastMs)} after it, so the other verdicts do not use it.`,
      fix: "Name a state that shows an event completely within 2 seconds, such as a count of paid orders.",
    };
  return {
    verdict: "warn",
    summary: `${summary}, but did nothing that can be seen: ${silent.length === 1 ? `${silent[0]} did not change the state` : `none of ${listed(silent)} changed the state`}.`,
    fix: "If your handler acts on another type, name it with --events or --event. If it acts on one of these, look for an exception that it catches and answers with 2xx. The state has to show an event completely within 2 seconds, such as a count of paid orders.",
  };
}
