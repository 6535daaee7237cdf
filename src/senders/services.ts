import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { inPackage } from "../runtime/package.ts";
import { readRegularFile } from "../runtime/regular-file.ts";
import { check } from "../schema/check.ts";
import { createMistakes } from "../schema/mistakes.ts";
import { parseFile } from "../schema/parse-file.ts";
import { API_FILE, type ApiObjects, type SenderApi } from "../webhooks/sender-api.ts";
import type { DescribedApi } from "./api/memory.ts";
import { readApi } from "./api/read.ts";
import { MOST_BYTES } from "./bodies.ts";
import { readSender, shippedSenders } from "./files.ts";

/**
 * The services that a handler calls: those described by a project's files, the packaged ones, and the APIs of packaged
 * senders.
 */

/** The folder of a project's own service files. It is found in the same way as the scenarios' folder. */
export const SERVICES_FOLDER = "services";
const SHIPPED = inPackage("fixtures/services/");
const SENDERS = inPackage("fixtures/senders/");
const ENDINGS = [".yaml", ".yml", ".json"];
/** Lines that contain a service's host names. They are found without parsing the YAML. */
const HOST_LINES = /^ *(?:base: https?:|hosts: ).*$/gm;
const HOST_NAMES = /(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}/g;
/** A service's file contains an `api`. A project may have unrelated files in a folder of the same name. */
const HAS_API = /^\s*"?api"?\s*:/m;

/** Reads the services in a project's folder. @throws SandboxError `invalid_config` with the file and each mistake */
export async function readOwnServices(cwd = process.cwd()): Promise<DescribedApi[]> {
  const folder = join(cwd, SERVICES_FOLDER);
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => ENDINGS.includes(extname(file)));
  const read = await Promise.all(
    files.map((file) => readService(join(folder, file), `${SERVICES_FOLDER}/${file}`)),
  );
  return read.filter((service) => service !== undefined);
}

export async function readShippedService(host: string): Promise<DescribedApi | undefined> {
  const name = host.split(".").slice(-2).join(".");
  // Search the file's text first: this takes a thousandth of the time it takes to parse YAML.
  const mentions = (file: string) => existsSync(file) && readFileSync(file, "utf8").includes(name);
  for (const file of readdirSync(SHIPPED)) {
    if (!mentions(SHIPPED + file)) continue;
    const service = await readService(SHIPPED + file, file);
    if (service && hasHost(service.api, host)) return service;
  }
  for (const sender of shippedSenders()) {
    if (![`${SENDERS}${sender}.yaml`, `${SENDERS}${sender}/api.yaml`].some(mentions)) continue;
    const { facts, example } = await readSender(sender);
    const { api, objects = {} } = facts;
    if (api && hasHost(api, host)) return { name: sender, api, objects, example };
  }
  return undefined;
}

export async function serviceHosts(): Promise<string[]> {
  const own = (await readOwnServices()).flatMap(({ api }) => [new URL(api.base).hostname, ...api.hosts]);
  const files = [
    ...readdirSync(SHIPPED).map((file) => SHIPPED + file),
    ...shippedSenders().flatMap((sender) => [`${SENDERS}${sender}.yaml`, `${SENDERS}${sender}/api.yaml`]),
  ];
  const lines = files
    .filter(existsSync)
    .flatMap((file) => readFileSync(file, "utf8").match(HOST_LINES) ?? []);
  return [...new Set([...own, ...lines.flatMap((line) => line.match(HOST_NAMES) ?? [])])];
}

export const hasHost = ({ base, hosts }: SenderApi, host: string): boolean =>
  [new URL(base).hostname, ...hosts].some((one) =>
    one.startsWith("*.") ? host.endsWith(one.slice(1)) : one === host,
  );

async function readService(path: string, name: string): Promise<DescribedApi | undefined> {
  const bytes = readRegularFile(path, name, MOST_BYTES, "invalid_config");
  if (!HAS_API.test(bytes.toString())) return undefined;
  const content = await parseFile({ name, bytes }, "invalid_config");
  const mistakes = createMistakes(name);
  const written = check(API_FILE, content, mistakes) as { api: SenderApi; objects?: ApiObjects };
  const read = mistakes.count() === 0 ? await readApi(written, path, [], mistakes) : undefined;
  mistakes.refuse();
  const { api, objects = {} } = read!;
  return { name: basename(path, extname(path)), api: api!, objects, example: () => "{}" };
}
