import { TableCellHeight } from '@grafana/schema';
import { TableNG } from '@grafana/ui/unstable';
import type { Props } from './props';

export function Table({ data, width, height }: Props) {
  const options = data.panel.options ?? {};
  return (
    <TableNG
      data={data.frames[options.frameIndex ?? 0]}
      width={width}
      height={height}
      noHeader={options.showHeader === false}
      sortBy={options.sortBy}
      cellHeight={options.cellHeight ?? TableCellHeight.Sm}
      fieldConfig={data.fieldConfig}
      timeRange={data.range}
      noValue={data.fieldConfig.defaults.noValue}
      enableVirtualization={false}
      structureRev={1}
    />
  );
}
