/**
 * The table of special-purpose blocks, at the edges of every block, and the reading of addresses.
 *
 * @module
 */
import * as fc from "fast-check";
import { describe, test } from "vitest";
import { ADDRESS_BLOCKS, embeddedIpv4, parseAddress, specialBlock } from "./address.ts";

/**
 * The first and the last address of each block, and their neighbours outside, with the narrowest block that holds them;
 * null is public. Worked out from the registries with another program's arithmetic (Python's ipaddress).
 */
const EDGES: readonly (readonly [hostname: string, block: string | null])[] = [
  ["0.0.0.0", "0.0.0.0/8"],
  ["0.255.255.255", "0.0.0.0/8"],
  ["1.0.0.0", null],
  ["9.255.255.255", null],
  ["10.0.0.0", "10.0.0.0/8"],
  ["10.255.255.255", "10.0.0.0/8"],
  ["11.0.0.0", null],
  ["100.63.255.255", null],
  ["100.64.0.0", "100.64.0.0/10"],
  ["100.127.255.255", "100.64.0.0/10"],
  ["100.128.0.0", null],
  ["126.255.255.255", null],
  ["127.0.0.0", "127.0.0.0/8"],
  ["127.255.255.255", "127.0.0.0/8"],
  ["128.0.0.0", null],
  ["169.253.255.255", null],
  ["169.254.0.0", "169.254.0.0/16"],
  ["169.254.255.255", "169.254.0.0/16"],
  ["169.255.0.0", null],
  ["172.15.255.255", null],
  ["172.16.0.0", "172.16.0.0/12"],
  ["172.31.255.255", "172.16.0.0/12"],
  ["172.32.0.0", null],
  ["191.255.255.255", null],
  ["192.0.0.0", "192.0.0.0/29"],
  ["192.0.0.7", "192.0.0.0/29"],
  ["192.0.0.8", "192.0.0.8/32"],
  ["192.0.0.9", "192.0.0.9/32"],
  ["192.0.0.10", "192.0.0.10/32"],
  ["192.0.0.11", "192.0.0.0/24"],
  ["192.0.0.169", "192.0.0.0/24"],
  ["192.0.0.170", "192.0.0.170/31"],
  ["192.0.0.171", "192.0.0.170/31"],
  ["192.0.0.172", "192.0.0.0/24"],
  ["192.0.0.255", "192.0.0.0/24"],
  ["192.0.1.0", null],
  ["192.0.1.255", null],
  ["192.0.2.0", "192.0.2.0/24"],
  ["192.0.2.255", "192.0.2.0/24"],
  ["192.0.3.0", null],
  ["192.31.195.255", null],
  ["192.31.196.0", "192.31.196.0/24"],
  ["192.31.196.255", "192.31.196.0/24"],
  ["192.31.197.0", null],
  ["192.52.192.255", null],
  ["192.52.193.0", "192.52.193.0/24"],
  ["192.52.193.255", "192.52.193.0/24"],
  ["192.52.194.0", null],
  ["192.88.98.255", null],
  ["192.88.99.0", "192.88.99.0/24"],
  ["192.88.99.255", "192.88.99.0/24"],
  ["192.88.100.0", null],
  ["192.167.255.255", null],
  ["192.168.0.0", "192.168.0.0/16"],
  ["192.168.255.255", "192.168.0.0/16"],
  ["192.169.0.0", null],
  ["192.175.47.255", null],
  ["192.175.48.0", "192.175.48.0/24"],
  ["192.175.48.255", "192.175.48.0/24"],
  ["192.175.49.0", null],
  ["198.17.255.255", null],
  ["198.18.0.0", "198.18.0.0/15"],
  ["198.19.255.255", "198.18.0.0/15"],
  ["198.20.0.0", null],
  ["198.51.99.255", null],
  ["198.51.100.0", "198.51.100.0/24"],
  ["198.51.100.255", "198.51.100.0/24"],
  ["198.51.101.0", null],
  ["203.0.112.255", null],
  ["203.0.113.0", "203.0.113.0/24"],
  ["203.0.113.255", "203.0.113.0/24"],
  ["203.0.114.0", null],
  ["223.255.255.255", null],
  ["224.0.0.0", "224.0.0.0/4"],
  ["239.255.255.255", "224.0.0.0/4"],
  ["240.0.0.0", "240.0.0.0/4"],
  ["255.255.255.254", "240.0.0.0/4"],
  ["255.255.255.255", "255.255.255.255/32"],
  ["[::]", "::/128"],
  ["[::1]", "::1/128"],
  ["[::2]", "::/96"],
  ["[::ffff:ffff]", "::/96"],
  ["[::1:0:0]", "::/3"],
  ["[::fffe:ffff:ffff]", "::/3"],
  ["[::ffff:0:0]", "::ffff:0:0/96"],
  ["[::ffff:ffff:ffff]", "::ffff:0:0/96"],
  ["[::1:0:0:0]", "::/3"],
  ["[::fffe:ffff:ffff:ffff]", "::/3"],
  ["[::ffff:0:0:0]", "::ffff:0:0:0/96"],
  ["[::ffff:0:ffff:ffff]", "::ffff:0:0:0/96"],
  ["[::ffff:1:0:0]", "::/3"],
  ["[64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff]", "::/3"],
  ["[64:ff9b::]", "64:ff9b::/96"],
  ["[64:ff9b::ffff:ffff]", "64:ff9b::/96"],
  ["[64:ff9b::1:0:0]", "::/3"],
  ["[64:ff9b:0:ffff:ffff:ffff:ffff:ffff]", "::/3"],
  ["[64:ff9b:1::]", "64:ff9b:1::/48"],
  ["[64:ff9b:1:ffff:ffff:ffff:ffff:ffff]", "64:ff9b:1::/48"],
  ["[64:ff9b:2::]", "::/3"],
  ["[ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "::/3"],
  ["[100::]", "100::/64"],
  ["[100::ffff:ffff:ffff:ffff]", "100::/64"],
  ["[100:0:0:1::]", "100:0:0:1::/64"],
  ["[100::1:ffff:ffff:ffff:ffff]", "100:0:0:1::/64"],
  ["[100:0:0:2::]", "::/3"],
  ["[1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "::/3"],
  ["[2000::]", null],
  ["[2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", null],
  ["[2001::]", "2001::/32"],
  ["[2001:0:ffff:ffff:ffff:ffff:ffff:ffff]", "2001::/32"],
  ["[2001:1::]", "2001::/23"],
  ["[2001:1::1]", "2001:1::1/128"],
  ["[2001:1::2]", "2001:1::2/128"],
  ["[2001:1::3]", "2001:1::3/128"],
  ["[2001:1::4]", "2001::/23"],
  ["[2001:1:ffff:ffff:ffff:ffff:ffff:ffff]", "2001::/23"],
  ["[2001:2::]", "2001:2::/48"],
  ["[2001:2:0:ffff:ffff:ffff:ffff:ffff]", "2001:2::/48"],
  ["[2001:2:1::]", "2001::/23"],
  ["[2001:2:ffff:ffff:ffff:ffff:ffff:ffff]", "2001::/23"],
  ["[2001:3::]", "2001:3::/32"],
  ["[2001:3:ffff:ffff:ffff:ffff:ffff:ffff]", "2001:3::/32"],
  ["[2001:4::]", "2001::/23"],
  ["[2001:4:111:ffff:ffff:ffff:ffff:ffff]", "2001::/23"],
  ["[2001:4:112::]", "2001:4:112::/48"],
  ["[2001:4:112:ffff:ffff:ffff:ffff:ffff]", "2001:4:112::/48"],
  ["[2001:4:113::]", "2001::/23"],
  ["[2001:f:ffff:ffff:ffff:ffff:ffff:ffff]", "2001::/23"],
  ["[2001:10::]", "2001:10::/28"],
  ["[2001:1f:ffff:ffff:ffff:ffff:ffff:ffff]", "2001:10::/28"],
  ["[2001:20::]", "2001:20::/28"],
  ["[2001:2f:ffff:ffff:ffff:ffff:ffff:ffff]", "2001:20::/28"],
  ["[2001:30::]", "2001:30::/28"],
  ["[2001:3f:ffff:ffff:ffff:ffff:ffff:ffff]", "2001:30::/28"],
  ["[2001:40::]", "2001::/23"],
  ["[2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff]", "2001::/23"],
  ["[2001:200::]", null],
  ["[2001:db7:ffff:ffff:ffff:ffff:ffff:ffff]", null],
  ["[2001:db8::]", "2001:db8::/32"],
  ["[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]", "2001:db8::/32"],
  ["[2001:db9::]", null],
  ["[2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", null],
  ["[2002::]", "2002::/16"],
  ["[2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "2002::/16"],
  ["[2003::]", null],
  ["[2620:4f:7fff:ffff:ffff:ffff:ffff:ffff]", null],
  ["[2620:4f:8000::]", "2620:4f:8000::/48"],
  ["[2620:4f:8000:ffff:ffff:ffff:ffff:ffff]", "2620:4f:8000::/48"],
  ["[2620:4f:8001::]", null],
  ["[3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", null],
  ["[3fff::]", "3fff::/20"],
  ["[3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff]", "3fff::/20"],
  ["[3fff:1000::]", null],
  ["[3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", null],
  ["[4000::]", "4000::/2"],
  ["[5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "4000::/2"],
  ["[5f00::]", "5f00::/16"],
  ["[5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "5f00::/16"],
  ["[5f01::]", "4000::/2"],
  ["[7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "4000::/2"],
  ["[8000::]", "8000::/1"],
  ["[fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "8000::/1"],
  ["[fc00::]", "fc00::/7"],
  ["[fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "fc00::/7"],
  ["[fe00::]", "8000::/1"],
  ["[fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "8000::/1"],
  ["[fe80::]", "fe80::/10"],
  ["[febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "fe80::/10"],
  ["[fec0::]", "fec0::/10"],
  ["[feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "fec0::/10"],
  ["[ff00::]", "ff00::/8"],
  ["[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "ff00::/8"],
];

const byte = fc.nat({ max: 0xff });

describe("the table of blocks", () => {
  test.for(EDGES)("%s lies in %s", ([hostname, block], { expect }) => {
    expect(blockOf(hostname)).toBe(block);
  });

  test("every block of the table stands among the edges", ({ expect }) => {
    const tested = new Set(EDGES.map(([, block]) => block));
    expect(ADDRESS_BLOCKS.filter((block) => !tested.has(block.cidr))).toEqual([]);
  });

  test("every block says which RFC it comes from, and stands in the table once", ({ expect }) => {
    expect(ADDRESS_BLOCKS.filter((block) => !/^RFC \d+$/.test(block.source) || block.name === "")).toEqual([]);
    expect(new Set(ADDRESS_BLOCKS.map((block) => block.cidr)).size).toBe(ADDRESS_BLOCKS.length);
  });

  test("addresses of well-known public hosts lie in no block", ({ expect }) => {
    const hosts = [
      "1.1.1.1",
      "8.8.8.8",
      "9.9.9.9",
      "93.184.215.14",
      "[2606:4700:4700::1111]",
      "[2a00:1450:4001:81b::200e]",
    ];
    expect(hosts.filter((host) => blockOf(host) !== null)).toEqual([]);
  });
});

describe("parseAddress", () => {
  test("reads the two spellings that URL.hostname has", ({ expect }) => {
    expect(parseAddress("1.2.3.255")).toEqual([1, 2, 3, 255]);
    expect(parseAddress("[102:304:506:708:90a:b0c:d0e:f10]")).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
    ]);
    expect(parseAddress("[2001:db8::1]")).toEqual([0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    expect(parseAddress("[::]")).toEqual(Array.from({ length: 16 }, () => 0));
  });

  test.for([
    "example.com",
    "",
    "1.2.3",
    "1.2.3.256",
    "1.2.3.4.5",
    "1.2.3.4.",
    "::1",
    "[]",
    "[:]",
    "[:::]",
    "[1:2]",
    "[::1::]",
    "[1:2:3:4:5:6:7:8:9]",
    "[1:2:3:4:5:6:7::8]",
    "[12345::]",
    "[g::]",
    "[::1%25eth0]",
    "[::1",
    "1.2.3.4]",
  ])("says that %j is no address", (hostname, { expect }) => {
    expect(parseAddress(hostname)).toBeNull();
  });

  test("any IPv4 address comes out of the URL parser and in here with the same bytes", ({ expect }) => {
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte, byte), (bytes) => {
        expect(parseAddress(new URL(`http://${bytes.join(".")}/`).hostname)).toEqual(bytes);
      }),
    );
  });

  test("any IPv6 address comes out of the URL parser and in here with the same bytes", ({ expect }) => {
    // Zeros are frequent, so that the parser has something to shorten.
    const group = fc.oneof(fc.constant(0), fc.nat({ max: 0xffff }));
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const { hostname } = new URL(`http://[${groups.map((each) => each.toString(16)).join(":")}]/`);
        expect(parseAddress(hostname)).toEqual(groups.flatMap((each) => [each >> 8, each & 0xff]));
      }),
    );
  });
});

describe("embeddedIpv4", () => {
  test.for([
    ["[::ffff:7f00:1]", "127.0.0.1"],
    ["[::ffff:0:7f00:1]", "127.0.0.1"],
    ["[64:ff9b::a00:1]", "10.0.0.1"],
    ["[2002:c0a8:101::1]", "192.168.1.1"],
    ["[::808:808]", "8.8.8.8"],
  ] as const)("finds in %s the address %s", ([hostname, inner], { expect }) => {
    expect(embeddedIpv4(parseAddress(hostname) ?? [])?.join(".")).toBe(inner);
  });

  test.for(["[::]", "[::1]", "[2001::1]", "[64:ff9b:1::7f00:1]", "[2606:4700::1111]", "127.0.0.1"])(
    "finds none in %s",
    (hostname, { expect }) => {
      expect(embeddedIpv4(parseAddress(hostname) ?? [])).toBeNull();
    },
  );
});

function blockOf(hostname: string): string | null {
  const address = parseAddress(hostname);
  if (address === null) throw new Error(`${hostname} is no address.`);
  return specialBlock(address)?.cidr ?? null;
}
