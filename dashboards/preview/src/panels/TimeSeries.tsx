import { LegendDisplayMode, TimeSeries as Graph } from '@grafana/ui';
import { Annotations } from '../annotations';
import type { Props } from './props';

export function TimeSeries({ data, regions, width, height }: Props) {
  const legend = { showLegend: true, displayMode: LegendDisplayMode.List, placement: 'bottom', calcs: [], ...data.panel.options?.legend };
  return (
    <Graph frames={data.frames} timeRange={data.range} timeZone="utc" width={width} height={height} legend={legend} options={{}}>
      {(builder) => <Annotations builder={builder} regions={regions} />}
    </Graph>
  );
}
