// From a panel's targets to the frames its component draws: query, transform, apply the field configuration.
import {
  applyFieldOverrides,
  cacheFieldDisplayNames,
  dateMath,
  FieldConfigOptionsRegistry,
  FieldType,
  ReducerID,
  standardTransformers,
  standardTransformersRegistry,
  ThresholdsMode,
  transformDataFrame,
  type DataFrame,
  type FieldConfigSource,
  type GrafanaTheme2,
  type TimeRange,
} from '@grafana/data';
import { lastValueFrom } from 'rxjs';
import type { Panel } from './dashboard';
import { queryInstant, queryRange, seriesFrames, tableFrame } from './prometheus';
import { intervals, type Variables } from './variables';

/** A panel with the data that it shows. */
export interface PanelData {
  panel: Panel;
  frames: DataFrame[];
  fieldConfig: FieldConfigSource;
  range: TimeRange;
  error?: string;
}

/** What a panel is drawn with. */
export interface Context {
  variables: Variables;
  range: TimeRange;
  scrapeInterval: string;
  theme: GrafanaTheme2;
}

standardTransformersRegistry.setInit(() =>
  // One is listed under two names.
  [...new Set(Object.values(standardTransformers))].map((transformer) => ({
    id: transformer.id,
    name: transformer.name,
    transformation: () => Promise.resolve(transformer),
    editor: () => null,
    imageDark: '',
    imageLight: '',
  }))
);

// What Grafana sets where a dashboard says nothing: per panel type, as the panel's own defaults.
const thresholds = {
  mode: ThresholdsMode.Absolute,
  steps: [
    { value: -Infinity, color: 'green' },
    { value: 80, color: 'red' },
  ],
};
const defaults: Record<string, FieldConfigSource['defaults']> = {
  timeseries: {
    color: { mode: 'palette-classic' },
    custom: {
      drawStyle: 'line', lineInterpolation: 'linear', lineWidth: 1, fillOpacity: 0, gradientMode: 'none', showPoints: 'auto', pointSize: 5,
      spanNulls: false, stacking: { mode: 'none', group: 'A' }, axisPlacement: 'auto', scaleDistribution: { type: 'linear' },
      thresholdsStyle: { mode: 'off' },
    },
  },
  'state-timeline': { color: { mode: 'continuous-GrYlRd' }, custom: { fillOpacity: 70, lineWidth: 0 } },
  table: { color: { mode: 'thresholds' }, thresholds, custom: { align: 'auto', cellOptions: { type: 'auto' } } },
  stat: { color: { mode: 'thresholds' }, thresholds },
  bargauge: { color: { mode: 'thresholds' }, thresholds },
};

/** Queries and prepares one panel. A failure becomes the panel's error, so that the other panels are still drawn. */
export async function load(panel: Panel, width: number, context: Context): Promise<PanelData> {
  const range = panel.timeFrom ? since(panel.timeFrom, context.range) : context.range;
  const fieldConfig = withDefaults(panel);
  try {
    let frames = await query(panel, width, range, context);
    const interpolate = context.variables.inText;
    frames = await lastValueFrom(transformDataFrame(panel.transformations ?? [], frames, { interpolate }));
    frames = applyFieldOverrides({
      data: frames,
      fieldConfig,
      fieldConfigRegistry: registry(fieldConfig),
      replaceVariables: interpolate,
      theme: context.theme,
      timeZone: 'utc',
    });
    cacheFieldDisplayNames(frames);
    return { panel, frames, fieldConfig, range };
  } catch (error) {
    return { panel, frames: [], fieldConfig, range, error: (error as Error).message };
  }
}

/** Whether there is nothing to draw. */
export function isEmpty(frames: DataFrame[]): boolean {
  return !frames.some((frame) => frame.length > 0 && frame.fields.some((f) => f.type !== FieldType.time));
}

