import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { type MailKind, previewQuery, type TemplateTexts } from './mails.ts';

const TYPING_MS = 300;

/** How the draft would look, a moment after the last key. An empty text is not worth a request. */
export function usePreview(scope: Scope, kind: MailKind, draft: TemplateTexts) {
  const [shown, setShown] = useState(draft);
  useEffect(() => {
    const timer = setTimeout(() => setShown(draft), TYPING_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  return useQuery({
    ...previewQuery(scope, kind, shown),
    placeholderData: keepPreviousData,
    enabled: shown.subject !== '' && shown.body !== '',
  });
}

export type Preview = ReturnType<typeof usePreview>;
