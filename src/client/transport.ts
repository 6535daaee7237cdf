import type { ClientRequest, ClientRequestArgs, IncomingMessage } from "node:http";
import { createConnection, type NetConnectOpts } from "node:net";
import { type Hint, hintOfOption, type SandboxError, unreachable } from "../errors/errors.ts";
import { http, loadHttps } from "../runtime/node-http.ts";
import { TOKEN_HEADER } from "../runtime/share-link.ts";
import { isUntrusted, trustedContext, trustRunningSandbox } from "../runtime/trusted.ts";

/** A sandbox's URL, and the token that this machine uses. */
export interface Reached {
  /** The URL without a trailing slash. */
  url: string;
  /** The token, if the sandbox is shared with this machine. */
  token?: string | undefined;
}

/** The header with the token for control API calls. */
export const tokenHeader = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { [TOKEN_HEADER]: token };

export interface SentRequest {
  method: string;
  /** The path below the sandbox's URL. */
  path: string;
  headers?: Record<string, string>;
  payload?: string | Buffer | undefined;
  /**
   * How many milliseconds of silence make the request fail, in real time. By default there is no limit, because an
   * advance may take long.
   */
  within?: number | undefined;
}

export interface SentAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  bytes: Buffer;
}

/** Sends a request to the sandbox. @throws SandboxError `unreachable` */
export type Send = (request: SentRequest) => Promise<SentAnswer>;

/** Sends requests over HTTP, using nothing but Node's own modules. */
export function overHttp(url: string): Send {
  if (url.startsWith("https:")) trustRunningSandbox(url);
  return async (request) => {
    const response = await openRequest(url, request);
    const { statusCode: status = 0, headers } = response;
    return { status, headers, bytes: await readBytes(url, response) };
  };
}

const connectTo = (place: ClientRequestArgs) => createConnection(place as NetConnectOpts);

/** Sends a request, and resolves when the response's headers arrive. @throws SandboxError `unreachable` */
export async function openRequest(
  url: string,
  { method, path, headers = {}, payload, within }: SentRequest,
): Promise<IncomingMessage> {
  const secure = url.startsWith("https:");
  const send = secure ? loadHttps().request : http.request;
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = send(url + path, {
      method,
      // Node's global agent aborts after 5 s of silence, even if the sandbox is still busy. Only TLS needs an agent.
      ...(secure ? { agent: false, ...trustedContext() } : { createConnection: connectTo }),
      ...(within === undefined ? {} : { timeout: within }),
      headers: payload === undefined ? headers : { ...headers, "content-length": Buffer.byteLength(payload) },
    });
    sent.on("response", resolve);
    sent.on("timeout", () => sent.destroy(Object.assign(new Error("Silence"), { code: "ETIMEDOUT" })));
    sent.on("error", (error) => reject(explainFailure(url, error)));
    sent.end(payload);
  });
}

/** Reads the whole body of a response. @throws SandboxError `unreachable` if the body is incomplete */
export function readBytes(url: string, response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    response.on("data", (chunk: Buffer) => void chunks.push(chunk));
    response.on("end", () => resolve(Buffer.concat(chunks)));
    response.on("error", (error) => reject(explainFailure(url, error)));
  });
}

/** The error for a response from another program at the sandbox's URL. */
export function notSandglass(url: string): SandboxError {
  return unreachable(
    `${url} responds, but it is not Sandglass.`,
    byAddress((way) => `Specify the sandbox with ${way}.`),
  );
}

/** A hint that explains how to select a sandbox. */
const byAddress = (words: (way: string) => string): Hint =>
  hintOfOption("--url or SANDGLASS_URL", "connect(url) or SANDGLASS_URL", words);

/** Explains to the caller why the connection failed. */
export function explainFailure(url: string, error: Error & { code?: string }): SandboxError {
  const { code = "" } = error;
  if (code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE")
    return unreachable(
      `${url} closed the connection before it responded.`,
      url.startsWith("http:")
        ? "Check whether the sandbox is still running there, and whether it expects https:// instead."
        : "Check whether the sandbox is still running there.",
    );
  if (code === "ETIMEDOUT")
    return unreachable(
      `${url} does not respond.`,
      byAddress((way) => `Check what is running there, or specify the sandbox with ${way}.`),
    );
  if (isUntrusted(code))
    return unreachable(
      `${url} has a certificate that is not trusted here (${code}).`,
      "Make Node trust it: NODE_EXTRA_CA_CERTS=ca.pem, with the file in the sandbox's https.ca.",
    );
  if (code.startsWith("HPE_") || code === "EPROTO" || code.startsWith("ERR_SSL")) return notSandglass(url);
  const why = code === "ENOTFOUND" || code === "EAI_AGAIN" ? ": its name does not resolve" : "";
  return unreachable(
    `Nothing responds at ${url}${why}.`,
    byAddress(
      (way) => `Start it with: npx sandglass. If it is running at another address, specify it with ${way}.`,
    ),
  );
}
