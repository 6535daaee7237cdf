import { PLATFORM_SENDER } from "../../payments/webhooks/platform.ts";
import { storiesOf } from "../../senders/event-list.ts";
import { clip } from "../../timeline/text.ts";
import { isAt, mergeOver, rewrite, valuesOf } from "../../webhooks/body-text.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { idLike, valueAt } from "../../webhooks/example.ts";
import { SECOND } from "../../world/duration.ts";
import type { Delivery } from "./craft.ts";
import { numericIds } from "./leaves.ts";
import { bareOf, TEST } from "./platform.ts";
import { TEXTS, type TextName } from "./texts.ts";

/** How many events are sent at once so that a server opens its connections, and then how many twice at once. */
export const WARM_UP = 5;
export const AT_ONCE = 5;

/** Everything that is sent is made from this. What a sender cannot send is null. */
export interface Material {
  /** An event of the chosen type, about its own thing. */
  fresh: (name: string) => Delivery;
  /** An event with a text that a person wrote. */
  written: (name: TextName) => Delivery;
  /** Two events whose ids are numbers that differ beyond 2^53. */
  largeIds: Delivery[] | null;
  /** An event of a type that nothing knows, and one with more fields than the sender describes. */
  unknown: Delivery;
  extended: Delivery;
  /** A checkout without reference, metadata and customer. */
  bare: Delivery | null;
  /** A body of a megabyte, which servers that take one just take, or of the sender's largest size. */
  large: Delivery | null;
  /** A test delivery. */
  test: Delivery | null;
  /** One of each event type, about one thing: a handler may put off an event that has nothing to build on. */
  others: Delivery[];
  /** The first two attempts of one event. */
  retried: { first: Delivery; again: Delivery };
  /** The last attempt of an event, which is as old as its retries let it become. */
  old: Delivery;
  /** Events of a story, in their order. */
  story: Delivery[];
}

/** What events are made of. */
export interface Making {
  /** The same seed gives the same bodies and ids. */
  seed: string;
  /** The type of most events. */
  event: string;
  /** Places of bodies that name what an event is about, beside those of the sender's file. */
  about: readonly string[];
}

export interface MaterialOptions extends Making {
  /** That are sent, in their order. */
  types: readonly string[];
  /** When they happen, milliseconds since the epoch. */
  at: number;
  /** Gets each event. */
  onMade?: ((event: Delivery) => void) | undefined;
}

const LARGE_BODY_BYTES = 1_000_000;
const UNKNOWN_EVENT = "sandglass.unknown_event";
/** Numbers that differ, and are equal in a language whose numbers are doubles. */
const LARGE_IDS = ["9007199254740992", "9007199254740993"];
/** Shorter ones stand in other values by chance. */
const LEAST_ID = 6;
/** Fields that people write, where they have words. */
const WRITTEN = /(?:name|title|text|note|description|message)$/i;
/** What the platform draws for its objects. */
const DRAWN = /^(?:[a-z]+_[0-9A-Za-z]{16}|0x[0-9a-f]{64})$/;

/** How an event differs from the others. */
interface Made {
  type?: string;
  /** Whose example body it has; its type's by default. */
  example?: string;
  about?: string;
  happened?: number;
  sent?: number;
  /** Of its body, before it is sent. */
  change?: (body: string) => string;
}

