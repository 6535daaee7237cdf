import { join } from "node:path";
import { expect, test } from "vitest";
import { openCommand } from "../../src/cli/start/open-page.ts";

const URL = "http://127.0.0.1:4400";

test.each([
  ["linux", ["/usr/bin/xdg-open", "/opt/bin/chromium"], ["/opt/bin/chromium", `--app=${URL}`]],
  ["linux", ["/usr/bin/xdg-open", "/usr/bin/firefox"], ["xdg-open", URL]],
  [
    "darwin",
    ["/Applications/Microsoft Edge.app"],
    ["open", "-na", "Microsoft Edge", "--args", `--app=${URL}`],
  ],
  ["darwin", ["/Applications/Safari.app"], ["open", URL]],
  [
    "win32",
    [join("C:\\Programs", "Microsoft\\Edge\\Application\\msedge.exe")],
    [join("C:\\Programs", "Microsoft\\Edge\\Application\\msedge.exe"), `--app=${URL}`],
  ],
  ["win32", [], ["cmd", "/c", "start", '""', URL]],
])("start --open on %s with the installed programs %j runs %j", (platform, installed, command) => {
  const env = { PATH: "/usr/bin:/opt/bin", ProgramFiles: "C:\\Programs" };
  expect(openCommand(URL, platform, env, (path) => installed.includes(path))).toEqual(command);
});
