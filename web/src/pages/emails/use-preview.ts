import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { MailKind } from '../../api/mail-choices.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { useSettled } from '../../ui/use-settled.ts';
import { type PreviewRequest, previewQuery } from './mails.ts';

/** How the email would look, a moment after the last key. */
export function usePreview(scope: Scope, kind: MailKind, request: PreviewRequest) {
  const shown: PreviewRequest = JSON.parse(useSettled(JSON.stringify(request)));
  return useQuery({ ...previewQuery(scope, kind, shown), placeholderData: keepPreviousData });
}

export type MailPreview = ReturnType<typeof usePreview>;
