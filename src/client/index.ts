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
 * Connects to a sandbox that runs elsewhere: in another process, or on another machine that shares it.
 * @param url where it answers, or the link of a shared sandbox; SANDGLASS_URL, else http://127.0.0.1:4400, when left out.
 *   Without a scheme it is http: `localhost:4400`. `…/w/{name}` is a world of it. Without a token in a link, SANDGLASS_TOKEN counts
 * @returns the same surface as `createSandbox`; closing it ends the connection, and the sandbox goes on
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
