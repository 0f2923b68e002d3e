import { memoize } from "../../lib/once.ts";
import type { Place } from "../place.ts";
import { hostsOfRemotes } from "../remotes.ts";
import { registryHosts } from "./registries.ts";
import type { HostSetName } from "./set-names.ts";

const split = (patterns: string) => patterns.trim().split(/\s+/);

const LISTED: Readonly<Partial<Record<HostSetName, readonly string[]>>> = {
  loopback: split("127.0.0.0/8 ::1 localhost *.localhost"),
  private: split("10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 169.254.0.0/16 fe80::/10 fc00::/7 *.local *.internal *.lan"),
  metadata: split("169.254.169.254 fd00:ec2::254 metadata.google.internal 100.100.100.200"),
  forges: split("github.com *.github.com *.githubusercontent.com gitlab.com bitbucket.org codeberg.org"),
};

const registries = memoize(registryHosts);

/** The patterns of a built-in set of hosts. Files are read when `registries` or `project` is asked for, once. */
export function hostSet(name: HostSetName, place: Place): readonly string[] {
  const listed = LISTED[name];
  if (listed) return listed;
  return name === "registries" ? registries(place) : hostsOfRemotes(place);
}
