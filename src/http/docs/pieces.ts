import type { Field, TypeText } from './fields.ts';
import { type Html, html, inline, json } from './html.ts';
import type { BodyModel, EventModel, OperationModel, ResponseModel } from './model.ts';

export function methodBadge(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

/** Highlights the parameters of a path, and lets long paths wrap. */
function pathText(path: string): Html {
  const parts = path.split(/(\{\w+\}|(?<=\/))/);
  return html`${parts.map((part) => (part.startsWith('{') ? html`<em>${part}</em>` : html`<wbr>${part}`))}`;
}

interface FieldTable {
  label: string;
  heading: string;
  fields: Field[];
  /**
   * What to mark: what a caller must send, or what a response may lack. Limits are shown for requests only.
   */
  mark?: 'required' | 'optional';
}

export function fieldTable({ label, heading, fields, mark }: FieldTable): Html {
  return html`<table class="fields" aria-label="${label}">
<thead><tr><th scope="col">${heading}</th><th scope="col">Description</th></tr></thead>
<tbody>${fields.map((field) => fieldRow(field, mark))}</tbody>
</table>`;
}

function fieldRow(field: Field, mark: FieldTable['mark']): Html {
  const { name, type, required, description, values, limits } = field;
  const end = name.lastIndexOf('.') + 1;
  const word = mark === (required ? 'required' : 'optional') ? mark : '';
  const details = [values ?? [], mark === 'required' ? limits : []].flat();
  return html`<tr>
<th scope="row"><code><span class="parent">${name.slice(0, end)}</span>${end > 0 && html`<wbr>`}${name.slice(end)}</code>
<span class="type">${type.map(typePart)}</span> <span class="${word}">${word}</span></th>
<td>${inline(description)}${details.map((detail) => html` <span class="limit">${inline(detail)}</span>`)}</td>
</tr>`;
}

function typePart(part: TypeText): Html {
  return typeof part === 'string' ? html`${part}` : html`<a href="${part.href}">${part.object}</a>`;
}

/** A session is a cookie, everything else a bearer token. */
function howToSend(credentials: readonly string[]): Html {
  const link = (text: string) => html`<a href="#authentication">${text}</a>`;
  const tokens = credentials.filter((name) => name !== 'Session');
  if (credentials.length === 0) return html`No authentication`;
  if (tokens.length === 0) return html`${link('Session')} in a cookie`;
  const also = tokens.length < credentials.length ? ', or a session' : '';
  return html`${link(tokens.join(' or '))} in <code>Authorization: Bearer</code>${also}`;
}

export function operationArticle(operation: OperationModel): Html {
  const { id, method, path, summary, description, credentials } = operation;
  return html`<article id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title"><a href="#${id}">${summary}</a></h3>
<p class="endpoint">${methodBadge(method)} <code>${pathText(path)}</code></p>
<div class="columns">
<div class="reference">
<p>${inline(description)}</p>
<p class="auth">${howToSend(credentials)}</p>
${operation.parameters.map(
  ({ title, fields }) => html`<h4>${title}</h4>
${fieldTable({ label: `${title} of ${summary}`, heading: 'Parameter', fields, mark: 'required' })}`,
)}
${bodyPart(operation)}
${operation.answers.map((answer) => answerPart(answer, summary))}
<h4>Errors</h4>
${errorTable(operation)}
</div>
<div class="samples">
${codeBlock('Request', html`${operation.curl}`, 'curl')}
${operation.body?.others.map(({ summary: title, value }) => foldedSample(html`Body: ${title}`, value, false))}
${operation.answers.map(({ status, examples }) =>
  examples.map((example, index) =>
    foldedSample(html`${statusBadge(status)} ${example.summary}`, example.value, index === 0),
  ),
)}
</div>
</div>
</article>`;
}

export function eventArticle({ kind, id, name, when, data, example }: EventModel, index: number): Html {
  return html`<article id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title"><a href="#${id}">${kind}</a> ${schemaName(name)}</h3>
<div class="columns">
<div class="reference">
<p>${inline(when)}</p>
${fieldTable({ label: `Data of ${kind}`, heading: 'Field', fields: data, mark: 'optional' })}
</div>
<div class="samples">
${foldedSample(html`Body`, example, index === 0)}
</div>
</div>
</article>`;
}

function bodyPart({ body, summary }: OperationModel): Html | undefined {
  if (!body) return undefined;
  return html`<h4>Body ${schemaName(body.name)}${!body.required && html` <span class="optional">optional</span>`}</h4>
${shapeTables(body, `Body of ${summary}`, 'required')}`;
}

function answerPart(answer: ResponseModel, summary: string): Html {
  const { status, description, name, href, headers } = answer;
  return html`<h4>Response ${statusBadge(status)} ${schemaName(href === undefined ? name : undefined)}</h4>
<p>${description}${href !== undefined && html` See <a href="${href}">${name ?? ''}</a>.`}
<span class="headers"><a href="#headers">Headers</a>: ${headers.map((header, index) => html`${index > 0 && ', '}<code>${header}</code>`)}</span></p>
${shapeTables(answer, `Response ${status} of ${summary}`, 'optional')}`;
}

/** The name that generated clients use. */
function schemaName(name: string | undefined): Html | undefined {
  return name === undefined ? undefined : html`<code class="schema">${name}</code>`;
}

function shapeTables({ shapes }: BodyModel, label: string, mark: 'required' | 'optional'): Html[] {
  return shapes.map(({ when, name, fields }) =>
    when === undefined
      ? fieldTable({ label, heading: 'Field', fields, mark })
      : html`<p class="shape">${inline(when)} ${schemaName(name)}</p>
${fieldTable({ label: `${label}, ${name ?? ''}`, heading: 'Field', fields, mark })}`,
  );
}

function errorTable({ errors, summary }: OperationModel): Html {
  return html`<table class="errors" aria-label="Errors of ${summary}">
<thead><tr><th scope="col">Status</th><th scope="col">Error</th></tr></thead>
<tbody>${errors.map(
    ({ status, code, when, value }) => html`<tr>
<td>${statusBadge(status)}</td>
<td><code class="code">${code}</code>${inline(when)}<code class="example">${JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' ')}</code></td>
</tr>`,
  )}</tbody>
</table>`;
}

function statusBadge(status: string): Html {
  return html`<span class="status s${status.slice(0, 1)}">${status}</span>`;
}

function codeBlock(title: string, content: Html, className = ''): Html {
  return html`<figure class="sample"><figcaption>${title}</figcaption>
<pre tabindex="0" role="region" aria-label="${title}" class="${className}"><code>${content}</code></pre></figure>`;
}

function foldedSample(title: Html, value: unknown, isOpen: boolean): Html {
  return html`<details class="sample"${isOpen && html` open`}><summary>${title}</summary>
<pre tabindex="0" role="region" aria-label="Example"><code>${json(value)}</code></pre></details>`;
}
