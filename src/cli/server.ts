import { type Client, connectTo, DEFAULT_URL, type Status } from "../client/http.ts";
import { SandboxError } from "../errors.ts";

/** The running sandbox to talk to: `--url`, else SANDGLASS_URL, else the default address. */
export function chosenSandbox(option: string | undefined): Client {
  const [given, source] =
    option !== undefined
      ? [option, "--url"]
      : process.env.SANDGLASS_URL
        ? [process.env.SANDGLASS_URL, "SANDGLASS_URL"]
        : [DEFAULT_URL, ""];
  return connectTo(readHttpUrl(given, source).replace(/\/+$/, ""), "command");
}

const PROBE_MS = 1_000;

/** What the sandbox there says of itself; undefined when something else, or nothing, answers. */
export function sandboxAt(url: string): Promise<Status | undefined> {
  return connectTo(url, "command")
    .status(PROBE_MS)
    .catch(() => undefined);
}

/**
 * An http or https address; one without a scheme, such as localhost:3000, is taken as http.
 * @throws SandboxError `bad_request`
 */
export function readHttpUrl(text: string, source: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new SandboxError(
    "bad_request",
    `${source} must be an http address, not '${text}'.`,
    "Write it like http://127.0.0.1:3000 or localhost:3000.",
  );
}
