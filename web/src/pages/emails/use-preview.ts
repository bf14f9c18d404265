import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { MailKind } from '../../api/mail-choices.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { type PreviewRequest, previewQuery } from './mails.ts';

const TYPING_MS = 300;

/** How the email would look, a moment after the last key. */
export function usePreview(scope: Scope, kind: MailKind, request: PreviewRequest) {
  const [shown, setShown] = useState(request);
  const latest = JSON.stringify(request);
  useEffect(() => {
    const timer = setTimeout(() => setShown(JSON.parse(latest)), TYPING_MS);
    return () => clearTimeout(timer);
  }, [latest]);
  return useQuery({ ...previewQuery(scope, kind, shown), placeholderData: keepPreviousData });
}

export type Preview = ReturnType<typeof usePreview>;
