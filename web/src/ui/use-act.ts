import { useRef, useState } from 'react';
import { ApiError } from '../api/client.ts';

/**
 * Runs an action once at a time, and keeps its error to show it beside the button. While it runs, `doing` is what it was
 * given: which of many buttons is busy.
 */
export function useAct<A extends unknown[]>(action: (...input: A) => Promise<unknown>) {
  const [state, setState] = useState<{ busy: boolean; doing?: A; error?: ApiError }>({ busy: false });
  const running = useRef(false);
  const run = async (...input: A) => {
    if (running.current) return;
    running.current = true;
    setState({ busy: true, doing: input });
    try {
      await action(...input);
      setState({ busy: false });
    } catch (error) {
      setState({ busy: false, error: ApiError.from(error) });
    } finally {
      running.current = false;
    }
  };
  const forgetError = () => setState(({ error: _, ...now }) => now);
  return { ...state, run, forgetError };
}
