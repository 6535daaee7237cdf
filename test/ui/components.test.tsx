// @vitest-environment happy-dom
import { signal } from "@preact/signals";
import { type ComponentChildren, render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { Copy } from "../../ui/components/copy.tsx";
import { Counter } from "../../ui/components/counter.tsx";
import { Dialog } from "../../ui/components/dialog.tsx";
import { frameOf, place } from "../../ui/components/timeline/frame.ts";
import { Layer } from "../../ui/components/timeline/timeline.tsx";
import { VirtualList } from "../../ui/components/virtual-list.tsx";
import { createView } from "../../ui/models/timeline/view.ts";
import { EVEN } from "../support/scale.ts";

function show(children: ComponentChildren): HTMLElement {
  const root = document.createElement("div");
  document.body.append(root);
  act(() => render(children, root));
  onTestFinished(() => {
    render(null, root);
    root.remove();
  });
  return root;
}

afterEach(() => vi.restoreAllMocks());

test("the page copies text and confirms it, or says that copying is not allowed", async () => {
  const writeText = vi.fn(async () => {});
  vi.spyOn(navigator, "clipboard", "get").mockReturnValue({ writeText } as never);
  const root = show(<Copy text="sk_sandbox_write" what="the key" />);
  const button = root.querySelector("button")!;
  expect(button.textContent).toBe("Copy the key");
  await act(async () => button.click());
  expect(writeText).toHaveBeenCalledWith("sk_sandbox_write");
  expect(button.dataset.status).toBe("Copied");
  writeText.mockRejectedValueOnce(new Error("denied"));
  await act(async () => button.click());
  expect(button.dataset.status).toBe("Not allowed");
});

test("a dialog closes when the address changes, but not because of earlier updates", () => {
  const onClose = vi.fn();
  history.replaceState(null, "", "#/payments");
  show(<Dialog title="Commands" onClose={onClose} children={null} />);
  act(() => void dispatchEvent(new Event("hashchange")));
  expect(onClose).not.toHaveBeenCalled();
  history.replaceState(null, "", "#/mail");
  act(() => void dispatchEvent(new Event("hashchange")));
  expect(onClose).toHaveBeenCalledOnce();
});

test("a closed dialog gets no updates, not even before the next frame", () => {
  const onClose = vi.fn();
  history.replaceState(null, "", "#/mail");
  const root = show(<Dialog title="Commands" onClose={onClose} children={null} />);
  history.replaceState(null, "", "#/payments");
  render(null, root);
  dispatchEvent(new Event("hashchange"));
  expect(onClose).not.toHaveBeenCalled();
});

test("a failure counter is drawn, or written as text if space is short", () => {
  const low = show(<Counter value={7} threshold={10} />);
  expect(low.textContent).toBe("7 / 10 failures in a row");
  expect([low.querySelectorAll("i").length, low.querySelectorAll("i[data-on]").length]).toEqual([10, 7]);
  expect(show(<Counter value={7} threshold={1_000} />).querySelectorAll("i")).toHaveLength(0);
});

test("a long list renders only the visible rows, and the row in view stays in place", () => {
  const items = signal(Array.from({ length: 10_000 }, (_, index) => index));
  const List = () => (
    <VirtualList
      label="Many"
      items={items.value}
      keyOf={(item) => item}
      row={2}
      render={(item) => <b>{item}</b>}
    />
  );
  const root = show(<List />);
  const box = root.querySelector("section")!;
  Object.defineProperty(box, "clientHeight", { value: 320 });
  act(() => void box.dispatchEvent(new Event("scroll")));
  expect(root.querySelectorAll("li").length).toBeLessThan(30);
  expect(root.querySelector("ul")!.style.height).toBe("20000rem");
  act(() => {
    box.scrollTop = 5_000 * 32;
    box.dispatchEvent(new Event("scroll"));
  });
  const shown = [...root.querySelectorAll("b")].map(({ textContent }) => Number(textContent));
  expect(shown).toContain(5_000);
  expect(shown.length).toBeLessThan(30);
  act(() => {
    items.value = [-2, -1, ...items.value];
  });
  expect(box.scrollTop).toBe(5_002 * 32);
});

test("the marks of a timeline stay in place in the frame in which the view is zoomed", async () => {
  const machine = { now: () => 0, every: () => () => {}, frame: () => () => {}, moves: () => false };
  const view = createView({
    machine,
    fit: signal({ from: -100_000, to: 900_000 }),
    scale: signal(EVEN),
    width: signal(1_000),
  });
  const frame = frameOf(view);
  const At = () => <i style={{ left: `${place(frame.value, 400_000)}px` }} />;
  const root = show(
    <Layer frame={frame} view={view}>
      <At />
    </Layer>,
  );
  const layer = root.querySelector<HTMLElement>(".layer")!;
  const drawnAt = () =>
    Number.parseFloat(layer.style.transform.slice("translateX(".length)) +
    Number.parseFloat(layer.querySelector("i")!.style.left);
  expect(drawnAt()).toBe(500);
  // The view now starts after 0, so positions are measured from 0 in the other direction.
  view.zoomBy(0.5);
  // In a browser, no frame is drawn before all resolved promises have been handled.
  await new Promise(process.nextTick);
  expect(view.from.value).toBe(150_000);
  expect(drawnAt()).toBe(500);
});
