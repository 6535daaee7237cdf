import { readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { connect } from "../../src/client/index.ts";
import { createSandbox } from "../../src/index.ts";
import type { SandglassConfig } from "../../src/library/config.ts";
import { TOKEN_HEADER } from "../../src/runtime/share-link.ts";
import { folderOf } from "../support/cli.ts";
import { expectRefusal } from "../support/control-errors.ts";
import { operationsOf } from "../support/openapi.ts";
import { answerTo, rawCall } from "../support/raw-http.ts";
import { type Answer, startSandbox } from "../support/sandbox.ts";

/**
 * A shared sandbox as seen from another machine and by an attacker. A request counts as coming from another machine if
 * its Host is not this machine, wherever it actually comes from.
 */

const TOKEN = "a-token-that-the-tests-have-chosen";
const ELSEWHERE = { host: "sandbox.test" };

afterEach(() => vi.unstubAllEnvs());

async function startShared(token = TOKEN, config: SandglassConfig = {}) {
  vi.stubEnv("SANDGLASS_TOKEN", token);
  const sandbox = await startSandbox({ share: true, host: "127.0.0.1", ...config });
  vi.stubEnv("SANDGLASS_TOKEN", "");
  const call = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
    answerTo(sandbox.url, method, path, { ...ELSEWHERE, ...headers }, body);
  return { ...sandbox, call };
}

/** The cookie that a browser gets in exchange for the token. */
async function cookieOf({ call }: Pick<Awaited<ReturnType<typeof startShared>>, "call">): Promise<string> {
  const { status, headers } = await call("POST", "/_sandbox/share/cookie", { [TOKEN_HEADER]: TOKEN });
  expect(status).toBe(200);
  return headers.get("set-cookie")!.split(";")[0]!;
}

const UPGRADE = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "c2FuZGdsYXNzMTIzNDU2Nw==",
};

describe("an unshared sandbox", () => {
  test("an unshared sandbox rejects other machines and suggests --share [fidelity: Data › Control API]", async () => {
    const { url } = await startSandbox();
    for (const headers of [{}, { [TOKEN_HEADER]: TOKEN }, { authorization: `Bearer ${TOKEN}` }]) {
      const answer = await answerTo(url, "GET", "/_sandbox/status", { ...ELSEWHERE, ...headers });
      expectRefusal(answer, 403, "forbidden");
      expect(answer.body.error.hint).toContain("--share");
    }
    expect((await answerTo(url, "GET", "/_sandbox/live", { ...ELSEWHERE, ...UPGRADE })).status).toBe(403);
  });

  test("an unshared sandbox responds to a remote browser with a page and to an API client with JSON", async () => {
    const { url } = await startSandbox();
    for (const path of ["/", "/w/default/", "/_sandbox/reference"]) {
      const page = await answerTo(url, "GET", path, { ...ELSEWHERE, accept: "text/html" });
      expect(page.status).toBe(403);
      expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(page.text).toContain("closed to other machines");
      expect(page.text).toContain("npx sandglass --share");
      expectRefusal(await answerTo(url, "GET", path, ELSEWHERE), 403, "forbidden");
    }
  });

  test("an unshared sandbox sets no cookie", async () => {
    const { control } = await startSandbox();
    const answer = await control("POST", "/share/cookie");
    expectRefusal(answer, 409, "conflict");
    expect(answer.headers.get("set-cookie")).toBeNull();
  });
});

