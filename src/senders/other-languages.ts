import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { inflateRawSync } from "node:zlib";
import type { SenderFacts } from "../webhooks/sender-file.ts";

type VersionIn = SenderFacts["versionIn"];

/**
 * The API version declared by a sender's SDK for another language; undefined if the project does not use such an SDK.
 */
export function versionInProject({ versionIn }: SenderFacts, cwd: string): string | undefined {
  const found =
    (versionIn?.go && inGo(versionIn.go, cwd)) ?? (versionIn?.maven && inJar(versionIn.maven, cwd));
  return found && /\d{4}-\d\d-\d\d(?:\.[a-z]+)?/.exec(found)?.[0];
}

/** The text of a file in a Go module, from the project's `vendor` folder or the module cache. */
function inGo({ module, file }: NonNullable<VersionIn["go"]>, cwd: string): string | undefined {
  const manifest = findUp(["go.mod"], cwd);
  const pattern = new RegExp(`(${escaped(module)}(?:/v\\d+)?)\\s+(v\\S+)`);
  const [, path, version] = pattern.exec(manifest?.text ?? "") ?? [];
  if (!manifest || path === undefined) return undefined;
  const { GOMODCACHE, GOPATH = join(homedir(), "go") } = process.env;
  const cache = GOMODCACHE ?? join(GOPATH, "pkg/mod");
  const candidates = [join(manifest.folder, "vendor", path, file), join(cache, `${path}@${version}`, file)];
  const found = candidates.find((one) => existsSync(one));
  return found && readFileSync(found, "utf8");
}

/** Reads a file from an artifact's jar that Maven or Gradle has downloaded. */
function inJar({ artifact, file }: NonNullable<VersionIn["maven"]>, cwd: string): string | undefined {
  const [group = "", name = ""] = artifact.split(":");
  const manifest = findUp(["pom.xml", "build.gradle", "build.gradle.kts"], cwd);
  const [, written] =
    new RegExp(`${escaped(name)}\\D{1,80}?(\\d+(?:\\.\\d+)+)`).exec(manifest?.text ?? "") ?? [];
  if (!manifest?.text.includes(name)) return undefined;
  const maven = join(homedir(), ".m2/repository", ...group.split("."), name);
  const gradle = join(
    process.env.GRADLE_USER_HOME ?? join(homedir(), ".gradle"),
    "caches/modules-2/files-2.1",
    group,
    name,
  );
  const jars = [maven, gradle].flatMap((folder) =>
    foldersIn(folder).flatMap((version) => jarsIn(join(folder, version), `${name}-${version}.jar`)),
  );
  // A version given as a build property is not resolved.
  const chosen = jars.filter((jar) => written === undefined || jar.endsWith(`${name}-${written}.jar`));
  return chosen.length === 1 ? entryOf(readFileSync(chosen[0]!), file) : undefined;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

function findUp(names: readonly string[], cwd: string): { folder: string; text: string } | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const name = names.find((one) => existsSync(join(folder, one)));
    if (name !== undefined) return { folder, text: readFileSync(join(folder, name), "utf8") };
    if (dirname(folder) === folder) return undefined;
  }
}

const foldersIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? one.name : []))
    : [];

/** Finds a jar in a folder or in its subfolders, which Gradle names after hashes. */
const jarsIn = (folder: string, jar: string): string[] =>
  [folder, ...foldersIn(folder).map((inner) => join(folder, inner))]
    .map((one) => join(one, jar))
    .filter((path) => existsSync(path))
    .slice(0, 1);

const DIRECTORY_END = 0x06054b50;
const DIRECTORY_END_BYTES = 22;
const DIRECTORY_ENTRY_BYTES = 46;
const FILE_HEADER_BYTES = 30;
const DEFLATED = 8;

/** A file in a ZIP archive, as text; undefined if it does not exist. */
function entryOf(zip: Buffer, wanted: string): string | undefined {
  let end = zip.length - DIRECTORY_END_BYTES;
  while (end >= 0 && zip.readUInt32LE(end) !== DIRECTORY_END) end -= 1;
  if (end < 0) return undefined;
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field));
    const name = zip.toString("utf8", at + DIRECTORY_ENTRY_BYTES, at + DIRECTORY_ENTRY_BYTES + nameBytes!);
    if (name === wanted) {
      const header = zip.readUInt32LE(at + 42);
      const from = header + FILE_HEADER_BYTES + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
      const data = zip.subarray(from, from + zip.readUInt32LE(at + 20));
      return (zip.readUInt16LE(at + 10) === DEFLATED ? inflateRawSync(data) : data).toString("latin1");
    }
    at += DIRECTORY_ENTRY_BYTES + nameBytes! + extraBytes! + commentBytes!;
  }
  return undefined;
}
