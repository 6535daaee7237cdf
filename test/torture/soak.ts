import { call, download, must } from "./api.ts";
import { type Chance, weighted } from "./chance.ts";
import { Finding } from "./finding.ts";
import { brokenInvariants, countRows } from "./invariants.ts";
import { type Bench, type Figures, type Part, withBench } from "./part.ts";
import { type Server, withServer } from "./server.ts";

const API = "/platform/api/v1";
/** The number of virtual days between two checks of the whole database. */
const LOOK_EVERY = 30;
/** How much memory the process may take in addition to its database, in megabytes. */
const MOST_BESIDE_DATA = 450;
const DAY_MS = 86_400_000;

/** Endpoints by the behaviour of their subscriber. Each of them is an inbox on the server. */
const SUBSCRIBERS: Record<string, object> = {
  steady: { status: 200 },
  flaky: { status: 200 },
  dead: { status: 500 },
};

export const soak: Part = {
  name: "soak",
  about: "virtual years of payments, retries, expiries, disabled endpoints and games",
  unit: "virtual days",
  ciCount: 730,
  run: (options) =>
    withBench("soak", options, (bench) =>
      withServer(["--paused", "--rate-limit", "off"], (server) => new Soak(server, bench).run()),
    ),
};

class Soak {
  readonly #server: Server;
  readonly #bench: Bench;
  readonly #url: string;
  readonly #webhooks: Record<string, string> = {};
  readonly #sessions: string[] = [];
  #token = "";
  #payments = 0;
  /** The number of journal entries and the database's size in megabytes at the last check. */
  #entries = 0;
  #megabytes = 0;

  constructor(server: Server, bench: Bench) {
    this.#server = server;
    this.#bench = bench;
    this.#url = server.url;
  }

  async run(): Promise<Figures> {
    const { chance } = this.#bench;
    for (const [name, behaviour] of Object.entries(SUBSCRIBERS)) {
      const url = `${this.#url}/_sandbox/inbox/${name}`;
      this.#webhooks[name] = (await must(this.#url, "POST", `${API}/webhooks`, { url })).id;
      await must(this.#url, "PUT", `/_sandbox/inbox/${name}/behaviour`, behaviour);
    }
    await must(this.#url, "PUT", `/_sandbox/webhooks/${this.#webhooks.flaky}/fault`, {
      kind: "reset",
      rate: 0.3,
    });
    const act = weighted(this.#actions(chance), ([weight]) => weight);
    let days = 0;
    for (; this.#bench.goesOn(days); days += 1) {
      // A token is valid for one virtual day.
      this.#token = (await must(this.#url, "GET", "/_sandbox/status")).player.token;
      for (let left = chance.between(2, 10); left > 0; left -= 1) await act(chance)[1]();
      await must(this.#url, "POST", "/_sandbox/clock/advance", { by: DAY_MS - chance.below(1_000) });
      if (days % LOOK_EVERY === LOOK_EVERY - 1) await this.#look(days + 1);
    }
    await this.#look(days);
    return {
      "virtual days": days,
      payments: this.#payments,
      "journal entries": this.#entries,
      "database, MB": this.#megabytes,
      "peak memory, MB": this.#server.peakMegabytes,
    };
  }

  #actions(chance: Chance): [weight: number, action: () => Promise<unknown>][] {
    const url = this.#url;
    const someSession = () => this.#sessions.splice(chance.below(this.#sessions.length), 1)[0];
    return [
      [4, () => this.#pay({ session_id: someSession() })],
      [3, () => this.#openSession()],
      [1, () => this.#pay({ session_id: someSession(), outcome: "failed" })],
      [1, () => this.#allow("POST", `/_sandbox/webhooks/${this.#webhooks.dead}/enable`)],
      [1, () => this.#allow("POST", `${API}/webhooks/${this.#webhooks.steady}/test`)],
      [1, () => must(url, "GET", "/data/insights/v1/tokens/lookup?symbol=USDC&chain_id=1")],
      [
        1,
        () =>
          must(url, "POST", "/game/launcher/set-user-score", {
            launcherJwt: this.#token,
            score: chance.below(1_000),
          }),
      ],
      [
        1,
        () =>
          must(url, "POST", "/game/launcher/set-state", {
            launcherJwt: this.#token,
            state: `{"at":${chance.below(99)}}`,
          }),
      ],
      [1, () => must(url, "POST", "/game/launcher/channel-heartbeat", { launcherJwt: this.#token })],
      [
        1,
        () =>
          must(
            url,
            "POST",
            `${API}/products`,
            { name: `Product ${chance.below(1_000)}`, amount: "100" },
            {
              headers: { "idempotency-key": `product-${chance.below(50)}-${chance.below(1e9)}` },
            },
          ),
      ],
    ];
  }

  async #openSession(): Promise<void> {
    const amount = String(this.#bench.chance.between(1, 100_000));
    this.#sessions.push((await must(this.#url, "POST", `${API}/checkout-sessions`, { amount })).id);
  }

  /** Pays for a session that may have expired in the meantime. */
  async #pay(request: { session_id: string | undefined; outcome?: string }): Promise<void> {
    if (request.session_id === undefined) await this.#openSession();
    const session_id = request.session_id ?? this.#sessions.pop();
    const done = await this.#allow("POST", "/_sandbox/payments", { ...request, session_id });
    if (done) this.#payments += 1;
  }

  /** Makes a call that may be rejected, but fails if the cause is an error in the sandbox. */
  async #allow(method: string, path: string, body?: object): Promise<boolean> {
    const answer = await call(this.#url, method, path, body);
    if (answer.status >= 500) throw new Finding(`${method} ${path} answered ${answer.status}.`);
    return answer.status < 300;
  }

  /** Checks the whole world: invariants, retention and memory. */
  async #look(day: number): Promise<void> {
    this.#server.check();
    await must(this.#url, "POST", "/_sandbox/snapshots", { name: "look" });
    const bytes = await download(this.#url, "look");
    await must(this.#url, "DELETE", "/_sandbox/snapshots/look");
    const now = Date.parse((await must(this.#url, "GET", "/_sandbox/clock")).now);
    const broken = brokenInvariants(bytes);
    // Expired rows are removed when new rows are written, so the time of the newest row determines how old the oldest
    // may be.
    const older = (table: string, days: number) =>
      countRows(bytes, table, `created_at < (select max(created_at) from ${table}) - ${days * DAY_MS}`);
    const old = {
      "audit events after 90 days": older("audit_events", 91),
      "idempotency keys after 24 hours": older("idempotency_keys", 2),
      "overdue timers": countRows(bytes, "timers", `due < ${now}`),
    };
    for (const [what, rows] of Object.entries(old)) if (rows > 0) broken.push(`${rows} ${what}`);
    this.#entries = countRows(bytes, "journal");
    this.#megabytes = Math.round(bytes.length / 2 ** 20);
    const beside = this.#server.residentMegabytes() - this.#megabytes;
    if (beside > MOST_BESIDE_DATA) broken.push(`${beside} MB of memory beside ${this.#megabytes} MB of data`);
    if (broken.length > 0) throw new Finding(`On virtual day ${day}: ${broken.join("\n  ")}`);
    if (day % 365 < LOOK_EVERY)
      this.#bench.progress(
        `day ${day}: ${this.#entries} entries, ${this.#megabytes} MB, ${beside} MB beside`,
      );
  }
}
