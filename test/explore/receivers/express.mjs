import express from "express";
import { announce, port, reset, state, take } from "./shop.mjs";

const app = express();
app.post("/webhooks", express.raw({ type: () => true }), (request, response) =>
  response.sendStatus(take(request.body, request.headers)),
);
app.get("/state", (_request, response) => response.json(state()));
app.post("/reset", (_request, response) => {
  reset();
  response.sendStatus(204);
});
const server = app.listen(port, "127.0.0.1", () => announce(server));
