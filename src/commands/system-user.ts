import { userInfo } from 'node:os';

/** Who runs a command, for the record. In a container, the user may have no name. */
export function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
