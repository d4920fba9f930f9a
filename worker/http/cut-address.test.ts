/**
 * What is kept of an address is what `IP_MODE` says, for every way to write one.
 *
 * @module
 */
import fc from "fast-check";
import { test } from "vitest";
import { clientNetwork, cutAddress } from "./cut-address.ts";

test.for([
  ["203.0.113.77", "203.0.113.0", "203.0.113.77"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1::", "2001:db8:1:2:3:4:5:6"],
  ["2001:0DB8:0001:0000:0000:0000:0000:0001", "2001:db8:1::", "2001:db8:1::1"],
  ["2001:db8::1", "2001:db8::", "2001:db8::1"],
  ["fe80::1%eth0", "fe80::", "fe80::1"],
  ["::1", "::", "::1"],
  ["", null, null],
  ["not an address", null, null],
  ["203.0.113.7, 2001:db8::2", null, null],
  ["localhost", null, null],
] as const)("B049: %s", ([address, truncated, full], { expect }) => {
  expect(cutAddress(address, "truncated")).toBe(truncated);
  expect(cutAddress(address, "full")).toBe(full);
  expect(cutAddress(address, "none")).toBeNull();
});

test("an IPv4 address in its usual form is kept as the parser would keep it, and nothing else is taken for one", ({
  expect,
}) => {
  const part = fc.oneof(fc.nat(260).map(String), fc.constantFrom("00", "01", "0x1", "", " 1", "1 ", "-1"));
  fc.assert(
    fc.property(fc.array(part, { minLength: 3, maxLength: 5 }), (parts) => {
      const text = parts.join(".");
      const isPlain = parts.length === 4 && parts.every((byte) => /^\d+$/.test(byte) && String(Number(byte)) === byte);
      if (!isPlain || parts.some((byte) => Number(byte) > 255)) return;
      expect(new URL(`http://${text}/`).hostname).toBe(text);
      expect(cutAddress(text, "full")).toBe(text);
      expect(cutAddress(text, "truncated")).toBe([...parts.slice(0, 3), "0"].join("."));
    }),
  );
});

test.for([
  ["256.1.1.1", null],
  ["1.2.3", "1.2.0.3"],
  ["01.2.3.4", "1.2.3.4"],
  ["1.2.3.4.5", null],
  ["1.2.3.4 ", "1.2.3.4"],
] as const)("%s, which is in no usual form, is left to the parser", ([address, full], { expect }) => {
  expect(cutAddress(address, "full")).toBe(full);
});

test("one client is one for a limit, whichever of its addresses it takes", ({ expect }) => {
  expect(clientNetwork("2001:db8:1:2::1")).toBe(clientNetwork("2001:0DB8:1:2:ffff:4:5:6"));
  expect(clientNetwork("2001:db8:1:2::1")).not.toBe(clientNetwork("2001:db8:1:3::1"));
  expect(clientNetwork("203.0.113.77")).toBe("203.0.113.77");
  expect(clientNetwork("not: an address")).toBe("not: an address");
});