/** Makes events of a sender, from its example bodies. */
export function makeMaterial(sender: FileSender, options: MaterialOptions): Material {
  const { types, event: main, seed, at, onMade } = options;
  const { facts, policy } = sender;
  const drawn = (example: string, name: string) => idLike(example, `${seed} ${name}`);
  const places = [...facts.about, ...options.about];
  const isPlatform = sender.name === PLATFORM_SENDER;

  /** An event about its own thing. */
  function make(
    name: string,
    { type = main, example, about = name, happened = at, sent = at, change = (body) => body }: Made = {},
  ): Delivery {
    const eventId = drawn("evt_0A0a0A0a0A0a0A0a", name);
    const body = sender.makeBody(example ?? type, undefined, eventId, happened);
    const text = change(withOwnThing(body, { places, about, seed }));
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

  const numbered = types.find((type) => numericIds(sender.example(type)).length > 0);

  /** An event whose ids are this number, which JavaScript cannot write. */
  function withLargeIds(id: string, index: number): Delivery {
    const change = (body: string) => {
      const places = numericIds(body);
      return rewrite(body, (path, text) => (places.some((place) => isAt(path, place)) ? id : text));
    };
    return make(`large-ids-${index}`, { type: numbered!, change });
  }

  const inOrder = (about: string, all: readonly string[]) =>
    all.map((type, index) => make(`${about}-${index}`, { type, about, happened: at + index * SECOND }));
  const [delay = 0] = policy.retryDelays;
  const retried = make("late-retry", { sent: at - delay });
  const waited = policy.retryDelays.reduce((sum, one) => sum + one, 0);
  const told = storiesOf(sender)
    .map(({ events }) => events.flatMap(({ type }) => (types.includes(type) ? type : [])))
    .find(({ length }) => length > 1);
  const hasData = valuesOf(sender.example(main)).some(
    ({ path: [first, second] }) => first === "data" && second,
  );
  const extended = (body: string): string =>
    mergeOver(body, {
      ...(hasData && { data: { added_later: null } }),
      added_later: { score: 0.02, flags: [] },
    });
  return {
    fresh: (name) => make(name.replaceAll(/[^a-z0-9-]+/g, "-")),
    unknown: {
      ...make("unknown-event", {
        change: (body) =>
          rewrite(body, (path, text) => (facts.type && isAt(path, facts.type) ? UNKNOWN_EVENT : text)),
      }),
      type: UNKNOWN_EVENT,
    },
    extended: make("extra-fields", { change: extended }),
    written: (name) => make(name.replace(" ", "-"), { change: (body) => withText(body, TEXTS[name]) }),
    bare: isPlatform ? make("bare-event", { example: bareOf(main) }) : null,
    test: isPlatform ? make("test-delivery", { type: "payment.completed", example: TEST }) : null,
    large:
      facts.largest === undefined
        ? null
        : make("large-body", {
            change: (body) => withSize(body, Math.min(LARGE_BODY_BYTES, facts.largest!)),
          }),
    others: inOrder("others", types),
    retried: {
      first: retried,
      again: {
        ...{ ...retried, at },
        deliveryId:
          sender.deliveryId === "event" ? retried.deliveryId : drawn(retried.deliveryId, "its retry"),
      },
    },
    largeIds: numbered === undefined ? null : LARGE_IDS.map(withLargeIds),
    old: make("old-event", { happened: at - waited }),
    story: inOrder("story", told ?? (types.length > 1 ? types : [main, main])),
  };
}

/** A body about its own thing. What contains another id of the thing, such as `gid://shopify/Order/820…`, contains the new one. */
function withOwnThing(
  body: string,
  { places, about, seed }: { places: readonly string[]; about: string; seed: string },
): string {
  const ids = new Map<string, string>();
  return rewrite(body, (path, text, isString) => {
    if (!places.some((place) => isAt(path, place))) return text;
    const known = [...ids].find(([id]) => id.length >= LEAST_ID && text.includes(id));
    const own = known ? text.replace(...known) : aboutValue(text, isString, about, seed);
    ids.set(text, own);
    return own;
  });
}

/** A value of the thing that an event is about. It is a run's own: a server that stores what it handled takes its events for new ones. */
function aboutValue(present: string, isString: boolean, about: string, seed: string): string {
  if (!isString) return idLike(present, `${seed} ${about}`, false);
  if (DRAWN.test(present)) return idLike(present, `${seed} ${about} ${present}`);
  const own = `${about}-${idLike("0a0a0a", `${seed} run`)}`;
  return present.includes("@") ? present.replace("@", `+${own}@`) : `${present}-${own}`;
}

/** A body in which people wrote a text; it has a note where it has nothing of the kind. */
function withText(body: string, written: string): string {
  const changed = rewrite(body, (path, text, isString) =>
    isString && text.includes(" ") && WRITTEN.test(String(path.at(-1))) ? `${text} ${written}` : text,
  );
  return changed === body ? mergeOver(body, { note: written }) : changed;
}

/** A body of so many bytes, with a long note; in the form that a customer filled in, where it has one. */
function withSize(body: string, bytes: number): string {
  const withNote = (note: string) =>
    mergeOver(body, body.includes('"form_data":{') ? { data: { form_data: { note } } } : { note });
  return withNote("x".repeat(Math.max(0, bytes - Buffer.byteLength(withNote("")))));
}
