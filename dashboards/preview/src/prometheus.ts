// Asks Prometheus over its HTTP API and gives the answers as the data frames that Grafana's components draw.
import { FieldType, type DataFrame, type Field, type Labels, type TimeRange } from '@grafana/data';
import type { Target } from './dashboard';

type Sample = [time: number, value: string];

interface Instant {
  metric: Labels;
  value: Sample;
}

interface Matrix {
  metric: Labels;
  values: Sample[];
}

async function ask(path: string, params: URLSearchParams, method: 'GET' | 'POST' = 'POST') {
  const response =
    method === 'GET' ? await fetch(`/api/v1/${path}?${params}`) : await fetch(`/api/v1/${path}`, { method, body: params });
  const text = await response.text();
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Error(`prometheus answered ${response.status}: ${text.slice(0, 200).trim()}`);
  }
  if (answer.status !== 'success') {
    throw new Error(`${answer.errorType}: ${answer.error}`);
  }
  return answer.data;
}

/** The values of a label, of the series that match a selector where one is given. */
export async function labelValues(label: string, selector: string | undefined, range: TimeRange): Promise<string[]> {
  const params = new URLSearchParams({ start: seconds(range.from.valueOf()), end: seconds(range.to.valueOf()) });
  if (selector) {
    params.set('match[]', selector);
  }
  return ask(`label/${label}/values`, params, 'GET');
}

/** The vector at one moment, in milliseconds since the epoch; a scalar is a vector of one without labels. */
export async function queryInstant(expr: string, timeMs: number): Promise<Instant[]> {
  const data = await ask('query', new URLSearchParams({ query: expr, time: seconds(timeMs) }));
  return data.resultType === 'scalar' ? [{ metric: {}, value: data.result }] : data.result;
}

/** The series over a range, at steps of stepMs that are multiples of it, as Grafana aligns them. */
export async function queryRange(expr: string, range: TimeRange, stepMs: number): Promise<Matrix[]> {
  const aligned = (ms: number) => seconds(Math.floor(ms / stepMs) * stepMs);
  const start = aligned(range.from.valueOf());
  const end = aligned(range.to.valueOf());
  return (await ask('query_range', new URLSearchParams({ query: expr, start, end, step: String(stepMs / 1000) }))).result;
}

/** One frame per series, with its labels and the name that the legend gives it. */
export function seriesFrames(target: Target, series: Matrix[], stepMs: number): DataFrame[] {
  return series.map(({ metric, values }) => {
    const name = seriesName(metric, target.legendFormat);
    return {
      refId: target.refId,
      name,
      length: values.length,
      fields: [
        { name: 'Time', type: FieldType.time, config: { interval: stepMs }, values: values.map(([t]) => t * 1000) },
        { name: 'Value', type: FieldType.number, labels: metric, config: { displayNameFromDS: name }, values: values.map(([, v]) => parse(v)) },
      ],
    };
  });
}

/** One frame with a row per series and a column per label; the value's column is named after the query where there are several. */
export function tableFrame(target: Target, series: Instant[], several: boolean): DataFrame {
  const labels = [...new Set(series.flatMap(({ metric }) => Object.keys(metric).sort()))];
  const fields: Field[] = [
    { name: 'Time', type: FieldType.time, config: {}, values: series.map(({ value }) => value[0] * 1000) },
    ...labels.map((label) => ({ name: label, type: FieldType.string, config: {}, values: series.map(({ metric }) => metric[label] ?? '') })),
    { name: several ? `Value #${target.refId}` : 'Value', type: FieldType.number, config: {}, values: series.map(({ value }) => parse(value[1])) },
  ];
  return { refId: target.refId, length: series.length, fields: series.length > 0 ? fields : [] };
}

// With __auto the components name a series themselves, after the labels that tell it from the others.
function seriesName(metric: Labels, legend?: string): string | undefined {
  const { __name__ = '', ...labels } = metric;
  if (legend) {
    return legend === '__auto' ? undefined : legend.replace(/\{\{\s*(.+?)\s*\}\}/g, (_, label) => metric[label] ?? '');
  }
  const pairs = Object.entries(labels).map(([k, v]) => `${k}="${v}"`);
  return pairs.length > 0 ? `${__name__}{${pairs.join(', ')}}` : __name__ || 'Value';
}

function parse(value: string): number {
  return value === '+Inf' ? Infinity : value === '-Inf' ? -Infinity : Number(value);
}

function seconds(ms: number): string {
  return String(ms / 1000);
}
