import type { IncomingHttpHeaders } from "node:http";
import { resolve } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { chainDataArea } from "../chain-data/area.ts";
import type { Upstream } from "../chain-data/providers/upstream.ts";
import { isSecret, type Settings } from "../config/config.ts";
import { closest } from "../errors/closest.ts";
import { hintOfOption, SandboxError } from "../errors/errors.ts";
import { gameArea } from "../game/area.ts";
import { type ApiFault, apiFaultTarget } from "../http/api-faults.ts";
import { createRequestLog, type RequestLog } from "../http/request-log.ts";
import { paymentsArea } from "../payments/area.ts";
import type { Caller } from "../payments/context.ts";
import type { TransactionRow } from "../payments/rows.ts";
import type { PaymentInput } from "../payments/transactions.ts";
import { transactionResource } from "../payments/transactions.ts";
import type { WebhookRegistration } from "../payments/webhooks/registrations.ts";
import { faultTarget, type SubscriberFault } from "../payments/webhooks/subscriber-faults.ts";
import { makeFolder } from "../runtime/make-folder.ts";
import type { ClockChange, ClockMode } from "../world/clock.ts";
import { iso } from "../world/duration.ts";
import { worldFile } from "../world/files.ts";
import type { AdvanceRequest } from "../world/scheduler.ts";
import { holdsData } from "../world/store.ts";
import { createWorld, type World } from "../world/world.ts";
import { type AnyArea, type AreaName, openParts, tablesOf } from "./areas.ts";
import { createDataControls } from "./data.ts";
import { createGameControls } from "./game.ts";
import { makeRulePayments } from "./rule-payments.ts";
import { seedBytes } from "./seed.ts";
import { checkUntil } from "./until.ts";

export const VERSION = packageJson.version;

export interface PayRequest extends PaymentInput {
  payment_link_id?: string | undefined;
  session_id?: string | undefined;
}

/** Everything a person can do to one world. The control API is this, over HTTP. */
export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

export interface SandboxOptions {
  name: string;
  settings: Settings;
  /** Where this world is served: `http://127.0.0.1:4400`, with `/w/{name}` if it has a prefix. */
  origin: () => string;
  /** How providers of chain data are reached; shared by the worlds of a server, and closed by who made it. */
  upstream: Upstream;
  areas: readonly AnyArea[];
  /** A snapshot to go on from, in place of fixtures. */
  bytes?: Buffer | undefined;
  /** How its clock begins; without it as settings say for fixtures, and as it ran in a snapshot. */
  clock?: Omit<ClockChange, "now"> | undefined;
}

/**
 * Opens a world with its areas: seeded, going on from a snapshot, or as its data folder keeps it. Nothing moves before `start`.
 * @throws SandboxError `invalid_state` when the data folder cannot be used
 */
export async function openSandbox(options: SandboxOptions) {
  const { name, settings, bytes: begun } = options;
  const file = dataFile(settings.dataDir, name);
  const goesOn = file !== undefined && holdsData(file);
  const world = createWorld({
    name,
    seed: settings.seed,
    startAt: settings.startAt,
    mode: settings.clock.mode,
    rate: settings.clock.rate,
    begin(clock) {
      if (!begun) clock.set(settings.clock);
      clock.set(options.clock ?? {});
    },
    file,
    bytes: goesOn ? undefined : (begun ?? (await seedBytes(settings, options.areas))),
    tables: tablesOf(options.areas),
    settleTimeout: settings.settleTimeout,
  });
  try {
    return await assemble(world, options);
  } catch (error) {
    world.close();
    throw error;
  }
}

