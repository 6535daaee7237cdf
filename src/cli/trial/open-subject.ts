import { misuse } from "../../errors/errors.ts";
import { isAddress, readHttpUrl } from "../../runtime/http-url.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { isTables, kindOf } from "../../trial/database/source.ts";
import { workOn } from "../../trial/database/work.ts";
import { createCrossings } from "../../trial/outside/crossing.ts";
import type { Outside } from "../../trial/outside/outside.ts";
import type { Stores } from "../../trial/outside/stores.ts";
import { causeWords } from "../../trial/outside/words.ts";
import type { Statements } from "../../trial/statements/statements.ts";
import type { StoryApi } from "../../trial/subject/api.ts";
import { runCommand } from "../../trial/subject/command.ts";
import type { CopySurroundings, GivenCopy } from "../../trial/subject/copy-watch.ts";
import { type OwnedServer, startInstances } from "../../trial/subject/instances.ts";
import { remoteSubject } from "../../trial/subject/remote.ts";
import { EFFECTS_ALONE, endAll, isInbox, withoutInbox } from "../../trial/subject/remote-state.ts";
import type { Subject } from "../../trial/subject/subscriber.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { secretsIn } from "../../webhooks/secret.ts";
import { type SubjectFacts, worksOnCopy } from "./subject.ts";

/** What a trial on a copy lacks, as the end of a sentence. */
function missingFor({ start, gate, state = "" }: SubjectFacts): string {
  if (start === undefined) return "subject.start";
  if (gate.length > 0) return "a state that is not behind subject.gate";
  return `a database as the state${state === "" ? "" : `, not '${withoutPasswords(state)}'`}`;
}

/**
 * Starts the server under test on a copy of its database, if a start command is configured.
 * @param sender the sender whose API the server calls; by default, the platform
 * @throws SandboxError `unreachable` or `invalid_state`, like `startServer`; `bad_request` for a database that cannot
 * be copied
 */
