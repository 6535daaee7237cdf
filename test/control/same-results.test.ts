import { expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { actsOf, partsOf } from "../../src/cli/operation/acts.ts";
import { connectTo } from "../../src/client/http.ts";
import { connect } from "../../src/client/index.ts";
import { createSandbox, type Sandbox } from "../../src/index.ts";
import { TOOLS } from "../../src/mcp/server.ts";
import { OPERATIONS } from "../../src/operations/index.ts";
import type { Operation } from "../../src/operations/operation.ts";
import type { Json } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { callHttp, callLibrary, type Fields, runCommand } from "../support/surfaces.ts";

/** A call of the story: an operation and its input, which may use results of earlier calls. */
type Call = [name: string, input?: Fields | ((seen: Record<string, Json>) => Fields)];

const endpoint = (seen: Record<string, Json>) => seen["webhooks.create"].id;

/** Runs every operation at least once, in an order in which each of them has something to do. */
const story = (subscriber: string): Call[] => [
  ["worlds.create", { name: "other", seed: "empty" }],
  ["worlds.list"],
  ["worlds.delete", { name: "other" }],
  ["webhooks.create", { url: subscriber, description: "shop", secret: "whsec_1" }],
  ["webhooks.update", (seen) => ({ id: endpoint(seen), description: "the shop" })],
  ["webhooks.list"],
  ["webhooks.disable", (seen) => ({ id: endpoint(seen) })],
  ["webhooks.enable", (seen) => ({ id: endpoint(seen) })],
  ["webhooks.test", (seen) => ({ id: endpoint(seen) })],
  ["webhooks.diagnose", (seen) => ({ id: seen["webhooks.test"].delivery_id })],
  ["clock.state"],
  ["clock.pause"],
  ["clock.set", { now: "2030-01-01T00:00:00.000Z" }],
  ["payments.createLink", { name: "Tea", amount: "2500000" }],
  ["payments.link", (seen) => ({ link: seen["payments.createLink"].id })],
  ["payments.links", { search: "tea", limit: 2 }],
  ["payments.openSession", { link: "coffee", client_reference_id: "order-8" }],
  ["payments.session", (seen) => ({ id: seen["payments.openSession"].id })],
  ["payments.expire", (seen) => ({ id: seen["payments.openSession"].id })],
  ["payments.sessions", { link: "coffee", limit: 3 }],
  ["webhooks.fail", (seen) => ({ id: endpoint(seen), kind: "status", status: 503, times: 1 })],
  ["webhooks.fault", (seen) => ({ id: endpoint(seen) })],
  ["payments.pay", { payment_link_id: "coffee", client_reference_id: "order-7" }],
  ["payments.follow", (seen) => ({ id: seen["payments.pay"].transaction.id })],
  ["payments.transaction", (seen) => ({ id: seen["payments.pay"].transaction.id })],
  ["webhooks.work", (seen) => ({ id: endpoint(seen) })],
  ["webhooks.deliveries", (seen) => ({ id: endpoint(seen), limit: 100 })],
  ["webhooks.delivery", (seen) => ({ id: seen["webhooks.deliveries"].data[0].id })],
  [
    "webhooks.retry",
    (seen) => ({ webhook_id: endpoint(seen), id: failedOf(seen["webhooks.deliveries"].data).id }),
  ],
  ["webhooks.retryFailed", { since: "1h" }],
  ["clock.advance", { by: "2m" }],
  ["clock.cancelAdvance"],
  ["webhooks.resend", (seen) => ({ id: seen["webhooks.retry"].id })],
  ["webhooks.outage", (seen) => ({ id: endpoint(seen), duration: "2m" })],
  ["webhooks.timeline", (seen) => ({ id: endpoint(seen), limit: 100 })],
  ["senders.list"],
  ["faults.set", { area: "platform", status: 503, times: 2, match: "GET /products" }],
  ["faults.get", { area: "platform" }],
  ["faults.list"],
  ["faults.clear", { area: "platform" }],
  ["data.setProvider", { name: "explorer-1", state: "error", status: 502, times: 3 }],
  ["data.providers"],
  ["data.setHoldings", { address: `0x${"ab".repeat(20)}`, tokens: [], chain_id: 8453 }],
  ["data.addresses"],
  ["data.clearHoldings", { address: `0x${"ab".repeat(20)}` }],
  ["data.cache"],
  ["data.purge", {}],
  ["game.token", { player: "mira_lantern" }],
  ["game.games"],
  ["game.signature", (seen) => ({ gameId: seen["game.games"].data[0].id, nonce: "1" })],
  ["game.players"],
  ["game.sessions", { limit: 2 }],
  ["game.endSession", (seen) => ({ id: seen["game.sessions"].data[0].id })],
  ["game.channels", { limit: 20 }],
  ["game.post", (seen) => ({ channel: seen["game.channels"].data[0].id, content: "hello" })],
  ["game.scores", { limit: 2 }],
  ["game.rules"],
  ["game.notifications", { limit: 2 }],
  ["game.removePlayer", (seen) => ({ id: seen["game.players"].data[0].id })],
  ["inboxes.behave", { name: "shop", status: 500 }],
  ["inboxes.behaviour", { name: "shop" }],
  ["inboxes.messages", { name: "shop" }],
  ["inboxes.list"],
  ["mail"],
  ["snapshot", { name: "here" }],
  ["snapshots.list"],
  ["restore", { name: "here" }],
  ["undo"],
  ["snapshots.delete", { name: "here" }],
  ["webhooks.delete", (seen) => ({ id: endpoint(seen) })],
  ["events", { limit: 10_000 }],
  ["reset", { seed: "empty" }],
  ["clock.resume"],
];

const failedOf = (deliveries: Json[]): Json => deliveries.find(({ status }) => status === "failed");

/** Fields that differ between any two processes: URLs, real times, and facts about the machine. */
const OWN: Record<string, string> = {
  status: "it is about a process",
  export: "it is a file",
  "senders.send": "it needs a sender",
  "senders.play": "it needs a sender",
  "stories.list": "no other surface has it",
  "stories.outline": "no other surface has it",
  "stories.play": "no other surface has it",
  "findings.list": "no other surface has it",
  "findings.save": "no other surface has it",
  "findings.play": "no other surface has it",
  "scenarios.list": "its only other surface is a tool, which says it in another form",
  "scenarios.run": "its only other surface is a tool, which says it in another form",
  "runs.list": "no other surface has it",
  "runs.get": "no other surface has it",
  "runs.delete": "no other surface has it",
  "requests.list": "it lists the calls of the surface itself",
  "requests.get": "it lists the calls of the surface itself",
};

const byName = new Map((OPERATIONS as readonly Operation[]).map((one) => [one.name, one]));

/** A result without the fields that depend on real time or the server's URL. */
function comparable(result: unknown, url: string): unknown {
  const text = JSON.stringify(result, (name, value: unknown) => {
    if (/^(?:wall|wall_ms|date|duration_ms|took_ms|bytes|size)$/.test(name)) return null;
    return typeof value === "string" ? value.replaceAll(url, "http://here") : value;
  });
  const read = text === undefined ? undefined : JSON.parse(text);
  return read?.mode === "live" ? { ...read, now: null } : read;
}

/** The part of a response that the library returns. */
function givenOf({ library }: Operation, answer: Json): unknown {
  if (library?.gives === null) return undefined;
  return library?.gives === undefined ? answer : answer[library.gives];
}

/** The command that can take the whole input as arguments and flags, if there is such a command. */
function commandOf({ name }: Operation, input: Fields) {
  for (const spec of COMMANDS)
    for (const [action, act] of Object.entries(spec.acts ? actsOf({ acts: spec.acts } as never) : {})) {
      if (![act.does].flat().includes(name as never)) continue;
      const { args, flags } = partsOf(act);
      const parts = [...args, ...flags];
      if (!Object.keys(input).every((field) => parts.some(({ key }) => key === field))) continue;
      if ((act.choose?.(input) ?? [act.does].flat()[0]) !== name) continue;
      return { spec, action, args, flags };
    }
  return undefined;
}

/**
 * Calls the tool that runs the operation and can take the whole input, if there is such a tool. The journal is compared
 * as a whole instead.
 */
async function callTool(url: string, { name }: Operation, input: Fields): Promise<Json> {
  if (name === "events") return undefined;
  for (const { operation, input: taken, run } of TOOLS) {
    if (operation?.name !== name) continue;
    const words = Object.entries(input).map(([field, value]) => [operation.words[field] ?? field, value]);
    if (!words.every(([word]) => (word as string) in taken.properties)) continue;
    const sandbox = async () => connectTo({ url }, "command");
    const call = { signal: AbortSignal.any([]), inWords: (text: string) => text };
    return run({ sandbox } as never, Object.fromEntries(words), call);
  }
}

test("every operation returns the same result through each of its interfaces", async () => {
  const subscriber = await startSubscriber(({ headers }, response) => {
    response.sendDate = false;
    response.writeHead(headers["x-platform-test"] ? 401 : 200).end();
  });
  const start = () => createSandbox({ seed: "sandglass", clock: { mode: "paused" } });
  await using plain = await start();
  const seen: Record<string, Json> = {};
  const calls: [one: Operation, input: Fields, answer: Json][] = [];
  for (const [name, given = {}] of story(subscriber.url)) {
    const one = byName.get(name)!;
    const input = typeof given === "function" ? given(seen) : given;
    const answer = await callHttp(plain.url, one, input);
    const body = answer.status === 204 ? undefined : await answer.json();
    expect(answer.status, `${name}: ${JSON.stringify(body)}`).toBeLessThan(300);
    seen[name] = body;
    calls.push([one, input, comparable(body, plain.url)]);
  }
  const missing = [...byName.keys()].filter((name) => !(name in seen) && !(name in OWN));
  expect(missing).toEqual([]);

  async function follow(url: string, sandbox: Sandbox | null): Promise<number> {
    let compared = 0;
    for (const [one, input, answer] of calls) {
      const about = `${one.name} ${JSON.stringify(input)}`;
      const command = sandbox ? undefined : commandOf(one, input);
      if (sandbox && one.library) {
        const result = comparable(await callLibrary(sandbox, one, input), url);
        expect(result, about).toEqual(givenOf(one, answer));
      } else if (command) {
        const { spec, action, args, flags } = command;
        const words = args.map(({ key }) => (input[key] === undefined ? undefined : `${input[key]}`));
        const options = Object.fromEntries(
          flags.flatMap(({ key, option }) => (key in input ? [[option!, `${input[key]}`]] : [])),
        );
        const printed = await runCommand(spec, action === "" ? words : [action, ...words], {
          ...options,
          url,
          json: true,
        });
        const shown = comparable(JSON.parse(printed), url);
        // A command may show more than the response, for example an inbox with its messages.
        expect(shown, about).toMatchObject(Array.isArray(shown) ? answer.data : answer);
      } else {
        await callHttp(url, one, input);
        continue;
      }
      compared += 1;
    }
    return compared;
  }

  /**
   * Tools return shorter results. The fields that they contain must equal those of the response, and the effect on the
   * world must be the same.
   */
  async function followByTools(url: string): Promise<number> {
    let compared = 0;
    for (const [one, input, answer] of calls) {
      const about = `${one.name} ${JSON.stringify(input)}`;
      const result = comparable(await callTool(url, one, input), url) as Fields | undefined;
      if (result === undefined) {
        const other = await callHttp(url, one, input);
        if (one.name === "events") expect(comparable(await other.json(), url), about).toEqual(answer);
        continue;
      }
      for (const [field, value] of Object.entries(result))
        if (field in (answer ?? {})) expect(value, `${about} ${field}`).toEqual(answer[field]);
      compared += 1;
    }
    return compared;
  }

  await using served = await start();
  await using connected = await connect(served.url);
  expect(await follow(served.url, connected)).toBeGreaterThan(30);
  await using inside = await start();
  expect(await follow(inside.url, inside)).toBeGreaterThan(30);
  await using commanded = await start();
  expect(await follow(commanded.url, null)).toBeGreaterThan(20);
  await using toAgents = await start();
  expect(await followByTools(toAgents.url)).toBeGreaterThan(6);
});
