import { Type } from "typebox";
import { describe, expect, onTestFinished, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { partsOf } from "../../src/cli/operation/acts.ts";
import { operationCommand } from "../../src/cli/operation/command.ts";
import { view } from "../../src/cli/operation/view.ts";
import { CALLS, callsOf } from "../../src/client/calls.ts";
import { DETAILS, detailsOf } from "../../src/client/details.ts";
import { connectTo } from "../../src/client/http.ts";
import { connect } from "../../src/client/index.ts";
import { libraryCalls } from "../../src/client/library-calls.ts";
import type { Bound } from "../../src/control/bound.ts";
import { asSandboxError } from "../../src/control/errors.ts";
import { controlRoutes } from "../../src/control/routes.ts";
import { describeRoutes } from "../../src/http/openapi.ts";
import { createApp, sendSandboxError } from "../../src/http/server.ts";
import { shape } from "../../src/http/shapes.ts";
import type { App } from "../../src/http/types.ts";
import { createSandbox, type SandboxError } from "../../src/index.ts";
import { inputSchema } from "../../src/mcp/input-schema.ts";
import { TOOLS } from "../../src/mcp/server.ts";
import { operationTool } from "../../src/mcp/tool.ts";
import { idOf, partialBody } from "../../src/operations/common.ts";
import { OPERATIONS } from "../../src/operations/index.ts";
import { type Operation, operationsOf } from "../../src/operations/operation.ts";
import { callHttp, callLibrary, type Fields, runCommand } from "../support/surfaces.ts";

type Refusal = { code: string; message: string; param?: string | undefined };

interface BodySchema {
  properties: Record<string, { type?: string; anyOf?: { type?: string }[] }>;
  required?: readonly string[];
}

const bodyOf = ({ body }: Operation) => body as unknown as BodySchema | undefined;

/** Invalid bodies, each with the fields that the error may name: the invalid or the missing field. */
function badBodies(one: Operation): [fields: string[], body: Fields][] {
  const { properties, required = [] } = bodyOf(one) ?? { properties: {} };
  const wrong = Object.entries(properties).flatMap(([field, { type, anyOf = [] }]) => {
    const types = [type, ...anyOf.map((option) => option.type)];
    const value = types.includes("array") ? 7 : [[]];
    return types.every((name) => name === undefined) ? [] : [{ [field]: value }];
  });
  return (bodyOf(one) ? [{ unknown: 1 }, ...wrong] : []).map((body) => [
    [...Object.keys(body), ...required.filter((field) => !(field in body))],
    body,
  ]);
}

const refusalOf = async (call: Promise<unknown>): Promise<Refusal> => {
  const { code, message, param } = (await call.then(
    (answer) => expect.unreachable(`It was not refused: ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  )) as SandboxError;
  return { code, message, param };
};

/** The name that the library uses for a field. */
function ownName({ library }: Operation, field: string): string {
  const options = (library?.takes ?? []).flatMap((form) =>
    typeof form === "object" && "options" in form ? Object.entries(form.options) : [],
  );
  return options.find(([, of]) => of === field)?.[0] ?? field;
}

/** Whether the library's call accepts a field, so that a program without type checks could pass it. */
const takes = ({ route, library }: Operation, field: string): boolean =>
  (library?.takes ?? []).some(
    (form) =>
      form === "*" ||
      (typeof form === "string"
        ? form === field && !route.includes(`:${form}`)
        : "short" in form ||
          ("options" in form && (field === "unknown" || Object.values(form.options).includes(field)))),
  );

test("every interface rejects the same invalid input with the same error code and field", async () => {
  await using inside = await createSandbox({ port: false, seed: "empty" });
  await using server = await createSandbox({ seed: "empty" });
  await using outside = await connect(server.url);
  async function compare(one: Operation, fields: string[], body: Fields): Promise<number> {
    const answer = await callHttp(server.url, one, body);
    const { error } = (await answer.json()) as { error: Refusal };
    const about = `${one.name} ${JSON.stringify(body)}: ${error.message}`;
    const named = error.param?.split(".")[0];
    expect(error.code, about).toBe("bad_request");
    expect(fields, about).toContain(named);
    expect(error.message, about).toContain(error.param);
    if (!takes(one, Object.keys(body)[0]!)) return 0;
    for (const sandbox of [inside, outside]) {
      const { code, param } = await refusalOf(callLibrary(sandbox, one, body));
      expect({ code, named: param?.split(".")[0] }, about).toEqual({
        code: error.code,
        named: ownName(one, named!),
      });
    }
    return 1;
  }
  const compared = (OPERATIONS as readonly Operation[]).map((one) =>
    badBodies(one).map(([fields, body]) => compare(one, fields, body)),
  );
  const counts = await Promise.all(compared.flat());
  expect(counts.filter((count) => count > 0).length).toBeGreaterThan(50);
});

/** Valid arguments, so that the error is about the flag that accompanies them. */
const VALUES: Record<string, string> = {
  endpoint: "last",
  answer: "503",
  area: "platform",
  provider: "indexer",
  state: "error",
  status: "503",
};

test("every command flag rejects the same values as its HTTP field, and the error names the flag", async () => {
  await using sandbox = await createSandbox({ seed: "empty" });
  await sandbox.webhooks.create(sandbox.inbox("shop").url);
  const { url } = sandbox;
  let compared = 0;
  // These two commands read everything and show only a part, so they check the flag themselves.
  const own = ["inbox", "holdings"];
  for (const spec of COMMANDS.filter(({ name }) => !own.includes(name)))
    for (const [action, act] of Object.entries(spec.acts ?? {})) {
      const { args, flags } = partsOf(act);
      for (const { word, option, key, field } of flags) {
        if (!field || !/^(?:integer|number)$/.test(field.type ?? "")) continue;
        const does = [act.does].flat();
        const given = { [key]: -1 };
        const name = act.choose?.(given) ?? does[0]!;
        const { method, path, query } = CALLS[does.find((one) => key in CALLS[one].fields)!];
        const inQuery = query.includes(key) ? `?${new URLSearchParams({ [key]: "-1" })}` : "";
        const answer = await fetch(`${url}/_sandbox${path.replace(/:\w+/g, "x")}${inQuery}`, {
          method,
          ...(inQuery === "" && {
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ ...given, ...(name === "data.setProvider" && { state: "error" }) }),
          }),
        });
        const { error } = (await answer.json()) as { error: Refusal };
        expect(error.param, `${name} ${key}: ${error.message}`).toBe(key);
        const values = args.flatMap(({ word }) => VALUES[word] ?? []);
        const refused = await refusalOf(
          runCommand(spec, action === "" ? values : [action, ...values], { url, [option!]: "-1" }),
        );
        expect(refused, `${spec.name} ${action}`).toEqual({
          code: error.code,
          message: error.message.replace(key, word),
          param: word,
        });
        compared += 1;
      }
    }
  expect(compared).toBeGreaterThan(8);
});

test("registering the same endpoint through every interface creates only one endpoint", async () => {
  await using sandbox = await createSandbox({ seed: "empty" });
  const { url } = sandbox;
  const hook = sandbox.inbox("shop").url;
  const made = await sandbox.webhooks.create(hook);
  const command = COMMANDS.find(({ name }) => name === "webhooks")!;
  const printed = JSON.parse(await runCommand(command, ["create", hook], { url, json: true }));
  const tool = TOOLS.find(({ name }) => name === "create_endpoint")!;
  const toolbox = { sandbox: async () => connectTo({ url }, "command") } as never;
  const returned = await tool.run(toolbox, { url: hook } as never, {} as never);
  const answer = await fetch(`${url}/_sandbox/webhooks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url: hook }),
  });
  for (const found of [printed, returned, await answer.json()])
    expect(found).toMatchObject({ id: made.id, secret: made.secret, created: false });
});

