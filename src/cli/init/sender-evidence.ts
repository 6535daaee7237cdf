import { isDeepStrictEqual } from "node:util";
import { createRouteProbe, findTakenRoutes, type RouteProbe } from "../../trial/check/route-probe.ts";
import { kindOf } from "../../trial/database/source.ts";
import type { Json } from "../../trial/subject/state.ts";
import type { SubjectState } from "../../trial/subject/subject-state.ts";
import type { Subject } from "../../trial/subject/subscriber.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { wallNow, wallSleep } from "../../world/clock.ts";
import { SECOND } from "../../world/duration.ts";
import { isCopied } from "./database-kinds.ts";
import type { Handler } from "./handler.ts";
import type { Found } from "./sources.ts";

/** Finds out from a running server which route receives a sender's webhooks, and which variable holds the secret. */

export type HandledBy = Handler["senders"][number];

export const ANSWER_MS = 30 * SECOND;
/** How long to wait for a response from the server's other ports, in real milliseconds. */
const ELSEWHERE_ANSWER_MS = 3 * SECOND;
/** How often to check which ports a server listens on, in real milliseconds. */
const LOOK_MS = 200;
/** How many types of events to try, to find one that the server accepts or that changes its database. */
const MOST_TYPES = 3;

/**
 * Whether the SQLite file is only a guess: the file does not exist, and no variable names it. The server's actual file
 * may be anywhere.
 */
const isMissing = ({ kind, state, variable }: Handler["database"]): boolean =>
  kind === "sqlite" && variable.at === undefined && !kindOf(state.value).exists(state.value);

/**
 * Finds out from one sender's events which route receives them, which variable holds the secret, and whether they
 * change the database.
 * @param until when to stop waiting for further ports
 */
export async function senderSeen(
  handled: HandledBy,
  sender: FileSender,
  secrets: ReadonlyMap<string, string>,
  { url, state, server }: Pick<Subject, "url" | "state" | "server">,
  { database, until }: Pick<Handler, "database"> & { until: number },
): Promise<{ handled: HandledBy; hasChanged: boolean } | undefined> {
  // Other databases, and a guessed file that does not exist, cannot be copied. Then the server must not accept an
  // event, because it would change the user's data.
  const takesEvents = !/^(?:other|url)$/.test(database.kind) && !isMissing(database);
  const before = isCopied(database.kind) ? await stateOf(state) : undefined;
  const own = takesEvents ? handled.secrets.filter((name) => secrets.has(name)) : [];
  const named = new URL(url);
  const tried = new Set<number>();
  let other: HandledBy | undefined;
  for (
    let port: number | undefined = Number(named.port || 80);
    port !== undefined;
    port = await untriedPort(server, tried, until)
  ) {
    tried.add(port);
    const { origin } = Object.assign(new URL(url), { port: String(port) });
    const probe = createRouteProbe(sender, origin, origin === named.origin ? ANSWER_MS : ELSEWHERE_ANSWER_MS);
    const taken = await findTakenRoutes(probe, handled.routes);
    for (const { path, answer } of taken) {
      const secret = await secretSeen(probe, path, answer.status, own, secrets, sender);
      const isRead = handled.isTraced && path === handled.routes[0] && taken.length === 1;
      if (!secret && !isRead) continue;
      const seenUrl = { value: origin + path, seen: `seen: it ${answer.detail} to a wrong signature` };
      const name = secret ? { ...handled.name, seen: "seen: its signature is accepted" } : handled.name;
      const hasChanged = async () => !isDeepStrictEqual(before, await stateOf(state));
      let isChanged = secret !== undefined && before !== undefined && (await hasChanged());
      // The accepted event may be one that changes nothing, so also try others.
      for (const type of secret && before !== undefined ? sender.events.slice(0, MOST_TYPES) : []) {
        if (isChanged) break;
        await probe.send(path, secrets.get(secret!.value)!, type);
        isChanged = await hasChanged();
      }
      return {
        handled: { ...handled, name, url: seenUrl, ...(secret && { secret }) },
        hasChanged: isChanged,
      };
    }
    // Routes for other webhooks reject this signature as well, so each of these routes is only a guess.
    const [likely] = taken.toSorted(
      (a, b) => handled.routes.indexOf(a.path) - handled.routes.indexOf(b.path),
    );
    if (likely) other ??= { ...handled, url: { ...handled.url, value: origin + likely.path } };
  }
  return other && { handled: other, hasChanged: false };
}

/** Finds another port that the server listens on. It may take a while to open. */
async function untriedPort(
  server: Subject["server"],
  tried: ReadonlySet<number>,
  until: number,
): Promise<number | undefined> {
  for (;;) {
    const port = server?.ports().find((one) => !tried.has(one));
    if (port !== undefined || !server || server.hasEnded() || wallNow() > until) return port;
    await wallSleep(LOOK_MS);
  }
}

export const stateOf = (state: SubjectState): Promise<Json | undefined> =>
  state.read().catch(() => undefined);

/**
 * The variable whose secret makes the server accept an event that it otherwise rejects. If the user's rows are missing,
 * a handler may fail after verifying the signature: then its response to the right secret differs from its responses to
 * all others.
 */
async function secretSeen(
  probe: RouteProbe,
  path: string,
  refused: number | null,
  names: readonly string[],
  secrets: ReadonlyMap<string, string>,
  { events }: FileSender,
): Promise<Found | undefined> {
  if (refused === null || refused < 400) return undefined;
  /**
   * Whether a wrong signature is still rejected: earlier rejections may have come from a server that was still warming
   * up, or from a rate limit.
   */
  const isRefusing = async (type: string) => (await probe.send(path, probe.wrong, type)).status === refused;
  for (const type of events.slice(0, MOST_TYPES)) {
    const answers = new Map<string, number | null>();
    for (const name of names) {
      const { error, status } = await probe.send(path, secrets.get(name)!, type);
      if (error === null)
        return (await isRefusing(type))
          ? { value: name, seen: "seen: a signed event is accepted with it and refused without it" }
          : undefined;
      answers.set(name, status);
    }
    const others = [...answers].filter(([, status]) => status !== null && status !== refused);
    const [name, status] = others[0] ?? [];
    if (others.length !== 1 || answers.size === 1 || name === undefined || !(await isRefusing(type)))
      continue;
    const again = await probe.send(path, secrets.get(name)!, type);
    if (again.status === status)
      return { value: name, seen: `seen: events signed with it get ${status}, all others ${refused}` };
  }
  return undefined;
}
