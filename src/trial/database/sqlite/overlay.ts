import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

/** Shows a server the copy of its database at the database's own path, in a mount namespace used only by the server. */

const [UPPER, WORK] = ["upper", "work"];

/**
 * Mounts an overlay on the database's folder, with a link to the copy as its only file, and runs a command in the
 * current folder. SQLite keeps its log next to the link's target, so this link is the only file at the database's path.
 */
const MOUNT = `folder=$1 layers=$2 here=$PWD; shift 2
cd "$folder" && mount -t overlay overlay -o "lowerdir=.,upperdir=$layers/${UPPER},workdir=$layers/${WORK},userxattr" . && cd "$here" && exec "$@"`;

/**
 * @param file the database's canonical path, which need not exist
 * @param layers a new folder for the files that the server writes next to the database
 * @returns the wrapper command, with its arguments, that runs another command with the copy at that path; empty if this
 * system does not support it
 */
export function overlayFor(file: string, copy: string, layers: string): readonly string[] {
  const folder = dirname(file);
  // Only Linux has mount namespaces. These characters separate mount options. Seen through the overlay, a copy inside
  // the folder would be a different file.
  if (process.platform !== "linux" || /[,:\\]/.test(layers) || isWithin(folder, copy)) return [];
  if (mountPoints().some((one) => isWithin(folder, one))) return [];
  for (const name of [UPPER, WORK]) mkdirSync(join(layers, name), { recursive: true, mode: 0o700 });
  symlinkSync(copy, join(layers, UPPER, basename(file)));
  const [uid, gid] = [process.getuid!(), process.getgid!()];
  const mount = ["sh", "-c", MOUNT, "sh", folder, layers];
  const wrapper =
    uid === 0
      ? ["unshare", "--mount", ...mount]
      : [
          ...["unshare", "--user", "--map-root-user", "--mount", ...mount],
          ...["unshare", "--user", `--map-user=${uid}`, `--map-group=${gid}`],
        ];
  const { stdout } = spawnSync(wrapper[0]!, [...wrapper.slice(1), "readlink", file], { encoding: "utf8" });
  if (stdout?.trim() === copy) return wrapper;
  removeLayers(layers);
  return [];
}

/** Whether a path is below a folder. */
const isWithin = (folder: string, path: string): boolean => {
  const below = relative(folder, path);
  return below !== "" && !below.startsWith("..");
};

/** The mount points of all file systems. An overlay of a folder does not show file systems mounted below it. */
const mountPoints = (): string[] =>
  readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) =>
      (line.split(" ")[4] ?? "").replaceAll(/\\([0-7]{3})/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 8)),
      ),
    )
    .filter(Boolean);

/** The kernel leaves behind a folder that even its owner cannot read. */
export function removeLayers(layers: string): void {
  const locked = join(layers, WORK, "work");
  if (existsSync(locked)) chmodSync(locked, 0o700);
  rmSync(layers, { recursive: true, force: true });
}
