import { clip } from "../timeline/text.ts";
import type { FileSender } from "../webhooks/described.ts";
import { idLike, replaceAt, valueAt } from "../webhooks/example.ts";
import { SECOND } from "../world/duration.ts";
import type { Delivery } from "./craft.ts";
import { LARGE_BODY_BYTES, type Material } from "./material.ts";

const UNKNOWN_EVENT = "sandglass.unknown_event";
const PERSON = "Zoë Ångström 周 🧾";
/** Fields that people write, where they have words. */
const WRITTEN = /(?:name|title|text|note|description|message)$/i;

type Body = Record<string, unknown>;

/**
 * Makes events of a sender of a file, from its example bodies. The same arguments give the same bodies and ids.
 * @param types that are sent, the first one for most hazards
 * @param at when they happen, milliseconds since the epoch
 */
export function makeSenderMaterial(
  sender: FileSender,
  { types, seed, at }: { types: readonly string[]; seed: string; at: number },
): Material {
  const { facts, policy } = sender;
  const [main] = types;
  const drawn = (example: string, name: string) => String(idLike(example, `${seed} ${name}`));

  /** A run's own: a server that stores what it handled takes its events for new ones. */
  const run = drawn("0a0a0a", "run");

  /** An event about its own thing. @param change of its body, before it is sent */
  function make(
    name: string,
    { type = main!, about = name, happened = at, change = (body: Body) => body } = {},
  ): Delivery {
    const eventId = drawn("evt_0A0a0A0a0A0a0A0a", name);
    const body = sender.makeBody(type, undefined, eventId, happened);
    for (const place of facts.about)
      replaceAt(body, place, (present) =>
        typeof present === "string" ? `${present}-${about}-${run}` : idLike(present, `${seed} ${about}`),
      );
    const text = JSON.stringify(change(body));
    const [object] = facts.about.flatMap((place) => valueAt(place, {}, text) ?? []);
    const id = facts.id?.startsWith("body.") ? valueAt(facts.id, {}, text) : undefined;
    return {
      ...{ eventId, type, at, test: false, body: text },
      endpointId: drawn("wh_0A0a0A0a0A0a0A0a", "endpoint"),
      deliveryId: drawn("00000000-0000-0000-0000-000000000000", name),
      subject: clip([type, id, object && `about ${object}`].filter(Boolean).join(" "), 200),
    };
  }

  const inOrder = (about: string, all: readonly string[]) =>
    all.map((type, index) => make(`${about}-${index}`, { type, about, happened: at + index * SECOND }));
  const retried = make("late-retry");
  const waited = policy.retryDelays.reduce((sum, delay) => sum + delay, 0);
  const extended = (body: Body): Body => ({
    ...body,
    ...(isObject(body.data) && { data: { ...body.data, added_later: null } }),
    added_later: { score: 0.02, flags: [] },
  });
  return {
    fresh: (name) => make(name.replaceAll(/[^a-z-]+/g, "-")),
    unknown: {
      ...make("unknown-event", {
        change(body) {
          if (facts.type?.startsWith("body.")) replaceAt(body, facts.type, () => UNKNOWN_EVENT);
          return body;
        },
      }),
      type: UNKNOWN_EVENT,
    },
    extended: make("extra-fields", { change: extended }),
    unicode: make("unicode", { change: (body) => personal(body) ?? { ...body, note: PERSON } }),
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
    old: make("old-event", { happened: at - waited }),
    story: inOrder("story", types.length > 1 ? types : [main!, main!]),
  };
}

const isObject = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A body in which what people write goes beyond ASCII; undefined where it has nothing of the kind. */
function personal(body: Body): Body | undefined {
  let isChanged = false;
  const text = JSON.stringify(body, (key, value: unknown) => {
    if (typeof value !== "string" || !value.includes(" ") || !WRITTEN.test(key)) return value;
    isChanged = true;
    return `${value} ${PERSON}`;
  });
  return isChanged ? (JSON.parse(text) as Body) : undefined;
}

/** A body of so many bytes, with a long note. */
function withSize(body: Body, bytes: number): Body {
  const size = Buffer.byteLength(JSON.stringify({ ...body, note: "" }));
  return { ...body, note: "x".repeat(Math.max(0, bytes - size)) };
}
