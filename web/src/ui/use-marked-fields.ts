import { useEffect, useRef, useState } from 'react';
import type { ApiError } from '../api/client.ts';

/** Leads to the first field that an error marked, which may be out of sight, and counts them. */
export function useMarkedFields(error: ApiError | undefined) {
  const form = useRef<HTMLFormElement>(null);
  const [marked, setMarked] = useState(0);
  useEffect(() => {
    if (!error) return;
    const fields = [...(form.current?.querySelectorAll<HTMLElement>('[aria-invalid="true"]') ?? [])];
    setMarked(fields.length);
    fields[0]?.scrollIntoView({ block: 'center' });
    fields[0]?.focus({ preventScroll: true });
  }, [error]);
  return { form, marked };
}
