import { it } from "vitest";
import { agreeAbout } from "./brute-force.ts";

it("explore finds what a brute force finds in a story of two customers, for 6 drawn handlers", () =>
  agreeAbout("two-customers"));
