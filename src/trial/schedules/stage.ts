import { EMPTY_SEED, type Settings } from "../../config/config.ts";
import { misuse, type SandboxError } from "../../errors/errors.ts";
import type { Sandbox as LibrarySandbox } from "../../library/index.ts";
import { PLATFORM_SENDER } from "../../payments/webhooks/platform.ts";
import { AREAS } from "../../sandbox/areas.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { seedBytes } from "../../sandbox/seed.ts";
import { readJson } from "../../webhooks/body-text.ts";
import { isTyped } from "../../webhooks/by-type.ts";
import { mayConnect } from "../../webhooks/endpoint-url.ts";
import { Refusal } from "../../webhooks/errors.ts";
import type { Sending, SendRequest } from "../../webhooks/exchange.ts";
import { timersAreFake } from "../../world/clock.ts";
import { openUnserved } from "../stories/shop.ts";
import type { ServedWorld } from "../subject/api.ts";
import { createEffectReader, type SeenAnswer } from "../subject/effects.ts";
import { EFFECTS_ALONE } from "../subject/remote-state.ts";
import { Comparison } from "../subject/state.ts";
import { sendToHandler } from "../subject/subscriber.ts";
import { isOk, type SentAttempt, withMachineTime } from "./attempt.ts";
import { createCheckpoints } from "./checkpoints.ts";
import { createCourier } from "./courier.ts";
import type { ExploreOptions, Serve } from "./options.ts";
import type { DrawnRun, EndpointTimeline, Run, Stage } from "./run.ts";
import { eventNumbers } from "./translation.ts";
import { createContents } from "./wire.ts";

type Send = (request: SendRequest) => Sending;

/** The maximum number of times that a person retries undelivered events. */
const MOST_RECOVERIES = 12;
/** Greater than any run's number of attempts. */
const ATTEMPTS = 10_000;

/**
 * Opens a sandbox ready for a story: with the subscriber's endpoint, unless the story registers the endpoint itself.
 * @param contentOf from the story's first stage
 */
