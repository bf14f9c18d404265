import { useEffect, useRef } from 'react';

/** The second key of a sequence must follow soon. */
const SEQUENCE_MS = 1_200;

export interface PressedKey {
  key: string;
  /** With Ctrl or ⌘. Then it counts even while somebody is typing. */
  isCommand: boolean;
  /** Whether it follows a `g`. */
  isSecond: boolean;
  event: KeyboardEvent;
}

/** Keys that are pressed anywhere on the page, unless somebody is typing. */
export function useKeys(act: (pressed: PressedKey) => void): void {
  const newest = useRef(act);
  useEffect(() => {
    newest.current = act;
  });
  useEffect(() => {
    let went = Number.NEGATIVE_INFINITY;
    const onKeyDown = (event: KeyboardEvent) => {
      const isCommand = event.metaKey || event.ctrlKey;
      if (!isCommand && (event.altKey || isTyping(event.target))) return;
      const isSecond = !isCommand && event.timeStamp - went < SEQUENCE_MS;
      const key = keyOf(event);
      went = key === 'g' && !isCommand ? event.timeStamp : Number.NEGATIVE_INFINITY;
      newest.current({ key, isCommand, isSecond: isSecond && key !== 'g', event });
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** On a keyboard with another script, such as Arabic or Cyrillic: what the key has in the Latin one. */
function keyOf({ key, code, shiftKey }: KeyboardEvent): string {
  if (key.length !== 1 || /[ -~]/.test(key)) return key;
  if (code === 'Slash') return shiftKey ? '?' : '/';
  return code.replace(/^Key/, '').toLowerCase();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest(
      'input, textarea, select, [contenteditable], [role="dialog"], [role="menu"], [role="listbox"]',
    ) !== null
  );
}
