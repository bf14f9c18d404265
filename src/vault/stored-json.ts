import { Unreadable } from './crypto.ts';

/** Of a column that is not sealed. Throws `Unreadable`, as opening a sealed one does. */
export function storedJson<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new Unreadable('damaged: not valid JSON', { cause });
  }
}
