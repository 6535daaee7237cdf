import { expect, test } from "vitest";
import { type ApiError, createTransport } from "../../ui/api.ts";

function answering(status: number, body: unknown) {
  const asked: { url: string; init: RequestInit }[] = [];
  const send = createTransport("http://h/w/mine/", async (url, init) => {
    asked.push({ url: String(url), init: init! });
    return new Response(JSON.stringify(body), { status });
  });
  return { asked, send };
}
const failure = (work: Promise<unknown>) => work.catch((error) => error as ApiError) as Promise<ApiError>;

test("calls of the page stay below the world's prefix, without empty parameters", async () => {
  const { asked, send } = answering(200, { data: [] });
  await send.json("GET", "_sandbox/events", { query: { search: "A&B", order: "", limit: undefined } });
  expect(asked[0]!.url).toBe("http://h/w/mine/_sandbox/events?search=A%26B");
});

test("the page sends a file as it is, and anything else as JSON", async () => {
  const { asked, send } = answering(200, {});
  await send.json("POST", "a", { body: new Blob(["x"]) });
  await send.json("POST", "a", { body: { name: "x" } });
  const types = asked.map(({ init }) => (init.headers as Record<string, string>)["content-type"]);
  expect(types).toEqual(["application/octet-stream", "application/json"]);
  expect(asked[1]!.init.body).toBe('{"name":"x"}');
});

test("an error on the page has the server's own words", async () => {
  const control = { code: "conflict", message: "There is one.", hint: "Choose another." };
  expect(await failure(answering(409, { error: control }).send.json("GET", "a"))).toMatchObject(control);
  expect((await failure(answering(502, "gone").send.json("GET", "a"))).message).toBe(
    "The server answered 502.",
  );
  const lost = createTransport("http://h/", async () => {
    throw new TypeError("refused");
  });
  expect((await failure(lost.json("GET", "a"))).message).toBe("The sandbox does not answer.");
});
