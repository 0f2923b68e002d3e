import { describe, expect, test } from "bun:test";
import { isPublicAddress, resolveHost } from "../../../src/lib/network/address.ts";

const INTERNAL = [
  "127.0.0.1",
  "127.255.255.254",
  "0.0.0.0",
  "10.1.2.3",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "168.63.129.16",
  "169.254.169.254",
  "100.64.0.1",
  "100.127.255.255",
  "224.0.0.1",
  "239.1.1.1",
  "240.0.0.1",
  "255.255.255.255",
  "198.18.0.1",
  "192.0.0.8",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:a00:1",
  "::7f00:1",
  "::ffff:0:7f00:1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::1",
  "2001::1",
  "2002:7f00:1::",
  "fc00::1",
  "fdff::1",
  "fe80::1",
  "fe80::1%2",
  "fec0::1",
  "ff02::1",
];
const PUBLIC = [
  "8.8.8.8",
  "11.0.0.1",
  "100.63.255.255",
  "100.128.0.1",
  "172.15.0.1",
  "172.32.0.1",
  "192.167.1.1",
  "169.253.0.1",
  "223.255.255.255",
  "2606:4700::1111",
  "2001:4860:4860::8888",
  "::ffff:8.8.8.8",
];

describe("an address", () => {
  test.each(INTERNAL)("%s is internal", (address) => expect(isPublicAddress(address)).toBe(false));
  test.each(PUBLIC)("%s is public", (address) => expect(isPublicAddress(address)).toBe(true));
  test.each(["", "localhost", "1.2.3", "8.8.8.8.8"])("%p is not a public address", (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });
});

test("a literal address resolves to itself, with and without brackets", async () => {
  expect(await resolveHost("[::1]")).toEqual({ kind: "resolved", addresses: ["::1"] });
  expect(await resolveHost("8.8.8.8")).toEqual({ kind: "resolved", addresses: ["8.8.8.8"] });
});

test("a name is looked up", async () => {
  expect(await resolveHost("localhost")).toMatchObject({
    kind: "resolved",
    addresses: expect.arrayContaining(["127.0.0.1"]),
  });
});

test("a name without an address is a failure", async () => {
  expect(await resolveHost("nowhere.invalid")).toEqual({
    kind: "failed",
    reason: "no address found for nowhere.invalid",
  });
});

test("an aborted look-up is a failure", async () => {
  expect(await resolveHost("localhost", AbortSignal.abort())).toMatchObject({ kind: "failed" });
});
