import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { type CapturedRequest, openCapture } from "../../capture/capture-file.ts";
import { startProxy } from "../../capture/proxy.ts";
import { createRedaction } from "../../capture/redact.ts";
import { resolveConfig } from "../../config/config.ts";
import { loadConfig } from "../../config/load-config.ts";
import { misuse } from "../../errors/errors.ts";
import { readHttpUrl } from "../../runtime/http-url.ts";
import { instant } from "../../timeline/instant.ts";
import { bytes, count } from "../../timeline/text.ts";
import { wallNow, wallSleep } from "../../world/clock.ts";
import type { Invocation } from "../command.ts";
import { type Cell, columns, fields, note, paint, print, printJson, statusCell, widen } from "../output.ts";
import { readPort } from "../ports.ts";
import { stopRequested } from "../stop.ts";

interface CaptureOptions {
  forwardTo?: string;
  out?: string;
  redact?: string[];
  json?: boolean;
}

const OUT = "capture.ndjson";
const EXAMPLE = "For example: npx sandglass capture 4000 --forward-to localhost:3000/webhooks";
const MISSED = " If the value also appears elsewhere in the request, it is still in the file.";
/** How long the server's shutdown waits for open requests. */
const GOODBYE_MS = 5_000;
/** This width fits most requests, so lines stay aligned. */
const REQUEST_WIDTH = 30;
const SIZE_WIDTH = "12.3 KiB".length;

/** `sandglass capture`: records a real sender's requests and forwards them to a server. */
export async function run({ args: [text], options }: Invocation<CaptureOptions>): Promise<number> {
  const { out = OUT, json = false } = options;
  if (options.forwardTo === undefined)
    throw misuse("capture needs --forward-to: your server's webhook URL.", EXAMPLE);
  const target = readHttpUrl(options.forwardTo, "--forward-to");
  if (target.startsWith("https:")) await trustConfigured();
  const redaction = createRedaction(options.redact ?? []);
  const port = readPort("The first argument", text, EXAMPLE, 0);
  const stopped = stopRequested({ orOutputEnds: true });
  const isNew = !existsSync(dirname(out));
  const file = openCapture(out);
  if (isNew) note(`Created the folder ${dirname(out)}.`);
  let [passed, stored] = [0, 0];

  function take(request: CapturedRequest): void {
    passed += 1;
    const { request: line, missed } = redaction.redact(request);
    file.add(line);
    stored += 1;
    if (json) printJson(line);
    else print(lineOf(request));
    if (line.body === "" && request.body !== "")
      note("Stored without its body, which --redact cannot search: it is neither JSON nor a form.");
    for (const place of missed) note(`--redact ${place}: this request contains nothing there.${MISSED}`);
  }

  const proxy = await startProxy({ port, target, took: take, refused: note });
  if (json) printJson({ type: "capturing", url: proxy.url, forward_to: target, out });
  else
    for (const line of fields([
      ["listens", proxy.url],
      ["forwards", `to ${target}`],
      ["writes", out],
    ]))
      print(line);
  await stopped;
  await Promise.race([proxy.close(), wallSleep(GOODBYE_MS)]);
  file.close();
  note(`${count(stored, "request")} in ${out}.`);
  if (passed > stored) note(`${count(passed - stored, "request")} could not be stored and got 507.`);
  for (const { place, requests } of redaction.found())
    note(`Redacted ${place}: ${requests} of ${stored}.${requests === 0 ? MISSED : ""}`);
  return 0;
}

/**
 * Trusts the certificates in the configured `https.ca`. The configuration may be code, so it is read only for an https
 * server.
 */
async function trustConfigured(): Promise<void> {
  const { config, file } = await loadConfig();
  resolveConfig(config, wallNow(), file);
}

function lineOf({ time, method, path, body, base64, status, error = "" }: CapturedRequest): string {
  const size = bytes(Buffer.byteLength(body, base64 ? "base64" : "utf8"));
  const cells: Cell[] = [
    { text: instant(time), color: paint.dim },
    widen(`${method} ${path}`, REQUEST_WIDTH),
    { text: size.padStart(SIZE_WIDTH), color: paint.dim },
    status === null ? "" : statusCell(status),
    { text: error, color: paint.red },
  ];
  return columns([cells])[0]!;
}
