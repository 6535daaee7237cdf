import type { Client, ResultOf, WebhookWithSecret } from "../../client/http.ts";
import { followJournal, type LiveJournal } from "../../client/live.ts";
import { SandboxError } from "../../errors/errors.ts";
import type { Delivery } from "../../library/index.ts";
import { readHttpUrl } from "../../runtime/http-url.ts";
import { ENDPOINT_STATES } from "../../timeline/endpoint-state.ts";
import { describeEntry, REPLACEMENTS, worthShowing } from "../../timeline/entries.ts";
import { eventsText } from "../../timeline/text.ts";
import { wallSleep } from "../../world/clock.ts";
import type { JournalEntry } from "../../world/journal.ts";
import { entryCells } from "../advance/summary.ts";
import type { Invocation } from "../command.ts";
import { columns, fields, note, paint, print, printJson, widen } from "../output.ts";
import { chosenSandbox, type ServerOptions, urlFlag } from "../server.ts";
import { stopRequested } from "../stop.ts";
import { deliveryAdvice } from "./deliveries.ts";

interface ListenOptions extends ServerOptions {
  forwardTo?: string;
  events?: string;
  secret?: string;
  apiKey?: string;
}

type CreatedEndpoint = ResultOf<"webhooks.create">;

const TYPES = [
  "delivery.*",
  "retry.*",
  ...ENDPOINT_STATES.map((state) => `webhook.${state}`),
  "mail.sent",
  ...REPLACEMENTS,
];
const SECRET = "SANDGLASS_WEBHOOK_SECRET";
/** The name of the built-in inbox that stands in for a server. */
const INBOX = "listen";
const RECONNECT_MS = 500;
/** How long to wait at the end for the sandbox to remove the endpoint. */
const GOODBYE_MS = 2_000;
/** This width fits most ids, so lines stay aligned. */
const EVENT_ID_WIDTH = "evt_4fTzK0aQ9xLm2VbE".length;
const WHAT_WIDTH = "delivery.unanswered".length;
const ABOUT_WIDTH = "checkout.completed, attempt 1".length;

/** `sandglass listen`: registers an endpoint while it runs, and prints a line for each delivery to it. */
export async function run({ options }: Invocation<ListenOptions>): Promise<number> {
  const stopped = stopRequested({ orOutputEnds: true });
  const listener = createListener(options, await chosenSandbox(options));
  await listener.connect();
  const ended = await Promise.race([stopped.then(() => 0), listener.follow()]);
  await Promise.race([listener.leave(), wallSleep(GOODBYE_MS)]);
  return ended;
}

function createListener(options: ListenOptions, sandbox: Client) {
  const registration = readRegistration(options);
  let endpoint: CreatedEndpoint | undefined;
  let live: LiveJournal | undefined;
  let last: JournalEntry | undefined;
  let leaving = false;
  /** The sandbox's own URL. The sandbox recognizes its inboxes only under this URL. */
  let home = sandbox.url;

  /** Register again with the same secret, because the subscriber already uses it. */
  async function register(): Promise<void> {
    endpoint = await sandbox.run(
      "webhooks.create",
      {
        url: `${home}/_sandbox/inbox/${INBOX}`,
        ...registration,
        ...(endpoint && { secret: endpoint.secret }),
      },
      { key: options.apiKey ?? process.env.SANDGLASS_API_KEY },
    );
    await removeLeftovers(sandbox, endpoint);
    printEndpoint(endpoint, options.json);
  }

  /** Connects to the journal before registering, so no entry after the registration is missed. */
  async function connect(): Promise<void> {
    home = (await sandbox.status()).url;
    const back = live !== undefined;
    live = await followJournal(sandbox, { types: TYPES, after: last, notice: say });
    if (back) say("It is back.");
    await registerIfGone();
  }

  /**
   * Ids and secrets are derived from the seed: an endpoint in another world may have the same id and secret, but is
   * unlikely to have the same URL, too.
   */
  async function registerIfGone(): Promise<void> {
    const there = (await sandbox.webhooks()).some(
      ({ id, url, secret }) => id === endpoint?.id && url === endpoint.url && secret === endpoint.secret,
    );
    if (!there) await register();
  }

  /** @returns whether to expect more entries */
  async function handle(entry: JournalEntry): Promise<boolean> {
    if (REPLACEMENTS.includes(entry.type)) {
      say(`${describeEntry(entry).title}.`);
      await registerIfGone();
      return true;
    }
    const { webhook_id: webhook, id } = entry.data;
    if (endpoint === undefined || (webhook !== endpoint.id && id !== endpoint.id)) return true;
    if (options.json) printJson({ ...entry, ...(await readExchange(sandbox, endpoint, entry)) });
    else if (entry.type !== "webhook.deleted" && worthShowing([entry]).length > 0) print(line(entry));
    for (const advice of deliveryAdvice([{ error: entry.data.error, url: endpoint.url }])) say(advice);
    if (entry.type === "webhook.disabled")
      say(`Enable it: npx sandglass webhooks enable ${endpoint.id}${urlFlag(sandbox.url)}`);
    if (entry.type !== "webhook.deleted") return true;
    say("The endpoint was deleted, so it will not receive any more events.");
    endpoint = undefined;
    return false;
  }

  /**
   * Handles messages until the connection ends.
   * @returns whether to expect more messages
   */
  async function handleAll(entries: LiveJournal["entries"]): Promise<boolean> {
    try {
      for await (const entry of entries) {
        if (!(await handle(entry))) return false;
        last = entry;
      }
    } catch (error) {
      if (!isUnreachable(error)) throw error;
    }
    return true;
  }

  const say = (text: string) => note(options.json ? text : paint.dim(text));

  return {
    connect,

    /** Resolves with an exit code when no more entries are expected. */
    async follow(): Promise<number> {
      while (await handleAll(live!.entries)) {
        if (leaving) return 0;
        say(`${sandbox.url} is gone; waiting for it to come back.`);
        await reconnect(connect);
      }
      return 1;
    },

    /** Deletes the endpoint. */
    async leave(): Promise<void> {
      leaving = true;
      live?.close();
      if (endpoint === undefined) return;
      const { id } = endpoint;
      const gone = await sandbox.run("webhooks.delete", { id }).catch(() => undefined);
      if (gone) say(`Removed the endpoint ${id}.`);
    },
  };
}