test("every interface can change an endpoint, and omitted fields stay unchanged", async () => {
  await using sandbox = await createSandbox({ seed: "empty" });
  const { url } = sandbox;
  const { id } = await sandbox.webhooks.create({
    ...{ url: "http://127.0.0.1:9/a", events: ["payment.completed"], secret: "whsec_first" },
  });
  await sandbox.webhooks.update(id, { secret: "whsec_second", headers: { "X-Tenant": "acme" } });
  const command = COMMANDS.find(({ name }) => name === "webhooks")!;
  await runCommand(command, ["update", id], { url, to: "http://127.0.0.1:9/c", description: "the shop's" });
  const answer = await fetch(`${url}/_sandbox/webhooks/${id}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url: "localhost:9/b", events: ["*"] }),
  });
  expect(await answer.json()).toMatchObject({
    ...{ id, url: "http://localhost:9/b", events: ["*"], description: "the shop's" },
    ...{ secret: "whsec_second", headers: { "X-Tenant": "acme" } },
  });
  const { changes } = await sandbox.webhooks.timeline(id);
  expect(changes.filter(({ type }) => type === "updated").map(({ reason }) => reason)).toEqual([
    "secret, headers",
    "url, description",
    "url, events",
  ]);
  await expect(sandbox.webhooks.update(id, { url: "" })).rejects.toMatchObject({ param: "url" });
});

test.each(TOOLS.map((tool) => [tool.name, tool] as const))(
  "the tool %s rejects an unknown field with the same message as HTTP",
  (_name, { input }) => {
    const checked = inputSchema(input)["~standard"].validate({ unknwon: 1 });
    expect(JSON.stringify(checked)).toContain("Unknown field: unknwon");
  },
);

describe("declarations of operations", () => {
  const brew = operationsOf("Tea")("tea.brew", "POST /tea/:id/brew", {
    id: "brewTea",
    summary: "Brew a pot of tea",
    params: idOf("a pot"),
    body: partialBody("Brew", {
      minutes: Type.Integer({ minimum: 1, description: "How long; 4 by default." }),
    }),
    answer: shape("Tea", { pot: Type.String(), minutes: Type.Integer() }),
    library: { takes: ["id", "*"] },
  });
  const does: Bound<typeof brew> = {
    "tea.brew": ({ id, minutes = 4 }) => ({ pot: id, minutes }),
  };
  const routes = (app: App) =>
    controlRoutes(app, {
      guard: () => {},
      open: () => ({}) as never,
      serving: () => ({ allowedOrigins: [] }) as never,
      operations: [brew],
      does,
    });

  Object.assign(CALLS, callsOf([brew]));
  Object.assign(DETAILS, detailsOf([brew]));

  test("the compiler rejects an operation whose path and body have a field of the same name", () => {
    const parts = { id: "pourTea", summary: "Pour", params: idOf("a pot"), answer: shape("Cup", {}) };
    const body = partialBody("Pour", { id: Type.String() });
    // @ts-expect-error both path and body have an id
    const pour = operationsOf("Tea")("tea.pour", "POST /tea/:id/pour", { ...parts, body });
    expect(pour.name).toBe("tea.pour");
  });

  test("a declared operation has a path in the OpenAPI document", async () => {
    const { paths } = await describeRoutes(routes, {
      title: "Tea",
      description: "",
      version: "1",
      server: "",
    });
    expect(paths["/tea/{id}/brew"]).toMatchObject({
      post: { operationId: "brewTea", summary: "Brew a pot of tea" },
    });
  });

  const command = operationCommand({
    name: "brew",
    summary: "brew a pot of tea",
    acts: { does: brew.name as never, args: ["<pot>"], flags: ["--minutes <number>"], names: { pot: "id" } },
    json: "the pot",
    examples: [["npx sandglass brew blue", ""]],
    views: async () => ({ views: view(brew.name as never, { lines: ({ pot }: { pot: string }) => [pot] }) }),
  });
  const tool = operationTool({
    name: "brew",
    does: brew.name as never,
    takes: ["pot:id", "minutes"],
    gives: ["pot"] as never[],
  });

  test("a declared operation's descriptions appear in the command's help and the tool's schema", () => {
    expect(command).toMatchObject({
      args: [["<pot>", "the id of a pot"]],
      options: expect.arrayContaining([
        expect.objectContaining({ flags: "--minutes <number>", summary: "how long; 4 by default" }),
      ]),
    });
    expect(tool).toMatchObject({
      title: "Brew a pot of tea",
      effect: "changes",
      input: { properties: { minutes: { minimum: 1 } }, required: ["pot"] },
    });
  });

  test("a declared operation rejects the same input over HTTP and in the library, the command and the tool", async () => {
    const app = createApp([]);
    app.setErrorHandler((error, _request, reply) => sendSandboxError(reply, asSandboxError(error)));
    await app.register(routes as never, { prefix: "/_sandbox" });
    const url = await app.listen({ port: 0 });
    onTestFinished(() => app.close());
    const { tea } = libraryCalls(connectTo({ url }, "library"), callsOf([brew])) as unknown as {
      tea: { brew(id: unknown, options?: object): Promise<unknown> };
    };
    expect(await tea.brew("blue", { minutes: 3 })).toEqual({ pot: "blue", minutes: 3 });
    expect(await refusalOf(tea.brew("blue", { minuts: 3 }))).toEqual({
      code: "bad_request",
      message: "Unknown field: minuts. Did you mean minutes? Valid names: minutes.",
      param: "minuts",
    });
    const toolbox = { sandbox: async () => connectTo({ url }, "command") } as never;
    const useTool = (input: Fields) => tool.run(toolbox, input as never, {} as never);
    expect(await runCommand(command, ["blue"], { url, minutes: "3", json: true })).toBe(
      '{"pot":"blue","minutes":3}\n',
    );
    expect(await useTool({ pot: "blue", minutes: 3 })).toEqual({ pot: "blue" });
    const refusal = (word: string) => ({
      code: "bad_request",
      message: `${word} must be at least 1, not 0.`,
      param: word,
    });
    expect(await refusalOf(tea.brew("blue", { minutes: 0 }))).toEqual(refusal("minutes"));
    expect(await refusalOf(runCommand(command, ["blue"], { url, minutes: "0" }))).toEqual(
      refusal("--minutes"),
    );
    expect(await refusalOf(useTool({ pot: "blue", minutes: 0 }))).toEqual(refusal("minutes"));
    expect(await refusalOf(tea.brew(7))).toMatchObject({
      message: "tea.brew() expects the id of a pot, not 7.",
    });
  });
});
