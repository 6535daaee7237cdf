import { BUGS, badReceiver } from "./receivers/bad.ts";
import { SECRET, startReceiver } from "./support/start.ts";
export const good = () => startReceiver(badReceiver(BUGS["no bug"]!, SECRET));
