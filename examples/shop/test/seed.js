import { rmSync } from "node:fs";
import { openDatabase } from "../src/database.js";
import { createOrders } from "../src/orders.js";

// The order that the stories of explore are about, as a customer began it: with the last use of a code.
for (const end of ["", "-shm", "-wal"]) rmSync(`explore.db${end}`, { force: true });
const database = openDatabase("explore.db");
createOrders(database).begin("ada@example.com", "LAST", "order-7");
database.close();
