import { useEffect, useState } from 'react';

/** The text, once it has not changed for a moment: nobody wants an answer to every key. */
export function useSettled(text: string, afterMs = 300): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), afterMs);
    return () => clearTimeout(timer);
  }, [text, afterMs]);
  return settled;
}
