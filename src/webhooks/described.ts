import { existsSync, readFileSync } from "node:fs";
import { misuse, notFound } from "../errors/errors.ts";
import { inPackage } from "../runtime/package.ts";
import { isAt, isObject, mergeOver, type Path, parseBody, readJson, rewrite } from "./body-text.ts";
import { factOf } from "./by-type.ts";
import { findMisplaced, idLike, valueAt } from "./example.ts";
import { isSuccess } from "./failures.ts";
import { resolveKnown } from "./known.ts";
import type { SenderPolicy } from "./policy.ts";
import { checkSecret, secretsIn } from "./secret.ts";
import { describedRequests, type Sender } from "./sender.ts";
import type { SenderFacts } from "./sender-file.ts";
import { type Signing, timeLike, timeText, verifyingKey } from "./signing.ts";

export interface FileSender extends Sender {
  readonly facts: SenderFacts;
  /**
   * The body of a new event: the example with a caller's data merged in, a new id and the current time. All other bytes
   * are the example's.
   * @param id the event's id, from which the id in the body is derived
   * @param at virtual milliseconds
   * @throws SandboxError `bad_request` for data of another type, or a misplaced field
   */
  makeBody(type: string, data: object | undefined, id: string, at: number): string;
  /** A caller's data in the shape of a body: inside the form field that holds the JSON, with each `$known.…` replaced. */
  inBody(data: object): object;
  /** The example body of a type, as sent. */
  example(type: string): string;
  checkSecret(secret: string): void;
  /** The same sender with some facts replaced, such as example bodies. */
  with(facts: Partial<SenderFacts>): FileSender;
}

/** Creates a sender from its file. @param sign a module's function, for signatures that the file cannot describe */
export function fileSender(facts: SenderFacts, sign?: SignFunction): FileSender {
  const { name, events, type: typePlace, id: idPlace, form } = facts;
  const unitOf = (type: string) => factOf<Signing["time"]>(facts.unit, type) ?? "seconds";
  const inBody = (place: string | undefined) => place?.startsWith("body.");
  const idOf = ({ body, eventId }: { body: string; eventId: string }): string =>
    (inBody(idPlace) ? valueAt(idPlace, {}, body) : undefined) ?? idLike(facts.idLike, eventId);

  const versionOf = (body: string) => valueAt(facts.versionAt, {}, body);
  const typeOf: FileSender["typeOf"] = ({ headers, body }) => valueAt(typePlace, headers, body) ?? null;

  function checkData(type: string, data: object): void {
    if (data === NO_DATA) return;
    const other = valueAt(inBody(typePlace) ? typePlace : undefined, {}, JSON.stringify(data));
    if (other !== undefined && other !== type)
      throw misuse(
        `The data has the type ${other}, but the event is ${type}.`,
        "Omit the type from the data, or send an event of that type.",
        "data",
      );
    const example = parseBody(sender.example(type));
    // An event of a connected account has one more field than its example.
    const whole = facts.account?.startsWith("body.")
      ? { [facts.account.slice("body.".length)]: null, ...example }
      : example;
    const misplaced = findMisplaced(whole, data);
    if (misplaced)
      throw misuse(
        `${type} has no ${misplaced.at}: ${name} sends it at ${misplaced.place}.`,
        "Structure the data like the example body.",
        "data",
      );
  }

  type Fill = (id: string, at: number) => string;
  /** Cached templates of bodies with slots for the id and the times, because explorations make many. */
  const prepared = new WeakMap<object, Map<string, Fill>>();

  function prepare(type: string, data: object): Fill {
    const timePlace = factOf(facts.time, type);
    const example = sender.example(type);
    const merged = sender.inBody(data);
    const written = JSON.stringify(merged);
    const isRenewed = (place: string | undefined, path: Path): boolean =>
      place !== undefined &&
      isAt(path, place) &&
      valueAt(place.replace(/^body\.\*/, "body"), {}, written) === undefined;
    const isForm = readJson(example) === undefined;
    const fills: Fill[] = [];
    const text = rewrite(mergeOver(example, merged), (path, text, isString) => {
      if (isRenewed(idPlace, path) || isRenewed(facts.nonce, path))
        fills.push((id) => escaped(idLike(text, keyOf(id, path), isString), isForm));
      else if (isRenewed(timePlace, path)) fills.push((_id, at) => timeText(unitOf(type), at));
      else if (facts.changed.some((place) => isRenewed(place, path)))
        fills.push((_id, at) => timeLike(text, at));
      else return text;
      return MARK;
    });
    const parts = text.split(MARK);
    const fill: Fill = (id, at) =>
      parts.reduce((made, part, index) => made + fills[index - 1]!(id, at) + part);
    prepared.set(data, (prepared.get(data) ?? new Map()).set(type, fill));
    return fill;
  }

  const sender: FileSender = {
    name,
    facts,
    events: Object.keys(events),
    policy: policyOf(facts),
    deliveryId: "attempt",
    // Data folders from earlier versions store the object itself.
    body: ({ data }) => (data.startsWith('"') ? JSON.parse(data) : data),
    ...describedRequests(facts, idOf, sign, typeOf),
    ...{ typeOf, versionOf },

    addressOf(type, url) {
      const path = factOf(facts.routes, type);
      return path === undefined ? url : new URL(path, url).href;
    },

    withTime(body, type, at) {
      const place = factOf(facts.time, type);
      // Rewriting may change the bytes of a form.
      if (place === undefined && facts.changed.length === 0) return body;
      return rewrite(body, (path, text) => {
        if (place !== undefined && isAt(path, place)) return timeText(unitOf(type), at);
        return facts.changed.some((one) => isAt(path, one)) ? timeLike(text, at) : text;
      });
    },

    inBody(written) {
      if (written === NO_DATA) return written;
      const data = resolveKnown(written, facts.known);
      return form === undefined || isObject(Object(data)[form]) ? data : { [form]: data };
    },

    example: (type) => exampleText(events[type]!),

    makeBody(type, data = NO_DATA, id, at) {
      checkData(type, sender.inBody(data));
      const fill = prepared.get(data)?.get(type) ?? prepare(type, data);
      return fill(id, at);
    },

    verifyingKey: (secret) => (sign ? secret : verifyingKey(facts.signature, secret)),

    // Custom code may accept any secret.
    checkSecret(secret) {
      if (sign) return;
      const all = facts.account === undefined ? [secret] : secretsIn(secret);
      for (const one of all) checkSecret(name, facts.signature, one);
    },

    with: (other) => fileSender({ ...facts, ...other }, sign),

    makeTest({ ids, clock }) {
      const [type = name] = Object.keys(events);
      return { type, data: sender.makeBody(type, undefined, ids.next("evt_"), clock.now()) };
    },
  };
  return sender;
}

