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

/** An area's part of one world. */
export interface AreaPart {
  readonly world: World;
  /**
   * Runs when the world is opened and before its status is read: renews expired rows. Throws DamagedData if the area cannot
   * continue with the stored rows.
   */
  refresh?(): void | Promise<void>;
  /**
   * Runs when the world is opened, and also when it is restored, inside the same transaction. Resumes work that was in
   * progress.
   */
  resume?(): void;
  counts?(): Record<string, number>;
  /** The fields that the area adds to the status, such as keys and players. */
  status?(): object;
  /** Whether a timer concerns only the seeded history. */
  isSeeded?(timer: Timer): boolean;
  /**
   * Predicts what the area's timers will cause up to a virtual time in milliseconds, without changing anything.
   * @param announce adds the deliveries of a predicted event
   * @returns the number of events, by journal entry type
   */
  outlook?(until: number, announce: Announce): Promise<Record<string, number>>;
  /** Drops work in progress that has not been recorded. */
  close?(): void;
}

/** Adds the first attempts of a predicted event. @param past whether the event belongs to the seeded history */
export type Announce = (org: string, type: string, about: string, at: number, past?: boolean) => void;

type SettingsOf<Context> = Context extends { settings: infer Settings } ? Settings : never;

/** An area's connection to the server, through which it registers its routes. */
export interface AreaDoor<Part> {
  /** Finds the area's part of the world that a request is for. */
  open: (request: FastifyRequest) => Part;
  /** Admits the page's own calls, which need no key. Throws a SandboxError for any other caller. */
  guardInside?: ((request: FastifyRequest) => void | Promise<void>) | undefined;
}

/**
 * One of the emulated platform's APIs. The rest of the program knows an area only through this object; "Adding an area" in
 * docs/architecture.md walks through one.
 */
export interface Area<Part extends AreaPart = AreaPart, Context = never> {
  /**
   * The area's path on the server, without slashes. It is also its name in the status, in faults and in the request
   * log.
   */
  name: string;
  /** The `create table …` statements for its tables. */
  tables: readonly string[];
  timerKinds: readonly string[];
  /** The rules for its rows, checked in snapshots that Sandglass did not write. */
  rowRules: RowRules;
  /** The types of its journal entries. */
  entries: readonly string[];
  /**
   * Writes a new world's rows.
   * @param days how many days of generated history to write, up to `HISTORY_DAYS`; with 0, only the required rows
   */
  seed(world: World, days: number): void | Promise<void>;
  /** The kinds of its rows in fixture files. Loaded only if a file contains any. */
  fixtures?: () => Promise<AreaFixtures<SettingsOf<Context>>>;
  /**
   * The rows that the configuration adds to every new world.
   * @returns a function that writes them; undefined if the configuration adds none
   */
  additions?(settings: SettingsOf<Context>): ((world: World) => void) | undefined;
  /** Whether a world includes this area; by default, yes. A world with only senders includes none. */
  isIn?(world: World): boolean;
  /** Opens the area's part of one world, and handles that world's timers. */
  open(context: Context): Part | Promise<Part>;
  /** Registers the area's routes below `/{name}`, with its own error handler. */
  routes(app: App, door: AreaDoor<Part>): void | Promise<void>;
  /** The path of the page's own calls within the area. */
  dashboard?: string;
  /** Set if the area's keys belong on a server, so pages from other origins may not call it. */
  forServers?: true;
  /** The format of errors that occur before a request reaches the area's routes. */
  refusals: AreaRefusals;
  /** Converts the area's own errors to Sandglass's format for the control API; undefined for other errors. */
  translate?(error: unknown): SandboxError | undefined;
  document: Omit<OpenApiInfo, "server" | "version"> & { version?: string };
}

/** Why a request is rejected before its route is known. */
export interface Refusal {
  status: number;
  /** A sentence that says what is wrong, with the value and the limit. */
  message: string;
  /** A sentence that says how to fix it. */
  hint: string;
}

export interface AreaRefusals {
  /** Builds the response body. `path` is the request's path, without the query. */
  body(refusal: Refusal, path: string): object;
  headers?: Record<string, string>;
  /** The response to a path that cannot be decoded. The default status is 400. */
  unreadablePath?: { status?: number; hint?: string };
}

/** The part of an area that the server needs before any world is open. */
export type AreaFace = Pick<Area, "name" | "refusals" | "dashboard" | "forServers">;
