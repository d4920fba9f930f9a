/**
 * Host names that need no URL parser.
 *
 * @module
 */

/**
 * The source of a regular expression for a host that the WHATWG parser leaves as it is: labels of lower-case letters, digits and hyphens,
 * none in Punycode (which it would check), and the last one no number (which it would read as an IPv4 address).
 */
export const PLAIN_HOST = String.raw`(?!xn--)(?:[a-z0-9-]+\.(?!xn--))*[a-z][a-z0-9-]*`;
