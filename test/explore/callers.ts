import { join } from "node:path";
import Database from "better-sqlite3";
import { folderOf } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { ACME } from "./acme.ts";

/** Handlers that send a mail about an order, composed of steps, and a model of what can happen to them. */

/**
 * `claim` records the event, and stops if it was already recorded; `note` records it and continues; `look` stops if it
 * was recorded. `queue` and `mark` write to an outbox; `pick` stops if the outbox has nothing left to send.
 */
export const STEPS = [
  ...["begin", "commit", "look", "claim", "note", "mail", "keyed", "queue", "pick", "mark"],
] as const;
export type Step = (typeof STEPS)[number];

export interface Caller {
  steps: readonly Step[];
  /** What the handler does after a mail fails: it fails, continues, or reverts its record and fails. */
  onFailure: "fails" | "goes on" | "undoes";
}

const isMail = (step: Step): boolean => step === "mail" || step === "keyed";

const SERVER = `
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
const file = process.env.DATABASE_URL.replace(/^(?:file|sqlite):/, "");
createServer(async (request, response) => {
  let text = "";
  for await (const part of request) text += part;
  const { id, order } = JSON.parse(text);
  const db = new DatabaseSync(file, { timeout: 0 });
  const run = (sql, ...values) => db.prepare(sql).run(...values).changes;
  const has = (sql, ...values) => db.prepare(sql).get(...values) !== undefined;
  const post = async (headers) => {
    const { ok } = await fetch("https://api.mailer.example/emails", {
      method: "POST", headers, body: JSON.stringify({ to: "ada@example.com", subject: "Order " + order }),
    });
    if (!ok) throw new Error("The mail was refused.");
  };
  const mail = async (headers) => {
    try { await post(headers); } catch (error) {
      if (ON_FAILURE === "goes on") return;
      if (ON_FAILURE === "undoes" && !db.isTransaction) run("delete from seen where id = ?", id);
      throw error;
    }
  };
  const steps = {
    begin: () => void db.exec("begin immediate"),
    commit: () => void db.exec("commit"),
    look: () => has("select id from seen where id = ?", id),
    claim: () => run("insert into seen (id) values (?) on conflict do nothing", id) === 0,
    note: () => void run("insert into seen (id) values (?) on conflict do nothing", id),
    mail: () => mail({}),
    keyed: () => mail({ "idempotency-key": id }),
    queue: () => void run("insert into outbox (id, sent) values (?, 0) on conflict do nothing", id),
    pick: () => !has("select id from outbox where id = ? and sent = 0", id),
    mark: () => void run("update outbox set sent = 1 where id = ?", id),
  };
  try {
    for (const step of STEPS) if (await steps[step]()) break;
    response.statusCode = 204;
  } catch {
    response.statusCode = 503;
  }
  // Uncommitted changes are lost with the connection.
  db.close();
  response.end();
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

/**
 * Explores a server with this source code.
 * @param more additional arguments
 */
export async function exploreServer(server: string, more: readonly string[] = []) {
  const cwd = folderOf({ "server.mjs": server, "acme.yaml": ACME });
  const file = join(cwd, "shop.db");
  const db = new Database(file);
  db.exec("create table seen (id text primary key); create table outbox (id text primary key, sent int)");
  db.close();
  const url = `http://127.0.0.1:${await portOfItsOwn()}/webhooks`;
  const { code, stdout, stderr } = await runWarmCli(
    [
      ...["explore", url, "--start", "node server.mjs"],
      ...["--sender", "acme.yaml", "--story", "payment", "--secret", "test_secret", "--deviations", "1"],
      ...(more.includes("--state") ? [] : ["--state", `sqlite:${file}`]),
      ...more,
    ],
    { cwd },
  );
  return { code, stdout, text: (stdout + stderr).replaceAll(/\s+/g, " "), cwd, url, file };
}

