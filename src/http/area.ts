import type { FastifyRequest } from "fastify";
import type { SandboxError } from "../errors/errors.ts";
import type { AreaFixtures } from "../schema/fixtures.ts";
import type { RowRules } from "../world/snapshot-rows.ts";
import type { Timer } from "../world/timers.ts";
import type { World } from "../world/world.ts";
import type { OpenApiInfo } from "./openapi.ts";
import type { App } from "./types.ts";

/** How many days of generated history a seed has. */
export const HISTORY_DAYS = 30;

/** One world's part of an area. */
export interface AreaPart {
  readonly world: World;
  /**
   * Runs when the world is opened and before its status is read: renews expired rows. Throws DamagedData if the area cannot
   * continue with the stored rows.
   */
  refresh?(): void | Promise<void>;
  /**
   * Runs when the world is opened, and inside the same transaction when it is restored: resumes work that was in progress.
   */
  resume?(): void;
  counts?(): Record<string, number>;
  /** The area's fields in the status: keys, players. */
  status?(): object;
  /** Whether a timer concerns only the seeded history. */
  isSeeded?(timer: Timer): boolean;
  /**
   * Predicts what its timers will cause up to a virtual time in milliseconds, without changing anything.
   * @param announce adds the deliveries of a predicted event
   * @returns the number of events, by journal entry type
   */
  outlook?(until: number, announce: Announce): Promise<Record<string, number>>;
  /** Drops unrecorded work in progress. */
  close?(): void;
}

/** Adds a predicted event's first attempts. @param past whether it belongs to the seeded history */
export type Announce = (org: string, type: string, about: string, at: number, past?: boolean) => void;

type SettingsOf<Context> = Context extends { settings: infer Settings } ? Settings : never;

/** The server side of an area, used to register its routes. */
export interface AreaDoor<Part> {
  /** Finds the area's part of the world that a request is for. */
  open: (request: FastifyRequest) => Part;
  /** Admits the page's own calls, which need no key. Throws SandboxError for any other caller. */
  guardInside?: ((request: FastifyRequest) => void | Promise<void>) | undefined;
}

/**
 * One of the emulated platform's APIs. The rest of the program knows an area only through this object; "Adding an area" in
 * docs/architecture.md walks through one.
 */
export interface Area<Part extends AreaPart = AreaPart, Context = never> {
  /** Its path below the server, without slashes; also its name in the status, in faults and in the request log. */
  name: string;
  /** `create table …` statements. */
  tables: readonly string[];
  timerKinds: readonly string[];
  /** The rules for its rows in snapshots that Sandglass did not write. */
  rowRules: RowRules;
  /** Its journal entry types. */
  entries: readonly string[];
  /**
   * Writes a new world's rows.
   * @param days how many days of generated history to write, up to `HISTORY_DAYS`; with 0, only the required rows
   */
  seed(world: World, days: number): void | Promise<void>;
  /** Its row kinds in fixture files; loaded only if there are any. */
  fixtures?: () => Promise<AreaFixtures<SettingsOf<Context>>>;
  /**
   * What the configuration adds to every new world.
   * @returns a function that writes the rows; undefined if the configuration adds none
   */
  additions?(settings: SettingsOf<Context>): ((world: World) => void) | undefined;
  /** Whether a world includes this area; by default, yes. A world with only senders includes none. */
  isIn?(world: World): boolean;
  /** Opens its part of one world, and handles that world's timers. */
  open(context: Context): Part | Promise<Part>;
  /** Registers its routes below `/{name}`, with its error handler. */
  routes(app: App, door: AreaDoor<Part>): void | Promise<void>;
  /** The path of the page's own calls, relative to the area. */
  dashboard?: string;
  /** Its keys belong on a server, so pages of other origins may not call it. */
  forServers?: true;
  /** The format of errors that occur before its routes are reached. */
  refusals: AreaRefusals;
  /** Converts the area's own errors to Sandglass's format for the control API; undefined for other errors. */
  translate?(error: unknown): SandboxError | undefined;
  document: Omit<OpenApiInfo, "server" | "version"> & { version?: string };
}

/** Why a request is rejected before its route is known. */
export interface Refusal {
  status: number;
  /** What is wrong, with the value and the limit, as a sentence. */
  message: string;
  /** How to fix it, as a sentence. */
  hint: string;
}

export interface AreaRefusals {
  /** The response body. `path` is the request's, without the query. */
  body(refusal: Refusal, path: string): object;
  headers?: Record<string, string>;
  /** The response to a path that cannot be decoded; status 400 by default. */
  unreadablePath?: { status?: number; hint?: string };
}

/** The part of an area that the server needs before any world is open. */
export type AreaFace = Pick<Area, "name" | "refusals" | "dashboard" | "forServers">;
