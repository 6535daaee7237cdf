import type { Settings } from "../config/config.ts";
import { SandboxError } from "../errors/errors.ts";
import { PlatformError } from "../payments/errors.ts";
import { AREAS } from "../sandbox/areas.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { makeSeedBytes } from "../sandbox/seed.ts";
import { serve } from "../server/serve.ts";
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

/** Opens a sandbox with the subscriber's endpoint, and nothing else in it. */
export async function openStage(options: ExploreOptions, signal: AbortSignal): Promise<OpenStage> {
  const { subject, story, secret, seed, ignore, invariant = null } = options;
  const { handler } = subject;
  const courier = createCourier();
  const settings = stageSettings(options);
  const base = await makeSeedBytes({ seed, startAt: settings.startAt }, AREAS, 0);
  const { sandbox, close } = await serve(
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
  try {
    const { id } = register(sandbox, subject.url, secret);
    const rewind = await sandbox.mark();
    return {
      stage: {
        ...{ sandbox, rewind, endpoint: id, courier, story, subject, ignore, invariant, signal },
        contentOf: createContents(),
      },
      draw: (run) => ({ ...run, timeline: sandbox.payments.timeline(id, ATTEMPTS) }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
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
function stageSettings({ settings, story, timeout }: ExploreOptions): Settings {
  const { payments } = settings;
  return {
    ...settings,
    port: 0,
    host: "127.0.0.1",
    ports: {},
    dataDir: undefined,
    clock: { mode: "paused", rate: 1 },
    settleTimeout: timeout,
    payments: {
      ...payments,
      confirmationDelay: story.confirmationDelay,
      webhooks: { ...payments.webhooks, endpoints: [] },
    },
  };
}
