import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { SandglassConfig } from "../../src/library/config.ts";
import { folderOf } from "../support/cli.ts";
import { readPage } from "../support/docs.ts";
import { rawCall } from "../support/raw-http.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

/** SECURITY.md, "What Sandglass promises": every cell of its table is tested here. */

const TOKEN = "a-token-that-the-tests-have-chosen";
const FIXTURES = "products:\n  - name: Tea\n    amount: '100'\n";

interface Asked {
  method?: string;
  path: string;
  body?: object;
  host?: string;
  /** Whether the request comes from following a link on a page, in which case no origin is sent. */
  link?: boolean;
}

/** A caller who is allowed to do some things but not others. */
interface Actor {
  sandbox: TestSandbox;
  ask: (asked: Asked) => Promise<{ status: number; cookie: boolean }>;
  /**
   * Makes the sandbox send a webhook.
   * @returns whether it arrived
   */
  haveSent: (url: string) => Promise<boolean>;
  /** Starts a world from a file. */
  begin: (from: string) => Promise<boolean>;
}

async function startShared(config: SandglassConfig = {}): Promise<TestSandbox> {
  vi.stubEnv("SANDGLASS_TOKEN", TOKEN);
  const sandbox = await startSandbox({ share: true, host: "127.0.0.1", settleTimeout: "20s", ...config });
  vi.unstubAllEnvs();
  return sandbox;
}

/** A caller, described by what its requests contain. */
const caller =
  (own: Record<string, string>, link: Record<string, string> = own) =>
  async (): Promise<Actor> => {
    const sandbox = await startShared();
    const send = async ({ method = "POST", path, body, host, link: isLink }: Asked) => {
      const text = body === undefined ? "" : JSON.stringify(body);
      const headers = {
        ...{
          authorization: `Bearer ${sandbox.keys.write}`,
          "content-length": String(Buffer.byteLength(text)),
        },
        ...(body && { "content-type": "application/json" }),
        ...(isLink ? link : own),
        ...(host && { host }),
      };
      const answer = await rawCall(sandbox.url, method, path, headers, text);
      return { ...answer, cookie: answer.headers["set-cookie"] !== undefined };
    };
    return {
      sandbox,
      ask: send,
      async haveSent(url) {
        const { text } = await send({ path: "/platform/api/v1/webhooks", body: { url } });
        const { id } = JSON.parse(text);
        if (id === undefined) return false;
        return JSON.parse((await send({ path: `/platform/api/v1/webhooks/${id}/test` })).text).success;
      },
      begin: async (from) => (await send({ path: "/_sandbox/worlds", body: { from } })).status === 201,
    };
  };

/** A repository can only supply a configuration. It makes no calls, but it decides where webhooks are sent. */
async function repository(): Promise<Actor> {
  const sandbox = await startShared();
  async function deliver(url: string) {
    const started = await startShared({ webhooks: { endpoints: [{ url }] } });
    const [{ id }] = (await started.control("GET", "/webhooks")).body.data;
    await started.api("POST", `/webhooks/${id}/test`);
    return (await started.deliveries(id))[0];
  }
  return {
    sandbox,
    async ask({ path }) {
      const { response_code: status, response_headers: headers } = await deliver(path);
      return { status, cookie: "set-cookie" in headers };
    },
    haveSent: async (url) => (await deliver(url.replace(sandbox.url, ""))).status === "success",
    begin: (from) =>
      startSandbox({ from }).then(
        () => true,
        () => false,
      ),
  };
}

const EVIL = "https://evil.example";
const ACTORS: Record<string, () => Promise<Actor>> = {
  "this machine": caller({}),
  "a web page": caller(
    { origin: EVIL, "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
  ),
  "the network": caller({ host: "sandbox.test" }),
  "a token holder": caller({ host: "sandbox.test", "x-sandbox-token": TOKEN }),
  "a cloned repository": repository,
};

const answered = async ({ ask }: Actor, asked: Asked): Promise<boolean> => {
  const { status } = await ask(asked);
  // A failure must be a 403, and not the result of an invalid request.
  expect(status < 400 || status === 403, String(status)).toBe(true);
  return status < 400;
};

const ATTEMPTS: Record<string, (actor: Actor) => Promise<boolean>> = {
  "use the page and the control API": (actor) => answered(actor, { path: "/_sandbox/clock/pause" }),
  "call the payments platform": (actor) =>
    answered(actor, { path: "/platform/api/v1/payment-links", body: { name: "Tea", amount: "1" } }),
  "call chain data and the game launcher": async (actor) => {
    const data = await answered(actor, {
      method: "GET",
      path: "/data/insights/v1/tokens/lookup?symbol=USDC",
    });
    const game = await answered(actor, { method: "GET", path: "/game/activities" });
    expect(game).toBe(data);
    return data;
  },
  "open a checkout": async (actor) => {
    const { url } = await actor.sandbox.createLink();
    return answered(actor, { method: "GET", path: new URL(url).pathname, link: true });
  },
  "call an area under a website's host name": (actor) =>
    answered(actor, { method: "GET", path: "/game/activities", host: "evil.example" }),
  "have webhooks sent to an inbox": ({ haveSent, sandbox }) => haveSent(`${sandbox.url}/_sandbox/inbox/shop`),
  "have webhooks sent to any port of this machine": async ({ haveSent }) => {
    const service = await startSubscriber();
    const arrived = await haveSent(service.url);
    expect(service.received).toHaveLength(arrived ? 1 : 0);
    return arrived;
  },
  "have webhooks sent to an unlisted host": ({ haveSent }) => haveSent("https://example.com/webhooks"),
  "have webhooks sent to anything in a sandbox except its inboxes": async ({ haveSent, sandbox }) => {
    const arrived = await haveSent(`${sandbox.url}/_sandbox/clock/resume`);
    expect((await sandbox.control("GET", "/clock")).body.mode).toBe("paused");
    return arrived;
  },
  "get the cookie of a shared sandbox": async ({ ask }) =>
    (await ask({ path: "/_sandbox/share/cookie" })).cookie,
  "run a scenario": (actor) =>
    answered(actor, { path: "/_sandbox/scenarios/payment-end-to-end/runs", body: {} }),
  "start a world from a file in the project": ({ begin }) => begin("./tea.yaml"),
  "start a world from any other file": ({ begin }) =>
    begin(join(folderOf({ "tea.yaml": FIXTURES }), "tea.yaml")),
};

/** The first table on the docs page. */
const [table] = /(?:^\|.*\n)+/m.exec(readPage("SECURITY.md"))!;
const [head, , ...rows] = table
  .trim()
  .split("\n")
  .map((line) => line.replace(/^\| | \|$/g, "").split(" | "));
const [, ...actors] = head!;

test("the table in SECURITY.md contains exactly the tested actors and rows", () => {
  expect(actors).toEqual(Object.keys(ACTORS));
  expect(rows.map(([what]) => what).sort()).toEqual(Object.keys(ATTEMPTS).sort());
});

test.each(actors.map((who, index) => [who, index] as const))(
  "%s can do exactly what the table in SECURITY.md says",
  async (who, index) => {
    const project = folderOf({ "tea.yaml": FIXTURES });
    const cwd = vi.spyOn(process, "cwd").mockReturnValue(project);
    onTestFinished(() => cwd.mockRestore());
    const actor = await ACTORS[who]!();
    for (const [what, ...cells] of rows)
      expect(await ATTEMPTS[what!]!(actor), what).toBe(cells[index] === "yes");
  },
);
