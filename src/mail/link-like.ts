/** Never seen, and dropped by programs that look for links: between the letters of a host they hide it. */
const IGNORED = /\p{Default_Ignorable_Code_Point}|\p{Cf}/gu;
/** Read as a dot by browsers, or looking like one. Others (fullwidth, small, one dot leader) become a dot in NFKC. */
const DOT_LIKE = /[\u3002\u06d4\u0701\u0702\ua4f8\ua60e\u{10a50}]/gu;

/** What mail clients turn into links by themselves, and a little more: what counts as a host differs between them. */
const LINKS: readonly RegExp[] = [
  // https://, //host, and a backslash pair as in a Windows share.
  /[/\\]{2}/,
  // A scheme without slashes.
  /(?:^|[^\p{L}])(?:https?|hxxps?|ftp|mailto|tel|sms|javascript|vbscript|data|file|about|blob)\s{0,9}:/iu,
  /(?:^|[^\p{L}\p{N}])www\d*\./iu,
  // A dot between something and two or more characters of which the first is a letter, in any alphabet.
  /[^\s.,;:!?'"()<>{}[\]]\.[\p{L}][\p{L}\p{N}\p{M}-]/u,
  // A name without a dot, with a port: localhost:3000.
  /\p{L}[\p{N}\p{M}-]{0,20}:\d{2,5}(?!\d)/u,
  // Addresses: 192.0.2.1, [2001:db8::1].
  /(?<!\d)\d{1,3}(?:\.\d{1,3}){3}(?!\d)/,
  /\[[\da-f:.]{0,9}:[\da-f:.]{1,40}\]/i,
];

/**
 * Whether a mail client could make a link of a stranger's value, and so send people somewhere in our name. Rather
 * once too often: a name that looks like a host is missing in a mail, and nothing else is lost.
 */
export function couldBecomeLink(value: string): boolean {
  const seen = value.normalize('NFKC').replace(IGNORED, '').replace(DOT_LIKE, '.');
  return LINKS.some((link) => link.test(seen));
}
