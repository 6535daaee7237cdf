import { Type } from "typebox";
import { SandboxError } from "../../errors/errors.ts";
import { worthShowing } from "../../story/entries.ts";
import { Entry, entryView, nullable, oneOf, optional, text, VirtualTime } from "../schemas.ts";
import { tool } from "../tool.ts";

const Clock = Type.Object({
  mode: oneOf(["live", "scaled", "paused"]),
  rate: Type.Number({ description: "Virtual seconds per real second." }),
  now: VirtualTime,
});

/** The most payment links that the status lists. */
const SHOWN_LINKS = 20;

const MOST_USED_LINKS = "/payment-links?limit=100&sort=current_uses&order=desc";

interface Link {
  short_code: string;
  name: string;
  amount: string | null;
  active: boolean;
}

/** The world as a whole: its state, its journal, its snapshots. */
export const worldTools = [
  tool({
    name: "status",
    title: "Status of the sandbox",
    description:
      "Start here. Returns the sandbox's addresses, API keys and virtual clock, its webhook endpoints with their signing secrets, and payment links that can be paid. Starts a sandbox if none runs.",
    effect: "reads",
    input: {},
    output: {
      url: text("Address of the sandbox, and of its page."),
      version: Type.String(),
      world: Type.String(),
      seed: Type.String(),
      clock: Clock,
      apis: Type.Record(Type.String(), Type.String(), { description: "Base URL of each emulated API." }),
      keys: Type.Record(Type.String(), Type.String(), { description: "API keys by what they can do." }),
      endpoints: Type.Array(
        Type.Object({
          id: Type.String(),
          url: Type.String(),
          status: oneOf(["enabled", "disabled"]),
          events: Type.Array(Type.String()),
          secret: Type.String(),
          consecutive_failures: Type.Integer(),
          threshold: Type.Union([Type.Integer(), Type.Null()], {
            description: "Consecutive failures that disable it.",
          }),
        }),
      ),
      payment_links: Type.Array(
        Type.Object({
          short_code: text("What `pay` takes."),
          name: Type.String(),
          amount: nullable(text("In the token's smallest unit; null if the payer chooses.")),
        }),
      ),
      counts: Type.Record(Type.String(), Type.Number()),
    },
    async run({ sandbox }) {
      const client = await sandbox();
      const status = await client.status();
      const [endpoints, links] = await Promise.all([
        client.webhooks(),
        client.platform<{ data: Link[] }>("GET", MOST_USED_LINKS, status.keys.read),
      ]);
      return {
        url: status.url,
        version: status.version,
        world: status.world,
        seed: status.seed,
        clock: status.clock,
        apis: { ...status.bases },
        keys: { ...status.keys },
        endpoints: endpoints.map(({ id, url, status, events, secret, consecutive_failures, threshold }) => ({
          id,
          url,
          status,
          events,
          secret,
          consecutive_failures,
          threshold,
        })),
        payment_links: links.data
          .filter(({ active }) => active)
          .slice(0, SHOWN_LINKS)
          .map(({ short_code, name, amount }) => ({ short_code, name, amount })),
        counts: status.counts,
      };
    },
  }),
  tool({
    name: "events",
    title: "Read the journal",
    description:
      "Returns what happened in the world, newest entries last: payments, deliveries, expiries, clock changes, API calls. Read on with `after` set to the last seq.",
    effect: "reads",
    input: {
      after: optional(Type.Integer({ minimum: 0, description: "Only entries after this seq." })),
      types: optional(
        Type.Array(Type.String(), {
          description: "Only these kinds, such as payment.completed; a name may end in *, as in delivery.*",
        }),
      ),
      limit: optional(
        Type.Integer({ minimum: 1, maximum: 500, default: 50, description: "The latest this many." }),
      ),
    },
    output: { entries: Type.Array(Entry) },
    async run({ sandbox }, { after = 0, types = [], limit = 50 }) {
      const { data } = await (await sandbox()).run("events", { after, limit, order: "desc", types });
      return { entries: worthShowing(data.reverse()).map(entryView) };
    },
  }),
  tool({
    name: "reset",
    title: "Reset the world",
    description:
      "Returns the world to its fixtures and the start of its clock. Removes everything made since, endpoints included. Save a snapshot first if it may be needed.",
    effect: "destroys",
    input: {
      seed: optional(text("Another seed for the fixtures; 'empty' creates organizations and keys only.")),
    },
    output: { seed: Type.String(), clock: Clock },
    async run({ sandbox }, { seed }) {
      const client = await sandbox();
      await client.run("reset", { seed });
      const status = await client.status();
      return { seed: status.seed, clock: status.clock };
    },
  }),
  tool({
    name: "save_snapshot",
    title: "Save a snapshot",
    description: "Saves the whole world under a name: data, clock, timers, chance and faults.",
    effect: "changes",
    input: {
      name: text("Letters, digits, dots, hyphens and underscores."),
      replace: optional(Type.Boolean({ description: "Replace a snapshot with that name. Default: refuse." })),
    },
    output: { name: Type.String(), now: nullable(VirtualTime), bytes: Type.Integer() },
    async run({ sandbox }, { name, replace = false }) {
      const client = await sandbox();
      if (!replace && (await client.run("snapshots.list")).data.some((snapshot) => snapshot.name === name))
        throw new SandboxError(
          "conflict",
          `There is already a snapshot named '${name}'.`,
          "Choose another name, or pass replace: true.",
        );
      const saved = await client.run("snapshot", { name });
      return { name: saved.name, now: saved.now, bytes: saved.bytes };
    },
  }),
  tool({
    name: "restore_snapshot",
    title: "Restore a snapshot",
    description:
      "Returns the whole world to a snapshot. Whatever happened since is lost unless it was saved.",
    effect: "destroys",
    input: { name: text("The name that save_snapshot was given.") },
    output: { clock: Clock },
    async run({ sandbox }, { name }) {
      return { clock: (await (await sandbox()).run("restore", { name })).clock };
    },
  }),
];
