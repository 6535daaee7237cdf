import type { VNode } from "preact";
import { useRef } from "preact/hooks";

/**
 * Reuses the nodes of things that have not changed: Preact skips a node that is identical.
 * @param scene what every node depends on; another scene draws all of them again
 */
export function useDrawnNodes<Thing extends object>(scene: readonly unknown[]) {
  const drawn = useRef({ scene, nodes: new Map<Thing, VNode>() });
  const same = drawn.current.scene.every((one, index) => one === scene[index]);
  const before = same ? drawn.current.nodes : new Map<Thing, VNode>();
  const nodes = new Map<Thing, VNode>();
  drawn.current = { scene, nodes };
  return (thing: Thing, make: () => VNode): VNode => {
    const node = before.get(thing) ?? make();
    nodes.set(thing, node);
    return node;
  };
}
