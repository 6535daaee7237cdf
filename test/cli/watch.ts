import { scenarioText } from "../support/scenarios.ts";
export const plain = (name: string, expected = 2) =>
  scenarioText(name, `    await step("Sums", () => {\n      expect(1 + 1).toBe(${expected});\n    });`);
