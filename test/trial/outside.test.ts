import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { folderOf } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { startOwnService, tryClients, tryOutside } from "./outside.ts";

const hasPython = spawnSync("python3", ["-c", "import requests"]).status === 0;

/** The results of clients that do not use HTTP. */
const REFUSED = {
  "raw-socket": "",
  smtp: expect.stringMatching(/^220 /),
  datagram: expect.stringMatching(/^Error: Sandglass refuses a datagram to datagram\.test:\d+: /),
  "srv-records": expect.stringMatching(
    /^Error: Sandglass refuses the question for the SRV records of srv-records\.test: /,
  ),
};

describe("a started server", () => {
  it("a started server cannot reach external hosts with any Node client, and every call is handled or rejected", async () => {
    const { code, connections, result, text, port } = await tryClients("clients", "NODE");
    expect(connections).toBe(0);
    expect(result).toEqual({
      ...Object.fromEntries(Object.keys(result).map((name) => [name, "{}"])),
      ...REFUSED,
    });
    for (const name of Object.keys(result))
      if (!(name in REFUSED)) expect(text).toContain(`${name}.test:${port}: 1 call, answered with 200 {}`);
    expect(text).not.toContain("smtp.test");
    expect(text).toContain(`raw-socket.test:${port}: 1 connection, refused: only HTTP and mail are handled`);
    expect(text).toContain(`a datagram to datagram.test:${port}: refused once`);
    expect(text).toContain(
      "None of this left the machine. To reach a service, add its host to subject.allow.",
    );
    expect(text).not.toContain("HTTP_PROXY");
    expect(code).toBe(0);
  });

  it.runIf(hasPython)(
    "a started server reaches local services from Node and Python, and preserves its NODE_OPTIONS",
    async () => {
      const own = await startOwnService();
      const { result, text } = await tryOutside({
        run: `
        const { execFileSync } = process.getBuiltinModule("node:child_process");
        const code = "import urllib.request; print(urllib.request.urlopen('${own}').read().decode())";
        give([await (await fetch("${own}")).text(), String(execFileSync("python3", ["-c", code])).trim(), process.env.USERS_OWN]);`,
      });
      expect([result, text]).toEqual([["own", "own", "loaded"], ""]);
    },
  );

  it("a started server actually reaches a host in subject.allow", async () => {
    const { result, text, port, connections } = await tryOutside({
      run: `give(await Promise.all(["api.acme.test", "acme.test"].map(async (host) =>
        (await fetch("http://" + host + ":" + port)).text())));`,
      subject: { allow: ["*.acme.test"] },
      isReachable: true,
    });
    expect([result, connections]).toEqual([["outside", "{}"], 1]);
    expect(text).toContain(`api.acme.test:${port}: 1 connection, allowed`);
    expect(text).toContain(` acme.test:${port}: 1 call, answered with 200 {}`);
  });

  it("explore is inconclusive and names the host if a server fails because of a made-up response", async () => {
    const cwd = folderOf({
      "shop.mjs": `
        import { createServer } from "node:http";
        createServer(async (request, response) => {
          const { id } = await (await fetch("https://api.acme.test/mails", { method: "POST" })).json();
          response.statusCode = id ? 200 : 500;
          if (!id) console.error("TypeError: no id in the answer");
          response.end();
        }).listen(Number(process.env.PORT), "127.0.0.1");`,
    });
    const { code, stderr } = await runWarmCli(
      [
        ...["explore", `http://127.0.0.1:${await portOfItsOwn()}/webhooks`, "--start", "node shop.mjs"],
        ...["--state", "echo {}", "--story", "checkout", "--deviations", "1", "--secret", "whsec_test"],
      ],
      { cwd },
    );
    const text = stderr.replaceAll(/\s+/g, " ");
    expect(code).toBe(3);
    expect(text).toContain("Its calls did not leave the machine: api.acme.test (answered with 200 {}).");
    expect(text).toContain("TypeError: no id in the answer");
  });

  it("the error names the host that a server called before it exited without listening", async () => {
    const start = `node -e "fetch('https://registry.acme.test').then(() => process.exit(1))"`;
    const url = `http://127.0.0.1:${await portOfItsOwn()}/webhooks`;
    const { code, stderr } = await runWarmCli(["check", url, "--start", start, "--secret", "whsec_test"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("registry.acme.test (answered with 200 {})")]);
  });

  it("the report labels calls to telemetry hosts as telemetry", async () => {
    const { text } = await tryOutside({
      run: `await fetch("https://o1.ingest.sentry.io/api/1/envelope/", { method: "POST" });
        await fetch("https://otel.acme.test/v1/traces", { method: "POST" });
        give(null);`,
    });
    expect(text).toContain("o1.ingest.sentry.io: 1 call of telemetry, answered with 200 {}");
    expect(text).toContain("otel.acme.test: 1 call of telemetry, answered with 200 {}");
  });
});
