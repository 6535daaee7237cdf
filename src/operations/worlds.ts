import { SandboxError } from "../errors/errors.ts";
import { standingOf } from "../http/standing.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { parseInstant } from "../world/duration.ts";
import { operationsOf } from "./operation.ts";
import { dataOf, nameOf } from "./schemas/common.ts";
import * as shapes from "./schemas/worlds.ts";

/** The object of `start --json`, with counts and the journal's end. */
const statusOf = (sandbox: Sandbox) => ({
  ...sandbox.status(),
  counts: sandbox.counts(),
  last_seq: sandbox.journal.lastSeq(),
});

/** @throws SandboxError with the field at fault */
function readStart(startAt: string | number): number {
  try {
    return parseInstant(startAt);
  } catch (error) {
    throw SandboxError.reworded(error as SandboxError, (error as SandboxError).message, "startAt");
  }
}

const operation = operationsOf("World");
const worldsOperation = operationsOf("Worlds");
const snapshotOperation = operationsOf("Snapshots");

/** The world of a request, and the worlds of the whole server: one that a scenario runs in gives its configuration to those that
 * are made through it. */
export const worldOperations = [
  operation("status", "GET /status", {
    id: "status",
    summary: "What is running, where, with which keys",
    answer: shapes.Status,
    async run({ sandbox }) {
      await sandbox.refresh();
      return statusOf(sandbox);
    },
  }),
  operation("reset", "POST /reset", {
    id: "reset",
    effect: "ends",
    summary: "Back to the seeded fixtures",
    description: "`POST /_sandbox/undo` brings back the world as it was.",
    body: shapes.Reset,
    answer: shapes.Status,
    library: { takes: ["seed"], gives: null },
    async run({ sandbox, body }) {
      await sandbox.reset(body.seed);
      return statusOf(sandbox);
    },
  }),
  operation("undo", "POST /undo", {
    id: "undo",
    summary: "Bring back the world that the last reset or restore replaced",
    description:
      "All of it: data, clock, timers, chance, faults and journal. There is one level; a second undo takes the first one back.",
    answer: shapes.Status,
    library: { gives: null },
    async run({ sandbox }) {
      await sandbox.undo();
      return statusOf(sandbox);
    },
  }),
  operation("export", "GET /export", {
    id: "exportWorld",
    summary: "The present world as one file of fixtures",
    description:
      "A world that begins with it is equal in all that a file of fixtures has a field for. `sandglass export` writes it as a folder.",
    answer: shapes.Fixtures,
    // Typed for callers, who get what the JSON says.
    run: async ({ sandbox }) => (await sandbox.export()) as unknown as Record<string, unknown>,
  }),
  worldsOperation("worlds.list", "GET /worlds", {
    id: "listWorlds",
    summary: "The isolated sandboxes of this server",
    answer: shapes.WorldList,
    run: ({ serving: { worlds } }) => ({ data: worlds.list(), not_opened: worlds.unopened }),
  }),
  worldsOperation("worlds.create", "POST /worlds", {
    id: "createWorld",
    summary: "Make a world: from a seed, fixtures or a scenario, or forked from a world or snapshot",
    description:
      "A path in `from` is one in the folder where Sandglass was started; callers on other machines and pages of other origins may name none.",
    body: shapes.NewWorld,
    answer: shapes.Status,
    status: 201,
    async run({ sandbox, serving, body: { startAt, ...rest }, raw }) {
      const { allowedOrigins } = sandbox.settings;
      const isForeignPage = allowedOrigins.includes(raw.headers.origin ?? "");
      return statusOf(
        await serving.worlds.create({
          ...rest,
          through: sandbox.world.name,
          ...(startAt !== undefined && { startAt: readStart(startAt) }),
          remote: isForeignPage || !standingOf({ raw }).local,
        }),
      );
    },
  }),
  worldsOperation("worlds.delete", "DELETE /worlds/:name", {
    id: "deleteWorld",
    effect: "ends",
    summary: "End a world, with all that is in it",
    params: nameOf("a world"),
    answer: shapes.Ended,
    run({ serving, params: { name } }) {
      serving.worlds.remove(name);
      return { name, deleted: true };
    },
  }),
];

/** Snapshots of the whole server, whichever world they are asked through. */
export const snapshotOperations = [
  snapshotOperation("snapshots.list", "GET /snapshots", {
    id: "listSnapshots",
    summary: "Saved worlds",
    answer: dataOf(shapes.Snapshot, "Snapshots"),
    run: async ({ serving }) => ({ data: await serving.worlds.snapshots.list() }),
  }),
  snapshotOperation("snapshot", "POST /snapshots", {
    id: "saveSnapshot",
    summary: "Save this world: data, clock, timers, chance and faults",
    description: "One of the same name is replaced.",
    body: shapes.NewSnapshot,
    answer: shapes.Snapshot,
    status: 201,
    library: { takes: ["name"] },
    async run({ sandbox, serving, body }) {
      return serving.worlds.snapshots.save(body.name, await sandbox.capture());
    },
  }),
  snapshotOperation("restore", "POST /snapshots/:name/restore", {
    id: "restoreSnapshot",
    effect: "ends",
    summary: "Take this world back to a snapshot, of whichever world it is",
    description: "`POST /_sandbox/undo` brings back the world as it was.",
    params: nameOf("a snapshot"),
    answer: shapes.Status,
    library: { takes: [{ named: "name" }], gives: null },
    async run({ sandbox, serving, params: { name } }) {
      await sandbox.restore(await serving.worlds.snapshots.bytesOf(name), name);
      return statusOf(sandbox);
    },
  }),
  snapshotOperation("snapshots.delete", "DELETE /snapshots/:name", {
    id: "deleteSnapshot",
    effect: "ends",
    summary: "Forget a snapshot",
    params: nameOf("a snapshot"),
    answer: shapes.Ended,
    async run({ serving, params: { name } }) {
      await serving.worlds.snapshots.remove(name);
      return { name, deleted: true };
    },
  }),
];
