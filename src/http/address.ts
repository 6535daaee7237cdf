import type { IncomingMessage } from "node:http";
import { decoded } from "../runtime/redact.ts";
import type { AreaFace } from "./area.ts";

/** The name of the world that is served without a URL prefix. */
export const DEFAULT_WORLD = "default";

const WORLD_PREFIX = /^\/w\/([^/?#]{1,200})(?=[/?#]|$)/;
const worldOf = Symbol("world");
const insideOf = Symbol("inside");
const calledByHead = Symbol("head");

/** A request that has not been matched to a route yet. */
type Addressed = IncomingMessage & {
  originalUrl?: string;
  [worldOf]?: string;
  [insideOf]?: true;
  [calledByHead]?: true;
};

/** A Fastify request, or any other object with Node's request. */
interface Received {
  raw: IncomingMessage;
}

/** The paths through which the page calls an area's API: the control API serves it there. */
interface InsideDoor {
  from: string;
  to: string;
}

export const insideDoors = (areas: readonly AreaFace[]): InsideDoor[] =>
  areas
    .filter(({ dashboard }) => dashboard !== undefined)
    .map(({ name, dashboard }) => ({ from: `/_sandbox/${name}/`, to: `/${name}${dashboard}/` }));

/**
 * Determines which world a request is for, and rewrites its URL to the path in that world. The inside door's paths
 * become the area's own, so every route is written only once. HEAD becomes GET: Node omits the body automatically, and
 * separate HEAD routes would increase the number of routes by half.
 * @returns the first segment of the path, such as `platform`; empty for `/`
 */
export function readAddress(request: IncomingMessage, doors: readonly InsideDoor[]): string {
  const addressed = request as Addressed;
  const { world, rest } = splitWorld(request.url ?? "/");
  const door = doors.find(({ from }) => rest.startsWith(from));
  addressed[worldOf] = world;
  if (door) addressed[insideOf] = true;
  if (request.method === "HEAD") {
    addressed[calledByHead] = true;
    request.method = "GET";
  }
  // Fastify reads the original URL from here.
  addressed.originalUrl = request.url ?? "/";
  request.url = door ? door.to + rest.slice(door.from.length) : rest;
  return /^\/([^/?#]*)/.exec(request.url)?.[1] ?? "";
}

/** The name of the world that a request is for: the one in `/w/{name}/…`, or the default world. */
export function requestedWorld({ raw }: Received): string {
  return (raw as Addressed)[worldOf] ?? DEFAULT_WORLD;
}

/** The original method of a request. It may be HEAD even though the request itself now says GET. */
export function calledMethod({ raw }: Received): string {
  return (raw as Addressed)[calledByHead] ? "HEAD" : raw.method!;
}

/** Whether a request came through the inside door, which means that the page sent it. The page needs no key. */
export function cameInside({ raw }: Received): boolean {
  return (raw as Addressed)[insideOf] ?? false;
}

/** Splits a URL into its world and the rest: `/w/demo/platform` is `/platform` in the world `demo`. */
export function splitWorld(url: string): { world: string; rest: string } {
  const prefix = WORLD_PREFIX.exec(url);
  if (!prefix) return { world: DEFAULT_WORLD, rest: url };
  const rest = url.slice(prefix[0].length);
  return { world: decoded(prefix[1]!), rest: rest.startsWith("/") ? rest : `/${rest}` };
}

/** A URL's path below an area's base, without the query. An area's own port has no base. */
export function pathBelow(base: string, url: string): string {
  const [path = ""] = url.split("?");
  return path.startsWith(base) ? path.slice(base.length) : path;
}
