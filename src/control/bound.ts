import type { FastifyRequest } from "fastify";
import { invalidState, notFound, SandboxError } from "../errors/errors.ts";
import { standingOf } from "../http/standing.ts";
import { type ByArea, type Declared, OPERATIONS } from "../operations/index.ts";
import type { Operation } from "../operations/operation.ts";
import { withScheme } from "../runtime/http-url.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { scenarioView } from "../scenarios/catalog.ts";
import type { Run } from "../scenarios/scenarios.ts";
import { checkReachable } from "../webhooks/endpoint-url.ts";
import { parseInstant } from "../world/duration.ts";
import type { Does } from "./http.ts";
import { noteOfRemoved, readTypes } from "./position.ts";

/**
 * The implementations of operations, by name. If a result is a Buffer, it is JSON that was created in another thread.
 */
export type Bound<Some extends Operation> = {
  [One in Some as One["name"]]: (
    input: Types<One>["input"],
    request: FastifyRequest,
  ) => Answered<Types<One>["result"]>;
};

type Types<One extends Operation> = NonNullable<One["types"]>;
type Answered<Result> = Told<Result> | Buffer | Promise<Told<Result> | Buffer>;
/** The type of a result that is serialized immediately. */
type Told<Value> = Value extends object ? { readonly [Key in keyof Value]: Told<Value[Key]> } : Value;

/** The data that `start --json` prints, plus counts and the last journal entry. */
const statusOf = (sandbox: Sandbox) => ({
  ...sandbox.status(),
  counts: sandbox.counts(),
  last_seq: sandbox.journal.lastSeq(),
});

/** Parses a start time. @throws SandboxError with the invalid field */
function readStart(startAt: string | number): number {
  try {
    return parseInstant(startAt);
  } catch (error) {
    throw SandboxError.reworded(error as SandboxError, (error as SandboxError).message, "startAt");
  }
}

const runView = ({ id, scenario, world, url, params, events, report }: Run) => ({
  id,
  scenario: scenario.name,
  title: scenario.title,
  status: report?.status ?? (events.length === 0 ? ("waiting" as const) : ("running" as const)),
  world,
  url,
  params,
  file: scenario.file,
  report: report ?? null,
});

/**
 * Operations that are not simply a method of a world: on the server's worlds, snapshots, scenarios and stories, or on
 * its journal.
 */
