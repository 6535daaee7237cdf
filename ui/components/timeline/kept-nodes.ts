import type { VNode } from "preact";
import { useRef } from "preact/hooks";

/**
 * Nodes of things that did not change since they were last drawn: the same node is not compared again.
 * @param scene what all of them depend on; with another scene all are made anew
 */
export function useKeptNodes<Thing extends object>(scene: string) {
  const kept = useRef({ scene: "", nodes: new Map<Thing, VNode>() });
  const before = kept.current.scene === scene ? kept.current.nodes : new Map<Thing, VNode>();
  const nodes = new Map<Thing, VNode>();
  kept.current = { scene, nodes };
  return (thing: Thing, make: () => VNode): VNode => {
    const node = before.get(thing) ?? make();
    nodes.set(thing, node);
    return node;
  };
}
