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

/** Requests after which a room's world is made again, so that a finding has a short history. */
const REQUESTS_A_WORLD = 1_000;
/** Longer than anything that a request may wait for: a payment waits 5 s for a silent subscriber. */
const PATIENCE_MS = 30_000;
const WORLD = "torture-";

/** A world and the requests that were sent to it since it was made. */
export class Room {
  readonly name: string;
  readonly chance: Chance;
  readonly history: RawRequest[] = [];
  readonly server: Server;
  /** How many clients send to it side by side. */
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

  /** Makes the room's world, in place of an earlier one. */
  async open(): Promise<void> {
    const { url } = this.server;
    this.history.length = 0;
    await call(url, "DELETE", `/_sandbox/worlds/${this.name}`);
    await must(url, "POST", "/_sandbox/worlds", { name: this.name, clock: { mode: "paused" } });
  }

  /** One client of the room: each call of what it returns sends a request and returns what is wrong with the answer. */
  async client(number: number): Promise<() => Promise<string | undefined>> {
    const { url, port } = this.server;
    const chance = this.chance.fork(`client-${number}`);
    const wire = new Wire(port);
    // The seed is the same for every world, and so is the token that the room's world begins with.
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

  /** Once, however many clients ask for it. */
  async #reopen(): Promise<void> {
    this.#opening ??= this.open().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }
}

export const send = (wire: Wire, { bytes, broken, bodiless }: RawRequest) =>
  wire.exchange(bytes, { last: broken, bodiless, patience: PATIENCE_MS });
