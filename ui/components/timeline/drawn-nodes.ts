import type { VNode } from "preact";
import { useRef } from "preact/hooks";

/**
 * Reuses the nodes of things that have not changed: Preact skips a node that is identical.
 * @param scene what every node depends on; another scene draws all of them again
 */
export function useDrawnNodes<Thing extends object>(scene: string) {
  const drawn = useRef({ scene: "", nodes: new Map<Thing, VNode>() });
  const before = drawn.current.scene === scene ? drawn.current.nodes : new Map<Thing, VNode>();
  const nodes = new Map<Thing, VNode>();
  drawn.current = { scene, nodes };
  return (thing: Thing, make: () => VNode): VNode => {
    const node = before.get(thing) ?? make();
    nodes.set(thing, node);
    return node;
  };
}
