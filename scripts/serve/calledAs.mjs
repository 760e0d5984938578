// By which names a server lets itself be called. A page of somebody else's can have its own name lead to this machine (DNS rebinding) and
// would then be of this server's origin; but its requests still carry that name. An address cannot be made to lead elsewhere, so any is fine.
import { isIP } from "node:net";
import { hostname } from "node:os";

/** The name in a Host header, without its port; null where it is none. @param {string} host */
function nameIn(host) {
  const address = `http://${host}`;
  return host !== "" && URL.canParse(address) ? new URL(address).hostname.toLowerCase() : null;
}

/** @param {string} name */
const isAddress = (name) => isIP(name.replace(/^\[|\]$/g, "")) !== 0;

/**
 * Why a request is refused for the name it calls the server by; null where it is not.
 * @param {string | undefined} host its Host header
 * @param {readonly string[]} allowed names beside localhost and the machine's: that of --host, and those of --allow-host
 */
export function wrongName(host, allowed) {
  const name = nameIn(host ?? "");
  const known = ["localhost", hostname(), `${hostname()}.local`, ...allowed].map((each) => each.toLowerCase());
  if (name !== null && (isAddress(name) || name.endsWith(".localhost") || known.includes(name))) return null;
  return `this server is called by the name ${name === null ? "of nothing" : JSON.stringify(name)}, which it does not go by: start it with --allow-host ${name ?? "NAME"} if that is right`;
}
