// Fills in template variables: what Grafana's dropdowns would hold, and where $name stands in a query, a title or a link.
import { escapeStringForRegex, rangeUtil, stringToJsRegex, type ScopedVars, type TimeRange } from '@grafana/data';
import type { Dashboard, Variable } from './dashboard';
import { labelValues, queryInstant } from './prometheus';

const ALL = '$__all';

/** One variable with its choices and what is chosen of them. */
export interface Chosen extends Variable {
  options: string[];
  values: string[];
  /** What the dropdown shows. */
  text: string;
}

type Format = string | Function | undefined;

/** Everything that `$name` can stand for on one dashboard. */
export class Variables {
  private chosen = new Map<string, Chosen>();
  private builtin: Record<string, string>;

  constructor(
    dashboard: Dashboard,
    private range: TimeRange
  ) {
    const seconds = Math.round((range.to.valueOf() - range.from.valueOf()) / 1000);
    this.builtin = {
      __dashboard: dashboard.title,
      __from: String(range.from.valueOf()),
      __to: String(range.to.valueOf()),
      __range: `${seconds}s`,
      __range_s: String(seconds),
      __range_ms: String(seconds * 1000),
      __url_time_range: `from=${range.from.valueOf()}&to=${range.to.valueOf()}`,
    };
  }

  list(): Chosen[] {
    return [...this.chosen.values()];
  }

  /** Asks for the variable's values and chooses as Grafana does on opening: what is asked for, the saved choice, All, the first. */
  async add(variable: Variable, asked: string[]): Promise<void> {
    const options = sorted(await this.options(variable), variable.sort);
    const saved = [variable.current?.value ?? []].flat().filter((v) => v === ALL || options.includes(v));
    let values = asked.map((v) => (v === 'All' ? ALL : v));
    if (values.length === 0) {
      values = saved.length > 0 ? saved : variable.includeAll ? [ALL] : options.slice(0, 1);
    }
    const text = values.map((v) => (v === ALL ? 'All' : variable.type === 'datasource' ? 'Prometheus' : v)).join(' + ');
    this.chosen.set(variable.name, { ...variable, options, values, text });
  }

