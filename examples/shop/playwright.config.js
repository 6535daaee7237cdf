// CHROMIUM names a browser of this machine; without it, Playwright uses its own.
const { CHROMIUM } = process.env;

export default {
  testDir: "test",
  testMatch: "*.spec.js",
  use: CHROMIUM ? { launchOptions: { executablePath: CHROMIUM, args: ["--no-sandbox"] } } : {},
};
