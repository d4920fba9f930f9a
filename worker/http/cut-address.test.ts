/**
 * What is kept of an address is what `IP_MODE` says, for every way to write one.
 *
 * @module
 */
import { test } from "vitest";
import { cutAddress } from "./cut-address.ts";

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