describe("a shared sandbox", () => {
  test("a shared sandbox requires the token on every call [fidelity: Data › Control API]", async () => {
    const sandbox = await startShared();
    const document = (await sandbox.call("GET", "/_sandbox/openapi.json", { [TOKEN_HEADER]: TOKEN })).body;
    for (const { method, path } of operationsOf(document)) {
      const target = `/_sandbox${path.replace("{area}", "platform").replaceAll(/\{\w+\}/g, "nobody")}`;
      expectRefusal(await sandbox.call(method, target), 403, "forbidden", `${method} ${path}`);
    }
    for (const path of ["/", "/_sandbox/reference", "/_sandbox/openapi.json", "/_sandbox/platform/webhooks"])
      expectRefusal(await sandbox.call("GET", path), 403, "forbidden", path);
  });

  test("a shared sandbox accepts the token as a header, bearer or cookie, in every world", async () => {
    const sandbox = await startShared();
    await sandbox.makeWorld({ name: "demo" });
    const proofs = [
      { [TOKEN_HEADER]: TOKEN },
      { authorization: `Bearer ${TOKEN}` },
      { cookie: `theme=dark; ${await cookieOf(sandbox)}` },
    ];
    for (const headers of proofs)
      for (const path of ["/_sandbox/status", "/w/demo/_sandbox/status", "/", "/_sandbox/platform/webhooks"])
        expect((await sandbox.call("GET", path, headers)).status, path).toBe(200);
  });

  test("a shared sandbox does not ask this machine for a token", async () => {
    const { control } = await startShared();
    expect((await control("GET", "/status")).body.share).toEqual({ wrong_tokens: 0 });
  });

  test("a shared sandbox ignores a token in the query string", async () => {
    const { call } = await startShared();
    for (const query of [`token=${TOKEN}`, `${TOKEN_HEADER}=${TOKEN}`])
      expect((await call("GET", `/_sandbox/status?${query}`)).status).toBe(403);
  });

  test("a shared sandbox's live streams require the token, over WebSocket and server-sent events", async () => {
    const sandbox = await startShared();
    const cookie = await cookieOf(sandbox);
    const url = `${sandbox.url.replace("http", "ws")}/_sandbox/live`;
    const open = (headers: Record<string, string>) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(url, { headers: { ...ELSEWHERE, ...headers } });
        onTestFinished(() => socket.terminate());
        socket.on("error", () => undefined);
        socket.on("open", () => resolve("open"));
        socket.on("unexpected-response", (_request, { statusCode }) => resolve(String(statusCode)));
      });
    expect(await open({})).toBe("403");
    expect(await open({ [TOKEN_HEADER]: "wrong-token-wrong-token" })).toBe("403");
    expect(await open({ [TOKEN_HEADER]: TOKEN })).toBe("open");
    expect(await open({ cookie, origin: "http://sandbox.test" })).toBe("open");
    expect(await open({ cookie, origin: "http://evil.test" })).toBe("403");
    const events = { accept: "text/event-stream" };
    expect((await sandbox.call("GET", "/_sandbox/live", events)).status).toBe(403);
    const streamed = await new Promise<number>((resolve) => {
      const headers = { ...ELSEWHERE, ...events, [TOKEN_HEADER]: TOKEN };
      const stream = request(`${sandbox.url}/_sandbox/live`, { headers }, (response) => {
        resolve(response.statusCode!);
        stream.destroy();
      });
      stream.end();
    });
    expect(streamed).toBe(200);
  });

  test("a shared sandbox treats HEAD as GET and does not echo TRACE requests", async () => {
    const { call } = await startShared();
    expect((await call("HEAD", "/_sandbox/status")).status).toBe(403);
    expect((await call("HEAD", "/_sandbox/status", { [TOKEN_HEADER]: TOKEN })).status).toBe(200);
    for (const headers of [{ [TOKEN_HEADER]: TOKEN }, {}]) {
      const { status, text } = await call("TRACE", "/_sandbox/status", headers);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(text).not.toContain(TOKEN);
    }
  });
});

describe("wrong tokens", () => {
  test("a call with a wrong token is counted, and finishes after a later call with the correct token", async () => {
    const { call, control } = await startShared();
    const order: string[] = [];
    const wrong = call("GET", "/_sandbox/status", { [TOKEN_HEADER]: `${TOKEN}x` }).then((answer) => {
      order.push("wrong");
      return answer;
    });
    await expect.poll(async () => (await control("GET", "/status")).body.share.wrong_tokens).toBe(1);
    await call("GET", "/_sandbox/status", { [TOKEN_HEADER]: TOKEN });
    order.push("right");
    expectRefusal(await wrong, 403, "forbidden");
    expect(order).toEqual(["right", "wrong"]);
  });

  test("a wrong token of any length is rejected", async () => {
    const { call, control } = await startShared();
    const wrong = ["x", TOKEN.slice(0, -1), TOKEN.toUpperCase(), `${"x".repeat(5_000)}`];
    const answers = wrong.map((token) => call("GET", "/_sandbox/status", { [TOKEN_HEADER]: token }));
    for (const answer of await Promise.all(answers)) expectRefusal(answer, 403, "forbidden");
    expect((await control("GET", "/status")).body.share.wrong_tokens).toBe(wrong.length);
  });

  test("at most four calls with wrong tokens wait at once, and calls with the correct token are not delayed", async () => {
    const sandbox = await startShared();
    const { call, control } = sandbox;
    const cookie = await cookieOf(sandbox);
    const waiting = Array.from({ length: 4 }, (_, index) =>
      call("GET", "/_sandbox/status", { authorization: `Bearer wrong-${index}` }),
    );
    await expect.poll(async () => (await control("GET", "/status")).body.share.wrong_tokens).toBe(4);
    const more = await call("GET", "/_sandbox/status", { [TOKEN_HEADER]: "wrong" });
    expectRefusal(more, 403, "forbidden");
    expect(more.body.error.message).toContain("at most 4 per address");
    for (const right of [{ [TOKEN_HEADER]: TOKEN }, { authorization: `Bearer ${TOKEN}` }, { cookie }])
      expect((await call("GET", "/_sandbox/status", right)).status).toBe(200);
    await Promise.all(waiting);
    expect((await control("GET", "/status")).body.share.wrong_tokens).toBe(4);
  });
});

