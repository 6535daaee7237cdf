import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { contentSecurityPolicy, html, linkTarget, page } from "../../src/html/html.ts";
import { type ReferenceDocument, renderReference } from "../../src/html/reference/reference.ts";

const hostile = [
  "<script>alert(1)</script>",
  `" onfocus="alert(1)" x='`,
  "</style></script><img src=x>",
  "x".repeat(10_000),
  "\u202Etxet مرحبا",
  "👩‍🚀",
];

describe("the html template", () => {
  it("the html template escapes values in content and attributes", () => {
    expect(html`<a title="${`"'<&>\``}">${"<b>"}</a>`.markup).toBe(
      '<a title="&quot;&#39;&lt;&amp;&gt;&#96;">&lt;b&gt;</a>',
    );
  });

  it("the html template does not escape twice, joins arrays and renders nothing for null and undefined", () => {
    const items = ["<", ">"].map((item) => html`<li>${item}</li>`);
    expect(html`<ul>${items}</ul>${null}${undefined}${false}${0}${10n}`.markup).toBe(
      "<ul><li>&lt;</li><li>&gt;</li></ul>010",
    );
  });

  it("the html template does not trust objects that only look like its wrapper", () => {
    const fake = JSON.parse('{"markup":"<script>"}');
    expect(html`${fake}`.markup).not.toContain("<script>");
  });

  it.each([
    ["https://a.example/", true],
    ["HTTP://a.example/", true],
    ["/path", true],
    ["#part", true],
    ["//a.example", false],
    ["/\\a.example", false],
    ["javascript:alert(1)", false],
    ["", false],
  ])("linkTarget() returns an address only if it is safe (%s: %s)", (address, linked) => {
    expect(linkTarget(address)).toBe(linked ? address : undefined);
  });
});

describe("HTML pages", () => {
  it("an HTML page is a complete document that loads no other resources", () => {
    const text = page({ title: "<A> & B", body: html`<p>hello</p>`, styles: ".x{}" });
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text).toContain("<title>&lt;A&gt; &amp; B</title>");
    expect(text).toContain(".x{}</style>");
    expect(text).not.toMatch(/<script|\b(?:src|href)="https?:|@import|url\(/);
  });
});

const link = {
  type: "object",
  properties: {
    object: { const: "payment_link" },
    id: { type: "string" },
    amount: { type: ["string", "null"], pattern: "^[0-9]{1,78}$" },
    active: { type: "boolean", default: true },
  },
  required: ["object", "id"],
};

const refused = { content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } };

const document: ReferenceDocument = {
  info: { title: "Payments", version: "1", description: "" },
  servers: [{ url: "http://127.0.0.1:4400/platform/api/v1" }],
  "x-example-key": "sk_write_1",
  security: [{ key: [] }],
  components: {
    schemas: {
      Error: {
        type: "object",
        properties: { code: { type: "string", enum: ["a", "b"] } },
        required: ["code"],
      },
      Tree: {
        type: "object",
        properties: { children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
      },
    },
  },
  paths: {
    "/payment-links": {
      get: {
        operationId: "listPaymentLinks",
        tags: ["Payment links"],
        summary: "List payment links",
        security: [],
        parameters: [
          {
            name: "limit",
            in: "query",
            required: false,
            schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
          },
          {
            name: "type",
            in: "query",
            required: true,
            schema: { anyOf: [{ const: "a b" }, { const: "c" }] },
          },
        ],
        responses: {
          "200": {
            description: "Done",
            content: { "application/json": { schema: { type: "array", items: link } } },
          },
          "400": { description: "Refused", ...refused },
          "429": { description: "Refused", ...refused },
        },
      },
      post: {
        operationId: "createPaymentLink",
        tags: ["Payment links"],
        summary: "Create a payment link",
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: {
                type: "object",
                required: ["name", "amount"],
                properties: {
                  name: { type: "string", minLength: 1, examples: ["Founder's pass"] },
                  amount: { type: "string", pattern: "^[0-9]{1,78}$", examples: ["1000000"] },
                  tree: { $ref: "#/components/schemas/Tree" },
                },
              },
            },
          },
        },
        responses: {
          "201": { description: "Created", content: { "application/json": { schema: link } } },
          "204": { description: "Done" },
        },
      },
    },
  },
};

const reference = (of: ReferenceDocument = document) => renderReference(of, { specUrl: "/openapi.json" });
const curl = (text: string, id: string) =>
  new RegExp(`<code id="curl-${id}">(.*?)</code>`, "s")
    .exec(text)?.[1]
    ?.replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"');

describe("the API reference", () => {
  it("the API reference has an anchor and a link for every operation", () => {
    for (const id of ["listPaymentLinks", "createPaymentLink", "schema-Error", "schema-Tree"]) {
      expect(reference()).toContain(`id="${id}"`);
      expect(reference()).toContain(`href="#${id}"`);
    }
  });

  it("the API reference shows curl commands that a shell accepts unchanged", () => {
    expect(curl(reference(), "createPaymentLink")).toBe(
      [
        "curl -X POST 'http://127.0.0.1:4400/platform/api/v1/payment-links'",
        "-H 'Authorization: Bearer sk_write_1'",
        "-H 'Content-Type: application/json'",
        `-d '{"name":"Founder'\\''s pass","amount":"1000000"}'`,
      ].join(" \\\n  "),
    );
    expect(curl(reference(), "listPaymentLinks")).toBe(
      "curl 'http://127.0.0.1:4400/platform/api/v1/payment-links?type=a%20b'",
    );
  });

  it("the API reference shows types, constraints and required fields", () => {
    const text = reference().replace(/<[^>]*>/g, "");
    expect(text).toContain("integer · ≥ 1 · ≤ 100 · default 20".replace(/· /g, ""));
    expect(text).toContain("&quot;a b&quot; | &quot;c&quot;");
    expect(text).toMatch(/name required\s*string length ≥ 1/);
    expect(text).toContain("string or null ^[0-9]{1,78}$");
  });

  it("the API reference shows every status, groups identical errors and shows a repeated schema once", () => {
    const text = reference();
    for (const status of [200, 201, 204, 400, 429]) expect(text).toContain(`>${status}</span>`);
    expect(text).toMatch(/>400<\/span> Refused, <span class="status s4">429</);
    expect(text.match(/id="schema-payment_link"/g)).toHaveLength(1);
  });

  it.each(hostile)("the API reference escapes hostile text: %.24s", (evil) => {
    const operation = { operationId: evil, summary: evil, description: evil, tags: [evil], responses: {} };
    const info = { title: evil, version: evil, description: evil };
    const text = reference({ ...document, info, paths: { [`/${evil}`]: { get: operation } } });
    expect(text.match(/<script/g)).toHaveLength(1);
    expect(text).not.toMatch(/<img|" onfocus="/);
  });

  it("the API reference stays under 400 KB for 80 operations with their own schemas", () => {
    const paths = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => {
        const { get, post } = document.paths["/payment-links"]!;
        const own = { ...link, properties: { ...link.properties, [`field_${index}`]: { type: "string" } } };
        const done = { description: "Done", content: { "application/json": { schema: own } } };
        const responses = { ...get!.responses, "200": done };
        return [`/r${index}`, { get: { ...get!, responses }, post: { ...post!, responses } }];
      }),
    );
    const size = Buffer.byteLength(reference({ ...document, paths }));
    expect(size).toBeLessThan(400_000);
  });
});

it("the content security policy allows only the pages' own scripts, and forms that post to this server", () => {
  const script = /<script>(.*?)<\/script>/s.exec(reference())?.[1] ?? "";
  const hash = createHash("sha256").update(script).digest("base64");
  expect(contentSecurityPolicy).toContain(`'sha256-${hash}'`);
  expect(contentSecurityPolicy).toContain("default-src 'none'");
  expect(contentSecurityPolicy).toContain("form-action 'self'");
  expect(contentSecurityPolicy).not.toContain("http");
});
