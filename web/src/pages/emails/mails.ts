import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, call, callTagged, ifMatch, type Schemas, type Tagged } from '../../api/client.ts';
import type { MailKind, MailLanguage, MailState } from '../../api/mail-choices.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import type { Tone } from '../../ui/badge.tsx';

export type Mail = Schemas['Mail'];
/** Only emails of waitlists have templates, and say whether they can be sent again. */
export type MailDetails = Omit<Schemas['MailDetails'], 'mailable' | 'templateFailure'> & {
  mailable?: Schemas['Mailable'];
  templateFailure?: string | null;
};
export type MailSettings = Tagged<Schemas['MailSettings']>;
export type Template = Schemas['MailTemplate'];
export type TaggedTemplate = Tagged<Template>;

/** Whose emails: those of a waitlist, or with `null` those to operators. */
export type MailSource = Scope | null;

export const STATE_TONES: Record<MailState, Tone> = {
  sent: 'accent',
  pending: 'sky',
  failed: 'danger',
  kept: 'violet',
};
const SOON_MS = 60_000;
export const WAITING_MS = 1_000;

/** Whether an attempt comes soon or is under way, which moves the next one by up to a minute. */
export function isDue({ state, nextAttemptAt }: Pick<Mail, 'state' | 'nextAttemptAt'>): boolean {
  return state === 'pending' && nextAttemptAt !== null && Date.parse(nextAttemptAt) < Date.now() + SOON_MS;
}

const scopeKey = ({ waitlistId, environment }: Scope) => [waitlistId, environment];
const paramsOf = ({ waitlistId, environment }: Scope) => ({ path: { waitlistId }, query: { environment } });
const kindParams = ({ waitlistId, environment }: Scope, kind: MailKind) => ({
  path: { waitlistId, kind },
  query: { environment },
});

const inLanguage = (scope: Scope, kind: MailKind, language: MailLanguage | undefined) => {
  const { path, query } = kindParams(scope, kind);
  return { path, query: { ...query, language } };
};

export const mailsKey = (source: MailSource) => ['mails', ...(source ? scopeKey(source) : ['operators'])];

export interface MailFilter {
  state?: MailState | undefined;
  kind?: MailKind | undefined;
  /** Exactly this address. Goes with no other filter. */
  to?: string | undefined;
}

export const mailsQuery = (source: MailSource, filter: MailFilter) =>
  infiniteQueryOptions({
    queryKey: [...mailsKey(source), 'list', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: cursor }): Promise<{ mails: Mail[]; nextCursor: string | null }> => {
      const { state, kind, to } = filter;
      if (source === null)
        return call(api.GET('/admin/v1/mails', { params: { query: { cursor, state, limit: 50 } } }));
      const { path, query } = paramsOf(source);
      return call(
        api.GET('/admin/v1/waitlists/{waitlistId}/mails', {
          params: {
            path,
            query: { ...query, ...(to === undefined ? { state, kind } : { email: to }), cursor, limit: 50 },
          },
        }),
      );
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

export const mailQuery = (source: MailSource, mailId: string) =>
  queryOptions({
    queryKey: [...mailsKey(source), mailId],
    queryFn: async (): Promise<MailDetails> => {
      if (source === null) return call(api.GET('/admin/v1/mails/{mailId}', { params: { path: { mailId } } }));
      const { path, query } = paramsOf(source);
      return call(
        api.GET('/admin/v1/waitlists/{waitlistId}/mails/{mailId}', {
          params: { path: { ...path, mailId }, query },
        }),
      );
    },
    refetchInterval: ({ state }) => (state.data && isDue(state.data) ? WAITING_MS : false),
  });

export function resendMail(scope: Scope, mailId: string) {
  const { path, query } = paramsOf(scope);
  return call(
    api.POST('/admin/v1/waitlists/{waitlistId}/mails/{mailId}/resend', {
      params: { path: { ...path, mailId }, query },
    }),
  );
}

export function sendKept(scope: Scope, body: Schemas['MailSendKeptRequest']) {
  return call(
    api.POST('/admin/v1/waitlists/{waitlistId}/mails/send-kept', { params: paramsOf(scope), body }),
  );
}

export function retryMails(scope: Scope, body: Schemas['MailRetryRequest']) {
  return call(api.POST('/admin/v1/waitlists/{waitlistId}/mails/retry', { params: paramsOf(scope), body }));
}

export const templatesQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['templates', ...scopeKey(scope)],
    queryFn: async () =>
      (await call(api.GET('/admin/v1/waitlists/{waitlistId}/mail/templates', { params: paramsOf(scope) })))
        .templates,
  });