/** Serializes a value as JSON, quoted if it is a string, or form-encoded. */
const escaped = (value: string, isForm: boolean): string =>
  isForm ? encodeURIComponent(value) : JSON.stringify(value).slice(1, -1);

const NO_DATA = {};

/** The placeholder for an id or a time. */
const MARK = "Sandglass0Fills1This2In";

/** The basis of an event's id. Each event in a batch needs its own. */
const keyOf = (id: string, path: Path): string => {
  const at = path.find((name) => typeof name === "number");
  return at === undefined || at === 0 ? id : `${id} ${at}`;
};

const packagedBodies = new Map<string, string>();

/**
 * The text of an example body. A snapshot may refer to a body, but only to a packaged one; older snapshots contain the
 * body itself.
 */
export function exampleText(body: SenderFacts["events"][string]): string {
  if (typeof body === "string") return body;
  const { packaged } = body;
  if (!/^[a-z-]+\/\w+(?:\.\w+)*\.json$/.test(packaged)) return JSON.stringify(body);
  const present = packagedBodies.get(packaged);
  if (present !== undefined) return present;
  const path = inPackage(`fixtures/senders/${packaged}`);
  if (!existsSync(path))
    throw notFound(
      `The world uses the example body ${packaged}, which this version of Sandglass does not include.`,
      "Use the version that created the snapshot or data folder.",
    );
  const text = readFileSync(path, "utf8");
  packagedBodies.set(packaged, text);
  return text;
}

/** A signing function, which returns the value of `{signature}`. */
export type SignFunction = NonNullable<Parameters<typeof describedRequests>[2]>;

function policyOf({ retries, timeout, success, gone, disable, order }: SenderFacts): SenderPolicy {
  const { every, for: span = 0, jitter } = retries;
  return {
    retryDelays: retries.delays ?? (every === undefined ? [] : Array(Math.floor(span / every)).fill(every)),
    timeout,
    jitter,
    gone,
    unretried: retries.except,
    ordered: order === "endpoint",
    succeeds:
      success === "2xx"
        ? isSuccess
        : (status) => String(status).startsWith(String(success).replace("xx", "")),
    disableAfter: {
      consecutive: typeof disable === "object" && "failures" in disable ? disable.failures : null,
      count: "attempts",
      failingFor:
        typeof disable === "object" && "failing-for" in disable ? disable["failing-for"] : undefined,
    },
  };
}
