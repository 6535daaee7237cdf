import type { Settings } from "../config/config.ts";
import { SandboxError } from "../errors/errors.ts";
import type { Sandbox as LibrarySandbox } from "../library/index.ts";
import { PlatformError } from "../payments/errors.ts";
import { AREAS } from "../sandbox/areas.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { EMPTY_SEED, makeSeedBytes, seedBytes } from "../sandbox/seed.ts";
import { type Served, serve } from "../server/serve.ts";
import { createCourier } from "./courier.ts";
import type { DrawnRun } from "./exploration.ts";
import type { ExploreOptions } from "./options.ts";
import type { Run, Stage } from "./play.ts";
import { sendToHandler } from "./subscriber.ts";
import { createContents } from "./wire.ts";

/** A stage, and what ends it. */
export interface OpenStage {
  stage: Stage;
  /** Adds the endpoint's timeline to the run that was played last. */
  draw: (run: Run) => DrawnRun;
  close: () => Promise<void>;
}

/** More attempts than a run has. */
const ATTEMPTS = 10_000;

/** Opens a sandbox in which a story can begin: with the subscriber's endpoint, unless the story registers it itself. */
export async function openStage(options: ExploreOptions, signal: AbortSignal): Promise<OpenStage> {
  const { subject, story, secret, ignore, invariant = null } = options;
  const { handler } = subject;
  const courier = createCourier();
  const settings = stageSettings(options);
  const base = await worldOf(options, settings);
  const served = await serve(
    {
      ...settings,
      payments: {
        ...settings.payments,
        webhooks: {
          ...settings.payments.webhooks,
          courier: (send) => courier.wrap(handler ? (request) => sendToHandler(handler, request) : send),
        },
      },
    },
    { socket: true, base },
  );
  const { sandbox } = served;
  let remote: Promise<LibrarySandbox> | undefined;
  const close = async () => {
    await (await remote?.catch(() => undefined))?.close();
    await served.close();
  };
  try {
    const registered = story.settingsFor ? undefined : register(sandbox, subject.url, secret).id;
    const endpoint = () =>
      registered ?? sandbox.payments.webhooks().find(({ url }) => url === subject.url)?.id ?? "";
    const rewind = await sandbox.mark();
    return {
      stage: {
        ...{ sandbox, rewind, endpoint, courier, story, subject, ignore, invariant, signal },
        remote: () => {
          remote ??= openLibrary(served);
          return remote;
        },
        contentOf: createContents(),
      },
      draw: (run) => ({ ...run, timeline: sandbox.payments.timeline(endpoint(), ATTEMPTS) }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The world as the library has it, for stories that are scenarios. */
async function openLibrary({ url, socketPath }: Served): Promise<LibrarySandbox> {
  const [{ openRemote }, { untouchedHttp }] = await Promise.all([
    import("../client/sandbox.ts"),
    import("../client/untouched-http.ts"),
  ]);
  const http = await untouchedHttp(url, socketPath);
  return openRemote({ url, socketPath, send: http.send, close: http.close });
}

/** The world that a story begins with: an empty one, or the fixtures that a scenario names. */
function worldOf({ seed, story }: ExploreOptions, { seed: fixtures, startAt }: Settings): Promise<Buffer> {
  const isEmpty = !story.settingsFor || fixtures === EMPTY_SEED;
  return isEmpty ? makeSeedBytes({ seed, startAt }, AREAS, 0) : seedBytes({ seed: fixtures, startAt }, AREAS);
}

function register(sandbox: Sandbox, url: string, secret: string) {
  try {
    return sandbox.payments.registerWebhook({ url, events: ["*"], secret }, {}, "/explore");
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw new SandboxError(
      "bad_request",
      `The platform does not send to ${url}: ${error.message}`,
      "Explore a server on this machine, or allow its host in webhooks.allowHttpHosts.",
    );
  }
}

/** The user's settings, as far as they say how the platform delivers; everything else is as in a new world. */
function stageSettings({ settings, story, subject, secret, timeout }: ExploreOptions): Settings {
  const own = { ...settings, ...story.settingsFor?.({ url: subject.url, secret }) };
  const { payments } = own;
  return {
    ...own,
    port: 0,
    host: "127.0.0.1",
    ports: {},
    from: undefined,
    dataDir: undefined,
    clock: { mode: "paused", rate: 1 },
    settleTimeout: timeout,
    payments: {
      ...payments,
      confirmationDelay: story.confirmationDelay ?? payments.confirmationDelay,
      webhooks: { ...payments.webhooks, endpoints: [] },
    },
  };
}
