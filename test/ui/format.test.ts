import { describe, expect, test } from "vitest";
import { createKeys, type KeyPress } from "../../ui/keys.ts";
import { brief, bytes, clip, count, relative, senderTitle, stamp, timeText } from "../../ui/models/format.ts";
import { href, readRoute } from "../../ui/models/router.ts";

const at = (text: string) => Date.parse(text);

test("the page shows the shortest unambiguous form of a time", () => {
  const now = at("2026-01-15T09:00:00Z");
  expect(brief(at("2026-01-15T23:59:59Z"), now)).toBe("23:59:59");
  expect(brief(at("2026-01-14T23:59:59Z"), now)).toBe("14 Jan 23:59:59");
  expect(brief(at("2025-12-31T01:02:03Z"), now)).toBe("31 Dec 2025 01:02:03");
  expect(stamp(now)).toBe("2026-01-15 09:00:00");
  expect(timeText(now)).toBe("09:00:00");
  expect([relative(now + 48_000, now), relative(now - 60_000, now), relative(now + 400, now)]).toEqual([
    "in 48 s",
    "1 min ago",
    "now",
  ]);
});

test("the page spells each sender's name as the sender does", () => {
  const names = [
    "platform",
    "stripe",
    "github",
    "gitlab",
    "lemonsqueezy",
    "workos",
    "standard-webhooks",
    "constructor",
  ];
  expect(names.map(senderTitle)).toEqual([
    ...["Sandglass payments", "Stripe", "GitHub", "GitLab", "Lemon Squeezy", "WorkOS"],
    ...["Standard Webhooks", "Constructor"],
  ]);
});

test("the page shortens numbers, bytes and long texts", () => {
  expect([count(1, "attempt"), count(1_234, "attempt"), count(2, "entry", "entries")]).toEqual([
    "1 attempt",
    "1,234 attempts",
    "2 entries",
  ]);
  expect([12, 3_500, 1_048_570, 4_640_768].map(bytes)).toEqual(["12 B", "3.4 KiB", "1.0 MiB", "4.4 MiB"]);
  expect(clip("x".repeat(100), 20)).toHaveLength(20);
});

describe("page addresses", () => {
  test.each([
    ["", "home", [], ""],
    ["#/", "home", [], ""],
    ["#/webhooks/wh_1/del_2", "webhooks", ["wh_1", "del_2"], ""],
    ["#/log/entry?search=a%20b&kind=mail", "log", ["entry"], "search=a+b&kind=mail"],
    ["#/log/%E2%82%AC%2Fx", "log", ["€/x"], ""],
    ["#/log/%zz", "log", ["%zz"], ""],
  ])("the page parses its address into a view, parts and a query: %s", (hash, view, parts, query) => {
    const route = readRoute(hash);
    expect({ view: route.view, parts: route.parts, query: route.query.toString() }).toEqual({
      view,
      parts,
      query,
    });
  });

  test("the page writes an address that it can parse back unchanged", () => {
    const address = href(["inboxes", "a/b ?#€", undefined], { search: "x&y", page: "" });
    expect(address).toBe("#/inboxes/a%2Fb%20%3F%23%E2%82%AC?search=x%26y");
    expect(readRoute(address).parts).toEqual(["a/b ?#€"]);
  });
});

describe("keyboard shortcuts on the page", () => {
  function press(key: string, over: Partial<KeyPress> = {}): KeyPress & { prevented: boolean } {
    const event = {
      key,
      shiftKey: false,
      ctrlKey: false,
      altKey: false,
      metaKey: false,
      defaultPrevented: false,
      target: { closest: () => null },
      prevented: false,
      preventDefault: () => {
        event.prevented = true;
      },
      ...over,
    };
    return event;
  }
  const within = (...selectors: string[]) => ({
    target: {
      closest: (asked: string) => (selectors.some((one) => asked.split(", ").includes(one)) ? {} : null),
    },
  });

  function keyboard() {
    const done: string[] = [];
    let now = 0;
    const names = ["Space", "ArrowRight", "Shift+ArrowRight", "h", "?", "g w"];
    const keys = createKeys(Object.fromEntries(names.map((name) => [name, () => void done.push(name)])), {
      now: () => now,
    });
    return {
      keys,
      done,
      wait: (ms: number) => {
        now += ms;
      },
    };
  }

  test("the page recognizes shortcuts with Shift and in sequences", () => {
    const { keys, done, wait } = keyboard();
    keys(press(" "));
    keys(press("ArrowRight"));
    keys(press("ArrowRight", { shiftKey: true }));
    keys(press("?", { shiftKey: true }));
    keys(press("g"));
    keys(press("w"));
    keys(press("g"));
    wait(2_000);
    keys(press("w"));
    expect(done).toEqual(["Space", "ArrowRight", "Shift+ArrowRight", "?", "g w"]);
  });

  test("a shortcut has no effect while a user types, or on a control that uses the key", () => {
    const { keys, done } = keyboard();
    for (const place of ["input", "dialog", "button", "a", "summary"]) keys(press("h", within(place)));
    keys(press("ArrowRight", within("[data-arrows]")));
    for (const modifier of ["ctrlKey", "metaKey", "defaultPrevented"]) keys(press("h", { [modifier]: true }));
    expect(done).toEqual([]);
    const used = press("h");
    keys(used);
    expect({ done, prevented: used.prevented }).toEqual({ done: ["h"], prevented: true });
  });
});
