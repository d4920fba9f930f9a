/**
 * Headers as callers and visitors send them, and as nobody should.
 *
 * @module
 */
import type { Dice } from "../../shared/testing/dice.ts";
import type { Some } from "./fuzz-hostile.ts";
import type { Making } from "./fuzz-making.ts";
import { ADMIN_KEY } from "./service.ts";

/** Headers of a request for a host; three of four have nothing odd. */
export function headersOf(
  making: Making,
  dice: Dice,
  host: string,
  bodyType: string | undefined,
): Record<string, string> {
  const { hosts, world, hostile } = making;
  const odd = (): string =>
    Buffer.from(hostile.text(dice))
      .toString("latin1")
      .replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, "")
      .slice(0, 4000);
  const key = world.some("key", dice);
  const headers: Record<string, string> = {
    Host:
      dice.below(30) === 0
        ? dice.pick(["elsewhere.fuzz.test", `${hosts[0]}:8080`, hosts[0].toUpperCase(), "127.0.0.1"])
        : host,
    "CF-Connecting-IP": `2600:${dice.below(65_536).toString(16)}:${dice.below(65_536).toString(16)}::1`,
    Authorization: `Bearer ${ADMIN_KEY}`,
    ...(bodyType === undefined ? {} : { "Content-Type": bodyType }),
  };
  if (key !== undefined && dice.below(25) === 0) headers["Authorization"] = `Bearer ${key}`;
  if (dice.below(4) > 0) return headers;
  const address = dice.pick([
    "",
    "::1",
    "1.2.3",
    "fe80::1%eth0",
    "::ffff:1.2.3.4",
    "1.2.3.4, 5.6.7.8",
    "x".repeat(300),
    odd(),
  ]);
  const mark = world.some("etag", dice) ?? '"1"';
  const bends: Some<readonly [string, string]> = [
    [
      "Authorization",
      dice.pick([
        "",
        "Bearer",
        "Bearer  ",
        `bearer ${ADMIN_KEY}`,
        "Basic eDp4",
        "Bearer null",
        `Bearer ${odd()}`,
        odd(),
      ]),
    ],
    ["X-Api-Key", dice.pick([ADMIN_KEY, "", odd()])],
    ["If-Match", dice.pick([mark, `W/${mark}`, "*", '"', `${mark}, "2"`, '""', "1", odd()])],
    ["If-None-Match", dice.pick([mark, `W/${mark}`, "*", odd()])],
    ["If-Modified-Since", dice.pick(["Thu, 01 Jan 1970 00:00:00 GMT", "x"])],
    ["Range", dice.pick(["bytes=0-0", "bytes=-1", "bytes=9-1", "bytes=0-,1-", "x"])],
    ["Idempotency-Key", dice.pick([`i-${dice.below(40)}`, "", " ", "x".repeat(255), "x".repeat(256), odd()])],
    [
      "Content-Type",
      dice.pick([
        "application/json; charset=utf-8",
        'application/json;charset="UTF-8"',
        "application/json; charset=utf-16",
        "application/problem+json",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/csv",
        "application/x-ndjson",
        "",
        ";",
        odd(),
      ]),
    ],
    [
      "Accept",
      dice.pick([
        "*/*",
        "application/json",
        "text/html;q=0.9,application/json;q=0.91",
        "application/*;q=0",
        "q=1",
        ",,,",
        "text/html;q=x",
        odd(),
      ]),
    ],
    ["CF-Connecting-IP", address],
    ["X-HTTP-Method-Override", dice.pick(["DELETE", "PATCH"])],
    ["X-Forwarded-For", "10.0.0.1"],
    ["Origin", dice.pick(["null", "https://evil.example", odd()])],
    ["Referer", dice.pick(["https://example.com/?a=%", "x", odd()])],
    [
      "User-Agent",
      dice.pick([
        "",
        "curl/8",
        "Slackbot-LinkExpanding 1.0",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile",
        odd(),
      ]),
    ],
    ["Accept-Language", dice.pick(["de-DE,de;q=0.9", "*", "x;q=2", odd()])],
    ["Sec-Purpose", "prefetch"],
    ["Cookie", odd()],
    ["X-Request-Id", odd()],
  ];
  for (let bend = dice.below(3); bend >= 0; bend -= 1) {
    const [name, value] = dice.pick(bends);
    headers[name] = value;
  }
  return headers;
}
