import { type Static, Type } from "typebox";
import { flag, integer, listOf, nullable, oneOf, shape, text, VirtualTime } from "../http/shapes.ts";
import { CLOCK_MODES } from "../world/clock.ts";
import { ClockState } from "./clock.ts";
import { Anything, closed, dataOf, nameOf, partialBody, TimeValue } from "./common.ts";
import { operationsOf } from "./operation.ts";

/** The seeded API keys, by purpose. */
type SeededKeys = Readonly<Record<"write" | "read" | "expired" | "revoked" | "other", string>>;
const Organization = Type.Object({ id: Type.String(), name: Type.String() });

export const Status = shape("Status", {
  ready: Type.Literal(true),
  version: Type.String(),
  node: text("The version of Node.js that runs the sandbox."),
  url: Type.String(),
  bases: Type.Record(Type.String(), Type.String()),
  world: Type.String(),
  seed: Type.String(),
  clock: ClockState,
  senders: listOf(
    Type.String(),
    "The senders that the sandbox was started for, in a world without the platform.",
  ),
  share: nullable(
    Type.Object({
      wrong_tokens: integer("How many requests since the start had a wrong token."),
    }),
    { description: "Set if the sandbox is shared with other machines; null otherwise." },
  ),
  organization: nullable(Organization, {
    description:
      "The first organization. In a world that only has senders, it is null, and so are keys and player.",
  }),
  organizations: listOf(Organization, "All organizations; the first is `organization`."),
  keys: nullable(Type.Unsafe<SeededKeys>(Type.Record(Type.String(), Type.String()))),
  webhook_secret: nullable(Type.String()),
  player: nullable(Type.Unsafe<Record<string, unknown> & { token: string }>(Anything)),
  counts: Type.Record(Type.String(), Type.Integer()),
  last_seq: integer("The newest journal entry's seq."),
});

export const World = shape("World", {
  name: Type.String(),
  url: Type.String(),
  seed: Type.String(),
  clock: ClockState,
});
export type World = Static<typeof World>;
export const UnopenedWorld = shape("UnopenedWorld", {
  name: Type.String(),
  problem: text("Why the world could not be opened."),
  kept_as: text("The file with its data; a damaged file was renamed so that it is not opened again."),
});
export type UnopenedWorld = Static<typeof UnopenedWorld>;

export const NewWorld = partialBody("NewWorld", {
  name: Type.String({
    description: "The world's name: it is served below /w/{name}. Default: a generated one.",
    examples: ["checkout-tests"],
  }),
  seed: text("Seed for data and randomness; empty creates no fixtures. Default: the server's."),
  startAt: { ...TimeValue, description: "Virtual time at the start, ISO 8601." },
  from: text(
    "A world or snapshot to continue from instead; or a scenario, a snapshot file or a fixtures folder to start from.",
  ),
  clock: closed({ mode: Type.Optional(oneOf(CLOCK_MODES)), rate: Type.Optional(Type.Number()) }),
});

export const Snapshot = shape("Snapshot", {
  name: Type.String(),
  seed: nullable(text("The seed of the snapshot's world; null if the snapshot cannot be used.")),
  now: nullable(
    Type.String({
      ...VirtualTime,
      description:
        "The virtual time at which the snapshot continues, ISO 8601; null if the snapshot cannot be used.",
    }),
  ),
  bytes: integer("Its size."),
  problem: nullable(text("Why the snapshot cannot be used; null if it can.")),
  durable: flag("Whether the snapshot is stored in a data folder, and so outlives the server."),
});
export type Snapshot = Static<typeof Snapshot>;

export const Fixtures = Type.Object(
  {
    history: Type.Literal("none"),
    startAt: VirtualTime,
    seed: Type.String(),
  },
  {
    title: "Fixtures",
    description:
      "The file also contains a list of rows for each kind; the package's dist/fixtures.schema.json describes them.",
    additionalProperties: Type.Array(Anything),
  },
);

