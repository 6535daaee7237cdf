import { call } from "../api.ts";
import { type Chance, weighted } from "../chance.ts";
import { Finding } from "../finding.ts";
import type { Acknowledged } from "./acknowledged.ts";

/** Clients that work side by side. */
const CLIENTS = 4;
/** Ids that later calls may use. */
const REMEMBERED = 20;

const API = "/platform/api/v1";

/** A call that a client made twice has to give one result: what the first one got, by its key. */
export interface Repeatable {
  key: string;
  body: object;
  id: string;
}

/** The server does not answer any more. */
class Gone extends Error {}

/** A mixed load on the default world, which remembers what was confirmed. */
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
  /** What must not have been answered. */
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

  /** Ends when the calls under way have ended, as they do when the server is killed. */
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
    const acknowledged = this.#acknowledged;
    return [
      [4, () => this.#createLink(chance)],
      [2, () => this.#createOnce()],
      [
        3,
        async () => {
          const id = this.#links.at(chance.below(this.#links.length));
          const name = this.#fresh("renamed");
          const done = id && (await this.#call("PATCH", `${API}/payment-links/${id}`, { description: name }));
          if (done)
            acknowledged.add(
              "an updated link",
              "select 1 from payment_links where id = ? and description is not null",
              id,
            );
        },
      ],
      [
        6,
        async () => {
          const link = this.#links.at(chance.below(this.#links.length));
          const paid = link && (await this.#call("POST", "/_sandbox/payments", { payment_link_id: link }));
          if (!paid) return;
          acknowledged.add(
            "a payment",
            "select 1 from transactions where id = ? and status = 'completed'",
            paid.transaction.id,
          );
          for (const { id } of paid.deliveries)
            acknowledged.add("an attempt", "select 1 from webhook_deliveries where id = ?", id);
        },
      ],
      [
        2,
        async () => {
          const session = await this.#call("POST", `${API}/checkout-sessions`, {
            amount: "1000",
            expires_in: 300,
          });
          if (session)
            acknowledged.add("a session", "select 1 from checkout_sessions where id = ?", session.id);
        },
      ],
      [1, () => this.#createWebhook(chance)],
      [
        1,
        async () => {
          if (this.#webhooks.length < 4) return;
          const id = this.#webhooks.shift()!;
          const done = await this.#call("DELETE", `${API}/webhooks/${id}`);
          if (done)
            acknowledged.add(
              "a deletion",
              "select 1 from webhooks where id = ? and deleted_at is not null",
              id,
            );
        },
      ],
      [
        2,
        async () => {
          const id = this.#webhooks.at(chance.below(this.#webhooks.length));
          const sent = id && (await this.#call("POST", `${API}/webhooks/${id}/test`));
          if (sent)
            acknowledged.add("a test", "select 1 from webhook_deliveries where id = ?", sent.delivery_id);
        },
      ],
      [
        1,
        async () => {
          const id = this.#webhooks.at(chance.below(this.#webhooks.length));
          if (id) await this.#call("POST", `/_sandbox/webhooks/${id}/${chance.pick(["disable", "enable"])}`);
        },
      ],
      [
        3,
        async () => {
          const state = JSON.stringify({ step: this.#fresh("step") });
          const label = this.#fresh("save");
          const done = await this.#call("POST", "/game/launcher/set-state", {
            launcherJwt: this.#token,
            state,
            label,
          });
          if (done)
            acknowledged.add(
              "a state",
              "select 1 from game_states where label = ? and state = ?",
              label,
              state,
            );
        },
      ],
      [
        3,
        async () => {
          const nonce = this.#fresh("round");
          const body = { launcherJwt: this.#token, score: chance.below(10_000), nonce };
          const done = await this.#call("POST", "/game/launcher/set-user-score", body);
          if (done)
            acknowledged.add(
              "a score",
              "select 1 from game_scores where nonce = ? and score = ?",
              nonce,
              body.score,
            );
        },
      ],
      [
        1,
        async () => {
          const moved = await this.#call("POST", "/_sandbox/clock/advance", {
            by: chance.pick(["10s", "1m", "10m"]),
          });
          const last = moved?.ledger.at(-1);
          if (last)
            acknowledged.add(
              "a journal entry",
              "select 1 from journal where seq = ? and type = ?",
              last.seq,
              last.type,
            );
        },
      ],
    ];
  }

  /** A name that no other call of the run has. */
  #fresh(kind: string): string {
    this.#serial += 1;
    return `${kind} ${this.#chance.seed}/${this.#serial}`;
  }

  async #createLink(chance: Chance): Promise<void> {
    const name = this.#fresh("link");
    const link = await this.#call("POST", `${API}/payment-links`, {
      name,
      amount: String(chance.between(1, 9_999)),
    });
    if (!link) return;
    remember(this.#links, link.id);
    this.#acknowledged.add("a link", "select 1 from payment_links where id = ? and name = ?", link.id, name);
    this.#acknowledged.add("its audit event", "select 1 from audit_events where resource_id = ?", link.id);
  }

  /** Under an idempotency key: sent again after the kill, it must not be made twice. */
  async #createOnce(): Promise<void> {
    const key = this.#fresh("once");
    const body = { name: key, amount: "500" };
    const link = await this.#call("POST", `${API}/payment-links`, body, { "idempotency-key": key });
    if (!link) return;
    this.repeatable.push({ key, body, id: link.id });
  }

  async #createWebhook(chance: Chance): Promise<void> {
    if (this.#webhooks.length >= 6) return;
    const inbox = chance.pick(["good", "bad", "mixed"]);
    const url = chance.maybe(0.8) ? `${this.#url}/_sandbox/inbox/${inbox}` : "http://127.0.0.1:9/closed";
    const webhook = await this.#call("POST", `${API}/webhooks`, { url });
    if (!webhook) return;
    this.#webhooks.push(webhook.id);
    this.#acknowledged.add(
      "an endpoint",
      "select 1 from webhooks where id = ? and secret = ?",
      webhook.id,
      webhook.secret,
    );
  }

  /** The body of a 2xx answer; undefined for a refusal. @throws Finding for a 5xx */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes
  async #call(method: string, path: string, body?: object, headers = {}): Promise<any> {
    const answer = await call(this.#url, method, path, body, { headers }).catch(() => {
      throw new Gone();
    });
    if (answer.status >= 500)
      throw new Finding(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.status < 300 ? answer.body : undefined;
  }
}

function remember(list: string[], id: string): void {
  list.push(id);
  if (list.length > REMEMBERED) list.shift();
}
