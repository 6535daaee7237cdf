import { effect } from "@preact/signals";
import { render } from "preact";
import { type App, createApp } from "./app.ts";
import { AppProvider } from "./components/context.ts";
import { keepPlace } from "./components/keep-place.ts";
import { Problem } from "./components/parts.tsx";
import { Shell } from "./components/shell.tsx";
import type { Machine } from "./models/clock.ts";
import type { Keep } from "./models/prefs.ts";
import { failingCount, tabIcon, tabTitle } from "./models/tab.ts";
import { DEFAULT_WORLD } from "./models/worlds.ts";
import { VIEWS } from "./views/registry.ts";
import "./style/index.css";

const still = matchMedia("(prefers-reduced-motion: reduce)");

const machine: Machine = {
  now: () => performance.now(),
  every(ms, run) {
    const timer = setInterval(run, ms);
    return () => clearInterval(timer);
  },
  frame(run) {
    const frame = requestAnimationFrame(run);
    return () => cancelAnimationFrame(frame);
  },
  moves: () => !still.matches && document.visibilityState === "visible",
};

keepPlace();

const root = document.getElementById("app")!;

async function start(): Promise<void> {
  try {
    const base = new URL("./", location.href.split("#")[0]).href;
    const socket = (url: string) => new WebSocket(url) as never;
    const app = await createApp({ base, socket, machine, place: window, keep: storage() });
    dress(app);
    nameTab(app);
    render(
      <AppProvider value={app}>
        <Shell />
      </AppProvider>,
      root,
    );
    addEventListener("online", app.live.retryNow);
    document.addEventListener("visibilitychange", () => {
      app.live.retryNow();
      // A hidden page gets no animation frames, so end the animation.
      app.stage.skip();
    });
  } catch (error) {
    render(<Problem error={error as Error} retry={() => location.reload()} />, root);
  }
}

function storage(): Keep {
  try {
    return localStorage;
  } catch {
    return { getItem: () => null, setItem: () => undefined };
  }
}

/** A world's hue, derived from its name. It differs from the default world's petrol. */
function hueOf(world: string): number {
  let sum = 0;
  for (const character of world) sum = (sum * 31 + character.charCodeAt(0)) % 240;
  return 230 + sum;
}

function dress({ prefs, stage, status }: App): void {
  const { dataset, style } = document.documentElement;
  const set = (name: string, isSet: boolean, value = "") => {
    if (isSet) dataset[name] = value;
    else delete dataset[name];
  };
  effect(() => set("playing", stage.playing.value !== undefined));
  effect(() => set("presenting", prefs.presenting.value));
  effect(() => set("theme", prefs.theme.value !== "system", prefs.theme.value));
  effect(() => {
    const { world } = status.value;
    set("world", world !== DEFAULT_WORLD, world);
    style.setProperty("--world-hue", String(hueOf(world)));
  });
}

/** Shows the time, the clock's state and the number of failing endpoints in the title of the browser tab. */
function nameTab({ clock, endpoints, router }: App): void {
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]")!;
  effect(() => {
    const { view: name, parts } = router.route.value;
    const endpoint = name === "webhooks" ? endpoints.find(parts[0] ?? "") : undefined;
    const view = endpoint?.url.replace(/^https?:\/\//, "") ?? VIEWS.find((one) => one.name === name)?.title;
    const running = clock.running.value;
    const failing = failingCount(endpoints.list.value ?? []);
    document.title = tabTitle({ view, now: clock.second.value, running, failing });
    const image = tabIcon({ running, failing });
    if (icon.href !== image) icon.href = image;
  });
}

void start();