export const serverOf = ({ steps, onFailure }: Caller): string =>
  `const STEPS = ${JSON.stringify(steps)}, ON_FAILURE = ${JSON.stringify(onFailure)};${SERVER}`;

interface World {
  seen: boolean;
  /** Whether the outbox contains the order, and whether the mail has been sent. */
  queued: boolean;
  marked: boolean;
}

/** Something that can happen to a request before, during or after a step. */
interface Fate {
  kind: "crash" | "failure" | "lost";
  at: number;
}

const EMPTY: World = { seen: false, queued: false, marked: false };
/** The maximum number of times that a request without a response, or with a 503 response, is sent again. */
const MOST_TRIES = 6;

/** Runs one event, with every combination of things that can happen to one of its requests. */
class Play {
  world = EMPTY;
  mails = 0;
  hasKey = false;
  locked: symbol | undefined;

  /**
   * Handles a request step by step, pausing before each step.
   * @returns the response; undefined if the handler is killed
   */
  *handle({ steps, onFailure }: Caller, fate?: Fate): Generator<number, number | undefined> {
    const me = Symbol("request");
    let own: World | undefined;
    const end = <Answer>(answer: Answer): Answer => {
      if (this.locked === me) this.locked = undefined;
      return answer;
    };
    const write = (change: Partial<World>): void => {
      if (own) own = { ...own, ...change };
      else this.world = { ...this.world, ...change };
    };
    for (const [at, step] of steps.entries()) {
      yield at;
      const met = fate?.at === at ? fate.kind : undefined;
      if (met === "crash") return end(undefined);
      const view = own ?? this.world;
      if (isMail(step)) {
        if (met !== "failure" && !(step === "keyed" && this.hasKey)) this.mails += 1;
        if (met !== "failure" && step === "keyed") this.hasKey = true;
        if (!met || onFailure === "goes on") continue;
        if (onFailure === "undoes" && !own) write({ seen: false });
        return end(503);
      }
      if (met) return end(503);
      const isWrite = ["begin", "claim", "note", "queue", "mark"].includes(step);
      if (isWrite && this.locked !== undefined && this.locked !== me) return end(503);
      if (step === "begin") [this.locked, own] = [me, this.world];
      else if (step === "commit") {
        this.world = own!;
        own = undefined;
        this.locked = undefined;
      } else if (step === "look" && view.seen) return end(204);
      else if (step === "claim" && view.seen) return end(204);
      else if (step === "claim" || step === "note") write({ seen: true });
      else if (step === "queue") write({ queued: true });
      else if (step === "pick" && (!view.queued || view.marked)) return end(204);
      else if (step === "mark" && view.queued) write({ marked: true });
    }
    return end(204);
  }

  whole(caller: Caller, fate?: Fate): number | undefined {
    for (const running = this.handle(caller, fate); ; ) {
      const { done, value } = running.next();
      if (done) return value;
    }
  }

  /** Sends the event again until it is accepted, and then once more. */
  settle(caller: Caller, answer: number | undefined): void {
    for (let tries = 0; answer !== 204 && tries < MOST_TRIES; tries += 1) answer = this.whole(caller);
  }
}

/**
 * Whether an interrupted request may cause one mail too many, or no mail at all. This applies the rule in
 * docs/outside.md to a handler's steps.
 */
function accepted({ steps }: Caller, { kind, at }: Fate): { again: boolean; never: boolean } {
  const lasts = steps.map((step, index) => {
    const begun = steps.slice(0, index).filter((one) => one === "begin").length;
    const ended = steps.slice(0, index).filter((one) => one === "commit").length;
    return step === "commit" || (begun === ended && ["claim", "note", "queue", "mark"].includes(step));
  });
  const done = kind === "lost" ? at + 1 : at;
  const mail = steps.findIndex(isMail);
  const isBetween = (from: number, to: number): boolean => !lasts.slice(from, to).includes(true);
  return {
    again: mail < done && isBetween(mail, done),
    never:
      mail >= done &&
      !(kind !== "crash" && mail === at) &&
      lasts.slice(0, done).includes(true) &&
      isBetween(at, mail),
  };
}

