/** The kind of credential that a name announces. */
export type Credential = "password" | "token" | "key" | "auth" | "license";

const PASSWORD =
  /(?:password|passwd|passphrase|passwort|pwd)s?$|^(?:db|my|user|root|admin|ssh|redis|require)?pass$|^pgpass$|^pw$/;
const TOKEN = /(?:tokens?|secrets?)$|^(?:pat|bearer|jwt|psk)$/;
const AUTH = /^(?:auth|masterauth|credentials?|creds?|ident)$/;
const KEY =
  /^(?:api|access|secret|private|encryption|signing|auth|master|service|account|client|app|application|consumer|subscription|shared|storage|admin|webhook|root|session|jwt|hmac|deploy|crypto|cipher|license|licence|security|server|integration|write)keys?$/;
const KEYS_OF = new Set(
  (
    "access account admin api app application auth authentication authorization cipher client consumer crypto decryption deploy encrypt " +
    "encryption hmac integration jwt license licence live management master preshared private prod production read root secret security server service session " +
    "shared sign signing ssh storage subscription test user validation webhook write"
  ).split(" "),
);

/** Words after a credential's that make the name mean something else: `token_url`, `passwordHash`, `secretName`. */
const BEHIND = new Set(
  (
    "age alg algo algorithm algorithms arn array aud audience bucket budget callback char chars checksum class column commit cost count counts " +
    "created cursor date digest dir directory duration embedding embeddings enabled encoding endpoint endpoints error event exchange exp " +
    "expiration expire expired expires expiry field fields file filename fingerprint folder format generator handler hash hashes header hex " +
    "headers hint host id identifier ids index info input interval issuer kid kind kms label len length level limit limits link list " +
    "location manager map max message method methods min mode name names namespace num number object offset page param parameter parameters " +
    "path pattern period placeholder pointer policy position prefix price prompt provider query ratio ref reference regex regexp region " +
    "required requirements resource role rotation rule rules salt schema scope scopes selector service sha signature size source spec " +
    "start state status store strength suffix sum table target text threshold thumbprint time timeout title ttl type types uid updated uri " +
    "uris url urls usage used user username uuid valid validation validator vault verifier version versions"
  ).split(" "),
);

/** Words that make any name harmless: `public_key`, `csrf_token`, `nextPageToken`. */
const HARMLESS = new Set(
  (
    "accessibility accessor cache cancel cancellation change confirmation continuation cursor digest etag fake foreign hash idempotency idempotent lock " +
    "marker mock next nonce page pagination paging partition placeholder primary pub public publishable push request resume schema sort " +
    "starting stream sync task update verification"
  ).split(" "),
);

/** The credential that the words of an identifier announce; undefined if they announce none. */
export function credentialOf(words: readonly string[]): Credential | undefined {
  if (words.some((word) => HARMLESS.has(word) || /^[cx]srf/.test(word))) return undefined;
  for (let at = words.length - 1; at >= 0; at--) {
    const word = words[at] ?? "";
    const credential = credentialAt(word, words[at - 1] ?? "");
    if (credential) return credential;
    // A name such as `SECRET_DO_NOT_COMMIT` is still one of a secret.
    if (BEHIND.has(word) && words[at - 1] !== "not") return undefined;
  }
  return undefined;
}

function credentialAt(word: string, before: string): Credential | undefined {
  if (PASSWORD.test(word)) return "password";
  if (TOKEN.test(word)) return "token";
  if (word === "key" || word === "keys") {
    if (before === "license" || before === "licence") return "license";
    return KEYS_OF.has(before) ? "key" : undefined;
  }
  if (/^licen[cs]ekey$/.test(word)) return "license";
  if (KEY.test(word)) return "key";
  return AUTH.test(word) ? "auth" : undefined;
}
