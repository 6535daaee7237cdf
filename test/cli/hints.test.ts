import { beforeAll, describe, expect, it } from "vitest";
import { connect } from "../../src/client/index.ts";
import type { Sandbox } from "../../src/index.ts";
import { createSandbox, SandboxError } from "../../src/index.ts";
import { runCli } from "../support/cli.ts";
import { sharedSandbox } from "../support/shared.ts";

const sandbox = sharedSandbox();
let library: Sandbox;
beforeAll(async () => {
  library = await connect(sandbox.url);
  await sandbox.createLink({ short_code: "coffee" });
});

const HTTP = /\b(?:GET|POST|PUT|DELETE) \//;
const COMMAND = /\bsandglass [a-z]|--[a-z]/;

/** The hint that a failed command prints on the line below the error. */
async function commandHint(args: string[], env: Record<string, string> = { SANDGLASS_URL: sandbox.url }) {
  const { code, stderr } = await runCli(args, { env });
  expect(code).toBe(2);
  return stderr.split("\n")[1]!.trim();
}

async function libraryHint(call: Promise<unknown>): Promise<string> {
  const error = await call.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SandboxError);
  return (error as SandboxError).hint;
}

async function httpHint(method: string, path: string, body?: unknown): Promise<string> {
  return (await sandbox.control(method, path, body)).body.error.hint;
}

describe("hints", () => {
  it.each<{
    what: string;
    command: [args: string[], hint: RegExp];
    library: [call: (sandbox: Sandbox) => Promise<unknown>, hint: RegExp];
    http: [method: string, path: string, body: unknown, hint: RegExp];
  }>([
    {
      what: "a missing link",
      command: [["pay", "nothing-like-it"], /sandglass links$/],
      library: [(it) => it.payments.pay("nothing-like-it"), /platform\.call\("GET", "\/payment-links"\)/],
      http: ["POST", "/payments", { payment_link_id: "nothing-like-it" }, /GET \/api\/v1\/payment-links/],
    },
    {
      what: "a misspelled link",
      command: [["pay", "coffe"], /^Did you mean: npx sandglass pay coffee$/],
      library: [(it) => it.payments.pay("coffe"), /^Did you mean "coffee"\?/],
      http: ["POST", "/payments", { payment_link_id: "coffe" }, /^Did you mean coffee\? GET /],
    },
    {
      what: "a missing session",
      command: [["expire", "cs_gone"], /sandglass sessions --status active/],
      library: [(it) => it.payments.expire("cs_gone"), /payments\.openSession\(link\)/],
      http: ["POST", "/sessions/cs_gone/expire", undefined, /POST \/api\/v1\/checkout-sessions/],
    },
    {
      what: "a missing snapshot",
      command: [["snapshot", "restore", "gone"], /sandglass snapshot save <name>/],
      library: [(it) => it.restore("gone"), /snapshot\(name\)/],
      http: ["POST", "/snapshots/gone/restore", undefined, /POST \/_sandbox\/snapshots/],
    },
    {
      what: "a missing player",
      command: [["token", "--player", "gone"], /sandglass token --player 0x…/],
      library: [(it) => it.game.token({ player: "gone" }), /game\.token\(\{ address \}\)/],
      http: ["POST", "/game/tokens", { player: "gone" }, /GET \/_sandbox\/game\/players/],
    },
    {
      what: "an invalid field",
      command: [["pay", "coffee", "--fail", "tired"], /^See: npx sandglass pay --help$/],
      library: [
        (it) => it.payments.pay("coffee", { failure_reason: "tired" as "rejected" }),
        /call's TypeScript types/,
      ],
      http: [
        "POST",
        "/payments",
        { payment_link_id: "coffee", failure_reason: "tired" },
        /GET \/_sandbox\/openapi\.json/,
      ],
    },
    {
      what: "a time in the past",
      command: [["advance", "--to", "2020-01-01"], /sandglass snapshot restore <name>/],
      library: [(it) => it.clock.advance({ to: "2020-01-01" }), /restore\(snapshot\) or reset\(\)/],
      http: ["POST", "/clock/advance", { to: "2020-01-01" }, /POST \/_sandbox\/reset/],
    },
    {
      what: "a negative duration",
      command: [["advance", "-1h"], /sandglass snapshot restore <name>/],
      library: [(it) => it.clock.advance("-1h"), /restore\(snapshot\) or reset\(\)/],
      http: ["POST", "/clock/advance", { by: -1 }, /POST \/_sandbox\/reset/],
    },
  ])(
    "the CLI, the library and the HTTP API each give their own hint for $what",
    async ({ command, library: called, http }) => {
      const [inCommand, inLibrary, inHttp] = await Promise.all([
        commandHint(command[0]),
        libraryHint(called[0](library)),
        httpHint(http[0], http[1], http[2]),
      ]);
      expect(inCommand).toMatch(command[1]);
      expect(inCommand).not.toMatch(HTTP);
      expect(inLibrary).toMatch(called[1]);
      expect(inLibrary).not.toMatch(HTTP);
      expect(inLibrary).not.toMatch(COMMAND);
      expect(inHttp).toMatch(http[3]);
      expect(inHttp).not.toMatch(COMMAND);
    },
  );

  it("the hint for an ended session says how to continue in the CLI, the library and the HTTP API", async () => {
    const { id } = await library.payments.openSession("coffee");
    await library.payments.expire(id);
    expect(await commandHint(["expire", id])).toMatch(/npx sandglass sessions --status active$/);
    expect(await libraryHint(library.payments.pay(id))).toMatch(/payments\.openSession\(link\)/);
    expect(await httpHint("POST", "/payments", { session_id: id })).toMatch(
      /POST \/api\/v1\/checkout-sessions/,
    );
  });

  it.each<[what: string, call: (sandbox: Sandbox) => Promise<unknown>, hint: RegExp]>([
    ["an endpoint", (it) => it.webhooks.deliveries("wh_nope"), /webhooks\.list\(\) lists/],
    ["a link", (it) => it.payments.link("no pe"), /platform\.call\("GET", "\/payment-links"\) lists/],
    [
      "a delivery",
      async (it) => {
        const { id } = await it.webhooks.create(it.inbox("hints").url);
        await it.webhooks.retry(id, "del_nope");
      },
      /webhooks\.timeline\(id\) and webhooks\.deliveries\(id\)/,
    ],
  ])("the library's hint for a missing item names the call that lists %s", async (_what, call, hint) => {
    expect(await libraryHint(call(library))).toMatch(hint);
  });

  it("the library's hint for an unknown path names the openapi command", async () => {
    expect(await libraryHint(library.platform.call("GET", "/payment-links/%zz?search=%"))).toMatch(
      /npx sandglass openapi platform$/,
    );
  });

  it("the library's hint for a 429 says how to proceed or how to clear the fault", async () => {
    await using limited = await createSandbox({ seed: "empty", payments: { rateLimit: 1 } });
    const list = () => limited.platform.call("GET", "/payment-links");
    await list();
    const hint = await libraryHint(list());
    expect(hint).toContain('clock.advance("1m")');
    expect(hint).toContain('payments: { rateLimit: "off" }');
    await limited.clock.advance("1m");
    await list();
    await limited.faults.set("platform", { status: 429 });
    expect(await libraryHint(list())).toContain('faults.clear("platform")');
  });

  it("the hint says how to specify the sandbox's address if no sandbox responds", async () => {
    const nowhere = "http://127.0.0.1:1";
    expect(await commandHint(["expire", "cs_gone", "--url", nowhere])).toMatch(/--url or SANDGLASS_URL/);
    expect(await libraryHint(connect(nowhere))).toMatch(/connect\(url\) or SANDGLASS_URL/);
  });

  it("a hint refers to the data folder as a flag in the CLI and as an option in the library", async () => {
    const dataDir = "/dev/null/data";
    expect(await commandHint(["--port", "0", "--data-dir", dataDir], {})).toMatch(/--data-dir/);
    const hint = await libraryHint(createSandbox({ dataDir }));
    expect(hint).toMatch(/dataDir/);
    expect(hint).not.toMatch(COMMAND);
  });
});

