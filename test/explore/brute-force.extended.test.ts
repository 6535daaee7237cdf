import { it } from "vitest";
import { agreeAbout } from "./brute-force.ts";

it("explore agrees with a brute-force search on a story with two customers, for 6 generated handlers", () =>
  agreeAbout("two-customers"));
