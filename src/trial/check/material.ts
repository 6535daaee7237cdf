import { PLATFORM_SENDER } from "../../payments/webhooks/platform.ts";
import { storiesOf } from "../../senders/event-list.ts";
import { clip } from "../../timeline/text.ts";
import { isAt, mergeOver, type Path, rewrite, valuesOf } from "../../webhooks/body-text.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { idLike, valueAt } from "../../webhooks/example.ts";
import { findKnown, type KnownValues } from "../../webhooks/known.ts";
import { SECOND } from "../../world/duration.ts";
import type { Delivery } from "./craft.ts";
import { numericIds } from "./leaves.ts";
import { bareOf, TEST } from "./platform.ts";
import { TEXTS, type TextName } from "./texts.ts";

/** The number of simultaneous requests that warm up a server, and then the number of tries with two at once. */
export const WARM_UP = 5;
export const AT_ONCE = 5;

/** The events that all requests are built from. Events that the sender cannot send are null. */
export interface Material {
  /** A new event of the chosen type, about the example's object unless `about` says otherwise. */
  fresh: (name: string) => Delivery;
  /** An event with human-written text. */
  written: (name: TextName) => Delivery;
  /** Two events that differ only in a numeric id beyond 2^53. */
  largeIds: Delivery[] | null;
  /** An event that differs from those only in that its numeric ids are as long as the example's. */
  usualIds: Delivery;
  /** An event of an unknown type, and an event with more fields than the sender documents. */
  unknown: Delivery;
  extended: Delivery;
  /** A checkout without a reference, metadata or a customer. */
  bare: Delivery | null;
  /** A body of one megabyte, just within a common server limit, or of the sender's maximum size. */
  large: Delivery | null;
  test: Delivery | null;
  /** One event of each type, all about the same new object. Handlers may postpone events that depend on a missing one. */
  others: Delivery[];
  /** One event of each of the same types, about the example's object. */
  othersKnown: Delivery[];
  retried: { first: Delivery; again: Delivery };
  /** The last attempt of an event, as old as its retries allow. */
  old: Delivery;
  /** Events of a story, in order. */
  story: Delivery[];
}

export interface Making {
  /** The same seed gives the same bodies and ids. */
  seed: string;
  event: string;
  /** Fields that must differ between events, if the server treats events with equal values as duplicates. */
  about: readonly string[];
}

/** User-written data by event type, which events never change. */
export type OwnData = ReadonlyMap<string, object>;

export interface MaterialOptions extends Making {
  /** The event types to send, in order. */
  types: readonly string[];
  /** The events' time, in milliseconds since the epoch. */
  at: number;
  own?: OwnData | undefined;
  onMade?: ((event: Delivery) => void) | undefined;
}

const LARGE_BODY_BYTES = 1_000_000;
const UNKNOWN_EVENT = "sandglass.unknown_event";
/** Different numbers that are equal in languages where numbers are doubles. */
const LARGE_IDS = ["9007199254740992", "9007199254740993"];
/** Shorter ids may occur in other values by coincidence. */
const LEAST_ID = 6;
/** Names of fields with human-written text. */
const WRITTEN = /(?:name|title|text|note|description|message)$/i;
/** Ids and hashes that the platform generates. */
const DRAWN = /^(?:[a-z]+_[0-9A-Za-z]{16}|0x[0-9a-f]{64})$/;

/** Whether the value at a path was written by the user. */
export function isOwn(data: unknown, path: Path): boolean {
  const [name, ...rest] = path;
  if (name === undefined || typeof data === "string") return data !== undefined;
  return typeof data === "object" && data !== null && isOwn((data as Record<string, unknown>)[name], rest);
}

interface Made {
  type?: string;
  /** The event type whose example body is used; by default, the event's own type. */
  example?: string;
  about?: string;
  happened?: number;
  sent?: number;
  /** Fields in which the event differs from other events. */
  places?: readonly string[];
  /** Whether to replace the first known value in the user's database with the second. */
  isOther?: boolean;
  /** Changes the event's body before it is sent. */
  change?: (body: string) => string;
}