  /** Replaces variables in a PromQL expression; the intervals depend on the panel's width. */
  inQuery(expr: string, intervals: Record<string, string>): string {
    return this.replace(expr, (name) => intervals[name], (v, values) => {
      if (!v.multi && !v.includeAll) {
        return values.join('').replace(/\\/g, '\\\\').replace(/"/g, '\\"');
      }
      const escaped = values.map((value) => escapeStringForRegex(value).replace(/\\/g, '\\\\').replace(/"/g, '\\"'));
      return escaped.length === 1 ? escaped[0] : `(${escaped.join('|')})`;
    });
  }

  /** Replaces variables in text; `scoped` brings the field, row and value that a field's link or name may speak of. */
  inText = (text: string | undefined, scoped?: ScopedVars, format?: Format): string => {
    const value = this.replace(text ?? '', (name, path) => fromScope(scoped, name, path), (v, values) => values.join(','), (s) => {
      return typeof format === 'string' && /uri/i.test(format) ? encodeURIComponent(s) : s;
    });
    return value;
  };

  private replace(
    text: string,
    local: (name: string, path?: string) => string | undefined,
    join: (variable: Chosen, values: string[]) => string,
    encode: (value: string) => string = (v) => v
  ): string {
    return text.replace(/\$(\w+)|\$\{(\w+)(?:\.([^:}]+))?(?::([^}]+))?\}/g, (all, short, long, path, format) => {
      const name = short ?? long;
      const found = local(name, path) ?? this.builtin[name];
      if (found !== undefined) {
        return name === '__url_time_range' || format === 'raw' ? found : encode(found);
      }
      const variable = this.chosen.get(name);
      if (!variable) {
        return all;
      }
      if (format === 'text') {
        return variable.text;
      }
      const isAll = variable.values.includes(ALL);
      if (format === 'queryparam') {
        return variable.values.map((v) => `var-${name}=${encodeURIComponent(v)}`).join('&');
      }
      if (isAll && variable.allValue) {
        return encode(variable.allValue);
      }
      const values = isAll ? variable.options : variable.values;
      switch (format) {
        case 'regex':
          return values.length === 1 ? escapeStringForRegex(values[0]) : `(${values.map(escapeStringForRegex).join('|')})`;
        case 'pipe':
          return values.join('|');
        case 'csv':
        case 'raw':
          return values.join(',');
        default:
          return encode(join(variable, values));
      }
    });
  }

  private async options(variable: Variable): Promise<string[]> {
    const query = typeof variable.query === 'object' ? variable.query.query : (variable.query ?? '');
    switch (variable.type) {
      case 'datasource':
        return ['prometheus'];
      case 'custom':
      case 'interval':
        return query.split(',').map((v) => v.trim());
      case 'constant':
      case 'textbox':
        return [query];
      case 'query':
        return matching(await this.ask(this.inQuery(query, this.builtin)), variable.regex);
      default:
        throw new Error(`variable ${variable.name}: the type ${variable.type} is not one that the preview knows`);
    }
  }

  private async ask(query: string): Promise<string[]> {
    const labels = query.match(/^\s*label_values\(\s*(?:(.+),)?\s*([a-zA-Z_]\w*)\s*\)\s*$/s);
    if (labels) {
      return labelValues(labels[2], labels[1]?.trim(), this.range);
    }
    const result = query.match(/^\s*query_result\((.+)\)\s*$/s);
    if (result) {
      const series = await queryInstant(result[1], this.range.to.valueOf());
      return series.map(({ metric: { __name__ = '', ...rest }, value }) => {
        const pairs = Object.entries(rest).map(([k, v]) => `${k}="${v}"`);
        return `${__name__}{${pairs.join(',')}} ${value[1]} ${value[0] * 1000}`;
      });
    }
    throw new Error(`the variable query ${query} is neither label_values nor query_result`);
  }
}

/** The intervals that Grafana's Prometheus data source offers to a query. */
export function intervals(range: TimeRange, width: number, scrapeInterval: string, minStep?: string) {
  const low = minStep || scrapeInterval;
  const { intervalMs } = rangeUtil.calculateInterval(range, Math.max(Math.round(width), 100), low);
  const scrape = rangeUtil.intervalToMs(scrapeInterval);
  const rate = Math.max(intervalMs + scrape, 4 * scrape);
  return {
    stepMs: intervalMs,
    values: {
      __interval: `${intervalMs / 1000}s`,
      __interval_ms: String(intervalMs),
      __rate_interval: `${rate / 1000}s`,
    },
  };
}

function matching(values: string[], regex?: string): string[] {
  if (!regex) {
    return values;
  }
  const wanted = stringToJsRegex(regex);
  const found = values.map((v) => v.match(wanted)).filter((m) => m !== null);
  return [...new Set(found.map((m) => m[1] ?? m[0]))];
}

function sorted(values: string[], sort = 0): string[] {
  return sort === 0 ? values : [...values].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }) * (sort % 2 === 0 ? -1 : 1));
}

// fromScope reads ${__field...}, ${__data.fields...}, ${__value...} and ${__series.name} of the cell that is being drawn.
function fromScope(scoped: ScopedVars | undefined, name: string, path?: string): string | undefined {
  const context = scoped?.__dataContext?.value;
  if (!context || !name.startsWith('__')) {
    return undefined;
  }
  const { field, frame, rowIndex, calculatedValue } = context;
  const part = (path ?? '').split(/[.[\]"']+/).filter(Boolean);
  switch (name) {
    case '__field':
      return part[0] === 'labels' ? (field.labels?.[part[1]] ?? '') : (field.state?.displayName ?? field.name);
    case '__series':
      return frame.name ?? '';
    case '__data': {
      const key = part.slice(1).join('.');
      const source = frame.fields.find((f: any) => f.name === key || f.config.displayName === key) ?? frame.fields[Number(key)];
      return source === undefined || rowIndex === undefined ? '' : String(source.values[rowIndex] ?? '');
    }
    case '__value': {
      const raw = calculatedValue ? calculatedValue.numeric : field.values[rowIndex ?? field.values.length - 1];
      return String(part[0] === 'text' && field.display ? field.display(raw).text : (raw ?? ''));
    }
    default:
      return undefined;
  }
}
