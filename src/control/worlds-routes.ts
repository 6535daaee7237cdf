import { Type } from "typebox";
import { SandboxError } from "../errors/errors.ts";
import type { App } from "../http/types.ts";
import type { Worlds as OpenWorlds } from "../sandbox/worlds.ts";
import { CLOCK_MODES } from "../world/clock.ts";
import { parseInstant } from "../world/duration.ts";
import * as shapes from "./schemas.ts";
import { statusOf } from "./world-routes.ts";

/** The largest snapshot that can be uploaded. */
const MAX_SNAPSHOT_BYTES = 512 * 1024 * 1024;
const OCTETS = "application/octet-stream";

const World = Type.Object(
  { name: Type.String(), url: Type.String(), seed: Type.String(), clock: shapes.ClockState },
  { title: "World" },
);
const UnopenedWorld = Type.Object(
  {
    name: Type.String(),
    problem: Type.String({ description: "Why it could not be opened." }),
    kept_as: Type.String({
      description: "The file that has its data; damaged data is under a name that is not opened again.",
    }),
  },
  { title: "UnopenedWorld" },
);
const Worlds = Type.Object(
  {
    data: Type.Array(World),
    not_opened: Type.Array(UnopenedWorld, {
      description: "Worlds of the data folder that could not be opened when the server started.",
    }),
  },
  { title: "Worlds" },
);
const NewWorld = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        description: "Served below /w/{name}; made when left out.",
        examples: ["checkout-tests"],
      }),
    ),
    seed: Type.Optional(Type.String({ description: "Fixtures to begin with; the server's without it." })),
    startAt: Type.Optional(shapes.TimeValue),
    from: Type.Optional(Type.String({ description: "A world or snapshot to go on from instead." })),
    clock: Type.Optional(
      Type.Object(
        { mode: Type.Optional(shapes.enumOf(CLOCK_MODES)), rate: Type.Optional(Type.Number()) },
        shapes.closed,
      ),
    ),
  },
  { title: "NewWorld", ...shapes.closed },
);
const Nullable = <T extends ReturnType<typeof Type.String>>(type: T) => Type.Union([type, Type.Null()]);
const Snapshot = Type.Object(
  {
    name: Type.String(),
    seed: Nullable(Type.String()),
    now: Nullable(shapes.VirtualTime),
    bytes: Type.Integer(),
    problem: Nullable(Type.String({ description: "Why it cannot be used." })),
  },
  { title: "Snapshot" },
);
const SnapshotName = Type.Object({ name: Type.String() }, { title: "SnapshotName", ...shapes.closed });
const Ended = Type.Object({ name: Type.String(), deleted: Type.Literal(true) }, { title: "Ended" });

/** Worlds and snapshots of the whole server, whichever world they are asked through. */
export function worldsRoutes(app: App, worlds: () => OpenWorlds): void {
  const tags = ["Worlds"];
  app.get(
    "/worlds",
    {
      schema: {
        operationId: "listWorlds",
        summary: "The isolated sandboxes of this server",
        tags,
        response: { 200: Worlds, ...shapes.controlErrors },
      },
    },
    async () => ({ data: worlds().list(), not_opened: [...worlds().unopened] }),
  );
  app.post(
    "/worlds",
    {
      schema: {
        operationId: "createWorld",
        summary: "Make a world: from a seed, or forked from a world or snapshot",
        tags,
        body: NewWorld,
        response: { 201: shapes.StatusBody, ...shapes.controlErrors },
      },
    },
    async ({ body }, reply) => {
      const { startAt, clock, ...rest } = body;
      const sandbox = await worlds().create({
        ...rest,
        startAt: startAt === undefined ? undefined : parseInstant(startAt),
        clock: clock as Parameters<OpenWorlds["create"]>[0]["clock"],
      });
      return reply.code(201).send(statusOf(sandbox));
    },
  );
  app.delete(
    "/worlds/:name",
    {
      schema: {
        operationId: "deleteWorld",
        summary: "End a world, with all that is in it",
        tags,
        params: shapes.NameParams,
        response: { 200: Ended, ...shapes.controlErrors },
      },
    },
    async ({ params }) => {
      worlds().remove(params.name);
      return { name: params.name, deleted: true };
    },
  );
}

export function snapshotRoutes(app: App, worlds: () => OpenWorlds): void {
  const tags = ["Snapshots"];
  app.get(
    "/snapshots",
    {
      schema: {
        operationId: "listSnapshots",
        summary: "Saved worlds",
        tags,
        response: { 200: shapes.dataOf(Snapshot, "Snapshots"), ...shapes.controlErrors },
      },
    },
    async () => ({ data: worlds().snapshots.list() }),
  );
  app.post(
    "/snapshots",
    {
      schema: {
        operationId: "saveSnapshot",
        summary: "Save this world: data, clock, timers, chance and faults",
        description: "One of the same name is replaced.",
        tags,
        body: Type.Partial(SnapshotName, { title: "NewSnapshot", ...shapes.closed }),
        response: { 201: Snapshot, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, body }, reply) =>
      reply.code(201).send(worlds().snapshots.save(body.name, await sandbox.snapshot())),
  );
  app.post(
    "/snapshots/:name/restore",
    {
      schema: {
        operationId: "restoreSnapshot",
        summary: "Take this world back to a snapshot, of whichever world it is",
        tags,
        params: shapes.NameParams,
        response: { 200: shapes.StatusBody, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, params }) => {
      await sandbox.restore(worlds().snapshots.bytesOf(params.name), params.name);
      return statusOf(sandbox);
    },
  );
  app.delete(
    "/snapshots/:name",
    {
      schema: {
        operationId: "deleteSnapshot",
        summary: "Forget a snapshot",
        tags,
        params: shapes.NameParams,
        response: { 200: Ended, ...shapes.controlErrors },
      },
    },
    async ({ params }) => {
      worlds().snapshots.remove(params.name);
      return { name: params.name, deleted: true };
    },
  );
  app.get(
    "/snapshots/:name/download",
    {
      schema: {
        operationId: "downloadSnapshot",
        summary: "A snapshot as a file",
        description: "An SQLite database, to be uploaded to another Sandglass of this version.",
        tags,
        params: shapes.NameParams,
        response: { 200: Type.Unsafe<Buffer>({}), ...shapes.controlErrors },
      },
    },
    async ({ params }, reply) =>
      reply
        .type(OCTETS)
        .header("content-disposition", `attachment; filename="${params.name}.sandglass"`)
        .send(worlds().snapshots.bytesOf(params.name)),
  );
}

/** An upload is bytes; its scope reads nothing else. */
export function snapshotUploadRoute(app: App, worlds: () => OpenWorlds): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    OCTETS,
    { parseAs: "buffer", bodyLimit: MAX_SNAPSHOT_BYTES },
    (_request, body, done) => done(null, body),
  );
  app.post(
    "/snapshots/upload",
    {
      bodyLimit: MAX_SNAPSHOT_BYTES,
      schema: {
        operationId: "uploadSnapshot",
        summary: "Keep a snapshot from a file",
        description: `The body is the file, as ${OCTETS}.`,
        tags: ["Snapshots"],
        querystring: SnapshotName,
        response: { 201: Snapshot, ...shapes.controlErrors },
      },
    },
    async ({ query, body }, reply) => {
      if (!Buffer.isBuffer(body))
        throw new SandboxError(
          "bad_request",
          "There is no file in the request.",
          `Send it as the body, with content-type: ${OCTETS}: curl --data-binary @file.`,
        );
      return reply.code(201).send(worlds().snapshots.accept(query.name, body));
    },
  );
}