/** Creates a sender's events from its example bodies. Each event is created when it is first read. */
export function makeMaterial(sender: FileSender, options: MaterialOptions): Material {
  const { types, event: main, seed, at, onMade } = options;
  const { facts, policy } = sender;
  const drawn = (example: string, name: string) => idLike(example, `${seed} ${name}`);
  const all = [...facts.about, ...options.about];
  const isPlatform = sender.name === PLATFORM_SENDER;

  function make(name: string, made: Made = {}): Delivery {
    const { type = main, example, about = name, happened = at, sent = at } = made;
    const { places = options.about, isOther = false, change = (body) => body } = made;
    const own = options.own?.get(type);
    const eventId = drawn("evt_0A0a0A0a0A0a0A0a", name);
    const body = sender.makeBody(example ?? type, undefined, eventId, happened);
    const { known } = facts;
    const text = change(withOwnThing(body, { places, about, seed, own, known, isOther }));
    const [object] = facts.about.flatMap((place) => valueAt(place, {}, text) ?? []);
    const id = facts.id?.startsWith("body.") ? valueAt(facts.id, {}, text) : undefined;
    const event: Delivery = {
      ...{ eventId, type, at: sent, test: example === TEST, body: text },
      endpointId: valueAt("body.webhook_id", {}, text) ?? drawn("wh_0A0a0A0a0A0a0A0a", "endpoint"),
      deliveryId: drawn(isPlatform ? "del_0A0a0A0a0A0a0A0a" : "00000000-0000-0000-0000-000000000000", name),
      subject: clip([type, id, object && `about ${object}`].filter(Boolean).join(" "), 200),
    };
    onMade?.(event);
    return event;
  }

  /** An event with other numeric ids. */
  function withIds(name: string, type: string, idFor: (present: string) => string): Delivery {
    const change = (body: string) => {
      const places = numericIds(body);
      return rewrite(body, (path, text) => (places.some((place) => isAt(path, place)) ? idFor(text) : text));
    };
    return make(name, { type, change });
  }

  const inOrder = (about: string, types: readonly string[], places?: readonly string[]) =>
    types.map((type, index) =>
      make(`${about}-${index}`, {
        ...{ type, about, happened: at + index * SECOND },
        ...(places && { places, isOther: true }),
      }),
    );
  const [delay = 0] = policy.retryDelays;
  const waited = policy.retryDelays.reduce((sum, one) => sum + one, 0);
  const extended = (body: string): string => {
    const hasData = valuesOf(sender.example(main)).some(
      ({ path: [first, second] }) => first === "data" && second,
    );
    return mergeOver(body, {
      ...(hasData && { data: { added_later: null } }),
      added_later: { score: 0.02, flags: [] },
    });
  };

  const numbered = types.find((type) => numericIds(sender.example(type)).length > 0);

  return onDemand<Material>({
    fresh: () => (name) => make(name.replaceAll(/[^a-z0-9-]+/g, "-")),
    unknown: () => ({
      ...make("unknown-event", {
        change: (body) =>
          rewrite(body, (path, text) => (facts.type && isAt(path, facts.type) ? UNKNOWN_EVENT : text)),
      }),
      type: UNKNOWN_EVENT,
    }),
    extended: () => make("extra-fields", { change: extended }),
    written: () => (name) => make(name.replace(" ", "-"), { change: (body) => withText(body, TEXTS[name]) }),
    bare: () => (isPlatform ? make("bare-event", { example: bareOf(main) }) : null),
    test: () => (isPlatform ? make("test-delivery", { type: "payment.completed", example: TEST }) : null),
    large: () =>
      facts.largest === undefined
        ? null
        : make("large-body", {
            change: (body) => withSize(body, Math.min(LARGE_BODY_BYTES, facts.largest!)),
          }),
    others: () => inOrder("others", types, all),
    othersKnown: () => inOrder("others-known", types),
    retried: () => {
      const first = make("late-retry", { sent: at - delay });
      const { deliveryId } = first;
      const next = sender.deliveryId === "event" ? deliveryId : drawn(deliveryId, "its retry");
      return { first, again: { ...first, at, deliveryId: next } };
    },
    largeIds: () =>
      numbered === undefined
        ? null
        : LARGE_IDS.map((id, index) => withIds(`large-ids-${index}`, numbered, () => id)),
    usualIds: () =>
      withIds("usual-ids", numbered ?? main, (present) => idLike(present, `${seed} ${present}`, false)),
    old: () => make("old-event", { happened: at - waited }),
    story() {
      const own = storiesOf(sender)
        .map(({ events }) => events.flatMap(({ type }) => (types.includes(type) ? type : [])))
        .find(({ length }) => length > 1);
      return inOrder("story", own ?? (types.length > 1 ? types : [main, main]));
    },
  });
}