describe("mistyped command lines", () => {
  it.each<[string[], RegExp, RegExp]>([
    [["restore", "before"], /no command 'restore'/, /^Run: npx sandglass snapshot restore \[name\]$/],
    [["save"], /no command 'save'/, /^Run: npx sandglass snapshot save \[name\]$/],
    [["list"], /no command 'list'/, /^Run: npx sandglass snapshot list$/],
    [["fail", "last"], /no command 'fail'/, /^Run: npx sandglass webhooks fail <endpoint> \[answer\]$/],
    [["advnace", "1h"], /no command 'advnace'/, /^Did you mean: npx sandglass advance$/],
    [["exporle"], /no command 'exporle'/, /^Did you mean: npx sandglass explore$/],
    [["exec"], /argument 'command'/, /^For example: npx sandglass exec -- npm test$/],
    [["run", "package.json"], /no scenario 'package\.json'/, /^A scenario is in a file that ends with \.ts/],
    [
      ["webhooks", "create", "notaurl"],
      /url must be https/,
      /^For example: http:\/\/127\.0\.0\.1:3000\/webhooks$/,
    ],
    [
      ["webhooks", "fail", "last", "abc"],
      /answer must be a status from 200 to 599 or one of timeout/,
      /fail last 503$/,
    ],
    [
      ["webhooks", "retry", "--failed", "--since", "monday"],
      /"monday" is not a duration or a time such as 2026/,
      /./,
    ],
    [["snapshot", "restore", "--file", "none.x"], /Cannot read none\.x: no such file or directory\./, /./],
    [
      ["snapshot", "restor", "before"],
      /snapshot cannot 'restor'/,
      /Did you mean: npx sandglass snapshot restore/,
    ],
    [["advance", "-1h"], /Unknown option '-1h'/, /clock only goes forward/],
    [["advance", "--", "-1h"], /"-1h" is not a duration/, /cannot be negative/],
    [["token", "--expires-in", "-1h"], /"-1h" is not a duration/, /cannot be negative/],
    [["advance", "--util", "idle"], /Unknown option '--util'/, /--until/],
    [
      ["exec", "node", "-e", "0"],
      /Unknown option '-e'/,
      /^Put -- before the command, as in: npx sandglass exec -- npm test$/,
    ],
    [
      ["exec", "--paused", "npm", "test", "--workspaces"],
      /Unknown option '--workspaces'/,
      /^Put -- before the command, as in: npx sandglass exec -- npm test$/,
    ],
    [["exec", "--scenari", "x", "--", "true"], /Unknown option '--scenari'/, /--scenario/],
  ])("the error for the mistyped arguments %s suggests the correct command", async (args, message, hint) => {
    const { code, stderr } = await runCli(args, { env: { SANDGLASS_URL: sandbox.url } });
    const [first, second] = stderr.split("\n");
    expect(code).toBe(2);
    expect(first).toMatch(message);
    expect(second!.trim()).toMatch(hint);
  });
});