const OWN = {
  async status(_, { sandbox }) {
    await sandbox.refresh();
    return statusOf(sandbox);
  },
  async reset({ seed }, { sandbox }) {
    await sandbox.reset(seed);
    return statusOf(sandbox);
  },
  async undo(_, { sandbox }) {
    await sandbox.undo();
    return statusOf(sandbox);
  },
  "worlds.list": (_, { serving: { worlds } }) => ({ data: worlds.list(), not_opened: worlds.unopened }),
  async "worlds.create"({ startAt, ...rest }, { sandbox, serving, raw }) {
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
  "worlds.delete"({ name }, { serving }) {
    serving.worlds.remove(name);
    return { name, deleted: true };
  },
  "snapshots.list": async (_, { serving }) => ({ data: await serving.worlds.snapshots.list() }),
  async snapshot({ name }, { sandbox, serving }) {
    return serving.worlds.snapshots.save(name, await sandbox.capture());
  },
  async restore({ name }, { sandbox, serving }) {
    await sandbox.restore(await serving.worlds.snapshots.bytesOf(name), name);
    return statusOf(sandbox);
  },
  async "snapshots.delete"({ name }, { serving }) {
    await serving.worlds.snapshots.remove(name);
    return { name, deleted: true };
  },

  async "webhooks.create"(input, { sandbox, url, headers }) {
    // The other sender's file must be loaded first.
    await sandbox.senders.use(input.sender);
    return sandbox.webhooks.create(input, { url, headers });
  },
  mail: (_, { sandbox }) => ({ data: sandbox.payments.mail() }),
  events(query, { sandbox }) {
    const data = sandbox.journal.list({ ...query, types: readTypes(sandbox, query.types) });
    const isAtBeginning = query.order === "asc" || data.length < query.limit;
    return { data, note: isAtBeginning ? noteOfRemoved(sandbox.journal, query.after) : null };
  },
  "requests.list": (query, { sandbox }) => ({ data: sandbox.requests.list(query) }),
  "requests.get"({ id }, { sandbox }) {
    const request = sandbox.requests.get(Number(id));
    if (request) return request;
    const wasThere = Number(id) >= 1 && Number(id) <= sandbox.requests.count();
    throw notFound(`There is no request ${id}${wasThere ? " any more" : ""}.`, {
      command: "List the latest ones: npx sandglass requests",
      library: "GET /_sandbox/requests lists the latest ones.",
      http: "GET /_sandbox/requests lists the latest ones.",
    });
  },

  "stories.list": async ({ id }, { sandbox, serving }) => ({
    data: (await serving.rehearsals()).stories(sandbox, id),
  }),
  "stories.outline": async ({ id, story }, { sandbox, serving }) =>
    (await serving.rehearsals()).outline(sandbox, id, story),
  "stories.play": async ({ id, story, arrivals }, { sandbox, serving }) =>
    (await serving.rehearsals()).play(sandbox, id, story, arrivals),
  "findings.list": async (_, { serving }) => ({ data: await (await serving.rehearsals()).findings() }),
  async "findings.save"(finding, { sandbox, serving, raw }) {
    if (!standingOf({ raw }).local)
      throw invalidState(
        "The sandbox only writes files for callers on its own machine.",
        "Open the page on that machine to save the finding.",
      );
    return (await serving.rehearsals()).save(sandbox, finding);
  },
  "findings.play": async ({ name, ...where }, { sandbox, serving }) =>
    (await serving.rehearsals()).playFinding(sandbox, name, where),

  async "scenarios.list"(_, { serving }) {
    const list = await (await serving.scenarios()).list();
    return { data: list.scenarios.map(scenarioView), problems: list.problems };
  },
  async "scenarios.run"({ name, ...run }, { sandbox, serving }) {
    const { webhooks } = sandbox.settings;
    const subscriber = withScheme(run.subscriber ?? "");
    if (/^https?:/i.test(subscriber) && URL.canParse(subscriber))
      checkReachable("subscriber", subscriber, webhooks);
    const { named, start } = await serving.scenarios();
    return runView(await start(await named(name), run));
  },
  "runs.list": async (_, { serving }) => ({
    data: (await serving.scenarios()).runs().map((run) => ({ ...runView(run), report: null })),
  }),
  "runs.get": async ({ id }, { serving }) => runView((await serving.scenarios()).run(id)),
  async "runs.delete"({ id }, { serving }) {
    (await serving.scenarios()).remove(id);
    return { id, deleted: true };
  },
} satisfies Partial<Bound<Declared>>;

/**
 * All other operations are methods of the sandbox, found by name. The compiler reports a method that is missing or has
 * a different type.
 */
const methodsOf = (sandbox: Sandbox): ByArea<Omit<Bound<Declared>, keyof typeof OWN>> => sandbox;

/**
 * Finds the method of the sandbox that implements an operation: for `webhooks.retry`, the method `retry` of `webhooks`.
 */
function methodOf(name: string): Does[string] {
  const [first, second] = name.split(".") as [string, string?];
  return (input, request) => {
    const own = methodsOf(request.sandbox) as unknown as Does & Record<string, Does>;
    return second === undefined ? own[first]!(input, request) : own[first]![second]!(input, request);
  };
}

/** The implementations of all operations, by name. */
export const BOUND: Does = {
  ...Object.fromEntries(OPERATIONS.map(({ name }) => [name, methodOf(name)])),
  ...OWN,
};
