import { invalidState, misuse, notFound, SandboxError } from "../errors/errors.ts";
import { standingOf } from "../http/standing.ts";
import { readDelay } from "../operations/common.ts";
import type { OPERATIONS } from "../operations/index.ts";
import type { Operation } from "../operations/operation.ts";
import { withScheme } from "../runtime/http-url.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { scenarioView } from "../scenarios/catalog.ts";
import type { Run } from "../scenarios/scenarios.ts";
import { checkReachable } from "../webhooks/endpoint-url.ts";
import { parseDuration, parseInstant } from "../world/duration.ts";
import { noteOfRemoved, readTypes } from "./position.ts";

/** The implementations of operations, by name. A Buffer is JSON made in another thread. */
export type Bound<Declared extends Operation> = {
  [One in Declared as One["name"]]: (request: Types<One>["request"]) => Answered<Types<One>["result"]>;
};

type Types<One extends Operation> = NonNullable<One["types"]>;
type Answered<Result> = Told<Result> | Buffer | Promise<Told<Result> | Buffer>;
/** The type of an answer that is serialized immediately. */
type Told<Value> = Value extends object ? { readonly [Key in keyof Value]: Told<Value[Key]> } : Value;

/** What `start --json` prints, plus counts and the journal's last entry. */
const statusOf = (sandbox: Sandbox) => ({
  ...sandbox.status(),
  counts: sandbox.counts(),
  last_seq: sandbox.journal.lastSeq(),
});

/** @throws SandboxError with the invalid field */
function readStart(startAt: string | number): number {
  try {
    return parseInstant(startAt);
  } catch (error) {
    throw SandboxError.reworded(error as SandboxError, (error as SandboxError).message, "startAt");
  }
}

const noFault = (target: string) => ({ target, spec: null, asked: 0, hit: 0 });

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