/** The name of a removed world or snapshot. */
export const Ended = shape("Ended", { name: Type.String(), deleted: Type.Literal(true) });

const operation = operationsOf("World");
const worldsOperation = operationsOf("Worlds");
const snapshotOperation = operationsOf("Snapshots");

/**
 * Operations on the requested world and on all worlds of the server. Worlds that are created from a scenario's world
 * inherit its configuration.
 */
export const worldOperations = [
  operation("status", "GET /status", {
    id: "status",
    summary: "The sandbox's addresses, keys and state",
    answer: Status,
  }),
  operation("reset", "POST /reset", {
    id: "reset",
    effect: "ends",
    summary: "Return to the seeded fixtures",
    description: "`POST /_sandbox/undo` brings back the world as it was.",
    body: partialBody("Reset", {
      seed: Type.String({
        minLength: 1,
        maxLength: 200,
        description: "Start from another seed; empty creates no fixtures.",
      }),
    }),
    answer: Status,
    library: { takes: ["seed"], gives: null },
  }),
  operation("undo", "POST /undo", {
    id: "undo",
    summary: "Bring back the world that the last reset or restore replaced",
    description:
      "Restores data, clock, timers, randomness, faults and journal. There is only one level; a second undo reverts the first.",
    answer: Status,
    library: { gives: null },
  }),
  operation("export", "GET /export", {
    id: "exportWorld",
    summary: "The current world as one fixtures file",
    description:
      "A world started from the file is identical in everything that a fixtures file can describe. `sandglass export` writes it as a folder.",
    answer: Fixtures,
  }),
  worldsOperation("worlds.list", "GET /worlds", {
    id: "listWorlds",
    summary: "This server's isolated sandboxes",
    answer: shape("Worlds", {
      data: Type.Array(World),
      not_opened: listOf(
        UnopenedWorld,
        "Worlds of the data folder that could not be opened when the server started.",
      ),
    }),
  }),
  worldsOperation("worlds.create", "POST /worlds", {
    id: "createWorld",
    summary: "Create a world from a seed, fixtures or a scenario, or fork a world or snapshot",
    description:
      "A path in `from` must be in the folder where Sandglass was started; callers on other machines and pages from other origins cannot specify a path.",
    body: NewWorld,
    answer: Status,
    status: 201,
  }),
  worldsOperation("worlds.delete", "DELETE /worlds/:name", {
    id: "deleteWorld",
    effect: "ends",
    summary: "Delete a world and everything in it",
    params: nameOf("a world"),
    answer: Ended,
  }),
];

/** Snapshots belong to the whole server, and can be accessed through any of its worlds. */
export const snapshotOperations = [
  snapshotOperation("snapshots.list", "GET /snapshots", {
    id: "listSnapshots",
    summary: "Saved worlds",
    answer: dataOf(Snapshot, "Snapshots"),
  }),
  snapshotOperation("snapshot", "POST /snapshots", {
    id: "saveSnapshot",
    summary: "Save this world: data, clock, timers, randomness and faults",
    description: "An existing snapshot with the same name is replaced.",
    body: partialBody("NewSnapshot", {
      name: text("The snapshot's name. Default: a generated one."),
    }),
    answer: Snapshot,
    status: 201,
    library: { takes: ["name"] },
  }),
  snapshotOperation("restore", "POST /snapshots/:name/restore", {
    id: "restoreSnapshot",
    effect: "ends",
    summary: "Restore a snapshot of any world into this world",
    description: "`POST /_sandbox/undo` brings back the world as it was.",
    params: nameOf("a snapshot"),
    answer: Status,
    library: { takes: [{ named: "name" }], gives: null },
  }),
  snapshotOperation("snapshots.delete", "DELETE /snapshots/:name", {
    id: "deleteSnapshot",
    effect: "ends",
    summary: "Delete a snapshot",
    params: nameOf("a snapshot"),
    answer: Ended,
  }),
];
