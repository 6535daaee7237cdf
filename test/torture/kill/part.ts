import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { call, must } from "../api.ts";
import type { Chance } from "../chance.ts";
import { Finding } from "../finding.ts";
import { brokenInvariants, isEmpty } from "../invariants.ts";
import { type Bench, type Figures, type Part, percentile, sleep, withBench } from "../part.ts";
import { Server } from "../server.ts";
import { Acknowledged } from "./acknowledged.ts";
import { Load, type Repeatable } from "./load.ts";
import { type Aftermath, type Place, TARGETS, type Target } from "./targets.ts";

/** After this many rounds, a new folder is used, so the checks in a round stay fast. */
const ROUNDS_A_FOLDER = 30;
/** Use a scaled clock, so retries and expiries become due automatically. */
const FLAGS = ["--rate", "600", "--rate-limit", "off"];
/** How long an operation is assumed to take before it has been measured. */
const FIRST_GUESS_MS = 60;
/** A kill happens at a random time of up to this many times the operation's usual duration after its start. */
const OVERRUN = 1.2;
/** How many facts the server must have confirmed under load before an operation starts. */
const WARM_UP = 25;

/**
 * Rounds in which the server is killed while it starts: for the first time, or with a folder that already has contents.
 */
const STARTS = ["first start", "start again"] as const;
type Round = Target | (typeof STARTS)[number];

export const kills: Part = {
  name: "kill",
  about: "kill -9 at random moments under a mixed load, with --data-dir",
  unit: "kills",
  ciCount: 30,
  run: (options) => withBench("kill", options, (bench) => new Kills(bench).run()),
};

class Kills {
  readonly #bench: Bench;
  readonly #chance: Chance;
  readonly #took = new Map<string, number>();
  readonly #starts: number[] = [];
  #folder = "";
  #acknowledged = new Acknowledged();
  #confirmed = 0;
  #interrupted = 0;

  constructor(bench: Bench) {
    this.#bench = bench;
    this.#chance = bench.chance;
  }

  async run(): Promise<Figures> {
    let done = 0;
    for (; this.#bench.goesOn(done); done += 1) {
      if (done % ROUNDS_A_FOLDER === 0) this.#beginFolder(done);
      const round = [...TARGETS, ...STARTS][done % (TARGETS.length + STARTS.length)]!;
      const name = typeof round === "string" ? round : round.name;
      try {
        await this.#round(round, `round-${done}`);
      } catch (error) {
        if (!(error instanceof Finding)) throw error;
        const folder = `The data folder is kept: ${this.#folder}`;
        throw new Finding(`Killed during ${name} (round ${done}): ${error.message}`, [
          folder,
          `npm run torture -- kill --seed ${this.#bench.seed} --count ${done + 1}   # moments differ from run to run`,
        ]);
      }
      if (done % 10 === 9)
        this.#bench.progress(`${done + 1} kills, ${this.#acknowledged.size} things confirmed`);
    }
    return {
      kills: done,
      "operations interrupted": this.#interrupted,
      "things confirmed, none lost": this.#confirmed + this.#acknowledged.size,
      "start after a kill, ms": `${percentile(this.#starts, 0.5)} median, ${percentile(this.#starts, 1)} at most`,
    };
  }

  #beginFolder(round: number): void {
    this.#confirmed += this.#acknowledged.size;
    this.#acknowledged = new Acknowledged();
    this.#folder = join(this.#bench.folder, `data-${round}`);
    mkdirSync(this.#folder);
  }

