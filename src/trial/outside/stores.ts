import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { misuse } from "../../errors/errors.ts";
import { listenAt } from "../../runtime/listen.ts";
import { http, loadHttps } from "../../runtime/node-http.ts";
import { isObject, readJson } from "../../webhooks/body-text.ts";
import { type Crossings, plainPath } from "./crossing.ts";
import { isOwnHost } from "./hosts.ts";
import { answerHeaders, requestHeaders } from "./passed-headers.ts";

/**
 * Stores behind an HTTP API, such as Supabase's. Each call passes a gate, as a statement does, and then reaches the store.
 */
export interface Stores {
  /** The variables with the stores' addresses, which point to the gates. */
  env: Record<string, string>;
  /** The variables whose addresses the server has not called. */
  uncalled(): string[];
  close(): void;
}

/** How a failing store responds, in PostgREST's format. */
const FAILURES = {
  fail: { status: 500, message: "An internal error occurred." },
  limit: { status: 429, message: "Too many requests." },
};

/** @param names the variables from which a server reads the stores' addresses */
export async function openStores(
  names: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  crossings: Crossings,
): Promise<Stores> {
  const opened = await Promise.all(
    names.map(async (name) => [name, await openStore(addressIn(name, env[name]), crossings)] as const),
  );
  return {
    env: Object.fromEntries(opened.map(([name, { url }]) => [name, url])),
    uncalled: () => opened.flatMap(([name, store]) => (store.isCalled() ? [] : [name])),
    close() {
      for (const [, store] of opened) store.close();
    },
  };
}

/** @throws SandboxError `bad_request` */
function addressIn(name: string, value: string | undefined): URL {
  const url = value !== undefined && URL.canParse(value) ? new URL(value) : undefined;
  if (url && /^https?:$/.test(url.protocol) && isOwnHost(url.hostname)) return url;
  throw misuse(
    value
      ? `subject.gate lists ${name}, whose value is not the address of a store on this machine: ${url?.host ?? value.slice(0, 80)}.`
      : `subject.gate lists ${name}, but that variable is not set in this command's environment.`,
    `Set it to the address of your local store, for example ${name}=http://127.0.0.1:54321`,
  );
}

interface Store {
  url: string;
  isCalled(): boolean;
  close(): void;
}

async function openStore(address: URL, crossings: Crossings): Promise<Store> {
  let isCalled = false;
  const { request: send } = address.protocol === "https:" ? loadHttps() : http;

  async function answer(call: IncomingMessage, response: ServerResponse): Promise<void> {
    isCalled = true;
    const { method = "GET", url = "/" } = call;
    const body = await buffer(call);
    const crossing = crossings.begin(storeCallText(method, url, body), once(response, "close"), "store");
    const how = await crossing.passed;
    const fail = () => void response.destroy();
    if (how === "disconnect") return fail();
    if (how !== "pass") {
      const { status, message } = FAILURES[how];
      await crossing.end(String(status));
      response.writeHead(status, { "content-type": "application/json" });
      return void response.end(JSON.stringify({ code: String(status), message, details: null, hint: null }));
    }
    const headers = { ...requestHeaders(call), host: address.host };
    const inner = send(new URL(url, address.origin), { method, headers }, async (result) => {
      const received = await buffer(result);
      if (!(await crossing.end(String(result.statusCode)))) return fail();
      response.writeHead(result.statusCode!, answerHeaders(result));
      response.end(received);
    });
    inner.once("error", fail).end(body);
  }

  const server = http.createServer((call, response) => {
    response.on("error", () => undefined);
    answer(call, response).catch(() => response.destroy());
  });
  const port = await listenAt(server.unref(), { port: 0, host: "127.0.0.1" });
  return {
    url: `http://127.0.0.1:${port}${address.pathname === "/" ? "" : address.pathname}`,
    isCalled: () => isCalled,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A part of a filter's value that looks like an id. */
const VALUE_ID = /(?<![\w-])(?=[\w-]*\d)[\w-]{8,}/g;
/** Parameters that only affect what a call returns. */
const ANSWER_PARAMETERS = ["select", "columns", "order", "limit", "offset"];

/**
 * The text of a call to a store, such as `PATCH profiles?id=eq.42 {plan}`: its table, its filters and the names of the
 * fields that it writes.
 */
export function storeCallText(method: string, url: string, body: Buffer): string {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const filters = [...searchParams]
    .filter(([name]) => !ANSWER_PARAMETERS.includes(name))
    .map(([name, value]) => `${name}=${value.replace(VALUE_ID, "?")}`);
  const sent = readJson(body.toString("utf8"));
  const [first] = Array.isArray(sent) ? sent : [sent];
  const names = isObject(first) ? ` {${Object.keys(first).join(", ")}}` : "";
  const path = plainPath(pathname).replace(/^\/(?:rest\/v1\/)?/, "");
  return `${method} ${path}${filters.length > 0 ? `?${filters.join("&")}` : ""}${names}`;
}