/** @throws SandboxError `bad_request` */
function readRegistration({ forwardTo, events, secret = process.env[SECRET] || undefined }: ListenOptions) {
  const names = events?.split(",").map((name) => name.trim());
  return {
    ...(forwardTo !== undefined && { url: readHttpUrl(forwardTo, "--forward-to") }),
    description: "sandglass listen",
    events: names?.filter((name) => name !== ""),
    secret,
  };
}

/** Removes an endpoint that an earlier `listen` left behind because it was killed. It may subscribe to other events. */
async function removeLeftovers(sandbox: Client, { id, url, description }: CreatedEndpoint): Promise<void> {
  for (const left of await sandbox.webhooks())
    if (left.id !== id && left.url === url && left.description === description)
      await sandbox.run("webhooks.delete", { id: left.id });
}

function printEndpoint(endpoint: CreatedEndpoint, json: boolean | undefined): void {
  const { id, url, events, secret } = endpoint;
  if (json) return void printJson({ type: "listening", webhook_id: id, url, events, secret });
  for (const line of fields([
    ["endpoint", id],
    ["sends", `${eventsText(endpoint)} to ${url}`],
    ["secret", secret],
  ]))
    print(line);
}

/** The payload and details of a finished attempt; empty for other entries. */
async function readExchange(
  sandbox: Client,
  endpoint: WebhookWithSecret,
  { type, data }: JournalEntry,
): Promise<{ payload?: unknown; delivery?: Delivery }> {
  if (type !== "delivery.succeeded" && type !== "delivery.failed") return {};
  const { status, body: delivery } = await sandbox.request<Delivery>(
    "GET",
    `/_sandbox/platform/webhooks/${endpoint.id}/deliveries/${data.id}`,
    { headers: { "x-sandbox-organization": endpoint.organization } },
  );
  // The endpoint or the world may be gone.
  return status === 200 ? { payload: JSON.parse(delivery.request_body), delivery } : {};
}

const isUnreachable = (error: unknown) => error instanceof SandboxError && error.code === "unreachable";

async function reconnect(connect: () => Promise<void>): Promise<void> {
  for (;;) {
    await wallSleep(RECONNECT_MS);
    try {
      return await connect();
    } catch (error) {
      if (!isUnreachable(error)) throw error;
    }
  }
}

function line(entry: JournalEntry): string {
  const { time, what, about, error, next } = entryCells(entry);
  const code = entry.type === "delivery.succeeded" ? `status ${entry.data.response_code}` : "";
  const { event_id: eventId = "" } = entry.data;
  return columns([
    [
      time,
      widen(String(eventId), EVENT_ID_WIDTH),
      widen(what, WHAT_WIDTH),
      widen(about, ABOUT_WIDTH),
      code,
      error,
      next,
    ],
  ])[0]!;
}
