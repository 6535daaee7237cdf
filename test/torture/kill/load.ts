import { call } from "../api.ts";
import { type Chance, weighted } from "../chance.ts";
import { Finding } from "../finding.ts";
import type { Acknowledged } from "./acknowledged.ts";

/** The number of clients that work at the same time. */
const CLIENTS = 4;
/** The number of ids that are remembered for later calls. */
const REMEMBERED = 20;
const MOST_WEBHOOKS = 6;

const API = "/platform/api/v1";

/**
 * A call that a client made and may repeat: its key, and the id that it returned. Repeating it must return the same id.
 */
export interface Repeatable {
  key: string;
  body: object;
  id: string;
}

/** Thrown when the server no longer responds. */
class Gone extends Error {}

/** A mixed load on the default world. It remembers what the server has confirmed. */
export class Load {
  readonly #url: string;
  readonly #token: string;
  readonly #chance: Chance;
  readonly #acknowledged: Acknowledged;
  readonly repeatable: Repeatable[] = [];
  readonly #links: string[] = [];
  readonly #webhooks: string[] = [];
  readonly #stopping = new AbortController();
  #clients: Promise<void>[] = [];
  #serial = 0;
  /** A response that must not occur; undefined if there was none. */
  finding: Finding | undefined;

  constructor(url: string, token: string, chance: Chance, acknowledged: Acknowledged) {
    this.#url = url;
    this.#token = token;
    this.#chance = chance;
    this.#acknowledged = acknowledged;
  }

