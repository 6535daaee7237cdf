import { SandboxError } from "../../errors/errors.ts";
import { standingOf } from "../../http/standing.ts";
import type { snapshotOperations, worldOperations } from "../../operations/worlds.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { parseInstant } from "../../world/duration.ts";
import type { Bound } from "./bound.ts";

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

export const worldBound: Bound<(typeof worldOperations | typeof snapshotOperations)[number]> = {
  async status({ sandbox }) {
    await sandbox.refresh();
    return statusOf(sandbox);
  },
  async reset({ sandbox, body }) {
    await sandbox.reset(body.seed);
    return statusOf(sandbox);
  },
  async undo({ sandbox }) {
    await sandbox.undo();
    return statusOf(sandbox);
  },
  export: ({ sandbox }) => sandbox.export(),
  "worlds.list": ({ serving: { worlds } }) => ({ data: worlds.list(), not_opened: worlds.unopened }),
  async "worlds.create"({ sandbox, serving, body: { startAt, ...rest }, raw }) {
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
  "worlds.delete"({ serving, params: { name } }) {
    serving.worlds.remove(name);
    return { name, deleted: true };
  },
  "snapshots.list": async ({ serving }) => ({ data: await serving.worlds.snapshots.list() }),
  async snapshot({ sandbox, serving, body }) {
    return serving.worlds.snapshots.save(body.name, await sandbox.capture());
  },
  async restore({ sandbox, serving, params: { name } }) {
    await sandbox.restore(await serving.worlds.snapshots.bytesOf(name), name);
    return statusOf(sandbox);
  },
  async "snapshots.delete"({ serving, params: { name } }) {
    await serving.worlds.snapshots.remove(name);
    return { name, deleted: true };
  },
};
