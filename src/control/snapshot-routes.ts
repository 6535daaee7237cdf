import { Type } from "typebox";
import { SandboxError } from "../errors/errors.ts";
import { addRoutes } from "../http/route-table.ts";
import type { App } from "../http/types.ts";
import { inTurn } from "../sandbox/heavy.ts";
import { dataOf, NameParams } from "./schemas.ts";
import { call } from "./table.ts";
import { statusOf } from "./world-routes.ts";
import * as shapes from "./world-schemas.ts";

/** The largest snapshot that can be uploaded. */
const MAX_SNAPSHOT_BYTES = 512 * 1024 * 1024;
const OCTETS = "application/octet-stream";

const tag = "Snapshots";

/** Snapshots of the whole server, whichever world they are asked through. */
export const snapshotRoutes = [
  call("GET /snapshots", {
    id: "listSnapshots",
    tag,
    summary: "Saved worlds",
    answer: dataOf(shapes.Snapshot, "Snapshots"),
    run: ({ serving }) => ({ data: serving.worlds.snapshots.list() }),
  }),
  call("POST /snapshots", {
    id: "saveSnapshot",
    tag,
    summary: "Save this world: data, clock, timers, chance and faults",
    description: "One of the same name is replaced.",
    body: shapes.NewSnapshot,
    answer: shapes.Snapshot,
    status: 201,
    async run({ sandbox, serving, body }) {
      const captured = await sandbox.capture();
      return inTurn(() => serving.worlds.snapshots.save(body.name, captured));
    },
  }),
  call("POST /snapshots/:name/restore", {
    id: "restoreSnapshot",
    tag,
    summary: "Take this world back to a snapshot, of whichever world it is",
    params: NameParams,
    answer: shapes.Status,
    async run({ sandbox, serving, params: { name } }) {
      await sandbox.restore(serving.worlds.snapshots.bytesOf(name), name);
      return statusOf(sandbox);
    },
  }),
  call("DELETE /snapshots/:name", {
    id: "deleteSnapshot",
    tag,
    summary: "Forget a snapshot",
    params: NameParams,
    answer: shapes.Ended,
    run({ serving, params: { name } }) {
      serving.worlds.snapshots.remove(name);
      return { name, deleted: true };
    },
  }),
  call("GET /snapshots/:name/download", {
    id: "downloadSnapshot",
    tag,
    summary: "A snapshot as a file",
    description: "An SQLite database, to be uploaded to another Sandglass of this version.",
    params: NameParams,
    answer: Type.Unsafe<Buffer>({}),
    run: ({ serving, params: { name } }, reply) =>
      reply
        .type(OCTETS)
        .header("content-disposition", `attachment; filename="${name}.sandglass"`)
        .send(serving.worlds.snapshots.bytesOf(name)),
  }),
];

/** The upload of a snapshot. Its scope accepts only bytes as a body. */
export function snapshotUploadRoute(scope: App): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    OCTETS,
    { parseAs: "buffer", bodyLimit: MAX_SNAPSHOT_BYTES },
    (_request, body, done) => done(null, body),
  );
  addRoutes(scope, [
    call("POST /snapshots/upload", {
      id: "uploadSnapshot",
      tag,
      summary: "Keep a snapshot from a file",
      description: `The body is the file, as ${OCTETS}.`,
      query: shapes.SnapshotQuery,
      answer: shapes.Snapshot,
      status: 201,
      run({ serving, query, body }) {
        if (Buffer.isBuffer(body)) return inTurn(() => serving.worlds.snapshots.accept(query.name, body));
        throw new SandboxError(
          "bad_request",
          "There is no file in the request.",
          `Send it as the body, with content-type: ${OCTETS}: curl --data-binary @file.`,
        );
      },
    }),
  ]);
}