  start(): void {
    this.#clients = Array.from({ length: CLIENTS }, (_, number) =>
      this.#work(this.#chance.fork(`${number}`)),
    );
  }

  /** Resolves when the calls in progress have ended, which happens when the server is killed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#clients);
  }

  async #work(chance: Chance): Promise<void> {
    const next = weighted(this.#actions(chance), ([weight]) => weight);
    while (!this.#stopping.signal.aborted && !this.finding) {
      try {
        await next(chance)[1]();
      } catch (error) {
        if (error instanceof Gone) return;
        if (!(error instanceof Finding)) throw error;
        this.finding ??= error;
      }
    }
  }

  #actions(chance: Chance): [weight: number, action: () => Promise<void>][] {
    return [
      [4, () => this.#createLink(chance)],
      [2, () => this.#createOnce()],
      [3, () => this.#updateLink(chance)],
      [6, () => this.#pay(chance)],
      [2, () => this.#openSession()],
      [1, () => this.#createWebhook(chance)],
      [1, () => this.#deleteWebhook()],
      [2, () => this.#testWebhook(chance)],
      [1, () => this.#switchWebhook(chance)],
      [3, () => this.#setState()],
      [3, () => this.#setScore(chance)],
      [1, () => this.#advance(chance)],
    ];
  }

  /** A name that no other call in this run uses. */
  #fresh(kind: string): string {
    this.#serial += 1;
    return `${kind} ${this.#chance.seed}/${this.#serial}`;
  }

  async #createLink(chance: Chance): Promise<void> {
    const name = this.#fresh("link");
    const amount = String(chance.between(1, 9_999));
    const link = await this.#call("POST", `${API}/payment-links`, { name, amount });
    if (!link) return;
    this.#links.push(link.id);
    if (this.#links.length > REMEMBERED) this.#links.shift();
    this.#acknowledged.add("a link", "select 1 from payment_links where id = ? and name = ?", link.id, name);
    this.#acknowledged.add("an audit event", "select 1 from audit_events where resource_id = ?", link.id);
  }

  /** Makes a call with an idempotency key. If it is sent again after the kill, it must not have an effect twice. */
  async #createOnce(): Promise<void> {
    const key = this.#fresh("once");
    const body = { name: key, amount: "500" };
    const link = await this.#call("POST", `${API}/payment-links`, body, { "idempotency-key": key });
    if (link) this.repeatable.push({ key, body, id: link.id });
  }

  /** Updates each link only once, so no later update hides the result. */
  async #updateLink(chance: Chance): Promise<void> {
    const id = this.#links.splice(chance.below(this.#links.length), 1)[0];
    if (id === undefined) return;
    const description = this.#fresh("updated");
    const done = await this.#call("PATCH", `${API}/payment-links/${id}`, { description });
    const found = "select 1 from payment_links where id = ? and description = ?";
    if (done) this.#acknowledged.add("an update", found, id, description);
  }

  async #pay(chance: Chance): Promise<void> {
    const link = this.#links.at(chance.below(this.#links.length));
    const paid = link && (await this.#call("POST", "/_sandbox/payments", { payment_link_id: link }));
    if (!paid) return;
    const found = "select 1 from transactions where id = ? and status = 'completed'";
    this.#acknowledged.add("a payment", found, paid.transaction.id);
    for (const { id } of paid.deliveries)
      this.#acknowledged.add("an attempt", "select 1 from webhook_deliveries where id = ?", id);
  }

  async #openSession(): Promise<void> {
    const body = { amount: "1000", expires_in: 300 };
    const session = await this.#call("POST", `${API}/checkout-sessions`, body);
    if (session)
      this.#acknowledged.add("a session", "select 1 from checkout_sessions where id = ?", session.id);
  }

  async #createWebhook(chance: Chance): Promise<void> {
    if (this.#webhooks.length >= MOST_WEBHOOKS) return;
    const inbox = `${this.#url}/_sandbox/inbox/${chance.pick(["one", "two"])}`;
    const url = chance.maybe(0.6) ? inbox : "http://127.0.0.1:9/closed";
    const webhook = await this.#call("POST", `${API}/webhooks`, { url });
    if (!webhook) return;
    this.#webhooks.push(webhook.id);
    const found = "select 1 from webhooks where id = ? and secret = ?";
    this.#acknowledged.add("an endpoint", found, webhook.id, webhook.secret);
  }

  async #deleteWebhook(): Promise<void> {
    if (this.#webhooks.length < MOST_WEBHOOKS / 2) return;
    const id = this.#webhooks.shift()!;
    const done = await this.#call("DELETE", `${API}/webhooks/${id}`);
    const found = "select 1 from webhooks where id = ? and deleted_at is not null";
    if (done) this.#acknowledged.add("a deletion", found, id);
  }

  async #testWebhook(chance: Chance): Promise<void> {
    const id = this.#webhooks.at(chance.below(this.#webhooks.length));
    const sent = id && (await this.#call("POST", `${API}/webhooks/${id}/test`));
    const found = "select 1 from webhook_deliveries where id = ? and trigger = 'test'";
    if (sent) this.#acknowledged.add("a test", found, sent.delivery_id);
  }

  async #switchWebhook(chance: Chance): Promise<void> {
    const id = this.#webhooks.at(chance.below(this.#webhooks.length));
    if (id) await this.#call("POST", `/_sandbox/webhooks/${id}/${chance.pick(["disable", "enable"])}`);
  }

  async #setState(): Promise<void> {
    const label = this.#fresh("save");
    const body = { launcherJwt: this.#token, state: JSON.stringify({ label }), label };
    const done = await this.#call("POST", "/game/launcher/set-state", body);
    const found = "select 1 from game_states where label = ? and state = ?";
    if (done) this.#acknowledged.add("a state", found, label, body.state);
  }

  async #setScore(chance: Chance): Promise<void> {
    const body = { launcherJwt: this.#token, score: chance.below(10_000), nonce: this.#fresh("round") };
    const done = await this.#call("POST", "/game/launcher/set-user-score", body);
    const found = "select 1 from game_scores where nonce = ? and score = ?";
    if (done) this.#acknowledged.add("a score", found, body.nonce, body.score);
  }

  async #advance(chance: Chance): Promise<void> {
    const moved = await this.#call("POST", "/_sandbox/clock/advance", {
      by: chance.pick(["10s", "1m", "10m"]),
    });
    const last = moved?.ledger.at(-1);
    const found = "select 1 from journal where seq = ? and type = ?";
    if (last) this.#acknowledged.add("a journal entry", found, last.seq, last.type);
  }

  /**
   * The body of a 2xx response; undefined if the call was rejected.
   * @throws Finding for a 5xx
   */
  // biome-ignore lint/suspicious/noExplicitAny: bodies have many shapes
  async #call(method: string, path: string, body?: object, headers = {}): Promise<any> {
    const answer = await call(this.#url, method, path, body, { headers }).catch(() => {
      throw new Gone();
    });
    if (answer.status >= 500)
      throw new Finding(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.status < 300 ? answer.body : undefined;
  }
}