/**
 * An object whose fields are created when first read. A hazard needs few of a material's events, and each search for an
 * event that the server acts on creates a new material.
 */
function onDemand<T extends object>(makers: { [Name in keyof T]: () => T[Name] }): T {
  const made = {} as T;
  for (const name of Object.keys(makers) as (keyof T)[])
    Object.defineProperty(made, name, {
      ...{ configurable: true, enumerable: true },
      get() {
        const value = makers[name]();
        Object.defineProperty(made, name, { value, enumerable: true });
        return value;
      },
    });
  return made;
}

interface Thing {
  places: readonly string[];
  about: string;
  seed: string;
  own: object | undefined;
  known: KnownValues | undefined;
  isOther: boolean;
}

/**
 * Rewrites a body to be about a new object, including values that contain the old id, such as `gid://shopify/Order/820…`.
 * User-written values stay, and so do values known from the user's database, unless the second one is requested.
 */
function withOwnThing(body: string, { places, about, seed, own, known, isOther }: Thing): string {
  const ids = new Map<string, string>();
  return rewrite(body, (path, text, isString) => {
    if (!places.some((place) => isAt(path, place)) || isOwn(own, path)) return text;
    const found = findKnown(text, known);
    if (found && !isOther) return text;
    const earlier = [...ids].find(([id]) => id.length >= LEAST_ID && text.includes(id));
    const made = found
      ? String(found.next ?? text)
      : earlier
        ? text.replace(...earlier)
        : aboutValue(text, isString, about, seed);
    ids.set(text, made);
    return made;
  });
}

/** The id of an event's object. Each run uses fresh ids, so that a server that remembers earlier runs sees new events. */
function aboutValue(present: string, isString: boolean, about: string, seed: string): string {
  if (!isString) return idLike(present, `${seed} ${about}`, false);
  if (/^\d+$/.test(present)) return idLike(present, `${seed} ${about} ${present}`, false);
  if (DRAWN.test(present)) return idLike(present, `${seed} ${about} ${present}`);
  const own = `${about}-${idLike("0a0a0a", `${seed} run`)}`;
  return present.includes("@") ? present.replace("@", `+${own}@`) : `${present}-${own}`;
}

/** Puts human-written text into a suitable field of a body, or else into an added note. */
function withText(body: string, written: string): string {
  const changed = rewrite(body, (path, text, isString) =>
    isString && text.includes(" ") && WRITTEN.test(String(path.at(-1))) ? `${text} ${written}` : text,
  );
  return changed === body ? mergeOver(body, { note: written }) : changed;
}

/** Pads a body to the given size with a long note, in a checkout's form fields if there are any. */
function withSize(body: string, bytes: number): string {
  const withNote = (note: string) =>
    mergeOver(body, body.includes('"form_data":{') ? { data: { form_data: { note } } } : { note });
  return withNote("x".repeat(Math.max(0, bytes - Buffer.byteLength(withNote("")))));
}
