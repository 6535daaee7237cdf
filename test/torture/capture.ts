import { type ChildProcess, spawn } from "node:child_process";
import { hash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { Agent, createServer, type IncomingMessage, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bodyBytes, type CapturedRequest, readCapture } from "../../src/capture/capture-file.ts";
import { Finding } from "./finding.ts";
import { type Bench, type Figures, type Part, withBench } from "./part.ts";

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const SENDERS = 8;
const MOST_BYTES = 1024 ** 2;
/** Requests to one process: the file of a round is read whole. */
const ROUND = 1_000;

export const capture: Part = {
  name: "capture",
  about: "requests of up to 1 MiB through sandglass capture, which is killed in the middle",
  unit: "requests",
  ciCount: 10_000,
  run: (options) => withBench("capture", options, torture),
};

async function torture(bench: Bench): Promise<Figures> {
  const arrived = new Map<string, string>();
  const handler = createServer(async (request, response) => {
    arrived.set(request.url!, hash("sha256", await readAll(request)));
    response.end(arrived.get(request.url!));
  });
  await new Promise<void>((resolve) => handler.listen(0, "127.0.0.1", resolve));
  const target = `127.0.0.1:${(handler.address() as AddressInfo).port}`;
  const totals = { requests: 0, kills: 0, unanswered: 0, bytes: 0 };
  try {
    while (bench.goesOn(totals.requests)) {
      const size = Math.min(ROUND, bench.count - totals.requests);
      await round(bench, target, arrived, size, totals);
      bench.progress(`${totals.requests} requests`);
    }
  } finally {
    handler.closeAllConnections();
    handler.close();
  }
  const { bytes, ...counts } = totals;
  return { ...counts, MiB: Math.round(bytes / 1024 ** 2) };
}

/** So many requests, of which the process is killed after half; another one goes on with its file. */
async function round(
  { chance, folder }: Bench,
  target: string,
  arrived: Map<string, string>,
  size: number,
  totals: { requests: number; kills: number; unanswered: number; bytes: number },
): Promise<void> {
  const file = join(folder, "capture.ndjson");
  const sent = new Map<string, string>();
  const answered = new Set<string>();
  for (const [half, until] of [Math.ceil(size / 2), size].entries()) {
    const { child, url } = await start(target, file);
    const ended = new Promise((resolve) => child.once("close", resolve));
    const agent = new Agent({ keepAlive: true });
    let killed = false;
    await Promise.all(
      Array.from({ length: SENDERS }, async () => {
        while (sent.size < until && !killed) {
          const path = `/${totals.requests + sent.size}`;
          // As many small ones as large ones; each byte can have each value.
          const body = randomBytes(chance, Math.floor(MOST_BYTES ** chance.next()));
          sent.set(path, hash("sha256", body));
          totals.bytes += body.length;
          const answer = await post(agent, url + path, body, chance.maybe(0.5)).catch(() => undefined);
          if (answer === undefined) {
            if (!killed) throw new Finding(`Request ${path} of ${body.length} bytes got no answer.`);
            totals.unanswered += 1;
          } else if (answer !== sent.get(path))
            throw new Finding(`The answer to ${path} is not the handler's.`);
          else answered.add(path);
          if (half === 0 && sent.size >= until - SENDERS && !killed) {
            killed = true;
            totals.kills += 1;
            child.kill("SIGKILL");
          }
        }
      }),
    );
    agent.destroy();
    if (!killed) child.kill("SIGINT");
    await ended;
  }
  compare(readCapture(readFileSync(file, "utf8"), file), sent, answered, arrived);
  rmSync(file);
  arrived.clear();
  totals.requests += sent.size;
}

/** @throws Finding for a request that was answered and has no line, and for every byte that differs */
function compare(
  lines: CapturedRequest[],
  sent: Map<string, string>,
  answered: Set<string>,
  arrived: Map<string, string>,
): void {
  const stored = new Map(lines.map((line) => [line.path, hash("sha256", bodyBytes(line))]));
  if (stored.size !== lines.length) throw new Finding("A request has two lines.");
  for (const [path, digest] of sent) {
    if (answered.has(path) && !stored.has(path))
      throw new Finding(`Request ${path} was answered and has no line.`);
    if ((stored.get(path) ?? digest) !== digest)
      throw new Finding(`The line of request ${path} has other bytes.`);
    if ((arrived.get(path) ?? digest) !== digest)
      throw new Finding(`The handler got other bytes of ${path}.`);
  }
}

async function start(target: string, file: string): Promise<{ child: ChildProcess; url: string }> {
  const args = ["capture", "0", "--forward-to", target, "--out", file, "--json"];
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ["ignore", "pipe", "ignore"] });
  let printed = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.once("close", () => reject(new Finding(`capture did not start: ${printed}`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (printed.includes("\n")) return;
      printed += text;
      if (printed.includes("\n")) resolve(JSON.parse(printed.split("\n")[0]!).url);
    });
  });
  return { child, url };
}

function post(agent: Agent, url: string, body: Buffer, chunked: boolean): Promise<string> {
  const framing = chunked ? { "transfer-encoding": "chunked" } : { "content-length": body.length };
  return new Promise((resolve, reject) => {
    const sending = send(url, { method: "POST", agent, headers: framing });
    sending.on("error", reject).on("response", (answer) => {
      readAll(answer).then((bytes) => resolve(String(bytes)), reject);
    });
    sending.end(body);
  });
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Half of them are text, as bodies of webhooks are. */
function randomBytes(chance: Bench["chance"], length: number): Buffer {
  const start = Buffer.from(Array.from({ length: Math.min(length, 997) }, () => chance.below(256)));
  if (length === 0) return start;
  return chance.maybe(0.5) ? Buffer.alloc(length, start) : Buffer.alloc(length, start.toString("base64"));
}
