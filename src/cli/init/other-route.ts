import { invalidState } from "../../errors/errors.ts";
import { createRouteProbe, findTakenRoutes } from "../../trial/check/route-probe.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { clearPassing, note, printable } from "../output.ts";
import { answerTo } from "../trial/confirm-database.ts";
import { findHandler } from "./handler.ts";
import { readProject } from "./project.ts";

export interface AtAddress {
  /** The configured URL. */
  url: string;
  sender: FileSender | undefined;
  /** The response timeout in real milliseconds. */
  timeout: number;
  /** The configuration file. */
  file: string | undefined;
}

/**
 * If a server has no route at its configured URL, looks for the right route in the server's sources and asks whether to
 * use it.
 * @param yes accepts without asking
 * @returns the URL of that route; undefined if the configured URL is a route, or no other was found
 * @throws SandboxError `invalid_state` with the URL if the user declines, or there is no terminal to ask on
 */
export async function findOtherRoute(
  { url, sender, timeout, file }: AtAddress,
  yes = false,
): Promise<string | undefined> {
  if (!sender) return undefined;
  const { origin, pathname, search } = new URL(url);
  const probe = createRouteProbe(sender, origin, timeout);
  const { status } = await probe.send(pathname + search, probe.wrong);
  if (status !== 404 && status !== 405) return undefined;
  const senders = findHandler(readProject())?.senders ?? [];
  const own = senders.filter(({ name }) => name.value === sender.name);
  const paths = (own.length > 0 ? own : senders)
    .flatMap(({ routes }) => routes)
    .filter((path) => path !== pathname);
  const [taken] = await findTakenRoutes(probe, paths);
  if (!taken) return undefined;
  const found = `Nothing at ${printable(pathname)}; ${printable(taken.path)} receives ${sender.name}'s events.`;
  const other = new URL(taken.path, url).href;
  const isAsked = !yes && process.stdin.isTTY && process.stderr.isTTY;
  if (isAsked) clearPassing();
  if (!yes && !(isAsked && !/^n/i.test(await answerTo(`${found} Use it? [Y/n] `))))
    throw invalidState(found, `Set subject.url to ${other}, or add --yes to use it.`);
  note(`${isAsked ? "" : `${found}\n`}To keep it, set url: "${other}" in ${file ?? "the configuration"}.`);
  return other;
}
