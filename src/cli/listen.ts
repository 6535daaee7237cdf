import type { Client } from "../client/http.ts";
import { followJournal, type LiveJournal } from "../client/live.ts";
import { SandboxError } from "../errors.ts";
import { wallSleep } from "../world/clock.ts";
import type { JournalEntry } from "../world/journal.ts";
import type { Invocation } from "./commands.ts";
import { entryCells, worthShowing } from "./ledger.ts";
import { type Cell, columns, fields, note, paint, print, printJson } from "./output.ts";
import { chosenSandbox, readHttpUrl } from "./server.ts";
import { stopRequested } from "./stop.ts";

interface ListenOptions {
  forwardTo?: string;
  events?: string;
  apiKey?: string;
  url?: string;
  json?: boolean;
}

interface Endpoint {
  id: string;
  url: string;
  events: string[];
  secret: string;
}

const TYPES = [
  "delivery.*",
  "retry.*",
  "webhook.disabled",
  "webhook.enabled",
  "webhook.deleted",
  "mail.sent",
  "world.reset",
];
const RECONNECT_MS = 500;
/** How long the sandbox may take to remove the endpoint when this ends. */
const GOODBYE_MS = 2_000;
/** Wide enough for what mostly stands there, so that lines that come one by one stay aligned. */
const WHAT_WIDTH = "delivery.unanswered".length;
const ABOUT_WIDTH = "checkout.completed, attempt 1".length;

/** `sandglass listen`: an endpoint for as long as it runs, and a line for each delivery to it. */
export async function run({ options }: Invocation<ListenOptions>): Promise<number> {
  const stopped = stopRequested();
  const listener = await createListener(options);
  await listener.connect();
  const ended = await Promise.race([stopped.then(() => 0), listener.follow()]);
  await Promise.race([listener.leave(), wallSleep(GOODBYE_MS)]);
  return ended;
}

async function createListener(options: ListenOptions) {
  if (options.forwardTo === undefined)
    throw new SandboxError(
      "bad_request",
      "listen needs to know where your server takes webhooks.",
      "For example: sandglass listen --forward-to http://127.0.0.1:3000/webhooks",
    );
  const target = readHttpUrl(options.forwardTo, "--forward-to");
  const events = options.events
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const sandbox: Client = await chosenSandbox(options.url);
  let key = "";
  let endpoint: Endpoint | undefined;
  let live: LiveJournal | undefined;
  let last: number | undefined;

  async function register(): Promise<void> {
    endpoint = await sandbox.platform<Endpoint>("POST", "/webhooks", key, {
      body: { url: target, description: "sandglass listen", ...(events && { events }) },
      fields: ["id", "secret"],
    });
    const { id, url, secret } = endpoint;
    if (options.json)
      return printJson({ type: "listening", webhook_id: id, url, events: endpoint.events, secret });
    const names = endpoint.events.includes("*") ? "all events" : endpoint.events.join(", ");
    for (const line of fields([
      ["endpoint", id],
      ["sends", `${names} to ${url}`],
      ["secret", secret],
    ]))
      print(line);
  }

  /** Follows the journal first, so that nothing which happens after the registration is missed. */
  async function connect(): Promise<void> {
    const status = await sandbox.status();
    if (live !== undefined) say("It is back.");
    key = options.apiKey ?? process.env.SANDGLASS_API_KEY ?? status.keys.write;
    live = await followJournal(sandbox.url, { types: TYPES, after: last });
    if (!(await isThere(endpoint))) await register();
  }

  /** Ids and secrets come from the seed: after a restart another endpoint may have both, not the URL too. */
  async function isThere(mine: Endpoint | undefined): Promise<boolean> {
    if (mine === undefined) return false;
    const same = (it: Endpoint) => it.id === mine.id && it.secret === mine.secret && it.url === mine.url;
    return (await sandbox.webhooks()).some(same);
  }

  /** @returns whether to go on */
  async function handle(entry: JournalEntry): Promise<boolean> {
    last = entry.seq;
    if (entry.type === "world.reset") {
      say("The sandbox was reset; registering again.");
      await register();
      return true;
    }
    const { webhook_id: webhook, id } = entry.data;
    if (webhook !== endpoint?.id && id !== endpoint?.id) return true;
    if (options.json) printJson(entry);
    else if (entry.type !== "webhook.deleted" && worthShowing(entry)) print(line(entry));
    if (entry.type === "webhook.disabled")
      say(`Enable it: curl -X POST ${sandbox.url}/_sandbox/webhooks/${endpoint!.id}/enable`);
    if (entry.type !== "webhook.deleted") return true;
    say("The endpoint was deleted; nothing more will come.");
    endpoint = undefined;
    return false;
  }

  const say = (text: string) => note(options.json ? text : paint.dim(text));

  return {
    connect,

    /** Resolves with an exit code when nothing more can come. */
    async follow(): Promise<number> {
      for (;;) {
        for await (const entry of live!.entries) if (!(await handle(entry))) return 1;
        say(`${sandbox.url} went away; waiting for it.`);
        await reconnect(connect);
      }
    },

    /** Takes the endpoint away again. */
    async leave(): Promise<void> {
      live?.close();
      if (endpoint === undefined) return;
      const { id } = endpoint;
      await sandbox.platform("DELETE", `/webhooks/${id}`, key).then(
        () => say(`Removed the endpoint ${id}.`),
        () => undefined,
      );
    },
  };
}

/** Tries until the sandbox answers. */
async function reconnect(connect: () => Promise<void>): Promise<void> {
  for (;;) {
    await wallSleep(RECONNECT_MS);
    try {
      return await connect();
    } catch (error) {
      if (!(error instanceof SandboxError) || error.code !== "unreachable") throw error;
    }
  }
}

function line(entry: JournalEntry): string {
  const { time, what, about, error, next } = entryCells(entry);
  const code = entry.type === "delivery.succeeded" ? `status ${entry.data.response_code}` : "";
  return columns([[time, widen(what, WHAT_WIDTH), widen(about, ABOUT_WIDTH), code, error, next]])[0]!;
}

function widen(cell: Cell, width: number): Cell {
  return typeof cell === "string" ? cell.padEnd(width) : { ...cell, text: cell.text.padEnd(width) };
}