/**
 * Tries everything with one deviation by brute force.
 * @returns whether the rows differ, or a mail is repeated or lost although the handler could have avoided this; null if
 * it does not mail when undisturbed, or if the result depends on places where explore does not pause requests
 */
export function isWrong(caller: Caller): boolean | null {
  const { steps } = caller;
  const calm = new Play();
  const isOther = ({ world }: Play): boolean =>
    (Object.keys(EMPTY) as (keyof World)[]).some((key) => world[key] !== calm.world[key]);
  const fails = (play: Play): boolean => play.mails !== 1 || isOther(play);

  const twice = new Play();
  twice.settle(caller, twice.whole(caller));
  twice.whole(caller);
  calm.settle(caller, calm.whole(caller));
  // A handler that sends no mail when undisturbed is never compared with one that does.
  if (fails(calm)) return null;
  if (fails(twice)) return true;
  for (const at of steps.keys())
    for (const kind of ["crash", "failure", "lost"] as const) {
      if (kind === "lost" && !isMail(steps[at]!)) continue;
      const play = new Play();
      play.settle(caller, play.whole(caller, { kind, at }));
      const { again, never } = accepted(caller, { kind, at });
      const isAccepted = (play.mails === 2 && again) || (play.mails === 0 && never);
      if (isOther(play) || (fails(play) && !isAccepted)) return true;
    }
  const races = [...steps.keys()].map((at) => {
    const play = new Play();
    const first = play.handle(caller);
    let pause = first.next();
    while (!pause.done && pause.value < at) pause = first.next();
    const second = play.whole(caller);
    while (!pause.done) pause = first.next();
    play.settle(caller, pause.value === 204 ? second : pause.value);
    if (second !== 204) play.settle(caller, undefined);
    return fails(play);
  });
  if (!races.includes(true)) return false;
  return races.some((race, at) => race && at > 0 && isMail(steps[at]!)) ? true : null;
}

/** One right or wrong handler for each known way of sending mail. */
export const CALLERS: Record<string, Caller> = {
  "mails without recording the event": { steps: ["mail"], onFailure: "fails" },
  "records and mails every delivery": { steps: ["note", "mail"], onFailure: "fails" },
  "mails after recording the event, and forgets an e-mail that fails": {
    steps: ["claim", "mail"],
    onFailure: "fails",
  },
  "mails after recording the event, and removes the record on failure": {
    steps: ["claim", "mail"],
    onFailure: "undoes",
  },
  "mails after recording the event, and reports success on failure": {
    steps: ["claim", "mail"],
    onFailure: "goes on",
  },
  "checks for the event, mails and then records it": { steps: ["look", "mail", "note"], onFailure: "fails" },
  "mails inside the transaction that records the event": {
    ...{ steps: ["begin", "claim", "mail", "commit"], onFailure: "fails" },
  },
  "mails in a transaction before recording the event": {
    ...{ steps: ["begin", "mail", "claim", "commit"], onFailure: "fails" },
  },
  "mails after the transaction, and removes the record on failure": {
    ...{ steps: ["begin", "claim", "commit", "mail"], onFailure: "undoes" },
  },
  "drains an outbox under a lock": {
    ...{ steps: ["queue", "begin", "pick", "mail", "mark", "commit"], onFailure: "fails" },
  },
  "drains an outbox without a lock": { steps: ["queue", "pick", "mail", "mark"], onFailure: "fails" },
  "mails with an idempotency key": { steps: ["look", "keyed", "note"], onFailure: "fails" },
  "writes data between recording the event and mailing": {
    steps: ["claim", "queue", "mail"],
    onFailure: "undoes",
  },
};
