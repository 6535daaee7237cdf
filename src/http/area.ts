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
   * Runs when the world is opened and before its status is read: renews expired rows. Throws DamagedData if the area cannot
   * continue with the stored rows.
   */
  refresh?(): void | Promise<void>;
  /** Runs when the world is opened and, in the same transaction, when it is restored: resumes work that was in progress. */
  resume?(): void;
  counts?(): Record<string, number>;
  /** The area's fields of the status: keys, players. */
  status?(): object;
  /** Whether a timer is only about the seeded past. */
  isSeeded?(timer: Timer): boolean;
  /**
   * Predicts what its timers cause until an instant, in virtual milliseconds. Changes nothing.
   * @param announce adds the deliveries of an event that will happen
   * @returns the number of events, by the journal's names
   */
  outlook?(until: number, announce: Announce): Promise<Record<string, number>>;
  /** Drops work in progress, which is not recorded. */
  close?(): void;
}

/** Adds the first attempts of an event that will happen. @param past whether it belongs to the seeded history */
export type Announce = (org: string, type: string, about: string, at: number, past?: boolean) => void;

type SettingsOf<Context> = Context extends { settings: infer Settings } ? Settings : never;

/** The server's part of an area, with which its routes are registered. */
export interface AreaDoor<Part> {
  /** Finds the area's part of a request's world. */
  open: (request: FastifyRequest) => Part;
  /** Lets the page's own calls in, which take no key. Throws SandboxError for any other caller. */
  guardInside?: ((request: FastifyRequest) => void | Promise<void>) | undefined;
}

/**
 * One API of the platform that Sandglass emulates. The rest of the program knows an area only by this object;
 * docs/architecture.md, "Adding an area", walks through one.
 */
export interface Area<Part extends AreaPart = AreaPart, Context = never> {
  /** Its path below the server, without slashes. It is also its name in the status, in faults and in the request log. */
  name: string;
  /** `create table …` statements. */
  tables: readonly string[];
  /** The kinds of timers that it handles. */
  timerKinds: readonly string[];
  /** The rules for its rows in a snapshot that Sandglass did not write. */
  rowRules: RowRules;
  /** The names of its journal entries. */
  entries: readonly string[];
  /**
   * Writes the rows of a new world.
   * @param days how many days of an invented past there are, up to `HISTORY_DAYS`; with 0, only required rows
   */
  seed(world: World, days: number): void | Promise<void>;
  /** Its kinds of rows in files of fixtures; loaded when there are such files. */
  fixtures?: () => Promise<AreaFixtures<SettingsOf<Context>>>;
  /**
   * The configuration's additions to every new world.
   * @returns writes the rows; undefined if the configuration adds none
   */
  additions?(settings: SettingsOf<Context>): ((world: World) => void) | undefined;
  /** Whether a world has the platform. A world of senders alone has none of its areas; by default, a world has all. */
  isIn?(world: World): boolean;
  /** Wires its part of one world, and handles its timers. */
  open(context: Context): Part | Promise<Part>;
  /** Registers its routes below `/{name}`, with its error handler. */
  routes(app: App, door: AreaDoor<Part>): void | Promise<void>;
  /** The path of the page's own calls, below the area. */
  dashboard?: string;
  /** Its keys belong on a server, so pages of other origins may not call it. */
  forServers?: true;
  /** The form of refusals before its routes. */
  refusals: AreaRefusals;
  /** Converts its own errors to Sandglass's form, for the control API; undefined for other errors. */
  translate?(error: unknown): SandboxError | undefined;
  /** The description of its OpenAPI document. */
  document: Omit<OpenApiInfo, "server" | "version"> & { version?: string };
}

/** Why a request is refused before its route is known. */
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
  /** Headers of all the area's answers. */
  headers?: Record<string, string>;
  /** The status of a path that cannot be decoded; 400 by default. */
  unreadablePath?: { status?: number; hint?: string };
}

/** The part of an area that the server needs before a world is open. */
export type AreaFace = Pick<Area, "name" | "refusals" | "dashboard" | "forServers">;
