import { vi } from "vitest";
import type { COMMANDS } from "../../src/cli/commands.ts";
import type { Sandbox } from "../../src/index.ts";
import type { Operation } from "../../src/operations/operation.ts";

export type Fields = Record<string, unknown>;

/** Calls an operation over HTTP, putting each field where it belongs. */
export async function callHttp(url: string, { route, query }: Operation, input: Fields): Promise<Response> {
  const [method, path] = route.split(" ") as [string, string];
  const left = { ...input };
  const take = (field: string) => {
    const value = left[field];
    delete left[field];
    return value;
  };
  const place = path.replace(/:(\w+)/g, (_, field: string) => encodeURIComponent(`${take(field) ?? "x"}`));
  const asked = Object.keys((query as { properties?: object } | undefined)?.properties ?? {}).flatMap(
    (field): [string, string][] => {
      const value = take(field);
      return value === undefined ? [] : [[field, `${value}`]];
    },
  );
  return fetch(`${url}/_sandbox${place}${asked.length > 0 ? `?${new URLSearchParams(asked)}` : ""}`, {
    method,
    ...(Object.keys(left).length > 0 && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(left),
    }),
  });
}

/**
 * Calls the library as a program would that has these fields of an operation. A missing path field is passed as "x";
 * fields that the library sends with every call are left out.
 */
export function callLibrary(
  sandbox: Sandbox,
  { name, route, library }: Operation,
  input: Fields,
): Promise<unknown> {
  const inPath = (field: string) => route.includes(`:${field}`);
  const isOwn = (field: string) => inPath(field) || Object.hasOwn(library?.always ?? {}, field);
  const body = Object.fromEntries(Object.entries(input).filter(([field]) => !isOwn(field)));
  if (name === "payments.pay") {
    const { payment_link_id: link, ...rest } = body;
    return typeof link === "string" ? sandbox.payments.pay(link, rest) : sandbox.payments.pay("coffee", body);
  }
  if (name.startsWith("inboxes.")) {
    const inbox = sandbox.inbox((input.name as string) ?? "x");
    return name === "inboxes.behave" ? inbox.behave(body) : inbox.messages();
  }
  const values = (library!.takes ?? []).map((form) => {
    if (form === "*") return body;
    if (typeof form === "string") return input[form] ?? (inPath(form) ? "x" : undefined);
    if ("short" in form) return body;
    if ("named" in form) return input[form.named] ?? "x";
    const names = Object.fromEntries(Object.entries(form.options).map(([option, field]) => [field, option]));
    const left = Object.entries(body).filter(([field]) => !library!.takes!.includes(field));
    return Object.fromEntries(left.map(([field, value]) => [names[field] ?? field, value]));
  });
  const call = name.split(".").reduce((at, part) => (at as Fields)[part], sandbox as unknown);
  return (call as (...given: unknown[]) => Promise<unknown>)(...values);
}

/** Runs a command in this process, and resolves with its output. */
export async function runCommand(
  spec: (typeof COMMANDS)[number],
  args: (string | undefined)[],
  options: Fields,
): Promise<string> {
  let printed = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += text;
    return true;
  });
  try {
    const { run } = await spec.load();
    await run({ args, options } as never);
  } finally {
    write.mockRestore();
  }
  return printed;
}