/** The implementation of every operation. */
export const BOUND: Bound<(typeof OPERATIONS)[number]> = {
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

  "clock.state": ({ sandbox }) => sandbox.clock.state(),
  "clock.set": ({ sandbox, body: { now, ...change } }) =>
    sandbox.clock.set({ ...change, ...(now === undefined ? {} : { now: parseInstant(now) }) }),
  async "clock.advance"({ sandbox, body: { dryRun, ...request } }) {
    if (!dryRun) return sandbox.clock.advance(request);
    // The declared type is the one without dryRun; with dryRun, callers expect a preview.
    return (await sandbox.clock.preview(request)) as never;
  },
  "clock.cancelAdvance": ({ sandbox }) => sandbox.clock.cancelAdvance(),
  "clock.pause": ({ sandbox }) => sandbox.clock.set({ mode: "paused" }),
  "clock.resume"({ sandbox }) {
    const { mode, rate } = sandbox.clock.state();
    return mode === "paused"
      ? sandbox.clock.set({ mode: rate === 1 ? "live" : "scaled" })
      : sandbox.clock.state();
  },

  "payments.pay": ({ sandbox, body }) => sandbox.payments.pay(body),
  "payments.follow": ({ sandbox, params }) => sandbox.payments.follow(params.id),
  "payments.links": ({ sandbox, query }) => sandbox.payments.links(query),
  "payments.createLink": ({ sandbox, body, url }) => sandbox.payments.createLink(body, url),
  "payments.link": ({ sandbox, params }) => sandbox.payments.link(params.link),
  "payments.sessions": ({ sandbox, query }) => sandbox.payments.sessions(query),
  "payments.openSession": ({ sandbox, params, body }) =>
    sandbox.payments.openSession({ ...body, link: params.link }),
  "payments.session": ({ sandbox, params }) => sandbox.payments.session(params.id),
  "payments.expire": ({ sandbox, params }) => sandbox.payments.expireSession(params.id),
  "payments.transaction": ({ sandbox, params }) => sandbox.payments.transaction(params.id),

  "webhooks.list": ({ sandbox, query }) => ({ data: sandbox.webhooks.list(query.organization) }),
  async "webhooks.create"({ sandbox, body, headers, url }) {
    await sandbox.senders.use(body.sender);
    return sandbox.webhooks.create(body, headers, url);
  },
  "webhooks.update": ({ sandbox, params, body, url }) => sandbox.webhooks.update(params.id, body, url),
  "webhooks.enable": ({ sandbox, params, url }) => sandbox.webhooks.turn(params.id, "enabled", url),
  "webhooks.disable": ({ sandbox, params, url }) => sandbox.webhooks.turn(params.id, "disabled", url),
  "webhooks.test": ({ sandbox, params }) => sandbox.webhooks.test(params.id),
  "webhooks.delete": ({ sandbox, params, url }) => sandbox.webhooks.delete(params.id, url),
  "webhooks.deliveries": ({ sandbox, params, query }) => sandbox.webhooks.deliveries(params.id, query),
  "deliveries.get": ({ sandbox, params }) => sandbox.webhooks.delivery(params.id),
  "webhooks.diagnose": ({ sandbox, params, raw }) =>
    sandbox.webhooks.diagnose(params.id, standingOf({ raw }).local),
  "webhooks.resend": ({ sandbox, params, body }) => sandbox.webhooks.resend(params.id, body ?? {}),
  "webhooks.retry": ({ sandbox, params, body }) => sandbox.webhooks.retry(params.id, body ?? {}),
  "webhooks.retryFailed": ({ sandbox, body }) => sandbox.webhooks.retryFailed(body ?? {}),
  "webhooks.outage": ({ sandbox, params, body }) => sandbox.outage(params.id, body ?? {}),
  "stories.list": async ({ sandbox, serving, params }) => ({
    data: (await serving.rehearsals()).stories(sandbox, params.id),
  }),
  "stories.outline": async ({ sandbox, serving, params }) =>
    (await serving.rehearsals()).outline(sandbox, params.id, params.story),
  "stories.play": async ({ sandbox, serving, params, body }) =>
    (await serving.rehearsals()).play(sandbox, params.id, params.story, body?.arrivals),
  "findings.list": async ({ serving }) => ({ data: await (await serving.rehearsals()).findings() }),
  async "findings.save"({ sandbox, serving, body, raw }) {
    if (!standingOf({ raw }).local)
      throw invalidState(
        "The sandbox only writes files for callers on its own machine.",
        "Open the page on that machine to save the finding.",
      );
    return (await serving.rehearsals()).save(sandbox, body);
  },
  "findings.play": async ({ sandbox, serving, params, body }) =>
    (await serving.rehearsals()).playFinding(sandbox, params.name, body),
  "webhooks.timeline": ({ sandbox, params, query }) =>
    sandbox.webhooks.timeline(params.id, query.limit, query),

  "senders.list": async ({ sandbox }) => ({ data: await sandbox.senders.list() }),
  "senders.send": ({ sandbox, params, body }) => sandbox.senders.send(params.name, body),
  "senders.play": ({ sandbox, params, body }) => sandbox.senders.play(params.name, params.story, body),

  "faults.list": ({ sandbox }) => ({ data: sandbox.faults() }),
  "webhooks.fault": ({ sandbox, params }) => sandbox.webhooks.fault(params.id),
  "webhooks.fail": ({ sandbox, params, body }) => sandbox.webhooks.fail(params.id, body),
  "webhooks.work": ({ sandbox, params }) => sandbox.webhooks.work(params.id),
  "faults.get": ({ sandbox, params }) => sandbox.apiFault(params.area) ?? noFault(`api:${params.area}`),
  "faults.set"({ sandbox, params, body }) {
    if (body.status === undefined && body.latency === undefined)
      throw misuse("An API fault needs status or latency.", {
        command: "For example: npx sandglass faults platform 503",
        library: "For example: { status: 500 } or { latency: 2000 }.",
        http: 'For example: {"status": 500} or {"latency": 2000, "match": "GET /payment-links*"}.',
      });
    const { latency, ...fault } = body;
    return sandbox.setApiFault(params.area, {
      ...fault,
      ...(latency !== undefined && { latency: readDelay(latency, "latency") }),
    });
  },
  "faults.clear"({ sandbox, params }) {
    sandbox.clearApiFault(params.area);
    return noFault(`api:${params.area}`);
  },

  "data.cache": ({ sandbox }) => ({ data: sandbox.data.cache() }),
  "data.purge": ({ sandbox, query }) => ({ purged: sandbox.data.purge(query) }),
  "data.providers": ({ sandbox }) => ({ data: sandbox.data.providers() }),
  "data.setProvider": ({ sandbox, params, body: { latency, ...change } }) =>
    sandbox.data.setProvider(params.name, {
      ...change,
      ...(latency === undefined ? {} : { latency: parseDuration(latency) }),
    }),
  "data.addresses": async ({ sandbox }) => ({ data: await sandbox.data.addresses() }),
  "data.setHoldings": ({ sandbox, params, body }) =>
    sandbox.data.setHoldings(params.address, body.tokens, body.chain_id),
  "data.clearHoldings": ({ sandbox, params }) => ({
    address: params.address.toLowerCase(),
    cleared: sandbox.data.clearHoldings(params.address),
  }),

  "game.token": ({ sandbox, body }) => sandbox.game.token(body),
  "game.games": ({ sandbox }) => ({ data: sandbox.game.games() }),
  "game.signature": ({ sandbox, query }) => sandbox.game.signature(query.gameId, query.nonce),
  "game.players": ({ sandbox }) => ({ data: sandbox.game.players() }),
  "game.removePlayer": ({ sandbox, params }) => sandbox.game.removePlayer(params.id),
  "game.sessions": ({ sandbox, query }) => ({ data: sandbox.game.sessions(query.limit) }),
  "game.endSession": ({ sandbox, params }) => sandbox.game.endSession(params.id),
  "game.channels": ({ sandbox, query }) => sandbox.game.channels(query.game, query.limit),
  "game.scores": ({ sandbox, query }) => sandbox.game.scores(query.game, query.limit),
  "game.post": ({ sandbox, body }) => sandbox.game.post(body),
  "game.rules": ({ sandbox, query }) => ({ data: sandbox.game.rules(query.game) }),
  "game.notifications": ({ sandbox, query }) => ({ data: sandbox.game.notifications(query.limit) }),

  mail: ({ sandbox }) => ({ data: sandbox.payments.mail() }),
  events({ sandbox, query }) {
    const data = sandbox.journal.list({ ...query, types: readTypes(sandbox, query.types) });
    const isAtBeginning = query.order === "asc" || data.length < query.limit;
    return { data, note: isAtBeginning ? noteOfRemoved(sandbox.journal, query.after) : null };
  },
  "requests.list": ({ sandbox, query }) => ({ data: sandbox.requests.list(query) }),
  "requests.get"({ sandbox, params }) {
    const request = sandbox.requests.get(Number(params.id));
    if (request) return request;
    const wasThere = Number(params.id) >= 1 && Number(params.id) <= sandbox.requests.count();
    throw notFound(`There is no request ${params.id}${wasThere ? " any more" : ""}.`, {
      command: "List the latest ones: npx sandglass requests",
      library: "GET /_sandbox/requests lists the latest ones.",
      http: "GET /_sandbox/requests lists the latest ones.",
    });
  },

  "inboxes.list": ({ sandbox }) => ({ data: sandbox.webhooks.inboxes.list() }),
  "inboxes.messages": ({ sandbox, params, query }) => ({
    data: sandbox.webhooks.inboxes.messages(params.name, query.after, query.limit),
  }),
  "inboxes.behaviour": ({ sandbox, params }) => sandbox.webhooks.inboxes.behaviour(params.name),
  "inboxes.behave"({ sandbox, params, body: { delay, ...change } }) {
    sandbox.webhooks.inboxes.setBehaviour(params.name, {
      ...change,
      ...(delay !== undefined && { delay: readDelay(delay, "delay") }),
    });
    return sandbox.webhooks.inboxes.behaviour(params.name);
  },

  async "scenarios.list"({ serving }) {
    const list = await (await serving.scenarios()).list();
    return { data: list.scenarios.map(scenarioView), problems: list.problems };
  },
  async "scenarios.run"({ sandbox, serving, params, body }) {
    const { webhooks } = sandbox.settings;
    const subscriber = withScheme(body.subscriber ?? "");
    if (/^https?:/i.test(subscriber) && URL.canParse(subscriber))
      checkReachable("subscriber", subscriber, webhooks);
    const { named, start } = await serving.scenarios();
    return runView(await start(await named(params.name), body));
  },
  "runs.list": async ({ serving }) => ({
    data: (await serving.scenarios()).runs().map((run) => ({ ...runView(run), report: null })),
  }),
  "runs.get": async ({ serving, params }) => runView((await serving.scenarios()).run(params.id)),
  async "runs.delete"({ serving, params: { id } }) {
    (await serving.scenarios()).remove(id);
    return { id, deleted: true };
  },
};
