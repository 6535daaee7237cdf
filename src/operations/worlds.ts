import { operationsOf } from "./operation.ts";
import { dataOf, nameOf } from "./schemas/common.ts";
import * as shapes from "./schemas/worlds.ts";

const operation = operationsOf("World");
const worldsOperation = operationsOf("Worlds");
const snapshotOperation = operationsOf("Snapshots");

/**
 * Operations on the world of a request, and on all worlds of the server: worlds created within a scenario's world get its
 * configuration.
 */
export const worldOperations = [
  operation("status", "GET /status", {
    id: "status",
    summary: "What is running, where, with which keys",
    answer: shapes.Status,
  }),
  operation("reset", "POST /reset", {
    id: "reset",
    effect: "ends",
    summary: "Back to the seeded fixtures",
    description: "`POST /_sandbox/undo` brings back the world as it was.",
    body: shapes.Reset,
    answer: shapes.Status,
    library: { takes: ["seed"], gives: null },
  }),
  operation("undo", "POST /undo", {
    id: "undo",
    summary: "Bring back the world that the last reset or restore replaced",
    description:
      "All of it: data, clock, timers, chance, faults and journal. There is one level; a second undo takes the first one back.",
    answer: shapes.Status,
    library: { gives: null },
  }),
  operation("export", "GET /export", {
    id: "exportWorld",
    summary: "The present world as one file of fixtures",
    description:
      "A world that begins with it is equal in all that a file of fixtures has a field for. `sandglass export` writes it as a folder.",
    answer: shapes.Fixtures,
  }),
  worldsOperation("worlds.list", "GET /worlds", {
    id: "listWorlds",
    summary: "The isolated sandboxes of this server",
    answer: shapes.WorldList,
  }),
  worldsOperation("worlds.create", "POST /worlds", {
    id: "createWorld",
    summary: "Make a world: from a seed, fixtures or a scenario, or forked from a world or snapshot",
    description:
      "A path in `from` is one in the folder where Sandglass was started; callers on other machines and pages of other origins may name none.",
    body: shapes.NewWorld,
    answer: shapes.Status,
    status: 201,
  }),
  worldsOperation("worlds.delete", "DELETE /worlds/:name", {
    id: "deleteWorld",
    effect: "ends",
    summary: "End a world, with all that is in it",
    params: nameOf("a world"),
    answer: shapes.Ended,
  }),
];

/** Snapshots of the whole server, through any of its worlds. */
export const snapshotOperations = [
  snapshotOperation("snapshots.list", "GET /snapshots", {
    id: "listSnapshots",
    summary: "Saved worlds",
    answer: dataOf(shapes.Snapshot, "Snapshots"),
  }),
  snapshotOperation("snapshot", "POST /snapshots", {
    id: "saveSnapshot",
    summary: "Save this world: data, clock, timers, chance and faults",
    description: "One of the same name is replaced.",
    body: shapes.NewSnapshot,
    answer: shapes.Snapshot,
    status: 201,
    library: { takes: ["name"] },
  }),
  snapshotOperation("restore", "POST /snapshots/:name/restore", {
    id: "restoreSnapshot",
    effect: "ends",
    summary: "Take this world back to a snapshot, of whichever world it is",
    description: "`POST /_sandbox/undo` brings back the world as it was.",
    params: nameOf("a snapshot"),
    answer: shapes.Status,
    library: { takes: [{ named: "name" }], gives: null },
  }),
  snapshotOperation("snapshots.delete", "DELETE /snapshots/:name", {
    id: "deleteSnapshot",
    effect: "ends",
    summary: "Forget a snapshot",
    params: nameOf("a snapshot"),
    answer: shapes.Ended,
  }),
];
