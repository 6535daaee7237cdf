import { signal } from "@preact/signals";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../ui/api.ts";
import type { PaymentLink, Status } from "../../ui/api-types.ts";
import { createOrganization } from "../../ui/models/organization.ts";
import { draftOfLink, findLink, readLink, tokensFor } from "../../ui/models/payments/link-choice.ts";
import { TOKENS } from "../../ui/models/payments/money.ts";

describe("a payment link", () => {
  const link = fc.record({
    name: fc.string(),
    description: fc.option(fc.string({ minLength: 1 })),
    amount: fc.option(fc.bigInt({ min: 0n, max: 10n ** 78n - 1n }).map(String)),
    token: fc.oneof(
      fc.constantFrom(...TOKENS),
      fc.constant({ chain_id: 4_242, token_address: `0x${"1".repeat(40)}` }),
    ),
    max_uses: fc.option(fc.integer({ min: 1, max: 1_000 })),
    expires_at: fc.option(fc.constant("2026-02-01T00:00:00.000Z")),
  });

  test("that is shown in a form and saved unchanged is the same link", () => {
    fc.assert(
      fc.property(link, ({ token: { chain_id, token_address }, ...fields }) => {
        const shown = { ...fields, chain_id, token_address } as PaymentLink;
        expect(readLink(draftOfLink(shown), tokensFor(shown))).toEqual(shown);
      }),
    );
  });

  test("is found, whichever organization it is of; what is no 404 is told at once", async () => {
    const asked: string[] = [];
    const api = (status: number) =>
      ({
        link: async (id: string, organization: string) => {
          asked.push(organization);
          if (organization === "b") return { id };
          throw new ApiError(status, { message: `not in ${organization}` });
        },
      }) as never;
    expect(await findLink(api(404), ["a", "b", "c"], "pl_1")).toEqual({
      link: { id: "pl_1" },
      organization: "b",
    });
    await expect(findLink(api(404), ["a", "c"], "pl_1")).rejects.toThrow("not in a");
    await expect(findLink(api(500), ["a", "b"], "pl_1")).rejects.toThrow("not in a");
    expect(asked).toEqual(["a", "b", "a", "c", "a"]);
  });
});

test("another world may lack the organization that was chosen", () => {
  const [a, b] = [
    { id: "a", name: "A" },
    { id: "b", name: "B" },
  ];
  const status = signal({ organization: a, organizations: [a, b] } as unknown as Status);
  const organization = createOrganization(status);
  expect([organization.id.value, organization.asked.value]).toEqual(["a", undefined]);
  organization.choose("b");
  expect([organization.id.value, organization.asked.value, organization.nameOf("b")]).toEqual([
    "b",
    "b",
    "B",
  ]);
  status.value = { organization: a, organizations: [a] } as unknown as Status;
  expect([organization.id.value, organization.asked.value]).toEqual(["a", undefined]);
});
