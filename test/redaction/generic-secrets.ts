import { randomFrom, textOf } from "./samples.ts";

const random = randomFrom(31);

export const ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
export const T = `q7${textOf(ALNUM, 38, random)}`;
export const HEX = textOf("0123456789abcdef", 40, random);
export const UUID = HEX.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
export const PASS = "hunter2!x";
export const base64 = (text: string) => Buffer.from(text).toString("base64");
export const USER = base64(`alice:${PASS}`);
export const LICENSE = ["A1B2C", "D3E4F", "G5H6I", "J7K8L", "M9N0P"].join("-");
