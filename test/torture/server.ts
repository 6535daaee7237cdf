import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { Finding } from "./finding.ts";

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
/** A start that takes longer than this counts as a hang. */
const START_MS = 30_000;

export interface Setting {
  cwd?: string;
  /**
   * The maximum heap size of the server in megabytes. With this limit, a leak makes the server crash, and garbage is
   * collected in time.
   */
  heapMegabytes?: number;
}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** A server under test: the built command line in a separate process. */
export class Server {
  readonly child: ChildProcess;
  /** The URL, set once the server is ready. */
  url = "";
  /** The link of a server that was started with --share. */
  link = "";
  stderr = "";
  /** Resolves when the process has exited, with the reason. */
  readonly ended: Promise<string>;
  /** The reason why the process has exited: a signal or an exit code. */
  #end: string | undefined;
  #peak = 0;

  constructor(args: string[], { cwd = tmpdir(), heapMegabytes }: Setting = {}) {
    const heap = heapMegabytes === undefined ? [] : [`--max-old-space-size=${heapMegabytes}`];
    this.child = spawn(process.execPath, [...heap, CLI, "start", "--json", "--port", "0", ...args], {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(this.child);
    this.child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      if (this.stderr.length < 20_000) this.stderr += text;
    });
    this.ended = new Promise((resolve) =>
      this.child.once("close", (code, signal) => {
        running.delete(this.child);
        this.#end = signal ?? `exit code ${code}`;
        resolve(this.#end);
      }),
    );
  }

  get alive(): boolean {
    return this.#end === undefined;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** @throws Finding if the server exits or prints nothing instead of becoming ready */
  async ready(): Promise<this> {
    const line = await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Finding(`No start within ${START_MS / 1_000} s.`)), START_MS);
      let seen = "";
      this.child.stdout!.setEncoding("utf8").on("data", (text: string) => {
        seen += text;
        if (!seen.includes("\n")) return;
        clearTimeout(timer);
        resolve(seen);
      });
      void this.ended.then((how) => {
        clearTimeout(timer);
        reject(new Finding(`The server did not start (${how}): ${this.stderr.trim()}`));
      });
    });
    const { url, share } = JSON.parse(line) as { url: string; share: { link: string } | null };
    this.url = url;
    this.link = share?.link ?? "";
    return this;
  }

  /** The resident memory in megabytes; 0 if the system does not report it. */
  residentMegabytes(): number {
    try {
      const kilobytes = Number(execFileSync("ps", ["-o", "rss=", "-p", String(this.child.pid)]));
      const megabytes = Math.round(kilobytes / 1_024);
      this.#peak = Math.max(this.#peak, megabytes);
      return megabytes;
    } catch {
      return 0;
    }
  }

  /** The highest value that `residentMegabytes` has returned. */
  get peakMegabytes(): number {
    return this.#peak;
  }

  /** @throws Finding if the server has exited or written to stderr */
  check(): void {
    if (!this.alive)
      throw new Finding(`The server process ended (${this.#end}): ${this.stderr.trim() || "without a word"}`);
    if (this.stderr !== "") throw new Finding(`The server wrote to stderr: ${this.stderr.trim()}`);
  }

  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
  }
}

/** The maximum time from when a process closes its connections until it exits. */
const ENDING_MS = 1_000;

/**
 * Starts a server, runs `work` with it, and stops it.
 * @throws Finding instead of any other error if the server has exited or written to stderr
 */
export async function withServer<T>(
  args: string[],
  work: (server: Server) => Promise<T>,
  setting?: Setting,
): Promise<T> {
  const server = new Server(args, setting);
  try {
    return await work(await server.ready());
  } catch (error) {
    if (error instanceof Finding) throw error;
    await Promise.race([server.ended, new Promise((resolve) => setTimeout(resolve, ENDING_MS))]);
    server.check();
    throw error;
  } finally {
    await server.kill();
  }
}
