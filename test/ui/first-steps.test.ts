import { expect, test } from "vitest";
import type { Status } from "../../ui/api-types.ts";
import { firstSteps } from "../../ui/models/first-steps.ts";

const status = (share: Status["share"]) =>
  ({
    url: "https://sandbox.example",
    share,
    bases: { data: "https://sandbox.example/data" },
    keys: { write: "sk" },
  }) as unknown as Status;

const commands = (share: Status["share"]) =>
  firstSteps(status(share), "http://127.0.0.1:4400/w/demo/").map(({ command }) => command);

test("the first steps call the address of the page, which its reader reaches", () => {
  for (const command of commands(null)) {
    expect(command).toContain("http://127.0.0.1:4400/w/demo/");
    expect(command).not.toContain("sandbox.example");
    expect(command).not.toContain("Token");
  }
});

test("the first steps of the control API send the token of a shared sandbox", () => {
  for (const command of commands({ wrong_tokens: 0 }))
    expect(command.includes('-H "X-Sandbox-Token: $SANDGLASS_TOKEN"')).toBe(command.includes("/_sandbox"));
});