export async function openStage(
  options: ExploreOptions,
  signal: AbortSignal,
  contentOf = createContents(),
): Promise<Stage> {
  const { subject, story, ignore, ordered, invariant = null } = options;
  const { handler } = subject;
  const courier = createCourier();
  const settings = stageSettings(options);
  if (!handler && !mayConnect(subject.url, settings.webhooks))
    throw notSentTo(subject.url, "it is not on this machine, and the sandbox only sends to this machine.");
  const world = await openWorld(options, settings);
  const { sandbox, remote, socketPath, close } = world;
  const serveApi = () => socketPath !== null && subject.api?.leadTo({ sandbox, socketPath });
  /** Both ids are the same in every run that registers the endpoints, because ids depend on the seed. */
  let registered: string | undefined;
  let second: string | undefined;
  /** A scenario registers its endpoint when it runs. */
  function endpoint(): string {
    registered ??= sandbox.webhooks.list({}).data.find(({ url }) => url === subject.url)?.id;
    return registered ?? "";
  }
  const endpoints = () => {
    const all = sandbox.webhooks.list({}).data;
    return [endpoint(), second].flatMap((one) => all.filter(({ id }) => id === one));
  };
  const isSecond = (webhookId: string): boolean => webhookId === second;
  const registerAgain = () => {
    second = register(sandbox, options, true).id;
  };
  sandbox.webhooks.engine.carriedBy((send) =>
    courier.wrap(
      send,
      transmitterTo(options, send),
      (webhookId) => isSecond(webhookId) || webhookId === endpoint(),
    ),
  );
  try {
    await sandbox.senders.use(story.by?.sender.name);
    if (!story.settingsFor) registered = register(sandbox, options).id;
    const effects = createEffectReader({
      ledger: subject.outside?.ledger,
      api: subject.api && story.by && { sandbox, sender: story.by.sender },
    });
    const checkpoints = createCheckpoints(await sandbox.mark(), sandbox.mark);
    return {
      ...{ sandbox, checkpoints, courier, story, subject, invariant, signal, remote, serveApi },
      ...{ endpoint, endpoints, isSecond, registerAgain, contentOf, passing: undefined, remembers: false },
      retries: { most: MOST_RECOVERIES, since: "365d" },
      nextDue() {
        // A world that is empty at the start has no seeded timers.
        const own = story.settingsFor !== undefined;
        const isMoreDue = own ? sandbox.clock.hasOwnTimers() : sandbox.world.timers.first() !== undefined;
        return isMoreDue ? () => sandbox.clock.advance({ until: "next", own }) : undefined;
      },
      comparison: new Comparison(ignore, ordered),
      state: async (attempts) => effects.addTo(await subject.state.read(), answersIn(attempts, options)),
      stateBefore: async () => effects.addNone(await subject.state.read()),
      unknownCalls: effects.unknownCalls,
      draw(run) {
        const timelines = endpoints().map(({ id }) => sandbox.webhooks.engine.timeline(id, ATTEMPTS));
        return drawn(run, timelines);
      },
      close() {
        subject.api?.leadTo();
        return close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The first accepted response to each event with user-visible responses, if responses serve as the state. */
function answersIn(attempts: readonly SentAttempt[], { subject, story }: ExploreOptions): SeenAnswer[] {
  const types = subject.state.source === EFFECTS_ALONE ? (story.by?.sender.facts.answers ?? []) : [];
  if (types.length === 0) return [];
  const numbers = eventNumbers(attempts);
  const firsts = new Map<string, SentAttempt>();
  for (const sent of attempts)
    if (isOk(sent.status) && !firsts.has(sent.eventId) && types.some((type) => isTyped(type, sent.event)))
      firsts.set(sent.eventId, sent);
  return [...firsts.values()].map(({ event, eventId, answer }) => ({
    key: `${event} #${(numbers.get(eventId) ?? -1) + 1}`,
    fields: answer === null ? null : (readJson(answer) ?? answer),
  }));
}

/** Chooses how to send requests to the subscriber. */
function transmitterTo({ subject: { handler }, story, atNow }: ExploreOptions, send: Send): Send {
  const transmit: Send = handler ? (request) => sendToHandler(handler, request) : send;
  // Senders sign the machine's time themselves.
  if (!atNow || story.by) return transmit;
  return (request) => transmit({ ...request, headers: withMachineTime(request.headers) });
}

/** A run for reports. Background traffic is omitted from the drawing, and its bodies are dropped. */
function drawn(run: Run, timelines: readonly EndpointTimeline[]): DrawnRun {
  const background = new Set(run.attempts.flatMap((sent) => (sent.background ? [sent.id] : [])));
  const { path: _, ...shown } = run;
  const [timeline, second = null] = timelines.map((whole) => ({
    ...whole,
    attempts: whole.attempts.filter(({ delivery_id: id }) => !background.has(id)),
  }));
  return {
    ...shown,
    attempts: run.attempts.map((sent) => (sent.background ? { ...sent, headers: {}, body: "" } : sent)),
    ...{ timeline: timeline!, second },
  };
}

type StageWorld = ServedWorld & Pick<Stage, "remote" | "close">;

/** Opens a story's world. It is served only if a scenario or the subscriber calls it over HTTP. */
async function openWorld(options: ExploreOptions, settings: Settings): Promise<StageWorld> {
  if (settings.from !== undefined) return serveWorld(options.serve!, settings, undefined);
  const bytes = await beginningOf(options, settings);
  if (options.story.settingsFor || options.subject.api) return serveWorld(options.serve!, settings, bytes);
  return {
    ...(await openUnserved(settings, bytes)),
    socketPath: null,
    remote: () => Promise.reject(new Error("The world of a shipped story is not served.")),
  };
}

/** @param base the world's initial content; by default, the settings decide */
async function serveWorld(serve: Serve, settings: Settings, base: Buffer | undefined): Promise<StageWorld> {
  const [{ openRemote }, { untouchedHttp }] = await Promise.all([
    import("../../client/sandbox.ts"),
    import("../../client/untouched-http.ts"),
  ]);
  const { sandbox, url, socketPath, close } = await serve(settings, { socket: true, base });
  const http = await untouchedHttp(url, socketPath, () => !timersAreFake());
  let remote: Promise<LibrarySandbox> | undefined;
  return {
    ...{ sandbox, socketPath },
    remote() {
      remote ??= openRemote({ url, socketPath, send: http.send, close: async () => undefined });
      return remote;
    },
    async close() {
      await http.close();
      await close();
    },
  };
}

/** What a story's world starts from: an empty world, or a scenario's fixtures. */
function beginningOf(
  { seed, story }: ExploreOptions,
  { seed: fixtures, startAt }: Settings,
): Promise<Buffer> {
  if (story.by) return seedBytes({ seed, startAt, areSendersAlone: true }, AREAS);
  const isEmpty = !story.settingsFor || fixtures === EMPTY_SEED;
  return isEmpty ? seedBytes({ seed, startAt }, AREAS, 0) : seedBytes({ seed: fixtures, startAt }, AREAS);
}

/**
 * Registers the subscriber, even if the world already contains the endpoint.
 * @throws SandboxError if the platform rejects its URL
 */
function register(
  sandbox: Sandbox,
  { subject: { url }, secret, story }: ExploreOptions,
  another = false,
): { id: string } {
  const sender = story.by?.sender.name ?? PLATFORM_SENDER;
  try {
    return sandbox.webhooks.create({ url, events: ["*"], secret, sender, another }, { url: "/explore" });
  } catch (error) {
    throw error instanceof Refusal ? notSentTo(url, error.message) : error;
  }
}

const notSentTo = (url: string, why: string): SandboxError =>
  misuse(
    `The platform does not send to ${url}: ${why}`,
    "Explore a server on this machine, or allow its host in webhooks.allowHttpHosts.",
  );

/** The user's delivery settings, with defaults for everything else. */
function stageSettings({ settings, story, subject, secret, timeout }: ExploreOptions): Settings {
  const own = { ...settings, ...story.settingsFor?.({ url: subject.url, secret }) };
  const { payments, webhooks } = own;
  return {
    ...own,
    ...(story.by && { senders: [] }),
    port: 0,
    host: "127.0.0.1",
    ports: {},
    // A shipped story starts in an empty world.
    from: story.settingsFor ? own.from : undefined,
    dataDir: undefined,
    clock: { mode: "paused", rate: 1 },
    settleTimeout: timeout,
    payments: {
      ...payments,
      // The clock is paused while the handler makes calls, so a rate limit would never reset.
      rateLimit: subject.api ? "off" : payments.rateLimit,
      confirmationDelay: story.confirmationDelay ?? payments.confirmationDelay,
    },
    webhooks: { ...webhooks, endpoints: [], ...(story.by && { senders: [story.by.sender] }) },
  };
}
