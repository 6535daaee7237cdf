import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { rawCall } from "../../support/raw-http.ts";
import { call, download, must } from "../api.ts";
import type { Chance } from "../chance.ts";
import { Finding } from "../finding.ts";
import type { Bench, Figures } from "../part.ts";
import { withServer } from "../server.ts";

/** There is one attack for every this many requests. */
const REQUESTS_AN_ATTACK = 100;

/**
 * The things that an attack works with: a shared sandbox, and a service on the same machine that no guest may reach.
 */
interface Target {
  url: string;
  port: string;
  token: string;
  /** The port on which the service listens. */
  service: string;
}

type Attack = (target: Target, chance: Chance) => Promise<string | undefined>;

const LOOPBACK = [
  "127.0.0.1",
  "localhost",
  "LocalHost",
  "x.localhost",
  "a.b.localhost",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0177.0.0.1",
  "127.0.0.1.",
];
const WORLDS = ["", "/w/default"];
const CONTROL = [
  "/_sandbox/share/cookie",
  "/_sandbox/clock/resume",
  "/_sandbox/reset",
  "/_sandbox/platform/webhooks",
  "/_sandbox/inbox/../share/cookie",
  "/_sandbox/inbox/%2e%2e/share/cookie",
  "/_sandbox/inbox%2f../share/cookie",
  "/platform/api/v1/payment-links",
  "/game/launcher/channel-status",
];
const AREAS = [
  "/platform/api/v1/webhooks",
  "/data/insights/v1/tokens/lookup?symbol=USDC",
  "/game/activities",
];
/** Host names by which other machines call a proxy on this machine. */
const ELSEWHERE = ["sandbox.test", "sandglass", "192.168.1.20:4400", "box.internal"];
const ORIGINS = [
  "https://evil.example",
  "null",
  "http://127.0.0.1.evil.example",
  "http://10.0.0.7",
  "file://",
  "",
];
const TYPES = ["application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"];

async function send(
  { url }: Target,
  method: string,
  path: string,
  headers: Record<string, string | string[]>,
  body?: object,
) {
  const text = body === undefined ? "" : JSON.stringify(body);
  const usual = {
    authorization: "Bearer sk_sandbox_write",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
  };
  return rawCall(url, method, path, { ...usual, ...headers } as Record<string, string>, text);
}

/**
 * Registers an endpoint and sends a test to it.
 * @returns the only delivery; undefined if the endpoint was rejected
 */
async function deliver(target: Target, url: string, headers: Record<string, string> = {}) {
  const created = await send(target, "POST", "/platform/api/v1/webhooks", headers, { url });
  if (created.status !== 201) return undefined;
  const { id } = JSON.parse(created.text);
  await send(target, "POST", `/platform/api/v1/webhooks/${id}/test`, headers);
  return (await must(target.url, "GET", `/platform/api/v1/webhooks/${id}/deliveries`)).data[0];
}

