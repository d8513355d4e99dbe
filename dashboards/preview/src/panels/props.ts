import { getFieldDisplayValues, type FieldDisplay, type GrafanaTheme2 } from '@grafana/data';
import type { Region } from '../annotations';
import { calcs, type PanelData } from '../data';
import type { Variables } from '../variables';

/** What every panel component gets; width and height are the pixels inside its frame. */
export interface Props {
  data: PanelData;
  variables: Variables;
  /** What annotations mark on a plot. */
  regions: Region[];
  width: number;
  height: number;
}

/** The reduced values that stats and bar gauges show, one per field or, with `values`, one per row. */
export function values({ data, variables }: Props, theme: GrafanaTheme2, sparkline = false): FieldDisplay[] {
  const options = data.panel.options?.reduceOptions ?? {};
  return getFieldDisplayValues({
    data: data.frames,
    fieldConfig: data.fieldConfig,
    reduceOptions: { ...options, calcs: calcs(data.panel) },
    replaceVariables: variables.inText,
    sparkline,
    theme,
    timeZone: 'utc',
  });
}
