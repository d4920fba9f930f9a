/**
 * What is signed here is verified by the library of Standard Webhooks, with each secret that is valid, and with no other.
 *
 * @module
 */
import { Webhook } from "standardwebhooks";
import { test } from "vitest";
import { newSecret, signatureHeaders } from "./sign.ts";

const message = {
  id: "clicked_6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
  body: '{"type":"link.clicked","data":{"città":"Forlì"}}',
};

test("the official library verifies our headers with the secret, and refuses another secret, body, id or time", async ({
  expect,
}) => {
  const secret = newSecret();
  const headers = { ...(await signatureHeaders([secret], { ...message, now: Date.now() })) };
  expect(new Webhook(secret).verify(message.body, headers)).toEqual(JSON.parse(message.body));
  expect(() => new Webhook(newSecret()).verify(message.body, headers)).toThrow("No matching signature");
  expect(() => new Webhook(secret).verify(`${message.body} `, headers)).toThrow("No matching signature");
  expect(() => new Webhook(secret).verify(message.body, { ...headers, "webhook-id": "another" })).toThrow(
    "No matching",
  );
  const later = String(Number(headers["webhook-timestamp"]) + 1);
  expect(() => new Webhook(secret).verify(message.body, { ...headers, "webhook-timestamp": later })).toThrow(
    "No match",
  );
});

test("we sign what the official library signs", async ({ expect }) => {
  const secret = newSecret();
  const now = 1_796_000_000_999;
  const { "webhook-signature": ours, "webhook-timestamp": seconds } = await signatureHeaders([secret], {
    ...message,
    now,
  });
  expect(seconds).toBe("1796000000");
  expect(ours).toBe(new Webhook(secret).sign(message.id, new Date(now), message.body));
});

test("the example of the specification", async ({ expect }) => {
  const headers = await signatureHeaders(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"], {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    now: 1_614_265_330_000,
    body: '{"test": 2432232314}',
  });
  expect(headers["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

test("while a secret is changed, the old and the new one both verify", async ({ expect }) => {
  const [old, fresh] = [newSecret(), newSecret()];
  const headers = { ...(await signatureHeaders([fresh, old], { ...message, now: Date.now() })) };
  for (const secret of [old, fresh]) expect(() => new Webhook(secret).verify(message.body, headers)).not.toThrow();
});

test("a secret has 32 random bytes, within what the specification allows", ({ expect }) => {
  const secrets = Array.from({ length: 50 }, newSecret);
  expect(new Set(secrets).size).toBe(50);
  for (const secret of secrets) expect(atob(secret.replace(/^whsec_/, ""))).toHaveLength(32);
});
