import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/client.ts';
import type { MailLanguage } from '../../api/mail-choices.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { toast, toastError } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import {
  resetTemplate,
  saveTemplate,
  type TaggedTemplate,
  type Template,
  type TemplateTexts,
  templateQuery,
} from './mails.ts';

const FIELDS = ['subject', 'body'] as const;
type TextField = (typeof FIELDS)[number];

const textsOf = ({ subject, body }: Template): TemplateTexts => ({ subject, body });
const pick = (texts: TemplateTexts, fields: readonly TextField[]): Partial<TemplateTexts> =>
  Object.fromEntries(fields.map((field) => [field, texts[field]]));
const differing = (a: TemplateTexts, b: TemplateTexts) => FIELDS.filter((field) => a[field] !== b[field]);

/** What somebody else saved while a template was edited. */
export interface Meanwhile {
  changed: TextField[];
  /** Of these, what the draft would replace. */
  replaced: TextField[];
}

export type TemplateDraft = ReturnType<typeof useTemplateDraft>;

/** The texts of a template while they are edited. Saving never replaces what the editor has not shown. */
export function useTemplateDraft(scope: Scope, template: TaggedTemplate, chosen: MailLanguage | undefined) {
  const { kind, language } = template;
  const client = useQueryClient();
  /** What the draft was made from. */
  const [base, setBase] = useState(template);
  const [draft, setDraft] = useState(() => textsOf(template));
  const [meanwhile, setMeanwhile] = useState<Meanwhile>();
  const dirty = differing(draft, base).length > 0;
  const { queryKey } = templateQuery(scope, kind, chosen);
  /** What was typed since the draft was like `before` stays. */
  const start = (from: TaggedTemplate, before?: TemplateTexts) => {
    setBase(from);
    setDraft((now) => ({ ...textsOf(from), ...(before && pick(now, differing(now, before))) }));
    setMeanwhile(undefined);
  };
  if (base.version !== template.version && !dirty) start(template);

  const adopt = (saved: TaggedTemplate, sent?: TemplateTexts) => {
    client.setQueryData(queryKey, saved);
    start(saved, sent);
    return client.invalidateQueries({ queryKey: ['templates', scope.waitlistId], refetchType: 'none' });
  };
  const write = (texts: TemplateTexts, etag: string) => saveTemplate(scope, kind, language, texts, etag);
  /** Takes over what the draft has not changed. */
  const rebase = async () => {
    const theirs = await client.fetchQuery({ ...templateQuery(scope, kind, chosen), staleTime: 0 });
    const mine = differing(draft, base);
    const changed = differing(theirs, base);
    start(theirs, textsOf(base));
    setMeanwhile({ changed, replaced: changed.filter((field) => mine.includes(field)) });
  };
  const save = useAct(async () => {
    try {
      await adopt(await write(draft, base.etag), draft);
      toast('Template saved');
    } catch (error) {
      await (ApiError.from(error).code === 'changed_meanwhile' ? rebase() : Promise.reject(error)).catch(
        toastError,
      );
    }
  });
  const reset = async () => {
    const saved = await resetTemplate(scope, kind, language);
    await adopt(saved);
    toast('Template reset', {
      undo: () =>
        void write(textsOf(base), saved.etag)
          .then((saved) => adopt(saved))
          .catch(toastError),
    });
  };
  return {
    draft,
    set: (part: Partial<TemplateTexts>) => setDraft((now) => ({ ...now, ...part })),
    dirty,
    meanwhile,
    save,
    reset,
    discard: () => start(base),
  };
}
