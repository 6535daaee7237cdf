import { useEffect } from "preact/hooks";
import { createKeys, type KeyMap } from "../keys.ts";
import { useApp } from "./context.ts";

/** Keys of a part of the page, for as long as it is shown. They come before the page's own. */
export function useKeys(map: () => KeyMap, of: unknown[]): void {
  const { machine } = useApp();
  useEffect(() => {
    const press = createKeys(map(), machine.now);
    addEventListener("keydown", press, true);
    return () => removeEventListener("keydown", press, true);
  }, of);
}
