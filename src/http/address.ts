import type { IncomingMessage } from "node:http";
import type { AreaFace } from "./area.ts";

/** The world that is served without a prefix. */
export const DEFAULT_WORLD = "default";

const WORLD_PREFIX = /^\/w\/([^/?#]{1,200})(?=[/?#]|$)/;
const worldOf = Symbol("world");
const insideOf = Symbol("inside");
const calledByHead = Symbol("head");

/** What a request says before its route is looked for. */
type Addressed = IncomingMessage & {
  originalUrl?: string;
  [worldOf]?: string;
  [insideOf]?: true;
  [calledByHead]?: true;
};

/** A request of Fastify, or anything else that has Node's own. */
interface Received {
  raw: IncomingMessage;
}

/** Where the control API has an area's API as the page uses it, and where that is. */
interface InsideDoor {
  from: string;
  to: string;
}

/** The doors of the areas that have one. */
export const insideDoors = (areas: readonly AreaFace[]): InsideDoor[] =>
  areas
    .filter(({ dashboard }) => dashboard !== undefined)
    .map(({ name, dashboard }) => ({ from: `/_sandbox/${name}/`, to: `/${name}${dashboard}/` }));

/**
 * Reads for which world a request is. Its URL becomes the path in that world; from the door inside it leads to the
 * area's routes, so that every route is written once. HEAD becomes GET, as Node leaves out the body by itself: routes of
 * its own would be a third more of them.
 * @returns the first part of the path, such as `platform`; empty for `/`
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
  // Where Fastify looks for the URL as it came.
  addressed.originalUrl = request.url ?? "/";
  request.url = door ? door.to + rest.slice(door.from.length) : rest;
  return /^\/([^/?#]*)/.exec(request.url)?.[1] ?? "";
}

/** The name of the world a request is for: `/w/{name}/…`, or the default one. */
export function requestedWorld({ raw }: Received): string {
  return (raw as Addressed)[worldOf] ?? DEFAULT_WORLD;
}

/** The method that a request was made with: its own says GET for HEAD, too. */
export function calledMethod({ raw }: Received): string {
  return (raw as Addressed)[calledByHead] ? "HEAD" : raw.method!;
}

/** Whether a request came through the door inside: the page's own, which takes no key. */
export function cameInside({ raw }: Received): boolean {
  return (raw as Addressed)[insideOf] ?? false;
}

/** Splits a URL into the world it is for and the rest: `/w/demo/platform` is `/platform` of the world `demo`. */
export function splitWorld(url: string): { world: string; rest: string } {
  const prefix = WORLD_PREFIX.exec(url);
  if (!prefix) return { world: DEFAULT_WORLD, rest: url };
  const rest = url.slice(prefix[0].length);
  return { world: safeDecode(prefix[1]!), rest: rest.startsWith("/") ? rest : `/${rest}` };
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
