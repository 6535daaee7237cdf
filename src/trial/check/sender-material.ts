import { clip } from "../../timeline/text.ts";
import { isAt, mergeOver, rewrite, valuesOf } from "../../webhooks/body-text.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { idLike, valueAt } from "../../webhooks/example.ts";
import { SECOND } from "../../world/duration.ts";
import type { Delivery } from "./craft.ts";
import { numericIds } from "./leaves.ts";
import { LARGE_BODY_BYTES, type Material } from "./material.ts";
import { TEXTS } from "./texts.ts";

const UNKNOWN_EVENT = "sandglass.unknown_event";
/** Numbers that differ, and are equal in a language whose numbers are doubles. */
const LARGE_IDS = ["9007199254740992", "9007199254740993"];
/** Shorter ones stand in other values by chance. */
const LEAST_ID = 6;
/** Fields that people write, where they have words. */
const WRITTEN = /(?:name|title|text|note|description|message)$/i;

interface SenderEvents {
  types: readonly string[];
  about: readonly string[];
  seed: string;
  at: number;
  /** Gets each event. */
  onMade?: ((event: Delivery) => void) | undefined;
}

/**
 * Makes events of a sender of a file, from its example bodies. The same arguments give the same bodies and ids.
 * @param types that are sent, the first one for most hazards
 * @param about further places of bodies that name what an event is about
 * @param at when they happen, milliseconds since the epoch
 */
export function makeSenderMaterial(
  sender: FileSender,
  { types, about: more, seed, at, onMade }: SenderEvents,
): Material {
  const { facts, policy } = sender;
  const [main] = types;
  const drawn = (example: string, name: string) => idLike(example, `${seed} ${name}`);

  const places = [...facts.about, ...more];

  /** An event about its own thing. @param change of its body, before it is sent */
  function make(
    name: string,
    { type = main!, about = name, happened = at, change = (body: string) => body } = {},
  ): Delivery {
    const eventId = drawn("evt_0A0a0A0a0A0a0A0a", name);
    const body = sender.makeBody(type, undefined, eventId, happened);
    const text = change(withOwnThing(body, { places, about, seed }));
    const [object] = facts.about.flatMap((place) => valueAt(place, {}, text) ?? []);
    const id = facts.id?.startsWith("body.") ? valueAt(facts.id, {}, text) : undefined;
    const event: Delivery = {
      ...{ eventId, type, at, test: false, body: text },
      endpointId: drawn("wh_0A0a0A0a0A0a0A0a", "endpoint"),
      deliveryId: drawn("00000000-0000-0000-0000-000000000000", name),
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
  const retried = make("late-retry");
  const waited = policy.retryDelays.reduce((sum, delay) => sum + delay, 0);
  const hasData = valuesOf(sender.example(main!)).some(
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
    bare: null,
    test: null,
    large:
      facts.largest === undefined
        ? null
        : make("large-body", {
            change: (body) => withSize(body, Math.min(LARGE_BODY_BYTES, facts.largest!)),
          }),
    // About one thing, in their order: a handler may put off an event that has nothing to build on.
    others: inOrder("others", types),
    retried: { first: retried, again: { ...retried, deliveryId: drawn(retried.deliveryId, "its retry") } },
    largeIds: numbered === undefined ? null : LARGE_IDS.map(withLargeIds),
    old: make("old-event", { happened: at - waited }),
    story: inOrder("story", types.length > 1 ? types : [main!, main!]),
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

/** A body of so many bytes, with a long note. */
function withSize(body: string, bytes: number): string {
  const size = Buffer.byteLength(mergeOver(body, { note: "" }));
  return mergeOver(body, { note: "x".repeat(Math.max(0, bytes - size)) });
}