async function query(panel: Panel, width: number, range: TimeRange, { variables, scrapeInterval }: Context): Promise<DataFrame[]> {
  const targets = (panel.targets ?? []).filter((t) => !t.hide && t.expr);
  const tables = targets.filter((t) => t.format === 'table');
  const answers = targets.map(async (target) => {
    const steps = intervals(range, panel.maxDataPoints ?? width, scrapeInterval, target.interval || panel.interval);
    const seconds = Math.round((range.to.valueOf() - range.from.valueOf()) / 1000);
    const ranges = { __range: `${seconds}s`, __range_s: String(seconds), __range_ms: String(seconds * 1000) };
    const expr = variables.inQuery(target.expr!, { ...steps.values, ...ranges });
    try {
      if (!target.instant) {
        return seriesFrames(target, await queryRange(expr, range, steps.stepMs), steps.stepMs);
      }
      const vector = await queryInstant(expr, range.to.valueOf());
      return target.format === 'table'
        ? [tableFrame(target, vector, tables.length > 1)]
        : seriesFrames(target, vector.map(({ metric, value }) => ({ metric, values: [value] })), steps.stepMs);
    } catch (error) {
      throw new Error(`query ${target.refId} failed: ${(error as Error).message}`);
    }
  });
  return (await Promise.all(answers)).flat();
}

function since(timeFrom: string, { to }: TimeRange): TimeRange {
  const from = dateMath.toDateTime(`now-${timeFrom.replace(/^now-/, '')}`, { now: to.toDate() });
  if (!from) {
    throw new Error(`timeFrom ${timeFrom} is no duration`);
  }
  return { from, to, raw: { from, to } };
}

function withDefaults({ type, fieldConfig }: Panel): FieldConfigSource {
  // In JSON the lowest threshold is null; the components want it as a number.
  const infinite = (value: any) => {
    for (const step of value?.steps ?? []) {
      step.value ??= -Infinity;
    }
  };
  infinite(fieldConfig?.defaults?.thresholds);
  const overrides = (fieldConfig?.overrides ?? []).map(({ properties, ...rest }) => ({ ...rest, properties: properties.flatMap(upgraded) }));
  for (const { properties } of overrides) {
    properties.filter((p) => p.id === 'thresholds').forEach((p) => infinite(p.value));
  }
  const ours = defaults[type];
  const custom = { ...ours?.custom, ...fieldConfig?.defaults?.custom };
  return { defaults: { ...ours, ...fieldConfig?.defaults, custom }, overrides };
}

// Two settings of table columns that Grafana has moved since; it reads them where they used to be, too.
function upgraded(property: { id: string; value?: any }) {
  switch (property.id) {
    case 'custom.hidden':
      return [{ id: 'custom.hideFrom', value: { viz: property.value } }];
    case 'custom.cellOptions':
      return [property, { id: 'custom.wrapText', value: property.value?.wrapText }];
    default:
      return [property];
  }
}

const textual = ['displayName', 'unit', 'description', 'noValue'];
const standard = [...textual, 'min', 'max', 'decimals', 'fieldMinMax', 'filterable', 'color', 'thresholds', 'mappings', 'links', 'actions'];

// The properties that defaults and overrides may set: the standard ones, and whatever this panel's type has of its own.
function registry({ defaults, overrides }: FieldConfigSource): FieldConfigOptionsRegistry {
  const custom = [
    ...Object.keys(defaults.custom ?? {}).map((key) => `custom.${key}`),
    ...overrides.flatMap((o) => o.properties.map((p) => p.id)).filter((id) => id.startsWith('custom.')),
  ];
  return new FieldConfigOptionsRegistry(() =>
    [...standard, ...new Set(custom)].map((id) => ({
      id,
      name: id,
      path: id.replace(/^custom\./, ''),
      isCustom: id.startsWith('custom.'),
      editor: () => null,
      override: () => null,
      shouldApply: () => true,
      process: (value, { field, replaceVariables }) =>
        typeof value === 'string' && textual.includes(id) && replaceVariables ? replaceVariables(value, field?.state?.scopedVars) : value,
    }))
  );
}

/** The reducer that a stat, a gauge or a legend names, last value where it names none. */
export function calcs(panel: Panel): string[] {
  return panel.options?.reduceOptions?.calcs ?? [ReducerID.lastNotNull];
}