/** The areas of a world, and what can be done to them. */
async function assemble(world: World, { name, settings, origin, upstream, areas }: SandboxOptions) {
  const parts = openParts(areas, { world, settings, origin, upstream });
  const payments = parts.of(paymentsArea);
  const chainData = parts.of(chainDataArea);
  const launcher = parts.of(gameArea);
  const game = createGameControls(launcher);
  const requests: RequestLog = createRequestLog(world.clock, origin);
  const { clock, faults, journal, scheduler, store } = world;
  const closing = new Set<() => void>();

  const refresh = async () => {
    for (const part of parts.all) await part.refresh?.();
  };
  await refresh();
  for (const part of parts.all) part.resume?.();
  makeRulePayments(world, (link, input) => startPayment({ payment_link_id: link, ...input }));

  /** Who does a dashboard action, for the audit trail. */
  const dashboard = (org: string, method: string, path: string): Caller => ({
    org,
    ip: "127.0.0.1",
    method,
    path,
  });

  const noWebhook = (id: string) =>
    new SandboxError("not_found", `There is no webhook ${id}.`, {
      command: `${origin()} lists them.`,
      library: "webhooks.list() lists them.",
      http: "GET /_sandbox/webhooks lists them.",
    });

  function findWebhook(id: string) {
    const row = payments.endpoints.byId(id);
    if (!row || row.deleted_at !== null) throw noWebhook(id);
    return row;
  }

  function findSession(id: string) {
    const row = payments.sessions.byId(id);
    if (!row)
      throw new SandboxError("not_found", `There is no checkout session ${id}.`, {
        command: "Pay a link, which opens one: sandglass pay <link>",
        library: "Open one with payments.openSession(link), or pay a payment link.",
        http: "Open one with POST /api/v1/checkout-sessions, or pay a payment link.",
      });
    return row;
  }

  function checkArea(area: string): string {
    if (areas.some(({ name }) => name === area)) return apiFaultTarget(area);
    const names = areas.map(({ name }) => name).join(", ");
    throw new SandboxError("not_found", `There is no area ${area}.`, `Areas: ${names}.`);
  }

  function noLink(link: string): SandboxError {
    const meant = closest(link.split("/").at(-1)!, payments.links.shortCodes());
    return new SandboxError("not_found", `There is no payment link ${link}.`, {
      command: meant ? `Did you mean: sandglass pay ${meant}` : `${origin()} lists them.`,
      library: `${meant ? `Did you mean "${meant}"? ` : ""}platform.call("GET", "/payment-links") lists them.`,
      http: `${meant ? `Did you mean ${meant}? ` : ""}GET /api/v1/payment-links lists them.`,
    });
  }

  /** The session to pay: the one named, or a new one of the link. A short code or a link's URL works too. */
  function sessionToPay({ payment_link_id: link, session_id: session }: PayRequest) {
    if ((link === undefined) === (session === undefined)) {
      throw new SandboxError(
        "bad_request",
        "Name either payment_link_id or session_id.",
        'For example {"payment_link_id": "pl_…"}; GET /api/v1/payment-links lists links.',
      );
    }
    if (session !== undefined) return findSession(session);
    const row = payments.links.findPublic(link!) ?? payments.links.findByCode(link!.split("/").at(-1)!);
    if (!row) throw noLink(link!);
    return payments.sessions.open(row.org, row.id, {});
  }

  /** Pays the session that a request names, or a new one of its link. */
  function startPayment(request: PayRequest): TransactionRow {
    return store.transaction(() => {
      const { payment_link_id: _link, session_id: _session, ...input } = request;
      return payments.transactions.pay(sessionToPay(request), input);
    });
  }

  return {
    world,
    /** The world's part of an area. */
    part: parts.named,
    payments,
    chainData,
    data: createDataControls(chainData),
    launcher,
    game,
    requests,
    settings,

    /** Lets the world move: timers fire, that of what a crash interrupted among them. */
    start: (): void => scheduler.start(),

    /** What is running, where, and with which keys. The object of `sandglass start --json`. */
    status() {
      const bases = areas.map(({ name }) => [name, `${origin()}/${name}`] as const);
      return {
        ready: true as const,
        version: VERSION,
        url: origin(),
        bases: Object.fromEntries(bases.sort()) as Record<AreaName, string>,
        world: name,
        seed: world.origin().seed,
        clock: clock.state(),
        ...payments.status(),
        ...launcher.status(),
      };
    },

    /** Renews what has expired and is shown in the status: the player's token. */
    refresh,

    counts: (): Record<string, number> => Object.assign({}, ...parts.all.map((part) => part.counts?.())),

    advance: async (request: AdvanceRequest) => scheduler.advance(checkUntil(request, areas)),
    /** What an advance would find due first, and what it would cause in all. Changes nothing. */
    preview(request: AdvanceRequest) {
      const { from, to, target, timers } = scheduler.preview(checkUntil(request, areas));
      return { from, to, timers, outlook: payments.outlook(timers, target) };
    },

    /** Ends the advance under way, if there is one, and says where the clock stands then. */
    async cancelAdvance() {
      const cancelled = await scheduler.cancelAdvance();
      return { cancelled, now: clock.state().now };
    },

    /** Changes mode and rate; a later `now` is advanced to, so that what falls due on the way is done. */
    async setClock(change: { mode?: ClockMode; rate?: number; now?: number }) {
      if (change.now !== undefined) {
        const { cancelled, to } = await scheduler.advance({ to: change.now });
        if (cancelled)
          throw new SandboxError(
            "conflict",
            `The advance to ${iso(change.now)} was ended at ${to}; nothing else was changed.`,
            "Set the clock again to go on.",
          );
      }
      const { now: _, ...rest } = change;
      clock.set(rest);
      scheduler.resume();
      return clock.state();
    },

    /**
     * Triggers a payment and waits for the first attempts of its events, at most `settleTimeout` of real time.
     * @throws PlatformError, SandboxError `not_found`, `bad_request`
     */
    async pay(request: PayRequest) {
      const before = payments.events.count();
      const transaction = startPayment(request);
      const eventIds = payments.events.since(before);
      const deliveries = await payments.deliveries.firstAttempts(eventIds, settings.settleTimeout);
      const paid = payments.transactions.byId(transaction.id);
      if (!paid)
        throw new SandboxError(
          "invalid_state",
          "The world was taken back to an earlier time while the payment's deliveries were awaited.",
          "Pay again.",
        );
      return {
        transaction: transactionResource(paid),
        session: payments.sessions.resource(findSession(transaction.session_id!)),
        deliveries: deliveries.map(payments.deliveries.resource),
      };
    },

    expireSession: (id: string) => payments.sessions.expire(findSession(id).org, id),

    /**
     * Registers a webhook endpoint as its owner does in the dashboard.
     * @param headers the API key in them says for which organization; without one it is the first
     * @throws PlatformError, SandboxError `bad_request` for a text that cannot be a secret
     */
    registerWebhook(input: WebhookRegistration, headers: IncomingHttpHeaders, path: string) {
      if (input.secret !== undefined) checkSecret(input.secret);
      const keyed = headers.authorization !== undefined || headers["x-api-key"] !== undefined;
      const org = keyed ? payments.apiKeys.authenticate(headers).org : payments.organizations.main().id;
      const id = payments.registrations.register(dashboard(org, "POST", path), input);
      return payments.endpoints.listAll().find((endpoint) => endpoint.id === id)!;
    },

    enableWebhook(id: string, path: string) {
      return store.transaction(() => {
        const row = findWebhook(id);
        if (row.status === "enabled")
          throw new SandboxError(
            "invalid_state",
            `The webhook ${id} is enabled already.`,
            "There is nothing to do.",
          );
        payments.endpoints.enable(dashboard(row.org, "POST", path), row);
        return payments.endpoints.get(row.org, id);
      });
    },

    disableWebhook(id: string, path: string) {
      return store.transaction(() => {
        const row = findWebhook(id);
        if (row.status === "disabled")
          throw new SandboxError(
            "invalid_state",
            `The webhook ${id} is disabled already.`,
            "There is nothing to do.",
          );
        payments.endpoints.disable(row, "dashboard", row.consecutive_failures, null);
        payments.audit.record(dashboard(row.org, "POST", path), "webhook.updated", id, 200);
        return payments.endpoints.get(row.org, id);
      });
    },

    /** Deleted endpoints have one, too. */
    timeline(id: string, limit: number) {
      if (!payments.endpoints.byId(id)) throw noWebhook(id);
      return payments.timelines.of(id, limit);
    },

    webhookFault: (id: string) => faults.get(faultTarget(findWebhook(id).id)),
    setWebhookFault: (id: string, fault: SubscriberFault): void =>
      faults.set(faultTarget(findWebhook(id).id), fault),
    clearWebhookFault: (id: string): boolean => faults.clear(faultTarget(findWebhook(id).id)),

    setApiFault: (area: string, fault: ApiFault): void => faults.set(checkArea(area), fault),
    clearApiFault: (area: string): boolean => faults.clear(checkArea(area)),

    journal,

    /** Back to the fixtures of a seed, at the time they begin. What is in flight is dropped. */
    async reset(seedName?: string) {
      await scheduler.exclusive(async () => {
        const { seed: current, startAt } = world.origin();
        const seed = seedName ?? current;
        const bytes = await seedBytes({ seed, startAt }, areas);
        const { mode, rate } = clock.state();
        store.restore(bytes, () => {
          clock.set({ mode, rate });
          journal.append("world.reset", { seed });
        });
        requests.clear();
        scheduler.resume();
      });
    },

    /** The whole world as it is between two advances: data, clock, timers, chance and faults. */
    snapshot: (): Promise<Buffer> =>
      scheduler.exclusive(async () => {
        clock.anchor();
        return store.serialize();
      }),

    /**
     * Takes the world back to a snapshot that `inspectSnapshot` found good. What is in flight is dropped; what was
     * in flight when it was taken is sent again.
     */
    async restore(snapshot: Buffer, label: string): Promise<void> {
      await scheduler.exclusive(async () => {
        store.restore(snapshot, () => {
          journal.append("world.restored", { snapshot: label });
          for (const part of parts.all) part.resume?.();
        });
        requests.clear();
        scheduler.resume();
      });
    },

    /** Hears that the world ends. */
    onClose: (listener: () => void): (() => void) => {
      closing.add(listener);
      return () => void closing.delete(listener);
    },

    close(): void {
      for (const listener of closing) listener();
      for (const part of parts.all) part.close?.();
      clock.anchor();
      world.close();
    },
  };
}

/** The message does not repeat the secret, as it may end in the logs of a CI. */
function checkSecret(text: string): void {
  if (isSecret(text)) return;
  const wrong =
    text.length === 0 || text.length > 200
      ? `${text.length} characters`
      : "a control character, such as a line break";
  throw new SandboxError(
    "bad_request",
    `The secret has ${wrong}.`,
    "A secret is a text of 1 to 200 characters in one line.",
  );
}

function dataFile(folder: string | undefined, world: string): string | undefined {
  if (folder === undefined) return undefined;
  try {
    makeFolder(resolve(folder));
  } catch (error) {
    throw new SandboxError(
      "invalid_state",
      `Cannot use the data folder ${folder}: ${(error as Error).message}.`,
      hintOfOption("--data-dir", "dataDir", (option) => `Name a folder that can be written with ${option}.`),
    );
  }
  return worldFile(folder, world);
}

export type { World };