export const templateQuery = (scope: Scope, kind: MailKind, language: MailLanguage | undefined) =>
  queryOptions({
    queryKey: ['templates', ...scopeKey(scope), kind, language ?? null],
    queryFn: () =>
      callTagged(
        api.GET('/admin/v1/waitlists/{waitlistId}/mail/templates/{kind}', {
          params: inLanguage(scope, kind, language),
        }),
      ),
  });

export interface TemplateTexts {
  subject: string;
  body: string;
}

export type PreviewRequest = Schemas['MailPreviewRequest'];

export const previewQuery = (scope: Scope, kind: MailKind, body: PreviewRequest) =>
  queryOptions({
    queryKey: ['preview', ...scopeKey(scope), kind, body],
    queryFn: () =>
      call(
        api.POST('/admin/v1/waitlists/{waitlistId}/mail/templates/{kind}/preview', {
          params: kindParams(scope, kind),
          body,
        }),
      ),
    gcTime: 0,
  });

export function saveTemplate(
  scope: Scope,
  kind: MailKind,
  language: MailLanguage,
  body: TemplateTexts,
  etag: string,
) {
  return callTagged(
    api.PUT('/admin/v1/waitlists/{waitlistId}/mail/templates/{kind}', {
      params: { ...inLanguage(scope, kind, language), header: { 'If-Match': etag } },
      body,
    }),
  );
}

export function resetTemplate(scope: Scope, kind: MailKind, language: MailLanguage) {
  return callTagged(
    api.DELETE('/admin/v1/waitlists/{waitlistId}/mail/templates/{kind}', {
      params: inLanguage(scope, kind, language),
    }),
  );
}

export function sendTestMail(scope: Scope, kind: MailKind, to: string, shown: PreviewRequest) {
  return call(
    api.POST('/admin/v1/waitlists/{waitlistId}/mail/templates/{kind}/test', {
      params: kindParams(scope, kind),
      body: { to, ...shown },
    }),
  );
}

export const mailSettingsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['mail-settings', ...scopeKey(scope)],
    queryFn: () =>
      callTagged(api.GET('/admin/v1/waitlists/{waitlistId}/mail/settings', { params: paramsOf(scope) })),
  });

/** Asks the DNS, which may take seconds. */
export const senderCheckQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['mail-sender', ...scopeKey(scope)],
    queryFn: () => call(api.GET('/admin/v1/waitlists/{waitlistId}/mail/sender', { params: paramsOf(scope) })),
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });

export function updateMailSettings(scope: Scope, body: Schemas['MailSettingsChanges'], etag?: string) {
  const params = { ...paramsOf(scope), ...ifMatch(etag) };
  return callTagged(api.PATCH('/admin/v1/waitlists/{waitlistId}/mail/settings', { params, body }));
}

export const suppressionsQuery = (scope: Scope) =>
  infiniteQueryOptions({
    queryKey: ['suppressions', ...scopeKey(scope)],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) => {
      const { path, query } = paramsOf(scope);
      return call(
        api.GET('/admin/v1/waitlists/{waitlistId}/suppressions', {
          params: { path, query: { ...query, cursor, limit: 50 } },
        }),
      );
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

export function removeSuppression(scope: Scope, email: string) {
  const { path, query } = paramsOf(scope);
  return call(
    api.DELETE('/admin/v1/waitlists/{waitlistId}/suppressions/{email}', {
      params: { path: { ...path, email }, query },
    }),
  );
}