async function openServer(facts: SubjectFacts, sender?: FileSender): Promise<CopySurroundings> {
  const {
    start,
    state = "",
    url,
    secret,
    secretVariables,
    databaseEnv,
    apiPort,
    allow,
    mailEnv,
    instances,
    startTimeout,
    seed,
    gate,
  } = facts;
  const withDatabase = worksOnCopy(facts);
  if (facts.tables && !isTables(state))
    throw misuse(
      "subject.tables needs a database as the state.",
      'For example: { "state": "sqlite:shop.db", "tables": ["orders"] }',
    );
  if (databaseEnv.length > 0 && !withDatabase)
    throw misuse(
      `subject.databaseEnv names variables for the copy of a database, so it needs ${missingFor(facts)}.`,
      'For example: { "start": "node server.mjs", "state": "sqlite:shop.db", "databaseEnv": ["DB_FILE"] }',
    );
  if (seed !== undefined && !withDatabase)
    throw misuse(
      `subject.seed fills the copy of a database, so it needs ${missingFor(facts)}.`,
      'For example: { "start": "node server.mjs", "state": "sqlite:shop.db", "seed": "npm run db:seed" }',
    );
  if (gate.length > 0 && start === undefined)
    throw misuse(
      "subject.gate lists variables for a server that Sandglass starts, so it needs subject.start.",
      'For example: { "start": "node server.mjs", "gate": ["SUPABASE_URL"] }',
    );
  const crossings = createCrossings();
  let api: StoryApi | undefined;
  let outside: Outside | undefined;
  let work: GivenCopy | undefined;
  let server: OwnedServer | undefined;
  let within: readonly string[] = [];
  let statements: Statements | undefined;
  let stores: Stores | undefined;
  try {
    const [own = secret] = secretsIn(secret).map((one) => sender?.verifyingKey?.(one) ?? one);
    const env = { ...facts.env, ...Object.fromEntries(secretVariables.map((name) => [name, own])) };
    const hasApi = sender === undefined || sender.facts.api !== undefined;
    const isForInbox = !hasApi && isInbox(state);
    if (apiPort !== undefined || (start !== undefined && (hasApi || isForInbox))) {
      const { openApi } = await import("../../trial/subject/api.ts");
      api = await openApi(apiPort ?? 0, crossings, isForInbox ? undefined : sender);
      Object.assign(env, api.env);
    }
    if (isInbox(state)) {
      if (!api) throw withoutInbox(state);
      const { serve } = await import("../../server/serve.ts");
      // Each story has its own world, while a check uses this one.
      const world = await serve({ ...facts.settings, dataDir: undefined, from: undefined }, { socket: true });
      const { close: closeApi } = api;
      api.close = () => endAll([closeApi, world.close]);
      api.leadTo(world);
    }
    if (withDatabase) {
      const variables = [...new Set(["DATABASE_URL", ...databaseEnv])];
      const copy = await workOn(state);
      work = { copy, variables };
      within = copy.within;
      const { openStatements, companions } = kindOf(state);
      const proxied = await openStatements?.(copy.source);
      statements = proxied;
      const written = [...variables, ...variables.flatMap((name) => companions[name] ?? [])];
      const all = [...written, ...Object.keys(process.env)];
      for (const name of written) {
        const value = copy.valueFor({ name, present: process.env[name], all }, proxied?.place);
        if (value !== undefined) env[name] = value;
      }
    }
    if (start !== undefined && gate.length > 0) {
      const { openStores } = await import("../../trial/outside/stores.ts");
      stores = await openStores(gate, { ...process.env, ...env }, crossings);
      Object.assign(env, stores.env);
    }
    if (start !== undefined) {
      const { openOutside } = await import("../../trial/outside/outside.ts");
      const port = instances === 1 ? Number(new URL(url).port || 80) : undefined;
      outside = await openOutside({
        ...{ apis: api?.part ? [api.part] : [], crossings, allow, mailEnv, port, stores },
        env: { ...process.env, ...env },
        isolates: true,
      });
      Object.assign(env, outside.env);
    }
    if (seed !== undefined)
      await work?.copy.fill(() => runCommand("seed", seed, startTimeout, undefined, env, within));
    if (start !== undefined && !statements) {
      const { openLocalStatements } = await import("../../trial/statements/local.ts");
      statements = await openLocalStatements(withDatabase, env.NODE_OPTIONS ?? process.env.NODE_OPTIONS);
    }
    if (statements) {
      crossings.ask(statements.gate);
      Object.assign(env, statements.env);
    }
    if (start !== undefined)
      server = await startInstances(
        {
          ...{ command: start, within, url, env, timeout: startTimeout, elsewhere: facts.elsewhere },
          network: outside?.network,
          ...{ signal: facts.signal, cause: () => causeWords(outside?.report()) },
        },
        instances,
      ).catch((error) => {
        throw statements?.insistsOnTls?.() ?? error;
      });
    else if (instances > 1)
      throw misuse(
        "--instances needs --start.",
        "Pass the command that starts your server with --start, or set subject.start in the configuration.",
      );
    return { server, work, api, outside, stores, statements };
  } catch (error) {
    await endAll([
      () => server?.close(),
      () => outside?.close(),
      () => stores?.close(),
      () => api?.close(),
      () => statements?.close(),
      () => work?.copy.close(),
    ]);
    throw error;
  }
}

/** The server under test with its state and reset. @throws SandboxError `bad_request` that says what is missing */
export async function openSubject(
  facts: SubjectFacts,
  timeout: number,
  sender?: FileSender,
): Promise<Subject> {
  const { state, start } = facts;
  if (!state)
    throw misuse(
      "explore needs to read your server's state: from a database, a URL that returns JSON, an inbox that the server sends to, or a shell command that prints it. Use effects for a server that only calls other services.",
      "For example: --state sqlite:shop.db with --start; or subject.state in the configuration.",
    );
  if (state === EFFECTS_ALONE && start === undefined)
    throw misuse(
      "The state effects needs --start: Sandglass only sees calls from a server that it starts.",
      "Pass the command that starts your server with --start, or set subject.start in the configuration.",
    );
  if (!facts.reset && start === undefined && !isTables(state))
    throw misuse(
      "explore needs a way to clear your server's state: a URL or a shell command.",
      "For example: --state http://127.0.0.1:3000/state --reset http://127.0.0.1:3000/reset. Databases are restored without one, and with --start your server is restarted.",
    );
  return openChecked(facts, timeout, sender);
}

/** The server under test for a check, which needs neither state nor reset. @throws SandboxError like `openServer` */
export async function openChecked(
  facts: SubjectFacts,
  timeout: number,
  sender?: FileSender,
): Promise<Subject> {
  const { state = "", tables, idle, url } = facts;
  const reset = facts.reset || null;
  return remoteSubject({
    ...{ url, tables, timeout },
    stateUrl: isAddress(state) ? readHttpUrl(state, "--state") : state || null,
    resetBy: reset !== null && isAddress(reset) ? readHttpUrl(reset, "--reset") : reset,
    idleUrl: idle === undefined ? undefined : readHttpUrl(idle, "subject.idle"),
    // Start the server last, because an error after that would leave it running.
    around: await openServer(facts, sender),
  });
}