describe("other sites in a browser with the cookie", () => {
  test("another site in a browser with the cookie can neither read nor change anything", async () => {
    const sandbox = await startShared();
    const cookie = await cookieOf(sandbox);
    const foreign: Record<string, string>[] = [
      { origin: "http://evil.test" },
      { origin: "null" },
      // Another port on the same host. Browsers treat it as the same site and send it the same cookies.
      { origin: "http://sandbox.test:3000" },
      { origin: "https://sandbox.test" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const headers of foreign)
      for (const [method, path] of [
        ["GET", "/_sandbox/status"],
        ["POST", "/_sandbox/reset"],
        ["GET", "/"],
        ["POST", "/_sandbox/share/cookie"],
      ] as const)
        expectRefusal(await sandbox.call(method, path, { ...headers, cookie }), 403, "forbidden");
    const own = { cookie, origin: "http://sandbox.test", "sec-fetch-site": "same-origin" };
    expect((await sandbox.call("POST", "/_sandbox/clock/pause", own)).status).toBe(200);
  });

  test("the cookie is HttpOnly and SameSite=Strict, and does not contain the token", async () => {
    const { call } = await startShared();
    const set = async (headers: Record<string, string>) =>
      (await call("POST", "/_sandbox/share/cookie", { [TOKEN_HEADER]: TOKEN, ...headers })).headers.get(
        "set-cookie",
      );
    expect(await set({})).toMatch(/^sandglass_\w{8}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(await set({})).not.toContain(TOKEN);
  });

  test("a website that rebinds its name to this machine is rejected", async () => {
    const { call } = await startShared();
    const rebound = { host: "evil.test", origin: "http://evil.test", "sec-fetch-site": "same-origin" };
    expectRefusal(await call("GET", "/_sandbox/status", rebound), 403, "forbidden");
  });
});

test("a page at publicUrl counts as the sandbox's own, even behind a proxy that terminates TLS", async () => {
  const sandbox = await startShared(TOKEN, { publicUrl: "https://sandbox.test" });
  const own = { origin: "https://sandbox.test", "sec-fetch-site": "same-origin" };
  const handed = await sandbox.call("POST", "/_sandbox/share/cookie", { ...own, [TOKEN_HEADER]: TOKEN });
  expect(handed.headers.get("set-cookie")).toMatch(/; HttpOnly; SameSite=Strict; Secure$/);
  const cookie = handed.headers.get("set-cookie")!.split(";")[0]!;
  expect((await sandbox.call("POST", "/_sandbox/clock/pause", { ...own, cookie })).status).toBe(200);
  const other = { ...own, origin: "https://sandbox.test:8443", cookie };
  expectRefusal(await sandbox.call("POST", "/_sandbox/clock/pause", other), 403, "forbidden");
  expectRefusal(await sandbox.call("POST", "/_sandbox/clock/pause", own), 403, "forbidden");
});

/** All the ways in which a client may send the token, or what a browser sends instead. */
function everyForm(cookie: string): [header: string, value: string | string[]][] {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
  return [
    [TOKEN_HEADER, TOKEN],
    [TOKEN_HEADER, [TOKEN, TOKEN]],
    [TOKEN_HEADER, `${TOKEN}, ${TOKEN}`],
    ["authorization", `Bearer ${TOKEN}`],
    ["authorization", `bearer  ${TOKEN} `],
    ["authorization", `Token ${TOKEN}`],
    ["authorization", basic(`${TOKEN}:`)],
    ["authorization", basic(`me:${TOKEN}`)],
    ["proxy-authorization", `Bearer ${TOKEN}`],
    ["proxy-authorization", basic(`me:${TOKEN}`)],
    ["cookie", cookie],
    ["cookie", `theme=dark; ${cookie}; lang=en`],
    ["cookie", `token=${TOKEN}`],
    ["x-api-key", TOKEN],
    ["x-token", TOKEN],
    ["referer", `http://127.0.0.1/?token=${TOKEN}`],
  ];
}

const encoded = [...TOKEN].map((one) => `%${one.charCodeAt(0).toString(16)}`).join("");
const QUERIES = [
  `?token=${TOKEN}`,
  `?a=1&token=${TOKEN}&b=2`,
  `?X-Sandbox-Token=${TOKEN}`,
  `?access_token=${TOKEN}`,
  `?token=${encoded}`,
  `?q=${encoded}`,
];

test("a token is never stored, printed or returned, no matter in which form it arrives", async () => {
  const output: string[] = [];
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation((text) => output.push(String(text)) > 0);
  onTestFinished(() => void vi.restoreAllMocks());
  const observed: string[] = [];
  vi.stubEnv("SANDGLASS_TOKEN", TOKEN);
  const dataDir = folderOf({});
  const sandbox = await startSandbox(
    { share: true, host: "127.0.0.1", dataDir },
    { observer: { call: ({ url }) => void observed.push(url), world: () => {} } },
  );
  vi.unstubAllEnvs();
  const cookie = await cookieOf({
    call: (method: string, path: string, headers = {}) =>
      answerTo(sandbox.url, method, path, { ...ELSEWHERE, ...headers }),
  });
  const PATHS = [
    ["POST", "/_sandbox/inbox/shop"],
    ["GET", "/platform/api/v1/payment-links"],
    ["POST", "/platform/api/v1/webhooks"],
    ["POST", "/game/launcher/channel-status"],
    ["GET", "/data/insights/v1/tokens/lookup"],
  ] as const;
  const answers: string[] = [];
  const ask = async (method: string, path: string, headers: Record<string, string>) =>
    answers.push((await rawCall(sandbox.url, method, path, headers)).text);
  for (const [method, path] of PATHS) {
    for (const [name, value] of everyForm(cookie)) {
      const key = name === "authorization" ? {} : { authorization: `Bearer ${sandbox.keys.write}` };
      await ask(method, path, { ...key, [name]: value as string });
      await ask(method, path, { ...ELSEWHERE, ...key, [TOKEN_HEADER]: TOKEN, [name]: value as string });
    }
    for (const query of QUERIES) await ask(method, path + query, {});
  }
  for (const headers of [{}, ELSEWHERE, { ...ELSEWHERE, [TOKEN_HEADER]: TOKEN }])
    for (const path of ["", "_sandbox/status", "_sandbox/report.html", "_sandbox/worlds", "_sandbox/nowhere"])
      await ask("GET", `/${path}`, headers);
  const inbox = (await sandbox.control("GET", "/inbox/shop?limit=1000")).body.data;
  expect(inbox.length).toBeGreaterThan(30);
  expect(inbox.some(({ headers }: Answer["body"]) => headers.cookie === "theme=dark; lang=en")).toBe(true);
  const requests = (await sandbox.control("GET", "/requests?limit=1000")).body.data;
  const details = await Promise.all(
    requests.map(async ({ id }: { id: number }) => (await sandbox.control("GET", `/requests/${id}`)).text),
  );
  const stored = [JSON.stringify(inbox), JSON.stringify(requests), ...details, ...observed, ...output];
  stored.push(...answers);
  stored.push((await sandbox.sandbox.snapshot()).toString("latin1"));
  stored.push((await sandbox.control("GET", "/events?limit=10000")).text);
  await sandbox.close();
  for (const name of readdirSync(dataDir, { recursive: true, withFileTypes: true }))
    if (name.isFile()) stored.push(readFileSync(join(name.parentPath, name.name), "latin1"));
  const secrets = [
    TOKEN,
    cookie.split("=")[1]!,
    encoded,
    encodeURIComponent(TOKEN),
    Buffer.from(`me:${TOKEN}`).toString("base64"),
  ];
  for (const secret of secrets)
    expect(
      stored
        .filter((text) => text.includes(secret))
        .map((text) => text.slice(text.indexOf(secret) - 60, text.indexOf(secret) + 60)),
    ).toEqual([]);
});

test("responses to a guest do not reveal whether a guessed token is right", async () => {
  const { call, keys } = await startShared();
  for (const guess of [TOKEN, `${TOKEN.slice(0, -1)}x`]) {
    const answers = await Promise.all([
      call("GET", "/platform/api/v1/payment-links", { authorization: `Bearer ${guess}` }),
      call("GET", `/platform/api/v1/payment-links?token=${guess}`, { "x-api-key": keys.write }),
      call("GET", "/platform/api/v1/payment-links", { "x-api-key": keys.write, cookie: `token=${guess}` }),
    ]);
    expect(
      answers.map(({ status, body, headers }) => [status, body.error?.code, headers.get("x-sandbox-hint")]),
    ).toEqual([
      [401, "key_invalid", null],
      [200, undefined, null],
      [200, undefined, null],
    ]);
  }
});

test("a wrong token in an area's header is rejected and counted", async () => {
  const { call, control, keys } = await startShared();
  const answer = await call("GET", "/platform/api/v1/payment-links", {
    "x-api-key": keys.write,
    [TOKEN_HEADER]: "wrong",
  });
  expect([answer.status, answer.body.error.code]).toEqual([403, "insufficient_permissions"]);
  expect((await control("GET", "/status")).body.share.wrong_tokens).toBe(1);
});

test("the cookie is set only for a correct token, even on this machine", async () => {
  const { url } = await startShared();
  const ask = (headers: Record<string, string>) => answerTo(url, "POST", "/_sandbox/share/cookie", headers);
  for (const headers of [{}, { [TOKEN_HEADER]: "wrong" }, { cookie: "sandglass_00000000=x" }]) {
    const answer = await ask(headers as Record<string, string>);
    expectRefusal(answer, 403, "forbidden");
    expect(answer.headers.get("set-cookie")).toBeNull();
  }
  for (const headers of [{ [TOKEN_HEADER]: TOKEN }, { authorization: `Bearer ${TOKEN}` }])
    expect((await ask(headers as Record<string, string>)).headers.get("set-cookie")).toMatch(/^sandglass_/);
});

test("a token that is easy to guess is rejected and not repeated", async () => {
  for (const token of ["short", "with spaces in it, which no header likes", "x".repeat(201)]) {
    const refused = await startShared(token).catch((error: Error) => error as Error & { hint: string });
    expect(refused).toMatchObject({ code: "bad_request" });
    expect(`${(refused as Error).message}`).not.toContain(token);
  }
});

test("each shared sandbox without a configured token generates its own", async () => {
  const links = await Promise.all(
    [1, 2].map(async () => (await startSandbox({ share: true, host: "127.0.0.1" })).served.shareLink!),
  );
  const tokens = links.map((link) => /#token=([\w-]{43})$/.exec(link)?.[1]);
  expect(new Set(tokens).size).toBe(2);
  expect(tokens).not.toContain(undefined);
});

test("a library sandbox and each of its worlds have their own share link", async () => {
  vi.stubEnv("SANDGLASS_TOKEN", TOKEN);
  await using sandbox = await createSandbox({ share: true, host: "127.0.0.1", seed: "empty" });
  expect(sandbox.shareLink).toBe(`${sandbox.url}/_sandbox/open#token=${TOKEN}`);
  await using world = await sandbox.open({ name: "demo" });
  expect(world.shareLink).toBe(`${sandbox.url}/w/demo/_sandbox/open#token=${TOKEN}`);
  await using fork = await world.fork("fork");
  expect(fork.shareLink).toBe(`${sandbox.url}/w/fork/_sandbox/open#token=${TOKEN}`);
  await using closed = await createSandbox({ seed: "empty" });
  expect(closed.shareLink).toBeNull();
});

// Windows cannot connect to 0.0.0.0, which refers to this machine but does not count as local.
test.skipIf(process.platform === "win32")(
  "connect() accepts the share link or the environment's token",
  async () => {
    const { served } = await startShared();
    const url = served.url.replace("127.0.0.1", "0.0.0.0");
    await expect(connect(url)).rejects.toMatchObject({
      code: "forbidden",
      hint: expect.stringContaining("link that the sandbox printed"),
    });
    const link = `${url}/_sandbox/open#token=${TOKEN}`;
    await using linked = await connect(link);
    expect(linked.url).toBe(url);
    expect((await linked.clock.state()).mode).toBe("paused");
    vi.stubEnv("SANDGLASS_TOKEN", TOKEN);
    await using named = await connect(url);
    await using world = await named.open({ name: "mine" });
    expect(world.url).toBe(`${url}/w/mine`);
    await world.clock.advance("1h");
  },
);
