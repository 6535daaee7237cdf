import { operationsOf } from "./operation.ts";
import { dataOf, nameOf } from "./schemas/common.ts";
import * as shapes from "./schemas/worlds.ts";
import { statusOf } from "./worlds.ts";

const operation = operationsOf("Snapshots");

/** Snapshots of the whole server, whichever world they are asked through. */
export const snapshotOperations = [
  operation("snapshots.list", "GET /snapshots", {
    id: "listSnapshots",
    summary: "Saved worlds",
    answer: dataOf(shapes.Snapshot, "Snapshots"),
    run: async ({ serving }) => ({ data: await serving.worlds.snapshots.list() }),
  }),
  operation("snapshot", "POST /snapshots", {
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
  operation("restore", "POST /snapshots/:name/restore", {
    id: "restoreSnapshot",
    effect: "ends",
    summary: "Take this world back to a snapshot, of whichever world it is",
    params: nameOf("a snapshot"),
    answer: shapes.Status,
    library: { takes: [{ named: "name" }], gives: null },
    async run({ sandbox, serving, params: { name } }) {
      await sandbox.restore(await serving.worlds.snapshots.bytesOf(name), name);
      return statusOf(sandbox);
    },
  }),
  operation("snapshots.delete", "DELETE /snapshots/:name", {
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
