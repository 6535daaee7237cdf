import { DEFAULT_WORLD } from "../http/address.ts";
import { SENDERS } from "../senders/api/name.ts";
import { serviceHosts } from "../senders/services.ts";
import { createCrossings } from "../trial/outside/crossing.ts";
import { hostsOf } from "../trial/outside/hosts.ts";
import { MAIL_PORTS } from "../trial/outside/mail.ts";
import { openOutside } from "../trial/outside/outside.ts";
import { routeHere } from "../trial/outside/preload/here.ts";
import type { RouteName } from "./route-names.ts";
import type { Served } from "./serve.ts";

/** Routes API calls to a sandbox while it is open. See docs/outside.md, "In a sandbox". */
export interface Route {
  /** The environment variables that route a process's connections to the sandbox. */
  env: Record<string, string>;
  close(): Promise<void>;
}

export interface RouteOptions {
  /** The kind of route; undefined if only mail is routed. */
  route: RouteName | undefined;
  /** The environment variables from which a process reads the address of its mail server. */
  mailEnv: readonly string[];
  /** The environment of the process whose calls are routed; by default, this process. */
  env?: NodeJS.ProcessEnv;
}

/** @returns undefined if there is nothing to route */
export async function openRoute(
  served: Pick<Served, "worlds" | "handle">,
  { route, mailEnv, env }: RouteOptions,
): Promise<Route | undefined> {
  const { worlds, handle } = served;
  /** The world that belongs to a test is the one that was opened last. */
  const newest = () => worlds.names().at(-1) ?? DEFAULT_WORLD;
  const senders = route === undefined ? [] : (worlds.main.settings.webhooks.senders ?? []);
  const apis = senders.flatMap(({ name, facts: { api } }) =>
    api ? [{ hosts: hostsOf(api), serve: handle((path) => `/w/${newest()}/${SENDERS}/${name}${path}`) }] : [],
  );
  const only = [
    ...apis.flatMap(({ hosts }) => hosts),
    ...(route === "services" ? [...(await serviceHosts()), ...MAIL_PORTS.map((port) => `*:${port}`)] : []),
  ];
  if (only.length === 0 && mailEnv.length === 0) return undefined;
  const outside = await openOutside({
    ...{ apis, only, mailEnv, allow: [], env: env ?? {}, port: undefined },
    crossings: createCrossings(),
    onMail(mail) {
      const { store, journal } = worlds.find(newest()).world;
      store.transaction(() => journal.append("mail.taken", { ...mail }));
    },
  });
  const end = env ? undefined : routeHere(outside, only);
  return {
    env: outside.env,
    async close() {
      end?.();
      await outside.close();
    },
  };
}
