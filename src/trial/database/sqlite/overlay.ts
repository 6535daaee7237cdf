import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

/** Shows a server the copy of its database at the database's own path, in a mount namespace used only by the server. */

const [UPPER, WORK] = ["upper", "work"];

/**
 * Mounts an overlay on the database's folder, with a link to the copy as its only file, and runs a command in the
 * current folder. SQLite keeps its log next to the link's target, so this link is the only file at the database's path.
 * Linux does not define the behaviour of two overlays that share an upper folder, so each of several running servers locks its
 * own. A restarted server finds the files that it wrote.
 */
const MOUNT = `folder=$1 name=$2 copy=$3 layers=$4 here=$PWD n=0; shift 4
until n=$((n + 1)) own=$layers/$n; mkdir -p "$own/${UPPER}" "$own/${WORK}" && exec 9>"$own/lock" && flock --nonblock 9; do [ $n -lt 100 ] || exit 1; done
ln -sfn "$copy" "$own/${UPPER}/$name" || exit 1
cd "$folder" && mount -t overlay overlay -o "lowerdir=.,upperdir=$own/${UPPER},workdir=$own/${WORK},userxattr" . && cd "$here" && exec "$@"`;

/**
 * @param file the database's canonical path, which need not exist
 * @param layers a new folder for the files that servers write next to the database
 * @returns the wrapper command, with its arguments, that runs another command with the copy at that path; empty if this
 * system does not support it
 */
export function overlayFor(file: string, copy: string, layers: string): readonly string[] {
  const folder = dirname(file);
  // Only Linux has mount namespaces. These characters separate mount options. Seen through the overlay, a copy inside
  // the folder would be a different file.
  if (process.platform !== "linux" || /[,:\\]/.test(layers) || isWithin(folder, copy)) return [];
  if (mountPoints().some((one) => isWithin(folder, one))) return [];
  mkdirSync(layers, { recursive: true, mode: 0o700 });
  const [uid, gid] = [process.getuid!(), process.getgid!()];
  const mount = ["sh", "-c", MOUNT, "sh", folder, basename(file), copy, layers];
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

/** The kernel leaves behind folders that even their owner cannot read. */
export function removeLayers(layers: string): void {
  for (const own of existsSync(layers) ? readdirSync(layers) : []) {
    const locked = join(layers, own, WORK, "work");
    if (existsSync(locked)) chmodSync(locked, 0o700);
  }
  rmSync(layers, { recursive: true, force: true });
}