  async #round(round: Round, name: string): Promise<void> {
    if (round === "first start") return this.#killStart(join(this.#bench.folder, name));
    if (round === "start again") return this.#killStart(this.#folder);
    const server = await this.#start(this.#folder);
    const place = { url: server.url, folder: this.#folder, name };
    await round.prepare?.(place);
    const { player } = await must(server.url, "GET", "/_sandbox/status");
    const load = new Load(server.url, player.token, this.#chance.fork(name), this.#acknowledged);
    const before = this.#acknowledged.size;
    load.start();
    while (this.#acknowledged.size < before + WARM_UP && server.alive && !load.finding) await sleep(5);
    const confirmed = await this.#strike(round, place, server);
    await load.stop();
    if (load.finding) throw load.finding;
    if (server.stderr !== "") throw new Finding(`It wrote to stderr: ${server.stderr}`);
    this.#checkFiles(this.#folder);
    await this.#checkAgain(round, { ...place, confirmed }, load.repeatable);
  }

  /**
   * Starts an operation and kills the server at a random moment during it. Returns whether the operation was confirmed.
   */
  async #strike(target: Target, place: Place, server: Server): Promise<boolean> {
    const started = performance.now();
    const usual = this.#took.get(target.name) ?? FIRST_GUESS_MS;
    let confirmed = false;
    const struck = target.strike(place).then(
      () => {
        confirmed = true;
        this.#took.set(target.name, (usual + performance.now() - started) / 2);
      },
      (error: Error) => {
        if (!(error instanceof TypeError)) throw error;
      },
    );
    // The promise is awaited below, once the server has exited.
    struck.catch(() => undefined);
    await sleep(this.#chance.next() * OVERRUN * usual);
    if (!confirmed) {
      this.#interrupted += 1;
      this.#took.set(target.name, Math.max(usual, performance.now() - started));
    }
    await server.kill();
    await struck;
    return confirmed;
  }

  /** Kills a server while it starts. In half of the cases, it is killed soon after its first file has appeared. */
  async #killStart(folder: string): Promise<void> {
    const server = new Server(["--data-dir", folder, ...FLAGS]);
    if (this.#chance.maybe(0.5)) {
      while (server.alive && !hasFiles(folder)) await sleep(1);
      await sleep(this.#chance.below(60));
    } else await sleep(this.#chance.next() * OVERRUN * percentile(this.#starts, 0.5));
    await server.kill();
    if (server.stderr !== "") throw new Finding(`It wrote to stderr: ${server.stderr}`);
    const again = await this.#start(folder);
    const links = await must(again.url, "GET", "/platform/api/v1/payment-links");
    if (links.total_count === 0) throw new Finding("The world that was begun has no fixtures.");
    await again.kill();
    this.#checkFiles(folder);
  }

  async #start(folder: string): Promise<Server> {
    const started = performance.now();
    const server = await new Server(["--data-dir", folder, ...FLAGS]).ready();
    this.#starts.push(Math.round(performance.now() - started));
    return server;
  }

  /**
   * Checks the files in the folder as the kill left them. The folder is copied first, because opening a database
   * repairs it. An empty file is a world that did not exist yet: if it had been confirmed, the check of the server's
   * responses would notice that it is missing.
   */
  #checkFiles(folder: string): void {
    const copy = `${folder}-seen`;
    cpSync(folder, copy, { recursive: true });
    for (const file of readdirSync(copy).filter((name) => name.endsWith(".db"))) {
      const path = join(copy, file);
      const broken = isEmpty(path) ? [] : brokenInvariants(path);
      if (broken.length > 0) throw new Finding(`${file}: ${broken.join("\n  ")}`);
    }
    const lost = folder === this.#folder ? this.#acknowledged.lost(join(copy, "default.db")) : [];
    if (lost.length > 0) throw new Finding(lost.join("\n  "));
    rmSync(copy, { recursive: true });
  }

  /** Checks the responses of the next server, which is then killed as well. */
  async #checkAgain(target: Target, aftermath: Aftermath, repeatable: readonly Repeatable[]): Promise<void> {
    const server = await this.#start(this.#folder);
    const { url } = server;
    const problem = await target.verify({ ...aftermath, url });
    if (problem !== undefined)
      throw new Finding(`${problem} (${aftermath.confirmed ? "it was confirmed" : "it was not confirmed"})`);
    for (const { key, body, id } of repeatable.slice(-5)) {
      const again = await must(url, "POST", "/platform/api/v1/payment-links", body, {
        headers: { "idempotency-key": key },
      });
      if (again.id !== id) throw new Finding(`The key ${key} made ${id} and then ${again.id}.`);
    }
    await this.#tidy(url);
    server.check();
    await server.kill();
  }

  async #tidy(url: string): Promise<void> {
    for (const [path, keep] of [
      ["worlds", "default"],
      ["snapshots", ""],
    ] as const) {
      const { data } = await must(url, "GET", `/_sandbox/${path}`);
      for (const { name } of data as { name: string }[])
        if (name !== keep) await call(url, "DELETE", `/_sandbox/${path}/${name}`);
    }
  }
}

const hasFiles = (folder: string): boolean => existsSync(folder) && readdirSync(folder).length > 0;
