import { useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { RotateCcw, Send } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { useMay } from '../../api/me.ts';
import { focusHeading } from '../../shell/use-focus-page.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { useAct } from '../../ui/use-act.ts';
import { CodeArea } from './code-area.tsx';
import { languageName } from './mail-names.ts';
import { resetTemplate, saveTemplate, type Template, type TemplateTexts, templateQuery } from './mails.ts';
import { PreviewOptions } from './preview-options.tsx';
import { PreviewPane } from './preview-pane.tsx';
import { Problems } from './problems.tsx';
import { TemplateLanguages } from './template-languages.tsx';
import { TestDialog } from './test-dialog.tsx';
import { usePreview } from './use-preview.ts';
import { Variables } from './variables.tsx';

const textsOf = ({ subject, body }: Template): TemplateTexts => ({ subject, body });

export function TemplateEditor({ scope, template }: { scope: Scope; template: Template }) {
  const { kind, name, description, custom, enabled, variables, language, languages } = template;
  const outOfDate = languages.find((one) => one.language === language)?.outOfDate ?? false;
  const mayManage = useMay('admin');
  const client = useQueryClient();
  const [draft, setDraft] = useState(() => textsOf(template));
  const [asking, setAsking] = useState<'test' | 'reset' | null>(null);
  const bodyField = useRef<HTMLTextAreaElement>(null);
  const subjectField = useRef<HTMLInputElement>(null);
  const last = useRef<'subject' | 'body'>('body');
  const { language: chosen } = useSearch({ from: '/shell/waitlists/$waitlistId/emails/$kind' });
  const [person, setPerson] = useState<string>();
  const dirty = draft.subject !== template.subject || draft.body !== template.body;
  const shown = {
    language,
    ...(dirty ? draft : {}),
    ...(person === undefined ? {} : { entry: person }),
  };
  const preview = usePreview(scope, kind, shown);
  const adopt = (saved: Template) => {
    client.setQueryData(templateQuery(scope, kind, chosen).queryKey, saved);
    setDraft(textsOf(saved));
    return client.invalidateQueries({ queryKey: ['templates', scope.waitlistId], refetchType: 'none' });
  };
  const save = useAct(async () => {
    try {
      await adopt(await saveTemplate(scope, kind, language, draft));
      toast('Template saved');
    } catch (error) {
      toastError(error);
    }
  });
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
  const problems = preview.data?.problems ?? [];
  useEffect(focusHeading, []);
  return (
    <>
      <UnsavedGuard dirty={dirty} of="language" />
      <PageHeader
        title={name}
        about={
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            {description}
            <Badge tone={enabled ? 'accent' : 'neutral'}>{enabled ? 'On' : 'Off'}</Badge>
            {custom && <Badge tone="violet">Edited</Badge>}
            {outOfDate && <Badge tone="warn">Out of date</Badge>}
          </span>
        }
        actions={
          mayManage && (
            <>
              {custom && (
                <Button icon={<RotateCcw aria-hidden />} onClick={() => setAsking('reset')}>
                  Reset
                </Button>
              )}
              <Button icon={<Send aria-hidden />} onClick={() => setAsking('test')}>
                Send test
              </Button>
              <Button look="primary" disabled={!dirty} busy={save.busy} onClick={() => void save.run()}>
                Save
              </Button>
            </>
          )
        }
      />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Card>
          <div className="flex flex-col gap-5">
            <TemplateLanguages template={template} />
            {outOfDate && (
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
            )}
            <Field label="Subject" error={problems.find(({ field }) => field === 'subject')?.message}>
              <Input
                ref={subjectField}
                maxLength={500}
                autoComplete="off"
                readOnly={!mayManage}
                value={draft.subject}
                onFocus={() => {
                  last.current = 'subject';
                }}
                onChange={(event) => setDraft({ ...draft, subject: event.target.value })}
              />
            </Field>
            <div className="flex flex-col gap-2">
              <CodeArea
                ref={bodyField}
                label="Body"
                help="Markdown with variables. A link in a paragraph of its own becomes a button."
                readOnly={!mayManage}
                value={draft.body}
                problemLines={problems.flatMap(({ field, line }) => (field === 'body' && line ? [line] : []))}
                onFocus={() => {
                  last.current = 'body';
                }}
                onChange={(body) => setDraft({ ...draft, body })}
              />
              <Problems problems={problems.filter(({ field }) => field === 'body')} onGo={goTo} />
            </div>
            <Variables variables={variables} onInsert={mayManage ? insert : undefined} />
          </div>
        </Card>
        <PreviewPane
          preview={preview}
          about={`With ${person === undefined ? 'example values' : 'their values'}. Links do nothing here.`}
          options={
            <PreviewOptions
              person={person}
              onPerson={setPerson}
              problem={
                preview.error && person !== undefined ? ApiError.from(preview.error).sentence : undefined
              }
            />
          }
        />
      </div>
      {asking === 'test' && (
        <TestDialog scope={scope} kind={kind} shown={shown} onClose={() => setAsking(null)} />
      )}
      <ConfirmDialog
        open={asking === 'reset'}
        onClose={() => setAsking(null)}
        title={`Reset ${name}?`}
        about={`Your ${languageName(language)} text is replaced by the default, in every environment.`}
        action="Reset template"
        onConfirm={async () => {
          const before = textsOf(template);
          await adopt(await resetTemplate(scope, kind, language));
          toast('Template reset', {
            undo: () => void saveTemplate(scope, kind, language, before).then(adopt).catch(toastError),
          });
        }}
      />
    </>
  );
}
