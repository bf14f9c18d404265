import type { Field } from './fields.ts';
import { type Html, html } from './html.ts';
import { inline, json } from './markdown.ts';
import type { Answer, EventModel, OperationModel } from './model.ts';

export function methodBadge(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

/** The path with its parameters set off, and places where a long one may break. */
function pathText(path: string): Html {
  const parts = path.split(/(\{\w+\}|(?<=\/))/);
  return html`${parts.map((part) => (part.startsWith('{') ? html`<em>${part}</em>` : html`<wbr>${part}`))}`;
}

interface FieldTable {
  label: string;
  heading: string;
  fields: Field[];
  /** What is worth a word: what a caller must send, or what an answer may lack. */
  mark?: 'required' | 'optional';
}

export function fieldTable({ label, heading, fields, mark }: FieldTable): Html {
  return html`<table class="fields" aria-label="${label}">
<thead><tr><th scope="col">${heading}</th><th scope="col">Description</th></tr></thead>
<tbody>${fields.map((field) => fieldRow(field, mark === (field.required ? 'required' : 'optional') ? mark : ''))}</tbody>
</table>`;
}

function fieldRow({ name, type, object, description, limits }: Field, mark: string): Html {
  const end = name.lastIndexOf('.') + 1;
  return html`<tr>
<th scope="row"><code><span class="parent">${name.slice(0, end)}</span>${end > 0 && html`<wbr>`}${name.slice(end)}</code>
<span class="type">${typeText(type, object)}</span> <span class="${mark}">${mark}</span></th>
<td>${inline(description)}${limits.map((limit) => html` <span class="limit">${inline(limit)}</span>`)}</td>
</tr>`;
}

function typeText(type: string, object: string | undefined): Html {
  if (object === undefined) return html`${type}`;
  return html`${type.slice(0, -object.length)}<a href="#${objectId(object)}">${object}</a>`;
}

export const objectId = (name: string) => `object-${name}`;

export function operationArticle(operation: OperationModel): Html {
  const { id, method, path, summary, description, needsKey } = operation;
  return html`<article id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title"><a href="#${id}">${summary}</a></h3>
<p class="endpoint">${methodBadge(method)} <code>${pathText(path)}</code></p>
<div class="columns">
<div class="reference">
<p>${inline(description)}</p>
<p class="auth">${
    needsKey
      ? html`<a href="#authentication">Server key</a> in <code>Authorization: Bearer</code>`
      : 'No authentication'
  }</p>
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

export function eventArticle({ kind, id, when, data, example }: EventModel, index: number): Html {
  return html`<article id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title"><a href="#${id}">${kind}</a></h3>
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
  return html`<h4>Body${!body.required && html` <span class="optional">may be left out</span>`}</h4>
${fieldTable({ label: `Body of ${summary}`, heading: 'Field', fields: body.fields, mark: 'required' })}`;
}

function answerPart({ status, description, object, fields, headers }: Answer, summary: string): Html {
  return html`<h4>Response ${statusBadge(status)}</h4>
<p>${description}${object !== undefined && html` It is an object of type <a href="#${objectId(object)}">${object}</a>.`}
<span class="headers">With the <a href="#headers">headers</a> ${headers.map((name, index) => html`${index > 0 && ', '}<code>${name}</code>`)}.</span></p>
${object === undefined && fieldTable({ label: `Response ${status} of ${summary}`, heading: 'Field', fields, mark: 'optional' })}`;
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
