import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SandboxError } from "../../errors/errors.ts";
import type { PlatformError } from "../../payments/errors.ts";
import { http } from "../../runtime/node-http.ts";

/** What can happen to a call that a subscriber makes while it handles an event: it is refused, or answered late. */
export type ApiDisturbance = PlatformError | "slow";

/** The platform's API as a subscriber calls it: at one address, whichever story is played. */
export interface StoryApi {
  url: string;
  /** How many calls there have been. */
  readonly calls: number;
  /** Leads calls to the world behind a socket from now on; without one, to the first one that it led to. */
  leadTo(socketPath?: string): void;
  /** What an inbox of that world got after a message. @throws SandboxError `invalid_state` if there is no such world */
  messages(inbox: string, after: number): Promise<{ seq: number; body: string }[]>;
  /** What happens to the next call. */
  disturb(by: ApiDisturbance | undefined): void;
  /** Resolves once a slow call has its answer, which waits for its release. */
  held(): Promise<void>;
  release(): void;
  close(): void | Promise<void>;
}

/**
 * Serves the API of the story that is played.
 * @param port 0 for any
 * @throws SandboxError `invalid_state` if the port is taken
 */
export async function openApi(port: number): Promise<StoryApi> {
  let calls = 0;
  let socketPath: string | undefined;
  let first: string | undefined;
  let next: ApiDisturbance | undefined;
  let held = makeGate();
  let free = makeGate();

  function answer(call: IncomingMessage, response: ServerResponse): void {
    calls += 1;
    const disturbance = next;
    next = undefined;
    if (disturbance !== undefined && disturbance !== "slow") {
      const { status, headers } = disturbance;
      response.writeHead(status, { "content-type": "application/json", ...headers });
      return void response.end(JSON.stringify(disturbance.body()));
    }
    const fail = () => response.destroy();
    const { method, url, headers } = call;
    const inner = http.request({ socketPath, method, path: url, headers }, async (result) => {
      // What it answers is how things are now.
      const chunks: Buffer[] = [];
      for await (const chunk of result) chunks.push(chunk);
      if (disturbance === "slow") {
        held.open();
        await free.opened;
      }
      response.writeHead(result.statusCode!, result.rawHeaders);
      response.end(Buffer.concat(chunks));
    });
    inner.once("error", fail);
    call.pipe(inner);
  }

  const server = http.createServer((call, response) => {
    if (socketPath === undefined) response.destroy();
    else answer(call, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new SandboxError(
          "invalid_state",
          `The platform's API cannot be served at port ${port}: ${error.message}.`,
          "Name a free port: subject.apiPort, or apiPort of the library.",
        ),
      ),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get calls() {
      return calls;
    },
    leadTo(path) {
      first ??= path;
      socketPath = path ?? first;
    },
    messages: (inbox, after) => readInbox(socketPath, inbox, after),
    disturb(by) {
      next = by;
      if (by === "slow") [held, free] = [makeGate(), makeGate()];
    },
    held: () => held.opened,
    release: () => free.open(),
    close() {
      free.open();
      server.closeAllConnections();
      server.close();
    },
  };
}

async function readInbox(
  socketPath: string | undefined,
  inbox: string,
  after: number,
): Promise<{ seq: number; body: string }[]> {
  const path = `/_sandbox/inbox/${encodeURIComponent(inbox)}?after=${after}`;
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    http
      .get({ socketPath, path, headers: { host: "127.0.0.1" } }, async (answer) => {
        let text = "";
        for await (const chunk of answer.setEncoding("utf8")) text += chunk;
        resolve({ status: answer.statusCode!, text });
      })
      .once("error", reject);
  }).catch((error: Error) => ({ status: 0, text: error.message }));
  if (status !== 200)
    throw new SandboxError(
      "invalid_state",
      `The inbox ${inbox} cannot be read: ${text}.`,
      "For example --state inbox:mails",
    );
  return (JSON.parse(text) as { data: { seq: number; body: string }[] }).data;
}

function makeGate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
