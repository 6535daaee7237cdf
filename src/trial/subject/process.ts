import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { invalidState } from "../../errors/errors.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { unlessThrown } from "../../runtime/unless-thrown.ts";
import { formatDuration } from "../../timeline/duration.ts";
import { wallNow, wallSleep } from "../../world/clock.ts";
import { SECOND } from "../../world/duration.ts";

/** Set in the environment of all processes that a trial starts, so that those that leave the group can be found. */
const VARIABLE = "SANDGLASS_TRIAL";
/** How long processes may take to exit before they are killed. */
const END_MS = 5 * SECOND;
/** How long killed processes may take to disappear. */
const KILL_MS = 5 * SECOND;
const POLL_MS = 5;

const grouped = process.platform !== "win32";
const hasProc = process.platform === "linux";
const owner = `${process.pid}-${wallNow()}`;
let started = 0;

/** A user's shell command, and all processes that it starts. */
export interface TrialProcess {
  readonly child: ChildProcess;
  /** Whether the shell has exited. Processes that it started may still be running. */
  hasEnded(): boolean;
  /** Records its descendants, which may leave its group later. @returns all its running processes */
  look(): readonly number[];
  /**
   * Stops all its processes.
   * @param by the signal to send; processes still running after 5 s are killed
   * @throws SandboxError `invalid_state` if a process cannot be stopped
   */
  end(by: "SIGTERM" | "SIGKILL"): Promise<void>;
  kill(): void;
}

/** A program without a shell. */
export interface Program {
  program: string;
  args: string[];
  /** All its variables. */
  env: Record<string, string>;
  cwd: string;
}

interface Entry {
  pid: number;
  parent: number;
  group: number;
  /** Distinguishes the process from a later one with the same process id. */
  began: string;
}

/** All running commands, for the watcher and for when this process exits. */
const running = new Set<{ kill: () => void; targets: () => string[] }>();
let watcher: ChildProcess | undefined;

/**
 * Starts a shell command or a program. All its processes end with this process, however it ends.
 * @param env a command's variables in addition to those of this process
 * @param readsOutput whether its standard output is read
 * @param leavesWork whether its processes may outlive the shell, such as a server that a reset restarts
 * @param within the wrapper command, with its arguments, that runs the shell or the program, for example in another network
 */
export function startProcess(
  command: string | Program,
  {
    env = {},
    readsOutput,
    leavesWork = false,
    within = [],
  }: {
    env?: Record<string, string>;
    readsOutput: boolean;
    leavesWork?: boolean;
    within?: readonly string[] | undefined;
  },
): TrialProcess {
  started += 1;
  const token = `${owner}-${started}.`;
  const isShell = typeof command === "string";
  const words = isShell ? ["/bin/sh", "-c", command] : [command.program, ...command.args];
  const usesOwnShell = isShell && within.length === 0;
  const [program = "", ...args] = usesOwnShell ? [command] : [...within, ...words];
  const child = spawn(program, args, {
    shell: usesOwnShell,
    stdio: ["ignore", readsOutput ? "pipe" : "ignore", "pipe"],
    detached: grouped,
    cwd: isShell ? undefined : command.cwd,
    env: {
      ...(isShell ? { ...process.env, ...env } : command.env),
      ...(!leavesWork && { [VARIABLE]: [process.env[VARIABLE], token].filter(Boolean).join(" ") }),
    },
  });
  const { pid } = child;
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null || pid === undefined;
  const own = pid === undefined ? undefined : entryOf(pid);
  const seen = new Map(own && [[own.pid, own.began]]);
  const family = (): number[] =>
    pid === undefined || !grouped ? (hasEnded() ? [] : [pid!]) : familyOf(pid, token, seen);

  function signal(name: NodeJS.Signals): void {
    if (pid === undefined) return;
    if (!grouped) {
      if (!hasEnded()) spawnSync("taskkill", ["/pid", String(pid), "/t", "/f"]);
      return;
    }
    for (const target of [-pid, ...family()]) send(target, name);
  }

  const entry = {
    kill: () => signal("SIGKILL"),
    targets: () => [`-${pid}`, ...[...seen.keys()].map(String)],
  };
  if (pid !== undefined) {
    running.add(entry);
    watch();
  }
  const forget = () => {
    if (running.delete(entry)) writeTargets();
  };
  const leave = () => {
    forget();
    child.stdout?.destroy();
    child.stderr!.destroy();
  };
  if (leavesWork) child.once("exit", forget);

  return {
    child,
    hasEnded,
    look() {
      const all = family();
      writeTargets();
      return all;
    },
    async end(by) {
      const began = wallNow();
      const patience = by === "SIGKILL" ? 0 : END_MS;
      signal(by);
      for (let isKilled = by === "SIGKILL"; ; await wallSleep(POLL_MS)) {
        const passed = wallNow() - began;
        // Scanning all processes is slow, so check the known ones first. A group may contain zombies for a while.
        if (passed < (isKilled ? patience + KILL_MS : patience) && livesOneOf(seen)) continue;
        const left = family();
        if (left.length === 0 && hasEnded()) break;
        if (passed > patience + KILL_MS)
          throw invalidState(
            `Processes that ${withoutPasswords(isShell ? command : words.join(" "))} started did not exit within ${formatDuration(KILL_MS)} of being killed: ${left.join(", ")}.`,
            "Check what they are waiting for, such as a disk or a debugger, and stop them yourself.",
          );
        if (passed >= patience || isKilled) {
          signal("SIGKILL");
          isKilled = true;
        }
      }
      leave();
    },
    kill() {
      signal("SIGKILL");
      leave();
    },
  };
}

