import { createHmac, timingSafeEqual } from "node:crypto";
import express from "express";

/** The route for webhooks. It reads the bytes as they came: mount it before express.json(). */
export function webhooks({ secret, handle }) {
  const router = express.Router();
  router.post("/webhooks", express.raw({ type: () => true, limit: "2mb" }), (request, response) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    if (!isSigned(body, request.get("x-platform-signature"), secret)) return response.sendStatus(401);
    const message = parse(body);
    if (!message) return response.sendStatus(400);
    if (request.get("x-platform-test") !== "true") handle(message);
    return response.sendStatus(204);
  });
  return router;
}

function isSigned(body, signature, secret) {
  if (!/^[0-9a-f]{64}$/.test(signature ?? "")) return false;
  return timingSafeEqual(Buffer.from(signature, "hex"), createHmac("sha256", secret).update(body).digest());
}

function parse(body) {
  try {
    const message = JSON.parse(body.toString());
    return typeof message?.data?.id === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}
