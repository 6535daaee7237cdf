import { call, must } from "../api.ts";
import type { Chance } from "../chance.ts";
import type { Server } from "../server.ts";
import type { Operation } from "./documents.ts";
import type { RawRequest } from "./draft.ts";
import { Harvest } from "./harvest.ts";
import { problemWith } from "./judge.ts";
import { createMaker } from "./maker.ts";
import { Values } from "./values.ts";
import { Wire } from "./wire.ts";

/** After this many requests, a room's world is recreated, so the history of a finding stays short. */
const REQUESTS_A_WORLD = 1_000;
/** A time limit that is longer than any request may take: a payment waits 5 s for a silent subscriber. */
const PATIENCE_MS = 30_000;
const WORLD = "torture-";

/** A world, and the requests that it has received since it was created. */
export class Room {
  readonly name: string;
  readonly chance: Chance;
  readonly history: RawRequest[] = [];
  readonly server: Server;
  /** How many clients send requests to it at the same time. */
  readonly clients: number;
  readonly #operations: readonly Operation[];
  readonly #harvest = new Harvest((value) => !value.startsWith(WORLD) && value !== "default");
  #opening: Promise<void> | undefined;

  constructor(options: {
    name: string;
    server: Server;
    clients: number;
    operations: readonly Operation[];
    chance: Chance;
  }) {
    this.name = WORLD + options.name;
    this.chance = options.chance;
    this.server = options.server;
    this.clients = options.clients;
    this.#operations = options.operations;
  }

  get path(): string {
    return `/w/${this.name}`;
  }

  /** Creates the room's world, replacing an earlier one. */
  async open(): Promise<void> {
    const { url } = this.server;
    this.history.length = 0;
    await call(url, "DELETE", `/_sandbox/worlds/${this.name}`);
    await must(url, "POST", "/_sandbox/worlds", { name: this.name, clock: { mode: "paused" } });
  }

  /**
   * A client of the room. Each call of the returned function sends a request, and returns what is wrong with the
   * response.
   */
  async client(number: number): Promise<() => Promise<string | undefined>> {
    const { url, port } = this.server;
    const chance = this.chance.fork(`client-${number}`);
    const wire = new Wire(port);
    // Every world has the same seed, so the token of the room's first world stays valid.
    const status = await must(url, "GET", `${this.path}/_sandbox/status`);
    const values = new Values(chance, this.#harvest, {
      launcherJwt: [status.player.token],
      url: [`${url}${this.path}/_sandbox/inbox/torture`, "http://127.0.0.1:9/", "https://example.com/"],
      subscriber: [`${url}${this.path}/_sandbox/inbox/torture`],
    });
    const place = { prefix: this.path, host: `127.0.0.1:${port}` };
    const make = createMaker(this.#operations, { chance, harvest: this.#harvest, values, place });
    return async () => {
      if (this.history.length >= REQUESTS_A_WORLD) await this.#reopen();
      const request = make();
      this.history.push(request);
      const outcome = await send(wire, request);
      if (typeof outcome === "object" && outcome.status < 300)
        this.#harvest.learn(request.template, outcome.text);
      return problemWith(request, outcome);
    };
  }

  /** Reopens the world only once, however many clients ask for it. */
  async #reopen(): Promise<void> {
    this.#opening ??= this.open().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }
}

export const send = (wire: Wire, { bytes, broken, bodiless }: RawRequest) =>
  wire.exchange(bytes, { last: broken, bodiless, patience: PATIENCE_MS });
