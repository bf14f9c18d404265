import { useRef } from 'react';
import { say } from '../../api/client.ts';
import { useMay } from '../../api/me.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { CodeArea } from './code-area.tsx';
import { languageName } from './mail-names.ts';
import type { TaggedTemplate } from './mails.ts';
import { Problems } from './problems.tsx';
import { TemplateLanguages } from './template-languages.tsx';
import type { MailPreview } from './use-preview.ts';
import type { TemplateDraft } from './use-template-draft.ts';
import { Variables } from './variables.tsx';

interface TemplateTextsCardProps {
  template: TaggedTemplate;
  texts: TemplateDraft;
  isOutOfDate: boolean;
  preview: MailPreview;
}

/** Subject and body with what is wrong in them, and the variables that can be inserted. */
export function TemplateTextsCard({ template, texts, isOutOfDate, preview }: TemplateTextsCardProps) {
  const mayManage = useMay('admin');
  const { draft, set, meanwhile, discard } = texts;
  const subjectField = useRef<HTMLInputElement>(null);
  const bodyField = useRef<HTMLTextAreaElement>(null);
  const last = useRef<'subject' | 'body'>('body');
  const insert = (text: string) => {
    const field = last.current === 'subject' ? subjectField.current : bodyField.current;
    if (!field) return;
    field.focus();
    // So that the browser's own undo takes it back.
    document.execCommand('insertText', false, text);
  };
  const goTo = (field: 'subject' | 'body', line: number | null) => {
    if (field === 'subject') return subjectField.current?.focus();
    const lines = draft.body.split('\n');
    const at = line ?? 1;
    const start = lines.slice(0, at - 1).reduce((sum, each) => sum + each.length + 1, 0);
    bodyField.current?.focus();
    bodyField.current?.setSelectionRange(start, start + (lines[at - 1]?.length ?? 0));
  };
  const problemsOf = (one: 'subject' | 'body') =>
    (preview.data?.problems ?? []).flatMap(({ field, line, message }) =>
      field === one ? { field, line, message: say(field, message) } : [],
    );
  const inBody = problemsOf('body');
  return (
    <Card>
      <div className="flex flex-col gap-5">
        <TemplateLanguages template={template} />
        {meanwhile && <ChangedMeanwhile meanwhile={meanwhile} onDiscard={discard} />}
        {isOutOfDate && <OutOfDate template={template} texts={texts} />}
        <Field label="Subject" error={problemsOf('subject')[0]?.message}>
          <Input
            ref={subjectField}
            maxLength={500}
            autoComplete="off"
            readOnly={!mayManage}
            value={draft.subject}
            onFocus={() => {
              last.current = 'subject';
            }}
            onChange={(event) => set({ subject: event.target.value })}
          />
        </Field>
        <div className="flex flex-col gap-2">
          <CodeArea
            ref={bodyField}
            label="Body"
            help="Markdown with variables. A link in a paragraph of its own becomes a button."
            readOnly={!mayManage}
            value={draft.body}
            invalid={inBody.length > 0}
            problemLines={inBody.flatMap(({ line }) => line ?? [])}
            onFocus={() => {
              last.current = 'body';
            }}
            onChange={(body) => set({ body })}
          />
          <Problems problems={inBody} onGo={goTo} />
        </div>
        <Variables variables={template.variables} onInsert={mayManage ? insert : undefined} />
      </div>
    </Card>
  );
}

/** The text in the first language was edited after this one. */
function OutOfDate({ template, texts: { dirty, save } }: Pick<TemplateTextsCardProps, 'template' | 'texts'>) {
  const mayManage = useMay('admin');
  const { language, languages } = template;
  return (
    <Alert tone="warn" title="Out of date">
      {languageName(languages[0]?.language ?? language)} was edited after this text.
      {mayManage && !dirty && (
        <span className="mt-2 block">
          <Button size="sm" busy={save.busy} onClick={() => void save.run()}>
            Mark as up to date
          </Button>
        </span>
      )}
    </Alert>
  );
}