const ATTACKS: Record<string, Attack> = {
  async "a delivery to the sandbox itself"(target, chance) {
    const url = `http://${chance.pick(LOOPBACK)}:${target.port}${chance.pick(WORLDS)}${chance.pick(CONTROL)}`;
    const delivery = await deliver(target, url);
    if (!delivery) return undefined;
    if (delivery.status === "success") return `${url} took a delivery`;
    if (/set-cookie/i.test(JSON.stringify(delivery.response_headers))) return `${url} answered with a cookie`;
    const { mode } = await must(target.url, "GET", "/_sandbox/clock");
    return mode === "paused" ? undefined : `${url} moved the clock`;
  },
  async "a guest's endpoint at a service"(target, chance) {
    const host = chance.pick(ELSEWHERE);
    const url = `${chance.pick(["http", "https"])}://${chance.pick(LOOPBACK)}:${target.service}/admin`;
    const delivery = await deliver(target, url, { host });
    return delivery && `${host} had ${url} called`;
  },
  async "a page of another site"(target, chance) {
    const path = chance.pick(WORLDS) + chance.pick(["/platform/api/v1/webhooks", "/platform/checkout/cs_x"]);
    const headers = { origin: chance.pick(ORIGINS), "content-type": chance.pick(TYPES) };
    const method = chance.pick(["GET", "POST", "OPTIONS", "DELETE"]);
    const { status } = await send(target, method, path, headers, { url: "http://127.0.0.1:9/" });
    return status === 403 ? undefined : `${method} ${path} from '${headers.origin}' answered ${status}`;
  },
  async "a website's host name"(target, chance) {
    const name = `${chance.pick(LOOPBACK).replace(/\.$/, "")}.evil${chance.below(1_000)}.example`;
    const host = chance.pick([name, `${name}.`, name.toUpperCase(), `${name}:${target.port}`]);
    const path = chance.pick(WORLDS) + chance.pick(AREAS);
    const { status } = await send(target, "GET", path, { host });
    return status === 403 ? undefined : `${path} answered ${host} with ${status}`;
  },
  async "the token in an odd place"(target, chance) {
    const { token } = target;
    const basic = `Basic ${Buffer.from(`me:${token}`).toString("base64")}`;
    const name = chance.pick([
      "x-sandbox-token",
      "proxy-authorization",
      "cookie",
      "x-api-key",
      "x-other",
      "referer",
    ]);
    const value = chance.pick([
      token,
      `Bearer ${token}`,
      `token=${token}`,
      basic,
      [token, token],
      `a, ${token}`,
    ]);
    const odd =
      name === "x-sandbox-token" ? chance.pick([token, [token, token], `${token}, ${token}`]) : value;
    const query = chance.pick(["", `?token=${token}`, `?a=${token}&token=${token}`]);
    const proof = chance.pick<Record<string, string>>([
      {},
      { host: "sandbox.test", "x-sandbox-token": token },
    ]);
    const path = chance.pick(["/_sandbox/inbox/shop", "/platform/api/v1/payment-links", "/game/launcher/x"]);
    // An inbox stores headers unchanged, so a base64 value that contains the token may only be sent in headers that the
    // sandbox knows.
    if (odd === basic && name !== "proxy-authorization") return undefined;
    await send(target, "POST", path + query, { ...proof, [name]: odd }, {});
    return undefined;
  },
  async "a file that a token holder names"(target, chance) {
    const headers = { host: chance.pick(ELSEWHERE), "x-sandbox-token": target.token };
    const from = chance.pick(["./package.json", "/etc/hosts", "../x", "./fx/", "C:\\x"]);
    const { status } = await send(target, "POST", "/_sandbox/worlds", headers, { from });
    return status === 403 ? undefined : `from '${from}' answered ${status}`;
  },
  async "guesses beside the right token"(target, chance) {
    // Each guess takes a second, so do this only rarely.
    if (chance.maybe(0.9)) return undefined;
    const status = (token: string) =>
      send(target, "GET", "/_sandbox/status", { host: "sandbox.test", "x-sandbox-token": token });
    const guesses = Array.from({ length: 6 }, () => status(`wrong-${chance.below(1_000_000)}`));
    const right = await status(target.token);
    const wrong = await Promise.all(guesses);
    if (right.status !== 200) return `the right token answered ${right.status}`;
    return wrong.some((answer) => answer.status !== 403) ? "a guess was let in" : undefined;
  },
};

/** The places where the token could have been stored. */
async function placesOfToken({ url, token }: Target): Promise<string[]> {
  const { name } = await must(url, "POST", "/_sandbox/snapshots", {});
  const texts = await Promise.all(
    ["/inbox/shop?limit=1000", "/requests?limit=500", "/events?limit=10000", "/webhooks"].map(
      async (path) => [path, JSON.stringify((await call(url, "GET", `/_sandbox${path}`)).body)] as const,
    ),
  );
  const snapshot = Buffer.from(await download(url, name)).toString("latin1");
  return [...texts, ["a snapshot", snapshot] as const]
    .filter(([, text]) => text.includes(token))
    .map(([place]) => place);
}

/**
 * Attacks a shared sandbox from its own machine, as a page, as a guest, and as someone who has the token.
 * @throws Finding for anything that SECURITY.md rules out
 */
export async function attack({ chance: whole, count, seed }: Bench): Promise<Figures> {
  const chance = whole.fork("attacks");
  const attacks = Math.ceil(count / REQUESTS_AN_ATTACK);
  let calls = 0;
  const service = createServer((_request, response) => {
    calls += 1;
    response.end();
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const flags = ["--share", "--host", "127.0.0.1", "--seed", "empty", "--paused", "--rate-limit", "off"];
  try {
    return await withServer(flags, async (server) => {
      const { url, port, link } = server;
      const target = {
        ...{ url, port: String(port), token: link.split("#token=")[1]! },
        service: String((service.address() as AddressInfo).port),
      };
      for (let number = 0; number < attacks; number += 1) {
        const [name, run] = chance.pick(Object.entries(ATTACKS));
        const problem = await run(target, chance);
        const reached = calls > 0 ? "a service of the machine was called" : undefined;
        if (problem ?? reached)
          throw new Finding(`${name}: ${problem ?? reached}`, [`attack ${number} of seed ${seed}`]);
        server.check();
      }
      const places = await placesOfToken(target);
      if (places.length > 0) throw new Finding(`The token is stored in ${places.join(", ")}.`);
      return { attacks };
    });
  } finally {
    service.close();
  }
}
