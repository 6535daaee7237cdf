import { signal } from "@preact/signals";

/**
 * Says whether something is offered: yes, until the server, which is asked once, says that it is not. So nothing
 * moves on a page whose server has it.
 * @param probe asks the server
 */
export function createOffer(probe: () => Promise<boolean>): () => boolean {
  const offered = signal(true);
  let asked = false;
  return () => {
    if (!asked) {
      asked = true;
      void probe().then((answer) => {
        offered.value = answer;
      });
    }
    return offered.value;
  };
}
