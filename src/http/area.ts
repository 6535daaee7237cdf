import type { FastifyRequest } from "fastify";
import type { SandboxError } from "../errors/errors.ts";
import type { AreaFixtures } from "../schema/fixtures.ts";
import type { RowRules } from "../world/snapshot-rows.ts";
import type { Timer } from "../world/timers.ts";
import type { World } from "../world/world.ts";
import type { OpenApiInfo } from "./openapi.ts";
import type { App } from "./types.ts";

/** How many days of an invented past a seed has. */
export const HISTORY_DAYS = 30;

/** One world's part of an area. */
export interface AreaPart {
  readonly world: World;
  /**
   * Runs when the world is opened and before its status is read: renews what has expired. Throws DamagedData where the
   * area cannot go on with what is there.
   */
  refresh?(): void | Promise<void>;
  /** Runs when the world is opened and, in the same transaction, when it is restored: takes up what was under way. */
  resume?(): void;
  /** How many rows of each kind there are, for the status. */
  counts?(): Record<string, number>;
  /** What the area adds to the status: keys, players. */
  status?(): object;
  /** Whether a timer is about the seeded past alone, and not about what was made since. */
  isSeeded?(timer: Timer): boolean;
  /** Drops what is under way: it is written nowhere. */
  close?(): void;
}

/** The settings in what an area's part is made from. */
type SettingsOf<Context> = Context extends { settings: infer Settings } ? Settings : never;

/** An area's routes are registered with it. */
export interface AreaDoor<Part> {
  /** Finds the part of the world a request is for. */
  open: (request: FastifyRequest) => Part;
  /** Lets the page's own calls in, which take no key. Throws SandboxError for any other caller. */
  guardInside?: ((request: FastifyRequest) => void | Promise<void>) | undefined;
}

/**
 * One API of the platform that Sandglass stands in for. The rest of the program knows an area by this object alone;
 * docs/architecture.md, "Adding an area", walks through one.
 */
export interface Area<Part extends AreaPart = AreaPart, Context = never> {
  /** Its path below the server, without slashes. Names it in the status, in faults and in the request log, too. */
  name: string;
  /** `create table …` statements. */
  tables: readonly string[];
  /** The kinds of timers that it handles. */
  timerKinds: readonly string[];
  /** What its rows have to be in a snapshot from outside. */
  rowRules: RowRules;
  /** The names of its journal entries. */
  entries: readonly string[];
  /**
   * Writes the rows that a world begins with.
   * @param days how many days of an invented past there are, up to `HISTORY_DAYS`; with 0, only what the area cannot do
   *   without
   */
  seed(world: World, days: number): void | Promise<void>;
  /** What files of fixtures can list of it; loaded when there are such files. */
  fixtures?: () => Promise<AreaFixtures<SettingsOf<Context>>>;
  /**
   * What the configuration adds to every world that begins, whatever it begins with.
   * @returns what writes the rows; undefined where the configuration adds none
   */
  additions?(settings: SettingsOf<Context>): ((world: World) => void) | undefined;
  /** Wires its part of one world, and handles its timers. */
  open(context: Context): Part;
  /** Registers its routes below `/{name}`, with its error handler. */
  routes(app: App, door: AreaDoor<Part>): void | Promise<void>;
  /** Where the page's own calls go, below its path. */
  dashboard?: string;
  /** Its keys belong on a server: pages of other origins may not call it. */
  forServers?: true;
  /** How it answers a request that never reaches its routes. */
  refusals: AreaRefusals;
  /** Its own errors in Sandglass's form, for the control API; undefined for errors of others. */
  translate?(error: unknown): SandboxError | undefined;
  /** What its OpenAPI document says of it. */
  document: Omit<OpenApiInfo, "server" | "version"> & { version?: string };
}

/** Why a request is refused before any route is looked for. */
export interface Refusal {
  status: number;
  /** A sentence: what was wrong, with the value and the limit. */
  message: string;
  /** A sentence: the way out. */
  hint: string;
}

export interface AreaRefusals {
  /** The body of the answer. `path` is the request's, without query. */
  body(refusal: Refusal, path: string): object;
  /** Headers that all its answers have. */
  headers?: Record<string, string>;
  /** What a path that cannot be decoded counts as; 400 by default. */
  unreadablePath?: { status?: number; hint?: string };
}

/** The part of an area that serving needs to know before any world is open. */
export type AreaFace = Pick<Area, "name" | "refusals" | "dashboard" | "forServers">;
