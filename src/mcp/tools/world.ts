import { Type } from "typebox";
import { SandboxError } from "../../errors/errors.ts";
import { nullable, oneOf } from "../../http/shapes.ts";
import { worthShowing } from "../../timeline/entries.ts";
import { Entry, entryView, optional, text, VirtualTime } from "../schemas.ts";
import { operationTool, tool } from "../tool.ts";

const Clock = Type.Object({
  mode: oneOf(["live", "scaled", "paused"]),
  rate: Type.Number({ description: "Virtual seconds per real second." }),
  now: VirtualTime,
});

/** The most payment links that the status lists. */
const SHOWN_LINKS = 20;

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
        client.run("payments.links", { active: true, sort: "current_uses", limit: SHOWN_LINKS }),
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
        payment_links: links.data.map(({ short_code, name, amount }) => ({ short_code, name, amount })),
        counts: status.counts,
      };
    },
  }),
  operationTool({
    name: "events",
    does: "events",
    title: "Read the journal",
    description:
      "Returns what happened in the world, newest entries last: payments, deliveries, expiries, clock changes, API calls. Read on with `after` set to the last seq.",
    takes: ["after"],
    own: {
      types: optional(
        Type.Array(Type.String(), {
          description: "Only these kinds, such as payment.completed; a name may end in *, as in delivery.*",
        }),
      ),
      limit: optional(
        Type.Integer({ minimum: 1, maximum: 500, default: 50, description: "The latest this many." }),
      ),
    },
    read: (input) => ({ ...input, order: "desc" }),
    gives: { entries: Type.Array(Entry) },
    view: ({ data }) => ({ entries: worthShowing(data.reverse()).map(entryView) }),
  }),
  operationTool({
    name: "reset",
    does: "reset",
    description:
      "Returns the world to its fixtures and the start of its clock. Removes everything made since, endpoints included; undo brings it back.",
    takes: ["seed"],
    gives: ["seed", "clock"],
  }),
  operationTool({
    name: "undo",
    does: "undo",
    description:
      "Brings back the world that the last reset or restore_snapshot replaced. A second undo takes the first one back.",
    gives: ["seed", "clock"],
  }),
  operationTool({
    name: "save_snapshot",
    does: "snapshot",
    description: "Saves the whole world under a name: data, clock, timers, chance and faults.",
    own: {
      name: text("Letters, digits, dots, hyphens and underscores."),
      replace: optional(Type.Boolean({ description: "Replace a snapshot with that name. Default: refuse." })),
    },
    async read({ name, replace = false }, client) {
      if (replace || !(await client.run("snapshots.list")).data.some((snapshot) => snapshot.name === name))
        return { name };
      throw new SandboxError(
        "conflict",
        `There is already a snapshot named '${name}'.`,
        "Choose another name, or pass replace: true.",
      );
    },
    gives: ["name", "now", "bytes"],
  }),
  operationTool({
    name: "restore_snapshot",
    does: "restore",
    description: "Returns the whole world to a snapshot. The tool undo brings back the world as it was.",
    takes: ["name"],
    gives: ["clock"],
  }),
];
