import "../runtime/require-recent-node.ts";
import { misuse } from "../errors/errors.ts";
import { shownValue } from "../errors/shown.ts";
import type { RemoteSandbox, Sandbox, WorldOptions } from "../library/index.ts";
import { readHttpUrl } from "../runtime/http-url.ts";
import { readAddress } from "../runtime/share-link.ts";
import { DEFAULT_URL } from "./http.ts";
import { openRemote } from "./sandbox.ts";
import { untouchedHttp } from "./untouched-http.ts";

export type { RemoteSandbox, Sandbox, WorldOptions };

/**
 * Connects to a sandbox that runs in another process, or on another machine that shares it.
 * @param url the sandbox's URL, or the link of a shared sandbox. Default: SANDGLASS_URL, or else http://127.0.0.1:4400.
 * Without a scheme, as in `localhost:4400`, http is used. To connect to one of its worlds, append `/w/{name}`. If the
 * link has no token, SANDGLASS_TOKEN is used
 * @returns the same object as `createSandbox`; closing it ends the connection, but the sandbox keeps running
 * @throws SandboxError `unreachable`, `bad_request`
 * @example
 * await using sandbox = await connect("http://127.0.0.1:4400");
 * await sandbox.clock.advance("1h");
 */
export async function connect(url?: string): Promise<Sandbox> {
  if (url !== undefined && typeof url !== "string")
    throw misuse(
      `connect() expects the URL of a sandbox, not ${shownValue(url)}.`,
      `For example: connect("${DEFAULT_URL}"), the default.`,
    );
  const address = readAddress(
    url === undefined
      ? readHttpUrl(process.env.SANDGLASS_URL || DEFAULT_URL, "SANDGLASS_URL")
      : readHttpUrl(url, "The address for connect()"),
  );
  const http = await untouchedHttp(address.url);
  try {
    return await openRemote({ ...address, send: http.send, close: http.close });
  } catch (error) {
    await http.close();
    throw error;
  }
}