/**
 * All running processes that a process has started. @param seen the process and its known descendants, by process id
 */
function familyOf(pid: number, token: string, seen: Map<number, string>): number[] {
  const all = new Map(processes().map((one) => [one.pid, one]));
  const isSeen = (number: number): boolean => seen.has(number) && all.get(number)?.began === seen.get(number);
  // Descendants must have started later, so the environments of most processes need not be read.
  const first = Number(seen.get(pid) ?? 0);
  const others = [...all.values()].filter((one) => !isSeen(one.pid) && !(Number(one.began) < first));
  const marked = new Set(others.filter((one) => carries(one.pid, token)));
  for (let grown = true; grown; ) {
    grown = false;
    for (const one of others)
      if (
        !isSeen(one.pid) &&
        (one.pid === pid || one.group === pid || isSeen(one.parent) || marked.has(one))
      ) {
        seen.set(one.pid, one.began);
        grown = true;
      }
  }
  return [...seen.keys()].filter(isSeen);
}

/** @returns whether the process or group exists */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Whether any of these processes is known to be running, without scanning all processes. */
const livesOneOf = (seen: ReadonlyMap<number, string>): boolean =>
  [...seen].some(([pid, began]) => entryOf(pid)?.began === began);

/** The running processes of this machine, except zombies. */
function processes(): Entry[] {
  if (!hasProc) {
    const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,pgid=,state=,lstart="], { encoding: "utf8" });
    return (stdout ?? "").split("\n").flatMap((line) => {
      const [pid, parent, group, state = "Z", ...began] = line.trim().split(/\s+/);
      return state.startsWith("Z")
        ? []
        : [{ pid: Number(pid), parent: Number(parent), group: Number(group), began: began.join(" ") }];
    });
  }
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (entryOf(Number(name)) ?? []) : []));
}

/** Reading whole `/proc` files would allocate 64 kB for each of the machine's processes. */
const STAT = Buffer.alloc(1_024);

/** A running process of this machine; undefined if `/proc` does not show it. */
function entryOf(pid: number): Entry | undefined {
  try {
    const file = openSync(`/proc/${pid}/stat`, "r");
    let stat: string;
    try {
      stat = STAT.toString("latin1", 0, readSync(file, STAT));
    } finally {
      closeSync(file);
    }
    // The program's name may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ", 20);
    if (fields[0] === "Z") return undefined;
    return { pid, parent: Number(fields[1]), group: Number(fields[2]), began: fields[19]! };
  } catch {
    return undefined;
  }
}

/** The process that started a process, or that adopted it; undefined for one that is not running. */
export const parentOf = (pid: number): number | undefined => entryOf(pid)?.parent;

/** False for a process that has exited, or that belongs to another user. */
const carries = (pid: number, token: string): boolean =>
  hasProc && unlessThrown(() => readFileSync(`/proc/${pid}/environ`, "latin1").includes(token)) === true;

/**
 * Reads which processes to kill from the last line of its input. When this process exits, which closes the input, it kills
 * them, and then all processes that have this process's token.
 */
const WATCH = `trap '' HUP INT TERM
while read -r line; do targets=$line; done
for round in 1 2; do
  [ -z "$targets" ] || kill -9 -- $targets 2>/dev/null
  for file in $(grep -lF "$1" /proc/[0-9]*/environ 2>/dev/null); do
    file=\${file#/proc/}; kill -9 "\${file%/environ}" 2>/dev/null
  done
done`;

/** Makes the started processes end with this process, even if it is killed. */
function watch(): void {
  if (grouped && (watcher === undefined || watcher.exitCode !== null)) {
    watcher = spawn("/bin/sh", ["-c", WATCH, "sandglass-watch", `${owner}-`], {
      // In its own group, it survives when this process's group is killed.
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    watcher.on("error", () => undefined);
    watcher.stdin!.on("error", () => undefined);
    watcher.unref();
    (watcher.stdin as unknown as { unref(): void }).unref();
  }
  writeTargets();
  process.off("exit", killAll);
  process.on("exit", killAll);
}

function writeTargets(): void {
  watcher?.stdin?.write(`${[...running].flatMap((one) => one.targets()).join(" ")}\n`);
}

function killAll(): void {
  for (const one of running) one.kill();
}
